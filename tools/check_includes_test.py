#!/usr/bin/env python3
"""Tests of check_includes.py: what it must accept and what it must report."""

import tempfile
import unittest
from pathlib import Path

import check_includes


class Breaches(unittest.TestCase):
    def found(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / ("" if path.startswith(("measure/", "program/")) else "src") / path
            file.parent.mkdir(parents=True)
            file.write_text(text, encoding="utf-8")
            return [(line, what) for _, line, what in check_includes.breaches(Path(folder))]

    def assert_names(self, path, text, line, word):
        found = self.found(path, text)
        self.assertEqual([number for number, _ in found], [line], found)
        self.assertIn(word, found[0][1])

    def test_lets_rooms_above_and_the_room_itself_pass(self):
        self.assertEqual(self.found("run/predict.cpp", '#include "run/predict.hpp"\n'
                                    '#include <vector>\n#include "base/error.hpp"\n'), [])

    def test_names_a_room_below(self):
        self.assert_names("base/file.cpp", '\n#include "sequence/record.hpp"\n', 2, "below")

    def test_names_a_room_below_within_a_room(self):
        self.assert_names("measure/compare/a.cpp", '#include "measure/suites/b.hpp"\n', 1, "below")

    def test_lets_measure_use_src_but_not_the_other_way(self):
        self.assertEqual(self.found("measure/commands/a.cpp", '#include "cli/command.hpp"\n'), [])
        self.assertEqual(self.found("program/a.cpp", '#include "measure/commands/b.hpp"\n'), [])
        self.assert_names("cli/a.cpp", '#include "measure/datasets/b.hpp"\n', 1, "src/ may not")
        self.assert_names("documents/a.cpp", '#include "program/commands.hpp"\n', 1, "src/ may not")

    def test_names_other_forms_of_include(self):
        for path in ("error.hpp", "../base/error.hpp", "base/../run/unit.hpp", "attic/x.hpp",
                     "measure/x.hpp"):
            with self.subTest(path):
                self.assert_names("run/a.hpp", f'#include "{path}"\n', 1, "form")

    def test_names_a_folder_that_is_no_room(self):
        self.assert_names("attic/a.cpp", "", 1, "room")

    def test_names_printing(self):
        for call in ("std::cout << 1;", 'printf("x");', 'std::fprintf(stderr, "x");',
                     'std::puts("x");', 'fmt::print("x");'):
            with self.subTest(call):
                self.assert_names("run/a.cpp", f"void f() {{\n  {call}\n}}\n", 2, "prints")

    def test_names_ending_the_process(self):
        for call in ("abort();", "std::exit(1);", "_exit(1);", "::exit(2);", "std::terminate();"):
            with self.subTest(call):
                self.assert_names("weights/a.cu", f"{call}\n", 1, "ends")

    def test_lets_text_comments_and_names_pass(self):
        self.assertEqual(
            self.found("run/a.cpp",
                       '// exit(1) and printf("x")\n/* abort()\n std::cout */\n'
                       'auto a = "exit(1)";\nauto b = R"(puts("x"))";\n'
                       "std::snprintf(buffer, 4, format);\nworker.exit();\nexit_code(3);\n"
                       "auto c = 1'000;\nauto d = '\"';\n"), [])

    def test_names_errors_compared_by_their_order(self):
        for condition in ("kind >= ErrorKind::kJson", "kind <=\n ErrorKind::kJson",
                          "kind < virnucpro::ErrorKind::kJson", "ErrorKind::kJson > kind",
                          "error.kind() < last", "first <= error.kind()", "first > (*it)->kind()"):
            with self.subTest(condition):
                text = f"bool is = {condition};\n"
                self.assert_names("run/a.cpp", text, text.count("\n"), "by their order")

    def test_lets_errors_be_compared_for_equality(self):
        self.assertEqual(
            self.found("run/a.cpp",
                       "// kind >= ErrorKind::kJson\n"
                       "if (error->kind() == ErrorKind::kJson && size > 3) out << error.kind();\n"
                       "std::map<ErrorKind, int> a;\nauto b = static_cast<ErrorKind>(3) != kind;\n"
                       "if (size < limit && ErrorKind::kJson != error.kind()) throw;\n"), [])

    def test_lets_the_command_line_print(self):
        self.assertEqual(self.found("cli/a.cpp", "std::cout << 1;\nstd::exit(1);\n"), [])


if __name__ == "__main__":
    unittest.main()
