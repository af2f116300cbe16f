#!/usr/bin/env python3
"""Compares two builds of the program, after a change that must not change behaviour.

Both do the same fixed runs with synthetic weights, in turns in a folder of one name. What they say
(exit code, stdout, stderr) and leave (every file) must be equal, but for what two runs of one build
differ in, too, which is named in compare_readers.py. Exits 1 where anything differs.

    tools/compare_programs.py OLD NEW [--only WORD]     # paths of two virnucpro binaries

OLD is a copy of an earlier build's bin/ and share/: the program looks for share/ beside its bin/.
"""

import argparse
import difflib
import functools
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from compare_cases import CASES, SHORT_FOR, lacking, make_inputs
from compare_readers import VOLATILE_TEXT, masked, read_file, words_of

SECONDS = 120  # more than any run here takes
UNITS_BYTES = 20_000  # of the journal's log, after some units
# These may differ on a busy machine. They get a second try.
BUSY = ("file names", "telemetry", "reports", "JSON", "logs", "pages")
DIFF_LINES, DIFF_COLUMNS = 20, 200


class Failure(Exception):
    """A case that failed before it could be compared."""


class Turn:
    """One program runs a case; `seen` has what it said and left: {what: lines}."""

    def __init__(self, program, other, folder):
        self.program, self.other, self.folder = program, other, folder
        self.seen = {}
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("VIRNUCPRO_")}

    def see(self, what, lines):
        """Keeps the lines; numbers equal names from the second on."""
        number = 1
        while (name := what if number == 1 else f"{what} ({number})") in self.seen:
            number += 1
        self.seen[name] = lines

    def start(self, program, line, **streams):
        for word, meaning in SHORT_FOR.items():
            line = re.sub(rf"\b{word}\b", meaning, line)
        return subprocess.Popen(["virnucpro", *shlex.split(line)], executable=program,
                                cwd=self.folder, env=self.environment, **streams)

    def run(self, line):
        """Runs a line and keeps exit code, stdout and stderr. The file for stdin follows ` < `."""
        line, _, given = line.partition(" < ")
        with open(self.folder / given if given else os.devnull, "rb") as stdin, self.start(
                self.program, line, stdin=stdin, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE) as process:
            try:
                said = process.communicate(timeout=SECONDS)
            finally:
                process.kill()
        return process.returncode, *(text.decode(errors="backslashreplace") for text in said)

    def __call__(self, line):
        code, stdout, stderr = self.run(line)
        self.see("virnucpro " + line, [
            f"exit code {code}", *(f"stdout: {part}" for part in masked(stdout).splitlines()),
            *(f"stderr: {part}" for part in masked(stderr).splitlines())])
        return stdout

    def see_files(self, only=None):
        """Keeps the names of all files, and their contents by kind."""
        kinds = {"file names": []}
        for path in sorted(path for path in self.folder.rglob("*") if path.is_file()):
            name = masked(str(path.relative_to(self.folder)))
            kinds["file names"].append(name)
            kind, lines = read_file(path, name)
            kinds.setdefault(kind, []).extend([f"file {name}", *lines])
        for kind in only or kinds:
            self.see(kind, kinds[kind])


def runs_of(lines, turn):
    for line in lines:
        turn(line)
    turn.see_files()


def help_texts(turn):
    """Keeps the help of the program, and of every command that a help names."""
    def describe(*command):
        text = turn(" ".join((*command, "--help")))
        listed = re.search(r"^Commands:\n((?:  .*\n)+)", text, re.MULTILINE)
        for name in re.findall(r"^  (\w\S*)", listed[1], re.MULTILINE) if listed else ():
            turn(" ".join(("help", *command, name)))
            describe(*command, name)
    describe()
    turn("--version")
    turn("--version -v")


def damaged_journal(turn):
    """Changes a byte in the journal: it is refused; with --force-resume the run starts over."""
    turn("predict reads.fa MODELS -o out")
    path = turn.folder / "out" / "run.db"
    data = bytearray(path.read_bytes())
    data[data.index(b"s11") + 1] ^= 1
    path.write_bytes(data)
    runs_of(["export out -o x", "report out", "utils validate-checkpoints out",
             "predict reads.fa MODELS -o out --resume",
             "predict reads.fa MODELS -o out --force-resume"], turn)


def wait_for_units(turn, process):
    log = turn.folder / "out" / "run.db-wal"
    end = time.monotonic() + SECONDS
    while not (log.exists() and log.stat().st_size > UNITS_BYTES):
        if process.poll() is not None or time.monotonic() > end:
            raise Failure("the run to be interrupted came to no unit of its journal")
        time.sleep(0.01)


