"""Runs of the program that are disturbed: killed at a chosen call, or with failing calls.

VIRNUCPRO_BIN is the executable, VIRNUCPRO_IO_SHIM the library of io_shim.c, VIRNUCPRO_SOURCE the
checkout.
"""

import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from errors import ERRORS

BIN = os.environ["VIRNUCPRO_BIN"]
SHIM = os.environ["VIRNUCPRO_IO_SHIM"]

MODELS = ["--dnabert-model", "synthetic:dnabert-s-tiny", "--esm-model", "synthetic:esm2_tiny",
          "-p", "synthetic", "-e", "60", "--no-progress"]
OUTPUT = "out"
TABLES = ("a_merged/prediction_results.txt", "a_merged/prediction_results_highestscore.csv",
          "sequences.tsv")
TELEMETRY = re.compile(r"telemetry_[\w.]+\.(jsonl?|h5)|logs/gpu_metrics_[\w.]+\.log")
FILE_KINDS = ("write", "fsync", "truncate", "rename", "unlink", "open", "mkdir")
# Where to kill a run so that its journal is whole and no table exists, or the last row is missing.
RUNS = {"finished": ("mkdir", "a_merged"), "interrupted": ("unlink", "failed_inputs.txt")}
KILLED = -signal.SIGKILL
# More than any run here takes, even on a busy machine; a longer run hangs.
SECONDS = 300
# Time in which workers must notice that their parent was killed.
SECONDS_FOR_ORPHANS = 10


class Ended(NamedTuple):
    status: int
    stderr: str
    calls: tuple  # (kind, number within its kind, path) for each call counted by the shim

    def counts(self):
        return Counter(kind for kind, _, _ in self.calls)

    def changes(self):
        """How many calls change a file."""
        return sum(self.counts()[kind] for kind in FILE_KINDS)

    def number(self, kind, name):
        """The number of the first such call on a file of that name."""
        return next(number for called, number, path in self.calls
                    if called == kind and path.endswith("/" + name))


SEVERAL = 4
WORKERS = (1, SEVERAL)


def error_in(ended, codes=None):
    """The error that ended a run; it must be in the table, with that exit code, or that of `codes`
    where a command has another one."""
    named = {name for name, (code, meaning) in ERRORS.items()
             if (codes or {}).get(name, code) == ended.status and meaning in ended.stderr}
    assert named, f"exit code {ended.status}: {ended.stderr}"
    return named


def spread(count, most):
    """At most `most` numbers from 1 to `count`, including the first and the last."""
    if count <= most:
        return list(range(1, count + 1))
    return sorted({1 + round(i * (count - 1) / (most - 1)) for i in range(most)})


