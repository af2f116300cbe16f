"""merge: one run from those of all shards."""

import json
import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import (BIN, SHORT, Program, change_journal, fasta, fastq, flip, limited, message, table,
                      telemetry_of)
from lengths import by_length

RECORDS = by_length(600, 4500)
TOOL = Path(os.environ["VIRNUCPRO_TOOLS"]) / "shards_tool"


@pytest.fixture(scope="module")
def shards(tmp_path_factory, genome):
    """A run over three inputs, one of them damaged, and its two shards."""
    program = Program(tmp_path_factory.mktemp("shards"))
    pieces = {f"read_{i}": genome[i:i + 40 + i * 37 % 200] for i in range(RECORDS)}
    (program.folder / "reads.fa").write_text(fasta(pieces))
    (program.folder / "cut.fa").write_bytes(b">c\nACGTACGTACGTACGT\n>cut\nAC\0")
    inputs = ["reads.fa", "cut.fa", "reads.fa"]
    for output, flags in (("whole", []), ("a", ["--shard", "0/2"]), ("b", ["--shard", "1/2"])):
        program.predict(*inputs, *SHORT, "-o", output, *flags, code=2)
    return program


def test_the_last_lines_are_results_files_and_the_next_step(shards):
    told = message(shards("merge", "a", "b", "-o", "told", code=2)).splitlines()
    names = [line.split(":")[0] for line in told if not line.startswith((" ", "warning"))]
    assert names == ["calls", "tables", "report", "next"]
    assert "next: repair the inputs that told/failed_inputs.txt names, then run virnucpro predict --resume " \
           "again for every shard, and then" in "\n".join(told)
    again = message(shards("merge", "a", "b", "-o", "told", "--resume", code=2)).splitlines()
    assert [line.split(":")[0] for line in again] == ["this merge was finished before", "calls", "tables", "report"]


@pytest.mark.parametrize("arguments, why", [
    (["a", "b", "-o", "-"], "--output -: a directory is needed, not stdout"),
    (["a", "", "-o", "x"], "RUN_DIR: the value is empty"),
    (["a", "b", "-o", "x", "--force", "--resume"], "give only one of them"),
    (["--", "a", "b"], "--output is required")])
def test_wrong_use(shards, arguments, why):
    assert why in message(shards("merge", *arguments, code=1))
    assert not (shards.folder / "-").exists()


def test_merge_makes_one_run_of_its_shards(shards):
    for runs in (["b", "a"], ["a", "b"]):
        shards("merge", *runs, "-o", "merged", "--force", code=2)  # one input is damaged
        assert shards.tables("merged", "reads") == shards.tables("whole", "reads")
        failed = [(shards.folder / name / "failed_inputs.txt").read_bytes()
                  for name in ("merged", "whole")]
        assert failed[0] == failed[1]
    for name in ("merged", "whole"):
        shards("export", name, "-o", f"{name}_viruses", "--virus-fasta", code=2)
        exported = shards.folder / f"{name}_viruses" / "failed_inputs.txt"
        assert exported.read_bytes() == failed[0]
    viruses = [(shards.folder / f"{name}_viruses" / "virus.fasta").read_bytes()
               for name in ("merged", "whole")]
    assert viruses[0] == viruses[1]


def bases_of(folder):
    return sum(int(row["length"]) for row in table(folder / "sequences.tsv"))


def test_shards_have_about_as_many_bases(program):
    program("generate", "-n", "50", "--length", "lognormal:2000,0.8,300-20000", "--seed", "1",
            "-o", "contigs.fa", code=0)
    names = ["0", "1", "2"]
    program.predict("contigs.fa", *SHORT, "-o", "whole", code=0)
    for name in names:
        program.predict("contigs.fa", *SHORT, "-o", name, "--shard", f"{name}/3", code=0)
    bases = [bases_of(program.folder / name) for name in names]
    assert sum(bases) == bases_of(program.folder / "whole")
    assert max(bases) <= 1.3 * sum(bases) / 3
    program("merge", *names, "-o", "merged", code=0)
    assert program.tables("merged", "contigs") == program.tables("whole", "contigs")


