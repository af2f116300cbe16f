"""Runs the whole program: `virnucpro benchmark` with one repeat of some suites."""

import contextlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Iterator

from setting import Setting


def output(setting: Setting) -> Path:
    return setting.scratch / "benchmark"


@contextlib.contextmanager
def start(setting: Setting, names: str, reads: Path,
          *arguments: object) -> Iterator[subprocess.Popen]:
    """Runs suites over the reads, which have their own folder; waits for the end at exit."""
    shutil.rmtree(output(setting), ignore_errors=True)
    command = [setting.program, "benchmark", "--suite", names, "--quick", "--data", reads.parent,
               "-o", output(setting), "-q", *arguments]
    with subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL,
                          env=setting.environment) as process:
        yield process
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, process.args)


def run(setting: Setting, names: str, reads: Path, *arguments: object) -> None:
    with start(setting, names, reads, *arguments):
        pass


def only(folder: Path, pattern: str) -> Path:
    (path,) = folder.glob(pattern)
    return path


def metric(setting: Setting, key: str) -> float:
    """The median of a figure, from the suites' JSON."""
    report = json.loads(only(output(setting), "benchmark_*.json").read_text())
    return next(one["median"] for one in report["metrics"] if one["key"] == key)


def whole_run(setting: Setting) -> Path:
    """The output directory of the run that the suites share."""
    return only(output(setting), "runs/*_whole")


def telemetry(setting: Setting) -> dict:
    """The telemetry of whole_run()."""
    return json.loads(only(whole_run(setting), "telemetry_*.json").read_text())


def esm_rate(setting: Setting) -> float:
    """ESM-2 tokens per second of whole_run() while it computed. Close calls count once."""
    recorded = telemetry(setting)
    again = recorded["close_calls"]["esm_tokens"] or 0
    return (recorded["throughput"]["esm_tokens_per_second"]
            * (1 - again / recorded["workload"]["esm_tokens"]))
