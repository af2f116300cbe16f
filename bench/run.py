#!/usr/bin/env python3
"""Runs the benchmarks, prints each figure beside its goal, writes them as JSON. See README.md."""

import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import engine
import gpu
import gpu_int8
import gpu_runs
import host_path
import journal
import memory
import simulation
from setting import BENCH, Setting

SETS = {"host": [host_path.host_path], "tokenizer": [host_path.tokenizer], "engine": [engine.esm2],
        "dnabert": [engine.dnabert], "memory": [memory.memory],
        "journal": [journal.long_run], "simulation": [simulation.simulation], "scale": [simulation.scale],
        "gpu-esm2": gpu.ESM2_SET, "gpu-predict": gpu_runs.PREDICT_SET,
        "gpu-predict-bf16": gpu_runs.PREDICT_BF16_SET,
        "gpu-others": gpu.OTHERS_SET, "gpu-generic": gpu.GENERIC_SET,
        "gpu-telemetry": gpu_runs.TELEMETRY_SET,
        "gpu-int8": gpu_int8.INT8_SET, "gpu-int8-predict": gpu_int8.INT8_PREDICT_SET}
USUAL = [name for name in SETS if name not in ("journal", "simulation", "scale") and not name.startswith("gpu-")]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, default=BENCH.parent / "build" / "cpu" / "bin",
                        help="the folder with virnucpro and bench_*, beside share/")
    parser.add_argument("--python", default=str(BENCH.parent / ".venv-oracle" / "bin" / "python"),
                        help="the python that has the peers")
    parser.add_argument("--library-path", default="",
                        help="LD_LIBRARY_PATH of the programs in --bin")
    parser.add_argument("--only", default=",".join(USUAL),
                        help=f"the sets to run: some of {','.join(SETS)}")
    parser.add_argument("--threads", default="1,2",
                        help="numbers of threads to measure (default 1,2)")
    parser.add_argument("--models", default="",
                        help=f"sizes of ESM-2: some of {','.join(engine.ESM2)} (default"
                             f" {','.join(engine.DEFAULT_MODELS)})")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each side (default 3)")
    parser.add_argument("--name", default="", help="added to the default name of the JSON file")
    parser.add_argument("--commit", default="", help="the commit, if git cannot find it")
    parser.add_argument("--out", type=Path, help="the JSON file (default: results/CPU.json)")
    return parser.parse_args()


def cpu_model() -> str:
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1) if found else "unknown"


def machine(setting: Setting) -> dict:
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    listed = setting.virnucpro("utils", "list-devices")
    paths = re.search(r"cpu-[^\s,]+(?:, bf16: \S+)?", listed)
    gpu_name = re.search(r"^cuda:0 +([^,]+)", listed, re.MULTILINE)
    return {"gpu": gpu_name.group(1) if gpu_name else None, "cpu": cpu_model(), "cores": len(os.sched_getaffinity(0)),
            "memory_gib": round(memory_bytes / (1 << 30), 1),
            "kernel_path": paths.group(0) if paths else "unknown"}


def commit() -> str:
    """The commit; with a + if files differ from it."""
    said = subprocess.run(["git", "-C", BENCH, "describe", "--always", "--exclude=*",
                           "--dirty=+", "--abbrev=10"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    return said.decode().strip() or "unknown"


def default_output(about: dict, name: str) -> Path:
    words = re.sub(r"[^a-z0-9]+", "-", about["cpu"].lower()).strip("-")
    return BENCH / "results" / f"{words}-{about['cores']}-cores{'-' + name if name else ''}.json"


def write(path: Path, report: dict) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=2) + "\n")


def main() -> int:
    arguments = parse_arguments()
    chosen = arguments.only.split(",")
    unknown = [name for name in chosen if name not in SETS]
    if unknown:
        sys.exit(f"run.py: there is no set {unknown[0]}; there are {', '.join(SETS)}")
    if not (arguments.bin / "virnucpro").is_file():
        sys.exit(f"run.py: --bin {arguments.bin}: there is no virnucpro in it; build it first")
    with tempfile.TemporaryDirectory(prefix="virnucpro-bench-") as scratch:
        setting = Setting(bin=arguments.bin.resolve(), library_path=arguments.library_path,
                          python=arguments.python,
                          threads=[int(count) for count in arguments.threads.split(",")],
                          models=[size for size in arguments.models.split(",") if size],
                          repeats=arguments.repeats, scratch=Path(scratch))
        return measure(setting, chosen, arguments)


def measure(setting: Setting, chosen: list, arguments: argparse.Namespace) -> int:
    """Measures all sets, even if one fails. Returns 1 if any failed, else 0."""
    about = machine(setting)
    report = {"machine": about, "commit": arguments.commit or commit(),
              "date": datetime.date.today().isoformat(), "figures": []}
    out = arguments.out or default_output(about, arguments.name)
    print(f"{about['cpu']}, {about['cores']} cores, {about['memory_gib']} GiB,"
          f" {about['kernel_path']}; commit {report['commit']}", flush=True)
    failed = 0
    for part in (part for name in chosen for part in SETS[name]):
        try:
            for figure in part(setting):
                print(figure, flush=True)
                report["figures"].append(figure.as_json())
                write(out, report)
        except (Exception, SystemExit):
            traceback.print_exc()
            failed = 1
    print(f"written to {out}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
