import gzip
import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from slurm import Slurm

SOURCE = Path(os.environ["VIRNUCPRO_SOURCE"])
PROGRAM = os.environ["VIRNUCPRO_BIN"]
SNAKEMAKE = os.environ.get("VIRNUCPRO_SNAKEMAKE")  # `make check` runs what needs none
# Some seconds a shard on one processor, so that there is time to disturb it.
MODELS = ["-e", "300", "-p", "synthetic", "--esm-model", "synthetic:esm2_t6_8M",
          "--dnabert-model", "synthetic:dnabert-s-tiny", "--journal-interval", "0.1"]
SAMPLES = ["a", "b", "c"]
OF_CONTIGS = ["c"]  # what the tests that take `single_runs` treat as contigs
SHARDS = 3
CONTIGS = ["--rule", "viral-ngs"]  # what the jobs of contigs get, and those of reads do not
# Names of which a shell makes commands, several words, other names or options.
HOSTILE = ["a b", "x;touch pwned", "$(touch pwned)", "`touch pwned`", "it's \"so\"", "-n", "*", "~",
           "back\\slash", "$HOME"]
RECORDER = """#!/usr/bin/python3
# Notes what it is called with, and makes the files of a run.
import json, pathlib, sys

words = sys.argv[1:]
if words == ["--version"]:
    sys.exit(print("virnucpro 0.0.0"))
with open(CALLS, "a") as calls:
    print(json.dumps(words), file=calls)
run = pathlib.Path(words[words.index("-o") + 1])
tables = run / (words[words.index("--name") + 1] + "_merged")
tables.mkdir(parents=True)
names = ["sequences.tsv", "report.html", "virnucpro_mqc.json", "virnucpro_calls_mqc.json",
         "virnucpro_scores_mqc.tsv", "virnucpro_mqc_versions.yml"]
rules = [value for option, value in zip(words, words[1:]) if option == "--rule"]
names += ["contigs.tsv"] if rules[-1:] == ["viral-ngs"] else []
made = [tables / "prediction_results.txt", tables / "prediction_results_highestscore.csv"]
for file in [*made, *(run / name for name in names)]:
    file.touch()
"""


def write_reads(path, seed, count=450):
    """Pieces of the phage lambda, of which many have a frame without a stop codon."""
    with gzip.open(SOURCE / "share" / "virnucpro" / "lambda.fa.gz", "rt") as file:
        genome = "".join(line.strip() for line in file if not line.startswith(">"))
    chance = random.Random(seed)
    with open(path, "w", encoding="ascii") as file:
        for k in range(count):
            begin = chance.randrange(len(genome) - 300)
            file.write(f"@read_{k}\n{genome[begin:begin + 300]}\n+\n{'I' * 300}\n")


class Recorder:
    """A program that says how it was called, in a folder for PATH."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "bin").mkdir()
        program = folder / "bin" / "virnucpro"
        program.write_text(RECORDER.replace("CALLS", repr(str(folder / "calls"))))
        program.chmod(0o755)
        self.path = f"{folder / 'bin'}:/usr/bin:/bin"

    def calls(self):
        """The arguments of each call."""
        assert not list(self.folder.rglob("pwned*")), "a name was run as a command"
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]


def predict(*words):
    subprocess.run([PROGRAM, "-q", "predict", *map(str, words), *MODELS, "--device", "cpu",
                    "--threads", "1", "--no-progress"], check=True)


def is_same(run, single):
    """Whether all tables of two runs have the same bytes."""
    compared = subprocess.run([PROGRAM, "compare", "--exact", run, single], check=False, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert compared.returncode == 0, compared.stdout
    return True


@pytest.fixture(scope="session")
def single_runs(tmp_path_factory):
    """A folder with the reads of each sample, and its run without shards."""
    folder = tmp_path_factory.mktemp("single")
    for seed, sample in enumerate(SAMPLES):
        write_reads(folder / f"{sample}.fq", seed)
        predict(folder / f"{sample}.fq", "--name", sample, "-o", folder / sample,
                *(CONTIGS if sample in OF_CONTIGS else []))
    return folder


@pytest.fixture
def recorder(tmp_path):
    return Recorder(tmp_path)


@pytest.fixture
def program_path(tmp_path):
    """A PATH with the program."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "virnucpro").symlink_to(PROGRAM)
    return f"{tmp_path / 'bin'}:/usr/bin:/bin"


@pytest.fixture(scope="session")
def slurm(tmp_path_factory):
    found = Slurm(tmp_path_factory.mktemp("slurm"), processors=12)
    found.start()
    yield found
    found.stop()
