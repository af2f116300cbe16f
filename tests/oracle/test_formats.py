"""The same weights in every file format: the same bytes in all tables."""

from pathlib import Path
from typing import Dict

import pytest

import sequences
import weight_files

ESM2 = dict(layers=2, width=32, heads=4, ffn=64)
DNABERT = dict(layers=2, width=48, heads=6, ffn=64, vocabulary=4096)
HIDDEN = 16


@pytest.fixture(scope="module")
def esm2_forms(tmp_path_factory) -> Dict[str, Path]:
    tensors = weight_files.esm2(51, **ESM2)
    return weight_files.write_all_esm2(tmp_path_factory.mktemp("esm2"), tensors, ESM2)


@pytest.fixture(scope="module")
def dnabert_forms(tmp_path_factory, tokenizer_json) -> Dict[str, Path]:
    tensors = weight_files.dnabert_s(52, **DNABERT)
    folder = tmp_path_factory.mktemp("dnabert")
    return weight_files.write_all_dnabert_s(folder, tensors, DNABERT, tokenizer_json)


@pytest.fixture(scope="module")
def classifier_forms(tmp_path_factory) -> Dict[str, Path]:
    tensors = weight_files.classifier(53, ESM2["width"] + DNABERT["width"], HIDDEN)
    folder = tmp_path_factory.mktemp("classifier")
    forms = weight_files.write_all_classifiers(folder, tensors)
    forms["transposed"] = folder / "transposed.pth"
    weight_files.write_transposed(forms["transposed"], tensors)
    return forms


@pytest.fixture(scope="module")
def tables(program, esm2_forms, dnabert_forms, classifier_forms, tmp_path_factory):
    """The tables for a choice of forms; the default is the first form of each model."""
    folder = tmp_path_factory.mktemp("tables")
    fasta = sequences.write_fasta(folder / "reads.fa", sequences.coding_reads(54, 12, 300))

    def run(esm2=None, dnabert=None, classifier=None):
        return program.predict(
            *(fasta, folder / f"{esm2}-{dnabert}-{classifier}", "-m", "custom", "-e", 300),
            *("--esm-model", esm2_forms[esm2 or "fair_namespace.pt"]),
            *("--dnabert-model", dnabert_forms[dnabert or "bin"]),
            *("-p", classifier_forms[classifier or "module"]),
        )

    return run


@pytest.fixture(scope="module")
def first(tables):
    return tables()


def test_other_weights_give_other_tables(program, first, tables, esm2_forms, tmp_path):
    """Shows that the comparisons below can fail."""
    other = weight_files.esm2(55, **ESM2)
    file = tmp_path / "other.pt"
    weight_files.write_fair_esm(file, other, ESM2)
    esm2_forms["other"] = file
    assert tables(esm2="other") != first


@pytest.mark.parametrize(
    "form",
    [
        *("fair_dict.pt", "fair_args.pt", "fair_f16.pt", "hf_bin", "hf_bin_sharded"),
        *("hf_safetensors", "hf_safetensors_sharded", "hf_bf16", "hf_f16"),
    ],
)
def test_esm2(first, tables, form):
    assert tables(esm2=form) == first


@pytest.mark.parametrize("form", ["gamma_beta", "safetensors", "bf16"])
def test_dnabert_s(first, tables, form):
    assert tables(dnabert=form) == first


@pytest.mark.parametrize("form", ["state_dict", "safetensors", "transposed"])
def test_classifier(first, tables, form):
    assert tables(classifier=form) == first


def test_no_form_is_left_out(esm2_forms, dnabert_forms, classifier_forms):
    assert set(esm2_forms) - {"other"} == {
        *("fair_namespace.pt", "fair_dict.pt", "fair_args.pt", "fair_f16.pt", "hf_bin"),
        *("hf_bin_sharded", "hf_safetensors", "hf_safetensors_sharded", "hf_bf16", "hf_f16"),
    }
    assert set(dnabert_forms) == {"bin", "gamma_beta", "safetensors", "bf16"}
    assert set(classifier_forms) == {"module", "state_dict", "safetensors", "transposed"}
