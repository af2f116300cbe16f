"""label-reads: reads that were aligned to a run's contigs get the contigs' calls."""

import gzip
import random
import re
import shutil
import subprocess

import pytest
from conftest import SHORT, change_journal, fasta, message, reverse_complement, rows_of, samtools

COLUMNS = ("read_id read_length contig_id contig_length strand mapping_quality pct_identity "
           "pct_query_cov mapped_well call tier weighted_delta n_chunks n_confident_viral "
           "n_confident_nonviral n_ambiguous viral_proportion nonviral_proportion mate").split()


@pytest.fixture
def run(program, genome):
    """A run of contigs, one of them too short for a frame."""
    program.contigs = {f"NODE_{k}": genome[3000 * k:3000 * k + 400 + 211 * k] for k in range(8)}
    program.contigs["short"] = "AC"
    (program.folder / "contigs.fa").write_text(fasta(program.contigs))
    program.predict("contigs.fa", *SHORT, "--rule", "viral-ngs", "-o", "run", code=0)
    return program


def header(contigs):
    return "@HD\tVN:1.6\n" + "".join(f"@SQ\tSN:{name}\tLN:{len(letters)}\n"
                                     for name, letters in contigs.items())


def line(name, contig, flags=0, quality=60, cigar="100M", tags="NM:i:0"):
    return f"{name}\t{flags}\t{contig}\t1\t{quality}\t{cigar}\t*\t0\t0\t*\t*\t{tags}\n"


def sam(run, *lines, contigs=None):
    (run.folder / "a.sam").write_text(header(contigs or run.contigs) + "".join(lines))


def table(run, name="a_reads.tsv"):
    return rows_of(run.folder / name)


def calls_of(run):
    """A contig's columns from call to nonviral_proportion, as contigs.tsv has them."""
    return {row[0]: row[1:10] for row in table(run, "run/contigs.tsv")[1:]}


def test_a_read_has_the_columns_of_its_contig(run):
    sam(run, line("a", "NODE_1", flags=16, cigar="10S80M2I3D8M5H", tags="NM:i:7"),
        line("b", "short", quality=0), line("c", "NODE_3", flags=1 + 128))
    result = run("label-reads", "run", "a.sam", code=0)
    assert result.stdout == b""
    calls = calls_of(run)
    assert calls["short"][:2] == ["Unclassified", ""]
    assert table(run) == [
        COLUMNS,
        ["a", "105", "NODE_1", "611", "-", "60", "92.473", "85.714", "True", *calls["NODE_1"], "0"],
        ["b", "100", "short", "2", "+", "0", "100.0", "100.0", "False", *calls["short"], "0"],
        ["c", "100", "NODE_3", "1033", "+", "60", "100.0", "100.0", "True", *calls["NODE_3"], "2"]]


def test_every_form_of_the_input_gives_the_same_table(run):
    source = random.Random(5)
    sam(run, *(line(f"r{source.randrange(300)}", source.choice(list(run.contigs)),
                    flags=source.choice([0, 16, 65, 129, 256, 2048, 4]),
                    quality=source.randrange(61), tags=f"NM:i:{source.randrange(30)}")
               for _ in range(2000)))
    text = (run.folder / "a.sam").read_bytes()
    bam = samtools(run.folder, "view", "-b", "a.sam")
    (run.folder / "a.bam").write_bytes(bam)
    wanted = run("label-reads", "run", "a.sam", "-o", "-", code=0)
    assert len(wanted.stdout.splitlines()) > 200
    assert b"skipped: " in wanted.stderr and b"unmapped: " in wanted.stderr
    assert run("label-reads", "run", "a.bam", "-o", "-", code=0).stdout == wanted.stdout
    for data in (text, bam):
        assert run("label-reads", "run", "-", "-o", "-", stdin=data, code=0).stdout == wanted.stdout
    run("label-reads", "run", "-", stdin=bam, code=0)
    assert (run.folder / "stdin_reads.tsv").read_bytes() == wanted.stdout
    assert run("label-reads", "run", "a.bam", "-o", "x.tsv", "-q", code=0).stderr == b""
    assert (run.folder / "x.tsv").read_bytes() == wanted.stdout


