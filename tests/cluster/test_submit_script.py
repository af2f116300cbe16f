"""How submit.sh asks Slurm for its jobs; Slurm's programs are scripts that note how they are called."""

import json
import os
import subprocess

import pytest
from conftest import CONTIGS, HOSTILE, SOURCE

SCRIPT = SOURCE / "workflow" / "slurm" / "submit.sh"
MAJORITY = ["--rule", "majority"]
SETTINGS = [str(SCRIPT.parents[1]), "virnucpro", "auto", "5"]
# Notes its name, its arguments and its choice of clusters; says and ends as the file beside it tells.
FAKE = """#!/usr/bin/python3
import json, os, pathlib, sys

program = pathlib.Path(sys.argv[0])
with open(program.parent / "calls", "a") as calls:
    print(json.dumps([program.name, sys.argv[1:], os.environ.get("SLURM_CLUSTERS")]), file=calls)
says = program.with_suffix(".says").read_text().splitlines()
program.with_suffix(".says").write_text("".join(line + "\\n" for line in says[1:]))
sys.exit(print(says[0]) if program.name in ("sbatch", "scontrol") else int(says[0]))
"""


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        for name in ("sbatch", "srun", "scontrol"):
            self.add(name)

    def add(self, name):
        (self.folder / "bin" / name).write_text(FAKE)
        (self.folder / "bin" / name).chmod(0o755)

    def run(self, *words, says, code=0, **environment):
        """The script's output, if it ends with this exit code; `says` are the lines that the programs answer."""
        for name, lines in says.items():
            (self.folder / "bin" / f"{name}.says").write_text("".join(f"{line}\n" for line in lines))
        done = subprocess.run([SCRIPT, *words], cwd=self.folder, check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env={**os.environ, "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", **environment})
        assert done.returncode == code, done.stdout
        return done.stdout

    def calls(self):
        return [json.loads(line) for line in (self.folder / "bin" / "calls").read_text().splitlines()]


@pytest.fixture
def cluster(tmp_path):
    return Cluster(tmp_path)


@pytest.mark.parametrize("says, options, given, printed", [
    (["101", "102"], [], [], "shards: job 101, tasks 0 to 2; merge: job 102\n"),
    (["101;east", "102;east"], ["--clusters=east,west"], ["--clusters=east"],
     "shards: job 101, tasks 0 to 2; merge: job 102; --clusters=east\n")], ids=["one", "several"])
def test_merge_waits_for_the_shards_where_they_are(cluster, says, options, given, printed):
    assert cluster.run("run", "3", *options, "--", "a.fq", says={"sbatch": says}) == printed
    (_, shards, _), (_, merge, _) = cluster.calls()
    assert [word for word in shards if word.startswith("--clusters")] == options
    assert [word for word in merge if word.startswith("--clusters")] == given
    assert merge[merge.index("--dependency") + 1] == "afterok:101"
    assert merge[-10:] == [str(SCRIPT), "--merge", *SETTINGS, "run", "3", *MAJORITY]


@pytest.mark.parametrize("data, given, shards_get, merge_gets", [
    ([], [], [], MAJORITY), (["--data", "reads"], [], [], MAJORITY),
    (["--data", "contigs"], [], CONTIGS, CONTIGS), (["--data=contigs"], [], CONTIGS, CONTIGS),
    (["--data", "contigs"], MAJORITY, [], MAJORITY), (["--data", "contigs"], ["--rule=majority"], [], MAJORITY),
    ([], CONTIGS, [], CONTIGS), ([], ["--rollup", "viral-ngs"], [], CONTIGS),
    # The merge gets what else decides calls.
    ([], ["-m", "300", "--min-score", "0.8", "--bed"], [], [*MAJORITY, "--min-score", "0.8"]),
    (["--data", "contigs"], ["--min-tier=high"], CONTIGS, [*CONTIGS, "--min-tier", "high"])])
