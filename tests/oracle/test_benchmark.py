"""benchmark's suites that compare with the original; the reference chain takes its place."""

import shlex
import shutil
import sys
from pathlib import Path

import pytest
import torch

from benchmark_reports import datasets_against, report_of, rows_against, verdict
from needs import needs_isa

FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def command(tokenizer_json):
    return shlex.join([sys.executable, str(FOLDER / "vanilla.py"), str(tokenizer_json)])


def benchmark(program, models, out, *arguments, exit_code=0):
    program.run("benchmark", "-m", "custom", "-e", 300, *models.arguments, "--device", "cpu",
                "--data-size", "tiny", "--quick", "-o", out, *arguments, exit_code=exit_code)
    return report_of(out)


@pytest.fixture(scope="module")
def judged(program, tiny_models, command, tmp_path_factory):
    """A benchmark's folder, and its report."""
    folder = tmp_path_factory.mktemp("judged")
    (folder / "short.yaml").write_text("run:\n  requirements:\n    shortest_run: 0\n")
    return folder / "out", benchmark(program, tiny_models, folder / "out", "-c", folder / "short.yaml",
                                     "--suite", "equivalence,v1-comparison", "--vanilla-command", command)


def test_equal_answers_and_speed(judged):
    out, report = judged
    vanilla = verdict(report, "EQUIV-VANILLA")
    assert vanilla["status"] == "PASS"
    assert "sequences.tsv is in A alone" in vanilla["detail"]
    compared = datasets_against(out, "results compared with the original, run here")
    for dataset in ("dnabert_s", "esm2", "merged"):
        rows, only_one, _, within = compared[dataset][:4]
        assert int(rows) > 0 and (only_one, within) == ("0", "100 %")
    assert verdict(report, "IDENTITY")["status"] == "PASS"
    assert verdict(report, "EQUIV-BASELINE")["status"] == "SKIPPED"
    assert verdict(report, "V1-SPEED")["value"] > 1
    assert report["validation"]["equivalence"]["predictions_match"] is True
    assert report["validation"]["equivalence"]["within_tolerance"] is True


def test_the_program_that_stands_for_the_original_cuts_sequences(program, tmp_path):
    """bench/peers/vanilla_program.py, with which the pages' figures were made."""
    source = FOLDER.parents[1]
    files = {"esm2_t6_8M": tmp_path / "esm2", "dnabert-s-tiny": tmp_path / "dnabert_s"}
    for name, folder in files.items():
        program.run("utils", "export-weights", f"synthetic:{name}", "-o", folder)
    classifier = tmp_path / "classifier.safetensors"
    program.run("utils", "export-weights", "synthetic", "--inputs", 320 + 48, "-o", classifier)
    command = shlex.join(map(str, [sys.executable, source / "bench" / "peers" / "vanilla_program.py",
                                   *files.values(), classifier]))
    esm2, dnabert = files.values()
    program.run("benchmark", "-m", "custom", "-e", 300, "--esm-model", esm2, "--dnabert-model",
                dnabert, "-p", classifier, "--device", "cpu", "--data-size", "tiny", "--quick",
                "--suite", "equivalence", "-o", tmp_path / "out", "--vanilla-command", command)
    assert verdict(report_of(tmp_path / "out"), "EQUIV-VANILLA")["status"] == "PASS"


@needs_isa("AVX512_BF16")
def test_what_precision_costs_is_told_apart(program, tiny_models, command, tmp_path):
    report = benchmark(program, tiny_models, tmp_path / "out", "--precision", "bf16",
                       "--suite", "equivalence", "--vanilla-command", command)
    half, full = verdict(report, "EQUIV-VANILLA"), verdict(report, "EQUIV-VANILLA-FP32")
    assert full["status"] == "PASS"
    assert full["value"] < half["value"] / 10


@pytest.fixture
def baseline(judged, tmp_path):
    """Stored results of the original on these sequences."""
    vanilla = min((judged[0] / "runs").glob("*_vanilla"))
    return Path(shutil.copytree(vanilla, tmp_path / "vanilla"))


def held_against(program, models, baseline, out):
    report = benchmark(program, models, out, "--suite", "equivalence", "--vanilla-baseline",
                       baseline)
    return report, verdict(report, "EQUIV-BASELINE")


def test_a_planted_difference_is_found_and_located(program, tiny_models, baseline, tmp_path):
    """One score of the baseline changed by hand: the report names the row and its margin."""
    table = baseline / "prediction_results.txt"
    lines = table.read_text().splitlines()
    name, label, others, virus = lines[1].split("\t")
    lines[1] = "\t".join([name, {"virus": "others", "others": "virus"}[label], virus, others])
    table.write_text("\n".join(lines) + "\n")

    out = tmp_path / "again"
    again, found = held_against(program, tiny_models, baseline, out)
    assert found["status"] == "MISS"
    (page,) = out.glob("benchmark_*.html")
    assert name in page.read_text()
    assert again["status"]["all_tests_passed"] is False


def test_a_planted_difference_in_one_embedding(program, tiny_models, baseline, tmp_path):
    file = baseline / "output_1_ESM.pt"
    embeddings = torch.load(file)
    embeddings["data"][5][7] += 0.5
    torch.save(embeddings, file)

    out = tmp_path / "again"
    again, found = held_against(program, tiny_models, baseline, out)
    assert found["status"] == "WARN"  # no label changed
    assert found["value"] < 1e-4  # nor a score
    located = [row[:4] for row in rows_against(out, "results compared with the stored baseline")
               if len(row) == 6]
    assert located == [["esm2", embeddings["proteins"][5], "number", "7"]]
    assert again["validation"]["equivalence"]["predictions_match"] is True


def test_embeddings_that_a_baseline_lacks_are_told(program, tiny_models, baseline, tmp_path):
    (baseline / "output_1_DNABERT_S.pt").unlink()
    out = tmp_path / "again"
    _, found = held_against(program, tiny_models, baseline, out)
    assert found["status"] == "PASS"
    assert "dnabert_s is in A alone" in found["detail"]
    compared = datasets_against(out, "results compared with the stored baseline")
    assert "esm2" in compared and "dnabert_s" not in compared
