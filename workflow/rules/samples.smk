# The configuration, the sample sheet, and what is asked of them.
import csv
import re
import shlex

from snakemake.utils import validate

validate(config, "../schemas/config.schema.yaml")


def read_samples(path):
    """The rows of the sheet by sample; an empty cell counts as a column that is not there."""
    rows = {}
    with open(path, newline="") as sheet:
        for row in csv.DictReader(sheet, delimiter="\t"):
            row = {column: cell.strip() for column, cell in row.items() if cell and cell.strip()}
            if not row:
                continue
            validate(row, "../schemas/samples.schema.yaml")
            if row["sample"] in rows:
                raise WorkflowError(f"{path}: sample {row['sample']} has two rows")
            rows[row["sample"]] = row
    if not rows:
        raise WorkflowError(f"{path}: there is no sample in it")
    return rows


SAMPLES = read_samples(config["samples"])


wildcard_constraints:
    sample="|".join(re.escape(sample) for sample in SAMPLES),
    shard=r"\d+",
    shards=r"\d+",


def number(sample, name):
    """A number of this sample's row, or else of the configuration."""
    return int(SAMPLES[sample].get(name, config[name]))


def reads_of(wildcards):
    row = SAMPLES[wildcards.sample]
    return [row["reads"], *([row["mates"]] if "mates" in row else [])]


def shards_of(wildcards):
    count = number(wildcards.sample, "shards")
    return [f"results/{wildcards.sample}/shards/{k}-of-{count}" for k in range(count)]


def done_files(wildcards):
    return [f"{shard}.done" for shard in shards_of(wildcards)]


def predict_options(wildcards):
    """The options of predict that decide what the tables hold."""
    paired = ["--paired"] if "mates" in SAMPLES[wildcards.sample] else []
    return [*paired, "--name", wildcards.sample, *shlex.split(config["predict_options"])]


def device_of(wildcards):
    return "cuda:all" if number(wildcards.sample, "gpus") else "auto"
