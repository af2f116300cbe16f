"""v2's users run what they have: every option that v2 declares, its default configuration, and its
folders of checkpoints. What v2 declares stands in tests/data/v2, not in the program."""

import datetime
import json
import os
import pickle
import shlex
import shutil
import sys
import zipfile

import numpy as np
import pytest
import torch
from conftest import BIN, LAMBDA, MODELS, SOURCE, Program, message
from lengths import by_length
from rights import without_rights

OF_V2 = SOURCE / "tests" / "data" / "v2"
CONFIGURATION = OF_V2 / "default_config.yaml"
INTERFACE = json.loads((OF_V2 / "interface.json").read_text())
ENCODERS = MODELS[:4]

# Values of the options that take one.
VALUES = {
    "global": {("--log-file", "-l"): "new.log", ("--config", "-c"): CONFIGURATION},
    "predict": {("--model-type", "-m"): "500", ("--model-path", "-p"): "synthetic",
                ("--expected-length", "-e"): "500", ("--output-dir", "-o"): "new",
                ("--device", "-d"): "cpu", ("--batch-size", "-b"): "256",
                ("--num-workers", "-w"): "4", ("--dnabert-batch-size",): "2048",
                ("--gpus",): "0", ("--esm-batch-size",): "2048", ("--threads", "-t"): "2",
                ("--merge-threads",): "2", ("--dataloader-workers",): "4",
                ("--cache-clear-interval",): "100"},
    "benchmark": {("--suite",): "v2-validation", ("--data-size",): "tiny", ("--gpus",): "0",
                  ("--output-dir", "-o"): "new", ("--compare-to",): "absent.json"},
    "profile": {("--model", "-m"): "esm2", ("--device", "-d"): "cpu", ("--min-batch",): "64",
                ("--max-batch",): "64", ("--step",): "64", ("--test-file",): "piece.fa",
                ("--output", "-o"): "new.json"},
    "utils validate": {("--max-errors", "-e"): "5"},
    "utils generate-config": {("--output", "-o"): "new.yaml"},
    "utils validate-checkpoints": {},
    "utils list-devices": {},
}
VALUE_OF = {command: {name: str(value) for names, value in values.items() for name in names}
            for command, values in VALUES.items()}
# A call of each command, to which an option is added. `benchmark` ends early, by a model that is
# not there: its suites take too long to run for each option.
CALLS = {
    "global": ["utils", "list-devices"],
    "predict": ["predict", "piece.fa", *MODELS],
    "benchmark": ["benchmark", *MODELS, "--esm-model", "synthetic:bogus"],
    "profile": ["profile", "-m", "esm2", *ENCODERS, "--seconds", "0.01", "--min-batch", "64",
                "--max-batch", "128"],
    "utils validate": ["utils", "validate", "piece.fa"],
    "utils generate-config": ["utils", "generate-config"],
    "utils validate-checkpoints": ["utils", "validate-checkpoints", "checkpoints"],
    "utils list-devices": ["utils", "list-devices"],
}
ARGUMENTS = {"predict": "piece.fa", "utils validate": "piece.fa",
             "utils validate-checkpoints": "checkpoints"}
OPTIONS = [(command, option, takes_value) for command, options in INTERFACE.items()
           if command != "source" for option, takes_value in options.items()
           if option != "arguments"]


def words_of(command, option):
    return [option, VALUE_OF[command][option]] if INTERFACE[command][option] else [option]


def save(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, path)


@pytest.fixture
def place(program, genome):
    """A folder with a piece of the genome, and v2's checkpoints."""
    (program.folder / "piece.fa").write_text(f">piece\n{genome[:1200]}\n")
    save(program.folder / "checkpoints" / "a.pt", {"ids": ["x"], "data": torch.zeros(1, 4)})
    return program


def test_every_option_has_its_value_here():
    for command in VALUES:
        declared = {name for of, name, takes_value in OPTIONS if of == command and takes_value}
        assert set(VALUE_OF[command]) == declared, command
    assert set(VALUES) == set(CALLS) == set(INTERFACE) - {"source"}
    assert {name for name, of in INTERFACE.items() if "arguments" in of} == set(ARGUMENTS)


