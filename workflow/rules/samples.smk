# The configuration, the sample sheet, and what is asked of them.
import csv
import io
import re
import shlex
from pathlib import Path

from snakemake.utils import validate

validate(config, "../schemas/config.schema.yaml")


def own_options(command):
    """Options of a command that the rules set, each with the reason."""
    for line in Path(workflow.basedir, "scripts", "own_options.tsv").read_text().splitlines():
        if not line.startswith("#"):
            option, of, way, why = line.split("\t")
            if of == command and way in ("both", "snakemake"):
                yield option, why


def given_options(command):
    """The words of `predict_options` or `merge_options`, none of which the rules set themselves."""
    words = shlex.split(config[f"{command}_options"])
    for option, why in own_options(command):
        for word in words:
            is_short = not option.startswith("--")
            if word == option or word.startswith(option if is_short else f"{option}="):
                raise WorkflowError(f"{command}_options: the workflow sets {option} itself: {why}")
    return words


PREDICT_OPTIONS = given_options("predict")
MERGE_OPTIONS = shlex.join(given_options("merge"))
NUMBERS = ("shards", "threads", "gpus", "mem_mb", "runtime")  # columns of the sheet


def read_samples(path):
    """The rows of the sheet by sample; an empty cell counts as a column that is not there."""
    rows = {}
    table = csv.DictReader(io.StringIO(text_of(path), newline=""), delimiter="\t")
    for row in table:
        if None in row:
            raise WorkflowError(f"{path}, line {table.line_num}: it has more cells than there are columns")
        row = {column: cell.strip() for column, cell in row.items() if cell and cell.strip()}
        if not row:
            continue
        for column in row.keys() & NUMBERS:
            if row[column].isdecimal():
                row[column] = int(row[column])
        for column in ("reads", "mates"):
            # Snakemake would take the braces for a wildcard, and read another file.
            if set(row.get(column, "")) & set("{}"):
                raise WorkflowError(f"{path}: {row[column]}: a name with braces cannot be used here")
        validate(row, "../schemas/samples.schema.yaml")
        if row["sample"] in rows:
            raise WorkflowError(f"{path}: sample {row['sample']} has two rows")
        rows[row["sample"]] = row
    if not rows:
        raise WorkflowError(f"{path}: there is no sample in it")
    return rows


def read_controls():
    """The samples that are negative controls."""
    for name in config["controls"]:
        if name not in SAMPLES:
            raise WorkflowError(f"controls: {config['samples']} has no sample {name}")
    return config["controls"]


SAMPLES = read_samples(config["samples"])
CONTROLS = read_controls()
RUNS = [f"results/{sample}/run" for sample in SAMPLES]
MULTIQC_FILES = [
    "virnucpro_mqc.json",
    "virnucpro_calls_mqc.json",
    "virnucpro_scores_mqc.tsv",
    "virnucpro_mqc_versions.yml",
]


wildcard_constraints:
    sample="|".join(re.escape(sample) for sample in SAMPLES),
    shard=r"\d+",
    shards=r"\d+",


def number(sample, name):
    """A number of this sample's row, or else of the configuration."""
    return SAMPLES[sample].get(name, config[name])


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
    return [*paired, "--name", wildcards.sample, *PREDICT_OPTIONS]


def device_of(wildcards):
    return "cuda:all" if number(wildcards.sample, "gpus") else "auto"
