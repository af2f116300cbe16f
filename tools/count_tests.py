#!/usr/bin/env python3
"""Counts the tests of a check: failed ones, the slowest, and skipped ones by reason.

    tools/count_tests.py RESULTS_FOLDER…

Each folder has the results of a ctest run: ctest.xml (JUnit) and, for every ctest that is a program
or file of many tests, its own report, gtest/<name>.xml or pytest/<name>.xml. Then its cases are
counted; without that report it counts as failed. Only seeds of fuzz targets have none. A test may
be skipped if the machine lacks something, and must say so: "needs AVX512_BF16". Any other test that
was skipped, was disabled or could not start counts as failed. Exits with 1 on any failure. The
output ends with "N passed, N failed" and, if tests were skipped, ", N skipped" and the reasons.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# The things that a test may need from a machine: tests/needs.py, tests/unit/needs.hpp, tests/gpu.
ALLOWED_SKIP = re.compile(r"needs (AVX512|AVX512_BF16|AMX|Hopper|counted reads|a mirror of (bullseye|bookworm))"
                          r"(, (AVX512|AVX512_BF16|AMX))*$")
SLOWEST = 20


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: Counter = field(default_factory=Counter)  # by reason

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped

    def __str__(self):
        text = f"{self.passed} passed, {self.failed} failed"
        return f"{text}, {self.skipped.total()} skipped" if self.skipped else text


def skip_reason(case):
    """Returns why a case was skipped; None if the reason is not allowed."""
    # pytest puts the reason in a message, GoogleTest after a line with the place.
    message = (case.find("skipped").get("message") or "").strip()
    reason = message.splitlines()[-1].strip() if message else ""
    return reason if ALLOWED_SKIP.match(reason) else None


def count_case(case):
    if any(case.find(tag) is not None for tag in ("failure", "error")):
        return Count(failed=1)
    if case.get("status") == "notrun":  # GoogleTest's word for a disabled test
        return Count(failed=1)
    if case.find("skipped") is None:
        return Count(passed=1)
    reason = skip_reason(case)
    return Count(skipped=Counter([reason])) if reason else Count(failed=1)


def count_report(report):
    """Counts the cases of one pytest or GoogleTest report."""
    count = Count()
    for case in ElementTree.parse(report).iter("testcase"):
        count.add(count_case(case))
    return count


def count_test(case, folder):
    """Counts one ctest."""
    ran_well = case.get("status") == "run"
    for kind in ("gtest", "pytest"):
        report = folder / kind / f"{case.get('name')}.xml"
        if report.exists():
            count = count_report(report)
            # A program may fail without a failed case (if killed), or find none: never hide that.
            found_none = count == Count()
            if (found_none or not ran_well) and count.failed == 0:
                count.failed = 1
            return count
    ended_well = ran_well and case.get("name").startswith("fuzz.")
    return Count(passed=1) if ended_well else Count(failed=1)


def count_folder(folder):
    """Returns the count of a folder, the names of its failed ctests, and (seconds, name) of each."""
    total, names, times = Count(), [], []
    if not (folder / "ctest.xml").exists():
        return Count(failed=1), ["ctest did not end"], []
    for case in ElementTree.parse(folder / "ctest.xml").iter("testcase"):
        count = count_test(case, folder)
        total.add(count)
        times.append((float(case.get("time", 0)), f"{folder.name}: {case.get('name')}"))
        if count.failed:
            names.append(case.get("name"))
    return total, names, times


def main(arguments):
    total, times = Count(), []
    folders = []
    for folder in map(Path, arguments):
        count, names, folder_times = count_folder(folder)
        folders.append("\n  ".join([f"{folder.name}: {count}", *names]))
        total.add(count)
        times += folder_times
    print(f"the {SLOWEST} slowest, in seconds:")
    for seconds, name in sorted(times, reverse=True)[:SLOWEST]:
        print(f"  {seconds:6.1f}  {name}")
    print(*folders, total, sep="\n")
    if total.skipped:
        print("skipped:", ", ".join(f"{count} {why}" for why, count in sorted(total.skipped.items())))
    return 0 if total.passed and not total.failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
