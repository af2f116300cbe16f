#!/usr/bin/env python3
"""Tests of count_tests.py: nothing but what ran and passed may count as passed."""

import tempfile
import unittest
from pathlib import Path

import count_tests


class Counts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "pytest").mkdir()

    def ctest(self, **status_of):
        cases = "".join(f'<testcase name="{name}" status="{status}"/>'
                        for name, status in status_of.items())
        (self.folder / "ctest-a.xml").write_text(f"<testsuite>{cases}</testsuite>")

    def pytest(self, name, *children):
        cases = "".join(f"<testcase>{child}</testcase>" for child in children)
        (self.folder / "pytest" / f"{name}.xml").write_text(
            f"<testsuites><testsuite>{cases}</testsuite></testsuites>")

    def count(self):
        return count_tests.count_folder(self.folder)[:2]

    def test_counts_only_run_as_passed(self):
        self.ctest(a="run", b="fail", c="notrun", d="disabled", e="run")
        self.assertEqual(self.count(), (2, 3))
        self.assertEqual(count_tests.count_folder(self.folder)[2], ["b", "c", "d"])

    def test_counts_the_cases_of_a_pytest_file(self):
        self.ctest(a="run", b="fail")
        self.pytest("a", "", "", "")
        self.pytest("b", "", "<failure/>", "<error/>", "<skipped/>")
        self.assertEqual(self.count(), (4, 3))

    def test_counts_a_pytest_that_failed_without_a_failed_case(self):
        self.ctest(a="fail")
        self.pytest("a", "")
        self.assertEqual(self.count(), (1, 1))

    def test_adds_up_all_reports(self):
        self.ctest(a="run")
        (self.folder / "ctest-b.xml").write_text(
            '<testsuite><testcase name="x" status="run"/></testsuite>')
        self.assertEqual(self.count(), (2, 0))


if __name__ == "__main__":
    unittest.main()
