"""ESM-2 against fair-esm and transformers; all proteins of a case in one run, in mixed batches."""

import random
from pathlib import Path

import numpy as np
import pytest

import bars
import seeded_models
import sequences
import weight_files
from esm2_reference import TransformersEsm
from lengths import by_length
from needs import needs_isa

LENGTHS = {
    "tiny": [1, 2, 3, 31, 32, 33, 63, 99, 127, 166, 255, 333, 1023, 1024, 1025, 1100, 1500],
    "8M": by_length([1, 2, 31, 101, 166, 1025],
                    [1, 2, 31, 64, 99, 100, 101, 166, 300, 512, 1024, 1025, 1500]),
}
SHAPES = {"tiny": seeded_models.ESM2_TINY, "8M": seeded_models.ESM2_8M}
# Without J: fair-esm's alphabet lacks it, so the reference does not define it.
RARE_RESIDUES = sequences.RESIDUES + "XBUZO.-"


def proteins(size: str):
    rng = random.Random(size)
    records = [(f"p{n}", sequences.protein(rng, n)) for n in LENGTHS[size]]
    records += [(f"rare{n}", sequences.protein(rng, n, RARE_RESIDUES)) for n in (1, 7, 80)]
    records.append(("same", "A" * 120))
    rng.shuffle(records)  # so that lengths differ within a batch
    return records


def embedded(program, case_file: Path, records, folder: Path, *arguments) -> np.ndarray:
    options = ["--proteins", "--esm-model", case_file, *arguments]
    return program.embed_records(records, folder, "esm2", *options)


def reference(model, records) -> np.ndarray:
    return np.stack([model.embed(letters).numpy() for _, letters in records])


@pytest.fixture(scope="module", params=["tiny", "8M"])
def case(request, make_esm2):
    """A size's model with fp16-rounded inv_freq, its proteins, and fair-esm's results."""
    model = make_esm2(SHAPES[request.param], seed=3)
    records = proteins(request.param)
    return model, records, reference(model.reference, records)


def test_against_fair_esm(program, case, tmp_path):
    model, records, wanted = case
    got = embedded(program, model.file, records, tmp_path)
    bars.assert_fp32(got, wanted, [name for name, _ in records])


def test_against_transformers(program, case, tmp_path):
    model, records, fair_esm = case
    names = weight_files.esm2_huggingface(seeded_models.as_numpy(model.tensors))
    config = weight_files.esm2_config(**model.shape._asdict())
    directory = weight_files.write_huggingface(tmp_path / "hf", names, config)
    wanted = reference(TransformersEsm(directory), records)
    bars.assert_fp32(wanted, fair_esm, [name for name, _ in records])
    got = embedded(program, directory, records, tmp_path)
    bars.assert_fp32(got, wanted, [name for name, _ in records])


def test_the_files_own_inv_freq_is_used(program, make_esm2, tmp_path):
    """Frequencies far from the computed ones, so that ignoring them is noticed."""
    records = proteins("tiny")
    names = [name for name, _ in records]
    exact, other = (make_esm2(seeded_models.ESM2_TINY, 3, kind) for kind in ("exact", "other"))
    wanted = reference(other.reference, records)
    assert np.abs(wanted - reference(exact.reference, records)).max() > 100 * bars.FP32_MAX_ABS
    bars.assert_fp32(embedded(program, other.file, records, tmp_path), wanted, names)


def test_a_file_without_inv_freq_gets_the_exact_one(program, make_esm2, tmp_path):
    model = make_esm2(seeded_models.ESM2_TINY, 3, "exact")
    records = proteins("tiny")[:8]
    bare = {name: t for name, t in model.tensors.items() if not name.endswith("inv_freq")}
    file = tmp_path / "bare.pt"
    weight_files.write_fair_esm(file, seeded_models.as_numpy(bare), model.shape._asdict())
    got = embedded(program, file, records, tmp_path)
    bars.assert_fp32(got, reference(model.reference, records), [name for name, _ in records])


@needs_isa("AVX512_BF16")
def test_bf16_against_fp32(program, case, tmp_path):
    model, records, _ = case
    fp32 = embedded(program, model.file, records, tmp_path)
    bf16 = embedded(program, model.file, records, tmp_path, "--precision", "bf16")
    bars.assert_bf16(bf16, fp32, [name for name, _ in records])
