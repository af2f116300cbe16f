"""Wrong command lines: exit code 1, one sentence on stderr and a line of advice, nothing else."""

import gzip
import shutil

import pytest
from conftest import MODELS, fasta, message
from rights import read_only, without_rights

WORKING = ["predict", "a.fa", *MODELS]
INTO_FOLDER = ["predict", "a.fa", "-o", "folder"]  # the folder is checked before the models
NOT_A_NUMBER = ["x", "-1", "0x10", "1e3", "1.5", "99999999999999999999", "", " 1"]


def wrong_counts():
    """Every count option of every command, with values outside its range."""
    for command, flag, extra in (
            (["predict", "a.fa"], "--threads", ["0", "1025"]),
            (["predict", "a.fa"], "-e", ["0", "10000000000", "2147483648"]),
            (["predict", "a.fa"], "--token-budget", ["0", "16777217", "Auto"]),
            (["predict", "a.fa"], "--prefetch", ["0", "1025"]),
            (["predict", "a.fa"], "--min-length", ["2147483648"]),
            (["embed", "a.fa", "-o", "x.h5"], "-t", ["0"]),
            (["embed", "a.fa", "-o", "x.h5"], "--expected-length", ["0"]),
            (["profile", "-m", "esm2"], "--min-batch", ["0", "16777217"]),
            (["profile", "-m", "esm2"], "--max-batch", ["0", "16777217"]),
            (["profile", "-m", "esm2"], "--step", ["0", "16777217"]),
            (["profile", "-m", "esm2"], "-e", ["0"]),
            (["profile", "-m", "esm2"], "-t", ["0"]),
            (["compare", "a.fa", "a.fa"], "--show", ["1000001"]),
            (["tune"], "--threads-grid", ["0", "1025", "1,", ",1", "1,2,x"]),
            (["tune"], "--prefetch-grid", ["0", "1025"]),
            (["tune"], "--budget-grid", ["0", "16777217", "auto"]),
            (["tune"], "-e", ["0"]),
            (["generate", "-o", "x.fa"], "--count", ["1099511627777"]),
            (["generate", "-n", "1", "-o", "x.fa"], "--length", ["2147483648"]),
            (["generate", "-n", "1", "-o", "x.fa"], "--seed", ["18446744073709551616"]),
            (["generate", "-n", "9", "-o", "new"], "--files", ["0", "257"]),
            (["utils", "validate", "a.fa"], "--max-errors", ["1000000001"]),
            (["utils", "export-weights", "synthetic", "-o", "x"], "--inputs", ["0", "65536"])):
        for value in NOT_A_NUMBER + extra:
            yield [*command, flag, value]
    for flag in ("--threshold", "--min-share", "--min-score"):
        for value in ("nan", "inf", "-0.1", "1.01", "half", "", "0,5"):
            yield ["predict", "a.fa", flag, value]
    for value in ("nan", "inf", "-1", "0", "3601", "long", ""):
        yield ["profile", "-m", "esm2", "--seconds", value]
        if value != "0":  # tests with tiny limits wait for nothing
            yield ["predict", "a.fa", "--journal-interval", value]
            yield ["tune", "--journal-grid", value]
    for flag in ("--rtol", "--atol"):
        for value in ("nan", "inf", "-1e-3", "small", ""):
            yield ["compare", "a.fa", "a.fa", flag, value]
    for flag in ("--gc", "--coding"):
        for value in ("nan", "-0.1", "1.01", "half", ""):
            yield ["generate", "-n", "1", "-o", "x.fa", flag, value]
    for value in ("fixed:5", "uniform:", "uniform:9-5", "uniform:0-2147483648", "lognormal:400",
                  "lognormal:0,0.5", "lognormal:400,5.1", "lognormal:400,0.5,500-900", "from:"):
        yield ["generate", "-n", "1", "-o", "x.fa", "--length", value]


