"""One run at a time in an output directory, with and without file locks and hard links."""

import os
import socket

import pytest
from harness import KILLED, RUNS, spread
from lengths import by_length

ROUNDS = by_length(2, 12)
STARTERS = 4
# Others look while a lock is being written, and the run that gets in lasts until they have looked.
SLOW = "slow:write:10:60"


# What a file system may lack: some network file systems have no flock, others no hard links, and some
# cannot rename without replacing, either.
LACKS = [{}, {"locks": False}, {"links": False}, {"locks": False, "links": False}]
LACKS_MOST = {**LACKS[-1], "noreplace": False}

def check_one_got_in(job, ended):
    codes = sorted(code for code, _ in ended)
    assert codes == [0] + [3] * (STARTERS - 1), ended
    for code, stderr in ended:
        assert code == 0 or "another run is using the output directory: host " in stderr
    assert job.tables() == job.reference
    job.check_nothing_is_left()


@pytest.mark.parametrize("lack", [*LACKS, LACKS_MOST])
def test_one_of_several_that_start_at_once(awkward, lack):
    job = awkward()
    for _ in range(ROUNDS):
        check_one_got_in(job, job.race(STARTERS, rule=SLOW, **lack))
        job.clear()


@pytest.mark.parametrize("lack", [*LACKS, LACKS_MOST])
def test_one_of_several_that_find_the_lock_of_a_killed_run(awkward, lack):
    """The killed run's lock is taken over, by one."""
    job = awkward()
    job.interrupt(*RUNS["interrupted"], **lack)
    assert (job.output / "run.lock").exists()
    job.keep()
    for _ in range(ROUNDS):
        check_one_got_in(job, job.race(STARTERS, "--resume", rule=SLOW, **lack))
        job.restore()


@pytest.mark.parametrize("kind", ["find", "look", "read"])
def test_a_lock_that_cannot_be_read_is_no_stale_one(awkward, kind):
    """Not even for a command that only reads, nor with --force; and the run that has it ends well."""
    job = awkward()
    job.predict()
    lock = job.output / "run.lock"
    lock.write_text(f"{socket.gethostname()} {os.getpid()}\n")
    for act in (job.resume, job.export, lambda **shim: job.predict("--force", **shim)):
        ended = act(rule=f"fail:{kind}:EACCES:1:stay", reads=lock)
        assert ended.status in (1, 3) and "Permission denied" in ended.stderr, ended.stderr
        assert "not a lock of this program" not in ended.stderr
    assert lock.exists() and job.tables() == job.reference


@pytest.mark.parametrize("kind", ["find", "look", "read"])
def test_its_lock_cannot_be_read_at_some_time(awkward, kind):
    job = awkward()
    lock = job.output / "run.lock"
    count = job.predict(reads=lock).counts()[kind]
    assert count > 0
    for number in range(1, count + 1):
        job.clear()
        ended = job.predict(rule=f"fail:{kind}:EACCES:{number}:stay", reads=lock)
        assert ended.status in (0, 1, 3), ended.stderr
        job.check_none_half_written()


def calls_at_the_lock(ended):
    """Those that take the lock, and none after it."""
    creating = [call for call in ended.calls if call[0] in ("open", "rename", "unlink", "write")]
    last = next(at for at, (kind, _, path) in enumerate(creating)
                if kind == "open" and path.endswith("/run.files"))
    return [(kind, number) for kind, number, _ in creating[:last]]


@pytest.mark.parametrize("lack", LACKS)
def test_killed_while_it_takes_a_lock_over(awkward, lack):
    """Twice: the second one takes over from a process that had just begun to take over."""
    job = awkward()
    job.interrupt(*RUNS["interrupted"], **lack)
    job.keep()
    points = calls_at_the_lock(job.resume(**lack))
    assert len(points) >= 4
    for at in spread(len(points), by_length(2, len(points))):
        kind, number = points[at - 1]
        job.restore()
        for _ in range(2):
            ended = job.resume(rule=f"kill:after:{kind}:{number}", **lack)
            assert ended.status == KILLED, ended.stderr
        job.check_complete(job.resume(**lack))
