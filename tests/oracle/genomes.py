"""The genomes of tests/data/genomes and of phage lambda, and pieces of them. Needs no package."""

import gzip
from pathlib import Path
from typing import Iterator, List, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FILES = [ROOT / "share" / "virnucpro" / "lambda.fa.gz", *sorted((ROOT / "tests/data/genomes").glob("*.fa.gz"))]


class Piece(NamedTuple):
    name: str  # the record's, with the place of its first base
    letters: str


def records(file: Path) -> Iterator[Piece]:
    with gzip.open(file, "rt") as text:
        for record in text.read().split(">")[1:]:
            header, *lines = record.splitlines()
            yield Piece(header.split()[0], "".join(lines))


def pieces(file: Path, length: int, shift: int = 0) -> List[Piece]:
    """Whole pieces of a genome's records, one behind the other, from base `shift` on."""
    return [Piece(f"{name}_{begin + 1}", letters[begin : begin + length])
            for name, letters in records(file)
            for begin in range(shift, len(letters) - length + 1, length)]
