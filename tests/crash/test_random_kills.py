"""Killed at random times and resumed, again and again: the bytes stay the same.

A failure shows the seed; VIRNUCPRO_CRASH_SEED sets it.
"""

import itertools
from collections import Counter

import pytest
from harness import KILLED, WORKERS
from lengths import by_length
from random_kills import lasting_job, seeded, struck_run

KILLS = by_length(4, 10, long=200)


@pytest.mark.parametrize("workers", WORKERS)
def test_killed_at_random_times(tmp_path, workers):
    victims = ("parent", "worker", "both") if workers > 1 else ("parent",)
    source = seeded()
    job, seconds = lasting_job(tmp_path, workers)
    kills = Counter()
    for victim in itertools.cycle(victims):
        ended, struck = struck_run(job, victim, seconds, source)
        kills[victim] += struck
        if ended.status == KILLED:
            job.check_none_half_written()
        else:  # it succeeded, perhaps after losing a worker
            job.check_complete(ended)
            job.clear()
        if kills.total() >= KILLS:
            break
    job.finish()
    assert set(kills) == set(victims)