def test_mates_and_unclassified_contigs(run):
    sam(run, line("p", "short", flags=1 + 64), line("p", "NODE_2", flags=1 + 128, quality=20))
    call = calls_of(run)["NODE_2"][0]

    def rows(*options):
        run("label-reads", "run", "a.sam", "-f", *options, code=0)
        return [(row[2], row[9], row[10], row[18]) for row in table(run)[1:]]
    tier = calls_of(run)["NODE_2"][1]
    assert rows() == [("short", "Multi-mapped", "review", "1")]
    assert rows("--mates", "apart") == [("short", "Unclassified", "", "1"),
                                        ("NODE_2", call, tier, "2")]
    assert rows("--unclassified", "ignored") == [("NODE_2", call, tier, "2")]


def test_the_rule_is_the_runs_own(run):
    sam(run, line("a", "NODE_1"))
    run("export", "run", "--min-weighted-delta", "1", code=0)
    run("label-reads", "run", "a.sam", code=0)
    assert table(run)[1][9] == "Ambiguous"
    run.predict("contigs.fa", *SHORT, "-o", "plain", code=0)
    run("export", "run", "--min-weighted-delta", "0.3", code=0)
    run("label-reads", "plain", "a.sam", "-f", code=0)
    assert table(run)[1][9:18] == calls_of(run)["NODE_1"]
    (run.folder / "run" / "contigs.tsv").unlink()
    before = table(run)
    run("label-reads", "run", "a.sam", "-f", code=0)
    assert table(run) == before


def test_the_summary_counts(run):
    sam(run, line("a", "NODE_1"), line("a", "NODE_1", flags=256), line("a", "NODE_1", flags=2048),
        line("b", "*", flags=4, cigar="*"), line("c", "elsewhere"), line("d", "elsewhere"),
        contigs={**run.contigs, "elsewhere": "A" * 500, "nowhere": "A"})
    shown = message(run("label-reads", "run", "a.sam", code=0))
    assert "Unclassified              2\n" in shown
    assert "skipped: 1 secondary and 1 supplementary alignments\n" in shown
    assert "unmapped: 1 records\n" in shown
    assert ("warning: 2 of 11 reference sequences are not in the run; 2 alignments to them are "
            "Unclassified; the first is to elsewhere\n") in shown
    assert shown.endswith("reads: a_reads.tsv\n")


@pytest.mark.parametrize("lines, why", [
    ([line("a", "NODE_1", tags="XX:i:1")], "a.sam: record 2, byte .* has no tag NM.*\n.*samtools calmd"),
    ([line("a", "NODE_1", tags="NM:i:101")], "NM is 101, but only 100"),
    ([line("a", "gone")], "RNAME gone is not in the header"),
    ([line("a", "NODE_1")[:-9]], "input ends too early"),
])
def test_records_that_cannot_be_leave_no_table(run, lines, why):
    sam(run, line("good", "NODE_1"), *lines)
    assert re.search(why, message(run("label-reads", "run", "a.sam", code=1)))
    assert not list(run.folder.glob("a_reads*"))