class Job:
    """A folder with inputs, and `predict` over them into its folder OUTPUT. Telemetry is off when
    calls are counted, as it writes at certain times."""

    def __init__(self, folder, inputs, *, status=0, workers=1, flags=(), telemetry="off",
                 models=MODELS):
        self.folder = folder
        self.inputs = inputs
        self.status = status  # exit code of an undisturbed run
        self.models = models
        self.flags = [*flags, "--telemetry", telemetry,
                      *(["--cpu-workers", str(workers)] if workers > 1 else [])]
        self.reference = self.reference_files = self.undisturbed = None

    @property
    def output(self):
        return self.folder / OUTPUT

    def command(self, *extra):
        threads = [] if "-t" in extra else ["-t", "1"]
        return [BIN, "predict", *self.inputs, *self.models, *self.flags, "-o", OUTPUT, *threads, *extra]

    def environment(self, rule=None, role="parent", once=None, preload=True, reads=None, locks=True,
                    links=True, noreplace=True):
        """VNP_SHIM_DIR also marks the run's processes, so that leftover ones are found. `reads`:
        a path; calls that read it or anything in it are counted, too."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("VIRNUCPRO_", "VNP_SHIM", "TMPDIR"))}
        environment["VNP_SHIM_DIR"] = str(self.output)
        if preload:
            environment.update(LD_PRELOAD=SHIM, VNP_SHIM_ROLE=role,
                               VNP_SHIM_LOG=str(self.folder / "calls"))
        if rule:
            environment["VNP_SHIM"] = rule
        if reads:
            environment["VNP_SHIM_READS"] = str(reads)
        has = {"LOCKS": locks, "LINKS": links, "NOREPLACE": noreplace}
        environment.update({f"VNP_SHIM_NO_{name}": "1" for name, is_there in has.items() if not is_there})
        if once:
            once.touch()
            environment["VNP_SHIM_ONCE"] = str(once)
        return environment

    def run(self, command, **shim):
        (self.folder / "calls").unlink(missing_ok=True)
        ended = subprocess.run(command, cwd=self.folder, env=self.environment(**shim),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, timeout=SECONDS, check=False)
        self.wait_for_silence()
        return Ended(ended.returncode, ended.stderr.decode(errors="surrogateescape"), self.calls())

    def race(self, starters, *extra, **shim):
        """Starts several such runs at once; their (exit code, stderr)."""
        started = [subprocess.Popen(self.command(*extra), cwd=self.folder,
                                    env=self.environment(**shim), stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                   for _ in range(starters)]
        texts = [process.communicate(timeout=SECONDS)[1].decode() for process in started]
        return list(zip([process.returncode for process in started], texts))

    def predict(self, *extra, **shim):
        return self.run(self.command(*extra), **shim)

    def export(self, *extra, **shim):
        return self.run([BIN, "export", OUTPUT, *extra], **shim)

    def validate_checkpoints(self, **shim):
        return self.run([BIN, "utils", "validate-checkpoints", OUTPUT], **shim)

    def calls(self):
        try:
            lines = (self.folder / "calls").read_text().splitlines()
        except FileNotFoundError:
            return ()
        rows = (line.split(" ", 4) for line in lines)
        return tuple((kind, int(number), path) for _, kind, number, _, path in rows)

    def processes(self):
        """The processes of runs into this folder."""
        mark = b"VNP_SHIM_DIR=" + os.fsencode(self.output) + b"\0"
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue
        return found

    def wait_for_silence(self):
        """Waits until no process of a run is left, even if its parent was killed."""
        deadline = time.monotonic() + SECONDS_FOR_ORPHANS
        while left := self.processes():
            assert time.monotonic() < deadline, f"left over: {left}"
            time.sleep(0.01)

    def tables(self, folder=None):
        """{name: hash} of the tables with their final names."""
        folder = folder or self.output
        return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
                for name in TABLES if (folder / name).exists()}

    def make_reference(self):
        """Records the results of an undisturbed run, and leaves no output."""
        ended = self.predict()
        assert ended.status == self.status, ended.stderr
        self.reference = self.tables()
        self.reference_files = self.files()
        assert len(self.reference) == len(TABLES)
        self.clear()
        self.undisturbed = ended

    def take_reference(self, other):
        """Takes those of a job with the same inputs and settings in another folder."""
        self.reference, self.reference_files = other.reference, other.reference_files
        self.undisturbed = other.undisturbed

    def clear(self):
        shutil.rmtree(self.output, ignore_errors=True)

    def check_none_half_written(self):
        """Every table is either complete or missing."""
        for name, found in self.tables().items():
            assert found == self.reference[name], f"{name} is wrong or half-written"

    def check_tables(self, ended):
        assert ended.status == self.status, ended.stderr
        assert self.tables() == self.reference

    def check_complete(self, ended):
        self.check_tables(ended)
        self.check_nothing_is_left()

    def files(self):
        """Without telemetry files: each resumed run has its own."""
        names = {str(path.relative_to(self.output)) for path in self.output.rglob("*")}
        return {name for name in names if not TELEMETRY.fullmatch(name)}

    def check_nothing_is_left(self):
        """No temporary file, lock or WAL is left: only the files of an undisturbed run."""
        assert self.files() == self.reference_files

    def resume(self, *extra, **shim):
        return self.predict("--resume", *extra, **shim)

    def finish(self, *extra):
        """Resumes without disturbance and checks the tables."""
        self.check_complete(self.resume(*extra))

    def interrupt(self, kind, name, **shim):
        """Kills a run before this call."""
        number = self.undisturbed.number(kind, name)
        ended = self.predict(rule=f"kill:before:{kind}:{number}", **shim)
        assert ended.status == KILLED, ended.stderr

    def keep(self):
        """Copies the output; restore() restores it unchanged."""
        shutil.rmtree(self.folder / "kept", ignore_errors=True)
        if self.output.exists():
            shutil.copytree(self.output, self.folder / "kept", symlinks=True)

    def restore(self):
        self.clear()
        if (self.folder / "kept").exists():
            shutil.copytree(self.folder / "kept", self.output, symlinks=True)


WITHOUT_FRAMES = "CTAG" * 40  # a stop codon in every frame of both strands


def letters(source, length):
    return "".join(source.choices("ACGT", k=length))


def awkward_records(source, count):
    """Sequences of one or more chunks, equal ones, with other letters, without frames, empty."""
    for i in range(count):
        yield f"s{i}", letters(source, source.randint(40, 420))
    yield "twin", "ACGTTGCAACCA" * 12
    yield "twin", "ACGTTGCAACCA" * 12
    yield "twin", letters(source, 130)
    yield "stops", WITHOUT_FRAMES
    yield "empty", ""
    yield "short", "AC"


def fasta(records):
    return "".join(f">{name} a record\n{text}\n" for name, text in records)


def random_fasta(seed, count, length):
    source = random.Random(seed)
    return fasta((f"r{i}", letters(source, length)) for i in range(count))
