"""Full, over-quota and broken disks: each call fails in turn, and some disks are really full.

The run ends with an error of docs/reference/errors.md that names a file, or succeeds. No table is
half-written. Once the disk works again, `--resume` gives the right bytes.
"""

import os
import resource
import subprocess

import pytest
from harness import FILE_KINDS, RUNS, OUTPUT, SECONDS, SEVERAL, TABLES, error_in
from lengths import by_length
from points import points

POINTS = 4  # per kind, in the full form
FAULTS = [
    *(("write", error) for error in ("EIO", "ENOSPC", "EDQUOT")),
    *(("fsync", error) for error in ("EIO", "ENOSPC", "EDQUOT")),
    *(("open", error) for error in ("EIO", "ENOSPC", "EDQUOT", "EROFS")),
    *(("mkdir", error) for error in ("ENOSPC", "EDQUOT")),
    *(("rename", error) for error in ("EIO", "ENOSPC", "EDQUOT")),
    *(("unlink", error) for error in ("EIO", "EROFS")),
    ("truncate", "EIO"),
]
FULL_DISK_KIB = (8, 32, 64, 96, 128, 192)
FILE_SIZES = (0, 100, 1000, 5000, 20000, 40000)


def check_failed_or_done(job, ended, what):
    """The run succeeded or failed with a permitted error; no table is half-written."""
    job.check_none_half_written()
    if ended.status == job.status:
        job.check_tables(ended)
        return
    assert error_in(ended) == {"output-write"}, f"{what}: {ended.stderr}"
    assert f"{OUTPUT}/" in ended.stderr or f": {OUTPUT}: " in ended.stderr, ended.stderr


def fail_at_its_points(job, kind, error, stay=""):
    """Makes a run for each point, then finishes it without a fault."""
    for number in points(job.undisturbed.counts()[kind], POINTS, kind, error, stay):
        rule = f"fail:{kind}:{error}:{number}{stay}"
        check_failed_or_done(job, job.predict(rule=rule), rule)
        job.finish()
        job.clear()


@pytest.mark.parametrize("stay", ["", ":stay"], ids=["once", "from then on"])
@pytest.mark.parametrize("kind, error", FAULTS, ids=lambda word: word)
def test_a_call_fails(awkward, kind, error, stay):
    fail_at_its_points(awkward(), kind, error, stay)


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("kind", FILE_KINDS)
def test_a_call_fails_while_it_resumes(awkward, kind, run):
    job = awkward()
    job.interrupt(*RUNS[run])
    job.keep()
    count = job.resume().counts()[kind]
    for number in points(count, POINTS, kind, run):
        job.restore()
        rule = f"fail:{kind}:EDQUOT:{number}"
        check_failed_or_done(job, job.resume(rule=rule), rule)
        job.finish()


@pytest.mark.parametrize("stay", ["", ":stay"], ids=["once", "from then on"])
def test_a_write_is_cut_short(awkward, stay):
    """Another call writes the rest."""
    job = awkward()
    for number in {1, *points(job.undisturbed.counts()["write"], 2 * POINTS, stay)}:
        job.check_complete(job.predict(rule=f"fail:write:short:{number}{stay}"))
        job.clear()


def test_a_full_disk_costs_log_lines_alone(awkward):
    job = awkward()
    for number in points(job.undisturbed.counts()["stdio"], POINTS):
        ended = job.predict(rule=f"fail:stdio:ENOSPC:{number}:stay")
        job.check_complete(ended)
        assert "a log file loses lines" in ended.stderr
        job.clear()


@pytest.mark.parametrize("kind, error", [("write", "ENOSPC"), ("fsync", "EIO")])
def test_a_call_fails_with_workers(awkward, kind, error):
    """No worker stays behind; the harness checks this after every run."""
    fail_at_its_points(awkward(workers=SEVERAL), kind, error)


UNREACHABLE = [("fork", "EAGAIN"), ("message", "EPIPE"), ("message", "ENOBUFS"),
               *by_length([], [("message", "ECONNRESET")])]


