"""Interrupted and resumed runs, as a user sees them."""

import gzip
import json
import os
import random
import shutil
import signal
from pathlib import Path

import pytest
from conftest import SHORT, Program, fasta, flip, message, of_input
from lengths import by_length

READS = by_length(300, 1000)
UNITS_BYTES = 20_000  # size of the journal after some units


@pytest.fixture(scope="module")
def finished(genome, tmp_path_factory):
    """A folder with the reads and an undisturbed run over them."""
    rng = random.Random(5)
    starts = [rng.randrange(len(genome) - 400) for _ in range(READS)]
    pieces = {f"read_{i}": genome[start:start + 300] for i, start in enumerate(starts)}
    program = Program(tmp_path_factory.mktemp("finished"))
    (program.folder / "reads.fa").write_text(fasta(pieces))
    program.predict("reads.fa", *SHORT, "-o", "expected", code=0)
    return program


@pytest.fixture
def reads(program, finished):
    return Path(shutil.copy(finished.folder / "reads.fa", program.folder))


@pytest.fixture
def expected(program, finished, reads):
    """That run's tables; the run is also copied into the test's folder."""
    shutil.copytree(finished.folder / "expected", program.folder / "expected")
    return finished.tables("expected", "reads")


@pytest.mark.parametrize("model, setting, value", (("em", "num_attention_heads", 2), ("em", "token_dropout", False),
                                                   ("dn", "layer_norm_eps", 0.5), ("dn", "num_attention_heads", 6)))
def test_a_model_with_other_settings_is_another_model(program, sequences, model, setting, value):
    """No tensor shows them, and every score depends on them."""
    program("utils", "export-weights", "synthetic:esm2_tiny", "-o", "em", code=0)
    program("utils", "export-weights", "synthetic:dnabert-s-tiny", "-o", "dn", code=0)
    models = ["--esm-model", "em", "--dnabert-model", "dn", "-p", "synthetic"]
    (program.folder / "few.fa").write_text(fasta(dict(list(sequences.items())[:20])))
    program("predict", "few.fa", *models, *SHORT, "--shard", "0/2", "-o", "s0", code=0)
    program("predict", "few.fa", *models, *SHORT, "-o", "out", code=0)
    config = program.folder / model / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {setting: value}))
    program("predict", "few.fa", *models, *SHORT, "--shard", "1/2", "-o", "s1", code=0)
    program("merge", "s0", "s1", "-o", "merged", code=3)
    program("predict", "few.fa", *models, *SHORT, "-o", "out", "--resume", code=3)


def run_half_way(program, reads):
    """A run that has most of its input and some units and waits for the rest; returns both."""
    text = reads.read_bytes()
    cut = len(text) * 3 // 4
    process = program.start_waiting(*SHORT, "-o", "out", "--name", "reads", "--token-budget", "300")
    process.stdin.write(text[:cut])
    process.stdin.flush()
    program.wait_for_journal(process)
    log = program.folder / "out" / "run.db-wal"
    program.wait_for(lambda: log.exists() and log.stat().st_size >= UNITS_BYTES, process)
    return process, text[cut:]


def stopped_half_way(program, reads, number):
    """What such a run leaves after a signal."""
    process, _ = run_half_way(program, reads)
    process.send_signal(number)
    code = process.wait(timeout=5)
    process.stdin.close()
    process.stderr.close()
    return code


def resume(program, *arguments, **options):
    return program.predict(*arguments, *SHORT, "-o", "out", "--name", "reads", "--resume", "-v",
                           **options)


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143),
                                          (signal.SIGKILL, -9)])
def test_a_run_goes_on_where_it_was_stopped(program, reads, expected, number, code):
    assert stopped_half_way(program, reads, number) == code
    assert not list((program.folder / "out").rglob("prediction_results*"))
    resume(program, "-", stdin=reads.read_bytes(), code=0)
    assert program.tables("out", "reads") == of_input(expected, "stdin")


def test_a_stopped_run_has_all_that_it_computed(program, reads, expected):
    assert stopped_half_way(program, reads, signal.SIGINT) == 130
    result = resume(program, "-", stdin=reads.read_bytes())
    units = [line for line in message(result).splitlines() if "resumed: " in line]
    assert len(units) == 1 and " 0 units" not in units[0], message(result)


def test_stdin_may_come_from_a_file_when_it_is_resumed(program, reads, expected):
    stopped_half_way(program, reads, signal.SIGKILL)
    resume(program, reads.name, code=0)
    assert program.tables("out", "reads") == expected