OTHERS = [
    ([], "a command is needed"),
    (["utils"], "a command is needed"),
    (["perdict", "x.fa"], "unknown command perdict; did you mean predict?"),
    (["utils", "validat", "x.fa"], "unknown command validat; did you mean validate?"),
    (["predict"], "INPUT or --demo is required"),
    (["predict", "x.fa", "--treads", "2"], "unknown flag --treads; did you mean --threads?"),
    (["predict", "x.fa", "--verbos"], "did you mean --verbose?"),
    (["predict", "x.fa", "-t", "-1"], "--threads -1: expected a whole number from 1"),
    (["predict", "x.fa", "--threshold", "2"], "a number from 0 to 1"),
    (["predict", "x.fa", "--threads"], "--threads"),
    (["predict", "x.fa", "-m", "400"], "--model-type 400: expected 300, 500 or custom"),
    (["predict", "x.fa", "-m", "custom", "-e", "9"], "--model-path"),
    (["predict", "x.fa", "--precision", "int4"], "--precision int4"),
    (["predict", "x.fa", "--precision", "fp8"], "does not compute in this precision"),
    (["predict", "x.fa", "--precision", "fp16"], "does not compute in this precision"),
    (["predict", "x.fa", "-d", "tpu"], "--device tpu"),
    (["predict", "x.fa", "-d", "cuda"], "device is not available"),
    (["predict", "x.fa", "-d", "cuda:0"], "device is not available"),
    (["predict", "x.fa", "-d", "0"], "device is not available"),
    (["predict", "x.fa", "--gpus", "0,1"], "device is not available"),
    (["predict", "x.fa", "--parallel", "--gpus", "0"], "device is not available"),
    (["predict", "x.fa", "--name", "a/b"], "--name a/b: "),
    (["predict", "x.fa", "-o", "-", "-k"], "keeps no files"),
    (["predict", "-", "-"], "only once"),
    (["predict", "a.fa", "--resume", "--force"], "give only one of them"),
    (["predict", "a.fa", "--resume", "-o", "-"], "nothing that could be resumed"),
    (["predict", "a.fa", "--shard", "2/2"], "--shard 2/2: expected I/N"),
    (["predict", "a.fa", "--shard", "1"], "--shard 1: expected I/N"),
    (["predict", "a.fa", "--telemetry", "some"], "--telemetry some: expected off, summary or full"),
    (["predict", "a.fa", "--trace-limit", "5"], "--trace-limit needs --trace"),
    (["predict", "a.fa", "--pair-rule", "both"], "--pair-rule needs --virus-fastq"),
    ([*WORKING, "-o", "a.fa/out"], "output cannot be written"),
    ([*WORKING, "-c", "absent.yaml"], "absent.yaml"),
    (["embed", "x.fa"], "--output is required"),
    (["embed", "x.fa", "-o", "-"], "--output -: a file is needed"),
    (["embed", "x.fa", "-o", "x.h5", "--what", "esm3"], "--what esm3"),
    (["embed", "x.fa", "-o", "x.h5", "--proteins", "--what", "merged"], "--proteins"),
    (["embed", "x.fa", "-o", "x.h5", "--nucleotides", "--what", "esm2"], "--nucleotides"),
    (["embed", "x.fa", "-o", "x.h5", "--proteins", "--rna"], "--rna and --no-rna are for nucleotides"),
    (["embed", "x.fa", "-o", "x.h5", "--proteins", "--genetic-code", "4"], "with --proteins: nothing is translated"),
    (["embed", "x.fa", "-o", "x.h5", "--nucleotides", "--genetic-code", "4"],
     "with --nucleotides: nothing is translated"),
    (["predict", "absent.fa"], "absent.fa: input not found"),
    (["predict", "folder", *MODELS], "Is a directory"),
    ([*WORKING, "-o", "a.fa"], "a.fa: output cannot be written"),
    ([*WORKING, "-o", "full"], "full/report.md: output is there already: a run needs this name"),
    ([*WORKING, "-o", ""], "--output: the value is empty"),
    ([*WORKING, "-o"], "--output needs a value"),
    ([*WORKING, "--name", ".."], "--name ..: "),
    ([*WORKING, "--name", "a\nb"], "--name a\\x0ab: "),
    ([*WORKING, "-o", "-", "--virus-fasta"], "keeps no files"),
    ([*WORKING, "-l", "folder"], "folder: output cannot be written"),
    ([*WORKING, "-c", "folder"], "folder: the configuration cannot be used"),
    ([*WORKING, "-c", ""], "--config: the value is empty"),
    ([*WORKING, "--models-dir", "absent"], "--models-dir absent: expected a directory"),
    ([*WORKING, "--models-dir", "a.fa"], "--models-dir a.fa: expected a directory"),
    ([*WORKING, "-d", "gpu"], "--device gpu: expected auto, cpu, cuda, cuda:all, cuda:N or cuda:N,M"),
    ([*WORKING, "-d", "cuda:x"], "--device cuda:x: expected auto, cpu, cuda"),
    ([*WORKING, "--gpus", "all"], "--gpus all: expected numbers of GPUs, such as 0 or 0,1"),
    ([*WORKING, "--gpus", "0"], "device is not available"),
    ([*WORKING, "--cpu-workers", "0"], "--cpu-workers 0: expected a whole number from 1 to 256"),
    ([*WORKING, "--cpu-workers", "257"], "--cpu-workers 257: expected"),
    ([*WORKING, "--paired"], "--paired needs an even number"),
    ([*WORKING, "--fast"], "unknown flag --fast"),
    ([*WORKING, "--virus-fata"], "unknown flag --virus-fata; did you mean --virus-fasta?"),
    ([*WORKING, "-x"], "unknown flag -x"),
    ([*WORKING, "-q", "--verbose"], "exclude"),
    ([*INTO_FOLDER, *MODELS[:2], "--esm-model", "esm2_t36_3b"], "; did you mean esm2_t36_3B?"),
    ([*INTO_FOLDER, "--dnabert-model", "DNABERT-T"], "; did you mean DNABERT-S?"),
    ([*INTO_FOLDER, *MODELS[:2], "--esm-model", "synthetic:esm2_t6_8"],
     "; did you mean esm2_t6_8M?"),
    ([*INTO_FOLDER, *MODELS[:4], "-p", "synthetic:one"], "synthetic or synthetic:SEED"),
    ([*INTO_FOLDER, *MODELS[:4], "-p", "a.fa"], "a.fa: model file cannot be understood"),
    (["embed", "a.fa", *MODELS[:4], "-o", "folder"], "folder is not a regular file"),
    (["embed", "b.fa", *MODELS[:4], "-o", "a.fa"], "a.fa: output is there already"),
    (["embed", "a.fa", *MODELS[:4], "-o", "absent/x.h5"], "output cannot be written"),
    (["embed", "a.fa", *MODELS[:4], "-o", "x.h5", "--what", "esm2,"], "--what esm2,: expected"),
    (["embed", "a.fa", *MODELS[:4], "-o", "x.h5", "--proteins", "--nucleotides"], "exclude"),
    (["embed", "a.fa", *MODELS[:4], "-o", "x.h5", "-p", "synthetic"], "unknown flag -p"),
    (["profile"], "--model is required"),
    (["profile", "-m", "esm3"], "--model esm3: expected dnabert-s or esm2"),
    (["profile", "-m", "merged"], "--model merged: expected dnabert-s or esm2"),
    (["profile", "-m", "esm2", "--min-batch", "8", "--max-batch", "7"],
     "--min-batch 8 is more than --max-batch 7"),
    (["profile", "-m", "esm2", "--step", "1"], "--step 1: expected a step that gives at most 1000"),
    (["profile", "-m", "esm2", "-d", "cuda"], "cuda was asked for"),
    (["profile", "-m", "esm2", "--precision", "fp16"], "fp16 needs a GPU"),
    (["profile", "-m", "esm2", "--esm-model", "esm2_t36_3b"], "; did you mean esm2_t36_3B?"),
    (["profile", "-m", "esm2", "--token-budget", "9"], "unknown flag --token-budget"),
    (["profile", "-m", "esm2", "a.fa"], "unexpected argument a.fa"),
    (["profile", "-m", "esm2", *MODELS[:4], "--test-file", "absent.fa"],
     "absent.fa: input not found"),
    (["profile", "-m", "esm2", *MODELS[:4], "--test-file", "folder"], "it is a directory"),
    (["profile", "-m", "esm2", *MODELS[:4], "-o", "folder"], "folder is not a regular file"),
    (["profile", "-m", "esm2", *MODELS[:4], "-o", "a.fa"], "a.fa: output is there already"),
    (["profile", "-m", "esm2", *MODELS[:4], "-o", "absent/x.json"], "output cannot be written"),
    (["generate"], "--output is required"),
    (["generate", "-o", "x.fa"], "give --count or --preset"),
    (["generate", "-o", "x.fa", "-n", "5", "--preset", "tiny"],
     "--count and --preset exclude each other"),
    (["generate", "-o", "x.fa", "--preset", "huge"],
     "--preset huge: expected tiny, small, medium, large, production"),
    (["generate", "-o", "x.fa", "--preset", "Tiny"], "did you mean tiny?"),
    (["generate", "-o", "-", "-n", "5", "--files", "2"], "--files: stdout is one file"),
    (["generate", "-o", "new", "-n", "5", "--files", "6"], "there are only 5 sequences"),
    (["generate", "-o", "full", "-n", "5", "--files", "2"], "output is there already: the folder is not empty"),
    (["generate", "-o", "a.fa", "-n", "5", "--files", "2"],
     "output is there already: it is a file, but several data files need a folder"),
    (["generate", "-o", "a.fa", "-f", "-n", "5", "--files", "2"], "output cannot be written"),
    (["generate", "-n", "1", "-o", "x.fa", "--length", "from:folder"], "it is a directory"),
    (["benchmark", "--suite", "scalling"], "did you mean scaling?"),
    (["benchmark", "--data-size", "huge"], "--data-size huge: expected tiny, small, medium"),
    (["benchmark", "--data", "absent"], "absent"),
    (["benchmark", "--compare-to", "absent.json"], "absent.json"),
    (["benchmark", *MODELS, "--esm-model", "absent", "-o", "new"], "model not found"),
    (["compare"], "A is required"),
    (["compare", "a.fa"], "B is required"),
    (["compare", "a.fa", "a.fa", "a.fa"], "unexpected argument a.fa"),
    (["compare", "a.fa", "a.fa", "--exact", "--atol", "1"], "--exact excludes"),
    (["compare", "a.fa", "a.fa", "--rtol", "1", "--exact"], "--exact excludes"),
    (["compare", "a.fa", "a.fa", "-o", "-"], "a file is needed, not stdout"),
    (["compare", "a.fa", "a.fa", "-o", "folder"], "folder is not a regular file"),
    (["compare", "folder", "folder", "-o", "a.fa"], "a.fa: output is there already"),
    (["compare", "a.fa", "a.fa", "-f", "-o", "a.fa"], "--output a.fa: it is the same file as A a.fa"),
    (["compare", "a.fa", "a.fa", "-o", "absent/x.json"], "output cannot be written"),
    (["tune", "--precisions", "fp32,half"],
     "--precisions fp32,half: expected fp32, fp16, bf16 or int8"),
    (["tune", "--precisions", "fp16"], "fp16 needs a GPU"),
    (["tune", "-d", "cuda"], "cuda was asked for"),
    (["tune", "--threads", "2"], "unknown flag --threads"),
    (["tune", "--data-size", "smal"], "--data-size smal: expected tiny, small, medium, large, "),
    (["tune", "--data-size", "tiny", "--test-file", "a.fa"], "exclude"),
    (["tune", "--threads-grid", ",".join(map(str, range(1, 401)))], "the grid has 4800 cells: "
     "expected at most 1000"),
    (["tune", *MODELS, "-o", "a.fa"], "--output a.fa: expected a directory"),
    (["tune", *MODELS, "-o", "a.fa/x"], "output cannot be written"),
    (["tune", *MODELS, "--test-file", "absent.fa"], "absent.fa: input not found"),
    (["tune", *MODELS, "--test-file", "folder"], "it is a directory"),
    (["tune", *MODELS, "--test-file", "-"], "--test-file -: expected a file, not a pipe"),
    (["tune", *MODELS[:2], "--esm-model", "esm2_t36_3b"], "; did you mean esm2_t36_3B?"),
    (["tune", *MODELS[:4]], "model not found"),
    (["tune", "a.fa"], "unexpected argument a.fa"),
    (["generate", "-n", "1"], "--output is required"),
    (["generate", "-n", "1", "-o", "a.fa"], "a.fa: output is there already"),
    (["generate", "-n", "1", "-f", "-o", "/dev/null"], "/dev/null"),
    (["generate", "-n", "1", "-o", "folder"], "folder is not a regular file"),
    (["generate", "-n", "1", "-o", "absent/x.fa"], "output cannot be written"),
    (["generate", "-n", "1", "-o", "x.fa", "more"], "unexpected argument more"),
    (["utils", "list-device"], "unknown command list-device; did you mean list-devices?"),
    (["utils", "list-devices", "more"], "unexpected argument more"),
    (["utils", "generate-config", "-o", "a.fa"], "a.fa: output is there already"),
    (["utils", "generate-config", "-o", "folder"], "folder is not a regular file"),
    (["utils", "generate-config", "-o", "absent/c.yaml"], "output cannot be written"),
    (["utils", "inspect"], "FILE is required"),
    (["utils", "inspect", "a.fa", "b"], "unexpected argument b"),
    (["utils", "inspect", "absent.pth"], "absent.pth: model not found"),
    (["utils", "inspect", "folder"], "folder: model not found"),
    (["utils", "inspect", "a.fa"], "a.fa: model file cannot be understood"),
    (["utils", "export-weights", "esm2_t6_8M", "-o", "x"], "expected synthetic:NAME[:SEED]"),
    (["utils", "export-weights", "synthetic:esm2_t", "-o", "x"], "there is no synthetic model"),
    (["utils", "export-weights", "synthetic:esm2_tiny", "-o", "full"],
     "full: output is there already"),
    (["utils", "export-weights", "synthetic:esm2_tiny", "-o", "a.fa"],
     "a.fa: output is there already"),
    (["utils", "export-weights", "synthetic:esm2_tiny"], "--output is required"),
    (["help", "predikt"], "unknown command predikt; did you mean predict?"),
]


