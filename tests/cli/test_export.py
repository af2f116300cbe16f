"""export and utils validate-checkpoints: work on finished or interrupted runs."""

import gzip
import json
import os
import random
import resource
import sqlite3

import pytest
from conftest import (MODELS, SHORT, calls_of, change_journal, fasta, fastq, files_in, limited, message, rows_of,
                      table)
from rights import read_only, without_rights


@pytest.fixture
def run(with_reads):
    with_reads.predict("reads.fa", *SHORT, "-o", "out", code=0)
    return with_reads


def test_export_writes_the_tables_again(run):
    before = run.tables("out", "reads")
    (run.folder / "out" / "sequences.tsv").unlink()
    result = run("export", "out", code=0)
    assert result.stdout == b""
    assert "these scores mean nothing" in message(result)
    assert run.tables("out", "reads") == before


def test_export_with_another_threshold_and_viruses(run):
    run("export", "out", "-o", "other", "--threshold", "0", "--virus-fasta", code=0)
    run.predict("reads.fa", *SHORT, "-o", "whole", "--threshold", "0", "--virus-fasta", code=0)
    assert run.tables("other", "reads") == run.tables("whole", "reads")
    viruses = [(run.folder / name / "virus.fasta").read_bytes() for name in ("other", "whole")]
    assert viruses[0] == viruses[1] != b""
    assert (run.folder / "other" / "SYNTHETIC_WEIGHTS").exists()


def stated(folder):
    """What each file of a directory says of the calls."""
    with sqlite3.connect(folder / "run.db") as journal:
        print_of = dict(journal.execute("SELECT key, value FROM fingerprint"))
    journal.close()
    viruses = list(calls_of(folder).values()).count("virus")
    name = print_of["rule"]
    number = {"majority": "min_share", "viral-ngs": "min_weighted_delta"}[name]
    share = float(print_of["min_share"]) if name == "majority" else 0.3
    counts, rules = {viruses}, {(name, float(print_of["min_score"]), share)}
    if (folder / "virus.fasta").exists():
        counts.add((folder / "virus.fasta").read_text().count(">"))
    if (folder / "chunks.bed").exists():
        assert sum(row[3] == "virus" for row in rows_of(folder / "chunks.bed")) == sum(
            int(row["virus_chunks"]) for row in table(folder / "sequences.tsv"))
    assert (folder / "contigs.tsv").exists() == (name == "viral-ngs")
    if name == "viral-ngs":
        contigs = table(folder / "contigs.tsv")
        assert [row["ID"] for row in contigs] == list(calls_of(folder))
        counts.add(sum(row["call"] == "Viral" for row in contigs))
    if (folder / "report.json").exists():
        report = json.loads((folder / "report.json").read_text())
        fields = report["sections"]["scores"]["fields"]
        counts.add(report["summary"]["virus_sequences"])
        rules.add((fields["rule"], fields["min_score"], fields[number]))
    return counts, rules


COMMANDS = {
    "export": ["export", "out"],
    "strict": ["export", "out", "--min-score", "1"],
    "lax": ["export", "out", "--rule", "majority", "--min-score", "0", "--min-share", "0", "--virus-fasta"],
    "viral-ngs": ["export", "out", "--rule", "viral-ngs", "--bed", "--min-score", "0.4"],
    "report": ["report", "out"],
    "resume": ["predict", *MODELS, "reads.fa", *SHORT, "-o", "out", "--resume"],
    "resume_strict": ["predict", *MODELS, "reads.fa", *SHORT, "-o", "out", "--resume", "--rule", "majority",
                      "--min-share", "1", "--no-report"],
}


@pytest.mark.parametrize("first", ["predict", "merge"])
def test_a_directory_states_one_rule_of_calls_in_any_order(run, first):
    if first == "merge":
        for part in ("0", "1"):
            run.predict("reads.fa", *SHORT, "-o", part, "--shard", f"{part}/2", code=0)
        run("merge", "0", "1", "-o", "out", "--force", code=0)
    order = random.Random(3).choices(list(COMMANDS), k=12) + list(COMMANDS)
    for name in order:
        run(*COMMANDS[name], code=0)
        counts, rules = stated(run.folder / "out")
        assert len(counts) == len(rules) == 1, (name, counts, rules)
    result = run("report", "out", "--min-share", "0.125", code=1)
    assert "virnucpro export" in message(result)


