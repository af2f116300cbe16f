"""DNABERT-S against a forward pass in plain torch, with the published tokenizer."""

import random
from pathlib import Path

import numpy as np
import pytest

import bars
import dnabert_reference
import seeded_models
import sequences
from lengths import by_length
from needs import needs_isa

IUPAC = "ACGTRYSWKMBDHVN"
LENGTHS = {
    "tiny": [1, 2, 3, 5, 31, 64, 100, 150, 299, 300, 301, 500, 777, 1000, 1500],
    "full": by_length([31, 300], [1, 2, 31, 300, 500, 1500]),
}
SHAPES = {"tiny": seeded_models.DNABERT_TINY, "full": dnabert_reference.FULL}


def nucleotides(size: str):
    """Plain bases of every length, then letters unknown to the tokenizer."""
    rng = random.Random(size)
    records = [(f"n{n}", sequences.dna(rng, n)) for n in LENGTHS[size]]
    unknown = LENGTHS[size] if size == "tiny" else [1, 150]
    records += [(f"iupac{n}", sequences.dna(rng, n, IUPAC)) for n in unknown]
    records += [(f"gap{n}", "N" * n) for n in (1, 40)]
    records.append(("island", sequences.dna(rng, 60) + "NNNN" + sequences.dna(rng, 60)))
    rng.shuffle(records)
    return records


def embedded(program, directory: Path, records, folder: Path, *arguments) -> np.ndarray:
    options = ["--nucleotides", "--dnabert-model", directory, *arguments]
    return program.embed_records(records, folder, "dnabert_s", *options)


@pytest.fixture(scope="module", params=["tiny", "full"])
def case(request, make_dnabert):
    model = make_dnabert(SHAPES[request.param], seed=4)
    records = nucleotides(request.param)
    wanted = np.stack([model.reference.embed(letters).numpy() for _, letters in records])
    return model, records, wanted


def test_against_plain_torch(program, case, tmp_path):
    model, records, wanted = case
    got = embedded(program, model.directory, records, tmp_path)
    bars.assert_fp32(got, wanted, [name for name, _ in records])


def test_slopes_are_the_alibi_papers():
    """The published slopes for 8 and 16; for 12: those for 8, then every second of those for 16."""
    eight = [2.0**-n for n in range(1, 9)]
    sixteen = [2.0 ** (-0.5 * n) for n in range(1, 17)]
    assert dnabert_reference.alibi_slopes(8) == eight
    assert dnabert_reference.alibi_slopes(16) == sixteen
    assert dnabert_reference.alibi_slopes(12) == eight + sixteen[0:8:2]


@needs_isa("AVX512_BF16")
def test_bf16_against_fp32(program, case, tmp_path):
    model, records, _ = case
    fp32 = embedded(program, model.directory, records, tmp_path)
    bf16 = embedded(program, model.directory, records, tmp_path, "--precision", "bf16")
    bars.assert_bf16(bf16, fp32, [name for name, _ in records])
