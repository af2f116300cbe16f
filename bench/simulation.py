"""Eight simulated GPUs: whole runs whose workers answer when an H200 would."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence

import figure
from setting import Setting

# ESM-2 tokens per second of a whole `predict` with ESM-2 3B in fp16 on one H200 and 500-base reads:
# each GPU alone in results/nvidia-h200-x4-scaling.json. With 150-base reads it is slightly faster.
RATE = 101_000
LOADING = 2.0  # seconds of a run without computing, from results/nvidia-h200-x2-scaling.json
READS = ((500, 500), (150, 300))  # bases, and the models' chunk size
WORKERS = (1, 8)
SECONDS = 60
FEW = 5_000  # sequences for comparing the tables of one worker and of eight
SHARE = 0.975
SAMPLE = 6_000_000
MANY = 64  # workers of one run, for docs/use/scale.md
MANY_SECONDS = 30
SHARD = "0/4096"
READ_OF_SHARD = 4_000_000  # reads of 150 bases, of which a shard computes some 1,000
MOST_JOURNAL, MOST_TABLES = 60, 300  # bytes a read
READING = 100_000  # sequences a second
MOST_MINUTES = {500: 22, 150: 7}  # for SAMPLE reads of this length


def tokens_of(length: int) -> int:
    """The tokens of a read's only frame, including both ends."""
    return length // 3 + 2


def tables_of(output: Path) -> List[bytes]:
    """The bytes of a run's tables."""
    (merged,) = output.glob("*_merged")
    return [path.read_bytes() for path in (output / "sequences.tsv", *sorted(merged.iterdir()))]


def check_same_tables(outputs: Sequence[Path]) -> None:
    first, *others = map(tables_of, outputs)
    assert all(one == first for one in others), outputs


def a_worker_of(process: subprocess.Popen) -> Optional[int]:
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")  # any may have started it
    found = [int(child) for path in threads for child in path.read_text().split()]
    return found[-1] if found else None


def seconds_with_a_worker_killed(command: Sequence[object], output: Path, after: float,
                                 environment: Dict[str, str]) -> float:
    """A run's seconds if one worker is killed this long after the run's start."""
    begun = time.perf_counter()
    with subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL,
                          env=environment) as process:
        time.sleep(after)
        worker = a_worker_of(process)
        assert worker is not None, "the run has no worker process"
        os.kill(worker, signal.SIGKILL)
    seconds = time.perf_counter() - begun
    assert process.returncode == 0, process.returncode
    log = (output / "logs" / "virnucpro.log").read_text()
    assert "signal 9" in log, log
    return seconds


def command_of(setting: Setting, workers: int, gpu: tuple, chunk: int, reads: Path,
               output: str) -> List[str]:
    arguments = (workers, *gpu, max(setting.threads), chunk, setting.scratch / output, reads)
    return [str(argument) for argument in (setting.bin / "bench_simulated_gpus", *arguments)]


def output_of(workers: int) -> str:
    return f"simulated-{workers}"


def run(setting: Setting, workers: int, gpu: tuple, chunk: int, reads: Path) -> dict:
    """Runs the simulation. `gpu`: a GPU's rate, and the seconds until it is ready."""
    command = command_of(setting, workers, gpu, chunk, reads, output_of(workers))
    begun = time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=setting.environment)
    return {"wall": time.perf_counter() - begun, **json.loads(done.stdout)}


def check_one_and_eight(setting: Setting, length: int, chunk: int) -> None:
    reads = setting.coding_reads(FEW, length)
    for workers in WORKERS:
        run(setting, workers, (0, 0), chunk, reads)
    check_same_tables([setting.scratch / output_of(workers) for workers in WORKERS])


