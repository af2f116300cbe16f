"""The peers' side of bench/serve.hpp: one pass for each line that comes in."""

import json
import os
import resource
import sys
import time
from typing import Callable


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def serve(run_pass: Callable[[], int], settings: str) -> None:
    """`run_pass` returns how much work it did; `settings` says how the peer runs."""
    print(json.dumps({"ready": settings}), flush=True)
    for _ in sys.stdin:
        cpu, start = cpu_seconds(), time.perf_counter()
        work = run_pass()
        wall = time.perf_counter() - start
        print(json.dumps({"wall": wall, "cpu": cpu_seconds() - cpu, "work": work}), flush=True)


def timed(run_pass: Callable[[], object], threads: int) -> float:
    """Seconds by the clock that the figures are timed with (figure.clock_for)."""
    clock = cpu_seconds if threads == 1 else time.perf_counter
    start = clock()
    run_pass()
    return clock() - start


def set_threads(threads: int) -> None:
    """Before torch or numpy is imported: their libraries look at these once.

    Debian's torch has OpenMP's threads beside OpenBLAS's. Were OpenMP's to spin for as long as they
    do by default, they would hold the cores that the next product needs: half its rate, or less.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.environ["GOMP_SPINCOUNT"] = "1000"
