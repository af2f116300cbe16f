#!/usr/bin/env python3
"""Plants small faults in the rooms that decide scores and calls, and counts those that tests find.

    tools/mutants.py [--seed N] [--each N] [--minutes N] [--rooms A,B] [--at FILE:LINE] [--list]

Each fault (mutant) is one changed operator, constant, condition or statement, in a copy of the
checkout in build/mutants/. It is killed if a unit test of its room, or one of the program tests
named in NEAREST, fails. tools/mutants_equal.tsv lists the ones that no test can tell from the
program, each with the reason. Prints the survivors; ends with 1 if fewer than 95 % of the others
were killed. Mutants that do not compile are not counted.
"""

import argparse
import csv
import itertools
import math
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence

from check_includes import COMMENTS_AND_STRINGS

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "build" / "mutants"
SOURCE, BUILD = FOLDER / "source", FOLDER / "build"
EQUAL = ROOT / "tools" / "mutants_equal.tsv"
LEAST_KILLED = 0.95

# For each room: the nearest unit tests of other rooms, and the nearest program tests.
NEAREST = {
    "sequence": (["run"], ["oracle/test_readers.py", "oracle/test_frames.py", "cli/test_edges.py",
                           "cli/test_letters.py", "oracle/test_formats.py"]),
    "tokens": (["run"], ["oracle/test_bpe.py", "oracle/test_pipeline.py"]),
    "ops": (["models", "engine"], ["oracle/test_esm2.py", "oracle/test_dnabert.py"]),
    "engine": (["run"], ["cli/test_workers.py", "oracle/test_identity.py"]),
    "journal": (["run"], ["cli/test_resume.py", "cli/test_merge.py", "crash/test_locks.py"]),
    "tables": (["run"], ["oracle/test_pipeline.py", "oracle/test_rollup.py", "oracle/test_labels.py",
                         "cli/test_contigs.py", "cli/test_label_reads.py"]),
    "run": ([], ["cli/test_resume.py", "cli/test_merge.py", "cli/test_export.py",
                 "cli/test_close_calls.py", "cli/test_edges.py", "cli/test_virus_fastq.py",
                 "cli/test_calibrate.py"]),
}
# Files that are not tried: they need a GPU or an instruction set that few processors have.
OTHER_MACHINES = re.compile(r"cuda|hopper|amx|avx512|nvml")

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "&&": "||", "||": "&&"}
OPERATOR = re.compile(r"(?<=[^\s<] )(<=|>=|==|!=|<|>|\+=|-=|\+|-|\*|/|%|&&|\|\|)(?= [^\s>])")
NUMBER = re.compile(r"(?<![\w.'])(\d+)(?=U?L?L?\b)(?!['.\w]*[.'])")
DECIMAL = re.compile(r"(?<![\w.'])(\d+\.\d+)(?=F?\b)")
BOOL = re.compile(r"\b(true|false)\b")
STEP = re.compile(r"(\+\+|--)(?=\w)")
IF = re.compile(r"\bif \((?!constexpr)")
DECLARATION = re.compile(r";|[^=<>!]= ")  # within a condition
STATEMENT = re.compile(r"^ +(?:\*?[\w:]+(?:(?:\.|->)\w+|\[\w+\]|\(\))*(?:\([^;]*\)| [|&+-]?= [^;]*)"
                       r"|(?:\+\+|--)\w[^;]*|break|continue|return);$")
NO_STATEMENT = re.compile(r"^ +(?:return\b.+|throw|using|delete|case|default|static_assert|co_)")
NO_CODE = re.compile(r"^\s*(?:#|template|static_assert|using|namespace|friend)|\boperator\b"
                     r"|\bconstexpr std::string_view\b")


class Mutant(NamedTuple):
    file: str  # below src/
    line: int  # from 1
    column: int
    old: str
    new: str
    text: str  # the line, without blanks around

    @property
    def room(self) -> str:
        return self.file.split("/")[0]

    def applied(self, lines: Sequence[str]) -> str:
        whole = list(lines)
        line = whole[self.line - 1]
        whole[self.line - 1] = line[: self.column] + self.new + line[self.column + len(self.old):]
        return "\n".join(whole)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.old or '(nothing)'} -> {self.new or '(nothing)'}: {self.text}"


def blanked(text: str) -> str:
    """Returns the code with blanks for comments and literals, at the same places."""
    return COMMENTS_AND_STRINGS.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def closing(line: str, opening: int) -> Optional[int]:
    """Returns where the parenthesis at `opening` closes; None if that is not in this line."""
    depth = 0
    for at in range(opening, len(line)):
        depth += (line[at] == "(") - (line[at] == ")")
        if depth == 0:
            return at
    return None


