"""What a run leaves for MultiQC, and what MultiQC makes of 24 runs."""

import json
import os
import re
import subprocess

import pytest
from conftest import SHORT, SOURCE, Program, calls_of, fasta, pieces

SAMPLES = 24
WORDS = ("virus", "others", "ambiguous", "unscored")
# Debian's, and the pinned one of PyPI, which tools/setup.sh installs for the longer tests.
MULTIQCS = ["multiqc", pytest.param(SOURCE / ".venv-multiqc" / "bin" / "multiqc", marks=pytest.mark.full)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory, genome):
    """24 samples; s7 has an input that failed, s8 is read from stdin, and s5's rule is viral-ngs."""
    program = Program(tmp_path_factory.mktemp("multiqc"))
    (program.folder / "bad.fa").write_bytes(b">cut\nAC\0")
    letters = list(pieces(genome).items())
    for k in range(SAMPLES):
        text = fasta(dict(letters[:1 + k % len(letters)]))
        (program.folder / f"s{k}.fa").write_text(text)
        inputs = {7: ["s7.fa", "bad.fa"], 8: ["-"]}.get(k, [f"s{k}.fa"])
        rule = ["--rule", "viral-ngs"] if k == 5 else []
        program.predict(*inputs, *SHORT, *rule, "-o", f"runs/s{k}", stdin=text.encode(), code=2 if k == 7 else 0)
    return program


def counts_of(folder):
    calls = list(calls_of(folder).values())
    return [calls.count(call) for call in WORDS]


def test_files_are_as_documented(runs):
    """According to MultiQC's custom content: https://docs.seqera.io/multiqc/custom_content."""
    folder = runs.folder / "runs" / "s5"
    general = json.loads((folder / "virnucpro_mqc.json").read_text())
    assert set(general) == {"id", "namespace", "plot_type", "pconfig", "data"}
    assert general["plot_type"] == "generalstats"
    columns = [name for column in general["pconfig"] for name in column]
    assert list(general["data"]) == ["s5"]
    assert set(general["data"]["s5"]) <= set(columns)
    for column in general["pconfig"]:
        for settings in column.values():
            assert {"title", "description"} < set(settings)
            assert settings.get("format", "{}").format(1234.5)
    calls = json.loads((folder / "virnucpro_calls_mqc.json").read_text())
    assert (calls["plot_type"], calls["parent_id"]) == ("bargraph", "virnucpro")
    assert calls["data"]["s5"] == dict(zip(WORDS, counts_of(folder)))
    assert calls["data"]["s5"]["ambiguous"] == general["data"]["s5"]["virnucpro_ambiguous"] > 0
    lines = (folder / "virnucpro_scores_mqc.tsv").read_text().splitlines()
    head = [line for line in lines if line.startswith("#")]
    assert {"# id: virnucpro_scores", "# plot_type: linegraph", "# file_format: tsv"} <= set(head)
    scale, frames = (line.split("\t") for line in lines[len(head):])
    assert scale[0] == "" and frames[0] == "s5"  # otherwise the scale would count as a sample
    assert [float(x) for x in scale[1:]] == pytest.approx([0.05 * k + 0.025 for k in range(20)])
    summary = json.loads((folder / "report.json").read_text())["summary"]
    assert sum(map(int, frames[1:])) == summary["frames"] > 0
    version = runs("--version").stdout.decode().split()[1]
    assert (folder / "virnucpro_mqc_versions.yml").read_text() == f'virnucpro: "{version}"\n'


def table(file):
    """Rows by sample; columns by the last part of their names, which versions of MultiQC prefix."""
    head, *rows = [line.split("\t") for line in file.read_text().splitlines()]
    names = [name.rpartition("-")[2] for name in head[1:]]
    return {row[0]: dict(zip(names, row[1:])) for row in rows}


@pytest.mark.parametrize("multiqc", MULTIQCS, ids=["Debian", "PyPI"])
def test_multiqc_shows_24_samples(runs, tmp_path, multiqc):
    # tools/steps.sh hides AVX-512 from numpy, which warns of each instruction set that is not there anyway.
    environment = {name: value for name, value in os.environ.items() if name != "NPY_DISABLE_CPU_FEATURES"}
    done = subprocess.run(
        [multiqc, "--no-ansi", "--cl-config", "no_version_check: true", "-o", tmp_path, "runs"], env=environment,
        cwd=runs.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    assert "error" not in done.stdout.lower() and "warning" not in done.stdout.lower(), done.stdout
    data = tmp_path / "multiqc_data"
    general = table(data / "multiqc_general_stats.txt")
    calls = table(data / "multiqc_virnucpro_calls_plot.txt")
    scores = table(data / "multiqc_virnucpro_scores_plot.txt")
    assert set(general) == set(calls) == set(scores) == {f"s{k}" for k in range(SAMPLES)}
    for sample, row in general.items():
        virus, _, ambiguous, unscored = counts = counts_of(runs.folder / "runs" / sample)
        assert [float(calls[sample][name]) for name in WORDS] == counts
        assert float(row["virnucpro_ambiguous"]) == ambiguous
        assert float(row["virnucpro_sequences"]) == sum(counts) > 0
        assert float(row["virnucpro_virus"]) == virus
        assert float(row["virnucpro_virus_percent"]) == pytest.approx(100 * virus / sum(counts))
        assert float(row["virnucpro_unscored_percent"]) == pytest.approx(100 * unscored / sum(counts))
        failed = "; 1 of 2 inputs failed" if sample == "s7" else ""
        assert row["virnucpro_remarks"] == "synthetic weights: the calls mean nothing" + failed
    page = (tmp_path / "multiqc_report.html").read_text()
    assert page.count("synthetic weights: the calls mean nothing") >= SAMPLES
    versions = data / "multiqc_software_versions.txt"
    if versions.exists():  # Debian's MultiQC is too old for it
        assert runs("--version").stdout.decode().split()[1] in versions.read_text()
    assert versions.exists() == (multiqc != "multiqc")


@pytest.mark.parametrize("multiqc", MULTIQCS, ids=["Debian", "PyPI"])
def test_names_stay_whole(program, sequences, tmp_path, multiqc):
    """Names that MultiQC shortens, so that some become one, unless it is called as outputs.md says."""
    letters = list(sequences.items())
    counts = {"S1": 2, "S1_trimmed": 3, "S2.sorted": 4}
    for sample, count in counts.items():
        (tmp_path / f"{sample}.fa").write_text(fasta(dict(letters[:count])))
        program.predict(f"{sample}.fa", *SHORT, "-o", f"runs/{sample}", code=0)
    _, *options, _ = re.search(r"`(multiqc [^`]*DIR)`", (SOURCE / "docs/use/outputs.md").read_text())[1].split()
    subprocess.run([multiqc, "--cl-config", "no_version_check: true", "-o", "page", *options, "runs"], cwd=tmp_path,
                   capture_output=True, check=True)
    general = table(tmp_path / "page" / "multiqc_data" / "multiqc_general_stats.txt")
    assert {sample: float(row["virnucpro_sequences"]) for sample, row in general.items()} == counts
    assert set(table(tmp_path / "page" / "multiqc_data" / "multiqc_virnucpro_calls_plot.txt")) == set(counts)
