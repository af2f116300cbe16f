"""benchmark's stored baselines: the installed ones, and how a run is held against one.

The one for benchmark's default models on the CPU is made anew in torch; small ones are made here by
the same tool.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import sequences
from benchmark_reports import datasets_against, page_of, report_of, verdict
from lengths import by_length
from needs import needs_isa
from program import frame_rows, score_array

BINARY = os.environ["VIRNUCPRO_BIN"]
SOURCE = Path(os.environ["VIRNUCPRO_SOURCE"])
SHARE = SOURCE / "share" / "virnucpro"
BASELINES = sorted(path.parent for path in (SHARE / "baseline").glob("*/provenance.json"))
TINY = {"esm2": "synthetic:esm2_tiny", "dnabert_s": "synthetic:dnabert-s-tiny",
        "classifier": "synthetic"}
ROW = "results compared with the stored baseline"
EMBEDDINGS = ("DNABERT_S", "ESM", "merged")


def provenance(folder: Path) -> dict:
    return json.loads((folder / "provenance.json").read_text())


def embeddings(folder: Path) -> dict:
    """By the name in the file's, a row for each frame."""
    found = {}
    for name in EMBEDDINGS:
        data = torch.load(folder / f"output_1_{name}.pt")["data"]
        rows = [row["mean_representation"] if name == "DNABERT_S" else row.numpy() for row in data]
        found[name] = np.array(rows, dtype=np.float32)
    return found


def make_baseline(*arguments: object) -> None:
    subprocess.run([sys.executable, SOURCE / "tools" / "make_baseline.py", "--program", BINARY,
                    *map(str, arguments)], check=True)


def make_of(models: dict, fasta: Path, out: Path, chunk_size: int) -> None:
    """`models`: as in a provenance.json."""
    make_baseline("--esm2", models["esm2"], "--dnabert", models["dnabert_s"], "--classifier",
                  models["classifier"], "--chunk-size", chunk_size, "--input", fasta, "-o", out)


def benchmark(program, out, *arguments, baseline=None, **options):
    """Against the folder `baseline`, or the installed ones."""
    named = [] if baseline is None else [baseline]
    program.run("benchmark", "--suite", "equivalence", "--quick", "--device", "cpu", "--data-size",
                "tiny", "--vanilla-baseline", *named, "-o", out, *arguments, **options)
    return verdict(report_of(out), "EQUIV-BASELINE")


@pytest.mark.parametrize("folder", BASELINES, ids=lambda folder: folder.name)
def test_an_installed_one_is_whole(folder):
    facts = provenance(folder)
    digest = hashlib.sha256((folder / "sequences.fa").read_bytes()).hexdigest()
    assert facts["sequences_sha256"] == digest
    assert facts["source"] and facts["program"]
    assert frame_rows((folder / "prediction_results.txt").read_bytes())
    assert (folder / "prediction_results_highestscore.csv").read_text().count("\n") > 1
    # What is not known is said to be.
    assert "date" in facts
    assert {f"{name}_hash" for name in TINY} <= set(facts["models"])
    rows = len(frame_rows((folder / "prediction_results.txt").read_bytes()))
    assert {name: len(data) for name, data in embeddings(folder).items()} == dict.fromkeys(EMBEDDINGS, rows)


def test_the_original_s_is_that_of_the_test_data():
    vanilla = SOURCE / "tests" / "data" / "vanilla"
    stored = SHARE / "baseline" / "vanilla-500"
    assert (stored / "sequences.fa").read_bytes() == (vanilla / "test_with_orfs.fa").read_bytes()
    for file in (vanilla / "expected").iterdir():
        assert (stored / file.name).read_bytes() == file.read_bytes()


def first_of(fasta: Path, count: int, out: Path) -> Path:
    records = fasta.read_text().split(">")[1:]
    out.write_text("".join(f">{record}" for record in records[:count]))
    return out


