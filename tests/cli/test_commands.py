"""Help, version, usage errors, configuration, generate, utils."""

import gzip
import os
import re
import resource
import signal
import subprocess

import pytest
from conftest import BIN, LAMBDA, MODELS, fasta, files_in, limited, message

def test_version_is_one_line(program):
    result = program("--version", code=0)
    assert re.fullmatch(rb"virnucpro \d+\.\d+\.\d+\n", result.stdout)
    assert program("predict", "--version").stdout == result.stdout


def test_version_with_details(program):
    result = program("--version", "-v", code=0)
    for word in (b"build:", b"commit: ", b"oneDNN", b"htslib", b"HDF5", b"SQLite", b"CUDA:", b"cpu-"):
        assert word in result.stdout
    assert program("-v", "--version").stdout.splitlines()[:4] == result.stdout.splitlines()[:4]
    devices = program("utils", "list-devices").stdout.decode().splitlines()
    assert result.stdout.decode().splitlines()[-len(devices):][0].startswith("cpu     ")


def test_a_gpu_that_cannot_be_had_is_said_why(program):
    result = program("predict", "x.fa", "-d", "cuda:1")
    built_in = b"CUDA: not built in" not in program("-v", "--version").stdout
    why = "there is no NVIDIA driver" if built_in else "this program was built without CUDA"
    assert f"cuda:1 was asked for: {why}" in message(result)
    assert why in program("utils", "list-devices").stdout.decode()


def test_flags_of_v2_are_accepted_with_one_line_each(program):
    result = program("predict", "absent.fa", *MODELS, "-b", "64", "--no-cuda-streams",
                     "--parallel", "--v1-fallback", "--merge-threads", "4")
    assert "input not found" in message(result)
    for line in ("--batch-size has no effect", "--no-cuda-streams has no effect",
                 "--parallel is taken as --device cuda:all",
                 "--v1-fallback is taken as --precision fp32", "--merge-threads has no effect"):
        assert message(result).count(line) == 1


def test_configuration_with_every_key_is_valid(program):
    assert program("utils", "generate-config", "-o", "all.yaml").returncode == 0
    written = (program.folder / "all.yaml").read_bytes()
    assert program("utils", "generate-config").stdout == written
    assert b"models:" in written and b"\n#   prediction.batch_size: " in written
    result = program("-c", "all.yaml", "utils", "generate-config")
    assert (result.returncode, result.stderr) == (0, b"")


