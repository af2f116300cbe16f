"""What happens to jobs on a cluster, done to chosen shards while they compute."""

import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

from slurm import processes_at, slurm_job_of, wait_for

BATCHES = 4  # so many are computed before a shard is disturbed: its journal then has scores


class Trouble:
    """Things that go wrong, each with a shard of its own. `shards(sample)` is their folder. `warns`: whether Slurm
    sends SIGTERM before a time limit to jobs of sample c; never to those of b."""

    def __init__(self, slurm, shards, warns):
        self.warns = warns
        self.slurm = slurm
        self.shards = shards
        self.failures = []
        self.threads = []
        self.full_disk = None

    def killed(self):
        return self.shards("a") / "0-of-3"

    def requeued(self):
        return self.shards("a") / "1-of-3"

    def timed_out(self):
        return self.shards("b") / "0-of-3"

    def warned(self):
        return self.shards("c") / "0-of-3"

    def without_space(self):
        return self.shards("c") / "2-of-3"

    def begin(self):
        """To be called before the jobs are submitted."""
        self._make_small_disk()
        acts = [self._kill, self._requeue, self._hit_the_time_limit, self._free_space]
        for act in acts + [self._warn] * self.warns:
            thread = threading.Thread(target=self._watch, args=(act,), daemon=True)
            thread.start()
            self.threads.append(thread)

    def end(self):
        """To be called when all jobs have ended. That each thing happened is checked here."""
        for thread in self.threads:
            thread.join()
        assert not self.failures, self.failures
        assert 137 in exit_codes(self.killed()), "killed"
        assert 1 in exit_codes(self.without_space()), "the disk was full"
        for shard in [self.killed(), self.requeued(), self.timed_out()] + [self.warned()] * self.warns:
            assert went_on(shard), f"{shard} began again: {frames_of(shard)}, {exit_codes(shard)}"

    def tidy(self):
        if self.full_disk:
            subprocess.run(["umount", self.full_disk], check=False)

    def _watch(self, act):
        try:
            act()
        except BaseException as failure:  # noqa: the main thread reports it
            self.failures.append(f"{act.__name__}: {failure!r}")

    def _running(self, shard):
        """The program's process for a shard, when it has computed some batches."""
        def process():
            lines = [line for file in shard.glob("telemetry_*.jsonl") for line in file.open()]
            return len(lines) >= BATCHES and processes_at(shard)
        return wait_for(f"process that computes {shard}", process, 400)[0]

    def _kill(self):
        os.kill(self._running(self.killed()), signal.SIGKILL)

    def _requeue(self):
        process = self._running(self.requeued())
        job = slurm_job_of(process)
        os.kill(process, signal.SIGSTOP)  # it must not end before Slurm has heard
        self.slurm.call("scontrol", "requeue", job)

        wait_for("restarted job", lambda: self._show(job, "Restarts") == "1", 120)

    def _show(self, job, what):
        """What Slurm says of a job."""
        said = self.slurm.call("scontrol", "show", "job", job)
        return re.search(rf"\b{what}=(\S+)", said).group(1)

    def _shorten(self, process):
        """Gives the job of a process a limit of a minute, and stops the process, so that it does not end before.
        Returns the job."""
        os.kill(process, signal.SIGSTOP)
        job = slurm_job_of(process)
        self.slurm.call("scontrol", "update", f"JobId={job}", "TimeLimit=1")
        return job

    def _lengthen(self, job):
        """A job that was put back has the limit that it had."""
        wait_for("end of the attempt", lambda: self._show(job, "JobState") != "COMPLETING", 120)
        self.slurm.call("scontrol", "update", f"JobId={job}", "TimeLimit=60", check=False)

    def _hit_the_time_limit(self):
        job = self._shorten(self._running(self.timed_out()))

        def processes():
            return [one for one in processes_at(self.timed_out()) if slurm_job_of(one) == job]

        def ended():
            if self.slurm.has_timed_out(job):
                return True
            for process in processes():
                signal_if_there(process, signal.SIGSTOP)
            return False
        wait_for("end at the time limit", ended, 600)
        for process in processes():  # one that was stopped again just now must end, too
            signal_if_there(process, signal.SIGCONT)
        self._lengthen(job)

    def _warn(self):
        """Slurm's signal before the time limit."""
        process = self._running(self.warned())
        job = self._shorten(process)
        wait_for("SIGTERM before the time limit", lambda: is_told_to_end(process), 600)
        signal_if_there(process, signal.SIGCONT)
        wait_for("end of the process", lambda: not is_running(process), 600)
        self._lengthen(job)

    def _make_small_disk(self):
        self.full_disk = self.without_space()
        self.full_disk.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", self.full_disk], check=True)

    def _free_space(self):
        wait_for("failure of a full disk", lambda: 1 in exit_codes(self.without_space()), 400)
        subprocess.run(["mount", "-o", "remount,size=64m", self.full_disk], check=True)


def signal_if_there(process, number):
    try:
        os.kill(process, number)
    except ProcessLookupError:
        pass  # it ended meanwhile


def status_of(process):
    """The lines of a process's status by name; none if it is gone."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return {}
    return dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)


def is_running(process):
    return not status_of(process).get("State", "Z").startswith("Z")


def is_told_to_end(process):
    """Whether SIGTERM waits at a stopped process, or it has ended."""
    if not is_running(process):
        return True
    waiting = int(status_of(process).get("ShdPnd", "0"), 16)
    return bool(waiting >> (signal.SIGTERM - 1) & 1)


def attempts_of(shard):
    file = Path(f"{shard}.attempts.tsv")
    return [line.split("\t") for line in file.read_text().splitlines()] if file.exists() else []


def exit_codes(shard):
    return [int(attempt[-1]) for attempt in attempts_of(shard)]


def frames_of(shard):
    """The frames that each session of the program computed, without sessions that computed none."""
    return [sum(json.loads(line)["frames"] for line in file.open())
            for file in sorted(shard.glob("telemetry_*.jsonl"))]


def went_on(shard):
    """Whether no session began again: all frames would have been computed, and those of the first session."""
    frames = next(shard.glob("*_merged/prediction_results.txt")).read_text().count("\n") - 1
    return sum(frames_of(shard)) <= frames_of(shard)[0] + frames - BATCHES