@pytest.fixture
def place(program, sequences):
    (program.folder / "a.fa").write_text(fasta(sequences))
    (program.folder / "folder").mkdir()
    (program.folder / "full").mkdir()
    (program.folder / "full" / "mine").write_text("mine")
    (program.folder / "full" / "report.md").write_text("mine")
    return program


def state(place):
    return {path: path.is_file() and path.read_bytes() for path in place.folder.rglob("*")}


def check_refusal(place, arguments, expected=""):
    before = state(place)
    result = place(*arguments)
    lines = message(result).splitlines()
    # compare exits with 1 if rows differ.
    assert result.returncode == (2 if "compare" in arguments else 1), message(result)
    assert result.stdout == b""
    errors = [line for line in lines if not line.startswith("virnucpro: warning: ")]
    assert errors[0].startswith("virnucpro: error: ") and expected in errors[0]
    assert len(errors) == 2 and errors[1].startswith("  "), lines
    assert state(place) == before


@pytest.mark.parametrize("arguments", list(wrong_counts()), ids=" ".join)
def test_wrong_number(place, arguments):
    check_refusal(place, arguments, arguments[-1] or ": --")


@pytest.mark.parametrize("arguments, expected", OTHERS, ids=[" ".join(a) for a, _ in OTHERS])
def test_wrong_use(place, arguments, expected):
    check_refusal(place, arguments, expected)


