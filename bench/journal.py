"""What the journal costs, and how soon a run of millions of sequences goes on."""

import datetime
import json
import statistics
import subprocess
import time
from pathlib import Path
from typing import Iterator, NamedTuple

import figure
from memory import peak_mib
from session import processor_seconds
from setting import Setting

SEQUENCES = 6_000_000
LEFT = 2_000  # that the interrupted run did not get to
LENGTH = 500
RESUME_GOAL, EXPORT_GOAL, EXPORT_GOAL_MIB = 60, 60, 512
COST_READS = 6_000
COST_GOAL = 1.0  # percent
COST_TURNS = 9
MODELS = ["--esm-model", "synthetic:esm2_tiny", "--dnabert-model", "synthetic:dnabert-s-tiny",
          "-p", "synthetic", "-e", LENGTH, "-m", "custom", "--no-progress"]


def generate(setting: Setting, name: str, count: int, *flags: object) -> Path:
    path = setting.scratch / name
    setting.virnucpro("generate", "-n", count, "--length", LENGTH, "-f", "-o", path, *flags)
    return path


class Times(NamedTuple):
    wall: float
    processors: float


def timed(setting: Setting, *arguments: object, environment=None) -> Times:
    """Seconds of the program."""
    start, used = time.perf_counter(), processor_seconds()
    subprocess.run([str(word) for word in (setting.program, *arguments)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**setting.environment, **(environment or {})})
    return Times(time.perf_counter() - start, processor_seconds() - used)


def interrupted(setting: Setting) -> Path:
    """The output directory of a run over SEQUENCES that stopped LEFT before its end."""
    small = generate(setting, "small.fa", 10, "--coding", 1)
    setting.virnucpro("predict", small, "-o", setting.scratch / "small", "-q", *MODELS)
    reads = generate(setting, "reads.fa", SEQUENCES)
    out = setting.scratch / "interrupted"
    said = subprocess.run([setting.bin / "bench_journal", setting.scratch / "small", reads,
                           str(SEQUENCES - LEFT), out], check=True, stdout=subprocess.PIPE,
                          env=setting.environment).stdout
    assert json.loads(said)["sequences"] == SEQUENCES - LEFT
    return out


def seconds_to_first_batch(setting: Setting, out: Path) -> float:
    """Of a resumed run, as its log has the times: from its first line to its first batch."""
    log = setting.scratch / "resume.log"
    log.unlink(missing_ok=True)
    timed(setting, "-vv", "-l", log, "predict", setting.scratch / "reads.fa", "-o", out, "--resume",
          *MODELS)
    lines = log.read_text().splitlines()
    first_batch = next(line for line in lines if line.endswith(" first batch"))
    begin, end = (datetime.datetime.fromisoformat(line.split(" ", 1)[0])
                  for line in (lines[0], first_batch))
    return (end - begin).total_seconds()


def long_run(setting: Setting) -> Iterator[figure.Figure]:
    out = interrupted(setting)
    settings = {"sequences": SEQUENCES, "length": LENGTH,
                "journal_mib": (out / "run.db").stat().st_size / (1 << 20)}
    yield figure.limit(f"resume of {SEQUENCES:,} sequences, until it computes", "s",
                       [seconds_to_first_batch(setting, out)], RESUME_GOAL, settings)
    yield figure.limit(f"export of {SEQUENCES:,} sequences", "s",
                       [timed(setting, "export", out).wall for _ in range(2)], EXPORT_GOAL, settings)
    yield figure.limit(f"memory of exporting {SEQUENCES:,} sequences", "MiB",
                       [peak_mib(setting, "export", out)], EXPORT_GOAL_MIB, settings)


def cost(setting: Setting) -> Iterator[figure.Figure]:
    """Of a run with small models, whose journal has twice the rows a second that ESM-2 3B makes on
    a GPU; in processor seconds, which vary less than those on the wall."""
    reads = generate(setting, "coding.fa", COST_READS, "--coding", 1)
    command = ["predict", reads, "-o", setting.scratch / "cost", "--force", "-t", 1, *MODELS]
    without, with_journal = [], []
    for _ in range(COST_TURNS):
        without.append(timed(setting, *command,
                             environment={"VIRNUCPRO_DISABLE_CHECKPOINTING": "1"}))
        with_journal.append(timed(setting, *command))
    turns = [100 * (ours.processors / theirs.processors - 1)
             for ours, theirs in zip(with_journal, without)]
    yield figure.limit("journal, more processor time of a whole run", "%",
                       [statistics.median(turns)], COST_GOAL,
                       {"reads": COST_READS, "turns": turns, "wall_without": [t.wall for t in without],
                        "wall_with": [t.wall for t in with_journal]})
