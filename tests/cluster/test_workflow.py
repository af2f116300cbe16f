"""The Snakemake workflow on this machine, without Slurm. The program is a script that may fail before it starts the
real one, as a file says."""

import csv
import os
import re
import signal
import subprocess

import pytest
from conftest import CONTIGS, HOSTILE, MODELS, PROGRAM, SAMPLES, SNAKEMAKE, SOURCE, is_same, predict, write_reads
from slurm import wait_for

WORKFLOW = SOURCE / "workflow"
SHARDS = 2
READS = 8
# Notes each call. In the folder `trouble`: a file of a shard's number and count has the exit code with which its next
# attempt ends, or `wait`.
WRAPPER = f"""#!/usr/bin/env bash
printf '%s\\n' "$*" >>calls
[ "$2" = predict ] || exec {PROGRAM} "$@"
what=$(sed -E 's,.*/shards/([^ ]*) .*,\\1,' <<<"$*")
if [ -e "trouble/$what" ]; then
  code=$(cat "trouble/$what")
  rm "trouble/$what"
  if [ "$code" = wait ]; then touch waits && exec sleep 1000; fi
  exit "$code"
fi
exec {PROGRAM} "$@"
"""


class Project:
    """A folder as a user has it."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("config", "trouble", "my clones"):
            (folder / name).mkdir()
        self.workflow = folder / "my clones" / "workflow"
        self.workflow.symlink_to(WORKFLOW)
        for seed, sample in enumerate(SAMPLES):
            write_reads(folder / f"{sample}.fq", seed, READS)
        self.write_sheet({})
        self.write_config()
        (folder / "program").write_text(WRAPPER)
        (folder / "program").chmod(0o755)

    def write_sheet(self, cells, column="shards"):
        """`cells`: what a sample has in a column more."""
        rows = [f"sample\treads\t{column}"]
        rows += [f"{sample}\t{sample}.fq\t{cells.get(sample, '')}" for sample in SAMPLES]
        (self.folder / "config" / "samples.tsv").write_text("\n".join(rows) + "\n")

    def write_rows(self, rows, encoding="utf-8"):
        """A sheet without a column more."""
        (self.folder / "config" / "samples.tsv").write_text("\n".join(["sample\treads", *rows]) + "\n", encoding)

    def write_contigs(self, *rows):
        """A sheet of other columns: reads, mates, contigs."""
        (self.folder / "config" / "samples.tsv").write_text("\n".join(["sample\treads\tmates\tcontigs", *rows]) + "\n")

    def write_config(self, encoding="utf-8", **keys):
        keys = {"virnucpro": "./program", "multiqc": "/usr/bin/multiqc", "shards": SHARDS, "threads": 1,
                "predict_options": " ".join(MODELS), **keys}
        (self.folder / "config" / "config.yaml").write_text(
            "".join(f"{key}: {value}\n" for key, value in keys.items()), encoding)

    def command(self, profile, *options):
        return [SNAKEMAKE, "--snakefile", self.workflow / "Snakefile", "--workflow-profile",
                self.workflow / "profiles" / profile, *options]

    def snakemake(self, *options, profile="local", code=0):
        done = subprocess.run(self.command(profile, *options), cwd=self.folder, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert (done.returncode != 0) == (code != 0), done.stdout[-4000:]
        return done.stdout

    def run(self, sample):
        return self.folder / "results" / sample / "run"

    def calls(self, *words):
        """The calls of the program that have these words, since they were last asked for."""
        file = self.folder / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.write_text("")
        return [line for line in lines if all(word in line for word in words)]


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A project that was computed without trouble."""
    made = Project(tmp_path_factory.mktemp("whole"))
    made.write_config(controls="[c]")
    made.snakemake()
    return made


def check_sample(project, sample, folder, *options):
    predict(project.folder / f"{sample}.fq", "--name", sample, "-o", folder / sample, *options)
    assert is_same(project.run(sample), folder / sample)


def test_all_samples_are_those_of_single_runs(whole, tmp_path):
    for sample in SAMPLES:
        check_sample(whole, sample, tmp_path)
        assert (whole.run(sample) / "report.html").exists()
        assert not (whole.run(sample) / "contigs.tsv").exists()
    assert "Nothing to be done" in whole.snakemake("--dry-run")


