#!/usr/bin/python3 -SE
"""Takes the place of predict in a benchmark (run_shim.c): a run of known time, rate and memory.

FAKE_LEVEL is JSON: the figures of a run over 10 sequences, which differ by up to 1 % from run to run.
"""

import json
import os
import re
import sys
from pathlib import Path

USUAL = {"seconds": 100, "esm_tokens_per_second": 8000, "gpu_percent": 95, "gpu_peak_bytes": 4e9,
         "peak_rss_bytes": 2e8, "packing_percent": 96, "journal_seconds": 0}
PYTHON_ITSELF = 8_000_000  # bytes, about


def varied(number: int) -> dict[str, float]:
    """The figures of this benchmark's run of that number."""
    level = {**USUAL, **json.loads(os.environ.get("FAKE_LEVEL", "{}"))}
    factor = 1 + 0.01 * (number % 3 - 1)
    return {name: value * factor for name, value in level.items()}


def telemetry(figures: dict[str, float], sequences: int, journal: bool) -> dict:
    statistic = {"average": figures["gpu_percent"], "samples": 10}
    memory = {"average": figures["gpu_peak_bytes"], "maximum": figures["gpu_peak_bytes"]}
    phases = [{"phase": "start"}, {"phase": "embedding", "utilization_percent": statistic,
                                   "memory_used_bytes": memory}]
    return {"run": {"stem": "x"}, "settings": {"journal": journal},
            "workload": {"sequences": sequences, "sequences_scored": sequences,
                         "one_chunk_sequences": sequences, "chunks_with_frames": sequences,
                         "esm_tokens": 160 * sequences, "batches": 4},
            "throughput": {"esm_tokens_per_second": figures["esm_tokens_per_second"]},
            "packing": {"efficiency": figures["packing_percent"] / 100},
            "devices": [{"id": "cuda:0", "phases": phases}]}


def main() -> None:
    out = Path(sys.argv[sys.argv.index("-o") + 1])
    inputs = [Path(name) for name in sys.argv[2:] if name.endswith(".fa")]
    sequences = sum(path.read_text().count(">") for path in inputs)
    journal = os.environ.get("VIRNUCPRO_DISABLE_CHECKPOINTING") != "1"
    figures = varied(int(re.match(r"\d+", out.name).group()))
    out.mkdir(parents=True)
    kept = bytearray(b"x") * max(0, int(figures["peak_rss_bytes"]) - PYTHON_ITSELF)
    seconds = figures["seconds"] * sequences / 10 + journal * figures["journal_seconds"]
    Path(os.environ["RUN_SHIM_SECONDS"]).write_text(str(seconds))
    (out / "telemetry_1.json").write_text(json.dumps(telemetry(figures, sequences, journal)))
    del kept


main()
