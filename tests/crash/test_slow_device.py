"""A device so slow that a unit of the journal takes longer than the run lives.

A killed run must lose seconds, not its unit: scores are written early, and a resumed run computes
only what is missing.
"""

import json
import shutil
import sqlite3
import subprocess
import time

from harness import BIN, KILLED, SECONDS, Job
from lengths import by_length

KILLS = by_length(1, 3)
# A batch of one frame takes a few hundredths of a second, a unit of 256 frames many seconds: more
# than pass until each kill, two seconds or so.
ESM2 = by_length("synthetic:esm2_t6_8M", "synthetic:esm2_t12_35M")
MODELS = ["--dnabert-model", "synthetic:dnabert-s-tiny", "--esm-model", ESM2,
          "-p", "synthetic", "-e", "500", "--no-progress", "--token-budget", "192"]
SCORE_BYTES = 24  # of an early score; a row ends with a checksum of 4


class SlowJob(Job):
    def saved(self):
        """How many early scores and units the journal holds; read from a copy."""
        copy = self.folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        for name in ("run.db", "run.db-wal"):
            if (self.output / name).exists():
                shutil.copy(self.output / name, copy)
        if not (copy / "run.db").exists():
            return 0, 0
        with sqlite3.connect(copy / "run.db") as database:
            rows = database.execute("SELECT length(scores) FROM early_scores").fetchall()
            units, = database.execute("SELECT count(*) FROM units").fetchone()
        return sum((size - 4) // SCORE_BYTES for size, in rows), units

    def kill_when_more_is_saved(self):
        """Kills a run once the journal has more than before; returns what it has."""
        before = self.saved()
        deadline = time.monotonic() + SECONDS
        with subprocess.Popen(self.command("--resume"), cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=self.environment(preload=False)) as process:
            while sum(self.saved()) <= sum(before):
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.1)
            process.kill()
        assert process.returncode == KILLED
        return self.saved()

    def frames_computed(self):
        """By the newest session."""
        lines = max(self.output.glob("telemetry_*.jsonl")).read_text().splitlines()
        return sum(json.loads(line).get("frames", 0) for line in lines)


def test_a_killed_run_gets_on(tmp_path):
    made = [BIN, "generate", "-n", "160", "--length", "500", "--coding", "1", "-o", "a.fa"]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    job = SlowJob(tmp_path, ["a.fa"], models=MODELS, telemetry="full")
    for _ in range(KILLS):
        scores, units = job.kill_when_more_is_saved()
    ended = job.predict("--resume", preload=False)
    assert ended.status == 0, ended.stderr
    rows = sum(1 for _ in (job.output / "a_merged" / "prediction_results.txt").open()) - 1
    if units == 0:
        assert job.frames_computed() == rows - scores
    else:  # with tiny limits each sequence is a unit
        assert 0 < job.frames_computed() <= rows - units
    tables = job.tables()
    shutil.rmtree(job.output)
    assert job.predict("-t", "2", "--token-budget", "4096", preload=False).status == 0
    assert job.tables() == tables