@pytest.mark.parametrize("form", ["fastq", "bam"])
def test_mates_stay_together(program, genome, form):
    lengths = [40 + 97 * k % 200 for k in range(60)]
    reads = {f"read_{k}": genome[100 * k:100 * k + length] for k, length in enumerate(lengths)}
    if form == "fastq":
        for name in ("r1.fq", "r2.fq"):
            (program.folder / name).write_text(fastq(reads))
        inputs = ["--paired", "r1.fq", "r2.fq"]
    else:
        (program.folder / "reads.sam").write_text("@HD\tVN:1.6\n" + "".join(
            f"{name}\t{flag}\t*\t0\t0\t*\t*\t0\t0\t{letters}\t*\n"
            for name, letters in reads.items() for flag in (77, 141)))
        inputs = ["reads.sam"]
    program.predict(*inputs, *SHORT, "--name", "x", "-o", "whole", code=0)
    parts = [str(k) for k in range(4)]
    for part in parts:
        program.predict(*inputs, *SHORT, "--name", "x", "-o", part, "--shard", f"{part}/4", code=0)
        ids = [row["sequence_id"] for row in table(program.folder / part / "sequences.tsv")]
        assert len(ids) > 10
        assert [name[:-2] for name in ids[::2]] == [name[:-2] for name in ids[1::2]]
    program("merge", *parts, "-o", "merged", code=0)
    assert program.tables("merged", "x") == program.tables("whole", "x")


def test_a_merged_run_is_resumed_as_the_whole_one(shards):
    assert shards("merge", "a", "b", "-o", "resumed").returncode == 2
    shards.predict("reads.fa", "cut.fa", "reads.fa", *SHORT, "-o", "resumed", "--resume", code=2)
    assert shards.tables("resumed", "reads") == shards.tables("whole", "reads")


@pytest.mark.parametrize("flags", [[], ["--force"]])
def test_merge_into_one_of_its_shards(shards, flags):
    before = shards.tables("a", "reads")
    result = shards("merge", "a", "b", "-o", "./b/../a", *flags, code=1)
    assert "is one of the shards" in message(result)
    assert shards.tables("a", "reads") == before


def test_merge_keeps_what_its_shards_have(with_reads):
    tables = ["--rule", "viral-ngs", "--min-chunks", "1", "--sort", "natural", "--bed",
              "--min-score", "0.4"]
    with_reads.predict("reads.fa", *SHORT, *tables, "-o", "whole", code=0)
    for part in ("0", "1"):
        with_reads.predict("reads.fa", *SHORT, *tables, "-o", part, "--shard", f"{part}/2", code=0)
    with_reads("merge", "1", "0", "-o", "merged", code=0)
    for name in ("sequences.tsv", "contigs.tsv", "chunks.bed"):
        assert (with_reads.folder / "merged" / name).read_bytes() == (
            with_reads.folder / "whole" / name).read_bytes()
    ask = ["merge", "1", "0", "--rule", "viral-ngs", "-o", "asked", "--force"]
    with_reads(*ask, code=0)
    contigs = [(with_reads.folder / name / "contigs.tsv").read_bytes() for name in ("asked", "whole")]
    assert contigs[0] == contigs[1]
    other = ["--rule", "viral-ngs", "--min-chunks", "1", "--min-weighted-delta", "1", "--sort", "input"]
    with_reads("export", "whole", *other, "--min-score", "0.4", "-o", "other", code=0)
    with_reads(*ask, "--min-weighted-delta", "1", "--sort", "input", code=0)
    contigs = [(with_reads.folder / name / "contigs.tsv").read_bytes() for name in ("asked", "other", "whole")]
    assert contigs[0] == contigs[1] != contigs[2]
    with_reads("export", "0", "--min-score", "0.9", code=0)
    result = with_reads("merge", "0", "1", "-o", "two_rules", code=3)
    assert "its calls are by another rule" in message(result)
    with_reads("merge", "0", "1", "-o", "one_rule", "--min-score", "0.4", code=0)
    assert (with_reads.folder / "one_rule" / "sequences.tsv").read_bytes() == (
        with_reads.folder / "whole" / "sequences.tsv").read_bytes()


