"""Seeded sequences for the tests, and functions to write them."""

import random
from pathlib import Path
from typing import Iterable, List, Tuple

RESIDUES = "LAGVSERTIDPKQNFYMHWC"
STOPS = {"TAA", "TAG", "TGA"}

Named = Tuple[str, str]


def dna(rng: random.Random, length: int, letters: str = "ACGT") -> str:
    return "".join(rng.choices(letters, k=length))


def protein(rng: random.Random, length: int, letters: str = RESIDUES) -> str:
    return "".join(rng.choices(letters, k=length))


def coding_dna(rng: random.Random, length: int) -> str:
    """Bases without a stop codon in the first frame, so that at least one frame is kept."""
    codons: List[str] = []
    while 3 * len(codons) < length:
        codon = dna(rng, 3)
        if codon not in STOPS:
            codons.append(codon)
    return "".join(codons)[:length]


def coding_reads(seed: int, count: int, length: int) -> List[Named]:
    rng = random.Random(seed)
    return [(f"read{i}", coding_dna(rng, length)) for i in range(count)]


def write_fasta(path: Path, records: Iterable[Named]) -> Path:
    path.write_text("".join(f">{name}\n{letters}\n" for name, letters in records))
    return path


def write_fastq(path: Path, records: Iterable[Named]) -> Path:
    path.write_text(
        "".join(f"@{name}\n{letters}\n+\n{'I' * len(letters)}\n" for name, letters in records)
    )
    return path
