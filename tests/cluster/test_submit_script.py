"""How submit.sh asks Slurm for its jobs; Slurm's programs are scripts that note how they are called."""

import json
import os
import subprocess

import pytest
from conftest import HOSTILE, SOURCE

SCRIPT = SOURCE / "workflow" / "slurm" / "submit.sh"
# Notes its name, its arguments and its choice of clusters; says and ends as the file beside it tells.
FAKE = """#!/usr/bin/python3
import json, os, pathlib, sys

program = pathlib.Path(sys.argv[0])
with open(program.parent / "calls", "a") as calls:
    print(json.dumps([program.name, sys.argv[1:], os.environ.get("SLURM_CLUSTERS")]), file=calls)
says = program.with_suffix(".says").read_text().splitlines()
program.with_suffix(".says").write_text("".join(line + "\\n" for line in says[1:]))
sys.exit(int(says[0]) if program.name == "srun" else print(says[0]))
"""


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        for name in ("sbatch", "srun", "scontrol"):
            (folder / "bin" / name).write_text(FAKE)
            (folder / "bin" / name).chmod(0o755)

    def run(self, *words, says, **environment):
        """Exit code and output of the script; `says` are the lines that the programs answer."""
        for name, lines in says.items():
            (self.folder / "bin" / f"{name}.says").write_text("".join(f"{line}\n" for line in lines))
        done = subprocess.run([SCRIPT, *words], cwd=self.folder, check=False, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT,
                              env={**os.environ, "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", **environment})
        return done.returncode, done.stdout

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
    code, said = cluster.run("run", "3", *options, "--", "a.fq", says={"sbatch": says})
    assert (code, said) == (0, printed)
    (_, shards, _), (_, merge, _) = cluster.calls()
    assert [word for word in shards if word.startswith("--clusters")] == options
    assert [word for word in merge if word.startswith("--clusters")] == given
    assert merge[merge.index("--dependency") + 1] == "afterok:101"
    assert merge[-4:] == [str(SCRIPT), "--merge", "run", "3"]


def test_folder_that_slurm_cannot_name(cluster):
    code, said = cluster.run("back\\slash", "1", "--", "a.fq", says={})
    assert code == 1 and "with a backslash in its name" in said, said
    assert not (cluster.folder / "back\\slash").exists()


@pytest.mark.parametrize("name", [name for name in HOSTILE if "\\" not in name])
def test_names_stay_whole(cluster, name):
    code, said = cluster.run(name, "1", "--", name, "--name", name, says={"sbatch": ["101", "102"]})
    assert code == 0, said
    folder = "./-n" if name == "-n" else name
    assert (cluster.folder / name / "logs").is_dir()
    (_, shards, _), (_, merge, _) = cluster.calls()
    assert shards[-6:] == ["--shard", folder, "1", name, "--name", name]
    assert merge[-3:] == ["--merge", folder, "1"]
    assert not list(cluster.folder.rglob("pwned*"))


def test_logs_of_a_folder_with_a_per_cent_sign(cluster):
    """sbatch makes a job's number of %j."""
    assert cluster.run("90%j", "1", "--", "a.fq", says={"sbatch": ["101", "102"]})[0] == 0
    logs = [words[words.index("--output") + 1] for _, words, _ in cluster.calls()]
    assert logs == ["90%%j/logs/shard_%a.log", "90%%j/logs/merge.log"]
    assert (cluster.folder / "90%j" / "logs").is_dir()


def test_a_task_asks_the_cluster_that_it_is_on(cluster):
    """The submitter's SLURM_CLUSTERS comes with the job; scontrol would ask there, or refuse two names."""
    code, said = cluster.run("--shard", "run", "3", "a.fq", says={"srun": ["143"], "scontrol": [""]},
                             SLURM_ARRAY_TASK_ID="1", SLURM_ARRAY_JOB_ID="101", SLURM_CLUSTERS="east,west")
    assert code == 143, said
    step, requeue = cluster.calls()
    assert requeue == ["scontrol", ["requeue", "101_1"], None]
    assert step[0] == "srun" and step[2] is None
