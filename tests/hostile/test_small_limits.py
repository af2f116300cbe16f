"""Limits of memory, stack, descriptors and threads that are too small, as a shell or a batch system
sets them: the program does its work, or ends with the error that names the lack. It never dies of
a signal in a library that did not get its memory.

VIRNUCPRO_BIN is the executable. Limits so small that not even its libraries can be loaded are the
loader's business: it ends with 127.
"""

import os
import random
import re
import resource
import signal
import subprocess

import pytest

from lengths import by_length

BIN = os.environ["VIRNUCPRO_BIN"]
MIB = 1 << 20
SECONDS = 60
MODELS = ["--dnabert-model", "synthetic:dnabert-s-tiny", "--esm-model", "synthetic:esm2_tiny"]
RUN = ["-e", "60", "--no-progress", "-f", "-o"]
PREDICT = ["predict", "a.fa", *MODELS, "-p", "synthetic", "--telemetry", "off", *RUN, "out"]
COMMANDS = {
    "one thread": [*PREDICT, "-t", "1"],
    "threads": [*PREDICT, "-t", "4"],
    "workers": [*PREDICT, "-t", "2", "--cpu-workers", "2"],
    "embed": ["embed", "a.fa", *MODELS, *RUN, "out.h5"],
    "export": ["export", "done", "-f", "-o", "exported"],
    "report": ["report", "done", "-f", "-o", "reported"],
    "compare": ["compare", "done", "done"],
    "compare HDF5": ["compare", "done.h5", "done.h5"],
    "validate": ["utils", "validate", "a.fa"],
}
COMPUTING = list(COMMANDS)[:4]
TABLE = "a_merged/prediction_results.txt"
LOADER = 127  # its exit code
LACKS = {4: "out of memory", 1: "too many files are open", 2: "too many files are open"}


def letters(source, size):
    return "".join(source.choices("ACGT", k=size))


def run(folder, command, before=None):
    return subprocess.run([BIN, *COMMANDS[command]], cwd=folder, capture_output=True, text=True,
                          timeout=SECONDS, check=False, preexec_fn=before)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Inputs, and what the commands read: a finished run and its embeddings."""
    made = tmp_path_factory.mktemp("limits")
    source = random.Random(9)
    (made / "a.fa").write_text("".join(f">s{i}\n{letters(source, 300)}\n" for i in range(20)))
    assert run(made, "one thread").returncode == 0
    assert run(made, "embed").returncode == 0
    (made / "out").rename(made / "done")
    (made / "out.h5").rename(made / "done.h5")
    return made


def check(folder, command, kind, limit):
    """Runs a command under this limit. Returns its exit code."""
    def lower():
        resource.setrlimit(kind, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ended = run(folder, command, lower)
    told = f"{command}, {limit}: {ended.returncode}: {ended.stderr}"
    if ended.returncode == 0:
        if command in ("one thread", "threads", "workers"):
            assert (folder / "out" / TABLE).read_bytes() == (folder / "done" / TABLE).read_bytes()
    elif ended.returncode == LOADER:
        assert re.search("error while loading shared libraries|cannot allocate TLS data",
                         ended.stderr), told
    else:
        assert LACKS.get(ended.returncode, "?") in ended.stderr, told
        assert not re.search("bug|terminate|libgomp|libgcc", ended.stderr), told
    return ended.returncode


def some(smallest, largest, check_count, full_count):
    """Limits in MiB, spread evenly from the smallest to the largest."""
    count = by_length(check_count, full_count)
    return [smallest + round(i * (largest - smallest) / (count - 1)) for i in range(count)]


@pytest.mark.parametrize("command", COMMANDS)
def test_address_space(folder, command):
    count = 7 if command in COMPUTING else 3
    codes = [check(folder, command, resource.RLIMIT_AS, size * MIB)
             for size in some(40, 500, count, 60)]
    assert codes[0] == LOADER and codes[-1] == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_data(folder, command):
    count = 5 if command in COMPUTING else 3
    codes = [check(folder, command, resource.RLIMIT_DATA, size * MIB)
             for size in some(2, 400, count, 60)]
    assert codes[0] in (0, 4) and codes[-1] == 0


@pytest.mark.parametrize("command", ["threads", "validate"])
def test_stack(folder, command):
    # With 16 KiB it depends on where the kernel places the stack whether the loader itself crashes.
    for size in by_length((20, 256), (20, 24, 32, 64, 128, 255, 256, 257, 300, 1000)):
        code = check(folder, command, resource.RLIMIT_STACK, size << 10)
        assert code == (0 if size >= 256 else 4), size


@pytest.mark.parametrize("command", COMMANDS)
def test_descriptors(folder, command):
    for count in by_length((4, 6, 9), range(4, 24)):
        assert check(folder, command, resource.RLIMIT_NOFILE, count) != LOADER


def test_any_other_crash_stays_one(folder):
    with subprocess.Popen([BIN, "utils", "validate", "-"], cwd=folder, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
                          ) as process:
        process.stdin.write(b">a\n" + b"ACGT" * 100_000)  # more than a pipe holds: it reads
        process.stdin.flush()
        process.send_signal(signal.SIGSEGV)
        assert process.wait(timeout=SECONDS) == -signal.SIGSEGV
        assert b"memory" not in process.stderr.read()