def test_rule_of_the_data(cluster, data, given, shards_get, merge_gets):
    cluster.run(*data, "run", "2", "--", "a.fa", *given, says={"sbatch": ["101", "102"]})
    shards, merge = [words[words.index(str(SCRIPT)) + 1:] for _, words, _ in cluster.calls()]
    assert shards == ["--shard", *SETTINGS, "run", "2", *shards_get, "a.fa", *given]
    assert merge == ["--merge", *SETTINGS, "run", "2", *merge_gets]
    # What the merge's job makes of that.
    cluster.add("virnucpro")
    cluster.run(*merge, says={"virnucpro": ["0"]})
    assert cluster.calls()[-1][1] == [
        "-q", "merge", "run/shards/0-of-2", "run/shards/1-of-2", "-o", "run/run", "--force-resume", *merge_gets]


@pytest.mark.parametrize("words, why", [
    (["--data", "genomes", "run", "2", "--", "a.fq"], "--data genomes: it is reads or contigs"),
    (["--data=", "run", "2", "--", "a.fq"], "--data : it is reads or contigs"),
    (["--data"], "usage: submit.sh [--data reads|contigs] DIR"),
    (["run", "2", "--data", "contigs", "--", "a.fq"], "--data cannot be given: give it first: submit.sh --data"),
    (["run", "4097", "--", "a.fq"], "4097 is no number of shards from 1 to 4096"),
    (["run", "2", "--array=0-7", "--", "a.fq"], "sbatch: --array cannot be given: a task is a shard"),
    (["run", "2", "--", "a.fq", "--shard", "0/2"], "predict: --shard cannot be given"),
    (["run", "2", "--", "a.fq", "-oout"], "predict: -o cannot be given: each shard has a directory of its own"),
    (["run", "2", "-D", "elsewhere", "--", "a.fq"], "sbatch: -D cannot be given"),
    (["run", "2", "-vD/", "--", "a.fq"], "sbatch: -D cannot be given"),
    (["run", "2", "--chdir=/", "--", "a.fq"], "sbatch: --chdir cannot be given"),
    (["run", "2", "--", "a.fq", "-l", "log"], "predict: -l cannot be given: all shards would write the same file"),
    (["run", "2", "--", "a.fq", "--log-file=log"], "predict: --log-file cannot be given"),
    (["run", "2", "--", "a.fq", "-kf"], "predict: -f cannot be given"),
    (["run", "2", "--", "a.fq", "-qkoout"], "predict: -o cannot be given")])
def test_what_it_refuses(cluster, words, why):
    assert why in cluster.run(*words, says={}, code=1)
    assert not (cluster.folder / "run").exists()


@pytest.mark.parametrize("word", ["-kqv", "-m300", "-mfo", "-cfo.yaml"])
def test_short_options_that_stay(cluster, word):
    """Behind an option with a value the letters are its value."""
    cluster.run("run", "2", "-Jfoo", "--", "a.fq", word, says={"sbatch": ["101", "102"]})


def test_folder_that_slurm_cannot_name(cluster):
    assert "with a backslash in its name" in cluster.run("back\\slash", "1", "--", "a.fq", says={}, code=1)
    assert not (cluster.folder / "back\\slash").exists()


@pytest.mark.parametrize("name", [name for name in HOSTILE if "\\" not in name])
def test_names_stay_whole(cluster, name):
    cluster.run(name, "1", "--", name, "--name", name, says={"sbatch": ["101", "102"]})
    folder = "./-n" if name == "-n" else name
    assert (cluster.folder / name / "logs").is_dir()
    (_, shards, _), (_, merge, _) = cluster.calls()
    assert shards[-10:] == ["--shard", *SETTINGS, folder, "1", name, "--name", name]
    assert merge[-9:] == ["--merge", *SETTINGS, folder, "1", *MAJORITY]
    assert not list(cluster.folder.rglob("pwned*"))