def test_shards_of_two_rules(with_reads):
    """They are merged by one that is given, with each number in which they differ."""
    with_reads.predict("reads.fa", *SHORT, "--rule", "viral-ngs", "--min-chunks", "1", "-o", "0", "--shard",
                "0/2", code=0)
    with_reads.predict("reads.fa", *SHORT, "-o", "1", "--shard", "1/2", code=0)
    told = message(with_reads("merge", "0", "1", "-o", "merged", code=3))
    assert "1 (shard 1): its calls are by another rule (majority: " in told
    assert "than those of 0 (viral-ngs: " in told and "--min-chunks 1): give merge one --rule" in told
    for rule in (["--rule", "majority"], ["--rule", "viral-ngs", "--min-chunks", "1"],
                 ["--rule", "viral-ngs", "--min-chunks", "5", "--min-tier", "high"]):
        with_reads("merge", "0", "1", *rule, "-o", "merged", "--force", code=0)
        with_reads.predict("reads.fa", *SHORT, *rule, "-o", "whole", "--force", code=0)
        assert with_reads.tables("merged", "reads") == with_reads.tables("whole", "reads")
        contigs = [with_reads.folder / name / "contigs.tsv" for name in ("merged", "whole")]
        assert [path.exists() for path in contigs] == [rule[1] == "viral-ngs"] * 2
        if contigs[0].exists():
            assert contigs[0].read_bytes() == contigs[1].read_bytes()
    with_reads("export", "1", "--rule", "viral-ngs", code=0)
    told = message(with_reads("merge", "0", "1", "--rule", "viral-ngs", "-o", "two", code=3))
    # The numbers are told.
    assert "--min-chunks 5) than those of 0 (viral-ngs: " in told and "--min-chunks 1): give merge" in told


# --- what is wrong with shards ---------------------------------------------------------------------
def left_unfinished(run):
    change_journal(run, "DELETE FROM completion", "DELETE FROM inputs WHERE input = 2",
                   "DELETE FROM units WHERE unit >> 32 = 2")


def spoilt(run):
    flip(run / "run.db", b"read_")


def linked(run):
    (run / "run.db").rename(run / "elsewhere.db")
    (run / "run.db").symlink_to("elsewhere.db")


def locked_elsewhere(run):
    (run / "run.lock").write_text("node17 4711 1 some-boot 1 flock - 1\n")


@pytest.fixture(scope="module")
def five(tmp_path_factory, genome):
    """A run, its five shards, and shards that are of others."""
    program = Program(tmp_path_factory.mktemp("five"))
    for name, first in (("reads.fa", 0), ("other.fa", 7)):
        pieces = {f"read_{i}": genome[100 * i + first:100 * i + 90 + i] for i in range(30)}
        (program.folder / name).write_text(fasta(pieces))
    inputs = ["reads.fa"] * 3
    for k in range(5):
        program.predict(*inputs, *SHORT, "--shard", f"{k}/5", "-o", f"{k}", code=0)
    program.predict(*inputs, *SHORT, "-o", "whole", code=0)
    program.predict(*inputs, *SHORT, "--shard", "1/6", "-o", "of_six", code=0)
    program.predict(*inputs, "-e", "60", "--no-progress", "--shard", "1/5", "-o", "cut_short", code=0)
    program.predict("reads.fa", "reads.fa", "other.fa", *SHORT, "--shard", "1/5", "-o", "of_other",
                    code=0)
    for name, spoil in (("unfinished", left_unfinished), ("damaged", spoilt),
                        ("junk", lambda run: (run / "run.db").write_text("no journal")),
                        ("linked", linked), ("of_a_dead_node", locked_elsewhere)):
        shutil.copytree(program.folder / "1", program.folder / name)
        spoil(program.folder / name)
    shutil.copytree(program.folder / "1", program.folder / "twin")
    (program.folder / "empty").mkdir()
    return program