@pytest.mark.parametrize("command", ARGUMENTS)
def test_an_argument_is_required(place, command):
    words = [word for word in CALLS[command] if word != ARGUMENTS[command]]
    assert " is required" in message(place(*words))


def computes_on(gpu, program):
    return f"cuda:{gpu}" in program("utils", "list-devices").stdout.decode()


@pytest.mark.parametrize("command, option, takes_value", OPTIONS,
                         ids=[f"{command} {option}" for command, option, _ in OPTIONS])
def test_an_option_is_accepted(place, command, option, takes_value):
    if takes_value:
        assert " needs a value" in message(place(*CALLS[command], option))
    result = place(*CALLS[command], *words_of(command, option))
    said = message(result)
    if option == "--gpus" and not computes_on(0, place):
        assert "device is not available: --gpus 0 was asked for" in said
    elif command == "benchmark":
        assert "bogus" in said
        assert "the command line cannot be used" not in said
    else:
        assert result.returncode == 0, said


@pytest.fixture(scope="module")
def plain_tables(tmp_path_factory):
    """The tables of the genome without a configuration or flags of v2."""
    program = Program(tmp_path_factory.mktemp("plain"))
    program.predict(LAMBDA, "--no-report", code=0)
    return program.tables("lambda_predictions", "lambda")


def test_the_default_configuration_runs_as_it_is(program, plain_tables):
    said = message(program.predict(LAMBDA, "-c", CONFIGURATION, code=0))
    warnings = [line for line in said.splitlines() if line.startswith("virnucpro: warning: ")]
    (of_v2,) = [line for line in warnings if "weights are synthetic" not in line]
    assert "line 21: features.esm.toks_per_batch has no effect here: " in of_v2
    assert ": unknown key " not in said
    assert program.tables("lambda_predictions", "lambda") == plain_tables


# --quiet goes with no --verbose, --force with no --resume; --gpus needs a GPU.
APART = [{"--quiet", "-q", "--force", "-f"},
         {"--verbose", "-v", "--resume", "--force-resume", "--skip-checkpoint-validation"}]


@pytest.mark.parametrize("left_out", APART, ids=["resume", "force"])
def test_all_options_together_on_the_genome(program, plain_tables, left_out):
    words = [word for command in ("global", "predict") for of, option, _ in OPTIONS
             if of == command and option not in left_out | {"--gpus", "--version"}
             for word in words_of(command, option)]
    program.predict(LAMBDA, *words, code=0)
    assert program.tables("new", "lambda") == plain_tables
    assert (program.folder / "new" / "lambda_chunked500.fa").exists()  # -k
    assert (program.folder / "new.log").exists()


def test_all_options_are_in_one_of_the_runs_together():
    assert not APART[0] & APART[1]


# --- the command lines that v2 documents -----------------------------------------------------------
RESULTS = ("predictions/{}_merged/prediction_results.txt", "predictions/{}_merged/prediction_results_highestscore.csv")
INPUT, SEQUENCES = (tuple(f"{stem}_{name.format(stem)}" for name in RESULTS) for stem in ("input", "sequences"))
KEPT = tuple(f"input_predictions/input_{name}" for name in
             ("chunked500.fa", "identified_nucleotide.fa", "identified_protein.faa"))
