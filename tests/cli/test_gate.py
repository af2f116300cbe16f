"""Which tests are skipped, and how long they take: tests/needs.py, lengths.py, conftest.py."""

import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from conftest import SOURCE
from needs import KERNEL_PATHS, kernel_paths

SAMPLE = """
import pytest
from needs import needs_isa

@pytest.fixture(params=["plain", pytest.param("half", marks=needs_isa("AVX512_BF16"))])
def precision(request):
    return request.param

def test_computes(precision):
    pass

def test_skips():
    pytest.skip("needs luck")

@pytest.mark.full
def test_takes_long():
    pass

@pytest.mark.skipif(True, reason="needs root")
def test_skips_itself():
    pass
"""


@pytest.fixture
def sample(tmp_path):
    for name in ("conftest.py", "needs.py", "lengths.py"):
        shutil.copy(SOURCE / "tests" / name, tmp_path)
    (tmp_path / "test_sample.py").write_text(SAMPLE)

    def run(**environment):
        return subprocess.run([sys.executable, "-m", "pytest", "--junitxml=report.xml", tmp_path],
                              cwd=tmp_path, env={**os.environ, **environment}, check=False,
                              capture_output=True, text=True)
    return run


def test_only_what_a_processor_lacks_is_skipped(sample, tmp_path):
    assert sample(ONEDNN_MAX_CPU_ISA="AVX2", VIRNUCPRO_TEST_LENGTH="check").returncode == 1
    cases = {case.get("name"): case for case in
             ElementTree.parse(tmp_path / "report.xml").iter("testcase")}
    found = {name: [child.tag for child in case] for name, case in cases.items()}
    assert found == {"test_computes[plain]": [], "test_computes[half]": ["skipped"],
                     "test_skips": ["failure"], "test_skips_itself": ["error"]}
    assert cases["test_computes[half]"].find("skipped").get("message") == "needs AVX512_BF16"


def test_only_a_full_check_takes_its_tests(sample, tmp_path):
    for length, expected in (("check", False), ("full", True)):
        sample(VIRNUCPRO_TEST_LENGTH=length)
        assert ("test_takes_long" in (tmp_path / "report.xml").read_text()) == expected


def test_an_unknown_length_is_an_error(sample):
    ended = sample(VIRNUCPRO_TEST_LENGTH="short")
    assert ended.returncode != 0
    assert "VIRNUCPRO_TEST_LENGTH=short: expected check, full, long" in ended.stdout + ended.stderr
    assert " passed" not in ended.stdout


# Compared with the system's list of flags: the program must use all that a processor has.
ASKED_FOR = {"AVX512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"},
             "AVX512_BF16": {"avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512_bf16"},
             "AMX": {"avx512_bf16", "amx_tile", "amx_bf16", "amx_int8"}}


@pytest.mark.parametrize("name", ASKED_FOR)
def test_the_program_knows_the_processor(name):
    flags = set(re.search(r"(?m)^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text())[1].split())
    has = ASKED_FOR[name] <= flags and "ONEDNN_MAX_CPU_ISA" not in os.environ
    assert KERNEL_PATHS[name].isdisjoint(kernel_paths()) != has