ASK = "the shards do not make one run: "
MISSING = "missing shards: 1 (1 of 5)"
BAD = {
    "missing": (["0", "2", "3", "4"], [MISSING], "--shard I/5 --resume, for I = 1."),
    "several missing": (["3"], ["missing shards: 0-2, 4 (4 of 5)"], "for I = 0-2, 4."),
    "given twice": (["0", "1", "2", "3", "4", "./1"], ["./1: it was given twice"], "once, and no other"),
    "doubled": (["0", "1", "2", "3", "4", "twin"], ["twin (shard 1): 1 holds the same shard"], "once, and"),
    "of another number": (["0", "of_six", "2", "3", "4"], [
        MISSING, "of_six (shard 1): it belongs to another run than 0: the number of shards (is 6 "
        "instead of 5)"], "--resume, for I = 1"),
    "no shard": (["0", "whole", "2", "3", "4"], [
        MISSING, "whole (shard 0): it belongs to another run than 0: the number of shards (is 1 "], "for I = 1"),
    "of other settings": (["cut_short", "0", "2", "3", "4"], [
        MISSING, "cut_short (shard 1): it belongs to another run than 0: the chunk size (is 60 instead of 100)"],
        "for I = 1"),
    "of another input": (["of_other", "0", "2", "3", "4"], [
        "of_other (shard 1): its input other.fa (30 sequences) differs from input reads.fa of 0 (30 sequences): all "
        "shards must read the same inputs"], "no other"),
    "unfinished": (["0", "unfinished", "2", "3", "4"], [
        "unfinished (shard 1): it did not finish: it has ", " sequences so far, and 2 of 3 inputs are "
        "done"], "--resume, for I = 1."),
    "damaged": (["0", "damaged", "2", "3", "4"], ["damaged/run.db: the run's journal is damaged"],
                "--force-resume, for I = 1."),
    "no run": (["0", "empty", "2", "3", "4", "absent"], [
        MISSING, "empty: input not found: it holds no journal of a run",
        "absent: input not found: there is no such directory"],
        "Check the paths that were not found, and that you may read them. For shards that were never run, run "
        "predict with the settings of the other shards and --shard I/5 --resume, for I = 1."),
    "no journal": (["0", "junk", "2", "3", "4"], [MISSING, "junk/run.db: the run's journal is damaged"],
                   "--shard I/5 --force-resume, for I = 1."),
    "a link": (["0", "linked", "2", "3", "4"], ["linked/run.db: the run's journal is damaged"],
               "Nothing was opened or changed. If the run is yours, move that file away and run again"),
    "of a dead node": (["0", "of_a_dead_node", "2", "3", "4"], ["of_a_dead_node/run.lock: another run"],
                       "If host node17 no longer has this process, remove run.lock and continue with "
                       "predict --resume."),
}


@pytest.mark.parametrize("bad", BAD)
def test_a_shard_that_is_wrong_is_named(five, bad):
    runs, reasons, remedy = BAD[bad]
    shutil.rmtree(five.folder / "never", ignore_errors=True)
    result = five("merge", *runs, "-o", "never", code=3)
    for reason in (ASK, *reasons):
        assert reason in message(result)
    assert remedy in message(result).splitlines()[-1]
    # Damage is found when all is read, and the directory is locked meanwhile.
    assert bad == "damaged" or not (five.folder / "never").exists()
    assert not list((five.folder / "never").glob("**/*"))


def test_all_wrong_shards_are_named_at_once(five):
    result = five("merge", "cut_short", "0", "unfinished", "of_six", "4", "./4", "absent", "-o", "never",
                  code=3)
    for part in ("missing shards: 2-3 (2 of 5)", "absent: input not found", "./4: it was given twice",
                 "cut_short (shard 1): it belongs to another run", "of_six (shard 1): it belongs to another run",
                 "unfinished (shard 1): it did not finish"):
        assert part in message(result)
    assert message(result).count(ASK) == 1


def test_a_shard_that_is_running_is_named(five):
    process = five.start_waiting(*SHORT, "--shard", "1/5", "-o", "running")
    five.wait_for_journal(process, "running")
    result = five("merge", "0", "running", "2", "3", "4", "-o", "never", code=3)
    process.kill()
    process.communicate()
    assert "running/run.lock: another run is using the output directory" in message(result)
    assert "Wait until that run has ended." in message(result)


def test_an_input_is_mended_for_all_shards(with_reads):
    (with_reads.folder / "cut.fa").write_bytes(b">cut\nAC\0")
    for part in range(3):
        with_reads.predict("reads.fa", "cut.fa", *SHORT, "-o", part, "--shard", f"{part}/3", code=2)
    (with_reads.folder / "cut.fa").write_text(fasta({"mended": "ACGT" * 50}))
    with_reads.predict("reads.fa", "cut.fa", *SHORT, "-o", "1", "--shard", "1/3", "--resume", code=0)
    result = with_reads("merge", "0", "1", "2", "-o", "merged", code=3)
    assert "0 (shard 0), 2 (shard 2): it could not process its input cut.fa, but 1 could" in message(result)
    assert "--resume, for I = 0, 2. Then merge again." in message(result)


