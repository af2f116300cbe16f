"""The reference chain and the program against stored results (written by make_goldens.py)."""

from pathlib import Path

import numpy as np
import pytest

import bars
import chain
import classifier_reference
import make_goldens
import seeded_models
import weight_files
from program import frame_rows, score_array

ROUNDING = 1e-6  # the file has six decimals


@pytest.fixture(scope="module")
def golden(source) -> Path:
    return source / "tests" / "data" / "golden"


@pytest.fixture(scope="module")
def expected(golden):
    header = b"\n"
    return frame_rows(header + (golden / "expected.tsv").read_bytes())


def assert_golden(rows, expected) -> None:
    assert [row[:2] for row in rows] == [row[:2] for row in expected]
    assert {row.label for row in rows} == {"virus", "others"}
    worst = np.abs(score_array(rows) - score_array(expected)).max()
    assert worst <= bars.SCORE_MAX_ABS + ROUNDING, f"off by {worst:.3g}"


def test_the_reference_chain(golden, expected, tokenizer_json):
    models = make_goldens.models(tokenizer_json)
    tables = chain.predict(golden / "reads.fa", make_goldens.CHUNK_SIZE, models)
    assert_golden(frame_rows(tables.frames.encode()), expected)


def test_the_program(program, golden, expected, make_esm2, make_dnabert, tmp_path, tokenizer_json):
    esm2 = make_esm2(seeded_models.ESM2_TINY, make_goldens.ESM2_SEED)
    dnabert = make_dnabert(seeded_models.DNABERT_TINY, make_goldens.DNABERT_SEED)
    module = make_goldens.models(tokenizer_json).classifier
    file = tmp_path / "classifier.pth"
    weight_files.write_classifier(file, classifier_reference.tensors(module))
    tables = program.predict(
        *(golden / "reads.fa", tmp_path / "out", "-m", "custom", "-e", make_goldens.CHUNK_SIZE),
        *("--esm-model", esm2.file, "--dnabert-model", dnabert.directory, "-p", file),
    )
    assert_golden(frame_rows(tables.frames), expected)
