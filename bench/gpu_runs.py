"""Whole runs on one GPU by `virnucpro benchmark`, compared with torch and with nvidia-smi."""

import csv
import json
import statistics
import subprocess
import time
from pathlib import Path
from typing import Iterator, List

import figure
import suites
from gpu import BIGGEST, BUDGET, peer
from session import Pass
from setting import Setting

GOALS = {"fp16": (1.10, 97_000), "bf16": (1.07, 99_000)}
SEQUENCES = 19_000  # a run takes over 30 s
TURNS = 2
WATCHED_SEQUENCES = 38_000  # a run takes over 60 s


def arguments(setting: Setting, precision: str) -> List[object]:
    return ["-d", "cuda", "--precision", precision, "--esm-model", setting.weights(BIGGEST),
            "--dnabert-model", setting.weights("dnabert-s"), "-p", "synthetic"]


def against_both(setting: Setting, precision: str) -> Iterator[figure.Figure]:
    """The rate of whole runs, divided by torch's with both models on the same frames."""
    reads = setting.coding_reads(SEQUENCES)
    rates: List[float] = []
    passes: List[Pass] = []
    with peer(setting, "both_models", BIGGEST, setting.weights("dnabert-s"), precision, reads,
              BUDGET) as theirs:
        for _ in range(TURNS):
            suites.run(setting, "throughput", reads, *arguments(setting, precision))
            rates.append(suites.esm_rate(setting))
            passes.append(theirs.run())
            tokens = suites.telemetry(setting)["workload"]["esm_tokens"]
            assert abs(tokens - passes[-1].work) <= 0.001 * tokens, (tokens, passes[-1].work)
    goal, least = GOALS[precision]
    settings = {"precision": precision, "sequences": SEQUENCES, "peer": theirs.settings}
    both = figure.ratio_of_rates(f"predict, {precision}", "ESM-2 tokens/s", rates, "torch",
                                 figure.rates(passes, "wall"), goal, settings)
    yield both
    yield figure.alone(both, least)


# Telemetry compared with nvidia-smi and the wall clock.

STAGES = ("waiting", "esm2", "dnabert_s", "classifier", "to_host")  # of a batch, in order
WARM_BATCHES = 5


def nvidia_smi_rows(device: int, process: subprocess.Popen) -> List[tuple]:
    """(time, utilisation in percent, power in watts), once per second while the process runs."""
    found = []
    while process.poll() is None:
        said = subprocess.run(
            ["nvidia-smi", f"--id={device}", "--query-gpu=utilization.gpu,power.draw",
             "--format=csv,noheader,nounits"], check=True, stdout=subprocess.PIPE).stdout
        found.append((time.time(), *map(float, said.decode().split(","))))
        time.sleep(1)
    return found


def monitor_rows(output: Path) -> List[tuple]:
    """The same values from the program's own log, only while it embeds."""
    with suites.only(output, "logs/gpu_metrics_*.log").open() as lines:
        embedding = [row for row in csv.DictReader(lines)
                     if row["stage"] in ("embedding", "esm2", "dnabert_s")
                     and row["device_id"] != "-1"]
    return [(float(row["timestamp"]),
             float(row["utilization_percent"]), float(row["power_w"])) for row in embedding]


def mean(samples: List[tuple], column: int) -> float:
    return statistics.fmean(row[column] for row in samples)


def batch_lines(output: Path) -> List[dict]:
    lines = suites.only(output, "telemetry_*.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def monitor(setting: Setting) -> Iterator[figure.Figure]:
    """A run of over a minute that nvidia-smi also measures."""
    reads = setting.coding_reads(WATCHED_SEQUENCES)
    with suites.start(setting, "throughput", reads, *arguments(setting, "fp16")) as process:
        theirs = nvidia_smi_rows(0, process)
    ours = monitor_rows(suites.whole_run(setting))
    theirs = [row for row in theirs if ours[0][0] <= row[0] <= ours[-1][0]]
    settings = {"samples": len(ours), "nvidia_smi_samples": len(theirs)}
    busy, power = ((mean(ours, column), mean(theirs, column)) for column in (1, 2))
    yield figure.limit("monitor, utilisation from nvidia-smi's", "points",
                       [abs(busy[0] - busy[1])], 5, {**settings, "ours_and_theirs": busy})
    yield figure.limit("monitor, power from nvidia-smi's", "%",
                       [100 * abs(power[0] / power[1] - 1)], 5, {**settings, "ours_and_theirs": power})
    yield from stage_sums(batch_lines(suites.whole_run(setting))[WARM_BATCHES:])


def stage_sums(batches: List[dict]) -> Iterator[figure.Figure]:
    """The device's times of all batches, compared with the wall clock."""
    wall = batches[-1]["time"] - batches[0]["time"]
    spent = sum(batch[stage] for stage in STAGES for batch in batches[1:])
    yield figure.limit("stages of all batches from the wall clock", "%",
                       [100 * abs(spent / wall - 1)], 2, {"seconds": wall, "stages": spent})


# Two sets, because both together would take more than ten minutes.
PREDICT_SET = [lambda setting: against_both(setting, "fp16")]
PREDICT_BF16_SET = [lambda setting: against_both(setting, "bf16")]

TELEMETRY_SET = [monitor]
