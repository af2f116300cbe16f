"""Frames, written a second time from the specification, over Biopython.

Independent of the program: other oracle tests build their reference chain on it.
"""

from Bio.Data import CodonTable
from Bio.Seq import Seq

_STANDARD = CodonTable.unambiguous_dna_by_name["Standard"]
# Biopython complements IUPAC codes and U too; the program, like the original, only ACGT.
_COMPLEMENT = str.maketrans({base: str(Seq(base).complement()) for base in "ACGT"})


def translate(strand, table=_STANDARD):
    """The protein with '*' for stops; codons with letters other than ACGT are left out."""
    protein = []
    for i in range(0, len(strand) - 2, 3):
        codon = strand[i : i + 3]
        if codon in table.stop_codons:
            protein.append("*")
        elif codon in table.forward_table:
            protein.append(table.forward_table[codon])
    return "".join(protein)


def reverse_complement(strand):
    return strand[::-1].translate(_COMPLEMENT)


def frames(chunk, code=1, rna=False):
    """[(name, nucleotides, protein)] of the stop-free frames of a chunk."""
    kept = []
    table = CodonTable.unambiguous_dna_by_id[code]
    forward = chunk.upper().replace("U", "T") if rna else chunk.upper()
    for name, strand in (("F", forward), ("R", reverse_complement(forward))):
        for offset in range(3):
            protein = translate(strand[offset:], table)
            if protein and "*" not in protein:
                nucleotides = strand[offset : offset + 1 + 3 * len(protein)]
                kept.append((f"{name}{offset + 1}", nucleotides, protein))
    return kept


def wrapped(header, letters, columns=60):
    """One FASTA record in lines of `columns`."""
    lines = [letters[i : i + columns] for i in range(0, len(letters), columns)]
    return "".join(line + "\n" for line in [">" + header, *lines])
