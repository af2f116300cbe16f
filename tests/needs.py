"""The only ways to skip a test: the machine lacks an instruction set that the test needs, its kernel
or file system does not count what is read from the disk, or the network lacks a release of Debian,
which vanishes from its mirrors some years after it.

    @needs_isa("AVX512_BF16")                    on a test, or
    pytest.param(…, marks=needs_isa("AVX512"))   on a parameter of a test or of a fixture
    needs_mirror("bullseye"), needs_counted_reads()   the same

conftest.py does the skipping, and makes every other skip a failure. The tested program decides what
this processor has, so ONEDNN_MAX_CPU_ISA=AVX2 tests it as on an older one.
"""

import functools
import os
import re
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import pytest

# The kernel paths in `virnucpro -v --version` if the program uses this set.
KERNEL_PATHS = {"AVX512": {"cpu-avx512"}, "AVX512_BF16": {"cpu-avx512-bf16", "cpu-amx-bf16"},
                "AMX": {"cpu-amx-bf16"}}


def needs_isa(name):
    assert name in KERNEL_PATHS, name
    return pytest.mark.needs_isa(name)


def needs_mirror(release):
    return pytest.mark.needs_mirror(release)


def needs_counted_reads():
    return pytest.mark.needs_counted_reads


def read_bytes():
    """Those that this process and its ended children read from disks, not from the page cache."""
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["read_bytes"])


def drop_from_cache(path):
    """Anyone may do this for a file of his own; its pages must be written first."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@functools.lru_cache
def counts_reads():
    """Not on a tmpfs, in some sandboxes."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(bytes(1 << 20))
        file.flush()
        drop_from_cache(file.name)
        try:
            before = read_bytes()
        except OSError:
            return False
        Path(file.name).read_bytes()
        return read_bytes() - before >= 1 << 20


@functools.lru_cache
def mirror():
    """The one that apt uses for this Debian."""
    sites = subprocess.run(["apt-get", "indextargets", "--format", "$(SITE)", "Component: main"],
                           capture_output=True, text=True, check=True).stdout.split()
    assert sites, "apt knows no mirror of Debian"
    return sites[0].rstrip("/")


@functools.lru_cache
def has_release(release):
    """Only a mirror that answers, and has it no more, lacks it: a network that fails is no reason."""
    try:
        with urllib.request.urlopen(f"{mirror()}/dists/{release}/Release", timeout=60):
            return True
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise


@functools.lru_cache
def kernel_paths():
    shown = subprocess.run([os.environ["VIRNUCPRO_BIN"], "-v", "--version"], capture_output=True,
                           text=True, check=True).stdout
    found = re.findall(r"\bcpu-[\w-]+", shown)
    assert found, shown
    return found


def lacking(item):
    """The sets that a test needs and the program does not use; what else the machine lacks."""
    asked = [mark.args[0] for mark in item.iter_markers("needs_isa")]
    releases = [mark.args[0] for mark in item.iter_markers("needs_mirror")]
    counted = list(item.iter_markers("needs_counted_reads"))
    return [*(name for name in asked if KERNEL_PATHS[name].isdisjoint(kernel_paths())),
            *(f"a mirror of {name}" for name in releases if not has_release(name)),
            *("counted reads" for _ in counted if not counts_reads())]