def test_telemetry_and_reports_are_those_of_the_whole(five):
    five("merge", *"01234", "-o", "merged", "--force", code=0)
    merged, whole = (telemetry_of(five.folder / name) for name in ("merged", "whole"))
    parts = [telemetry_of(five.folder / name) for name in "01234"]
    for name, value in whole["workload"].items():
        if name != "batches":  # a batch holds frames of one shard
            assert merged["workload"][name] == value, name
    assert merged["workload"]["batches"] == sum(part["workload"]["batches"] for part in parts)
    assert merged["run"]["status"] == "finished"
    assert merged["run"]["started"] == parts[0]["run"]["started"]
    assert merged["run"]["command"][1] == "merge"
    assert merged["machine"]["host"] == whole["machine"]["host"]
    assert merged["settings"] == parts[0]["settings"]
    # They ran one after the other.
    assert merged["run"]["seconds"] == pytest.approx(sum(part["run"]["seconds"] for part in parts))
    assert sum(merged["throughput"]["over_time"]["esm_tokens"]) == whole["workload"]["esm_tokens"]
    assert [shard["shard"] for shard in merged["shards"]] == [f"{k}/5" for k in range(5)]
    assert [shard["sequences"] for shard in merged["shards"]] == [
        part["workload"]["sequences_scored"] for part in parts]
    reports = [json.loads((five.folder / name / "report.json").read_text())
               for name in ("merged", "whole")]
    for key in ("scores", "inputs"):
        assert reports[0]["sections"][key] == reports[1]["sections"][key], key
    assert len(reports[0]["sections"]["shards"]["tables"]["shards"]) == 5
    for name in ("report.html", "report.md", "virnucpro_mqc.json", "virnucpro_scores_mqc.tsv"):
        assert (five.folder / "merged" / name).stat().st_size > 0


def test_no_report_leaves_them_out(five):
    five("merge", *"01234", "-o", "plain", "--no-report", code=0)
    assert not list((five.folder / "plain").glob("*report*"))
    assert five.tables("plain", "reads") == five.tables("whole", "reads")
    five("merge", *"01234", "-o", "plain", "--resume", code=0)
    assert (five.folder / "plain" / "report.html").exists()


def test_shards_without_telemetry_are_told(five):
    for name in "01234":
        shutil.copytree(five.folder / name, five.folder / "unmeasured" / name)
    runs = [f"unmeasured/{name}" for name in "01234"]
    for name in "13":
        for file in (five.folder / "unmeasured" / name).rglob("*telemetry_*"):
            file.unlink()
        shutil.rmtree(five.folder / "unmeasured" / name / "logs")
    result = five("merge", *runs, "-o", "half_measured", code=0)
    assert "2 of 5 shards have no finished session with telemetry" in message(result)
    assert "unmeasured/1, unmeasured/3" in message(result)
    merged = telemetry_of(five.folder / "half_measured")
    assert [shard["sessions"] for shard in merged["shards"]] == [1, 0, 1, 0, 1]
    assert five.tables("half_measured", "reads") == five.tables("whole", "reads")
    shutil.rmtree(five.folder / "unmeasured")


def test_sessions_of_a_resumed_shard_are_added(with_reads):
    """The first session of shard 0 was killed before it wrote a summary."""
    for k in range(2):
        with_reads.predict("reads.fa", *SHORT, "--shard", f"{k}/2", "-o", f"{k}", code=0)
    first = telemetry_of(with_reads.folder / "0")
    lines = next((with_reads.folder / "0").glob("telemetry_*.jsonl"))
    killed = lines.with_name("telemetry_20200101T000000.000Z.jsonl")
    killed.write_text(lines.read_text())
    with_reads("merge", "0", "1", "-o", "merged", code=0)
    merged = telemetry_of(with_reads.folder / "merged")
    second = telemetry_of(with_reads.folder / "1")
    assert merged["run"]["started"] == "2020-01-01T00:00:00.000Z"
    assert merged["shards"][0]["sessions"] == 2
    for name in ("esm_tokens", "batches"):  # computed twice
        assert merged["workload"][name] == 2 * first["workload"][name] + second["workload"][name]
    for name in ("sequences", "frames_scored"):
        assert merged["workload"][name] == first["workload"][name] + second["workload"][name]
    assert merged["run"]["seconds"] < 3600  # not the years between the sessions


