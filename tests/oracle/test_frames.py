"""The program's chunks and frames against the reference, letter by letter."""

import gzip
import itertools
import os
import random
import subprocess
from pathlib import Path

import pytest
from Bio import SeqIO
from Bio.Data import CodonTable
from Bio.Seq import Seq

import chunks_reference
import frames_reference as reference
from lengths import by_length

TOOL = Path(os.environ["VIRNUCPRO_TOOLS"]) / "frames_tool"
VANILLA = Path(os.environ["VIRNUCPRO_SOURCE"]) / "tests" / "data" / "vanilla"
LAMBDA = Path(os.environ["VIRNUCPRO_SOURCE"]) / "share" / "virnucpro" / "lambda.fa.gz"

ALPHABETS = [
    "ACGT",
    "ACGTacgt",
    "ACGTU",
    "ACGT" * 10 + "N",
    "ACGT" * 10 + "RYSWKMBDHVNryswkmbdhvn",
    "ACGT" * 5 + "-*.5",
    "GGCC" * 5 + "AT",  # few stops: many frames
    "N",
]


def expected_text(size, sequence, *translation):
    lines = []
    for begin, end in chunks_reference.chunks(sequence, size):
        lines.append(f"chunk\t{begin}\t{end}")
        lines += ["\t".join(("frame", *frame)) for frame in reference.frames(sequence[begin:end], *translation)]
    return "\n".join([*lines, "."]) + "\n"


def tool_text(cases, code=1, rna=False):
    text = "".join(f"{size}\t{sequence}\n" for size, sequence in cases)
    done = subprocess.run([TOOL, str(code), *["rna"] * rna], input=text, capture_output=True, text=True, check=True)
    return done.stdout


def compare(cases, *translation):
    cases = list(cases)
    assert tool_text(cases, *translation) == "".join(expected_text(*case, *translation) for case in cases)


def random_sequence(rng, length):
    return "".join(rng.choices(rng.choice(ALPHABETS), k=length))


def test_random_sequences():
    rng = random.Random(20240501)
    compare(
        (rng.choice([1, 2, 3, 60, 200, 300, 500]), random_sequence(rng, rng.randint(0, 1500)))
        for _ in range(by_length(2000, 10_000))
    )


def test_short_sequences_of_every_length_and_chunk_size():
    rng = random.Random(7)
    compare(
        (size, random_sequence(rng, length)) for size in range(1, 25) for length in range(0, 80)
    )


def test_coding_sequences():
    """Long frames without a stop; random bases hardly ever have one."""
    rng = random.Random(11)
    codons = sorted(reference._STANDARD.forward_table)
    compare(
        (rng.choice([300, 500]), "".join(rng.choices(codons, k=rng.randint(1, 400))))
        for _ in range(500)
    )


@pytest.mark.parametrize("code", [1, 4, 15, 25])
def test_genetic_codes_codon_by_codon(code):
    """As Biopython has NCBI's tables; table 11 differs from 1 in its start codons alone."""
    codons = ["".join(bases) for bases in itertools.product("ACGT", repeat=3)]
    compare([(3, codon) for codon in codons], code)
    tables = CodonTable.unambiguous_dna_by_id
    assert (tables[11].forward_table, tables[11].stop_codons) == (tables[1].forward_table, tables[1].stop_codons)
    rng = random.Random(code)
    compare([(rng.choice([60, 300]), random_sequence(rng, rng.randint(0, 900))) for _ in range(200)], code)


def test_rna_read_as_dna():
    rng = random.Random(17)
    compare([(300, "".join(rng.choices("ACGUTacgutN", k=rng.randint(0, 700)))) for _ in range(200)], 1, True)


def test_the_reference_agrees_with_biopython_on_acgt():
    rng = random.Random(3)
    for _ in range(300):
        strand = "".join(rng.choices("ACGT", k=3 * rng.randint(0, 100)))
        assert reference.translate(strand) == str(Seq(strand).translate())
        assert reference.reverse_complement(strand) == str(Seq(strand).reverse_complement())


def write_files(fasta, size, folder):
    prefix = folder / "out"
    subprocess.run([TOOL, fasta, str(size), prefix], check=True)
    suffixes = (f"_chunked{size}.fa", "_identified_nucleotide.fa", "_identified_protein.faa")
    return {suffix: Path(f"{prefix}{suffix}").read_bytes() for suffix in suffixes}


def test_files_of_the_original(tmp_path):
    for suffix, content in write_files(VANILLA / "test_with_orfs.fa", 500, tmp_path).items():
        assert content == (VANILLA / f"test_with_orfs{suffix}").read_bytes(), suffix


@pytest.mark.parametrize("size", [300, 500, 777])
def test_files_of_lambda(tmp_path, size):
    chunked, nucleotides, proteins = [], [], []
    with gzip.open(LAMBDA, "rt") as file:
        for record in SeqIO.parse(file, "fasta"):
            sequence = str(record.seq)
            for number, (begin, end) in enumerate(chunks_reference.chunks(sequence, size), 1):
                chunk_id = f"{record.id}_chunk_{number}"
                chunked.append(reference.wrapped(chunk_id, sequence[begin:end]))
                for name, nucleotide, protein in reference.frames(sequence[begin:end]):
                    nucleotides.append(f">{chunk_id}{name}\n{nucleotide}\n")
                    proteins.append(f">{chunk_id}{name}\n{protein}\n")
    files = write_files(LAMBDA, size, tmp_path)
    assert list(files.values()) == ["".join(x).encode() for x in (chunked, nucleotides, proteins)]
    assert proteins