@pytest.mark.full
def test_torch_computes_the_installed_one_again(tmp_path):
    """Its first sequences; their rows are the first frames, and anywhere in the sorted consensus."""
    stored = SHARE / "baseline" / "synthetic-8M"
    facts = provenance(stored)
    some = first_of(stored / "sequences.fa", by_length(5, 22), tmp_path / "some.fa")
    make_of(facts["models"], some, tmp_path / "again", facts["chunk_size"])
    again = provenance(tmp_path / "again")
    for key in ("models", "chunk_size"):
        assert again[key] == facts[key]
    new = frame_rows((tmp_path / "again" / "prediction_results.txt").read_bytes())
    old = frame_rows((stored / "prediction_results.txt").read_bytes())[:len(new)]
    assert [row[:2] for row in old] == [row[:2] for row in new]
    assert {row.label for row in old} == {"others", "virus"}
    np.testing.assert_allclose(score_array(old), score_array(new), atol=1e-5, rtol=0)
    before = embeddings(stored)
    for name, data in embeddings(tmp_path / "again").items():
        np.testing.assert_allclose(before[name][:len(new)], data, atol=1e-4, rtol=1e-3)
    calls = [{tuple(line.split("\t")[:2]) for line in
              (folder / "prediction_results_highestscore.csv").read_text().splitlines()}
             for folder in (stored, tmp_path / "again")]
    assert calls[1] <= calls[0] and len(calls[1]) > by_length(5, 22)


@pytest.mark.full
def test_the_default_models_on_the_cpu_keep_to_the_installed_one(program, tmp_path):
    found = benchmark(program, tmp_path / "out")
    assert found["status"] == "PASS"
    assert found["value"] < 1e-4
    page = page_of(tmp_path / "out")
    facts = provenance(SHARE / "baseline" / "synthetic-8M")
    assert "synthetic-8M" in page and facts["date"] in page and facts["models"]["esm2_hash"] in page
    compared = datasets_against(tmp_path / "out", ROW)
    for dataset in ("dnabert_s", "esm2", "merged"):
        assert compared[dataset][:2] == ["43", "0"] and compared[dataset][3] == "100 %"


@pytest.fixture(scope="module")
def tiny_baseline(tmp_path_factory) -> Path:
    """Of the tiny synthetic models."""
    folder = tmp_path_factory.mktemp("baseline")
    fasta = sequences.write_fasta(folder / "input.fa", sequences.coding_reads(5, 20, 300))
    make_of(TINY, fasta, folder / "tiny", 300)
    return folder / "tiny"


class Installed:
    """An installation's share folder with one baseline, which a test may change."""

    def __init__(self, program, folder: Path, baseline: Path):
        self._program = program
        self._out = folder / "out"
        self.share = folder / "share"
        self.baseline = self.share / "baseline" / "tiny"
        shutil.copytree(SHARE / "dnabert-s", self.share / "dnabert-s")
        shutil.copytree(baseline, self.baseline)

    def change_first_row(self, change) -> None:
        table = self.baseline / "prediction_results.txt"
        lines = table.read_text().splitlines()
        lines[1] = "\t".join(change(*lines[1].split("\t")))
        table.write_text("\n".join(lines) + "\n")

    def change_provenance(self, change) -> None:
        facts = provenance(self.baseline)
        change(facts)
        (self.baseline / "provenance.json").write_text(json.dumps(facts))

    def judged(self, *arguments, chunk_size: int = 300) -> dict:
        return benchmark(self._program, self._out, "-m", "custom", "-e", chunk_size,
                         "--esm-model", TINY["esm2"], "--dnabert-model", TINY["dnabert_s"], "-p",
                         TINY["classifier"], *arguments,
                         environment={"VIRNUCPRO_SHARE": str(self.share)})

    def datasets(self) -> dict:
        return datasets_against(self._out, ROW)

    def verdict(self, name: str) -> dict:
        return verdict(report_of(self._out), name)


@pytest.fixture
def installed(program, tmp_path, tiny_baseline) -> Installed:
    return Installed(program, tmp_path, tiny_baseline)


def test_equal_answers_pass(installed):
    """Of its own sequences, not those of the benchmark, of which there are ten."""
    assert installed.judged()["status"] == "PASS"
    frames = len(frame_rows((installed.baseline / "prediction_results.txt").read_bytes()))
    assert frames > 10
    assert installed.datasets()["prediction_results.txt"][:2] == [str(frames), "0"]