def test_pages_of_all_samples(whole):
    with open(whole.folder / "results" / "samples.tsv", newline="") as table:
        rows = {row["sample"]: row["against_controls"] for row in csv.DictReader(table, delimiter="\t")}
    assert set(rows) == set(SAMPLES)
    assert [sample for sample in rows if rows[sample] == "control"] == ["c"]
    said = (whole.folder / "logs" / "multiqc.log").read_text()
    for what in ("calls: Found 3 samples", "scores: Found 3 samples", "general: Found 3 General"):
        assert f"virnucpro_{what}" in said, said


def test_names_in_multiqc_stay_whole(project):
    """Names that MultiQC shortens by default: the second becomes the first."""
    counts = {"S1": 2, "S1_trimmed": 3, "S2.sorted": 4}
    for sample, count in counts.items():
        write_reads(project.folder / f"{sample}.fq", seed=count, count=count)
    project.write_rows(f"{sample}\t{sample}.fq" for sample in counts)
    project.snakemake()
    page = (project.folder / "results" / "multiqc" / "multiqc_report.html").read_text()
    rows = re.findall(r'data-original-sn="([^"]*)">[^<]*</th><td class="[^"]*virnucpro_sequences "[^>]*>'
                      r'.*?<span class="val">(\d+)</span>', page)
    assert {sample: int(sequences) for sample, sequences in rows} == counts


def test_only_a_changed_sample_runs_again(whole, tmp_path):
    whole.calls()
    write_reads(whole.folder / "b.fq", seed=77, count=READS + 1)
    whole.snakemake()
    calls = whole.calls()
    assert len(calls) == SHARDS + 2 and all("results/b/" in call for call in calls), calls
    check_sample(whole, "b", tmp_path)
    whole.write_sheet({"c": "3"})
    whole.snakemake()
    calls = whole.calls()
    assert len(calls) == 3 + 2 and all("results/c/" in call for call in calls), calls
    check_sample(whole, "c", tmp_path)


def test_rule_follows_the_data(project, tmp_path):
    """A sample of reads and one of contigs, which is then taken for reads, in the directories that are there."""
    runs = [f"results/{sample}/run/sequences.tsv" for sample in "ab"]
    project.write_contigs("a\ta.fq", "b\t\t\tb.fq")
    project.snakemake(*runs)
    check_sample(project, "a", tmp_path)
    check_sample(project, "b", tmp_path, *CONTIGS)
    assert [(project.run(sample) / "contigs.tsv").exists() for sample in "ab"] == [False, True]
    assert "Nothing to be done" in project.snakemake("--dry-run", *runs)
    project.write_contigs("a\ta.fq", "b\tb.fq")
    project.calls()
    project.snakemake(*runs)
    assert not project.calls("results/a/shards"), "sample a was computed again"
    check_sample(project, "b", tmp_path / "reads")
    assert not (project.run("b") / "contigs.tsv").exists()
    project.write_config(predict_options=" ".join([*MODELS, "--min-score", "0.9"]))
    project.snakemake(runs[1])
    check_sample(project, "b", tmp_path / "strict", "--min-score", "0.9")


VIRAL_NGS = " --rule viral-ngs"


@pytest.mark.parametrize("keys, in_shards, in_merge, has_contigs", [
    ({}, "", " --rule majority", False),
    ({"data": "reads"}, "", " --rule majority", False),
    ({"data": "contigs"}, VIRAL_NGS, VIRAL_NGS, True),
    # The user's own goes before what follows from the data.
    ({"data": "contigs", "predict_options": "-m 300 --rule majority"}, " --rule majority", " --rule majority", False),
    ({"predict_options": "--rule=viral-ngs"}, " --rule=viral-ngs", VIRAL_NGS, True),
    ({"predict_options": "--rollup viral-ngs"}, " --rollup viral-ngs", VIRAL_NGS, True),
    ({"data": "contigs", "merge_options": "--rule majority"}, VIRAL_NGS, " --rule majority", False),
    ({"merge_options": "--rollup viral-ngs"}, "", " --rollup viral-ngs", True),
    # The merge gets what else decides calls.
    ({"data": "contigs", "predict_options": "--min-tier=high --bed", "merge_options": "--min-tier low"},
     VIRAL_NGS, f"{VIRAL_NGS} --min-tier high --min-tier low", True)])
