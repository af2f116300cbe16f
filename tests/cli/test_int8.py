"""--precision int8 where there is no GPU, and --int8-keep: what is refused, and what is said."""

import json

import pytest
from conftest import MODELS, SHORT, fasta, message

NEEDS_GPU = "int8 needs a GPU; the CPU computes in fp32"
COMMANDS = [
    ["predict", "a.fa", *MODELS, "-o", "out"],
    ["embed", "a.fa", *MODELS[:4], "-o", "out.h5"],
    ["profile", "-m", "esm2", *MODELS[:4], "-o", "out.json"],
    ["benchmark", *MODELS, "-o", "out"],
]
IDS = [command[0] for command in COMMANDS]


@pytest.fixture
def place(program):
    (program.folder / "a.fa").write_text(fasta({"a": "ACGT" * 50}))
    return program


def files(place):
    return {file.name for file in place.folder.iterdir()}


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_the_cpu_says_what_it_can(place, command):
    result = place(*command, "-d", "cpu", "--precision", "int8", code=1)
    assert "the device does not compute in this precision" in message(result)
    assert NEEDS_GPU in message(result)
    assert "--device cpu" not in message(result)
    assert result.stdout == b""
    assert files(place) == {"a.fa"}


def test_the_cpu_says_it_of_the_configuration_and_of_tune(place):
    (place.folder / "c.yaml").write_text("run:\n  precision: int8\n")
    for arguments in (["-c", "c.yaml", *COMMANDS[0]], ["-c", "c.yaml", "tune", *MODELS],
                      ["tune", *MODELS, "--precisions", "fp32,int8"]):
        assert NEEDS_GPU in message(place(*arguments, code=1))
    assert files(place) == {"a.fa", "c.yaml"}
    place("-c", "c.yaml", *COMMANDS[0], *SHORT, "--precision", "fp32", code=0)


def test_the_cpu_has_its_errors(place):
    result = place(*COMMANDS[0], *SHORT, "-d", "cpu", "--precision", "int8-simulated",
                   "--int8-keep", "0.fc2", code=0)
    assert "int8-simulated is experimental" in message(result)
    kept = json.dumps({"name": "int8_keep", "value": "0.fc2"})
    assert kept in json.dumps(json.loads((place.folder / "out" / "report.json").read_text()))


def test_other_linears_in_16_bits_are_another_run(place):
    command = [*COMMANDS[0], *SHORT, "--precision", "int8-simulated", "--resume"]
    place(*command, "--int8-keep", "fc2", code=0)
    place(*command, "--int8-keep", "0-1.fc2", code=0)  # all layers of this model
    result = place(*command, "--int8-keep", "1.fc2", code=3)
    assert "--int8-keep (was fc2, is 1.fc2)" in message(result)


def test_tune_takes_the_precision_of_its_own_option(place):
    (place.folder / "c.yaml").write_text("run:\n  precision: int8-simulated\n")
    result = place("-c", "c.yaml", "tune", *MODELS, "--precisions", "fp16", code=1)
    assert "fp16 needs a GPU" in message(result)
    assert "experimental" not in message(result)
    for arguments in (["--precisions", "int8-simulated"], []):
        result = place("-c", "c.yaml", "tune", *MODELS, *arguments, code=1)
        assert "cannot measure int8 on the CPU, which only simulates it" in message(result)


def test_auto_never_is_int8(place):
    result = place("-v", *COMMANDS[0], *SHORT, "--precision", "auto", code=0)
    assert ", fp32, " in message(result)
    assert "int8" not in message(result)


@pytest.mark.parametrize("command", COMMANDS, ids=IDS)
def test_linears_are_kept_in_int8_alone(place, command):
    result = place(*command, "--int8-keep", "fc2,0.qkv", code=1)
    assert "the command line cannot be used" in message(result)
    assert "--int8-keep 0.qkv,fc2: it needs --precision int8" in message(result)
    assert files(place) == {"a.fa"}


def test_tune_keeps_linears_for_cells_in_int8_alone(place):
    result = place("tune", *MODELS, "--int8-keep", "fc2", code=1)
    assert "--int8-keep fc2 is only for int8: add int8 to --precisions" in message(result)


@pytest.mark.parametrize("text", ["fc3", "fc2,", "5-3.fc2", "0.", "x.qkv", "FC2", "1000.out"])
@pytest.mark.parametrize("command", [*COMMANDS, ["tune", *MODELS]], ids=[*IDS, "tune"])
def test_other_linears_are_refused(place, command, text):
    result = place(*command, "--int8-keep", text, code=1)
    assert f"--int8-keep {text}: expected none, or a comma list of qkv, out, fc1, fc2; 0.qkv" in \
        message(result)
    assert files(place) == {"a.fa"}


# One file serves runs in every precision, so the key is checked and has no effect in others.
def test_the_key_is_checked_in_every_precision(place):
    (place.folder / "c.yaml").write_text("run:\n  int8_keep: fc3\n")
    result = place("-c", "c.yaml", *COMMANDS[0], code=1)
    assert "c.yaml" in message(result) and "run.int8_keep" in message(result)
    assert "expected none, or a comma list of qkv, out, fc1, fc2" in message(result)
    (place.folder / "c.yaml").write_text("run:\n  int8_keep: 0-1.fc2,qkv\n")
    place("-c", "c.yaml", *COMMANDS[0], *SHORT, code=0)
    # A resumed run may change it; none is kept in any precision.
    (place.folder / "c.yaml").write_text("run:\n  int8_keep: fc2\n")
    place("-c", "c.yaml", *COMMANDS[0], *SHORT, "--resume", code=0)
    place(*COMMANDS[0], *SHORT, "--int8-keep", "none", "--resume", code=0)


def test_profile_names_no_policy_in_fp32(place):
    place(*COMMANDS[2], "-t", "1", "--seconds", "0.05", "--min-batch", "200", "--max-batch", "200",
          code=0)
    about = json.loads((place.folder / "out.json").read_text())
    assert (about["precision"], about["int8_keep"]) == ("fp32", None)


@pytest.mark.parametrize("command", [*IDS, "tune"])
def test_help_names_both(program, command):
    text = program(command, "--help-all", code=0).stdout.decode()
    assert "--int8-keep LINEAR[,...]" in text
    assert "fp16|bf16|int8" in text


def test_a_kernel_path_that_does_not_exist_is_named(place):
    assert "--kernels hopper: expected auto or generic" in message(
        place(*COMMANDS[0], "--kernels", "hopper", code=1))
    (place.folder / "c.yaml").write_text("run:\n  kernels: wgmma\n")
    assert "run.kernels" in message(place("-c", "c.yaml", *COMMANDS[0], code=1))


def test_the_cpu_has_one_kernel_path(place):
    result = place(*COMMANDS[0], *SHORT, "-d", "cpu", "--kernels", "generic", code=0)
    assert "--kernels has no effect on the CPU" in message(result)