PARALLEL, NO_EFFECT = "--parallel is taken as --device cuda:all", " has no effect: "
# Of its README.md, of docs/MIGRATION_v2.md and of the help of its commands: the line, its exit code here, the files it
# writes, and what it says on stderr.
DOCUMENTED = [
    ("python -m virnucpro predict input.fasta", 0, INPUT, ()),
    ("python -m virnucpro predict input.fasta --parallel", 0, INPUT, (PARALLEL,)),
    ("python -m virnucpro predict input.fasta --parallel --model-type 500", 0, INPUT, (PARALLEL,)),
    ("python -m virnucpro predict input.fasta --parallel --resume", 0, INPUT, (PARALLEL,)),
    ("python -m virnucpro predict input.fasta --parallel --v1-fallback", 0, INPUT,
     (PARALLEL, "--v1-fallback is taken as --precision fp32")),
    ("python -m virnucpro predict input.fasta --parallel --v1-attention", 0, INPUT,
     (PARALLEL, "--v1-attention" + NO_EFFECT)),
    ("VIRNUCPRO_DISABLE_PACKING=true python -m virnucpro predict input.fasta --parallel", 0, INPUT, (PARALLEL,)),
    ("VIRNUCPRO_DISABLE_FP16=true python -m virnucpro predict input.fasta --parallel", 0, INPUT, (PARALLEL,)),
    ("VIRNUCPRO_V1_ATTENTION=true python -m virnucpro predict input.fasta", 0, INPUT,
     ("VIRNUCPRO_V1_ATTENTION" + NO_EFFECT,)),
    ("VIRNUCPRO_VIRAL_CHECKPOINT_MODE=true python -m virnucpro predict input.fasta", 0, INPUT,
     ("VIRNUCPRO_VIRAL_CHECKPOINT_MODE" + NO_EFFECT,)),
    ("python -m virnucpro predict input.fasta --keep-intermediate", 0, INPUT + KEPT, ()),
    ("python -m virnucpro predict input.fasta --config my_config.yaml", 0, INPUT, ("features.esm.toks_per_batch",)),
    ("python -m virnucpro predict sequences.fasta", 0, SEQUENCES, ()),
    ("python -m virnucpro predict sequences.fasta -m 300 -d cuda:1", 1, (), ("cuda:1 was asked for",)),
    ("python -m virnucpro predict sequences.fasta --resume", 0, SEQUENCES, ()),
    ("python -m virnucpro predict sequences.fasta -m custom -p my_model.pth -d cpu", 0, SEQUENCES,
     ("chunks are 500 bases long", " -e ")),
    ("python -m virnucpro utils list-devices", 0, (), ()),
    ("python -m virnucpro utils validate input.fasta", 0, (), ()),
    ("python -m virnucpro utils generate-config -o new_config.yaml", 0, ("new_config.yaml",), ()),
    ("python -m virnucpro utils validate-checkpoints output_dir/checkpoints", 0, (), ()),
    ('python -c "import virnucpro; print(virnucpro.__version__)"', 0, (), ()),
]
COLUMNS = {"prediction_results.txt": "Sequence_ID\tPrediction\tscore1\tscore2",
           "prediction_results_highestscore.csv": "Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1"}


@pytest.fixture
def v2_shell(shell, program, genome):
    """A folder with what v2's lines name, and the wheel's module beside its program, as pip puts them."""
    folder = program.folder
    for name in ("input.fasta", "sequences.fasta"):
        (folder / name).write_text(f">piece\n{genome[:9000]}\n")
    shutil.copy(folder / "500_model.pth", folder / "my_model.pth")
    shutil.copy(CONFIGURATION, folder / "my_config.yaml")
    save(folder / "output_dir" / "checkpoints" / "a.pt", rows(2))
    module = folder / "venv" / "lib" / "python3" / "site-packages" / "virnucpro"
    module.mkdir(parents=True)
    shutil.copy(SOURCE / "packaging" / "wheel" / "__main__.py", module)
    (module / "__init__.py").write_text('__version__ = "1"\n')  # tools/make_wheel_test.py tests the real one
    (folder / "venv" / "bin").mkdir()
    (folder / "venv" / "bin" / "virnucpro").symlink_to(BIN)
    python = f'export PYTHONPATH={shlex.quote(str(module.parent))}; python() {{ {shlex.quote(sys.executable)} "$@"; }}'
    return lambda line: shell(f"{python}; {line}")


@pytest.mark.parametrize("line, code, writes, says", DOCUMENTED, ids=[row[0] for row in DOCUMENTED])
def test_a_documented_line_runs(v2_shell, program, line, code, writes, says):
    if "cuda:1" in line and computes_on(1, program):
        code, writes, says = 0, SEQUENCES, ()
    result = v2_shell(line)
    assert result.returncode == code, message(result)
    for text in says:
        assert text in message(result)
    assert bool(result.stdout) == (not writes and code == 0)  # v2's tables are files
    for path in map(program.folder.joinpath, writes):
        lines = path.read_text().splitlines()
        assert len(lines) > 1
        assert lines[0] == COLUMNS.get(path.name, lines[0])


def test_a_second_run_does_not_replace_the_first(v2_shell):
    """v2 asks."""
    line = "python -m virnucpro predict input.fasta"
    assert v2_shell(line).returncode == 0
    again = v2_shell(line)
    assert again.returncode == 1 and "--force" in message(again)
    assert v2_shell(line + " --force").returncode == 0


