"""Files that people have: joined without a line end, from Illumina's tools, from tapes, with long headers, pairs from
archives, CRAM that samtools joined."""

import gzip
import subprocess

import pytest
from bgzf import bgzf
from conftest import LAMBDA, SHORT, fasta, fastq, message, rows_of, samtools

CRAM_END = bytes.fromhex("0f000000ffffffff0fe0454f4600000000010005bdd94f00" "01000606010001000100ee63014b")
TAGS = "\tMM:Z:C+m" + ",12" * 24_000  # as `samtools fastq -T MM,ML` writes them


def lengths_of(program, run="out"):
    return [tuple(row[:2]) for row in rows_of(program.folder / run / "sequences.tsv")[1:]]


def expected_rows(sequences):
    return [(name, str(len(letters))) for name, letters in sequences.items()]


def test_two_files_joined_without_a_line_end(program, sequences):
    whole = fasta(sequences)
    (program.folder / "a.fa").write_text(whole.rstrip("\n"))
    (program.folder / "b.fa").write_text(fasta({"other": "ACGTTGCA" * 20}))
    subprocess.run("cat a.fa b.fa > joined.fa; awk 1 a.fa b.fa > mended.fa", shell=True, cwd=program.folder, check=True)
    result = program.predict("joined.fa", *SHORT, "-o", "out", code=1)
    said = message(result)
    assert f"record {len(sequences)}, byte {len(whole) - 1}: " in said and "awk 1 a.fa b.fa > joined.fa" in said
    program.predict("mended.fa", *SHORT, "-o", "out", code=0)
    assert lengths_of(program)[-1] == ("other", "160")


def test_fastq_without_the_end_marker_of_bgzf(program, sequences):
    text = fastq(sequences).encode()
    (program.folder / "x.fastq.gz").write_bytes(bgzf(text, 333, b""))
    result = program.predict("x.fastq.gz", *SHORT, "-o", "out", code=0)
    assert "x.fastq.gz: the BGZF end marker is missing" in message(result)
    assert lengths_of(program) == expected_rows(sequences)
    with_end = bgzf(text, 333)
    (program.folder / "y.fastq.gz").write_bytes(with_end)
    assert "end marker" not in message(program.predict("y.fastq.gz", *SHORT, "-o", "whole", code=0))
    (program.folder / "x.fastq.gz").write_bytes(bgzf(text[:-20], 333, b""))
    assert "input ends too early" in message(program.predict("x.fastq.gz", *SHORT, "-o", "cut", code=1))
    (program.folder / "x.fa.gz").write_bytes(bgzf(fasta(sequences).encode(), end=b""))
    assert "the BGZF end marker is missing" in message(program.predict("x.fa.gz", *SHORT, "-o", "fasta", code=1))


def test_reads_called_virus_of_such_a_file(program, sequences):
    """They are read a second time, and written as they came."""
    (program.folder / "x.fastq.gz").write_bytes(bgzf(fastq(sequences).encode(), 20_000, b""))
    program.predict("x.fastq.gz", *SHORT, "--min-share", "0", "--virus-fastq", "viral", "-o", "out", code=0)
    names = gzip.decompress((program.folder / "viral.fastq.gz").read_bytes()).decode().split("\n")[::4]
    assert names and set(names) - {""} <= {f"@{name} a piece" for name in sequences}


@pytest.mark.parametrize("zeros", [1, 512])
@pytest.mark.parametrize("pipe", [False, True])
def test_zeros_behind_gzip_are_padding(program, sequences, zeros, pipe):
    packed = gzip.compress(fasta(sequences).encode()) + bytes(zeros)
    (program.folder / "x.fa.gz").write_bytes(packed)
    program.predict("-" if pipe else "x.fa.gz", *SHORT, "-o", "out", stdin=packed if pipe else b"", code=0)
    assert lengths_of(program) == expected_rows(sequences)
    assert "bytes that are not gzip follow the end" in message(
        program.predict("-", *SHORT, "-o", "rubbish", stdin=packed + b"x", code=1))


@pytest.mark.parametrize("pipe", [False, True])
def test_tags_behind_an_id(program, sequences, pipe):
    text = fastq(sequences).replace(" a piece", TAGS)
    (program.folder / "x.fq").write_text(text)
    arguments = ["-" if pipe else "x.fq", *SHORT, "--min-share", "0", "-o", "out", "--name", "x"]
    stdin = text.encode() if pipe else b""
    program.predict(*arguments, "--virus-fasta", "--virus-fastq", "viral", stdin=stdin, code=0)
    assert lengths_of(program) == expected_rows(sequences)
    headers = [line[1:] for line in (program.folder / "out" / "virus.fasta").read_text().splitlines() if line[0] == ">"]
    assert headers and all(header.endswith(TAGS) for header in headers)
    reads = gzip.decompress((program.folder / "viral.fastq.gz").read_bytes()).decode().splitlines()[::4]
    assert reads == ["@" + header for header in headers]
    (program.folder / "x.fq").write_text("@" + "i" * 5000 + TAGS + "\nA\n+\nI\n")
    assert "the id has 5000 bytes" in message(program.predict("x.fq", *SHORT, "-o", "id", code=1))


def test_letters_behind_a_blank_come_back_from_a_pipe(program, genome):
    """A blank is no letter; what follows it may look like another line of FASTQ."""
    text = "".join(f"@r{k}\n {first}{genome[:150]}\n+\n{'I' * 151}\n" for k, first in enumerate("+@A"))
    program.predict("-", *SHORT, "--min-share", "0", "--virus-fastq", "viral", "-o", "out", stdin=text.encode(), code=0)
    lines = gzip.decompress((program.folder / "viral.fastq.gz").read_bytes()).decode().splitlines()
    assert lines[1::4] == [first + genome[:150] for first in "+@A"]


