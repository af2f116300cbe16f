"""The only way to skip a test: the machine lacks an instruction set that the test needs.

    @needs_isa("AVX512_BF16")                    on a test, or
    pytest.param(…, marks=needs_isa("AVX512"))   on a parameter of a test or of a fixture

conftest.py does the skipping, and makes every other skip a failure. The tested program decides what
this processor has, so ONEDNN_MAX_CPU_ISA=AVX2 tests it as on an older one.
"""

import functools
import os
import re
import subprocess

import pytest

# The kernel path in `virnucpro -v --version` if the program uses this set.
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
    """The sets that a test needs and the program does not use."""
    asked = [mark.args[0] for mark in item.iter_markers("needs_isa")]
    return [name for name in asked if KERNEL_PATHS[name] not in kernel_paths()]
