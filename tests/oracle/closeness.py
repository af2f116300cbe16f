"""How close embeddings are to a reference's: measures for whole files, taken block by block."""

from typing import Dict, Iterable, NamedTuple, Tuple

import numpy as np

Blocks = Iterable[Tuple[np.ndarray, np.ndarray]]  # (rows, the reference's rows)


class Closeness(NamedTuple):
    """Each is 0 for equal rows, and NaN where a row has a number that is not finite.

    Most of an embedding is common to all proteins, which flatters the cosine. `centred` is of what
    remains after the mean row of the reference is taken off both sides.
    """

    difference: float  # the largest of a number
    worst: float  # the largest 1 - cosine of a row
    mean: float  # of all rows' 1 - cosine
    centred_worst: float
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
    largest: Dict[str, float] = {"difference": 0.0, "plain": 0.0, "centred": 0.0}
    sums = {"plain": 0.0, "centred": 0.0}
    count = 0
    for rows, wanted in blocks:
        assert rows.shape == wanted.shape
        rows, wanted = np.float64(rows), np.float64(wanted)
        off = {"plain": off_cosine(rows, wanted),
               "centred": off_cosine(rows - mean, wanted - mean)}
        for kind, values in [*off.items(), ("difference", np.abs(rows - wanted))]:
            largest[kind] = float(np.maximum(largest[kind], values.max()))  # keeps a NaN
        for kind, values in off.items():
            sums[kind] += float(values.sum())
        count += len(rows)
    return Closeness(largest["difference"], largest["plain"], sums["plain"] / count,
                     largest["centred"], sums["centred"] / count)


def of_rows(rows: np.ndarray, wanted: np.ndarray) -> Closeness:
    return closeness([(rows, wanted)], mean_row([wanted]))
