#!/usr/bin/env python3
"""Checks the order of the rooms (src/README.md, measure/README.md).

A room includes only itself and rooms above it in ROOMS, always as "room/file.hpp". A room of src/
includes none of measure/ and program/. Only src/cli, measure/bench and program/ print or end the process.
No code compares kinds of errors by their order, because a new kind would change the answers.
Exits with 1 and names file and line of every breach.

    tools/check_includes.py [CHECKOUT]
"""

import re
import sys
from pathlib import Path

ROOMS = ("base", "observe", "sequence", "tokens", "weights", "tensor", "ops", "models", "engine",
         "journal", "tables", "run", "library", "telemetry", "report", "measure/datasets",
         "measure/compare", "measure/timing", "measure/bench", "measure/tune", "measure/suites", "download", "cli", "documents",
         "measure/commands", "program")
ROOTS = ("src", "measure", "program")
OTHER_ROOTS = ("measure/", "program")  # rooms that src/ must not use
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]*)"')
# Functions and streams that print; std::snprintf and fmt::format only make text.
OUTPUT = re.compile(r"\bstd::(cout|cerr|clog)\b"
                    r"|(?<![\w.>])(?:std::)?(?:v?f?printf|puts|fputs|putchar)\s*\("
                    r"|\bfmt::v?print(?:ln)?\s*\(")
ENDING = re.compile(r"(?<![\w.>:])(?:std::|::)?(abort|exit|_exit|_Exit|quick_exit|terminate)\s*\(")
PRINTING = ("cli", "measure/bench", "program")
# This file forks, and ends only the process that it made.
FORKING = "sequence/child_process.cpp"
# clang-format puts blanks around operators, which tells them from templates, arrows and shifts.
ORDER = re.compile(r"\s[<>]=?\s+(?:\w+::)*ErrorKind::k|\bErrorKind::k\w+\s+[<>]=?(?=\s)"
                   r"|\bkind\(\)\s+[<>]=?(?=\s)|\s[<>]=?\s+[\w.>()*-]*\bkind\(\)")
COMMENTS_AND_STRINGS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\s\\]*)\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)


def blank(match):
    """Replaces comments and literals with their line breaks."""
    return "\n" * match.group().count("\n")


def room_of(path):
    """Returns the room of a path as in an include: "base/file.hpp"; None if there is none."""
    return next((room for room in ROOMS if path.startswith(room + "/")), None)


def include_breaches(room, text):
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        path = match.group(1)
        target = room_of(path)
        if target is None or ".." in path.split("/"):
            yield number, f'"{path}" is not of the form "room/file.hpp"'
        elif target.startswith(OTHER_ROOTS) and not room.startswith(OTHER_ROOTS):
            yield number, f'src/ may not include "{path}"'
        elif ROOMS.index(target) > ROOMS.index(room):
            yield number, f'room {room} may not include "{path}": {target} lies below it'


def output_breaches(room, path, text):
    if room in PRINTING:
        return
    for number, line in enumerate(COMMENTS_AND_STRINGS.sub(blank, text).splitlines(), 1):
        if OUTPUT.search(line):
            yield number, f"prints: only {', '.join(PRINTING)} do"
        if ENDING.search(line) and path != FORKING:
            yield number, f"ends the process: only {', '.join(PRINTING)} do; throw an Error"


def order_breaches(text):
    code = COMMENTS_AND_STRINGS.sub(blank, text)
    for match in ORDER.finditer(code):
        yield (code.count("\n", 0, match.end()) + 1,
               "compares kinds of errors by their order: ask for an ErrorClass")


def breaches(checkout):
    """Yields (path, line, what) for every breach below the roots."""
    for path in sorted(path for root in ROOTS for path in (checkout / root).rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        name = path.relative_to(checkout).as_posix().removeprefix("src/")
        room = room_of(name)
        if room is None:
            yield path, 1, "it lies in no room (tools/check_includes.py lists them)"
            continue
        text = path.read_text(encoding="utf-8")
        for number, what in (*include_breaches(room, text),
                             *output_breaches(room, name, text),
                             *order_breaches(text)):
            yield path, number, what


def main(arguments):
    checkout = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found = list(breaches(checkout))
    for path, number, what in found:
        print(f"{path}:{number}: {what}", file=sys.stderr)
    if not found:
        print("includes: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
