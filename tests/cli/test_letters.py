"""Letters that people have: RNA, soft-masked sequences, final stops of proteins, recoded genomes."""

import json

import h5py
import numpy as np
import pytest
from conftest import MODELS, SHORT, fasta, fastq, message

ENCODERS = MODELS[:4]


def rna(sequences):
    return {name: letters.replace("T", "U").replace("t", "u") for name, letters in sequences.items()}


@pytest.fixture
def both(program, sequences):
    (program.folder / "dna.fq").write_text(fastq(sequences))
    (program.folder / "rna.fq").write_text(fastq(rna(sequences)))
    return program


def warnings_of(result):
    return [line for line in message(result).splitlines() if "warning: " in line and "synthetic" not in line]


# --- RNA ---


@pytest.mark.parametrize("more", [[], ["dna.fq"]])
def test_rna_is_refused_with_the_two_ways_on(both, more):
    result = both.predict("rna.fq", *more, *SHORT, "-o", "out", code=2 if more else 1)
    for word in ("rna.fq", "the input is RNA", "--rna reads U as T", "--no-rna reads U as the original VirNucPro does"):
        assert word in message(result)
    if not more:
        assert not list((both.folder / "out").glob("*_merged/*"))
        return
    listed = (both.folder / "out" / "failed_inputs.txt").read_text()
    assert "rna.fq" in listed and "input-rna" in listed and "--no-rna" in listed
    rows = (both.folder / "out" / "sequences.tsv").read_text().splitlines()[1:]
    assert rows and all(row.endswith("\tdna.fq") for row in rows)


@pytest.mark.parametrize("output", ["out", "-"])
def test_rna_from_a_pipe(both, output):
    """It is not held back, as a pipe may be slow, and leaves no row either."""
    text = (both.folder / "rna.fq").read_bytes() * 200
    result = both.predict("-", *SHORT, "-o", output, stdin=text, code=1)
    assert "stdin: the input is RNA: 1,000 of its first 1,000" in message(result)
    assert result.stdout == b"" and not list(both.folder.glob("out/*_merged/*"))


def test_rna_reads_u_as_t(both):
    both.predict("rna.fq", *SHORT, "--rna", "-o", "rna", "--name", "x", code=0)
    both.predict("dna.fq", *SHORT, "-o", "dna", "--name", "x", code=0)
    both.predict("dna.fq", *SHORT, "--rna", "-o", "both", "--name", "x", code=0)
    tables = [both.tables(run, "x") for run in ("rna", "dna", "both")]
    tables[0]["sequences.tsv"] = tables[0]["sequences.tsv"].replace(b"rna.fq", b"dna.fq")
    assert tables[0] == tables[1] == tables[2]


def test_files_keep_the_inputs_letters(both):
    both.predict("rna.fq", *SHORT, "--rna", "-k", "--virus-fasta", "--min-share", "0", "-o", "out", code=0)
    merged = {path.name: path.read_text() for path in (both.folder / "out").rglob("*.fa*")}
    letters = {name: "".join(line for line in text.splitlines() if not line.startswith(">")) for name, text in merged.items()}
    assert "U" in letters["virus.fasta"] and "T" not in letters["virus.fasta"]
    assert "U" in letters["rna_chunked100.fa"] and "T" not in letters["rna_chunked100.fa"]
    [frames] = [text for name, text in letters.items() if name.endswith("_identified_nucleotide.fa")]
    assert "T" in frames and "U" not in frames


def test_the_originals_reading_without_a_word(both):
    result = both.predict("rna.fq", *SHORT, "--no-rna", "-o", "out", code=0)
    assert warnings_of(result) == []


def test_some_rna_among_dna_is_counted(both, sequences):
    mixed = fasta({**{f"d{k}": letters for k in range(12) for letters in sequences.values()}, "u": "ACGU" * 40})
    (both.folder / "mixed.fa").write_text(mixed)
    result = both.predict("mixed.fa", *SHORT, "-o", "out", code=0)
    [line] = [line for line in warnings_of(result) if " U and no T" in line]
    assert line.startswith("warning: 1 sequences have U and no T") and "--rna" in line
    again = both.predict("mixed.fa", *SHORT, "-o", "out", "--resume", code=0)
    assert line in warnings_of(again)