# --- resumed ---------------------------------------------------------------------------------------
def state(folder):
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
            for path in folder.rglob("*") if path.is_file()}


def test_a_finished_merge_answers_at_once(five):
    five("merge", *"01234", "-o", "again", "--resume", code=0)
    before = state(five.folder / "again")
    for flag in ("--resume", "--force-resume"):
        result = five("merge", *"43210", "-o", "again", flag, code=0)
        assert "this merge was finished before: nothing is left to do" in message(result)
        assert state(five.folder / "again") == before
    result = five("merge", *"01234", "-o", "again", code=1)
    assert "output is there already" in message(result)


@pytest.mark.parametrize("lost", ["sequences.tsv", "reads_merged/prediction_results.txt", "report.json",
                                  "telemetry"])
def test_what_is_lacking_is_written_again(five, lost):
    five("merge", *"01234", "-o", "lacking", "--force", code=0)
    folder = five.folder / "lacking"
    before = state(folder)
    missing = next(folder.glob("telemetry_*.json")) if lost == "telemetry" else folder / lost
    missing.unlink()
    journal = (folder / "run.db").stat().st_ino
    five("merge", *"01234", "-o", "lacking", "--resume", code=0)
    assert (folder / "run.db").stat().st_ino == journal
    assert set(state(folder)) == set(before)
    assert five.tables("lacking", "reads") == five.tables("whole", "reads")


def test_another_rule_is_taken_over(five):
    five("merge", *"01234", "-o", "ruled", code=0)
    five("merge", *"01234", "-o", "ruled", "--resume", "--min-score", "0.9", "--bed", code=0)
    five("export", "whole", "-o", "whole_ruled", "--min-score", "0.9", "--bed", code=0)
    for name in ("sequences.tsv", "chunks.bed"):
        assert (five.folder / "ruled" / name).read_bytes() == (
            five.folder / "whole_ruled" / name).read_bytes()
    assert telemetry_of(five.folder / "ruled")["settings"]["min_score"] == 0.9


def interrupted_predict(program):
    shutil.copytree(program.folder / "whole", program.folder / "taken")
    left_unfinished(program.folder / "taken")


def finished_predict(program):
    shutil.copytree(program.folder / "whole", program.folder / "taken")


def merge_of_others(program):
    inputs = ["reads.fa", "reads.fa", "other.fa"]
    program.predict(*inputs, *SHORT, "--shard", "0/1", "-o", "alone", "--force", code=0)
    program("merge", "alone", "-o", "taken", code=0)


@pytest.mark.parametrize("earlier, why", [
    (interrupted_predict, "no merge wrote it"), (finished_predict, "no merge wrote it"),
    (merge_of_others, "it was merged from other shards")])
def test_only_a_merge_of_these_shards_is_resumed(five, earlier, why):
    shutil.rmtree(five.folder / "taken", ignore_errors=True)
    earlier(five)
    before = state(five.folder / "taken")
    result = five("merge", *"01234", "-o", "taken", "--resume", code=3)
    assert why in message(result)
    assert "--force-resume" in message(result).splitlines()[-1]
    assert state(five.folder / "taken") == before
    result = five("merge", *"01234", "-o", "taken", "--force-resume", code=0)
    assert "the merge starts over" in message(result)
    assert five.tables("taken", "reads") == five.tables("whole", "reads")


def test_a_damaged_merge_starts_over_only_if_it_may(five):
    five("merge", *"01234", "-o", "spoilt", "--force", code=0)
    spoilt(five.folder / "spoilt")
    (five.folder / "spoilt" / "sequences.tsv").unlink()
    result = five("merge", *"01234", "-o", "spoilt", "--resume", code=3)
    assert "the run's journal is damaged" in message(result)
    five("merge", *"01234", "-o", "spoilt", "--force-resume", code=0)
    assert five.tables("spoilt", "reads") == five.tables("whole", "reads")


# --- many ------------------------------------------------------------------------------------------
MANY = 1000
# On how many hosts they ran, and on how many GPUs of each.
HOSTS, GPUS = 20, 4
SECONDS = 100


