"""The program reads hostile files: each gives its own error, with little memory and time.

The modules beside this one write the files (`cases()` of each); the repository has no hostile
files. VIRNUCPRO_BIN is the executable, VIRNUCPRO_SOURCE the checkout.
"""

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from errors import ERRORS

BIN = os.environ["VIRNUCPRO_BIN"]
SOURCE = Path(os.environ["VIRNUCPRO_SOURCE"])
HERE = Path(__file__).parent
MODULES = ("corpus_compressed", "corpus_sequences", "corpus_weights", "corpus_settings",
           "corpus_alignments")
CASES = [case for module in MODULES for case in importlib.import_module(module).cases()]

WEIGHTS = SOURCE / "tests" / "data" / "weights"
SYNTHETIC = {"--dnabert-model": "synthetic:dnabert-s-tiny", "--esm-model": "synthetic:esm2_tiny",
             "-p": "synthetic"}
FROM_FILES = {"--dnabert-model": "good_dnabert_s",
              "--esm-model": str(WEIGHTS / "esm2" / "hf_safetensors"),
              "-p": str(WEIGHTS / "classifier" / "module.pth")}
OUTPUT = ("-o", "out", "--no-progress")

# The arguments of each command; FILE is the hostile file.
COMMANDS = {
    "predict": ("predict", "FILE", SYNTHETIC, *OUTPUT),
    "reference": ("predict", "FILE", SYNTHETIC, "--reference", "good.fa", *OUTPUT),
    "validate": ("utils", "validate", "FILE"),
    "classifier": ("predict", "good.fa", {**FROM_FILES, "-p": "FILE"}, *OUTPUT),
    "esm2": ("predict", "good.fa", {**FROM_FILES, "--esm-model": "FILE"}, *OUTPUT),
    "dnabert_s": ("predict", "good.fa", {**FROM_FILES, "--dnabert-model": "FILE"}, *OUTPUT),
    "config": ("-c", "FILE", "predict", "good.fa", SYNTHETIC, *OUTPUT),
}
# The good files that replace FILE to measure normal memory.
GOOD = {
    "predict": "good.fa",
    "reference": "good.fa",
    "validate": "good.fa",
    "classifier": FROM_FILES["-p"],
    "esm2": FROM_FILES["--esm-model"],
    "dnabert_s": FROM_FILES["--dnabert-model"],
    "config": "good.yaml",
}

EXTRA_MEMORY_KIB = 64 << 10
BYTES_A_LETTER = 2
LONGEST_MESSAGE = 8192
TABLES = ("*_merged", "prediction_results*", "sequences.tsv", "virus.fasta")


class Outcome(NamedTuple):
    status: int  # from os.wait4
    peak_kib: int
    stdout: str
    stderr: str


@pytest.fixture(scope="session")
def good_files(tmp_path_factory):
    """The good files that some commands also need."""
    folder = tmp_path_factory.mktemp("good")
    (folder / "good.fa").write_text(">good a sequence\n" + "ACGTTGCAACCA" * 10 + "\n")
    (folder / "good.yaml").write_text("run:\n  threads: 2\n")
    shutil.copytree(WEIGHTS / "dnabert_s" / "safetensors", folder / "good_dnabert_s")
    tokenizer = importlib.import_module("corpus_settings").tokenizer()
    (folder / "good_dnabert_s" / "tokenizer.json").write_text(tokenizer)
    return list(folder.iterdir())


def link(files, folder):
    for file in files:
        (folder / file.name).symlink_to(file)


def write_files(case, folder):
    for name, data in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data())


def command_line(command, file):
    line = [BIN]
    for part in COMMANDS[command]:
        if isinstance(part, dict):
            line += [argument for pair in part.items() for argument in pair]
        else:
            line.append(part)
    return [file if argument == "FILE" else argument for argument in line]


@pytest.fixture(scope="session")
def run():
    """Runs a command of COMMANDS on a file, in a folder, with a limit in seconds."""
    with subprocess.Popen([sys.executable, "-I", "-S", HERE / "measure.py"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as measurer:
        def ask(command, file, folder, seconds):
            arguments = [str(seconds), str(folder), *command_line(command, file)]
            print(*arguments, sep="\0", file=measurer.stdin, flush=True)
            status, peak_kib, is_late = map(int, measurer.stdout.readline().split())
            assert not is_late, f"no end within {seconds} s"
            texts = [(folder / name).read_bytes().decode(errors="backslashreplace")
                     for name in ("stdout", "stderr")]
            return Outcome(status, peak_kib, *texts)
        yield ask


@pytest.fixture(scope="session")
def controls(run, good_files, tmp_path_factory):
    """The peak memory of every command on a good file, in KiB."""
    peaks = {}
    for command, file in GOOD.items():
        folder = tmp_path_factory.mktemp(f"control_{command}")
        link(good_files, folder)
        outcome = run(command, file, folder, 60)
        assert outcome.status == 0, f"{command}: {outcome.stderr}"
        peaks[command] = outcome.peak_kib
    return peaks


def check_failed_input(case, error, outcome, folder):
    """The row of failed_inputs.txt: error, record, offset."""
    if case.record is None and case.offset is None:
        return
    _, *rows = (folder / "out" / "failed_inputs.txt").read_text().splitlines()
    assert len(rows) == 1
    _, name, record, offset, _ = rows[0].split("\t")
    assert name == error
    assert case.record is None or int(record) == case.record, outcome.stderr
    assert case.offset is None or int(offset) == case.offset, outcome.stderr


def check_error(case, outcome, folder):
    text = outcome.stderr + outcome.stdout
    found = [name for name in case.error.split("|") if ERRORS[name][1] in text]
    assert found, f"expected {case.error}, found: {text[:2000]}"
    assert os.WEXITSTATUS(outcome.status) == ERRORS[found[0]][0]
    for part in case.says:
        assert part in text
    check_failed_input(case, found[0], outcome, folder)
    if COMMANDS[case.command][0] != "utils":
        assert outcome.stdout == ""
    tables = [str(path) for pattern in TABLES for path in folder.rglob(pattern)]
    assert not tables


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_hostile_file(case, run, good_files, controls, tmp_path):
    link(good_files, tmp_path)
    write_files(case, tmp_path)
    outcome = run(case.command, case.given(), tmp_path, 20)
    assert os.WIFEXITED(outcome.status), f"ended by signal {os.WTERMSIG(outcome.status)}"
    if case.error is None:  # `utils validate` also ends with 1 where predict would only warn
        assert os.WEXITSTATUS(outcome.status) == ("NOT VALID" in outcome.stdout), outcome.stderr
    else:
        check_error(case, outcome, tmp_path)
    assert len(outcome.stderr) <= LONGEST_MESSAGE
    assert outcome.stderr.replace("\n", "").isprintable()
    assert not list(tmp_path.rglob("canary*")), "something in the file was executed"
    granted = controls[case.command] + EXTRA_MEMORY_KIB + BYTES_A_LETTER * case.letters // 1024
    assert outcome.peak_kib <= granted, f"{outcome.peak_kib} KiB, {granted} granted"
    for path in tmp_path.iterdir():  # some files are large, and pytest keeps the folders
        if path.is_file():
            path.unlink()


def test_no_two_cases_have_one_name():
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names) >= 100
