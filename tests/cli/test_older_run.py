"""A run by an earlier version of the program, whose journal has version 3."""

import shutil

import pytest
from conftest import MODELS, SHORT, SOURCE, calls_of, message, table

OLDER = SOURCE / "tests" / "data" / "journal_3"


@pytest.fixture
def older(program):
    shutil.copytree(OLDER / "run", program.folder / "run")
    shutil.copy(OLDER / "contigs.fa", program.folder)
    return program


def test_its_tables_are_written_again(older):
    older("export", "run", "-o", "again", "--bed", code=0)
    before = older.tables("run", "contigs")
    again = older.tables("again", "contigs")
    rows = again["sequences.tsv"].decode().splitlines()
    assert {row.rpartition("\t")[2] for row in rows} == {"input", "contigs.fa"}
    again["sequences.tsv"] = "".join(row.rpartition("\t")[0] + "\n" for row in rows).encode()
    assert again == before
    assert not (older.folder / "again" / "contigs.tsv").exists()
    older("export", "run", "-o", "ruled", "--rule", "viral-ngs", code=0)
    contigs = [row["ID"] for row in table(older.folder / "ruled" / "contigs.tsv")]
    assert contigs == [f"contig_{k}" for k in range(5)]


def test_its_share_is_the_rule(older):
    older("export", "run", "--min-score", "1", code=0)
    assert set(calls_of(older.folder / "run").values()) == {"others"}
    older("report", "run", code=0)
    report = (older.folder / "run" / "report.md").read_text()
    assert "majority" in report and "0.5" in report


def test_it_is_neither_resumed_nor_merged(older):
    journal = (older.folder / "run" / "run.db").read_bytes()
    result = older("predict", *MODELS, "contigs.fa", *SHORT, "-o", "run", "--resume", code=3)
    assert "how sequences are divided among shards" in message(result)
    result = older("merge", "run", "-o", "merged", code=3)
    assert "an earlier version divided its sequences among the shards in another way" in message(result)
    assert (older.folder / "run" / "run.db").read_bytes() == journal
