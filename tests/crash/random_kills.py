"""Shared by the test of random kills and the soak: a long job, and runs that get killed."""

import os
import random
import signal
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from harness import Ended, Job, SECONDS, random_fasta

LETTERS = 240  # per sequence: four chunks
SAMPLING_SECONDS = 0.2


def lasting_job(folder, workers, least_seconds=1.0):
    """A job that takes at least so long, up to twice that, with any build; and its seconds."""
    job = Job(folder, ["a.fa"], workers=workers, telemetry="full")
    count = 100
    while True:
        (folder / "a.fa").write_text(random_fasta(5, count, LETTERS))
        begin = time.monotonic()
        job.make_reference()
        seconds = time.monotonic() - begin
        if seconds >= least_seconds:
            return job, seconds
        count *= 2


def workers_of(job, process):
    return [pid for pid in job.processes() if pid != process.pid]


def kill(pids):
    """Returns how many processes still existed."""
    struck = 0
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
            struck += 1
        except ProcessLookupError:
            continue
    return struck


def strike(job, process, victim, source):
    """Kills the parent, a worker, or both; returns whether it could."""
    if victim == "parent":
        return kill([process.pid]) == 1
    workers = workers_of(job, process)
    if not workers:
        return False
    worker = source.choice(workers)
    return kill([worker] if victim == "worker" else [worker, process.pid]) > 0


class Struck(NamedTuple):
    ended: Ended
    struck: bool


def last_words(process, seconds, watch):
    """stderr of a process that ends within so many seconds; None if it does not."""
    deadline = time.monotonic() + seconds
    while (rest := deadline - time.monotonic()) > 0:
        try:
            return process.communicate(timeout=min(rest, SAMPLING_SECONDS))[1]
        except subprocess.TimeoutExpired:
            watch(process.pid)
    return None


def processor_time(pid):
    """A process and its clock ticks: few if it hangs, many if it is slow."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return pid, int(fields[11]) + int(fields[12])


def struck_run(job, victim, seconds, source, watch=lambda pid: None):
    """Runs or resumes the job, and kills it at a random time within `seconds`."""
    process = subprocess.Popen(job.command("--resume"), cwd=job.folder, text=True,
                               env=job.environment(preload=False), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    struck = False
    errors = last_words(process, source.uniform(0, seconds), watch)
    if errors is None:
        struck = strike(job, process, victim, source)
        # On a busy machine a run may be several times slower than it was alone.
        errors = last_words(process, SECONDS + 4 * seconds, watch)
    assert errors is not None, \
        f"it hangs, or has left processes: {[processor_time(pid) for pid in job.processes()]}"
    job.wait_for_silence()
    return Struck(Ended(process.returncode, errors, ()), struck)


def seeded(variable="VIRNUCPRO_CRASH_SEED"):
    """A source of random numbers; its seed is printed, and can be set."""
    seed = int(os.environ.get(variable, random.randrange(2**32)))
    print(f"{variable}={seed}")
    return random.Random(seed)
