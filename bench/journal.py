"""The journal's cost, and the time until a run of millions of sequences resumes."""

import datetime
import json
import subprocess
import time
from pathlib import Path
from typing import Iterator, Tuple

import figure
from memory import peak_mib
from setting import Setting

SEQUENCES = 6_000_000
LEFT = 2_000  # sequences that the interrupted run did not reach
LENGTH = 500
RESUME_GOAL, EXPORT_GOAL, EXPORT_GOAL_MIB = 60, 60, 512
RATE = 590  # 500-base reads per second on one H200: 100,000 ESM-2 tokens, some 168 per read
COST_GOAL = 1.0  # percent
MODELS = ["--esm-model", "synthetic:esm2_tiny", "--dnabert-model", "synthetic:dnabert-s-tiny",
          "-p", "synthetic", "-e", LENGTH, "-m", "custom", "--no-progress"]


def generate(setting: Setting, name: str, count: int, *flags: object) -> Path:
    path = setting.scratch / name
    setting.virnucpro("generate", "-n", count, "--length", LENGTH, "-f", "-o", path, *flags)
    return path


def timed(setting: Setting, *arguments: object) -> float:
    """Runs the program; returns its seconds."""
    start = time.perf_counter()
    subprocess.run([str(argument) for argument in (setting.program, *arguments)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=setting.environment)
    return time.perf_counter() - start


def interrupted(setting: Setting) -> Tuple[Path, float]:
    """The output directory of a run over SEQUENCES that stopped LEFT before its end, and the
    seconds that its journal took."""
    small = generate(setting, "small.fa", 10, "--coding", 1)
    setting.virnucpro("predict", small, "-o", setting.scratch / "small", "-q", *MODELS)
    reads = generate(setting, "reads.fa", SEQUENCES)
    out = setting.scratch / "interrupted"
    done = subprocess.run([setting.bin / "bench_journal", setting.scratch / "small", reads,
                           str(SEQUENCES - LEFT), out], check=True, stdout=subprocess.PIPE,
                          env=setting.environment)
    said = json.loads(done.stdout)
    assert said["sequences"] == SEQUENCES - LEFT
    return out, said["seconds"]


def seconds_to_first_batch(setting: Setting, out: Path) -> float:
    """A resumed run's seconds from the first line of its log to the first batch there."""
    log = setting.scratch / "resume.log"
    log.unlink(missing_ok=True)
    timed(setting, "-v", "-l", log, "predict", setting.scratch / "reads.fa", "-o", out, "--resume",
          *MODELS)
    lines = log.read_text().splitlines()
    first_batch = next(line for line in lines if line.endswith(" first batch"))
    begin, end = (datetime.datetime.fromisoformat(line.split(" ", 1)[0])
                  for line in (lines[0], first_batch))
    return (end - begin).total_seconds()


def long_run(setting: Setting) -> Iterator[figure.Figure]:
    out, seconds = interrupted(setting)
    settings = {"sequences": SEQUENCES, "length": LENGTH,
                "journal_mib": (out / "run.db").stat().st_size / (1 << 20)}
    yield figure.limit(f"journal of {SEQUENCES:,} sequences, of the time in which an H200 computes"
                       " them", "%", [100 * seconds / (SEQUENCES / RATE)], COST_GOAL,
                       {**settings, "seconds": seconds, "sequences_a_second": RATE})
    yield figure.limit(f"resume of {SEQUENCES:,} sequences, until it computes", "s",
                       [seconds_to_first_batch(setting, out)], RESUME_GOAL, settings)
    yield figure.limit(f"export of {SEQUENCES:,} sequences", "s",
                       [timed(setting, "export", out) for _ in range(2)], EXPORT_GOAL, settings)
    yield figure.limit(f"memory of exporting {SEQUENCES:,} sequences", "MiB",
                       [peak_mib(setting, "export", out)], EXPORT_GOAL_MIB, settings)
