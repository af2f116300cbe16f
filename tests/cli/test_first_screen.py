"""README's first screen: what stands there, and that its lines of the program run as they stand, with models from a hub
of the tests' own. tools/test_first_screen.sh runs the lines before these, in a bare Debian."""

import re
import subprocess
from pathlib import Path

import pytest
from conftest import BIN, SOURCE, message
from model_hub import full_table, running_hub, share_with
from page_commands import commands_of

README = SOURCE / "README.md"
SCREEN = re.split(r"(?m)^(?:- \[|## )", README.read_text())[0]
VERSION = subprocess.run([SOURCE / "tools" / "version.sh"], capture_output=True, text=True, check=True).stdout.strip()


def test_it_is_a_screen():
    assert len(SCREEN.splitlines()) <= 30 and len(README.read_text().split()) <= 800
    for said in ("make demo", "make check", "virnucpro download", "--paired", "contigs.fa", "--resume", "report.html",
                 "8.0", "not T4", "driver 580", "no\nprobabilities", "No package is published", "minutes"):
        assert said.replace("\n", " ") in " ".join(SCREEN.split()), said


@pytest.mark.parametrize("page", [README, SOURCE / "docs/use/install.md"], ids=lambda page: page.name)
def test_files_have_the_version_of_a_release(page):
    names = re.findall(r"virnucpro[-_](\d+\.\d+\.\d+)", page.read_text())
    assert names and set(names) == {VERSION}
    assert page != README or f"Status: {VERSION.rpartition('.')[0]}, " in SCREEN


def test_lines_run_as_they_stand(shell, program, tmp_path):
    lines = [line for line in commands_of(README) if line.startswith("virnucpro")]
    assert len(lines) == 5
    share = tmp_path / "share"
    with running_hub(lambda *words: program(*words, code=0), tmp_path / "published") as hub:
        share_with(full_table(hub.models), SOURCE / "share" / "virnucpro", share)
        settings = "\n".join(f"export {name}={value}" for name, value in hub.environment.items())
        result = shell("\n".join([settings, "unset VIRNUCPRO_MODELS", f"export HOME='{tmp_path}' VIRNUCPRO_SHARE='{share}'",
                                  *lines, *(f"{line} --resume" for line in lines if "download" not in line)]))
    assert result.returncode == 0, message(result)
    for run in ("reads", "pairs", "contigs"):
        for file in ("report.html", "sequences.tsv"):
            assert (program.folder / run / file).stat().st_size > 0
    assert (program.folder / "contigs" / "contigs.tsv").exists()


def test_demo_needs_nothing(program):
    """No home, no model, no network: as in a bare root."""
    result = subprocess.run(["env", "-i", BIN, "predict", "--demo"], cwd=program.folder, capture_output=True, text=True,
                            timeout=60, check=True)
    assert "scores mean nothing" in result.stderr and "calls by synthetic models mean nothing" in result.stderr
    found = dict(line.split(": ", 1) for line in result.stderr.splitlines() if ": " in line)
    for file in ("report", "tables", "calls"):
        assert (program.folder / found[file]).exists()
    assert Path(program.folder / found["report"]).parent.name == "lambda_predictions"
    rows = program.tables("lambda_predictions", "lambda")["prediction_results.txt"].splitlines()
    assert len(rows) > 50


def test_demo_asks_for_no_folder_of_models(program):
    program("predict", "--demo", environment={"VIRNUCPRO_MODELS": "/nowhere"}, code=0)


def test_demo_takes_other_options(program):
    program("predict", "--demo", "-o", "out", "-e", "500", "--virus-fasta", "--name", "trial", "-q", code=0)
    assert (program.folder / "out" / "trial_merged").exists() and (program.folder / "out" / "virus.fasta").exists()
    program("predict", "--demo", "-o", "out", "-e", "500", "--virus-fasta", "--name", "trial", "--resume", code=0)


@pytest.mark.parametrize("others", [["x.fa"], ["-m", "300"], ["-p", "synthetic"], ["--esm-model", "synthetic:esm2_tiny"],
                                    ["--dnabert-model", "x"], ["--models-dir", "."], ["--paired"]])
def test_demo_has_its_own_input_and_models(program, others):
    result = program("predict", "--demo", *others, code=1)
    assert "--demo has its own input and models" in message(result)
    assert list(program.folder.iterdir()) == []
