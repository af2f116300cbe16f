"""A skipped test counts as failed, unless needs.py provides for the skip."""

import pytest

import lengths  # pylint: disable=unused-import  # an unknown length ends every test run
from needs import lacking

GATE = pytest.StashKey[bool]()


def pytest_configure(config):
    config.addinivalue_line("markers", "needs_isa(name): skipped without this instruction set")


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
