"""The three tables from frame scores, in Python: only the tables' semantics, no models.

Scores stay numpy float32, so that they are printed as the original printed them.
"""

from typing import Dict, Iterable, List, NamedTuple, Sequence

import numpy as np


class SequenceEntry(NamedTuple):
    """An input sequence as the tables count it."""

    id: str
    length: int
    chunks: int
    input: str


class CallRule(NamedTuple):
    """`min_score`: of a chunk's virus score; `min_share`: of virus chunks per scored chunk."""

    min_score: float = 0.0
    min_share: float = 0.5


class FrameEntry(NamedTuple):
    """A stop-free frame: the sequence (by position, as ids may repeat) and chunk it belongs to."""

    sequence: int
    chunk: int
    id: str


class ChunkScore(NamedTuple):
    sequence: int
    id: str
    others: np.float32
    virus: np.float32

    @property
    def is_virus(self) -> bool:
        return bool(self.virus >= self.others)


FRAME_HEADER = "Sequence_ID\tPrediction\tscore1\tscore2"
CONSENSUS_HEADER = "Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1"
SEQUENCES_HEADER = (
    "sequence_id\tlength\tchunks\tchunks_scored\tframes\tvirus_chunks\tmax_virus_score\t"
    "mean_virus_score\tcall\treason\tinput"
)


def score_text(score: np.float32) -> str:
    return str(np.float32(score))


def table(header: str, rows: Iterable[str]) -> str:
    return "".join(line + "\n" for line in [header, *rows])


def frame_table(frames: Sequence[FrameEntry], scores: np.ndarray) -> str:
    rows = []
    for frame, (others, virus) in zip(frames, scores):
        label = "virus" if virus > others else "others"
        rows.append(f"{frame.id}\t{label}\t{score_text(others)}\t{score_text(virus)}")
    return table(FRAME_HEADER, rows)


def chunk_scores(frames: Sequence[FrameEntry], scores: np.ndarray) -> List[ChunkScore]:
    """Maxima over each chunk's frames, chunks in input order."""
    best: Dict[tuple, ChunkScore] = {}
    for frame, (others, virus) in zip(frames, scores):
        key = (frame.sequence, frame.chunk)
        old = best.get(key)
        if old is not None:
            others, virus = max(old.others, others), max(old.virus, virus)
        best[key] = ChunkScore(frame.sequence, frame.id[:-2], others, virus)
    return list(best.values())


def consensus_table(chunks: Sequence[ChunkScore]) -> str:
    ordered = sorted(chunks, key=lambda c: c.id.encode("utf-8", "surrogateescape"))
    return table(
        CONSENSUS_HEADER,
        (
            f"{c.id}\t{c.is_virus}\t{score_text(c.others)}\t{score_text(c.virus)}"
            for c in ordered
        ),
    )


def _scored_row(
    entry: SequenceEntry, frames: int, chunks: List[ChunkScore], rule: CallRule
) -> str:
    # The score as a reader of the consensus table has it.
    virus_chunks = sum(c.is_virus and float(score_text(c.virus)) >= rule.min_score for c in chunks)
    total = 0.0
    for c in chunks:
        total += float(c.virus)
    best = max(c.virus for c in chunks)
    call = "virus" if virus_chunks / len(chunks) >= rule.min_share else "others"
    return (
        f"{entry.id}\t{entry.length}\t{entry.chunks}\t{len(chunks)}\t{frames}\t{virus_chunks}\t"
        f"{score_text(best)}\t{score_text(np.float32(total / len(chunks)))}\t{call}\tNA\t{entry.input}"
    )


def _unscored_row(entry: SequenceEntry) -> str:
    if entry.length == 0:
        reason = "empty"
    else:
        reason = "no stop-free frame" if entry.chunks else "shorter than --min-length"
    return f"{entry.id}\t{entry.length}\t{entry.chunks}\t0\t0\t0\tNA\tNA\tunscored\t{reason}\t{entry.input}"


def sequences_table(
    entries: Sequence[SequenceEntry],
    frames: Sequence[FrameEntry],
    chunks: Sequence[ChunkScore],
    rule: CallRule = CallRule(),
) -> str:
    chunks_of: List[List[ChunkScore]] = [[] for _ in entries]
    frames_of = [0] * len(entries)
    for chunk in chunks:
        chunks_of[chunk.sequence].append(chunk)
    for frame in frames:
        frames_of[frame.sequence] += 1
    return table(
        SEQUENCES_HEADER,
        (
            _scored_row(entry, frames_of[i], chunks_of[i], rule)
            if chunks_of[i]
            else _unscored_row(entry)
            for i, entry in enumerate(entries)
        ),
    )