def test_export_of_moved_inputs(run):
    (run.folder / "reads.fa").rename(run.folder / "moved.fa")
    options = ["--virus-fasta", "--min-share", "0"]
    before = run.tables("out", "reads")
    assert "reads.fa" in message(run("export", "out", *options, code=1))
    assert "names 2 files" in message(
        run("export", "out", *options, "--inputs", "moved.fa", "moved.fa", code=1))
    assert run.tables("out", "reads") == before
    run("export", "out", *options, "--inputs", "moved.fa", code=0)
    assert (run.folder / "out" / "virus.fasta").read_text().count(">") == 6


def test_the_viruses_are_those_of_the_rule(run):
    """The same rule keeps their file, another one writes it anew."""
    run("export", "out", "--virus-fasta", code=0)
    viruses = (run.folder / "out" / "virus.fasta").read_bytes()
    run("export", "out", "--bed", code=0)
    assert (run.folder / "out" / "virus.fasta").read_bytes() == viruses
    run("export", "out", "--min-score", "0.9", code=0)
    assert (run.folder / "out" / "virus.fasta").read_bytes() != viruses
    assert stated(run.folder / "out")[0] == {(run.folder / "out" / "virus.fasta").read_text().count(">")}


def test_what_inputs_are_for(run):
    result = run("export", "out", "--inputs", "reads.fa", code=1)
    assert "only --virus-fasta and --virus-fastq read inputs" in message(result)
    (run.folder / "reads.fa").rename(run.folder / "moved.fa")
    result = run("export", "out", "--virus-fasta", code=1)
    assert "export RUN_DIR --inputs FILE" in message(result)
    (run.folder / "other.fa").write_text(">other\nACGT\n")
    result = run("export", "out", "--virus-fasta", "--inputs", "other.fa", code=1)
    assert "other.fa: " in message(result) and "--inputs" in message(result)


def test_a_changed_input_is_noticed_before_any_table_changes(run):
    (run.folder / "reads.fa").write_text((run.folder / "reads.fa").read_text() + ">more\nACGT\n")
    before = run.tables("out", "reads")
    report = (run.folder / "out" / "report.json").read_bytes()
    result = run("export", "out", "--virus-fasta", "--min-share", "0", code=1)
    assert "input changed" in message(result) and not (run.folder / "out" / "virus.fasta").exists()
    assert run.tables("out", "reads") == before
    assert (run.folder / "out" / "report.json").read_bytes() == report


def test_export_replaces_a_directory_by_force_only(run):
    assert run("export", "out", "-o", "other").returncode == 0
    assert "--resume of predict or merge continues" in message(run("export", "out", "-o", "other", code=1))
    assert run("export", "out", "-o", "other", "--force").returncode == 0


def test_force_removes_nothing_before_all_is_known_to_be_there(run):
    """The inputs, which only the files of viruses need, are looked at first."""
    run("export", "out", "-o", "other", "--bed", code=0)
    before = files_in(run.folder / "other")
    assert len(before) > 4
    (run.folder / "reads.fa").write_text((run.folder / "reads.fa").read_text() + ">more\nACGT\n")
    run("export", "out", "-o", "other", "--force", "--virus-fasta", "--threshold", "0", code=1)
    after = files_in(run.folder / "other")
    assert {path: after.get(path) for path in before if path.name != "run.files"} == {
        path: content for path, content in before.items() if path.name != "run.files"}
    assert not (run.folder / "other" / "virus.fasta").exists()


def test_nothing_is_removed_where_the_disk_is_full(run):
    """In place, and in another directory."""
    run("export", "out", "-o", "other", code=0)
    for options in (["-o", "other", "--force"], ["--min-score", "0.9", "--force"]):
        folder = run.folder / (options[1] if options[0] == "-o" else "out")
        before = set(files_in(folder))
        run("export", "out", *options, **limited(resource.RLIMIT_FSIZE, 2000), code=1)
        assert before <= set(files_in(folder))


def test_what_a_stopped_export_removed_is_written_by_the_next_one(run):
    run.predict("reads.fa", *SHORT, "-o", "more", "--rule", "viral-ngs", "--bed", code=0)
    before = set(files_in(run.folder / "more"))
    run("export", "more", "--min-score", "0.9", code=1,
        environment={"LD_PRELOAD": os.environ["VIRNUCPRO_IO_SHIM"], "VNP_SHIM": "fail:rename:ENOSPC:5",
                     "VNP_SHIM_DIR": str(run.folder / "more")})
    assert not before <= set(files_in(run.folder / "more"))
    run("export", "more", "--min-score", "0.9", code=0)
    assert before <= set(files_in(run.folder / "more"))


