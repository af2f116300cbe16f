"""No option lets the program overwrite or remove a file that it reads."""

import os

import pytest
from conftest import MODELS, fasta, message


@pytest.fixture
def reads(sequences, tmp_path):
    path = tmp_path / "reads.fa"
    path.write_text(fasta(sequences))
    return path


def assert_refused(result, path, before):
    assert result.returncode == 1
    assert path.read_bytes() == before
    assert path.name in message(result)


NAMES = ("virus.fasta", "reads_chunked100.fa", "embeddings.h5")


def test_force_spares_inputs_in_the_output_directory(program, reads, tmp_path):
    program.predict(reads, "-e", 100, "-o", "out", "-k", "--virus-fasta", code=0)
    for name in NAMES:
        inside = tmp_path / "out" / name
        before = inside.read_bytes()
        (tmp_path / f"link to {name}").symlink_to(inside)
        for path in (inside, f"link to {name}"):
            result = program.predict(path, "-o", "out", "--force", code=1)
            assert inside.read_bytes() == before
            assert "the output would replace it" in message(result)


@pytest.mark.parametrize("name", NAMES)
def test_force_spares_what_no_run_wrote(program, reads, tmp_path, name):
    (tmp_path / "out").mkdir()
    inside = reads.rename(tmp_path / "out" / name)
    before = inside.read_bytes()
    result = program.predict(inside, "-o", "out", "--force", "--name", "reads")
    assert_refused(result, inside, before)
    assert list((tmp_path / "out").iterdir()) == [inside]


def test_a_log_goes_into_no_other_file(program, reads):
    assert_refused(program.predict(reads, "-o", "out", "-l", reads), reads, reads.read_bytes())


def test_a_log_goes_on(program, reads, tmp_path):
    log = tmp_path / "run.log"
    for output in ("one", "two"):
        assert program.predict(reads, "-e", 100, "-o", output, "-l", log).returncode == 0
    assert log.read_text().count("command line:") == 2


def test_embeddings_replace_no_input(program, reads, tmp_path):
    os.link(reads, tmp_path / "other.fa")
    for output in (reads, "other.fa"):
        result = program("embed", reads, *MODELS[:4], "-o", output, "--force")
        assert_refused(result, reads, reads.read_bytes())


def test_tuning_replaces_no_input(program, reads, tmp_path):
    (tmp_path / "tune").mkdir()
    mine = reads.rename(tmp_path / "tune" / "tune.md")
    before = mine.read_bytes()
    result = program("tune", *MODELS, "--test-file", mine, "--force")
    assert_refused(result, mine, before)
    assert list((tmp_path / "tune").iterdir()) == [mine]


def test_figures_replace_no_input(program, reads, tmp_path):
    os.link(reads, tmp_path / "other.fa")
    for output in (reads, "other.fa"):
        result = program("profile", "-m", "esm2", *MODELS[:4], "--test-file", reads, "-o", output,
                         "--force")
        assert_refused(result, reads, reads.read_bytes())