def test_a_header_that_only_looks_like_tar(program):
    (program.folder / "x.fa").write_text(">" + "x " * 128 + "ustar\nACGTTGCA\n")
    program.predict("x.fa", *SHORT, "-o", "out", code=0)


def mates(names, mate, word=""):
    ends = {".": f".{mate}", "_": f"_{mate}", ":": f":{mate}", "/": f"/{mate}", "R": f"_R{mate}", "F": "_F" if mate == 1 else "_R",
            "=": ""}
    return lambda end: "".join(f"@{name}{ends[end]}{word}\n{'ACGTTGCA' * 20}\n+\n{'I' * 160}\n" for name in names)


@pytest.mark.parametrize("end", list("=/._:RF"))
def test_pairs_of_each_convention(program, end):
    for mate in (1, 2):
        (program.folder / f"r{mate}.fq").write_text(mates("ab", mate)(end))
    program.predict("--paired", "r1.fq", "r2.fq", *SHORT, "-o", "out", code=0)
    assert [name for name, _ in lengths_of(program)] == ["a/1", "a/2", "b/1", "b/2"]


def test_the_first_pair_decides(program):
    for mate in (1, 2):
        (program.folder / f"r{mate}.fq").write_text(mates("a", mate)(".") + mates("b", mate)("/"))
    result = program.predict("--paired", "r1.fq", "r2.fq", *SHORT, "-o", "out", code=1)
    assert "r2.fq: record 2, byte " in message(result) and "NAME.1 and NAME.2" in message(result)


def test_mates_that_illumina_numbers(program):
    for mate in (1, 2, 3):
        (program.folder / f"r{mate}.fq").write_text(mates("ab", mate, f" {mate}:N:0:ATCACG")("="))
    (program.folder / "copy.fq").write_text((program.folder / "r1.fq").read_text())
    swapped = program.predict("--paired", "r2.fq", "r1.fq", *SHORT, "-o", "out", code=1)
    assert "r2.fq has the second reads, and r1.fq has the first reads: swap the files" in message(swapped)
    twice = program.predict("--paired", "r1.fq", "copy.fq", *SHORT, "-o", "out", code=1)
    assert "read a is the same mate in both files" in message(twice)
    assert "Give the two files of a pair, first reads first" in message(twice)
    for second in ("r2.fq", "r3.fq"):
        program.predict("--paired", "r1.fq", second, *SHORT, "-o", "out", "-f", code=0)


@pytest.fixture
def cram(program, genome):
    """(definition and header, containers) of a CRAM, without its end container."""
    (program.folder / "ref.fa").write_text(f">ref\n{genome}\n")
    names = [f"r{k}" for k in range(40)]
    lines = "".join(f"{name}\t4\t*\t0\t0\t*\t*\t0\t0\t{genome[100 * k:100 * k + 150]}\t{'I' * 150}\n"
                    for k, name in enumerate(names))
    files = []
    for body in ("", lines):
        (program.folder / "x.sam").write_text("@HD\tVN:1.6\n@SQ\tSN:ref\tLN:48502\n" + body)
        samtools(program.folder, "view", "--no-PG", "-C", "-T", "ref.fa", "-o", "x.cram", "x.sam")
        files.append((program.folder / "x.cram").read_bytes().removesuffix(CRAM_END))
    assert files[1].startswith(files[0]) and len(files[1]) > len(files[0])
    return files[0], files[1][len(files[0]):], names


def test_cram_with_more_than_one_end(program, cram):
    head, containers, names = cram
    for ends, count in (([CRAM_END, CRAM_END], 1), ([CRAM_END, containers, CRAM_END], 2),
                        ([CRAM_END, containers, CRAM_END, CRAM_END], 2)):
        (program.folder / "x.cram").write_bytes(head + containers + b"".join(ends))
        program.predict("x.cram", *SHORT, "-o", "out", "-f", "--no-report", code=0)
        assert lengths_of(program) == [(name, "150") for name in names] * count
    for wrong, said in ((containers + CRAM_END + containers, "the end container is missing"),
                        (containers + CRAM_END + b"rubbish", "the bytes after the end container are cut, or are not a container"),
                        (containers + CRAM_END + containers[:-9], "the bytes after the end container are cut, or are not a container")):
        (program.folder / "x.cram").write_bytes(head + wrong)
        assert said in message(program.predict("x.cram", *SHORT, "-o", "wrong", code=1))


@pytest.mark.parametrize("name, content, said", [
    ("x.tar", None, "tar cannot be read. Unpack it: tar"), ("x.tar.gz", None, "tar cannot be read. Unpack it: tar"),
    ("x.fa.Z", b"\x1f\x9d\x90" + bytes(50), "compress (.Z) cannot be read. Unpack it: gzip -dc"),
    ("x.fa", ">a\nACGT\n".encode("utf-16"), "UTF-16 cannot be read. Convert it: iconv"),
    ("x.fa", b"\xfe\xff" + ">a\nACGT\n".encode("utf-16-be"), "UTF-16 cannot be read. Convert it: iconv")])
def test_other_formats_are_named(program, name, content, said):
    if content is None:
        subprocess.run(["tar", "-caf", program.folder / name, "-C", LAMBDA.parent, LAMBDA.name], check=True)
    else:
        (program.folder / name).write_bytes(content)
    assert said in message(program.predict(name, *SHORT, "-o", "out", code=1))