def test_another_stdin_is_refused(program, reads, expected):
    stopped_half_way(program, reads, signal.SIGINT)
    result = resume(program, "-", stdin=b">other\nACGT\n", code=3)
    assert "input stdin changed since the run began" in message(result)
    assert "if the input is a pipe, with --force." in message(result)
    program.predict("-", *SHORT, "-o", "out", "--name", "reads", "--force",
                    stdin=reads.read_bytes(), code=0)
    assert program.tables("out", "reads") == of_input(expected, "stdin")


@pytest.mark.parametrize("replaced", [False, True])
def test_a_journal_that_somebody_removes_is_told_of(program, reads, expected, replaced):
    process, rest = run_half_way(program, reads)
    (program.folder / "out" / "run.db").unlink()
    if replaced:
        (program.folder / "out" / "run.db").write_bytes(b"")
    _, said = process.communicate(rest, timeout=60)
    assert process.returncode == 0, said
    assert b"run.db: this file was removed or replaced" in said
    assert program.tables("out", "reads") == of_input(expected, "stdin")


def test_resume_begins_where_nothing_was_begun(program, reads, expected):
    (program.folder / "out").mkdir()
    resume(program, reads.name, code=0)
    assert program.tables("out", "reads") == expected


def test_a_run_in_the_way_is_told_of_resume(program, reads):
    stopped_half_way(program, reads, signal.SIGINT)
    assert "--resume" in message(program.predict(reads.name, *SHORT, "-o", "out", code=1))


def test_a_damaged_journal_is_refused(program, reads, expected):
    journal = program.folder / "expected" / "run.db"
    flip(journal, b"read_100")
    for flags in ([], ["--skip-checkpoint-validation"]):  # damage that is not looked for is still found
        result = program.predict(reads.name, *SHORT, "-o", "expected", "--resume", *flags, code=3)
        assert "run.db" in message(result)
        assert program.tables("expected", "reads") == expected
    result = program.predict(reads.name, *SHORT, "-o", "expected", "--force-resume", code=0)
    assert "starts over" in message(result)
    assert program.tables("expected", "reads") == expected


def test_without_checkpoints_nothing_is_kept_or_resumed(program, reads, expected):
    off = {"VIRNUCPRO_DISABLE_CHECKPOINTING": "1"}
    program.predict(reads.name, *SHORT, "-o", "out", environment=off, code=0)
    assert program.tables("out", "reads") == expected
    assert not [name for name in os.listdir(program.folder / "out") if name.startswith("run.db")]
    result = program.predict(reads.name, *SHORT, "-o", "new", "--resume", environment=off, code=1)
    assert "nothing can be resumed" in message(result)


def test_a_refusal_changes_nothing(program, reads, expected):
    def journal():
        return {name: (program.folder / "out" / name).read_bytes()
                for name in ("run.db", "run.db-wal")}

    stopped_half_way(program, reads, signal.SIGKILL)
    before = journal()
    whole = reads.read_bytes()
    reads.write_bytes(whole[:100])
    again = ["reads.fa", *SHORT, "-o", "out", "--resume"]
    assert "input stdin changed since the run began" in message(program.predict(*again, code=3))
    reads.rename(program.folder / "away.fa")
    program.predict(*again, code=1)
    (program.folder / "away.fa").rename(reads)
    assert journal() == before
    reads.write_bytes(whole)
    program.predict(*again, code=0)
    assert program.tables("out", "reads") == expected


def test_an_input_that_was_away_is_added(program, reads):
    (program.folder / "more.fa").write_text(fasta({"m": "ACGTTGCAACCA" * 30}))
    both = ["more.fa", "reads.fa", *SHORT]
    program.predict(*both, "-o", "expected", code=0)
    (program.folder / "more.fa").rename(program.folder / "away.fa")
    assert "more.fa" in message(program.predict(*both, "-o", "out", code=2))
    program.predict(*both, "-o", "out", "--resume", code=2)
    (program.folder / "away.fa").rename(program.folder / "more.fa")
    program.predict(*both, "-o", "out", "--resume", code=0)
    assert program.tables("out", "more") == program.tables("expected", "more")
    assert not (program.folder / "out" / "failed_inputs.txt").exists()


@pytest.mark.parametrize("how", [[], ["--resume"]], ids=["plain", "resume"])
def test_a_start_that_scored_nothing_binds_nobody(program, reads, how):
    whole = gzip.compress(reads.read_bytes())
    (program.folder / "reads.fa.gz").write_bytes(whole[:100])
    program.predict("reads.fa.gz", *SHORT, "-o", "out", code=1)
    (program.folder / "reads.fa.gz").write_bytes(whole)
    program.predict("reads.fa.gz", *SHORT, "--min-length", "20", "-o", "out", *how, code=0)
