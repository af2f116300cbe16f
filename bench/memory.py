"""Figure e: peak memory (ru_maxrss). For `predict`, the benchmark's suite memory measures it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import figure
import suites
from engine import ESM2
from setting import BENCH, Setting

MIB = 1 << 20
READS = (100_000, 1_000_000)
READ_LENGTH = 300
READS_GOAL_MIB = 300
GROWTH_GOAL_PERCENT = 10
LOADING_MODELS = ("8M", "150M", "650M")
COMPUTE_BYTES = {"fp32": 4, "bf16": 2}
LOADING_SHARE, LOADING_EXTRA_MIB = 1.1, 256


def peak_mib(setting: Setting, *arguments: object) -> float:
    """The program's peak memory with these arguments."""
    command = [sys.executable, BENCH / "peak.py", setting.program, *arguments]
    done = subprocess.run([*map(str, command)], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=setting.environment)
    if done.returncode != 0:
        sys.exit(done.stderr.decode())
    return int(done.stdout) / MIB


def smallest_weights(setting: Setting) -> Path:
    """Both models with one layer of width 8: nearly all memory is then the program's own."""
    directory = setting.scratch / "smallest"
    subprocess.run([setting.python, setting.peers / "smallest_weights.py", directory,
                    setting.tokenizer], check=True)
    return directory


def predict(setting: Setting) -> Iterator[figure.Figure]:
    models = smallest_weights(setting)
    peaks = []
    for count in READS:
        suites.run(setting, "memory", setting.coding_reads(count, READ_LENGTH), "-d", "cpu", "-m",
                   READ_LENGTH, "--esm-model", models / "esm2", "--dnabert-model",
                   models / "dnabert-s", "-p", "synthetic")
        peaks.append(suites.metric(setting, "memory.peak_rss_bytes") / MIB)
        yield figure.limit(f"memory of predict, {count:,} reads", "MiB", [peaks[-1]],
                           READS_GOAL_MIB, {"reads": count, "read_length": READ_LENGTH})
    growth = abs(peaks[1] / peaks[0] - 1) * 100
    yield figure.limit("memory of predict, ten times the reads", "% more", [growth],
                       GROWTH_GOAL_PERCENT, {"reads": list(READS), "mib": peaks})


def parameters(directory: Path) -> int:
    """How many numbers a model.safetensors contains."""
    with open(directory / "model.safetensors", "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    header.pop("__metadata__", None)
    return sum((entry["data_offsets"][1] - entry["data_offsets"][0]) // 4
               for entry in header.values())


def loading(setting: Setting) -> Iterator[figure.Figure]:
    protein = setting.scratch / "protein.fa"
    protein.write_text(">one\nMKV\n")
    has_bf16 = "avx512_bf16" in Path("/proc/cpuinfo").read_text().split()
    for size in LOADING_MODELS:
        model = setting.weights(ESM2[size])
        for precision in ["fp32", "bf16"] if has_bf16 else ["fp32"]:
            peak = peak_mib(setting, "embed", protein, "--proteins", "--esm-model", model,
                            "--precision", precision, "--force", "-o",
                            setting.scratch / "embeddings.h5")
            own = parameters(model) * COMPUTE_BYTES[precision] / MIB
            settings = {"parameters": parameters(model), "precision": precision,
                        "parameters_mib": own}
            yield figure.limit(f"memory of loading ESM-2 {size}, {precision}", "MiB", [peak],
                               own * LOADING_SHARE + LOADING_EXTRA_MIB, settings)


def memory(setting: Setting) -> Iterator[figure.Figure]:
    yield from predict(setting)
    yield from loading(setting)
