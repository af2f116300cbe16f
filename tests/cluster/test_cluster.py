"""Three samples in three shards each, on a real Slurm, while things go wrong: all ends complete, with
the bytes of single runs."""

import os
import subprocess

import pytest
from conftest import MODELS, OF_CONTIGS, PROGRAM, SAMPLES, SHARDS, SNAKEMAKE, SOURCE, is_same, predict, write_reads
from slurm import wait_for
from trouble import Trouble, exit_codes

WORKFLOW = SOURCE / "workflow"
WITHOUT_ACCOUNTING = ["--slurm-status-command", "squeue", "--slurm-no-account",
                      "--slurm-init-seconds-before-status-checks", "3", "--seconds-between-status-checks", "3"]


class Project:
    """A folder with samples, as a user has it."""

    def __init__(self, folder, single_runs):
        self.folder = folder
        (folder / "config").mkdir()
        rows = ["sample\treads\tcontigs"]
        for sample in SAMPLES:
            (folder / f"{sample}.fq").write_bytes((single_runs / f"{sample}.fq").read_bytes())
            rows.append(f"{sample}\t\t{sample}.fq" if sample in OF_CONTIGS else f"{sample}\t{sample}.fq")
        (folder / "config" / "samples.tsv").write_text("\n".join(rows) + "\n")
        (folder / "config" / "config.yaml").write_text(
            f"virnucpro: {PROGRAM}\nmultiqc: /usr/bin/multiqc\nshards: {SHARDS}\ntoken_budget: 512\n"
            f"predict_options: {' '.join(MODELS)}\n"
            # No SIGTERM before the time limit, so that a job reaches it.
            "slurm_extra: --signal=CONT@1\n")

    def snakemake(self, profile, *options):
        """Output and exit code of Snakemake."""
        result = subprocess.run(
            [SNAKEMAKE, "--snakefile", WORKFLOW / "Snakefile", "--workflow-profile",
             WORKFLOW / "profiles" / profile, *options, "--config", "threads=1", "mem_mb=500"],
            cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=1500, check=False)
        return result.stdout, result.returncode


@pytest.fixture(scope="module")
def project(tmp_path_factory, single_runs, slurm):
    """The samples, computed by Snakemake on Slurm while things go wrong."""
    made = Project(tmp_path_factory.mktemp("project"), single_runs)
    trouble = Trouble(slurm, lambda sample: made.folder / "results" / sample / "shards", warns=False)
    trouble.begin()
    try:
        made.output, made.code = made.snakemake("slurm-cpu", *WITHOUT_ACCOUNTING)
        print(made.output)
        trouble.end()
        yield made
    finally:
        trouble.tidy()


def check_contigs(run, sample):
    """Only contigs have their table: the header and a row for each."""
    assert (run / "contigs.tsv").exists() == (sample in OF_CONTIGS)
    assert sample not in OF_CONTIGS or (run / "contigs.tsv").read_text().count("\n") == 451


def test_snakemake_ends_complete(project, single_runs):
    assert project.code == 0, project.output[-4000:]
    for sample in SAMPLES:
        run = project.folder / "results" / sample / "run"
        assert is_same(run, single_runs / sample)
        check_contigs(run, sample)
        assert (run / "report.html").stat().st_size > 10000
    report = (project.folder / "results" / "multiqc" / "multiqc_report.html").read_text()
    assert "virnucpro" in report.lower()


def test_nothing_is_left_to_do(project):
    output, code = project.snakemake("local", "--dry-run")
    assert code == 0
    assert "Nothing to be done" in output, output


def test_a_changed_sample_alone_runs_again(project, tmp_path):
    write_reads(project.folder / "b.fq", seed=77, count=90)
    before = {sample: (project.folder / "results" / sample / "run" / "run.db").stat().st_mtime_ns
              for sample in SAMPLES}
    output, code = project.snakemake("local")
    assert code == 0, output[-4000:]
    ran = [line.split(":")[1].strip() for line in output.splitlines() if "wildcards: " in line]
    assert {words.split(",")[0] for words in ran} == {"sample=b"}
    assert len(ran) == SHARDS + 1  # its shards, and merge
    for sample in SAMPLES:
        now = (project.folder / "results" / sample / "run" / "run.db").stat().st_mtime_ns
        assert (now != before[sample]) == (sample == "b")
    predict(project.folder / "b.fq", "--name", "b", "-o", tmp_path / "b")
    assert is_same(project.folder / "results" / "b" / "run", tmp_path / "b")


def test_array_ends_complete(tmp_path, single_runs, slurm):
    # The tasks of sample b are not warned, so that one of them ends at the time limit itself.
    # Those of c get no environment.
    options = {"a": [], "b": ["--signal=CONT@1"], "c": ["--export=NONE"]}

    def submit(sample):
        data = "contigs" if sample in OF_CONTIGS else "reads"
        subprocess.run(
            [WORKFLOW / "slurm" / "submit.sh", "--data", data, tmp_path / sample, str(SHARDS), "--time=60",
             *options[sample], "--", single_runs / f"{sample}.fq", "--name", sample, *MODELS,
             "--device", "cpu", "--threads", "1"],
            env={**os.environ, "VIRNUCPRO": PROGRAM, "VIRNUCPRO_TOKEN_BUDGET": "512"}, check=True)

    def wait_for_jobs():
        wait_for("empty queue", lambda: not slurm.call("squeue", "-h"), 1200)

    trouble = Trouble(slurm, lambda sample: tmp_path / sample / "shards", warns=True)
    trouble.begin()
    try:
        for sample in SAMPLES:
            submit(sample)
        wait_for_jobs()
        trouble.end()
    finally:
        trouble.tidy()
    # To Slurm an array of which a task reached its limit has failed, also when the task succeeds later.
    submit("b")
    wait_for_jobs()
    for sample in SAMPLES:
        assert is_same(tmp_path / sample / "run", single_runs / sample)
        check_contigs(tmp_path / sample / "run", sample)
    assert 143 in exit_codes(trouble.warned())
    # One task was put back, and no other of its array with it.
    assert len(exit_codes(tmp_path / "c" / "shards" / "1-of-3")) == 1