def test_both_flags_are_a_usage_error(both):
    assert "--no-rna" in message(both.predict("rna.fq", "--rna", "--no-rna", code=1))


def test_shards_judge_before_they_deal(both):
    """No shard has a row of an input that is RNA, and what follows is dealt the same way."""
    for k in (0, 1):
        both.predict("rna.fq", "dna.fq", *SHORT, "--shard", f"{k}/2", "-o", f"s{k}", "--name", "x", code=2)
    both("merge", "s0", "s1", "-o", "merged", code=2)
    both.predict("rna.fq", "dna.fq", *SHORT, "-o", "whole", "--name", "x", code=2)
    assert both.tables("merged", "x") == both.tables("whole", "x")
    both("export", "s0", "--virus-fasta", "-o", "again", code=2)


def test_the_reading_is_a_part_of_the_run(both):
    both.predict("dna.fq", *SHORT, "-o", "out", code=0)
    result = both.predict("dna.fq", *SHORT, "--rna", "-o", "out", "--resume", code=3)
    assert "--rna (was false, is true)" in message(result)
    both.predict("dna.fq", *SHORT, "--no-rna", "-o", "out", "--resume", code=0)


def test_an_input_that_was_rna_is_computed_when_resumed_with_no_rna(both):
    both.predict("rna.fq", "dna.fq", *SHORT, "-o", "out", code=2)
    both.predict("rna.fq", "dna.fq", *SHORT, "--no-rna", "-o", "out", "--resume", code=0)
    rows = (both.folder / "out" / "sequences.tsv").read_text()
    assert "\trna.fq\n" in rows and "\tdna.fq\n" in rows


def test_validate_says_rna(both):
    result = both("utils", "validate", "rna.fq", "dna.fq", code=1)
    said = result.stdout.decode()
    assert "rna.fq: RNA: rna.fq: the input is RNA" in said and "dna.fq: whole" in said
    both("utils", "validate", "rna.fq", "--rna", code=0)
    both("utils", "validate", "rna.fq", "--no-rna", code=0)


# --- embed ---


def embedded(program, *arguments, code=0):
    result = program("embed", *arguments, *ENCODERS, "-o", "e.h5", "-f", "--no-progress", code=code)
    if code:
        return result, None
    with h5py.File(program.folder / "e.h5") as file:
        rows = np.array(file["esm2" if "--proteins" in arguments else "dnabert_s"])
    return result, rows


@pytest.mark.parametrize("kind, one, other", [
    ("--proteins", "MKVLAGHWYRST" * 8, "mkvlaghwyrst" * 8), ("--proteins", "MKVLAGHWYRST" * 8, "MKVLAGHWYRST" * 8 + "*"),
    ("--nucleotides", "ACGTTGCANRY" * 20, "acgttgcanry" * 20)])
def test_case_and_a_final_stop_change_nothing(program, kind, one, other):
    rows = []
    for letters in (one, other):
        (program.folder / "x.fa").write_text(f">a\n{letters}\n>b\n{letters[:50]}\n")
        result, found = embedded(program, "x.fa", kind)
        assert warnings_of(result) == []
        assert ("left out: the final * of 1 proteins" in message(result)) == letters.endswith("*")
        rows.append(found)
    assert np.array_equal(rows[0], rows[1])
    assert not np.array_equal(rows[0][0], rows[0][1])


def test_letters_that_esm2_does_not_know_are_counted(program):
    (program.folder / "x.faa").write_text(">a\nMKJ*V1LAGH*\n")
    result, _ = embedded(program, "x.faa", "--proteins")
    assert "warning: 3 letters of proteins are unknown to ESM-2" in warnings_of(result)
    (program.folder / "x.fa").write_text(">a\nACGT!ACG-TA\n")
    result, _ = embedded(program, "x.fa", "--nucleotides")
    assert "warning: 2 characters outside IUPAC were taken as unknown letters" in warnings_of(result)


