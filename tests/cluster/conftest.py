import gzip
import os
import random
import subprocess
from pathlib import Path

import pytest
from slurm import Slurm

SOURCE = Path(os.environ["VIRNUCPRO_SOURCE"])
PROGRAM = os.environ["VIRNUCPRO_BIN"]
SNAKEMAKE = os.environ["VIRNUCPRO_SNAKEMAKE"]
# Some seconds a shard on one processor, so that there is time to disturb it.
MODELS = ["-e", "300", "-p", "synthetic", "--esm-model", "synthetic:esm2_t6_8M",
          "--dnabert-model", "synthetic:dnabert-s-tiny", "--journal-interval", "0.1"]
SAMPLES = ["a", "b", "c"]
SHARDS = 3


def write_reads(path, seed, count=450):
    """Pieces of the phage lambda, of which many have a frame without a stop codon."""
    with gzip.open(SOURCE / "share" / "virnucpro" / "lambda.fa.gz", "rt") as file:
        genome = "".join(line.strip() for line in file if not line.startswith(">"))
    chance = random.Random(seed)
    with open(path, "w", encoding="ascii") as file:
        for k in range(count):
            begin = chance.randrange(len(genome) - 300)
            file.write(f"@read_{k}\n{genome[begin:begin + 300]}\n+\n{'I' * 300}\n")


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
        predict(folder / f"{sample}.fq", "--name", sample, "-o", folder / sample)
    return folder


@pytest.fixture(scope="session")
def slurm(tmp_path_factory):
    found = Slurm(tmp_path_factory.mktemp("slurm"), processors=12)
    found.start()
    yield found
    found.stop()
