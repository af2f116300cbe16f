"""benchmark's suites that hold the program against the original, for which the chain stands."""

import json
import shlex
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


@pytest.fixture(scope="module")
def command(tokenizer_json):
    return shlex.join([sys.executable, str(FOLDER / "vanilla.py"), str(tokenizer_json)])


def benchmark(program, models, out, *arguments, exit_code=0):
    program.run("benchmark", "-m", "custom", "-e", 300, *models.arguments, "--device", "cpu",
                "--data-size", "tiny", "--quick", "-o", out, *arguments, exit_code=exit_code)
    (report,) = out.glob("benchmark_*.json")
    return json.loads(report.read_text())


def verdict(report, name):
    (found,) = [row for row in report["verdicts"] if row["id"] == name]
    return found


def test_equal_answers_and_speed(program, tiny_models, command, tmp_path):
    short = tmp_path / "short.yaml"
    short.write_text("run:\n  requirements:\n    shortest_run: 0\n")
    report = benchmark(program, tiny_models, tmp_path / "out", "-c", short,
                       "--suite", "equivalence,v1-comparison", "--vanilla-command", command)
    assert verdict(report, "EQUIV-VANILLA")["status"] == "PASS"
    assert verdict(report, "IDENTITY")["status"] == "PASS"
    assert verdict(report, "EQUIV-BASELINE")["status"] == "SKIPPED"
    assert verdict(report, "V1-SPEED")["value"] > 1
    assert report["validation"]["equivalence"]["predictions_match"] is True
    assert report["validation"]["equivalence"]["within_tolerance"] is True


def test_what_precision_costs_is_told_apart(program, tiny_models, command, tmp_path):
    report = benchmark(program, tiny_models, tmp_path / "out", "--precision", "bf16",
                       "--suite", "equivalence", "--vanilla-command", command)
    half, full = verdict(report, "EQUIV-VANILLA"), verdict(report, "EQUIV-VANILLA-FP32")
    assert full["status"] == "PASS"
    assert full["value"] < half["value"] / 10


def test_a_planted_difference_is_found_and_located(program, tiny_models, command, tmp_path):
    """A baseline with one score changed by hand: the row is named, and whether it was close."""
    first = benchmark(program, tiny_models, tmp_path / "out", "--suite", "equivalence",
                      "--vanilla-command", command)
    assert verdict(first, "EQUIV-VANILLA")["status"] == "PASS"
    (vanilla,) = (tmp_path / "out" / "runs").glob("*_vanilla")
    table = vanilla / "prediction_results.txt"
    lines = table.read_text().splitlines()
    name, label, others, virus = lines[1].split("\t")
    lines[1] = "\t".join([name, {"virus": "others", "others": "virus"}[label], virus, others])
    table.write_text("\n".join(lines) + "\n")

    out = tmp_path / "again"
    again = benchmark(program, tiny_models, out, "--suite", "equivalence", "--vanilla-baseline",
                      vanilla)
    assert verdict(again, "EQUIV-BASELINE")["status"] in ("MISS", "WARN")
    (page,) = out.glob("benchmark_*.html")
    assert name in page.read_text()
    assert again["status"]["all_tests_passed"] is (verdict(again, "EQUIV-BASELINE")["status"]
                                                   == "WARN")
