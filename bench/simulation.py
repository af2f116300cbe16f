"""Eight GPUs that are not there: whole runs whose workers answer when an H200 would."""

import json
import subprocess
from pathlib import Path
from typing import Iterator

import figure
from session import seconds_with_a_worker_killed
from setting import Setting

# ESM-2 tokens a second of a whole `predict` with ESM-2 3B in fp16 on one H200, 500-base reads: each GPU
# alone in results/nvidia-h200-x4-scaling.json. With 150-base reads it computes slightly more.
RATE = 101_000
READS = ((500, 500), (150, 300))  # bases, and the chunk size of the models for them
WORKERS = (1, 8)
SECONDS = 60
FEW = 5_000  # sequences, of which the tables are compared
SAMPLE = 6_000_000
MOST_MINUTES = {500: 22, 150: 7}


def tokens_of(length: int) -> int:
    """Of a read's one frame, its ends among them."""
    return length // 3 + 2


def reads_of(setting: Setting, count: int, length: int) -> Path:
    path = setting.scratch / f"reads-{length}-{count}.fa"
    if not path.exists():
        setting.virnucpro("generate", "-n", count, "--length", length, "--coding", 1, "-o", path)
    return path


def command_of(setting: Setting, workers: int, rate: int, chunk: int, reads: Path,
               output: str) -> list:
    return [str(word) for word in (setting.bin / "bench_simulated_gpus", workers, rate,
                                   max(setting.threads), chunk, setting.scratch / output, reads)]


def run(setting: Setting, workers: int, rate: int, chunk: int, reads: Path) -> dict:
    command = command_of(setting, workers, rate, chunk, reads, f"simulated-{workers}")
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=setting.environment)
    return json.loads(done.stdout)


def tables(setting: Setting, name: str) -> list:
    output = setting.scratch / name
    found = [output / "sequences.tsv", *sorted((output / "simulated_merged").iterdir())]
    return [path.read_bytes() for path in found]


def check_same_tables(setting: Setting, length: int, chunk: int) -> None:
    reads = reads_of(setting, FEW, length)
    for workers in WORKERS:
        run(setting, workers, 0, chunk, reads)
    assert len({tuple(tables(setting, f"simulated-{workers}")) for workers in WORKERS}) == 1


def killed_worker(setting: Setting, length: int, chunk: int) -> figure.Figure:
    """One of eight is killed while it computes: the same tables, somewhat later."""
    workers = WORKERS[-1]
    reads = reads_of(setting, workers * FEW, length)
    whole = run(setting, workers, RATE, chunk, reads)
    command = command_of(setting, workers, RATE, chunk, reads, "killed")
    seconds = seconds_with_a_worker_killed(command, setting.scratch / "killed", whole["wall"] / 2,
                                           setting.environment)
    assert tables(setting, "killed") == tables(setting, f"simulated-{workers}")
    return figure.limit(f"simulated, {workers} GPUs, {length}-base reads, a worker killed half-way:"
                        " time over that of a whole run", "x", [seconds / whole["wall"]], 1.5,
                        {"seconds": seconds, "whole": whole})


def simulation(setting: Setting) -> Iterator[figure.Figure]:
    for length, chunk in READS:
        check_same_tables(setting, length, chunk)
        for workers in WORKERS:
            reads = reads_of(setting, workers * SECONDS * RATE // tokens_of(length), length)
            told = run(setting, workers, RATE, chunk, reads)
            name = f"simulated, {workers} GPUs of {RATE:,} tokens/s, {length}-base reads"
            share = told["esm_tokens"] / told["wall"] / (workers * RATE)
            yield figure.at_least(f"{name}: whole run over the sum of their rates", "x", [share],
                                  0.975, told)
            cores = (told["host_cpu"] + told["workers_cpu"]) / told["wall"]
            yield figure.limit(f"{name}: host processors a GPU", "cores", [cores / workers], 1, told)
        minutes = SAMPLE * tokens_of(length) / (told["esm_tokens"] / told["wall"]) / 60
        yield figure.limit(f"{name}: {SAMPLE:,} reads of one frame each", "min", [minutes],
                           MOST_MINUTES[length], told)
        yield at_once(setting, length, chunk, reads)
        yield killed_worker(setting, length, chunk)


def at_once(setting: Setting, length: int, chunk: int, reads: Path) -> figure.Figure:
    """What the host could feed: workers that answer at once."""
    told = run(setting, WORKERS[-1], 0, chunk, reads)
    gpus = told["esm_tokens"] / told["wall"] / RATE
    return figure.at_least(f"simulated, {WORKERS[-1]} workers that answer at once, {length}-base reads",
                           "GPUs' rates", [gpus], WORKERS[-1], told)
