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
    """Four things that go wrong, each with a shard of its own. `shards(sample)` is their folder."""

    def __init__(self, slurm, shards):
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

    def without_space(self):
        return self.shards("c") / "2-of-3"

    def begin(self):
        """To be called before the jobs are submitted."""
        self._make_small_disk()
        for act in (self._kill, self._requeue, self._hit_the_time_limit, self._free_space):
            thread = threading.Thread(target=self._watch, args=(act,), daemon=True)
            thread.start()
            self.threads.append(thread)

    def end(self):
        """To be called when all jobs have ended. That each thing happened is checked here."""
        for thread in self.threads:
            thread.join(timeout=10)
            assert not thread.is_alive(), "something was never done"
        assert not self.failures, self.failures
        assert 137 in exit_codes(self.killed()), "killed"
        assert 1 in exit_codes(self.without_space()), "the disk was full"
        for shard in (self.killed(), self.requeued(), self.timed_out()):
            assert went_on(shard), f"{shard} began again"
        assert "restarts=1" in self.restarts_of_requeued

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

        def restarts():
            found = re.search(r"Restarts=(\d+)", self.slurm.call("scontrol", "show", "job", job))
            return found and int(found.group(1))
        self.restarts_of_requeued = f"restarts={wait_for('restarted job', restarts, 120)}"

    def _hit_the_time_limit(self):
        # Stopped, it cannot end before. At the limit Slurm sends SIGCONT with SIGTERM.
        process = self._running(self.timed_out())
        os.kill(process, signal.SIGSTOP)
        self.slurm.call("scontrol", "update", f"JobId={slurm_job_of(process)}", "TimeLimit=1")
        wait_for("end at the time limit", lambda: not Path(f"/proc/{process}").exists(), 240)

    def _make_small_disk(self):
        self.full_disk = self.without_space()
        self.full_disk.mkdir(parents=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", self.full_disk], check=True)

    def _free_space(self):
        wait_for("failure of a full disk", lambda: 1 in exit_codes(self.without_space()), 400)
        subprocess.run(["mount", "-o", "remount,size=64m", self.full_disk], check=True)


def attempts_of(shard):
    file = Path(f"{shard}.attempts.tsv")
    return [line.split("\t") for line in file.read_text().splitlines()] if file.exists() else []


def exit_codes(shard):
    return [int(attempt[-1]) for attempt in attempts_of(shard)]


def went_on(shard):
    """Whether the last attempt left out at least the batches that an earlier one had computed."""
    frames = next(shard.glob("*_merged/prediction_results.txt")).read_text().count("\n") - 1
    last = max(shard.glob("telemetry_*.jsonl"))
    computed = sum(json.loads(line)["frames"] for line in last.open())
    return computed <= frames - BATCHES
