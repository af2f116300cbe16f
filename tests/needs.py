"""The one way to skip a test: the machine lacks an instruction set that the test computes with.

    @needs_isa("AVX512_BF16")                    on a test, or
    pytest.param(…, marks=needs_isa("AVX512"))   on a parameter of a test or of a fixture

conftest.py carries it out, and makes a failure of every other skip. What counts is what the program
under test says of this processor, so ONEDNN_MAX_CPU_ISA=AVX2 tests what a lesser one would do.
"""

import functools
import os
import re
import subprocess

import pytest

# The kernel path that `virnucpro -v --version` names where the program computes with a set.
KERNEL_PATHS = {"AVX512": "cpu-avx512", "AVX512_BF16": "cpu-avx512-bf16"}


def needs_isa(name):
    assert name in KERNEL_PATHS, name
    return pytest.mark.needs_isa(name)


@functools.lru_cache
def kernel_paths():
    shown = subprocess.run([os.environ["VIRNUCPRO_BIN"], "-v", "--version"], capture_output=True,
                           text=True, check=True).stdout
    found = re.findall(r"\bcpu-[\w-]+", shown)
    assert found, shown
    return found


def lacking(item):
    """The names that a test asks for and the program does not compute with."""
    asked = [mark.args[0] for mark in item.iter_markers("needs_isa")]
    return [name for name in asked if KERNEL_PATHS[name] not in kernel_paths()]