def test_a_planted_difference_of_a_score_is_missed(installed):
    """Though no label changes: in fp32 nothing explains it."""
    installed.change_first_row(
        lambda name, label, others, virus: [name, label, str(float(others) - 0.01), virus])
    found = installed.judged()
    assert found["status"] == "MISS"
    assert found["value"] == pytest.approx(0.01, abs=1e-3)


def test_a_difference_that_the_requirement_allows_is_told_by_our_own_bar(installed):
    installed.change_first_row(
        lambda name, label, others, virus: [name, label, str(1.001 * float(others) + 0.0005), virus])
    assert installed.judged()["status"] == "PASS"
    assert installed.verdict("EQUIV-BASELINE-OWN")["status"] == "MISS"


def test_a_planted_label_misses(installed):
    def swapped(name, label, others, virus):
        assert abs(float(others) - float(virus)) > 0.1
        return [name, {"others": "virus", "virus": "others"}[label], virus, others]

    installed.change_first_row(swapped)
    assert installed.judged()["status"] == "MISS"


def test_a_row_that_is_missing_misses(installed):
    table = installed.baseline / "prediction_results.txt"
    table.write_text("\n".join(table.read_text().splitlines()[:-1]) + "\n")
    assert installed.judged()["status"] == "MISS"


@needs_isa("AVX512_BF16")
def test_what_precision_costs_is_told_apart(installed):
    half = installed.judged("--precision", "bf16")
    full = installed.verdict("EQUIV-BASELINE-FP32")
    assert full["status"] == "PASS"
    assert full["value"] < half["value"] / 10


def test_other_weights_of_the_same_name_are_skipped(installed):
    installed.change_provenance(lambda facts: facts["models"].update(esm2_hash="0" * 32))
    found = installed.judged()
    assert found["status"] == "SKIPPED" and found["value"] is None
    assert "another ESM-2" in found["detail"]


def test_where_none_fits_those_that_there_are_are_named(installed):
    found = installed.judged(chunk_size=200)
    assert found["status"] == "SKIPPED" and found["value"] is None
    assert "chunks of 200" in found["detail"]
    assert "tiny (synthetic:dnabert-s-tiny, synthetic:esm2_tiny, synthetic; chunks of 300)" in (
        found["detail"])


@pytest.fixture
def published(tiny_models, tmp_path) -> Path:
    """A folder of models with the names and formats of the published ones, but tiny."""
    models = tmp_path / "models"
    models.mkdir()
    (models / "DNABERT-S").symlink_to(tiny_models.dnabert.directory)
    (models / "esm2_t36_3B_UR50D.pt").symlink_to(tiny_models.esm2.file)
    (models / "500_model.pth").symlink_to(tiny_models.classifier_file)
    return models


def test_published_models_are_held_against_the_original_s_results(program, published, tmp_path):
    out = tmp_path / "out"
    models = ["--models-dir", published, "-m", "500"]
    found = benchmark(program, tmp_path / "wide", *models, exit_code=2)
    assert found["status"] == "SKIPPED" and "columns, but" in found["detail"]  # of the embeddings
    shutil.copytree(SHARE, tmp_path / "share")
    for file in (tmp_path / "share" / "baseline" / "vanilla-500").glob("*.pt"):
        file.unlink()
    found = benchmark(program, out, *models, environment={"VIRNUCPRO_SHARE": str(tmp_path / "share")})
    assert found["status"] == "MISS"  # they are other models
    assert "vanilla-500" in page_of(out)
    compared = datasets_against(out, ROW)
    assert compared["prediction_results.txt"][:2] == ["4", "0"]
    assert compared["prediction_results_highestscore.csv"][:2] == ["2", "0"]


def test_one_can_be_made_of_published_models(program, published, tmp_path):
    """The command of docs/use/validation.md."""
    fasta = SOURCE / "tests" / "data" / "vanilla" / "test_with_orfs.fa"
    stored = tmp_path / "stored"
    make_baseline("--models-dir", published, "-m", "500", "--input", fasta, "-o", stored)
    assert provenance(stored)["models"]["classifier"] == "500_model.pth"
    found = benchmark(program, tmp_path / "out", "--models-dir", published, "-m", "500",
                      baseline=stored)
    assert found["status"] == "PASS"
    assert datasets_against(tmp_path / "out", ROW)["prediction_results.txt"][:2] == ["4", "0"]
