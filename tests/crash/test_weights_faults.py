"""Weights that change or cannot be read while a run loads them, in one process and in workers.

The run ends with an error that names the file, never by a signal, and leaves no table; once the
file is whole again, the same command gives its tables.
"""

import subprocess
import time

import pytest
from harness import BIN, SECONDS, Ended, Job, error_in, fasta

FILE = "esm/model.safetensors"


class Loading(Job):
    """A run with exported weights; the shim sees the reads of these."""

    def __init__(self, folder, workers):
        (folder / "a.fa").write_text(fasta([("s", "ACGTTGCAACCA" * 12)]))
        export = [BIN, "utils", "export-weights", "synthetic:esm2_tiny", "-o", "esm"]
        subprocess.run(export, cwd=folder, check=True, timeout=SECONDS, capture_output=True)
        super().__init__(folder, ["a.fa"], workers=workers)
        self.workers = workers
        self.weights = folder / FILE
        self.good = self.weights.read_bytes()

    def command(self, *extra):
        return ["esm" if word == "synthetic:esm2_tiny" else word
                for word in super().command(*extra)]

    def environment(self, **shim):
        role = "worker" if self.workers > 1 else "parent"
        return {**super().environment(role=role, **shim), "VNP_SHIM_DIR": str(self.folder / "esm"),
                "VNP_SHIM_READS": str(self.folder / "esm")}

    def load_and(self, act, reads):
        """Runs, and calls `act` after that many reads; each takes 20 ms more, so more follow."""
        (self.folder / "calls").unlink(missing_ok=True)
        with subprocess.Popen(self.command(), cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              env=self.environment(rule="slow:read:20")) as process:
            deadline = time.monotonic() + SECONDS
            while self.reads() < reads and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.005)
            assert process.poll() is None, "the run was over before its weights changed"
            act()
            _, stderr = process.communicate(timeout=SECONDS)
        return Ended(process.returncode, stderr.decode(), self.calls())

    def reads(self):
        return sum(kind == "read" for kind, _, _ in self.calls())

    def check_failed(self, ended, name):
        assert ended.status == 1, ended.stderr
        assert error_in(ended) == {name}
        assert FILE in ended.stderr
        assert not self.tables()

    def check_works_again(self):
        self.weights.write_bytes(self.good)
        ended = self.predict()
        assert ended.status == 0, ended.stderr
        assert self.tables()


@pytest.fixture(params=[1, 2], ids="{} workers".format)
def loading(request, tmp_path):
    return Loading(tmp_path, request.param)


def test_a_read_fails(loading):
    count = loading.predict().counts()["read"] // loading.workers
    assert count > 20
    for number in (1, count // 2, count):
        loading.clear()
        loading.check_failed(loading.predict(rule=f"fail:read:EIO:{number}"), "weights-read")
    loading.check_works_again()


@pytest.mark.parametrize("size", [0, 4096], ids=["to nothing", "to a page"])
def test_a_file_is_cut(loading, size):
    ended = loading.load_and(lambda: loading.weights.open("r+b").truncate(size), reads=6)
    loading.check_failed(ended, "weights-changed")
    loading.check_works_again()


def test_a_file_is_overwritten(loading):
    ended = loading.load_and(lambda: loading.weights.write_bytes(loading.good), reads=6)
    loading.check_failed(ended, "weights-changed")
    loading.check_works_again()