def interrupt(turn, number):
    """Ends the other program's run by a signal, after three quarters of its input."""
    text = (turn.folder / "many.fa").read_bytes()
    with turn.start(turn.other, "predict - MODELS --name many -o out", stdin=subprocess.PIPE,
                    stderr=subprocess.DEVNULL) as process:
        try:
            process.stdin.write(text[:len(text) * 3 // 4])
            process.stdin.flush()
            wait_for_units(turn, process)
            process.send_signal(number)
            turn.see("the interrupted run", [f"exit code {process.wait(SECONDS)}"])
        finally:
            process.kill()


def resumed(number, turn):
    """This program resumes the other's run. The tables must be those of an uninterrupted run."""
    turn("predict - MODELS --name many -o expected < many.fa")
    interrupt(turn, number)
    code, _, stderr = turn.run("predict - MODELS --name many -o out --resume < many.fa")
    turn.see("the resumed run", [f"exit code {code}", *words_of(stderr)])
    if not re.search("known before +[1-9]", stderr):
        raise Failure(f"nothing was resumed: {stderr}")
    for path in [*(turn.folder / "expected").rglob("prediction_results*"),
                 turn.folder / "expected" / "sequences.tsv"]:
        name = path.relative_to(turn.folder / "expected")
        if (turn.folder / "out" / name).read_bytes() != path.read_bytes():
            raise Failure(f"{name} is not that of an uninterrupted run")
    turn.see_files(["file names", "tables"])  # the rest depends on when the signal came


def all_cases():
    return {"help": help_texts,
            **{name: functools.partial(runs_of, lines) for name, lines in CASES.items()},
            "damaged journal": damaged_journal,
            "resumed after SIGTERM": functools.partial(resumed, signal.SIGTERM),
            "resumed after SIGKILL": functools.partial(resumed, signal.SIGKILL)}


def take_turn(case, program, other, root):
    """Runs in a folder that always has the same name, as a journal has paths and their checksums."""
    folder = root / "run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(root / "inputs", folder)
    turn = Turn(program, other, folder)
    try:
        case(turn)
    except (Failure, subprocess.TimeoutExpired, sqlite3.Error, OSError, LookupError,
            ValueError) as error:
        turn.see("FAILED", f"{type(error).__name__}: {error}".splitlines())
    return turn.seen


def print_difference(old, new):
    lines = list(difflib.unified_diff(old, new, "OLD", "NEW", lineterm="", n=1)) or old
    for line in lines[:DIFF_LINES]:
        print("    " + line[:DIFF_COLUMNS])
    if len(lines) > DIFF_LINES:
        print(f"    … {len(lines) - DIFF_LINES} lines more")


def differences(case, old, new, root):
    """Returns what was seen of a case, both programs' lines of it, and whether they differ."""
    turns = [take_turn(case, old, new, root), take_turn(case, new, old, root)]
    sides = {what: [seen.get(what, ["(none)"]) for seen in turns]
             for what in dict.fromkeys([*turns[0], *turns[1]])}
    return {what: (side, side[0] != side[1] or what == "FAILED") for what, side in sides.items()}


def compare(name, case, old, new, root):
    """Prints a line for each comparison; returns how many are the same and how many differ."""
    seen = differences(case, old, new, root)
    again = {}
    if any(differs and what in BUSY for what, (_, differs) in seen.items()):
        again = differences(case, old, new, root)
    counts = [0, 0]
    for what, (sides, differs) in seen.items():
        second = what in BUSY and differs and not again.get(what, (sides, True))[1]
        counts[differs and not second] += 1
        print("same at the second try:" if second else "DIFFERENT:" if differs else "same:",
              f"{name}: {what}", flush=True)
        if differs and not second:
            print_difference(*sides)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, metavar="OLD")
    parser.add_argument("new", type=Path, metavar="NEW")
    parser.add_argument("--only", metavar="WORD", default="", help="the cases whose name has it")
    asked = parser.parse_args()
    old, new = asked.old.resolve(strict=True), asked.new.resolve(strict=True)
    VOLATILE_TEXT[:0] = [(re.compile(rf"{re.escape(str(path))}\b"), "PROGRAM")
                         for path in (old, new)]
    same = different = 0
    with tempfile.TemporaryDirectory(prefix="compare_programs_") as folder:
        root = Path(folder)
        (root / "inputs").mkdir()
        make_inputs(root / "inputs")
        for name, case in all_cases().items():
            if asked.only not in name:
                continue
            if why := lacking(name):
                print(f"skipped: {name}: {why}")
            else:
                counts = compare(name, case, old, new, root)
                same, different = same + counts[0], different + counts[1]
    print(f"{same} same, {different} different")
    return 1 if different or not same else 0


if __name__ == "__main__":
    sys.exit(main())
