"""The only ways to skip a test: the machine lacks an instruction set that the test needs, or the
network a release of Debian, which vanishes from its mirrors some years after it.

    @needs_isa("AVX512_BF16")                    on a test, or
    pytest.param(…, marks=needs_isa("AVX512"))   on a parameter of a test or of a fixture
    needs_mirror("bullseye")                     the same

conftest.py does the skipping, and makes every other skip a failure. The tested program decides what
this processor has, so ONEDNN_MAX_CPU_ISA=AVX2 tests it as on an older one.
"""

import functools
import os
import re
import subprocess
import urllib.error
import urllib.request

import pytest

# The kernel path in `virnucpro -v --version` if the program uses this set.
KERNEL_PATHS = {"AVX512": "cpu-avx512", "AVX512_BF16": "cpu-avx512-bf16"}


def needs_isa(name):
    assert name in KERNEL_PATHS, name
    return pytest.mark.needs_isa(name)


def needs_mirror(release):
    return pytest.mark.needs_mirror(release)


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
    """The sets that a test needs and the program does not use; the releases that no mirror has."""
    asked = [mark.args[0] for mark in item.iter_markers("needs_isa")]
    releases = [mark.args[0] for mark in item.iter_markers("needs_mirror")]
    return [*(name for name in asked if KERNEL_PATHS[name] not in kernel_paths()),
            *(f"a mirror of {name}" for name in releases if not has_release(name))]
