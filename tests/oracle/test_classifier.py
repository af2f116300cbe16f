"""The classifier against torch: both score the program's own embeddings."""

from typing import List

import numpy as np
import pytest
import torch

import bars
import classifier_reference
import sequences
import weight_files
from program import frame_rows, score_array


@pytest.fixture(scope="module")
def encoders(tiny_models) -> List[object]:
    return [
        *("--esm-model", tiny_models.esm2.file, "--dnabert-model", tiny_models.dnabert.directory),
        *("-e", 300),
    ]


@pytest.fixture(scope="module")
def reads(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reads")
    return sequences.write_fasta(folder / "reads.fa", sequences.coding_reads(21, 40, 300))


@pytest.fixture(scope="module")
def embeddings(program, encoders, reads, tmp_path_factory):
    return program.embed(reads, tmp_path_factory.mktemp("embeddings") / "out.h5", *encoders)


def test_merged_is_dnabert_then_esm2(embeddings):
    both = np.concatenate([embeddings["dnabert_s"], embeddings["esm2"]], axis=1)
    assert np.array_equal(embeddings["merged"], both)


def predicted(program, encoders, reads, file, out):
    return frame_rows(program.predict(reads, out, "-m", "custom", "-p", file, *encoders).frames)


def assert_scores(rows, module, embeddings):
    assert [row.id for row in rows] == list(embeddings["ids"])
    wanted = classifier_reference.scores(module, torch.from_numpy(embeddings["merged"])).numpy()
    assert wanted.std() > 0.05, "scores so alike hide errors"
    assert np.abs(score_array(rows) - wanted).max() <= bars.SCORE_MAX_ABS


@pytest.mark.parametrize("hidden", [1, 7, 40, 512])
def test_against_torch(program, encoders, reads, embeddings, tmp_path, hidden):
    merged = torch.from_numpy(embeddings["merged"])
    module = classifier_reference.calibrated(merged, hidden, seed=hidden)
    file = tmp_path / "classifier.pth"
    weight_files.write_classifier(file, classifier_reference.tensors(module))
    assert_scores(predicted(program, encoders, reads, file, tmp_path / "out"), module, embeddings)


def test_eps_is_the_modules_own(program, encoders, reads, embeddings, tmp_path, monkeypatch):
    merged = torch.from_numpy(embeddings["merged"])
    module = classifier_reference.calibrated(merged, hidden=16, seed=5)
    module.bn1.eps = 1e-2
    monkeypatch.setattr(classifier_reference, "from_tensors", lambda tensors: module)
    file = tmp_path / "classifier.pth"
    weight_files.write_classifier(file, classifier_reference.tensors(module))
    assert_scores(predicted(program, encoders, reads, file, tmp_path / "out"), module, embeddings)


def test_a_tie_is_others(program, encoders, reads, embeddings, tmp_path):
    """Equal logits: the frame is `others`, but its chunk is Is_Virus (v2's >=)."""
    merged = torch.from_numpy(embeddings["merged"])
    tensors = classifier_reference.tensors(classifier_reference.calibrated(merged, 8, seed=6))
    for name in ("output_layer.weight", "output_layer.bias"):
        tensors[name] = np.stack([tensors[name][0]] * 2)
    file = tmp_path / "tie.pth"
    weight_files.write_classifier(file, tensors)
    tables = program.predict(reads, tmp_path / "out", "-m", "custom", "-p", file, *encoders)
    lines = tables.frames.decode().splitlines()[1:]
    assert lines and all(line.endswith("\tothers\t0.5\t0.5") for line in lines)
    chunks = tables.consensus.decode().splitlines()[1:]
    assert chunks and all(line.endswith("\tTrue\t0.5\t0.5") for line in chunks)


@pytest.mark.parametrize("change", [-1, 1])
def test_another_width_is_refused(program, encoders, reads, embeddings, tmp_path, change):
    width = embeddings["merged"].shape[1] + change
    file = tmp_path / "wide.pth"
    weight_files.write_classifier(file, weight_files.classifier(3, width, 8))
    out = tmp_path / "out"
    arguments = ["-m", "custom", "-p", file, "-o", out, *encoders]
    done = program.run("predict", reads, *arguments, exit_code=1)
    said = done.stderr.decode()
    assert str(width) in said and str(width - change) in said
    assert not [*out.rglob("prediction_results.txt")]