def test_one_kind_given_as_the_other(program):
    (program.folder / "x.fa").write_text(">a\n" + "ACGTTGCA" * 10 + "\n")
    (program.folder / "x.faa").write_text(">a\n" + "MKVLAGHWYRSTEEPFQ" * 4 + "\n")
    result, _ = embedded(program, "x.fa", "--proteins")
    assert "a: 80 of 80 letters are A, C, G, T, U or N: is it a protein? Leave --proteins out" in message(result)
    for flags in (["--nucleotides"], ["-e", "60"]):
        result, _ = embedded(program, "x.faa", *flags)
        assert "letters are not nucleotides: is it a protein?" in message(result)


@pytest.mark.parametrize("flags", [[], ["--nucleotides"]])
def test_embed_refuses_rna_too(both, flags):
    result, _ = embedded(both, "rna.fq", "-e", "100", *flags, code=1)
    assert "the input is RNA" in message(result)
    _, read = embedded(both, "rna.fq", "-e", "100", "--rna", *flags)
    _, dna = embedded(both, "dna.fq", "-e", "100", *flags)
    assert np.array_equal(read, dna)
    embedded(both, "rna.fq", "-e", "100", "--no-rna", *flags)


def test_u_of_a_protein_is_no_t_whatever_the_configuration_says(program):
    (program.folder / "c.yaml").write_text("run: {rna: true}\n")
    (program.folder / "x.faa").write_text(">a\nMKLUVWUUKLMN\n")
    _, plain = embedded(program, "x.faa", "--proteins")
    _, configured = embedded(program, "x.faa", "--proteins", "-c", "c.yaml")
    assert np.array_equal(plain, configured)


# --- genetic codes ---

# No stop in code 4, several in code 1.
MYCOPLASMA = "ATGTGAGCTTGACCATGAAAA" * 15


def test_a_recoded_genome_keeps_its_frames(program):
    (program.folder / "x.fa").write_text(fasta({"m": MYCOPLASMA}))
    frames = {}
    for code in ("1", "4", "11"):
        program.predict("x.fa", *SHORT, "--genetic-code", code, "-k", "-o", code, code=0)
        [proteins] = (program.folder / code).rglob("*_identified_protein.faa")
        frames[code] = proteins.read_text()
    assert "MWAWPWK" in frames["4"] and "MWAWPWK" not in frames["1"]
    assert frames["1"] == frames["11"]
    report = json.loads((program.folder / "4" / "report.json").read_text())
    assert "genetic code 4" in json.dumps(report) and "genetic code 4" in (program.folder / "4" / "report.html").read_text()
    assert "genetic code" not in (program.folder / "1" / "report.html").read_text()
    embedded(program, "x.fa", "-e", "100", "--genetic-code", "4")
    with h5py.File(program.folder / "e.h5") as file:
        assert str(np.asarray(file.attrs["genetic_code"]).astype(str)) == "4"
        assert len(file["ids"]) == frames["4"].count(">")


def test_the_code_is_a_part_of_the_run(program):
    (program.folder / "x.fa").write_text(fasta({"m": MYCOPLASMA}))
    program.predict("x.fa", *SHORT, "-o", "out", code=0)
    program.predict("x.fa", *SHORT, "--genetic-code", "11", "-o", "out", "--resume", code=0)
    result = program.predict("x.fa", *SHORT, "--genetic-code", "4", "-o", "out", "--resume", code=3)
    assert "--genetic-code (was 1, is 4)" in message(result)


@pytest.mark.parametrize("code", ["0", "2", "3", "5", "27", "31", "x", "-1"])
def test_other_codes_are_refused_with_the_list(program, code):
    result = program.predict("x.fa", "--genetic-code", code, code=1)
    assert f"--genetic-code {code}: expected 1, 4, 11, 15 or 25" in message(result)
    (program.folder / "c.yaml").write_text(f"run:\n  genetic_code: {code}\n")
    assert "run.genetic_code" in message(program.predict("x.fa", "-c", "c.yaml", code=1))