@pytest.mark.parametrize("arguments, expected", [
    (["utils", "validate", "secret.fa"], "Permission denied"),
    (["predict", "secret.fa", *MODELS, "-o", "folder"], "secret.fa: input not found"),
    (["predict", "a.fa", *MODELS, "-o", "new"], "new: output cannot be written: Permission denied"),
    (["predict", "a.fa", *MODELS, "-o", "folder"], "output cannot be written: Permission denied"),
    (["embed", "a.fa", *MODELS[:4], "-o", "x.h5"], "output cannot be written"),
    (["profile", "-m", "esm2", *MODELS[:4], "-o", "x.json"], "output cannot be written"),
    (["tune", *MODELS, "-o", "new"], "new: output cannot be written: Permission denied"),
    (["generate", "-n", "1", "-o", "x.fa"], "output cannot be written: Permission denied"),
    (["-c", "secret.fa", "utils", "list-devices"], "secret.fa: the configuration cannot be used"),
    (["-l", "x.log", "utils", "list-devices"], "x.log: output cannot be written"),
])
def test_without_permission(place, arguments, expected):
    (place.folder / "secret.fa").write_text(">a\nACGT\n")
    (place.folder / "secret.fa").chmod(0)
    with read_only(place.folder):
        result = place(*arguments, preexec_fn=without_rights)
    assert result.returncode == 1
    assert expected in message(result) + result.stdout.decode()
    assert not list(place.folder.rglob("*.virnucpro-partial"))


def test_an_input_may_be_called_like_a_command(place):
    shutil.copy(place.folder / "a.fa", place.folder / "utils")
    place.predict("utils", "-e", "100", code=0)
    assert (place.folder / "utils_predictions").is_dir()


def test_an_input_may_begin_with_a_dash(place):
    (place.folder / "-o.fa.gz").write_bytes(gzip.compress((place.folder / "a.fa").read_bytes()))
    place("utils", "validate", "--", "-o.fa.gz", code=0)
