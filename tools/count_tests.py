#!/usr/bin/env python3
"""Adds up the tests of a check: where they failed, the slowest, and what was skipped for which reason.

    tools/count_tests.py RESULTS_FOLDER…

Each folder holds what one run of ctest left: ctest.xml (JUnit), and of every ctest that is a program
or file of many tests their own report, gtest/<name>.xml or pytest/<name>.xml, which then counts by
its cases; without that report it has failed, whatever it ended with. Seeds of fuzz targets alone have
none. A test may be skipped for what the machine lacks, and says so: "needs AVX512_BF16". Any
other that was skipped, was disabled or could not start has failed: only what ran and passed has
passed. Exits 1 on any failure. "N passed, N failed" closes the output, ", N skipped" behind it and
the reasons below it where there are any.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

# What a test may ask of a machine: tests/needs.py, tests/unit/needs.hpp, tests/gpu.
ALLOWED_SKIP = re.compile(r"needs (AVX512|AVX512_BF16|Hopper)(, (AVX512|AVX512_BF16))*$")
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
    """Why a case was skipped, of those reasons that are allowed."""
    # pytest says it in a message, GoogleTest behind a line with the place.
    message = (case.find("skipped").get("message") or "").strip()
    reason = message.splitlines()[-1].strip() if message else ""
    return reason if ALLOWED_SKIP.match(reason) else None


def count_case(case):
    if any(case.find(tag) is not None for tag in ("failure", "error")):
        return Count(failed=1)
    if case.get("status") == "notrun":  # GoogleTest's word for a disabled one
        return Count(failed=1)
    if case.find("skipped") is None:
        return Count(passed=1)
    reason = skip_reason(case)
    return Count(skipped=Counter([reason])) if reason else Count(failed=1)


def count_report(report):
    """Of the cases of one pytest or GoogleTest report."""
    count = Count()
    for case in ElementTree.parse(report).iter("testcase"):
        count.add(count_case(case))
    return count


def count_test(case, folder):
    """Of one ctest."""
    ran_well = case.get("status") == "run"
    for kind in ("gtest", "pytest"):
        report = folder / kind / f"{case.get('name')}.xml"
        if report.exists():
            count = count_report(report)
            # A program can fail without a failed case (it was killed), or find none: never hide that.
            found_none = count == Count()
            if (found_none or not ran_well) and count.failed == 0:
                count.failed = 1
            return count
    ended_well = ran_well and case.get("name").startswith("fuzz.")
    return Count(passed=1) if ended_well else Count(failed=1)


def count_folder(folder):
    """The count of a folder, the names of its failed ctests, and (seconds, name) of each."""
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
