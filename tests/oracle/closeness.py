"""How close embeddings are to a reference's: measures for whole files, taken block by block."""

from typing import Dict, Iterable, List, NamedTuple, Optional, Tuple

import numpy as np

NEARLY_ALL = 0.999  # of the rows

Blocks = Iterable[Tuple[np.ndarray, np.ndarray]]  # (rows, the reference's rows)


class Closeness(NamedTuple):
    """Each is 0 for equal rows, and NaN where a row has a number that is not finite. As a bar, None
    is none.

    Most of an embedding is common to all proteins, which flatters the cosine. `centred` is of what
    remains after the mean row of the reference is taken off both sides.
    """

    difference: float  # the largest of a number
    worst: float  # the largest 1 - cosine of a row
    nearly_all: Optional[float]  # 99.9 % of the rows have this 1 - cosine or a smaller one
    mean: float  # of all rows' 1 - cosine
    centred_worst: float
    centred_nearly_all: Optional[float]
    centred_mean: float


def off_cosine(rows: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """1 - cosine of each row, in double. As half the squared distance of the unit vectors, since
    1 - cosine itself loses the digits of small ones."""
    units = [np.float64(side) / np.linalg.norm(np.float64(side), axis=1, keepdims=True)
             for side in (rows, wanted)]
    return ((units[0] - units[1]) ** 2).sum(axis=1) / 2


def mean_row(blocks: Iterable[np.ndarray]) -> np.ndarray:
    total, count = 0, 0
    for rows in blocks:
        total = total + rows.sum(axis=0, dtype=np.float64)
        count += len(rows)
    return total / count


def closeness(blocks: Blocks, mean: np.ndarray) -> Closeness:
    """`mean` is that of all rows of the reference."""
    differences: List[float] = []
    off: Dict[str, List[np.ndarray]] = {"plain": [], "centred": []}
    for rows, wanted in blocks:
        assert rows.shape == wanted.shape
        rows, wanted = np.float64(rows), np.float64(wanted)
        differences.append(np.abs(rows - wanted).max())
        off["plain"].append(off_cosine(rows, wanted))
        off["centred"].append(off_cosine(rows - mean, wanted - mean))
    return Closeness(float(np.max(differences)), *spread(np.concatenate(off["plain"])),
                     *spread(np.concatenate(off["centred"])))


def spread(off: np.ndarray) -> Tuple[float, float, float]:
    """The largest, what nearly all do not exceed, and the mean."""
    return (float(off.max()), float(np.quantile(off, NEARLY_ALL, method="higher")),
            float(off.mean()))


def of_rows(rows: np.ndarray, wanted: np.ndarray) -> Closeness:
    return closeness([(rows, wanted)], mean_row([wanted]))
