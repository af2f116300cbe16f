"""What lies in the folders of benchmark before it begins: links, second names and pipes."""

import os

import pytest
from conftest import MODELS, message

CALL = ["benchmark", *MODELS, "--device", "cpu", "-t", "1", "--quick", "--data-size", "tiny", "--suite", "end-to-end",
        "-o", "out"]

KINDS = pytest.mark.parametrize("make", [os.symlink, os.link, lambda _, path: os.mkfifo(path)],
                                ids=["link", "second-name", "pipe"])


@pytest.fixture
def mine(program):
    """A folder of the user's, with a file."""
    (program.folder / "mine").mkdir()
    (program.folder / "mine" / "file").write_text("mine\n")
    return program.folder / "mine"


def assert_kept(mine):
    assert {path.name: path.read_text() for path in mine.iterdir()} == {"file": "mine\n"}


@pytest.mark.parametrize("name", ["runs", "weights", "data", "runs/001_whole_10", "data/coding_10_150.fa"])
def test_links_are_not_followed(program, mine, name):
    link = program.folder / "out" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(mine)
    result = program(*CALL, code=None)
    assert result.returncode in (1, 2) and f"{name}: output is there already" in message(result), message(result)
    assert "links are not followed" in message(result)
    assert_kept(mine)


@KINDS
def test_a_log_has_a_file_of_its_own(program, mine, make):
    log = program.folder / "out" / "runs" / "001_whole_10.log"
    log.parent.mkdir(parents=True)
    make(mine / "file", log)
    program(*CALL, code=0, timeout=100)
    assert log.is_file() and not log.is_symlink() and log.stat().st_size > 0
    assert_kept(mine)


@KINDS
def test_a_history_has_a_file_of_its_own(program, mine, make):
    (program.folder / "kept").mkdir()
    make(mine / "file", program.folder / "kept" / "history.jsonl")
    assert "kept/history.jsonl: " in message(program(*CALL, "--history", "kept", code=1, timeout=100))
    assert not (program.folder / "out").exists()
    assert_kept(mine)