def generate_on_a_terminal(program, *flags):
    """Exit code, what the terminal shows, and the messages."""
    parent, child = os.openpty()
    result = subprocess.run([BIN, "utils", "generate-config", *flags], cwd=program.folder, stdout=child,
                            stderr=subprocess.PIPE, env=program.environment, check=False)
    os.close(child)
    shown = b""
    try:
        while part := os.read(parent, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(parent)
    return result.returncode, shown.decode().replace("\r\n", "\n"), message(result)


def test_on_a_terminal_the_configuration_is_a_file(program):
    printed = program("utils", "generate-config", code=0).stdout.decode()
    assert list(program.folder.iterdir()) == []
    code, shown, _ = generate_on_a_terminal(program)
    assert (code, shown) == (0, "virnucpro_config.yaml has every key and its default; -c FILE uses it\n")
    kept = program.folder / "virnucpro_config.yaml"
    assert kept.read_text() == printed
    kept.write_text("version: 1\n")
    code, shown, said = generate_on_a_terminal(program)
    assert (code, shown) == (1, "")
    assert "virnucpro_config.yaml: output is there already" in said
    assert kept.read_text() == "version: 1\n"
    assert generate_on_a_terminal(program, "-f")[0] == 0
    assert kept.read_text() == printed
    assert generate_on_a_terminal(program, "-o", "-")[:2] == (0, printed)
    code, _, said = generate_on_a_terminal(program, "-f", "-c", "virnucpro_config.yaml")
    assert code == 1 and "it is the same file as --config virnucpro_config.yaml" in said


@pytest.mark.parametrize("text, expected", [
    ("logging: {default_level: LOUD}\n", "logging.default_level"),
    ("#" * (1 << 20) + "\n", "larger than"),
])
def test_bad_configuration(program, text, expected):
    (program.folder / "c.yaml").write_text(text)
    result = program("-c", "c.yaml", "utils", "generate-config", code=1)
    assert "c.yaml: the configuration cannot be used" in message(result)
    assert expected in message(result)


def test_log_file(program):
    (program.folder / "c.yaml").write_text("nonsense: 1\n")
    result = program("-q", "-c", "c.yaml", "-l", "run.log", "utils", "generate-config")
    assert result.stderr == b""
    assert "unknown key nonsense" in (program.folder / "run.log").read_text()
    result = program("-l", "absent/run.log", "utils", "generate-config")
    if result.returncode == 0:  # it made the folder
        assert (program.folder / "absent" / "run.log").exists()
    else:
        assert "output cannot be written" in message(result)


@pytest.mark.parametrize("flags, warnings", [([], 1), (["-q"], 0)])
def test_log_file_on_a_full_disk_costs_a_warning(program, flags, warnings):
    result = program(*flags, "-l", "/dev/full", "utils", "generate-config", code=0)
    assert message(result).count("virnucpro: warning: a log file loses lines: ") == warnings
    assert message(result).count("\n") == warnings


def test_stdout_that_is_full_is_an_error(program):
    with open("/dev/full", "wb") as full:
        process = program.start("utils", "generate-config", stdout=full, stderr=subprocess.PIPE)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 1
    assert b"standard output: output cannot be written" in errors


def test_generate_into_a_closed_pipe(program):
    process = program.start("generate", "-n", "1000000", "-o", "-", stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    process.stdout.read(10)
    process.stdout.close()
    assert process.wait(timeout=30) == 1
    errors = process.stderr.read()
    assert b"standard output: output cannot be written: the program that reads this output has closed it" in errors
    assert b"Free space" not in errors
    process.stderr.close()


def test_validate_describes_inputs(program, sequences):
    (program.folder / "a.fa").write_text(fasta({**sequences, "odd": "ACG-J", "none": ""}) +
                                         ">odd\nA\n")
    result = program("utils", "validate", "a.fa", LAMBDA, code=1)
    text = result.stdout.decode()
    assert text.startswith("a.fa: odd: letters outside IUPAC: -J\na.fa: none: empty sequence\n"
                           "a.fa: odd: duplicate id\na.fa: NOT VALID: duplicate ids: 1, empty sequences: 1, "
                           "sequences with letters outside IUPAC: 1\n")
    assert f"{LAMBDA}: whole\n" in text
    for name, value in (("sequences", "9"), ("shortest", "0"), ("longest", "700"),
                        ("empty sequences", "1"), ("letters outside IUPAC", "2"),
                        ("duplicate ids", "1"), ("letters", "48,502")):
        assert re.search(rf"{name} +{value}\n", text), name


# What v2 fails for, and what it does not.
@pytest.mark.parametrize("text, verdict", [
    (">a\nACGTN\n>b\nRYSWKMBDHVacgu\n", "whole"), (">a x\nA\n>a y\nA\n", "NOT VALID: duplicate ids: 1"),
    (">a\nA\n>b\n", "NOT VALID: empty sequences: 1"), ("", "NOT VALID: no sequences"),
    (">a\nAC*\n>b\n.\n", "NOT VALID: sequences with letters outside IUPAC: 2"),
])
@pytest.mark.parametrize("flags", [[], ["--max-errors", "0"]])  # with 0 v2 passes all
def test_validate_fails_as_v2_does(program, text, verdict, flags):
    (program.folder / "a.fa").write_text(text)
    result = program("utils", "validate", "a.fa", *flags, code=0 if verdict == "whole" else 1)
    assert f"a.fa: {verdict}\n" in result.stdout.decode()


@pytest.mark.parametrize("flags, named", [([], 10), (["-e", "3"], 3), (["-e", "0"], 0), (["-e", "99"], 12)])
def test_validate_names_so_many_bad_sequences_of_each_input(program, flags, named):
    for name in ("a.fa", "b.fa"):
        (program.folder / name).write_text("".join(f">{name}_{k}\n" for k in range(12)))
    text = program("utils", "validate", "a.fa", "b.fa", *flags, code=1).stdout.decode()
    assert [text.count(f"\n{name}: {name}_") + text.startswith(f"{name}: {name}_") for name in ("a.fa", "b.fa")] == \
        [named, named]
    assert text.count("NOT VALID: empty sequences: 12\n") == 2


def test_validate_tells_of_ambiguous_bases(program):
    (program.folder / "a.fa").write_text(f">a\n{'ACGT' * 5}N\n>b\n{'ACGT' * 4}n\n>c\nACGT\n")
    warning = "a.fa: sequences with more than 5 % ambiguous bases: 1 (limit: validation.max_ambiguous_percent)"

    def check(config, *said):
        (program.folder / "c.yaml").write_text(config)
        result = program("-c", "c.yaml", "utils", "validate", "a.fa", code=0)
        text = result.stdout.decode()
        assert re.search(r"ambiguous bases +2\n  with ambiguous bases +2\n", text)
        assert [line.partition("warning: ")[2] for line in message(result).splitlines()] == list(said)

    check("", warning)
    check("validation: {warn_ambiguous_bases: false}")
    check("validation: {max_ambiguous_percent: 6}")
    check("validation: {max_ambiguous_percent: 0}", warning.replace("bases: 1", "bases: 2").replace("5 %", "0 %"))
    (program.folder / "c.yaml").write_text("validation: {max_ambiguous_percent: 101}")
    result = program("-c", "c.yaml", "utils", "validate", "a.fa", code=1)
    assert "validation.max_ambiguous_percent: expected a number from 0 to 100" in message(result)


def test_validate_may_leave_duplicate_ids(program):
    (program.folder / "a.fa").write_text(">a\nA\n>a\nA\n")
    (program.folder / "c.yaml").write_text("validation: {check_duplicate_ids: false}")
    text = program("-c", "c.yaml", "utils", "validate", "a.fa", code=0).stdout.decode()
    assert text.startswith("a.fa: whole\n") and re.search(r"duplicate ids +1\n", text)


def test_validate_finds_damage(program):
    cut = LAMBDA.read_bytes()[:8000]
    (program.folder / "cut.fa.gz").write_bytes(cut)
    (program.folder / "good.fa").write_text(">a\nACGT\n")
    result = program("utils", "validate", "cut.fa.gz", "good.fa", code=1)
    text = result.stdout.decode()
    assert re.search(r"cut.fa.gz: DAMAGED: .*record 1, byte \d+.*input ends too early", text)
    assert "good.fa: whole" in text


def test_validate_tells_missing_from_damaged(program):
    (program.folder / "good.fa").write_text(">a\nACGT\n")
    result = program("utils", "validate", "absent.fa", "good.fa", code=1)
    assert b"absent.fa: missing: " in result.stdout
    assert b"DAMAGED" not in result.stdout
    assert result.stdout.count(b"letters outside IUPAC") == 1


def test_validate_says_where_an_id_was_before(program):
    (program.folder / "a.fa").write_text(">x\nA\n>y\nA\n>y\nA\n")
    (program.folder / "b.fa").write_text(">x\nA\n>x\nA\n>y\nA\n>z\nA\n")
    text = program("utils", "validate", "a.fa", "b.fa").stdout.decode()
    assert re.findall(r"duplicate ids +(\d)\n", text) == ["1", "1"]
    assert re.findall(r"ids of earlier inputs +(\d)\n", text) == ["0", "2"]


def test_validate_reads_stdin(program):
    result = program("utils", "validate", "-", stdin=gzip.compress(b">a\nACGT\n"), code=0)
    assert re.search(rb"sequences +1\n", result.stdout)


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_validate_stops_while_stdin_is_silent(program, number, code):
    process = program.start("utils", "validate", "-", stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.5)
    process.send_signal(number)
    assert process.wait(timeout=5) == code
    process.communicate()


def test_one_processor_of_many(program):
    def limit():
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    result = program("utils", "list-devices", preexec_fn=limit)
    assert re.search(rb", 1 (of \d+ )?processors, ", result.stdout)
    (program.folder / "a.fa").write_text(">a\nACGT\n")
    program.predict("a.fa", "-o", "out", preexec_fn=limit, code=0)
    assert ", 1 threads, " in (program.folder / "out" / "logs" / "virnucpro.log").read_text()


def test_exported_weights_can_be_inspected(program):
    assert program("utils", "export-weights", "synthetic:esm2_tiny:3", "-o", "tiny").returncode == 0
    result = program("utils", "inspect", "tiny", code=0)
    assert b"esm.embeddings.word_embeddings.weight  F32  [33, " in result.stdout
    assert b"model: ESM-2" in result.stdout
    assert b"synthetic weights" in result.stdout


def test_exported_weights_appear_together(program):
    export = ["utils", "export-weights", "-o", "model"]
    program(*export, "synthetic:esm2_tiny", code=0)
    folder = program.folder / "model"
    before = files_in(folder)
    full = limited(resource.RLIMIT_FSIZE, 65536)
    for name in ("esm2_t6_8M", "dnabert-s-tiny"):
        assert "output cannot be written" in message(program(*export, f"synthetic:{name}", "-f", **full, code=1))
        assert files_in(folder) == before
    (folder / "tokenizer.json").mkdir()
    assert "is not a regular file" in message(program(*export, "synthetic:dnabert-s-tiny", "-f", code=1))
    for option in ("-l", "-c"):
        result = program(option, "model/config.json", *export, "synthetic:esm2_t6_8M", "-f", code=1)
        assert "it is the same file as --" in message(result)
    assert (folder / "config.json").read_bytes() == before[folder / "config.json"]


def test_inspect_runs_no_pickle(program):
    (program.folder / "evil.pth").write_bytes(b"not a model")
    assert "evil.pth" in message(program("utils", "inspect", "evil.pth", code=1))
