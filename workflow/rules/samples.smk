# The configuration, the sample sheet, and what is asked of them.
import csv
import io
import re
import shlex
from pathlib import Path

from snakemake.utils import validate

validate(config, "../schemas/config.schema.yaml")


def own_options(command, *ways):
    """The options of a command in own_options.tsv that are there in one of these ways, each with the reason."""
    for line in Path(workflow.basedir, "scripts", "own_options.tsv").read_text().splitlines():
        if not line.startswith("#"):
            option, of, way, why = line.split("\t")
            if of == command and way in ways:
                yield option, why


def given_options(command):
    """The words of `predict_options` or `merge_options`, none of which the rules set themselves."""
    words = shlex.split(config[f"{command}_options"])
    flags = "".join(flag[1:] for flag, _ in own_options(command, "flag"))
    for option, why in own_options(command, "both", "snakemake"):
        is_long = option.startswith("--")
        form = f"{option}(=.*)?" if is_long else f"-[{flags}]*{option[1:]}.*"
        for word in words:
            if re.fullmatch(form, word, re.DOTALL):
                raise WorkflowError(f"{command}_options: the workflow sets {option} itself: {why}")
    return words


RULES = ("--rule", "--rollup")  # the second is the older name


def picked(words, names):
    """The options of these names, each with its value."""
    for word, following in zip(words, [*words[1:], ""]):
        option, equals, value = word.partition("=")
        if option in names:
            yield option, value if equals else following


def rule_in(words):
    """The rule of calls that options choose; none if they leave that to others."""
    chosen = [value for _, value in picked(words, RULES)]
    return chosen[-1] if chosen else None


CALLS = [option for option, _ in own_options("predict", "calls")]
PREDICT_OPTIONS = given_options("predict")
MERGE_OPTIONS = given_options("merge")
NUMBERS = ("shards", "threads", "gpus", "mem_mb", "runtime")  # columns of the sheet


def require_input(path, row):
    """Refuses a row that names no input or two, or mates of what are no reads."""
    sample = f"{path}: sample {row['sample']}"
    if "reads" in row and "contigs" in row:
        raise WorkflowError(f"{sample} has reads and contigs: make a sample of each")
    if "reads" not in row and "contigs" not in row:
        raise WorkflowError(f"{sample} has no input: name a file in the column reads or contigs")
    if "mates" in row and data_of(row) == "contigs":
        raise WorkflowError(f"{sample} has mates, and contigs have none: name its reads in the column reads, "
                            "with data: reads")


def data_of(row):
    """What a sample's sequences are: reads or contigs."""
    return "contigs" if "contigs" in row else config["data"]


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
        for column in ("reads", "mates", "contigs"):
            # Snakemake would take the braces for a wildcard, and read another file.
            if set(row.get(column, "")) & set("{}"):
                raise WorkflowError(f"{path}: {row[column]}: a name with braces cannot be used here")
        validate(row, "../schemas/samples.schema.yaml")
        require_input(path, row)
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


def rule_of(sample):
    """The rule that calls a sample's sequences. The user's own options go before what the sequences are."""
    own = rule_in(MERGE_OPTIONS) or rule_in(PREDICT_OPTIONS)
    return own or ("viral-ngs" if data_of(SAMPLES[sample]) == "contigs" else "majority")


def one_of(samples):
    """What matches these names alone; if there are none, nothing."""
    return "|".join(re.escape(sample) for sample in samples) or "(?!)"


# Of these contigs.tsv is written, too.
ROLLED_UP = [sample for sample in SAMPLES if rule_of(sample) == "viral-ngs"]
MULTIQC_FILES = [
    "virnucpro_mqc.json",
    "virnucpro_calls_mqc.json",
    "virnucpro_scores_mqc.tsv",
    "virnucpro_mqc_versions.yml",
]


wildcard_constraints:
    sample=one_of(SAMPLES),
    shard=r"\d+",
    shards=r"\d+",


def number(sample, name):
    """A number of this sample's row, or else of the configuration."""
    return SAMPLES[sample].get(name, config[name])


def reads_of(wildcards):
    row = SAMPLES[wildcards.sample]
    return [row[column] for column in ("reads", "mates", "contigs") if column in row]


def shards_of(wildcards):
    count = number(wildcards.sample, "shards")
    return [f"results/{wildcards.sample}/shards/{k}-of-{count}" for k in range(count)]


def done_files(wildcards):
    return [f"{shard}.done" for shard in shards_of(wildcards)]


def predict_options(wildcards):
    """The options of predict that decide what the tables hold."""
    row = SAMPLES[wildcards.sample]
    paired = ["--paired"] if "mates" in row else []
    # Reads get the program's default, which is their rule.
    follows = data_of(row) == "contigs" and not rule_in(PREDICT_OPTIONS)
    return [*paired, "--name", wildcards.sample, *(["--rule", "viral-ngs"] if follows else []), *PREDICT_OPTIONS]


def merge_options(wildcards):
    """The options of merge that decide the calls. What a merge or a shard is not given it takes from what is in
    its directory. So the merge names the rule also where it is the default, and gets predict's options, too."""
    given = [pair for pair in picked(PREDICT_OPTIONS, CALLS) if pair[0] not in RULES]
    chosen = [] if rule_in(MERGE_OPTIONS) else [("--rule", rule_of(wildcards.sample))]
    return [*(word for pair in [*chosen, *given] for word in pair), *MERGE_OPTIONS]


def device_of(wildcards):
    return "cuda:all" if number(wildcards.sample, "gpus") else "auto"
