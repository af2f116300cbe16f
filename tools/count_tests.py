#!/usr/bin/env python3
"""Adds up the tests of a check and closes it with one line, "N passed, N failed".

    tools/count_tests.py BUILD_FOLDER…

Each folder holds what its ctest runs wrote: ctest-*.xml (JUnit), and pytest/<test>.xml for every
ctest that is a pytest file, which then counts as the cases in it. A test that was skipped, disabled
or could not start counts as failed: only what ran and passed has passed. Exits 1 on any failure.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def cases_of(report):
    """(passed, failed) of one pytest report."""
    passed = failed = 0
    for case in ElementTree.parse(report).iter("testcase"):
        if any(case.find(tag) is not None for tag in ("failure", "error", "skipped")):
            failed += 1
        else:
            passed += 1
    return passed, failed


def count_test(case, pytest_folder):
    """(passed, failed) of one ctest."""
    ran_well = case.get("status") == "run"
    report = pytest_folder / f"{case.get('name')}.xml"
    if not report.exists():
        return (1, 0) if ran_well else (0, 1)
    passed, failed = cases_of(report)
    # pytest can fail without a failed case (it was killed, or found none): never hide that.
    return passed, failed if ran_well else max(failed, 1)


def count_folder(folder):
    """(passed, failed, names of the failed ctests) of all ctest runs in a build folder."""
    passed = failed = 0
    names = []
    for report in sorted(folder.glob("ctest-*.xml")):
        for case in ElementTree.parse(report).iter("testcase"):
            more_passed, more_failed = count_test(case, folder / "pytest")
            passed += more_passed
            failed += more_failed
            if more_failed:
                names.append(case.get("name"))
    return passed, failed, names


def main(arguments):
    all_passed = all_failed = 0
    for folder in map(Path, arguments):
        passed, failed, names = count_folder(folder)
        print(f"{folder.name}: {passed} passed, {failed} failed", *names, sep="\n  ")
        all_passed += passed
        all_failed += failed
    print(f"{all_passed} passed, {all_failed} failed")
    return 0 if all_passed and not all_failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
