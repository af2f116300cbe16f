"""The promised accuracy (docs/reference/semantics.md, section 7), as assertions."""

import numpy as np

import closeness
from closeness import Closeness, off_cosine

FP32_MAX_ABS = 1e-4
FP32_COSINE = 0.9999999
BF16_COSINE = 0.9999
SCORE_MAX_ABS = 1e-5

# The most that each precision may differ from transformers in fp32, with trained weights, on up to
# FEW frames. So few have no 99.9 %.
TRAINED = {
    "fp32": Closeness(3e-5, 5e-11, None, 5e-12, 5e-10, None, 5e-11),
    "bf16": Closeness(1e-1, 5e-4, None, 5e-5, 3e-3, None, 5e-4),
    "int8": Closeness(3e-1, 1.5e-3, None, 4e-4, 1e-2, None, 2e-3),
}

# On more frames: there are odd ones among them, but means are as above.
TRAINED_MANY = {
    "fp32": TRAINED["fp32"]._replace(worst=1e-10, centred_worst=1e-9),
    "bf16": TRAINED["bf16"]._replace(centred_worst=1e-2),
    "int8": TRAINED["int8"],
}
FEW = 300

# The same on a GPU against its own fp32, on 100,000 frames. fp32 is the CPU's.
TRAINED_ON_GPU = {
    "fp32": Closeness(3e-5, 1e-10, 3e-11, 5e-12, 1e-9, 3e-10, 5e-11),
    "fp16": Closeness(5e-2, 2e-4, 1.5e-5, 1e-6, 2e-3, 1e-4, 1e-5),
    "bf16": Closeness(5e-1, 1.5e-2, 1e-3, 5e-5, 1.5e-1, 7e-3, 5e-4),
    "int8": Closeness(5e-1, 1.5e-2, 1.5e-3, 4e-4, 1.5e-1, 1e-2, 2e-3),
}


def assert_trained(precision: str, got: np.ndarray, wanted: np.ndarray) -> None:
    """The embeddings of frames, [frames, width]."""
    found = closeness.of_rows(got, wanted)
    bars = TRAINED if len(wanted) <= FEW else TRAINED_MANY
    for measure, bar in bars[precision]._asdict().items():
        if bar is None:
            continue
        value = getattr(found, measure)
        assert value <= bar, f"{precision}: {measure} is {value:.3g}, over {bar:g}; all: {found}"


def cosines(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The cosine of each row."""
    return 1 - off_cosine(got, wanted)


def assert_fp32(got: np.ndarray, wanted: np.ndarray, names) -> None:
    assert got.shape == wanted.shape and got.dtype == np.float32
    for name, cosine, row, expected in zip(names, cosines(got, wanted), got, wanted):
        worst = np.abs(np.float64(row) - np.float64(expected)).max()
        assert worst <= FP32_MAX_ABS, f"{name}: off by {worst:.3g}"
        assert cosine >= FP32_COSINE, f"{name}: cosine {cosine:.9f}"


def assert_bf16(got: np.ndarray, fp32: np.ndarray, names) -> None:
    assert got.shape == fp32.shape
    assert not np.array_equal(got, fp32), "--precision bf16 computed in fp32"
    for name, cosine in zip(names, cosines(got, fp32)):
        assert cosine >= BF16_COSINE, f"{name}: cosine {cosine:.7f}"


def assert_bf16_scores(got: np.ndarray, fp32: np.ndarray) -> None:
    """[frames, 2] scores of many frames, from a classifier whose logit difference has rms 2."""
    difference = np.abs(got - fp32).max(axis=1)
    assert (difference <= 2e-2).mean() >= 0.99, f"99 % within {np.quantile(difference, 0.99):.3g}"
    assert difference.max() <= 5e-2, f"one is off by {difference.max():.3g}"
    changed = (got[:, 1] > got[:, 0]) != (fp32[:, 1] > fp32[:, 0])
    assert changed.mean() <= 0.005, f"{changed.sum()} of {len(changed)} labels changed"
    clear = np.abs(fp32[:, 1] - fp32[:, 0]) > 0.1
    assert not (changed & clear).any(), "the label of a clear case changed"