def test_rule_of_the_data(project, keys, in_shards, in_merge, has_contigs):
    only_sample(project, "a")
    project.write_config(**keys)
    said = project.snakemake("--dry-run", "--printshellcmds")
    shards = re.findall(r" -q predict .*", said)
    merge, = re.findall(r" -q merge .*", said)
    assert len(shards) == SHARDS and all(shard.count("--r") == bool(in_shards) for shard in shards), said
    assert all(f"{in_shards} " in shard for shard in shards), said
    assert merge.count(" --r") == bool(in_merge) and f"{in_merge} " in merge, said
    assert ("results/a/run/contigs.tsv" in said) == has_contigs, said


@pytest.mark.parametrize("row, keys, why", [
    ("a\ta.fq\t\tb.fq", {}, "sample a has reads and contigs: make a sample of each"),
    ("a\t\tb.fq", {}, "sample a has no input: name a file in the column reads or contigs"),
    ("a\t\tb.fq\tc.fq", {}, "sample a has mates, and contigs have none"),
    ("a\ta.fq\tb.fq", {"data": "contigs"}, "sample a has mates, and contigs have none"),
    ("a\t\t\t{sample}.fq", {}, "a name with braces cannot be used here"),
    ("a\ta.fq", {"data": "genomes"}, "'genomes' is not one of ['reads', 'contigs']")])
def test_data_that_is_refused(project, row, keys, why):
    project.write_contigs(row)
    project.write_config(**keys)
    said = project.snakemake("--dry-run", code=1)
    assert why in said and "Traceback" not in said, said


def only_sample(project, sample):
    project.write_rows([f"{sample}\t{sample}.fq"])


def test_too_little_memory_is_tried_with_half_the_budget(project, tmp_path):
    only_sample(project, "a")
    project.write_config(token_budget=1024)
    (project.folder / "trouble" / "0-of-2").write_text("4")
    project.snakemake()
    budgets = [call.split()[-1] for call in project.calls("predict", "0/2")]
    assert budgets == ["1024", "512"]
    check_sample(project, "a", tmp_path)


def test_a_refused_journal_is_not_tried_again(project):
    only_sample(project, "a")
    (project.folder / "trouble" / "1-of-2").write_text("3")
    said = project.snakemake(code=1)
    assert "results/a/shards/1-of-2" in said
    assert len(project.calls("predict", "1/2")) == 1
    project.snakemake()  # when the user asks again, it is


