#!/usr/bin/env python3
"""Tests of count_tests.py: only a test that ran and passed may count as passed."""

import contextlib
import io
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import count_tests


class Counts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def ctest(self, **status_of):
        cases = "".join(f'<testcase name="{name.replace("fuzz_", "fuzz.")}" status="{status}" '
                        'time="1.5"/>' for name, status in status_of.items())
        (self.folder / "ctest.xml").write_text(f"<testsuite>{cases}</testsuite>")

    def report(self, kind, name, *cases):
        (self.folder / kind).mkdir(exist_ok=True)
        (self.folder / kind / f"{name}.xml").write_text(
            f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")

    def pytest(self, name, *children):
        self.report("pytest", name, *(f"<testcase>{child}</testcase>" for child in children))

    def count(self):
        count = count_tests.count_folder(self.folder)[0]
        return count.passed, count.failed

    def skipped(self):
        return count_tests.count_folder(self.folder)[0].skipped

    def test_counts_only_run_as_passed(self):
        self.ctest(fuzz_a="run", b="fail", c="notrun", d="disabled", fuzz_e="run")
        self.assertEqual(self.count(), (2, 3))
        self.assertEqual(count_tests.count_folder(self.folder)[1], ["b", "c", "d"])

    def test_counts_the_cases_of_a_pytest_file(self):
        self.ctest(a="run", b="fail")
        self.pytest("a", "", "", "")
        self.pytest("b", "", "<failure/>", "<error/>", "<skipped/>")
        self.assertEqual(self.count(), (4, 3))

    def test_counts_the_cases_of_a_gtest_program(self):
        self.ctest(a="run", b="fail")
        self.report("gtest", "a", '<testcase status="run"/>', '<testcase status="run"/>')
        self.report("gtest", "b", '<testcase status="run"><failure/></testcase>',
                    '<testcase status="notrun"/>')
        self.assertEqual(self.count(), (2, 2))

    def test_counts_as_failed_what_left_no_report_or_no_case(self):
        self.ctest(a="run", b="run")
        self.pytest("b")
        self.assertEqual(self.count(), (0, 2))

    def test_counts_as_failed_a_ctest_that_did_not_end(self):
        self.assertEqual(self.count(), (0, 1))

    def test_counts_a_report_that_failed_without_a_failed_case(self):
        self.ctest(a="fail")
        self.pytest("a", "")
        self.assertEqual(self.count(), (1, 1))

    def test_counts_by_reason_what_the_machine_lacks(self):
        self.ctest(a="run", b="run")
        self.pytest("a", "", '<skipped message="needs AVX512_BF16"/>')
        self.report("gtest", "b", '<testcase status="run" result="skipped">'
                    '<skipped message="x.cpp:3&#x0A;needs AVX512_BF16"/></testcase>')
        self.assertEqual(self.count(), (1, 0))
        self.assertEqual(self.skipped(), Counter({"needs AVX512_BF16": 2}))

    def test_counts_a_vanished_mirror_as_skipped(self):
        self.ctest(a="run")
        self.pytest("a", "", '<skipped message="needs a mirror of bullseye"/>')
        self.assertEqual(self.count(), (1, 0))
        self.assertEqual(self.skipped(), Counter({"needs a mirror of bullseye": 1}))

    def test_counts_every_other_skip_as_failed(self):
        self.ctest(a="run")
        self.pytest("a", '<skipped message="no tmpfs here"/>', '<skipped message="it needs time"/>',
                    '<skipped message="needs luck"/>', '<skipped message="needs a mirror of sid"/>')
        self.assertEqual(self.count(), (0, 4))

    def test_closes_with_the_count_and_the_reasons(self):
        self.ctest(a="run", fuzz_b="run")
        self.pytest("a", "", '<skipped message="needs AVX512_BF16"/>')
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(count_tests.main([self.folder]), 0)
        self.assertEqual(printed.getvalue().splitlines()[-2:],
                         ["2 passed, 0 failed, 1 skipped", "skipped: 1 needs AVX512_BF16"])
        self.assertIn(": a", printed.getvalue())

    def test_fails_where_nothing_passed(self):
        self.ctest(a="fail")
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(count_tests.main([self.folder]), 1)


if __name__ == "__main__":
    unittest.main()