def measured_at(whole, shard):
    """The telemetry of a whole run as that of a shard. Half of them ran side by side, then the others."""
    summary = json.loads(json.dumps(whole))
    minute = 10 if shard < MANY // 2 else 40
    summary["run"]["started"] = f"2026-01-01T00:{minute}:00.000Z"
    summary["run"].update(seconds=SECONDS, models_ready_seconds=20)
    summary["machine"].update(host=f"node{shard % HOSTS}", driver="1")
    gpu = shard // HOSTS % GPUS
    summary["machine"]["devices"] = [{
        "id": "cuda:0", "uuid": f"GPU-{shard % HOSTS}-{gpu}", "name": "NVIDIA H200",
        "memory_bytes": 1, "power_limit_w": 700, "failure": ""}]
    summary["workers"][0]["name"] = "cuda:0"
    summary["workload"].update(esm_tokens=5000, dna_tokens=0, sequences_scored=10, batches=4)
    summary["throughput"].update(esm_tokens_per_second=100)  # so it computed for 50 s
    return minute, json.dumps(summary)


@pytest.fixture(scope="module")
def many(tmp_path_factory, five):
    program = Program(tmp_path_factory.mktemp("many"))
    subprocess.run([TOOL, program.folder, str(MANY), "20000"], check=True)
    whole = telemetry_of(five.folder / "whole")
    for shard in range(MANY):
        minute, text = measured_at(whole, shard)
        (program.folder / f"{shard}" / f"telemetry_20260101T00{minute}00.000Z.json").write_text(text)
    program("export", "whole", code=0)
    return program


def merge_measured(program, runs, output):
    """Merges with few open files; the largest memory in KiB."""
    process = subprocess.Popen(
        [BIN, "merge", *runs, "-o", output], cwd=program.folder, env=program.environment,
        stderr=subprocess.PIPE, **limited(resource.RLIMIT_NOFILE, 40))
    text = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, text
    return usage.ru_maxrss


def test_a_thousand_shards(many):
    """In bounded memory: more than for two, but not by what a journal takes that is open."""
    subprocess.run([TOOL, many.folder / "two", "2", "20000"], check=True)
    few = merge_measured(many, ["two/0", "two/1"], "merged_two")
    most = merge_measured(many, [f"{k}" for k in reversed(range(MANY))], "merged")
    assert most < few + (96 << 10)
    for name in ("merged", "merged_two"):
        assert many.tables(name, "reads") == many.tables("whole", "reads")


def test_telemetry_of_a_thousand_shards(many):
    if not (many.folder / "merged").exists():
        many("merge", *range(MANY), "-o", "merged", code=0)
    merged = telemetry_of(many.folder / "merged")
    assert len(merged["shards"]) == MANY
    assert merged["workload"]["esm_tokens"] == 5000 * MANY
    assert merged["workload"]["sequences_scored"] == 10 * MANY
    # Two times of 100 s in which shards ran, of which they computed for 50 s.
    assert merged["run"]["started"] == "2026-01-01T00:10:00.000Z"
    assert merged["run"]["seconds"] == pytest.approx(2 * SECONDS)
    assert merged["throughput"]["esm_tokens_per_second"] == pytest.approx(5000 * MANY / 100)
    assert merged["throughput"]["sequences_per_second"] == pytest.approx(10 * MANY / 100)
    gpus = merged["machine"]["devices"]
    assert len(gpus) == HOSTS * GPUS == len({gpu["uuid"] for gpu in gpus}) == len({gpu["id"] for gpu in gpus})
    assert "node7:cuda:0 GPU-7-3" in {gpu["id"] for gpu in gpus}
    assert len(merged["workers"]) == HOSTS * GPUS
    assert len(merged["machine"]["host"].split(", ")) == HOSTS
    report = json.loads((many.folder / "merged" / "report.json").read_text())
    assert len(report["sections"]["shards"]["tables"]["shards"]) == MANY
    assert len(report["sections"]["reproduce"]["tables"]["devices"]) == HOSTS * GPUS


def test_all_of_many_wrong_shards_are_named(many):
    lost = [k for k in range(MANY) if k % 3 == 1]
    for k in range(0, MANY, 3):
        change_journal(many.folder / f"{k}", "DELETE FROM completion")
    result = many("merge", *(k for k in range(MANY) if k % 3 != 1), "-o", "never", code=3)
    assert "missing shards: 1, 4, 7, " in message(result)
    assert f" ({len(lost)} of {MANY})" in message(result)
    assert "shards 0, 3, 6, " in message(result)
    assert f"{(MANY - 1) // 3 * 3}: it did not finish\n" in message(result)
