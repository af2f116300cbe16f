"""What an attempt at a shard does after each way in which the one before ended; the program is a script
that says how it was called."""

import os
import signal
import subprocess
import time

import pytest
from conftest import PROGRAM, SOURCE, MODELS, write_reads
from slurm import wait_for

SCRIPT = SOURCE / "workflow" / "scripts" / "shard.sh"
FAKE = """#!/usr/bin/env bash
# Ends with the exit code in the file `code`, after it made a journal.
printf '%s\\n' "$*" >>calls
mkdir -p run/logs
touch run/run.db
echo 'cpu: batches of 4,096 tokens (auto)' >run/logs/virnucpro.log
[ ! -e wait ] || { trap 'exit 143' TERM; touch waits; while :; do sleep 0.1; done; }
exit "$(cat code)"
"""


class Shard:
    def __init__(self, folder):
        self.folder = folder
        (folder / "fake").write_text(FAKE)
        (folder / "fake").chmod(0o755)
        (folder / "reads.fq").write_text("@a\nACGT\n+\nIIII\n")

    def attempt(self, code, number=1, budget="auto"):
        """The exit code, and the options that the program was given; none if it was not started."""
        (self.folder / "code").write_text(str(code))
        (self.folder / "calls").write_text("")
        done = subprocess.run([SCRIPT, "run", str(number), budget, "./fake", "predict", "reads.fq"],
                              cwd=self.folder, check=False, timeout=60)
        return done.returncode, (self.folder / "calls").read_text().split()


@pytest.fixture
def shard(tmp_path):
    return Shard(tmp_path)


@pytest.mark.parametrize("code", [1, 4, 130, 137, 143])
def test_next_attempt_resumes(shard, code):
    assert shard.attempt(code)[0] == code
    status, called = shard.attempt(0, number=2)
    assert (status, "--resume" in called) == (0, True)


@pytest.mark.parametrize("code", [2, 3])
def test_not_tried_again(shard, code):
    assert shard.attempt(code)[0] == code
    assert shard.attempt(0, number=2) == (code, [])
    assert shard.attempt(0, number=1)[0] == 0  # when a user begins anew, it is tried


def test_half_the_budget_after_too_little_memory(shard):
    assert shard.attempt(4, budget="1000")[1][-1] == "1000"
    assert shard.attempt(4, 2, "1000")[1][-1] == "500"
    assert shard.attempt(143, 3, "1000")[1][-1] == "250"
    assert shard.attempt(0, 4, "1000")[1][-1] == "250"  # it was stopped, not short of memory


def test_half_of_what_the_program_chose(shard):
    assert shard.attempt(4)[1][-1] == "auto"
    assert shard.attempt(0, 2)[1][-1] == "2048"


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("line", ["2026\tlocal\thost\ta[$(touch pwned >&2)0]\t4", "2026\tlocal\thost\t4,096\t4",
                                  "2026\tlocal\thost\t08\t4", f"2026\tlocal\thost\t{'9' * 30}\t4",
                                  "2026\tlocal\thost\t4096\t", "2026\tlo", ""],
                         ids=["command", "comma", "octal", "long", "cut", "short", "empty"])
def test_damaged_line_is_no_attempt(shard, capfd, line, number):
    """bash's arithmetic would run a command in it, or end the script."""
    shard.attempt(4)
    (shard.folder / "run.attempts.tsv").write_text(f"{line}\n")
    assert shard.attempt(0, number, "1000")[1][-1] == "1000"
    assert "shard: run.attempts.tsv: the last line is damaged" in capfd.readouterr().err
    assert not (shard.folder / "pwned").exists()


@pytest.mark.parametrize("said", ["08", "0", ",", "9" * 30])
def test_damaged_log(shard, said):
    shard.attempt(4)
    (shard.folder / "run" / "logs" / "virnucpro.log").write_text(f"batches of {said} tokens\n")
    assert shard.attempt(0, 2)[1][-1] == "2048"


def test_changed_input_begins_anew(shard):
    shard.attempt(0)
    assert "--resume" in shard.attempt(0)[1]
    time.sleep(1.1)  # times are compared to a second
    (shard.folder / "reads.fq").write_text("@a\nACGTACGT\n+\nIIIIIIII\n")
    (shard.folder / "run" / "run.db").unlink()
    assert "--force-resume" in shard.attempt(0)[1]


def start_waiting(shard):
    """An attempt that goes on until it is told to end."""
    (shard.folder / "wait").touch()
    (shard.folder / "code").write_text("0")
    script = subprocess.Popen([SCRIPT, "run", "1", "auto", "./fake", "predict", "reads.fq"],
                              cwd=shard.folder, start_new_session=True)
    wait_for("program that waits", (shard.folder / "waits").exists, 60)
    return script


def test_a_journal_outlives_its_killed_attempt(shard):
    script = start_waiting(shard)
    os.killpg(script.pid, signal.SIGKILL)
    script.wait()
    (shard.folder / "wait").unlink()
    assert "--resume" in shard.attempt(0)[1]  # and not --force-resume, which may replace it


def test_signal_reaches_the_program(shard):
    script = start_waiting(shard)
    script.terminate()
    assert script.wait(timeout=30) == 143
    assert (shard.folder / "run.attempts.tsv").read_text().endswith("\t143\n")


def test_interrupt_of_all_processes(tmp_path):
    """Ctrl-C of a terminal: the program gets SIGINT, and what the script passes on."""
    os.mkfifo(tmp_path / "reads.fq")
    script = subprocess.Popen([SCRIPT, "run", "1", "auto", PROGRAM, "-q", "predict", "reads.fq", *MODELS,
                               "--device", "cpu", "--threads", "1", "--no-progress"],
                              cwd=tmp_path, start_new_session=True, stderr=subprocess.PIPE)
    with open(tmp_path / "reads.fq", "wb"):
        wait_for("journal", (tmp_path / "run" / "run.db").exists, 60)
        os.killpg(script.pid, signal.SIGINT)
        said = script.communicate(timeout=30)[1].decode()
    assert script.returncode in (130, 143)
    assert "To go on" in said, said
    assert not (tmp_path / "run" / "run.lock").exists() and not (tmp_path / "run" / "run.db-wal").exists()


def test_real_lack_of_memory(tmp_path):
    write_reads(tmp_path / "reads.fq", seed=5, count=60)
    command = [SCRIPT, "run", "1", "4096", PROGRAM, "-q", "predict", "reads.fq", *MODELS, "--device", "cpu",
               "--threads", "1", "--no-progress"]
    small = f"ulimit -v {110 * 1024} && exec \"$@\""
    first = subprocess.run(["bash", "-c", small, "bash", *command], cwd=tmp_path, check=False)
    assert first.returncode == 4
    command[2] = "2"
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    rows = [row.split("\t") for row in (tmp_path / "run.attempts.tsv").read_text().splitlines()]
    assert [(row[3], row[4]) for row in rows] == [("4096", "4"), ("2048", "0")]
