"""Stop-free frames of a chunk, for peers of the whole program."""

from pathlib import Path
from typing import NamedTuple

import tokenizers

LETTERS = "TCAG"
AMINO_ACIDS = "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG"  # genetic code 1
CODONS = {a + b + c: AMINO_ACIDS[16 * i + 4 * j + k] for i, a in enumerate(LETTERS)
          for j, b in enumerate(LETTERS) for k, c in enumerate(LETTERS)}
COMPLEMENT = str.maketrans("ACGT", "TGCA")


class Record(NamedTuple):
    name: str  # the header's first word
    letters: str


class Frame(NamedTuple):
    name: str  # F1 … R3
    protein: str
    nucleotides: str


def tokens(texts, tokenizer):
    """DNABERT-S's tokens, without the padding to 2,000 tokens that its tokenizer.json requests."""
    loaded = tokenizers.Tokenizer.from_file(str(tokenizer))
    loaded.no_padding()
    loaded.no_truncation()
    return [encoded.ids for encoded in loaded.encode_batch(texts)]


def read_fasta(path):
    records = Path(path).read_text().split(">")[1:]
    lines = [record.split("\n") for record in records]
    return [Record(header.split()[0], "".join(rest)) for header, *rest in lines]


def frames(sequence):
    """Those of the six frames that contain no stop codon."""
    for name, strand in (("F", sequence), ("R", sequence.translate(COMPLEMENT)[::-1])):
        for shift in range(3):
            last = len(strand) - 2
            protein = "".join(CODONS[strand[i : i + 3]] for i in range(shift, last, 3))
            if "*" not in protein:
                nucleotides = strand[shift : shift + 1 + 3 * len(protein)]
                yield Frame(f"{name}{shift + 1}", protein, nucleotides)
