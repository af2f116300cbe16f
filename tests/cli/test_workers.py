"""Worker processes: the same bytes even if workers die, and no process is left behind."""

import itertools
import os
import signal
import socket
import struct
import subprocess
import time
from pathlib import Path

import pytest
from checksums import crc32c
from conftest import MODELS, Program, fasta, is_there, message, of_input, workers_of
from lengths import by_length

SHORT = ["-e", "100", "-d", "cpu"]
# Small batches: a run has hundreds, so a killed worker always has one.
SLOW = [*SHORT, "-t", "2", "--token-budget", "256"]


@pytest.fixture(scope="module")
def many(genome):
    return {f"piece_{i}": genome[i * 100:i * 100 + 700] for i in range(400)}


@pytest.fixture
def reads(program, many):
    (program.folder / "reads.fa").write_text(fasta(many))
    return "reads.fa"


@pytest.fixture(scope="module")
def expected(many, tmp_path_factory):
    program = Program(tmp_path_factory.mktemp("expected"))
    (program.folder / "reads.fa").write_text(fasta(many))
    program.predict("reads.fa", *SHORT, "-o", "expected", code=0)
    return program.tables("expected", "reads")


def start(program, *arguments, **options):
    """A run that waits for its input while its workers compute."""
    process = program.start_waiting(*SLOW, "--name", "reads", *arguments, "-o", "out", **options)
    program.wait_for_journal(process)
    return process


COUNTS = (1, 2, 4)
SETTINGS = (["-t", "1"], ["-t", "5", "--token-budget", "100"], ["--prefetch", "1"])


@pytest.mark.parametrize("count, flags", list(by_length(zip(COUNTS, SETTINGS), itertools.product(COUNTS, SETTINGS))))
def test_their_number_changes_no_byte(program, reads, expected, count, flags):
    program.predict(reads, *SHORT, *flags, "--cpu-workers", count, "-o", "out", code=0)
    assert program.tables("out", "reads") == expected


def test_they_have_names(program):
    process = start(program, "--cpu-workers", "2")
    names = {Path(f"/proc/{worker}/comm").read_text() for worker in workers_of(process.pid)}
    assert names == {"virnucpro-w0\n", "virnucpro-w1\n"}
    for worker in workers_of(process.pid):  # they can gain no rights
        assert "NoNewPrivs:\t1\n" in Path(f"/proc/{worker}/status").read_text()
    process.communicate(b"")


def test_embeddings_are_the_same(program, reads):
    import h5py
    contents = []
    for count in (1, 3):
        program("embed", reads, *MODELS[:4], *SHORT, "--cpu-workers", count,
                "-o", f"{count}.h5", code=0)
        with h5py.File(program.folder / f"{count}.h5") as file:
            contents.append({name: file[name][()].tobytes() for name in file
                             if isinstance(file[name], h5py.Dataset) and name != "ids"})
    assert contents[0] and contents[0] == contents[1]


def test_intermediate_embeddings_are_kept(program, reads, expected):
    program.predict(reads, *SHORT, "--cpu-workers", "2", "-k", "-o", "out", code=0)
    assert (program.folder / "out" / "embeddings.h5").exists()
    assert program.tables("out", "reads") == expected


def test_a_killed_one_changes_no_byte(program, many, expected):
    for count in (2, 4):
        process = start(program, "--cpu-workers", str(count), "--force")
        killed = 0
        for name, letters in many.items():
            process.stdin.write(f">{name} a piece\n{letters}\n".encode())
            process.stdin.flush()
            if name.endswith("50") and (alive := workers_of(process.pid)):
                os.kill(alive[killed % len(alive)], signal.SIGKILL)
                killed += 1
                time.sleep(0.1)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0, said
        assert killed >= 2
        assert b"was killed by signal 9" in said
        assert program.tables("out", "reads") == of_input(expected, "stdin")


def test_one_killed_at_work_changes_no_byte(program, reads, expected):
    process = program.start("predict", *MODELS, reads, *SLOW, "--cpu-workers", "2", "-o", "out",
                            stderr=subprocess.PIPE)
    program.wait_for_journal(process)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert b"was lost: it was killed by signal 9" in said
    assert program.tables("out", "reads") == expected


def test_they_end_with_the_run_that_started_them(program):
    process = start(program, "--cpu-workers", "3")
    workers = workers_of(process.pid)
    assert len(workers) == 3
    process.kill()
    process.communicate()
    deadline = time.monotonic() + 5
    while any(map(is_there, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_to_all_of_them_is_the_runs(program, many, number, code):
    process = start(program, "--cpu-workers", "2", start_new_session=True)
    workers = workers_of(process.pid)
    process.stdin.write(fasta(many).encode())
    process.stdin.flush()
    os.killpg(process.pid, number)
    _, said = process.communicate(timeout=5)
    assert process.returncode == code, said
    assert b"was lost" not in said
    assert not any(map(is_there, workers))


def test_an_error_of_theirs_is_the_runs(program, reads):
    (program.folder / "bad.pth").write_bytes(b"no weights")
    said = []
    for count in ("1", "2"):
        result = program("predict", reads, *MODELS[:4], "-p", "bad.pth", *SHORT, "--cpu-workers",
                         count, "-o", "out", code=1)
        said.append(message(result))
        assert not (program.folder / "out").exists() or not any((program.folder / "out").iterdir())
    assert "bad.pth" in said[0]
    assert said[0] == said[1]


def test_what_they_log_is_in_the_runs_log(program, reads):
    program.predict(reads, *SHORT, "--cpu-workers", "2", "-o", "out", code=0)
    log = (program.folder / "out" / "logs" / "virnucpro.log").read_text()
    assert "worker processes: 2" in log
    assert "worker 1 (cpu) is process" in log


def test_a_length_that_no_setup_has_takes_no_memory(program):
    here, there = socket.socketpair()
    process = program.start("worker", pass_fds=[3], preexec_fn=lambda: os.dup2(there.fileno(), 3))
    there.close()
    setup, length = 0, (2 << 30) - 1
    head = struct.pack("<IHHII", 0x57504e56, 4, setup, length, 0)
    with pytest.raises(ConnectionError):
        here.sendall(head + struct.pack("<I", crc32c(head)) + b"\0" * (512 << 20))
    _, _, usage = os.wait4(process.pid, 0)
    assert usage.ru_maxrss < 128 << 10


def test_it_is_no_command(program):
    assert "is not a command for users" in message(program("worker", code=1))
    for page in (["--help"], ["help"]):
        assert b"\n  worker" not in program(*page).stdout