def changes(line: str) -> Iterator[tuple]:
    """Yields (column, old, new) of each mutant of a line of code."""
    for found in OPERATOR.finditer(line):
        old = found.group(1)
        yield found.start(1), old, {**RELATIONS, **ARITHMETIC}[old]
    for found in NUMBER.finditer(line):
        yield found.start(1), found.group(1), str(int(found.group(1)) + 1)
    for found in DECIMAL.finditer(line):
        yield found.start(1), found.group(1), str(float(found.group(1)) + 0.125)
    for found in BOOL.finditer(line):
        yield found.start(1), found.group(1), "false" if found.group(1) == "true" else "true"
    for found in STEP.finditer(line):
        yield found.start(1), found.group(1), "--" if found.group(1) == "++" else "++"
    for found in IF.finditer(line):
        end = closing(line, found.end() - 1)
        condition = line[found.end(): end] if end else ""
        if end and not DECLARATION.search(condition):
            yield found.end(), condition, f"!({condition})"
    if STATEMENT.match(line) and not NO_STATEMENT.match(line) and line.count("(") == line.count(")"):
        yield len(line) - len(line.lstrip()), line.strip(), ";"


def mutants_of(path: Path) -> Iterator[Mutant]:
    text = path.read_text()
    lines, name = text.split("\n"), str(path.relative_to(ROOT / "src"))
    for number, (line, code) in enumerate(zip(lines, blanked(text).split("\n")), 1):
        if NO_CODE.search(code):
            continue
        for column, old, new in changes(code):
            if line[column: column + len(old)] == old:  # no literal within
                yield Mutant(name, number, column, old, new, line.strip())


def all_mutants(room: str) -> List[Mutant]:
    files = sorted(path for suffix in ("cpp", "hpp") for path in (ROOT / "src" / room).rglob(f"*.{suffix}"))
    return [one for path in files if not OTHER_MACHINES.search(path.name) for one in mutants_of(path)]


def equal_ones() -> Dict[tuple, str]:
    with EQUAL.open() as rows:
        return {(row["file"], row["line"], row["old"], row["new"]): row["reason"]
                for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)}


def key_of(mutant: Mutant) -> tuple:
    return mutant.file, mutant.text, mutant.old, mutant.new


def run(command: Sequence[object], seconds: float, log: Path, **more) -> bool:
    """Returns True if the command succeeds in time."""
    with log.open("w") as out:
        try:
            return subprocess.run(list(map(str, command)), stdout=out, stderr=out, timeout=seconds, check=False,
                                  **more).returncode == 0
        except subprocess.TimeoutExpired:
            return False


def built(*targets: str) -> bool:
    return run(["ninja", "-C", BUILD, *targets], 1800, FOLDER / "build.log")


def unit_tests_pass(room: str, seconds: float) -> bool:
    environment = {**os.environ, "VIRNUCPRO_TEST_LENGTH": "check"}
    return run([BUILD / "tests" / f"unit_{room}", "--gtest_brief=1", "--gtest_fail_fast=1"], seconds,
               FOLDER / "unit.log", env=environment)


def program_test_passes(file: str) -> bool:
    environment = {**os.environ, "VIRNUCPRO_BIN": BUILD / "bin" / "virnucpro", "VIRNUCPRO_BUILD": BUILD,
                   "VIRNUCPRO_TOOLS": BUILD / "tests" / "tools", "VIRNUCPRO_SOURCE": SOURCE,
                   "VIRNUCPRO_IO_SHIM": BUILD / "tests" / "tools" / "io_shim.so", "OMP_NUM_THREADS": "1",
                   "PYTHONDONTWRITEBYTECODE": "1"}
    return run([ROOT / ".venv-oracle" / "bin" / "python", "-m", "pytest", "-x", "-q", SOURCE / "tests" / file], 900,
               FOLDER / "program.log", env={name: str(value) for name, value in environment.items()}, cwd=SOURCE)


def killer(mutant: Mutant, limits: Dict[str, float]) -> Optional[str]:
    """Returns the tests that find a mutant; empty if none do; None if it does not compile."""
    rooms, programs = NEAREST[mutant.room]
    for room in (mutant.room, *rooms):
        if not built(f"unit_{room}"):
            return None
        if not unit_tests_pass(room, limits[room]):
            return f"unit_{room}"
    if not built("virnucpro", "oracle_tools", "io_shim", "run_shim"):
        return None
    return next((file for file in programs if not program_test_passes(file)), "")