def test_logs_of_a_folder_with_a_per_cent_sign(cluster):
    """sbatch makes a job's number of %j."""
    cluster.run("90%j", "1", "--", "a.fq", says={"sbatch": ["101", "102"]})
    logs = [words[words.index("--output") + 1] for _, words, _ in cluster.calls()]
    assert logs == ["90%%j/logs/shard_%a.log", "90%%j/logs/merge.log"]
    assert (cluster.folder / "90%j" / "logs").is_dir()


def test_a_task_asks_the_cluster_that_it_is_on(cluster):
    """The submitter's SLURM_CLUSTERS comes with the job; scontrol would ask there, or refuse two names."""
    cluster.run("--shard", *SETTINGS, "run", "3", "a.fq", says={"srun": ["143"], "scontrol": [""]}, code=143,
                SLURM_ARRAY_TASK_ID="1", SLURM_ARRAY_JOB_ID="101", SLURM_CLUSTERS="east,west")
    step, requeue = cluster.calls()
    assert requeue == ["scontrol", ["requeue", "101_1"], None]
    assert step[0] == "srun" and step[2] is None


def test_jobs_without_the_environment_of_the_submitter(cluster):
    """As with --export=NONE. Slurm runs a copy of the script, beside which nothing lies."""
    cluster.add("program")
    cluster.run("run", "2", "--export=NONE", "--", "a.fq", says={"sbatch": ["101", "102"]},
                VIRNUCPRO="bin/program", VIRNUCPRO_TOKEN_BUDGET="512", VIRNUCPRO_RESTARTS="1")
    shards, merge = [words[words.index(str(SCRIPT)) + 1:] for _, words, _ in cluster.calls()]
    copy = cluster.folder / "spool" / "slurm_script"
    copy.parent.mkdir()
    copy.write_bytes(SCRIPT.read_bytes())

    def run(words, says, **variables):
        (cluster.folder / "bin" / "calls").write_text("")
        for name in ("srun", "program", "scontrol"):
            (cluster.folder / "bin" / f"{name}.says").write_text(says)
        done = subprocess.run(["/bin/bash", copy, *words], cwd=cluster.folder, check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={"PATH": f"{cluster.folder / 'bin'}:/usr/bin:/bin", **variables})
        return done, cluster.calls()

    task = {"SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_JOB_ID": "101", "SLURM_RESTART_COUNT": "1"}
    done, calls = run(shards, "1\n", **task)
    assert done.returncode == 1 and "shard 1 was put back 1 times and is given up" in done.stdout, done.stdout
    (name, words, _), = calls
    assert (name, words[1:5]) == ("srun", [str(SCRIPT.parents[1] / "scripts" / "shard.sh"), "run/shards/1-of-2",
                                           "2", "512"])
    assert words[5:8] == ["bin/program", "-q", "predict"]
    done, calls = run(merge, "0\n")
    assert done.returncode == 0, done.stdout
    assert [words[:2] for _, words, _ in calls] == [["-q", "merge"]]


HOSTILE_NUMBER = "a[$(touch pwned >&2)0]"


@pytest.mark.parametrize("words, variables, name", [
    (["run", "2", "--", "a.fq"], {"VIRNUCPRO_RESTARTS": HOSTILE_NUMBER}, "VIRNUCPRO_RESTARTS"),
    (["--shard", *SETTINGS, "run", "2", "a.fq"],
     {"SLURM_ARRAY_TASK_ID": "0", "SLURM_RESTART_COUNT": HOSTILE_NUMBER}, "SLURM_RESTART_COUNT")])
def test_numbers_of_the_environment(cluster, words, variables, name):
    said = cluster.run(*words, says={"sbatch": ["101", "102"], "srun": ["0"]}, code=1, **variables)
    assert f"submit: {name}: {HOSTILE_NUMBER} is no number" in said
    assert not list(cluster.folder.rglob("pwned")) and not (cluster.folder / "bin" / "calls").exists()