# --- utils validate --max-errors -------------------------------------------------------------------
@pytest.mark.parametrize("flags, told", [([], 4), (["-e", "2"], 2), (["--max-errors", "1"], 1),
                                         (["-e", "0"], 0), (["-e", "4"], 4), (["-e", "9"], 4)])
def test_at_most_so_many_damaged_inputs_are_described(place, flags, told):
    names = []
    for number in range(4):
        names += [f"bad_{number}.fa", "piece.fa"]
        (place.folder / names[-2]).write_text("no header\n")
    text = place("utils", "validate", *names, *flags, code=1).stdout.decode()
    assert text.count("DAMAGED: ") == told
    assert text.count("piece.fa: whole") == 4  # others are described all the same
    assert (f"{4 - told} more inputs are damaged or missing (limit: --max-errors)" in text) == (told < 4)


# --- checkpoints -----------------------------------------------------------------------------------
CHECK = ["utils", "validate-checkpoints"]


def told(program, folder, code, *flags):
    """What the command says of each file, by its path."""
    result = program(*CHECK, folder, *flags, code=code)
    lines = result.stdout.decode().splitlines()
    return {name: state for name, _, state in (line.partition(": ") for line in lines)}


def rows(count):
    return {"nucleotide": [f"x_{k}" for k in range(count)],
            "data": [{"label": f"x_{k}", "mean_representation": [0.5, 1.0]} for k in range(count)]}


def batch(count):
    """As the writer of v2 saved it, from a thread, to shard_N/batch_NNNNN.pt."""
    return {"embeddings": np.full((count, 4), 0.5, np.float32),
            "sequence_ids": [f"x_{k}" for k in range(count)],
            "metadata": {"model": "esm2", "mean": np.float32(0.5), "count": np.int64(count)}}


@pytest.fixture
def checkpoints(program):
    """A folder of whole checkpoints as v2 leaves it."""
    folder = program.folder / "old"
    save(folder / "a.pt", {**rows(2), "version": "1.0", "status": "complete"})
    (folder / "a.pt.done").touch()
    save(folder / "checkpoints" / "b.pt", {"ids": ["x"], "data": torch.ones(1, 4)})
    save(folder / "checkpoints" / "shard_1" / "c.pt", {**rows(1), "status": "in_progress"})
    save(folder / "shard_0" / "batch_00000.pt", batch(3))
    (folder / "notes.txt").write_text("not a checkpoint\n")
    return program


def test_whole_checkpoints(checkpoints):
    assert told(checkpoints, "old", 0) == {
        "old/a.pt": "whole, version 1.0, complete, marked as done",
        "old/checkpoints/b.pt": "whole",
        "old/checkpoints/shard_1/c.pt": "whole, in_progress",
        "old/shard_0/batch_00000.pt": "whole",
        "4 checkpoints of v2": "4 whole. predict --resume cannot use them: it "
                               "needs a journal (run.db)."}


ARRAYS = {"half": np.ones((2, 3), np.float16), "columns": np.asfortranarray(np.ones((3, 2))),
          "empty": np.zeros((0, 4), np.float32), "large": np.arange(40000.0),
          "texts": np.array(["a", "bcd"]), "objects": np.array([{"a": 1}, None], dtype=object),
          "scalar": np.array(3), "bool": np.bool_(True), "big": np.ones(2, ">f4")}


@pytest.mark.parametrize("protocol", [2, 3, 4])
@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_of_numpy_are_data(program, kind, protocol):
    for name, content in (("a", {"data": ARRAYS[kind]}),
                          ("b", {"sequence_ids": ["x"], "embeddings": ARRAYS[kind]})):
        torch.save(content, program.folder / f"{name}.pt", pickle_protocol=protocol)
    assert told(program, ".", 0)["2 checkpoints of v2"].startswith("2 whole. ")


