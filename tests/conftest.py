"""A skipped test counts as failed, unless needs.py provides for the skip."""

import os

import pytest

from lengths import LENGTH
from needs import lacking

GATE = pytest.StashKey[bool]()


def pytest_configure(config):
    config.addinivalue_line("markers", "needs_isa(name): skipped without this instruction set")
    config.addinivalue_line("markers", "needs_mirror(release): skipped if mirrors have it no more")
    config.addinivalue_line("markers", "needs_counted_reads: skipped where reads of the disk are unknown")
    config.addinivalue_line("markers", "full: not of `make check`, where shorter tests cover its kind")
    config.addinivalue_line("markers", "full_if_tiny: not of `make check` where limits are tiny: these "
                            "change queues and batches, not what computes a row")


def pytest_collection_modifyitems(config, items):
    """Leaves out what is marked full; left out is neither passed nor skipped."""
    if LENGTH != "check":
        return
    is_tiny = "VIRNUCPRO_BIN_REFERENCE" in os.environ
    left_out = [item for item in items if item.get_closest_marker("full")
                or (is_tiny and item.get_closest_marker("full_if_tiny"))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Runs before any fixture of the test is made."""
    if names := lacking(item):
        item.stash[GATE] = True
        pytest.skip(f"needs {', '.join(names)}")


def refuse_skip(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipping is not passing: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    return report if GATE in item.stash else refuse_skip(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return refuse_skip((yield))