def test_what_is_left_of_a_killed_snakemake(project, tmp_path):
    only_sample(project, "a")
    (project.folder / "trouble" / "1-of-2").write_text("wait")
    killed = subprocess.Popen(project.command("local", "--cores", "1"), cwd=project.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    wait_for("shard that waits", (project.folder / "waits").exists, 120)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    project.calls()
    project.snakemake("--unlock")
    project.snakemake()
    check_sample(project, "a", tmp_path)


def test_names_of_reads_are_no_shell(project, recorder):
    project.write_config(virnucpro=recorder.folder / "bin" / "virnucpro", shards=1)
    files = {f"s{k}": f"{name}.fq" for k, name in enumerate(HOSTILE)}
    for file in files.values():
        (project.folder / file).touch()
    project.write_rows(f"{sample}\t{file}" for sample, file in files.items())
    project.snakemake("--until", "shard")
    read = {call[call.index("--name") + 1]: call[2:call.index("--shard")] for call in recorder.calls()}
    # The leading dash is no option's.
    assert read == {sample: ["./-n.fq" if file == "-n.fq" else file] for sample, file in files.items()}


@pytest.mark.parametrize("name", ["x;touch pwned", "-n"])
def test_names_of_samples_that_are_shell_are_refused(project, name):
    project.write_rows([f"{name}\ta.fq"])
    assert "does not match" in project.snakemake("--dry-run", code=1)


CLUSTERS_OWN = ["slurm_account=lab", "slurm_partition=gpu"]


@pytest.mark.parametrize("profile, asked, gpus, device", [("slurm-gpu", CLUSTERS_OWN, "gpu=1", "--device cuda:all"),
                                                          ("slurm-cpu", [], "gpu=0", "--device auto")])
def test_jobs_of_a_profile(project, profile, asked, gpus, device):
    project.write_sheet({"a": "70"}, column="runtime")
    options = ["--default-resources", *asked] if asked else []
    said = project.snakemake("--dry-run", "--printshellcmds", *options, profile=profile)
    assert said.count(f"{gpus}, ") == said.count(device) == len(SAMPLES) * SHARDS
    assert said.count("runtime=70") == SHARDS
    jobs = len(SAMPLES) * (SHARDS + 1) + 2  # shards and merge; MultiQC, page of samples
    assert len(re.findall(r"mem_mb=\d", said)) == said.count("runtime=") == jobs, said
    for word in asked:
        assert said.count(f", {word}") == jobs + 1, said  # `all`, which is no job, has it too


@pytest.mark.parametrize("key, value, why", [
    ("predict_options", "-m 300 -o out", "sets -o itself: each shard has a directory of its own"),
    ("predict_options", "--shard=1/2", "sets --shard itself"),
    ("predict_options", "--resume", "sets --resume itself"),
    ("predict_options", "-t4", "sets -t itself: set threads"),
    ("predict_options", "-kf", "sets -f itself"),
    ("predict_options", "-l log", "sets -l itself: all shards would write the same file"),
    ("merge_options", "--log-file=log", "sets --log-file itself: all samples would write the same file"),
    ("predict_options", "--virus-fastq viral", "take virnucpro export of the merged run"),
    ("merge_options", "--force", "sets --force itself"),
    ("merge_options", "--resume", "sets --resume itself"),
    ("merge_options", "--no-report", "MultiQC shows what the reports have"),
    ("controls", "[water]", "config/samples.tsv has no sample water")])
def test_options_of_the_workflow_are_refused(project, key, value, why):
    project.write_config(**{key: value})
    assert why in project.snakemake("--dry-run", code=1)


@pytest.mark.parametrize("row, why", [("a\t{sample}.fq", "a name with braces cannot be used here"),
                                      ("a\ta.fq\tb.fq", "it has more cells than there are columns")])
def test_rows_that_would_name_other_files(project, row, why):
    """Snakemake fills in a name's braces as wildcards."""
    project.write_rows(["b\tb.fq", row])
    assert why in project.snakemake("--dry-run", code=1)


def test_byte_order_marks(project):
    """As Excel and Windows' editor write them: the first column and the first key keep their names."""
    project.write_rows(["a\ta.fq", "b\tb.fq"], "utf-8-sig")
    project.write_config("utf-8-sig")
    said = project.snakemake("--dry-run", "--printshellcmds")
    assert said.count("./program -q predict") == 2 * SHARDS, said


@pytest.mark.parametrize("name", ["samples.tsv", "config.yaml"])
@pytest.mark.parametrize("encoding, why", [("utf-16", " is UTF-16: save it as UTF-8"),
                                           ("utf-16-le", " is UTF-16: save it as UTF-8"),
                                           ("latin-1", " is not of UTF-8: save the file as UTF-8")])
def test_other_encodings_are_refused(project, name, encoding, why):
    file = project.folder / "config" / name
    file.write_text(file.read_text() + "\n# é\n", encoding)
    said = project.snakemake("--dry-run", code=1)
    assert f"config/{name}" in said and why in said, said
    assert "Traceback" not in said and "UnicodeDecodeError" not in said, said


@pytest.mark.parametrize("shards", ["0", "4097", "many"])
def test_number_of_shards(project, shards):
    project.write_sheet({"b": shards})
    assert "shards" in project.snakemake("--dry-run", code=1)
    project.write_sheet({})
    project.write_config(shards=shards)
    assert "shards" in project.snakemake("--dry-run", code=1)