def test_a_cut_bam_leaves_no_table(run):
    sam(run, *(line(f"r{k}", "NODE_1") for k in range(500)))
    data = samtools(run.folder, "view", "-b", "a.sam")
    for size in (len(data) // 2, len(data) - 28, len(data) - 1):
        (run.folder / "cut.bam").write_bytes(data[:size])
        assert "input ends too early" in message(run("label-reads", "run", "cut.bam", code=1))
        assert not list(run.folder.glob("cut_reads*"))


def test_other_references_are_refused(run):
    other = {**run.contigs, "NODE_2": run.contigs["NODE_2"] + "A"}
    sam(run, line("a", "NODE_1"), contigs=other)
    shown = message(run("label-reads", "run", "a.sam", code=1))
    assert "NODE_2 has 823 letters in this file and 822 in the run" in shown
    sam(run, line("a", "x"), contigs={"x": "A"})
    assert "no reference in the file is a sequence of the run" in message(run("label-reads", "run", "a.sam", code=1))
    (run.folder / "twice.fa").write_text(fasta({"NODE_1": run.contigs["NODE_1"]}) * 2)
    run.predict("twice.fa", *SHORT, "-o", "twice", code=0)
    sam(run, line("a", "NODE_1"))
    assert "the run has two sequences named NODE_1" in message(
        run("label-reads", "twice", "a.sam", code=1))


def test_other_formats_are_refused(run):
    (run.folder / "genome.fa").write_text(fasta(run.contigs))
    sam(run, line("a", "NODE_1"))
    samtools(run.folder, "view", "-C", "--output-fmt-option", "no_ref=1", "a.sam", "-o", "a.cram")
    assert "samtools view -b" in message(run("label-reads", "run", "a.cram", code=1))
    assert "neither BAM nor" in message(run("label-reads", "run", "contigs.fa", code=1))
    (run.folder / "plain.bam").write_bytes(gzip.decompress(samtools(run.folder, "view", "-b", "a.sam")))
    assert "pipe it through samtools view -b" in message(
        run("label-reads", "run", "plain.bam", code=1))
    assert "a.none: input not found" in message(run("label-reads", "run", "a.none", code=1))


def test_a_table_is_replaced_by_force_only(run):
    sam(run, line("a", "NODE_1"))
    run("label-reads", "run", "a.sam", code=0)
    assert "output is there already" in message(run("label-reads", "run", "a.sam", code=1))
    run("label-reads", "run", "a.sam", "--force", code=0)
    for lost, why in (("a.sam", "the same file as ALIGNMENTS a.sam"), ("run/run.db", "elsewhere")):
        before = (run.folder / lost).read_bytes()
        shown = message(run("label-reads", "run", "a.sam", "-f", "-o", lost, code=1))
        assert why in shown
        assert (run.folder / lost).read_bytes() == before


def test_words_that_are_not_known(run):
    sam(run, line("a", "NODE_1"))
    for flag, words in (("--mates", "join or apart"), ("--unclassified", "counts or ignored")):
        assert f"expected {words}" in message(
            run("label-reads", "run", "a.sam", flag, "both", code=1))


def test_an_unfinished_run_is_to_be_resumed(run):
    sam(run, line("a", "NODE_1"))
    change_journal(run.folder / "run", "DELETE FROM completion")
    shown = message(run("label-reads", "run", "a.sam", code=1))
    assert "the run in this directory did not finish" in shown and "predict --resume" in shown


def test_a_shard_is_to_be_merged(run):
    """It lacks the contigs of the others, which would be Unclassified."""
    sam(run, line("a", "NODE_1"))
    for part in ("0", "1"):
        run.predict("contigs.fa", *SHORT, "-o", part, "--shard", f"{part}/2", code=0)
        shown = message(run("label-reads", part, "a.sam", code=1))
        assert f"it holds shard {part}/2 of a run" in shown and "virnucpro merge" in shown
        assert not list(run.folder.glob("a_reads*"))
    run("merge", "0", "1", "-o", "merged", code=0)
    run("label-reads", "merged", "a.sam", code=0)
    assert table(run)[1][9:18] == calls_of(run)["NODE_1"]


def test_a_run_that_lacks_an_input_ends_with_2(run):
    (run.folder / "cut.fa").write_bytes(b">cut\nAC\0")
    run.predict("contigs.fa", "cut.fa", *SHORT, "-o", "partial", code=2)
    sam(run, line("a", "NODE_1"))
    shown = message(run("label-reads", "partial", "a.sam", code=2))
    assert "warning: 1 of the run's inputs could not be read" in shown
    assert table(run)[1][9:18] == calls_of(run)["NODE_1"]


def test_the_rule_is_said(run):
    """It is always viral-ngs."""
    sam(run, line("a", "NODE_1"))
    assert "rule: viral-ngs, weighted delta above 0.3\n" in message(run("label-reads", "run", "a.sam", code=0))
    run.predict("contigs.fa", *SHORT, "-o", "plain", code=0)
    shown = message(run("label-reads", "plain", "a.sam", "-f", code=0))
    assert "rule: viral-ngs, weighted delta above 0.3 (the run's own rule is majority)\n" in shown
    assert table(run)[1][9:18] == calls_of(run)["NODE_1"]
    run("export", "run", "--min-weighted-delta", "0.5", code=0)
    assert "weighted delta above 0.5\n" in message(run("label-reads", "run", "a.sam", "-f", code=0))
    assert table(run)[1][9:18] == calls_of(run)["NODE_1"]


def test_a_damaged_run_ends_with_3(run):
    sam(run, line("a", "NODE_1"))
    journal = run.folder / "run" / "run.db"
    data = bytearray(journal.read_bytes())
    data[len(data) // 2:] = bytes(len(data) - len(data) // 2)
    journal.write_bytes(data)
    run("label-reads", "run", "a.sam", code=3)
    assert "no such directory" in message(run("label-reads", "nowhere", "a.sam", code=1))


def test_reads_of_an_aligner(run, genome):
    """As a user does it: the calls are those of the contigs that the reads come from."""
    assert shutil.which("minimap2"), "make setup installs it"
    source = random.Random(9)
    origins = {}
    mates = ["", ""]
    for k in range(300):
        name = source.choice([contig for contig in run.contigs if contig != "short"])
        begin = source.randrange(len(run.contigs[name]) - 300)
        piece = run.contigs[name][begin:begin + 300]
        if k % 2:
            piece = reverse_complement(piece)
        origins[f"r{k}"] = name
        for mate, letters in enumerate((piece[:100], reverse_complement(piece[-100:]))):
            mates[mate] += f"@r{k}/{mate + 1}\n{letters}\n+\n{'I' * 100}\n"
    for mate, text in enumerate(mates, 1):
        (run.folder / f"R{mate}.fq").write_text(text)
    subprocess.run("minimap2 -ax sr contigs.fa R1.fq R2.fq | samtools view -b -o reads.bam",
                   shell=True, cwd=run.folder, check=True, capture_output=True, timeout=60)
    calls = calls_of(run)
    for options, count in (((), 300), (("--mates", "apart"), 600)):
        run("label-reads", "run", "reads.bam", "-f", *options, code=0)
        rows = table(run, "reads_reads.tsv")[1:]
        assert len(rows) == count
        for row in rows:
            assert row[2] == origins[row[0]] and row[9:18] == calls[row[2]]
            assert row[5:9] == ["60", "100.0", "100.0", "True"]


def test_nothing_of_the_run_is_replaced(run):
    (run.folder / "a.sam").write_text("@SQ\tSN:NODE_1\tLN:611\n")
    contigs = (run.folder / "contigs.fa").read_bytes()
    sequences = (run.folder / "run" / "sequences.tsv").read_bytes()
    for output, words in (("run/sequences.tsv", "elsewhere"), ("run/new.tsv", "elsewhere"),
                          ("contigs.fa", "is an input, and the output would replace it")):
        result = run("label-reads", "run", "a.sam", "-o", output, "--force", code=1)
        assert words in message(result), message(result)
    assert (run.folder / "contigs.fa").read_bytes() == contigs
    assert (run.folder / "run" / "sequences.tsv").read_bytes() == sequences