@pytest.mark.parametrize("kind, error", UNREACHABLE)
def test_workers_cannot_be_started_or_reached(awkward, kind, error):
    """The others replace a lost worker; if all are lost, the run ends and can be resumed.

    ENOBUFS means that the kernel lacks memory: the other end does not notice.
    """
    job = awkward(workers=SEVERAL)
    for stay in ("", ":stay"):
        for number in points(job.undisturbed.counts()[kind] // 2, POINTS, kind, error, stay):
            rule = f"fail:{kind}:{error}:{number}{stay}"
            ended = job.predict(rule=rule)
            job.check_none_half_written()
            if ended.status == 0:
                job.check_complete(ended)
            else:
                assert error_in(ended), f"{rule}: {ended.stderr}"
            job.finish()
            job.clear()


@pytest.mark.parametrize("size", FILE_SIZES)
def test_limited_file_size(awkward, size):
    """As with `ulimit -f`: writes fail with EFBIG, as SIGXFSZ is ignored."""
    job = awkward()
    ended = subprocess.run(
        job.command(), cwd=job.folder, env=job.environment(preload=False), capture_output=True,
        text=True, timeout=SECONDS, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
    assert ended.returncode == 1
    assert "output cannot be written" in ended.stderr and OUTPUT in ended.stderr
    job.check_none_half_written()
    job.finish()


# $0 KiB of disk, later enough; the other arguments are the command. Copies the state in between.
ON_A_FULL_DISK = f"""
mkdir -p {OUTPUT} && mount -t tmpfs -o "size=$0k" tmpfs {OUTPUT} || exit 99
"$@" 2>first.stderr; echo $? >first.status
cp -r {OUTPUT} first
mount -o remount,size=1g {OUTPUT} || exit 99
"$@" --resume 2>second.stderr; echo $? >second.status
cp -r {OUTPUT} second
"""


def on_a_full_disk(job, kib):
    """The ends of a run on such a small disk and of its resumption; only they see the mount."""
    root = [] if os.geteuid() == 0 else ["--map-root-user"]
    tried = subprocess.run(
        ["unshare", "--mount", *root, "sh", "-c", ON_A_FULL_DISK, str(kib), *job.command()],
        cwd=job.folder, env=job.environment(preload=False), capture_output=True, text=True,
        timeout=2 * SECONDS, check=False)
    if not (job.folder / "first.status").exists():
        pytest.skip(f"no tmpfs can be mounted here: {tried.stderr}")
    assert tried.returncode == 0, tried.stderr
    return [int((job.folder / f"{name}.status").read_text()) for name in ("first", "second")]


@pytest.mark.parametrize("kib", FULL_DISK_KIB)
def test_full_disk(awkward, kib):
    job = awkward()
    first, second = on_a_full_disk(job, kib)
    for name, found in job.tables(job.folder / "first").items():
        assert found == job.reference[name]
    if first != 0:
        message = (job.folder / "first.stderr").read_text()
        assert first == 1 and "output cannot be written" in message and OUTPUT in message
    assert first != 0 or kib > FULL_DISK_KIB[0]
    assert second == 0, (job.folder / "second.stderr").read_text()
    assert job.tables(job.folder / "second") == job.reference
    assert len(job.reference) == len(TABLES)


@pytest.mark.parametrize("rule", ["fail:write:ENOSPC:1:stay", "fail:write:short:1",
                                  "fail:open:EDQUOT:1:stay"])
def test_a_run_on_a_full_disk_can_be_looked_at(awkward, rule):
    """Its lock cannot be written, and nothing else needs to be written."""
    job = awkward()
    job.check_complete(job.predict())
    tables = job.folder / "tables"
    ended = job.export("-o", tables, rule=rule)
    assert ended.status == 0, ended.stderr
    assert job.tables(tables) == job.reference
    ended = job.validate_checkpoints(rule=rule)
    assert ended.status == 0, ended.stderr
    job.check_nothing_is_left()
