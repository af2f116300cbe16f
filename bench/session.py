"""Programs that stay loaded and take turns, so that both sides see the same minutes of a machine; and
runs that lose a worker."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence


class Pass(NamedTuple):
    wall: float
    cpu: float
    work: int


class Side:
    """One program that speaks bench/serve.hpp's lines."""

    def __init__(self, command: Sequence[object], environment: Optional[Dict[str, str]] = None):
        self._process = subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True, env=environment)
        ready = self._answer()
        self.settings = ready["ready"]
        self.seconds = ready.get("seconds")  # until it was loaded

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def run(self) -> Pass:
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return Pass(**self._answer())

    def _answer(self) -> dict:
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args} ended with {self._process.wait()}")
        return json.loads(line)


def alternate(sides: Sequence[Side], repeats: int) -> List[List[Pass]]:
    """The passes of each side, taken in turns; each side warmed itself before."""
    passes: List[List[Pass]] = [[] for _ in sides]
    for _ in range(repeats):
        for side, its in zip(sides, passes):
            its.append(side.run())
    return passes


def tables_of(output: Path) -> List[bytes]:
    """The bytes of a run's tables."""
    (merged,) = output.glob("*_merged")
    return [path.read_bytes() for path in (output / "sequences.tsv", *sorted(merged.iterdir()))]


def check_same_tables(outputs: Sequence[Path]) -> None:
    first, *others = map(tables_of, outputs)
    assert all(one == first for one in others), outputs


def a_worker_of(process: subprocess.Popen) -> Optional[int]:
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")  # which of them started it
    found = [int(child) for path in threads for child in path.read_text().split()]
    return found[-1] if found else None


def seconds_with_a_worker_killed(command: Sequence[object], output: Path, after: float,
                                 environment: Dict[str, str]) -> float:
    """What a run takes one of whose workers is killed so many seconds after its start."""
    begun = time.perf_counter()
    with subprocess.Popen([*map(str, command)], stdout=subprocess.DEVNULL,
                          env=environment) as process:
        time.sleep(after)
        worker = a_worker_of(process)
        assert worker is not None, "the run has no worker process"
        os.kill(worker, signal.SIGKILL)
    seconds = time.perf_counter() - begun
    assert process.returncode == 0, process.returncode
    told = (output / "logs" / "virnucpro.log").read_text()
    assert "signal 9" in told, told
    return seconds