def test_export_of_viruses_of_an_interrupted_run(run, sequences):
    run("export", "out", "--threshold", "0", code=0)
    before = run.tables("out", "reads")
    change_journal(run.folder / "out", "DELETE FROM completion", "DELETE FROM inputs")
    viruses = run.folder / "out_partial" / "virus.fasta"
    run("export", "out", "--virus-fasta", "--threshold", "0", code=2)
    assert viruses.read_text() == fasta(sequences)
    assert run.tables("out_partial", "reads") == before
    reads = run.folder / "reads.fa"
    letters = sequences["piece_3"][:60]
    reads.write_text(reads.read_text().replace(letters, letters[::-1]))
    result = run("export", "out", "--virus-fasta", "--threshold", "0", "--force", code=1)
    assert "reads.fa: input changed" in message(result)
    assert "piece_3" in message(result)
    assert viruses.read_text() == fasta(sequences), "nothing was removed before all could be written"


def test_export_of_an_input_that_rotted_behind_its_last_record(program, sequences):
    """Only the checksum shows the damage, and it follows all records."""
    stored = bytearray(gzip.compress(fastq(sequences).encode(), compresslevel=0, mtime=0))
    (program.folder / "reads.fq.gz").write_bytes(stored)
    assert program.predict("reads.fq.gz", *SHORT, "-o", "out").returncode == 0
    at = stored.index(b"\n") + 1
    stored[at] = ord("A") if stored[at] != ord("A") else ord("C")
    (program.folder / "reads.fq.gz").write_bytes(stored)
    program("export", "out", "--virus-fasta", "--threshold", "0", code=1)
    assert not (program.folder / "out" / "virus.fasta").exists()


def test_export_of_an_interrupted_run_is_marked(interrupted):
    assert "did not finish" in message(interrupted("export", "out", code=2))
    assert "0 sequences" in (interrupted.folder / "out_partial" / "PARTIAL").read_text()
    assert not list((interrupted.folder / "out").rglob("prediction_results*"))
    assert "did not finish" in message(interrupted("export", "out", "-o", "out", code=1))


def test_export_of_viruses_that_came_from_a_pipe(interrupted):
    assert "but stdin is a pipe" in message(interrupted("export", "out", "--virus-fasta", code=1))
    assert not (interrupted.folder / "out_partial").exists()


@pytest.mark.parametrize("arguments, code", [(["export"], 1), (["utils", "validate-checkpoints"], 3),
                                             (["merge", "-o", "x"], 3)])
def test_a_directory_without_a_run(program, arguments, code):
    (program.folder / "empty").mkdir()
    assert "it holds no journal" in message(program(*arguments, "empty", code=code))
    absent = message(program(*arguments, "none", code=code))
    assert arguments[0] == "utils" or "none: input not found: there is no such directory" in absent


def test_export_of_a_directory_that_cannot_be_written(run, tmp_path):
    before = run.tables("out", "reads")
    with read_only(run.folder / "out"):
        result = run("export", "out", "-o", tmp_path / "copy", preexec_fn=without_rights)
    assert result.returncode == 0, message(result)
    assert run.tables(tmp_path / "copy", "reads") == before


@pytest.mark.parametrize("closed", ["out", "out/run.db"])
def test_a_journal_that_may_not_be_read(run, closed):
    mode = (run.folder / closed).stat().st_mode
    (run.folder / closed).chmod(0)
    result = run("utils", "validate-checkpoints", "out", preexec_fn=without_rights)
    (run.folder / closed).chmod(mode)
    assert result.returncode == 3
    assert f"{closed}: input not found: Permission denied" in message(result)
    assert "TMPDIR" not in message(result)


def test_validate_checkpoints_describes_a_run(run):
    for flags, state in (([], "whole"),
                         (["--skip-load"], "no unit is missing; the units were not read")):
        result = run("utils", "validate-checkpoints", "out", *flags, code=0)
        assert f"out: {state}\n  run       finished\n" in result.stdout.decode()
        assert "reads.fa: 6 sequences" in result.stdout.decode()
        assert "chunk_size: 100" in result.stdout.decode()