def simulation(setting: Setting) -> Iterator[figure.Figure]:
    for length, chunk in READS:
        check_one_and_eight(setting, length, chunk)
        results = []
        for workers in WORKERS:
            reads = setting.coding_reads(workers * SECONDS * RATE // tokens_of(length), length)
            results.append(run(setting, workers, (RATE, LOADING), chunk, reads))
            yield from shares(workers, length, results[-1])
        yield from whole_runs(length, *results)
        yield killed_worker(setting, length, chunk, reads, results[-1])
        yield at_once(setting, length, chunk, reads)


def name_of(workers: int, length: int) -> str:
    return f"simulated, {figure.counted(workers, 'GPU')} of {RATE:,} tokens/s, {length}-base reads"


def shares(workers: int, length: int, results: dict) -> Iterator[figure.Figure]:
    name = name_of(workers, length)
    yield figure.at_least(f"{name}: rate while computing, over the sum of theirs", "x",
                          [results["esm_tokens"] / results["computing"] / (workers * RATE)], SHARE, results)
    cores = (results["host_cpu"] + results["workers_cpu"]) / results["wall"]
    yield figure.limit(f"{name}: host processors a GPU", "cores", [cores / workers], 1, results)


def whole_runs(length: int, one: dict, eight: dict) -> Iterator[figure.Figure]:
    """Rates of whole runs, including LOADING seconds and the writing of tables."""
    alone, together = (results["esm_tokens"] / results["wall"] for results in (one, eight))
    name = name_of(WORKERS[-1], length)
    yield figure.at_least(f"{name}: whole runs, over the sum of eight of one", "x",
                          [together / (WORKERS[-1] * alone)], SHARE, eight)
    yield figure.limit(f"{name}: {SAMPLE:,} reads of one frame each", "min",
                       [SAMPLE * tokens_of(length) / together / 60], MOST_MINUTES[length], eight)


def killed_worker(setting: Setting, length: int, chunk: int, reads: Path,
                  whole: dict) -> figure.Figure:
    """One of eight workers is killed while it computes: the tables are the same, only later."""
    command = command_of(setting, WORKERS[-1], (RATE, LOADING), chunk, reads, "killed")
    seconds = seconds_with_a_worker_killed(command, setting.scratch / "killed", whole["wall"] / 2,
                                           setting.environment)
    check_same_tables([setting.scratch / output_of(WORKERS[-1]), setting.scratch / "killed"])
    return figure.limit(f"{name_of(WORKERS[-1], length)}: a worker killed half-way, later by", "s",
                        [seconds - whole["wall"]], 2 * LOADING,
                        {"seconds": seconds, "whole": whole})


def at_once(setting: Setting, length: int, chunk: int, reads: Path) -> figure.Figure:
    """The host's token rate with eight workers that need no time."""
    results = run(setting, WORKERS[-1], (0, 0), chunk, reads)
    name = f"simulated, {WORKERS[-1]} workers that answer at once, {length}-base reads: tokens of"
    return figure.at_least(name, "H200", [results["esm_tokens"] / results["wall"] / RATE], WORKERS[-1],
                           results)


def scale(setting: Setting) -> Iterator[figure.Figure]:
    """One run with more GPUs than a host has: whether it keeps them busy, and its files' sizes."""
    for length, chunk in READS:
        reads = setting.coding_reads(MANY * MANY_SECONDS * RATE // tokens_of(length), length)
        results = run(setting, MANY, (RATE, LOADING), chunk, reads)
        yield from shares(MANY, length, results)
        yield from sizes(setting.scratch / output_of(MANY), length, results)
    yield reading_of_a_shard(setting)


def sizes(output: Path, length: int, results: dict) -> Iterator[figure.Figure]:
    tables = sum(map(len, tables_of(output)))
    frames = f"{results['frames'] / results['sequences']:.2f} frames a read"
    for what, size, most in (("journal", (output / "run.db").stat().st_size, MOST_JOURNAL),
                             ("tables", tables, MOST_TABLES)):
        yield figure.limit(f"{what} of {length}-base reads, {frames}", "bytes a read",
                           [size / results["sequences"]], most, results)


def reading_of_a_shard(setting: Setting) -> figure.Figure:
    """The rate at which a shard reads the whole input; it computes almost nothing here."""
    length, chunk = READS[1]
    reads = setting.coding_reads(READ_OF_SHARD, length)
    subprocess.run(["gzip", "-1", "-k", "-f", reads], check=True)
    command = [setting.program, "-q", "predict", f"{reads}.gz", "--shard", SHARD, "-e", chunk, "-p", "synthetic",
               "--esm-model", "synthetic:esm2_tiny", "--dnabert-model", "synthetic:dnabert-s-tiny", "-d", "cpu",
               "-t", max(setting.threads), "--no-progress", "--no-report", "-o", setting.scratch / "shard"]
    begun = time.perf_counter()
    subprocess.run([*map(str, command)], check=True, env=setting.environment)
    seconds = time.perf_counter() - begun
    return figure.at_least(f"a shard of 4,096 reads all of the input, {length}-base FASTA.gz", "sequences/s",
                           [READ_OF_SHARD / seconds], READING, {"seconds": seconds, "reads": READ_OF_SHARD})
