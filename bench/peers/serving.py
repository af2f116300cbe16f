"""The peers' side of measure/bench/serve.hpp: one pass for each line read."""

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
    """`run_pass` returns its amount of work; `settings` describes how the peer runs."""
    print(json.dumps({"ready": settings}), flush=True)
    for _ in sys.stdin:
        cpu, start = cpu_seconds(), time.perf_counter()
        work = run_pass()
        wall = time.perf_counter() - start
        print(json.dumps({"wall": wall, "cpu": cpu_seconds() - cpu, "work": work}), flush=True)


def timed(run_pass: Callable[[], object], threads: int) -> float:
    """Seconds by the clock that figures use (figure.clock_for)."""
    clock = cpu_seconds if threads == 1 else time.perf_counter
    start = clock()
    run_pass()
    return clock() - start


def set_threads(threads: int) -> None:
    """Call it before importing torch or numpy: their libraries read these variables only once.

    Debian's torch has OpenMP's threads as well as OpenBLAS's. By default OpenMP's threads spin so
    long that they occupy the cores for the next product, which then runs at half speed or less.
    """
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)
    os.environ["GOMP_SPINCOUNT"] = "1000"