def prepare() -> None:
    """Copies the checkout's files that changed, and configures a build of each source by itself."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            stdout=subprocess.PIPE, text=True, check=True).stdout
    names = {name for name in listed.split("\0") if name and (ROOT / name).is_file()}
    for old in [path for path in SOURCE.rglob("*") if path.is_file() and not path.is_symlink()]:
        if str(old.relative_to(SOURCE)) not in names:
            old.unlink()
    for name in names:
        new = SOURCE / name
        if not new.exists() or new.read_bytes() != (ROOT / name).read_bytes():
            new.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, new, follow_symlinks=False)
            if not new.is_symlink():
                new.touch()  # git may have given the file an older time than the build's
    if not (SOURCE / ".venv-oracle").exists():
        (SOURCE / ".venv-oracle").symlink_to(ROOT / ".venv-oracle")
    subprocess.run(["cmake", "-S", SOURCE, "-B", BUILD, "-G", "Ninja", "-DBUILD_TESTING=ON",
                    "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG",
                    "-DCMAKE_UNITY_BUILD=OFF"], check=True, stdout=subprocess.DEVNULL)


def measure_units(rooms: Sequence[str]) -> Dict[str, float]:
    """Returns the seconds that a room's unit tests may take: many times those without a mutant."""
    limits = {}
    needed = sorted({one for room in rooms for one in (room, *NEAREST[room][0])})
    if not built("virnucpro", *(f"unit_{room}" for room in needed)):
        sys.exit(f"mutants: the program does not build: {FOLDER / 'build.log'}")
    for room in needed:
        begin = time.monotonic()
        if not unit_tests_pass(room, 1800):
            sys.exit(f"mutants: unit tests of {room} fail without a mutant: {FOLDER / 'unit.log'}")
        limits[room] = 60 + 10 * (time.monotonic() - begin)
    return limits


def check_programs(rooms: Sequence[str]) -> None:
    """Ends if a program test fails without a mutant: it would seem to kill all mutants."""
    if not built("oracle_tools", "io_shim", "run_shim"):
        sys.exit(f"mutants: the tests' tools do not build: {FOLDER / 'build.log'}")
    for file in sorted({file for room in rooms for file in NEAREST[room][1]}):
        if not program_test_passes(file):
            sys.exit(f"mutants: {file} fails without a mutant: {FOLDER / 'program.log'}")


def chosen(arguments: argparse.Namespace) -> List[Mutant]:
    """Returns the mutants to try: one of each room in turn, so that a time limit cuts all alike."""
    by_room = []
    for room in arguments.rooms.split(","):
        found = all_mutants(room)
        if arguments.at:
            by_room.append([one for one in found if f"{one.file}:{one.line}" in arguments.at])
            continue
        draw = random.Random(f"{arguments.seed} {room}")
        by_room.append(draw.sample(found, min(arguments.each, len(found))))
    return [one for turn in itertools.zip_longest(*by_room) for one in turn if one is not None]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=17, help="mutants of each room (default 17)")
    parser.add_argument("--minutes", type=float, default=math.inf, help="begin no mutant after this time")
    parser.add_argument("--rooms", default=",".join(NEAREST))
    parser.add_argument("--at", action="append", help="FILE:LINE below src/: every mutant of this line")
    parser.add_argument("--list", action="store_true", help="print the mutants, and test none")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    mutants, equal = chosen(arguments), equal_ones()
    if arguments.list:
        print(*mutants, sep="\n")
        return 0
    prepare()
    rooms = sorted({one.room for one in mutants})
    limits = measure_units(rooms)
    check_programs(rooms)
    killed, survivors = 0, []
    end = time.monotonic() + 60 * arguments.minutes
    for mutant in mutants:
        if time.monotonic() > end:
            break
        if key_of(mutant) in equal:
            print("equal   ", mutant, flush=True)
            continue
        file, original = SOURCE / "src" / mutant.file, (ROOT / "src" / mutant.file).read_text()
        file.write_text(mutant.applied(original.split("\n")))
        found = killer(mutant, limits)
        file.write_text(original)
        if found is None:
            print("no code ", mutant, flush=True)
        elif found:
            killed += 1
            print("killed  ", mutant, "by", found, flush=True)
        else:
            survivors.append(mutant)
            print("SURVIVED", mutant, flush=True)
    counted = killed + len(survivors)
    print(f"killed {killed} of {counted} ({killed / counted if counted else 1:.0%})")
    for mutant in survivors:
        print(f"  {mutant}")
    return 0 if killed >= LEAST_KILLED * counted else 1


if __name__ == "__main__":
    sys.exit(main())
