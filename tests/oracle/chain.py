"""The whole pipeline in Python: from FASTA to embeddings, scores and the three tables.

Uses the reference implementations, one sequence at a time, so that no fault of batching, packing or
threading can hide.
"""

from pathlib import Path
from typing import Callable, List, NamedTuple, Tuple

import numpy as np
import torch
from tokenizers import Tokenizer

import chunks_reference
import classifier_reference
import dnabert_reference
import frames_reference
import tables_reference
from dnabert_reference import DnabertShape
from esm2_reference import FairEsm
from seeded_models import Tensors
from tables_reference import CallRule, FrameEntry, SequenceEntry


WHITE_SPACE = str.maketrans("", "", " \t\r\n")  # not part of a sequence; all other letters are


class InputSequence(NamedTuple):
    id: str
    letters: str


class Frame(NamedTuple):
    entry: FrameEntry
    nucleotides: str
    protein: str


def first_word(header: str) -> str:
    words = header.split()
    return words[0] if words else ""


def read_fasta(path: Path) -> List[InputSequence]:
    """The sequences in order, in the input's case."""
    sequences: List[InputSequence] = []
    for line in Path(path).read_bytes().decode("utf-8", "surrogateescape").split("\n"):
        if line.startswith(">"):
            sequences.append(InputSequence(first_word(line[1:]), ""))
        elif sequences:
            last = sequences[-1]
            sequences[-1] = last._replace(letters=last.letters + line.translate(WHITE_SPACE))
    return sequences


def dna_tokenizer(tokenizer_json: Path) -> Callable[[str], List[int]]:
    """The published tokenizer without its padding and truncation."""
    tokenizer = Tokenizer.from_file(str(tokenizer_json))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return lambda text: tokenizer.encode(text).ids


class Dnabert:
    def __init__(self, tensors: Tensors, shape: DnabertShape, tokenizer_json: Path):
        self._tensors = tensors
        self._shape = shape
        self._tokens = dna_tokenizer(tokenizer_json)
        self.width = shape.width

    def embed(self, nucleotides: str) -> torch.Tensor:
        return dnabert_reference.embed(self._tensors, self._shape, self._tokens(nucleotides))


class Models(NamedTuple):
    dnabert: Dnabert
    esm2: FairEsm
    classifier: torch.nn.Module


def cut(
    sequences: List[InputSequence], size: int, min_length: int = 0, name_of_input: str = ""
) -> Tuple[List[SequenceEntry], List[Frame]]:
    """Every sequence as the tables count it, and every stop-free frame, both in input order."""
    entries, frames = [], []
    for number, (name, letters) in enumerate(sequences):
        spans = chunks_reference.chunks(letters, size) if len(letters) >= min_length else []
        entries.append(SequenceEntry(name, len(letters), len(spans), name_of_input))
        for j, (begin, end) in enumerate(spans):
            for frame, nucleotides, protein in frames_reference.frames(letters[begin:end]):
                entry = FrameEntry(number, j, f"{name}_chunk_{j + 1}{frame}")
                frames.append(Frame(entry, nucleotides, protein))
    return entries, frames


def merged_embeddings(frames: List[Frame], dnabert: Dnabert, esm2: FairEsm) -> torch.Tensor:
    """[frames, both widths]: DNABERT-S first. Equal frames are computed once."""
    known = {}
    rows = []
    for frame in frames:
        key = (frame.nucleotides, frame.protein)
        if key not in known:
            known[key] = torch.cat([dnabert.embed(frame.nucleotides), esm2.embed(frame.protein)])
        rows.append(known[key])
    return torch.stack(rows)


class Tables(NamedTuple):
    frames: str
    consensus: str
    sequences: str


def tables_of(
    entries: List[SequenceEntry],
    frames: List[Frame],
    scores: np.ndarray,
    rule: CallRule = CallRule(),
) -> Tables:
    rows = [frame.entry for frame in frames]
    chunks = tables_reference.chunk_scores(rows, scores)
    return Tables(
        tables_reference.frame_table(rows, scores),
        tables_reference.consensus_table(chunks),
        tables_reference.sequences_table(entries, rows, chunks, rule),
    )


class Results(NamedTuple):
    names: List[str]  # of the frames
    merged: torch.Tensor  # their embeddings, one row each
    tables: Tables


def results(fasta: Path, size: int, models: Models, rule: CallRule = CallRule()) -> Results:
    entries, frames = cut(read_fasta(fasta), size, name_of_input=str(fasta))
    merged, scores = torch.empty((0, 0)), np.empty((0, 2), dtype=np.float32)
    if frames:
        merged = merged_embeddings(frames, models.dnabert, models.esm2)
        scores = classifier_reference.scores(models.classifier, merged).numpy()
    names = [frame.entry.id for frame in frames]
    return Results(names, merged, tables_of(entries, frames, scores, rule))


def predict(fasta: Path, size: int, models: Models, rule: CallRule = CallRule()) -> Tables:
    return results(fasta, size, models, rule).tables