def save_fast(path, content):
    """As torch.save writes what holds no tensors, without its question about each value."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(content, protocol=2))


# v2 wrote up to 10,000; fewer than 3,277 would be no more floats than other values may be.
def test_lists_of_as_many_rows_as_v2_had_in_a_file(program):
    row = [0.1 * k for k in range(2560)]
    save_fast(program.folder / "a.pt", {
        "data": [{"label": f"x_{k}", "mean_representation": list(row)}
                 for k in range(by_length(3500, 10000))]})
    assert told(program, ".", 0)["./a.pt"] == "whole"


class Evil:
    def __reduce__(self):
        return os.system, ("touch executed",)


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def flip(path):
    """Changes a number of a tensor, whose checksum then is wrong."""
    data = bytearray(path.read_bytes())
    data[data.index(torch.ones(1, 4).numpy().tobytes())] ^= 1
    path.write_bytes(data)


def old_format(path):
    torch.save(rows(1), path, _use_new_zipfile_serialization=False)


def other_zip(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/b", "c")


# What is done to b.pt, what is said of it, and whether a look at its ZIP suffices.
DAMAGED = {
    "empty": (lambda path: path.write_bytes(b""), "the file is empty", True),
    "cut": (cut, "the directory at the end of the ZIP is missing", True),
    "text": (lambda path: path.write_text("hello"), "ZIP is missing", True),
    "not a zip": (old_format, "ZIP is missing", True),
    "other zip": (other_zip, "torch.save did not write it", False),
    "number": (flip, "the checksum (CRC-32) of ZIP member", False),
    "folder": (lambda path: (path.unlink(), path.mkdir()), "the path is a folder", True),
    "link to a folder": (lambda path: (path.unlink(), path.symlink_to("shard_1")),
                         "the path is a folder", True),
}
NO_DICT = "the file's content is not a dict with the key data, or with the keys embeddings and sequence_ids"
INCOMPATIBLE = {"no data": {"ids": [1]}, "list": [1, 2], "tensor": torch.ones(2),
                "array": np.ones(2), "no ids": {"embeddings": np.ones(2)},
                "no embeddings": {"sequence_ids": ["x"]}}
# Whole for v2, but not read here; and what is no plain data.
NOT_LOADED = {
    "date": ({"data": [1.0], "time": datetime.datetime(2026, 1, 23)}, "global datetime.datetime"),
    "path": ({"data": [1.0], "path": SOURCE}, "global pathlib.PosixPath"),
    "complex": ({"data": np.ones(2), "c": 1j}, "global __builtin__.complex"),
    "long": ({"data": 1 << 70}, "an integer in the pickle has more than 64 bits"),
    "many": ({"data": [None] * (1 << 23)}, "the pickle makes too many values"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_checkpoint(checkpoints, damage):
    make, why, is_seen_quickly = DAMAGED[damage]
    make(checkpoints.folder / "old" / "checkpoints" / "b.pt")
    found = told(checkpoints, "old", 1)
    state = found.pop("old/checkpoints/b.pt")
    assert state.startswith("CORRUPTED: ") and why in state
    assert found["4 checkpoints of v2"].startswith("3 whole, 1 corrupted. ")
    quick = told(checkpoints, "old", 1 if is_seen_quickly else 0, "--skip-load")
    assert quick["old/shard_0/batch_00000.pt"] == "a ZIP; its contents were not read"
    assert quick["old/checkpoints/b.pt"].startswith("CORRUPTED: ") == is_seen_quickly


@pytest.mark.parametrize("kind", INCOMPATIBLE)
def test_an_incompatible_checkpoint(checkpoints, kind):
    save(checkpoints.folder / "old" / "checkpoints" / "b.pt", INCOMPATIBLE[kind])
    found = told(checkpoints, "old", 1)
    assert found["old/checkpoints/b.pt"] == f"INCOMPATIBLE: {NO_DICT}"
    assert found["4 checkpoints of v2"].startswith("3 whole, 1 incompatible. ")
    assert told(checkpoints, "old", 0, "--skip-load")


@pytest.mark.parametrize("kind", NOT_LOADED)
def test_a_checkpoint_that_is_not_loaded_here_is_not_called_bad(checkpoints, kind):
    content, why = NOT_LOADED[kind]
    save_fast(checkpoints.folder / "old" / "checkpoints" / "b.pt", content)
    found = told(checkpoints, "old", 0)
    state = found["old/checkpoints/b.pt"]
    assert state.startswith("not loaded here: ") and why in state
    assert found["4 checkpoints of v2"].startswith("3 whole, 1 not loaded here. ")


def test_code_in_a_checkpoint_is_told_and_not_executed(checkpoints):
    folder = checkpoints.folder / "old"
    save(folder / "checkpoints" / "b.pt", {"data": Evil()})
    (folder / "a.pt").write_bytes(b"")
    found = told(checkpoints, "old", 1)
    assert "not loaded here: the file holds more than plain data: global " in found["old/checkpoints/b.pt"]
    assert found["4 checkpoints of v2"].startswith("2 whole, 1 not loaded here, 1 corrupted. ")
    assert not (checkpoints.folder / "executed").exists()


def test_what_v2_found_damaged_itself(checkpoints):
    record = checkpoints.folder / "old" / "failed_checkpoints.txt"
    lines = [f"/old/{k}.pt|corrupted: file is {k} bytes|2026-01-23T12:00:0{k}Z" for k in range(7)]
    record.write_text("\n".join([*lines, "rubbish", "\x1b[2J|a|b", ""]))
    text = checkpoints(*CHECK, "old", code=0).stdout.decode()
    assert "old/failed_checkpoints.txt: v2 found 8 damaged checkpoints; the last of them:\n  /old/3.pt: " in text
    assert "  /old/6.pt: corrupted: file is 6 bytes (2026-01-23T12:00:06Z)\n" in text
    assert "\x1b" not in text and "/old/2.pt" not in text
    record.unlink()
    os.mkfifo(record)
    assert "not a regular file" in message(checkpoints(*CHECK, "old", code=0))


@pytest.mark.parametrize("name", ["empty", "absent", "file", "closed", "link"])
def test_no_checkpoints_or_none_that_can_be_read(checkpoints, name):
    folder = checkpoints.folder
    for made in ("empty", "closed"):
        (folder / made).mkdir()
    (folder / "file").touch()
    (folder / "closed").chmod(0)
    (folder / "with_link").mkdir()
    (folder / "with_link" / "shard_0").symlink_to(folder / "old")
    result = checkpoints(*CHECK, "with_link" if name == "link" else name, code=3,
                         preexec_fn=without_rights)
    assert result.stdout == b""
    assert "virnucpro: error: " in message(result)


def test_a_checkpoint_that_may_not_be_read_is_bad(checkpoints):
    (checkpoints.folder / "old" / "a.pt").chmod(0)
    result = checkpoints(*CHECK, "old", code=1, preexec_fn=without_rights)
    assert b"old/a.pt: CORRUPTED: Permission denied, marked as done" in result.stdout


def test_resuming_says_that_checkpoints_do_not_help(place):
    line = "new: it holds checkpoints of v2 (*.pt) but no journal to resume from"
    checkpoint = place.folder / "new" / "shard_0" / "a.pt"
    save(checkpoint, rows(1))
    arguments = ["piece.fa", "-o", "new"]
    said = [line in message(place.predict(*arguments, flag, code=0))
            for flag in ("--resume", "--resume", "--force")]
    assert said == [True, False, False]
    assert checkpoint.exists()
    assert line not in message(place.predict("piece.fa", "-o", "other", "--resume", code=0))


def test_both_a_journal_and_checkpoints(place):
    place.predict("piece.fa", "-o", "new", code=0)
    save(place.folder / "new" / "a.pt", rows(1))
    text = place(*CHECK, "new", code=0).stdout.decode()
    assert "new/a.pt: whole" in text and "new: whole\n  run       finished" in text
    (place.folder / "new" / "a.pt").write_bytes(b"")
    text = place(*CHECK, "new", code=1).stdout.decode()
    assert "new/a.pt: CORRUPTED: the file is empty" in text and "new: whole\n" in text
    save(place.folder / "new" / "a.pt", rows(1))
    journal = place.folder / "new" / "run.db"
    journal.write_bytes(journal.read_bytes()[:5000])
    result = place(*CHECK, "new", code=1)
    assert b"new/a.pt: whole" in result.stdout
    assert "new/run.db: the run's journal is damaged" in message(result)
    (place.folder / "new" / "run.db-journal").write_bytes(b"x")
    assert b"new/a.pt: whole" in place(*CHECK, "new", code=3).stdout


def test_a_wrong_call_is_no_damage(program):
    program(*CHECK, code=3)
    program(*CHECK, "a", "--nonsense", code=3)
