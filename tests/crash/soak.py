#!/usr/bin/env python3
"""Random kills and resumptions for minutes on end: soak.py [MINUTES]; `make soak` runs it for 30.

Each run that comes through must have written the right tables and left neither file nor process;
within every run the parent's resident memory and descriptors must not grow. The last line sums it
up; the seed is printed, and taken from VIRNUCPRO_CRASH_SEED.
"""

import argparse
import itertools
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # the errors, which pytest finds by itself
from harness import KILLED  # pylint: disable=wrong-import-position
from random_kills import lasting_job, seeded, struck_run  # pylint: disable=wrong-import-position

WORKERS = 3
VICTIMS = ("parent", "worker", "both", "nobody")
RUN_SECONDS = 15.0
# After the first batch, until the queues were full once.
WARM_UP_SECONDS = 3.0
# Allocators keep memory that threads free; a leak of a few bytes per sequence would be far larger.
MOST_GROWTH_KIB = 16 << 10
# At its end a run opens the tables and files for sorting; a leak would be one per unit.
MOST_MORE_DESCRIPTORS = 8


class Watch:
    """Watches the parent of one run, once it computes: on a busy machine it may load for long."""

    def __init__(self, job):
        self.job = job
        self.before = self.batch_lines()
        self.begin = None
        self.kib = []
        self.descriptors = []

    def batch_lines(self):
        return set(self.job.output.glob("telemetry_*.jsonl"))

    def __call__(self, pid):
        if self.begin is None and self.batch_lines() - self.before:
            self.begin = time.monotonic()
        if self.begin is None or time.monotonic() - self.begin < WARM_UP_SECONDS:
            return
        try:
            status = Path(f"/proc/{pid}/status").read_text()
            self.descriptors.append(len(os.listdir(f"/proc/{pid}/fd")))
            self.kib.append(int(status.split("VmRSS:")[1].split()[0]))
        except (FileNotFoundError, ProcessLookupError, IndexError):
            return  # it has just ended

    def growth(self):
        """The growth of memory and descriptors, from the first sample to the largest."""
        return [max(values, default=0) - (values[0] if values else 0)
                for values in (self.kib, self.descriptors)]


def soak(job, seconds, minutes, source):
    end = time.monotonic() + 60 * minutes
    kills, finished, most_kib, growths = Counter(), 0, 0, [[0, 0]]
    for victim in itertools.cycle(VICTIMS):
        watch = Watch(job)
        ended, struck = struck_run(job, victim, seconds, source, watch)
        kills[victim] += struck
        if ended.status == KILLED:
            job.check_none_half_written()
        else:
            job.check_complete(ended)
            job.clear()
            finished += 1
        most_kib = max([most_kib, *watch.kib])
        growths.append(watch.growth())
        assert growths[-1][0] <= MOST_GROWTH_KIB, f"memory grew: {watch.kib} KiB"
        assert growths[-1][1] <= MOST_MORE_DESCRIPTORS, f"descriptors: {watch.descriptors}"
        if time.monotonic() >= end:
            break
    job.finish()
    return kills, finished + 1, most_kib, [max(values) for values in zip(*growths)]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("minutes", type=float, nargs="?", default=30.0)
    minutes = parser.parse_args(arguments).minutes
    source = seeded()
    with tempfile.TemporaryDirectory(prefix="virnucpro-soak-") as folder:
        scratch = Path(folder) / "tmp"
        scratch.mkdir()
        os.environ["TMPDIR"] = str(scratch)
        job, seconds = lasting_job(Path(folder), WORKERS, RUN_SECONDS)
        kills, finished, kib, (more_kib, more_descriptors) = soak(job, seconds, minutes, source)
        assert not list(scratch.iterdir()), "temporary files were left"
    print(f"soak: {minutes:g} minutes, {WORKERS} workers: {finished} runs came through "
          f"{sum(kills.values())} kills ({', '.join(f'{n} {who}' for who, n in kills.items())}); "
          f"at most {kib >> 10} MiB, growing by {more_kib} KiB and {more_descriptors} descriptors "
          f"within a run; nothing was left over")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
