"""Shared by the oracle tests: the tested program, and seeded models as files and as references."""

import os
from pathlib import Path
from typing import List, NamedTuple

import pytest

import chain
import classifier_reference
import seeded_models
import sequences
import weight_files
from dnabert_reference import DnabertShape
from esm2_reference import FairEsm
from program import Program
from seeded_models import Esm2Shape


@pytest.fixture(scope="session")
def program() -> Program:
    return Program(os.environ["VIRNUCPRO_BIN"])


@pytest.fixture(scope="session")
def source() -> Path:
    return Path(os.environ["VIRNUCPRO_SOURCE"])


@pytest.fixture(scope="session")
def tokenizer_json(source: Path) -> Path:
    return source / "share" / "virnucpro" / "dnabert-s" / "tokenizer.json"


class Esm2Case(NamedTuple):
    """An ESM-2: its tensors, a file of them, and fair-esm's model of them."""

    shape: Esm2Shape
    tensors: seeded_models.Tensors
    file: Path
    reference: FairEsm


class DnabertCase(NamedTuple):
    shape: DnabertShape
    tensors: seeded_models.Tensors
    directory: Path
    reference: chain.Dnabert


class ModelSet(NamedTuple):
    """All three models; the classifier is calibrated on random coding reads."""

    esm2: Esm2Case
    dnabert: DnabertCase
    classifier_file: Path
    models: chain.Models

    @property
    def arguments(self) -> List[object]:
        return [
            *("--esm-model", self.esm2.file),
            *("--dnabert-model", self.dnabert.directory),
            *("-p", self.classifier_file),
        ]


@pytest.fixture(scope="session")
def make_esm2(tmp_path_factory):
    def make(shape: Esm2Shape, seed: int, inv_freq: str = "fp16") -> Esm2Case:
        tensors = seeded_models.esm2(shape, seed, inv_freq)
        file = tmp_path_factory.mktemp("esm2") / "esm2.pt"
        weight_files.write_fair_esm(file, seeded_models.as_numpy(tensors), shape._asdict())
        return Esm2Case(shape, tensors, file, FairEsm(tensors, shape))

    return make


@pytest.fixture(scope="session")
def make_dnabert(tmp_path_factory, tokenizer_json):
    def make(shape: DnabertShape, seed: int) -> DnabertCase:
        tensors = seeded_models.dnabert(shape, seed)
        directory = tmp_path_factory.mktemp("dnabert")
        weight_files.write_huggingface(
            directory,
            weight_files.dnabert_huggingface(seeded_models.as_numpy(tensors)),
            weight_files.dnabert_config(**shape._asdict()),
            tokenizer=tokenizer_json,
        )
        reference = chain.Dnabert(tensors, shape, tokenizer_json)
        return DnabertCase(shape, tensors, directory, reference)

    return make


@pytest.fixture(scope="session")
def make_models(tmp_path_factory):
    def make(esm2: Esm2Case, dnabert: DnabertCase, hidden: int) -> ModelSet:
        records = [chain.InputSequence(*read) for read in sequences.coding_reads(11, 60, 300)]
        _, frames = chain.cut(records, 300)
        merged = chain.merged_embeddings(frames, dnabert.reference, esm2.reference)
        module = classifier_reference.calibrated(merged, hidden, seed=13)
        file = tmp_path_factory.mktemp("classifier") / "classifier.pth"
        weight_files.write_classifier(file, classifier_reference.tensors(module))
        models = chain.Models(dnabert.reference, esm2.reference, module)
        return ModelSet(esm2, dnabert, file, models)

    return make


@pytest.fixture(scope="session")
def tiny_models(make_esm2, make_dnabert, make_models) -> ModelSet:
    esm2 = make_esm2(seeded_models.ESM2_TINY, seed=1)
    dnabert = make_dnabert(seeded_models.DNABERT_TINY, seed=2)
    return make_models(esm2, dnabert, hidden=40)
