"""Every key, variable and flag of v2 has a test here. The tables below are compared with the
program's own, so a new one without a test fails."""

import re
import subprocess
from dataclasses import dataclass, field

import pytest
from conftest import BIN, MODELS, SOURCE, fasta, message
from needs import needs_isa

ENCODERS = MODELS[:4]


@dataclass
class Key:
    default: str
    comment: str
    used: bool


def generated_keys():
    """The keys of the file that generate-config writes."""
    text = subprocess.run([BIN, "utils", "generate-config"], capture_output=True, check=True,
                          text=True).stdout
    keys, open_sections, comment = {}, [], ""
    with_effect, _, without = text.partition("# Keys of v2 without effect here")
    for line in with_effect.splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        line = line.strip()
        if line.startswith("#"):
            comment = line[2:]
        elif line:
            name, value = line.split(":", 1)
            open_sections[depth:] = [name]
            if value:
                keys[".".join(open_sections)] = Key(value.strip(), comment, True)
    for line in without.splitlines()[1:]:
        name, default, comment = re.fullmatch(r"#   (.*?): (.*?) \((.*)\)", line).groups()
        keys[name] = Key(default, comment, False)
    return keys


KEYS = generated_keys()
OF_V2 = """prediction.batch_size prediction.num_workers prediction.sequences_per_file
    prediction.default_model_type prediction.models.300 prediction.models.500 device.default
    device.fallback_to_cpu features.dnabert.model_name features.dnabert.trust_remote_code
    features.dnabert.batch_size features.esm.model_name features.esm.truncation_seq_length
    features.esm.toks_per_batch features.esm.representation_layer parallelization.enabled
    parallelization.num_workers checkpointing.enabled checkpointing.checkpoint_dir
    checkpointing.keep_history files.auto_cleanup files.keep_files logging.default_level
    logging.format logging.auto_log_file progress.enabled progress.bar_width
    progress.update_interval validation.warn_ambiguous_bases validation.max_ambiguous_percent
    validation.check_duplicate_ids version""".split()


def nested(key, value):
    """YAML that sets one key."""
    lines = [f"{'  ' * depth}{part}:" for depth, part in enumerate(key.split("."))]
    return "\n".join(lines) + f" {value}\n"


@dataclass
class Setting:
    """The log of a run with -v when nothing sets a key, and then when file, variable and flag do,
    each added to the ones before."""
    default: str
    file: tuple  # (value, log text)
    flag: tuple  # (flags, log text)
    variable: tuple = ()  # (name, value, log text)
    arguments: list = field(default_factory=lambda: ["absent.fa"])


def of_model(name, arguments, flag):
    return Setting(f'"{name}" was looked for', ("of_file", '"of_file" was looked for'),
                   ([flag, "of_flag"], '"of_flag" was looked for'),
                   arguments=["a.fa", "-o", "out", *arguments])


def of_classifier(kind):
    return Setting(f"{kind}_model.pth", ("of_file.pth", "of_file.pth"),
                   (["-p", "of_flag.pth"], "of_flag.pth"),
                   arguments=["a.fa", "-o", "out", "-m", kind, *ENCODERS])


SETTINGS = {
    "prediction.default_model_type": Setting("chunk size 500,", ("300", "chunk size 300,"),
                                             (["-m", "500"], "chunk size 500,")),
    "prediction.models.300": of_classifier("300"),
    "prediction.models.500": of_classifier("500"),
    "device.default": Setting("input not found", ("cuda:1", "cuda:1 was asked for"),
                              (["-d", "cpu"], "input not found")),
    "features.dnabert.model_name": of_model("zhihan1996/DNABERT-S", [], "--dnabert-model"),
    "features.esm.model_name": of_model("esm2_t36_3B_UR50D", ENCODERS[:2], "--esm-model"),
    "run.models_dir": Setting("zhihan1996/DNABERT-S", ("of_file", " of_file/zhihan1996"),
                              (["--models-dir", "of_flag"], " of_flag/zhihan1996"),
                              ("VIRNUCPRO_MODELS", "of_variable", " of_variable/zhihan1996"),
                              arguments=["a.fa", "-o", "out"]),
    "run.precision": Setting(", fp32, ", ("fp16", "fp16 needs a GPU"),
                             (["--precision", "fp32"], ", fp32, ")),
    "run.threads": Setting(" threads, ", ("3", " 3 threads, "), (["-t", "5"], " 5 threads, ")),
    "run.token_budget": Setting("token budget auto,", ("77", "token budget 77,"),
                                (["--token-budget", "78"], "token budget 78,")),
    "run.prefetch": Setting(" 2 batches waiting for each worker", ("7", " 7 batches waiting for each worker"),
                            (["--prefetch", "8"], " 8 batches waiting for each worker")),
    "run.journal_interval": Setting("journal: scores are written ", ("7.5", "after at most 7.5 s"),
                                    (["--journal-interval", "9"], "after at most 9 s")),
    "run.cpu_workers": Setting("worker processes: 0", ("3", "worker processes: 3"),
                               (["--cpu-workers", "2"], "worker processes: 2")),
    "run.classifier": Setting("500_model.pth", ("of_file.pth", "of_file.pth"),
                              (["-p", "of_flag.pth"], "of_flag.pth"),
                              arguments=["a.fa", "-o", "out", *ENCODERS]),
    "run.chunk_size": Setting("chunk size 500,", ("250", "chunk size 250,"),
                              (["-e", "99"], "chunk size 99,")),
    "run.genetic_code": Setting("genetic code 1,", ("4", "genetic code 4,"),
                                (["--genetic-code", "15"], "genetic code 15,")),
    "run.rna": Setting("RNA refused", ("true", "RNA read as DNA"), (["--no-rna"], "RNA as the original reads it")),
    "run.min_score": Setting("score at least 0,", ("0.25", "score at least 0.25,"),
                             (["--min-score", "0.75"], "score at least 0.75,")),
    "run.min_share": Setting("chunks at least 0.5", ("0.25", "chunks at least 0.25"),
                             (["--min-share", "0.75"], "chunks at least 0.75")),
    "run.threshold": Setting("chunks at least 0.5", ("0.25", "chunks at least 0.25"),
                             (["--threshold", "0.75"], "chunks at least 0.75")),
}
# Keys whose effect is not in the log. Each has its own test, below, in test_telemetry.py,
# test_int8.py, test_close_calls.py or test_calibrate.py.
OWN_TESTS = {"checkpointing.enabled", "files.auto_cleanup", "logging.default_level",
             "progress.enabled", "progress.bar_width", "progress.update_interval", "run.telemetry",
             "run.monitor_interval", "run.int8_keep", "run.kernels", "run.margin", "run.check_precision", "run.shadow",
             "run.calibration", "run.calibration_frames",
             # in test_commands.py:
             "validation.warn_ambiguous_bases", "validation.max_ambiguous_percent",
             "validation.check_duplicate_ids"}
BARS = {f"run.requirements.{name}" for name in
        ("projected_hours", "most_projected_hours", "utilization", "least_utilization",
         "tokens_per_second", "least_tokens_per_second", "packing", "least_packing", "starved",
         "most_starved", "imbalance", "most_imbalance", "changed_calls", "most_changed_calls",
         "shortest_run")}


def test_no_key_is_without_a_test():
    assert {name for name, key in KEYS.items() if key.used} == set(SETTINGS) | OWN_TESTS | BARS


def test_every_key_of_v2_is_there():
    assert set(OF_V2) <= set(KEYS)
    assert all(name.startswith("run.") for name in set(KEYS) - set(OF_V2))


@pytest.fixture
def place(program, sequences):
    """A folder with an input and the model folders."""
    (program.folder / "a.fa").write_text(fasta(sequences))
    for name in ("of_file", "of_variable", "of_flag"):
        (program.folder / name).mkdir()
    return program


@pytest.mark.parametrize("key", SETTINGS)
def test_flag_before_environment_before_file_before_default(place, key):
    setting = SETTINGS[key]
    if "models" in key or "model_name" in key:  # so that a model of that name is found
        for name in ("of_file", "of_flag"):
            if key != "run.models_dir":
                (place.folder / name).rmdir()
    (place.folder / "c.yaml").write_text(nested(key, setting.file[0]))
    arguments, environment = ["-v", "predict", *setting.arguments], {"HOME": "/nowhere"}

    def check(said):
        result = place(*arguments, environment=environment, code=1)
        assert said in message(result), message(result)

    check(setting.default)
    arguments += ["-c", "c.yaml"]
    check(setting.file[1])
    if setting.variable:
        environment[setting.variable[0]] = setting.variable[1]
        check(setting.variable[2])
    arguments += setting.flag[0]
    check(setting.flag[1])


def test_sizes_of_padded_batches_have_no_effect(place):
    (place.folder / "c.yaml").write_text(nested("features.esm.toks_per_batch", "66"))
    arguments = ["-c", "c.yaml", "predict", "absent.fa", "--esm-batch-size", "55"]
    warnings = [line for line in message(place(*arguments)).splitlines() if ": warning: " in line]
    assert ["features.esm.toks_per_batch has no effect here: it set the size" in warnings[0],
            "--esm-batch-size has no effect: it set the size of v2's padded batches" in warnings[1],
            len(warnings)] == [True, True, 2]
    assert "token budget auto," in message(place("-v", *arguments))


@pytest.mark.parametrize("value, flags, kept", [("true", [], False), ("false", [], True),
                                                ("true", ["-k"], True)])
def test_auto_cleanup(place, value, flags, kept):
    (place.folder / "c.yaml").write_text(nested("files.auto_cleanup", value))
    place.predict("a.fa", "-e", "100", "-o", "out", "-c", "c.yaml", *flags, code=0)
    assert (place.folder / "out" / "a_chunked100.fa").exists() == kept
    assert (place.folder / "out" / "embeddings.h5").exists() == kept


@pytest.mark.parametrize("level, flags, info, warning", [
    (None, [], False, True), ("DEBUG", [], True, True), ("INFO", [], True, True),
    ("WARNING", [], False, True), ("ERROR", [], False, False), ("ERROR", ["-v"], True, True),
    ("INFO", ["-q"], False, False),
])
def test_default_level(place, level, flags, info, warning):
    (place.folder / "c.yaml").write_text(nested("logging.default_level", level) if level else "")
    result = place("-c", "c.yaml", "predict", "absent.fa", "-b", "8", *flags)
    assert ("virnucpro: info: " in message(result)) == info
    assert ("virnucpro: warning: " in message(result)) == warning
    assert "virnucpro: error: " in message(result)


def shown_on_a_terminal(program, *arguments):
    return program.on_a_terminal(*arguments, "-", stdin=(program.folder / "a.fa").read_bytes())


@pytest.mark.parametrize("value, flags, live", [("true", [], True), ("false", [], False),
                                                ("true", ["--no-progress"], False)])
@pytest.mark.parametrize("command", [["predict", "-p", "synthetic", "-o", "out"],
                                     ["embed", "-o", "out.h5"]])
def test_progress_enabled(place, command, value, flags, live):
    (place.folder / "c.yaml").write_text(nested("progress.enabled", value))
    shown = shown_on_a_terminal(place, *command, "-e", "100", *ENCODERS, "-c", "c.yaml", *flags)
    assert (b"\x1b[J" in shown) == live


@pytest.mark.parametrize("seconds, least, most", [("0.1", 8, 1000), ("3600", 1, 3)])
def test_progress_update_interval(place, seconds, least, most):
    (place.folder / "c.yaml").write_text(nested("progress.update_interval", seconds))
    shown = shown_on_a_terminal(place, "predict", "-p", "synthetic", "-o", "out", "-e", "100",
                                *ENCODERS, "-c", "c.yaml")
    assert least <= shown.count(b"starting") <= most


WARNED = "features.esm.toks_per_batch"  # the one key without effect that a warning names


@pytest.mark.parametrize("value", ["1", "auto", "[a, 1]", "{b: {c: [d]}}"])
@pytest.mark.parametrize("key", [name for name, key in KEYS.items() if not key.used])
def test_key_without_effect_takes_any_value_and_v_says_so(program, key, value):
    (program.folder / "c.yaml").write_text(nested(key, value))
    arguments = ["-c", "c.yaml", "utils", "list-devices"]
    line = f"c.yaml: line {len(key.split('.'))}: {key} has no effect here: "
    plain, verbose = (message(program(*flags, *arguments, code=0)) for flags in ([], ["-v"]))
    assert (plain.count(line), verbose.count(line)) == (1 if key == WARNED else 0, 1)
    assert key == WARNED or plain == ""


@pytest.mark.parametrize("key", [name for name, key in KEYS.items() if key.used])
def test_wrong_type_is_an_error_with_its_line(program, key):
    (program.folder / "c.yaml").write_text("# first\n" + nested(key, "{a: [b]}"))
    result = program("-c", "c.yaml", "utils", "list-devices", code=1)
    assert re.search(rf"c.yaml: the configuration cannot be used: line \d: {re.escape(key)}: "
                     "expected ", message(result))
    assert result.stdout == b""


@pytest.mark.parametrize("key", KEYS)
def test_mistyped_key_names_the_nearest(program, key):
    wrong = key[:-1] + "_"  # with a wrong last letter
    (program.folder / "c.yaml").write_text(nested(wrong, "1"))
    result = program("-c", "c.yaml", "utils", "list-devices", code=0)
    expected = f"warning: c.yaml: line {len(key.split('.'))}: unknown key {wrong}; did you mean "
    assert expected in message(result)
    if not key.startswith("prediction.models."):  # 300 and 500 are equally near
        assert f"{expected}{key}?" in message(result)


# Variables with a test: in SETTINGS, or below.
VARIABLES = {"VIRNUCPRO_MODELS", "VIRNUCPRO_SHARE", "VIRNUCPRO_CUPTI", "VIRNUCPRO_DISABLE_CHECKPOINTING",
             "VIRNUCPRO_DISABLE_PACKING", "HF_HUB_CACHE", "TORCH_HOME", "ONEDNN_MAX_CPU_ISA", "TMPDIR",
             "VIRNUCPRO_CACHE",  # in test_calibrate.py
             "VIRNUCPRO_LOADER"}  # in test_launcher.py
OF_DOWNLOAD = {"VIRNUCPRO_GITHUB_URL", "VIRNUCPRO_FAIR_ESM_URL", "HF_ENDPOINT", "HF_TOKEN",
               "HF_HUB_OFFLINE", "https_proxy", "SSL_CERT_FILE"}  # in test_download.py
NEEDS_A_GPU = {"CUDA_VISIBLE_DEVICES", "VIRNUCPRO_DISABLE_FP16"}


def documented_variables():
    page = SOURCE / "docs" / "reference" / "configuration.md"
    text = page.read_text().partition("## Environment")[2]
    return dict(re.findall(r"(?m)^\| `(\w+)` \| (yes|no) \|", text))


WITHOUT_EFFECT = [name for name, effect in documented_variables().items() if effect == "no"]


def test_no_variable_is_without_a_test():
    assert set(documented_variables()) == VARIABLES | OF_DOWNLOAD | NEEDS_A_GPU | set(WITHOUT_EFFECT)


@pytest.mark.parametrize("name", WITHOUT_EFFECT)
def test_variable_without_effect_is_said(program, name):
    line = f"{name} has no effect: "
    assert message(program("predict", "absent.fa", environment={name: "true"})).count(line) == 1
    assert line not in message(program("predict", "absent.fa", environment={name: "0"}))


@pytest.mark.parametrize("value, packing", [("1", "off"), ("yes", "off"), ("0", "on"),
                                            ("false", "on"), ("", "on")])
def test_disable_packing(program, value, packing):
    result = program("-v", "predict", "absent.fa", environment={"VIRNUCPRO_DISABLE_PACKING": value})
    assert f"packing {packing}\n" in message(result)


@pytest.mark.parametrize("flags, environment, kept", [
    ([], {}, True),
    (["-c", "c.yaml"], {}, False),
    ([], {"VIRNUCPRO_DISABLE_CHECKPOINTING": "1"}, False),
    ([], {"VIRNUCPRO_DISABLE_CHECKPOINTING": "0"}, True),
])
def test_a_journal_is_kept_or_not(place, flags, environment, kept):
    (place.folder / "c.yaml").write_text(nested("checkpointing.enabled", "false"))
    place.predict("a.fa", "-o", "out", *flags, environment=environment, code=0)
    assert (place.folder / "out" / "run.db").exists() == kept


def test_share(place):
    result = place.predict("a.fa", "-o", "out", environment={"VIRNUCPRO_SHARE": "of_variable"})
    assert result.returncode == 1
    assert "of_variable/dnabert-s/tokenizer.json" in message(result)
    good = {"VIRNUCPRO_SHARE": str(SOURCE / "share" / "virnucpro")}
    assert place.predict("a.fa", "-o", "out", environment=good).returncode == 0


def test_library_of_kernels_has_to_be_there(place):
    flags = ["a.fa", "-o", "out", "--trace", "t.json"]
    result = place.predict(*flags, environment={"VIRNUCPRO_CUPTI": "./absent.so"}, code=1)
    assert "VIRNUCPRO_CUPTI ./absent.so: there is no such file" in message(result)
    # The loader searches for a name without a folder, but only if there are kernels to trace.
    for name in ("", "absent.so"):
        assert place.predict(*flags, "--force", environment={"VIRNUCPRO_CUPTI": name}).returncode == 0


def test_directory_of_models_has_to_be_there(place):
    (place.folder / "c.yaml").write_text(nested("run.models_dir", "absent"))
    arguments = ["predict", "a.fa", *MODELS, "-o", "out"]
    by_file = message(place(*arguments, "-c", "c.yaml"))
    assert "c.yaml: the configuration cannot be used: line 2: run.models_dir" in by_file
    by_variable = place(*arguments, environment={"VIRNUCPRO_MODELS": "absent"})
    assert "VIRNUCPRO_MODELS absent: expected a directory" in message(by_variable)
    assert not (place.folder / "out").exists()


@pytest.mark.parametrize("name, path", [("HF_HUB_CACHE", "x/models--facebook--esm2_t6_8M_UR50D"),
                                        ("TORCH_HOME", "x/hub/checkpoints/esm2_t6_8M_UR50D.pt")])
def test_caches_of_models(place, name, path):
    result = place("-v", "predict", "a.fa", *ENCODERS[:2], "--esm-model", "esm2_t6_8M", "-o", "out",
                   environment={name: "x"})
    assert path in message(result)


def test_variables_of_the_library_that_multiplies_have_no_effect(place):
    """They would choose other arithmetic, and write to stdout."""
    usual = place.predict("a.fa", "-o", "-", code=0).stdout
    other = {"ONEDNN_VERBOSE": "2", "ONEDNN_DEFAULT_FPMATH_MODE": "BF16", "ONEDNN_CPU_ISA_HINTS": "PREFER_YMM"}
    assert place.predict("a.fa", "-o", "-", environment=other, code=0).stdout == usual


def test_a_number_below_nothing(place):
    place.predict("a.fa", "-o", "out", "--min-score", "-0", "--min-share", "-0", code=0)
    assert "-0" not in (place.folder / "out" / "report.json").read_text().split('"min_share"')[1][:20]


def test_older_instructions(program):
    result = program("utils", "list-devices", environment={"ONEDNN_MAX_CPU_ISA": "AVX2"})
    assert b", cpu-avx2, no bf16 (needs AVX512_BF16)" in result.stdout


@pytest.mark.parametrize("workers", ["1", "2"])
def test_bf16_without_its_instructions(place, workers):
    result = place.predict("a.fa", "-o", "out", "--precision", "bf16", "--cpu-workers", workers,
                           environment={"ONEDNN_MAX_CPU_ISA": "AVX2"}, code=1)
    assert "bf16 needs the instructions AVX512_BF16; fp32 does not" in message(result)
    assert "--precision fp32" in message(result)
    assert "2013" not in message(result)
    assert not (place.folder / "out").exists()


def test_temporary_folder(place):
    arguments = ["a.fa", "-o", "-"]
    for folder in ("of_flag", ""):
        assert place.predict(*arguments, environment={"TMPDIR": folder}).returncode == 0
    result = place.predict(*arguments, environment={"TMPDIR": "absent"})
    assert (result.returncode, result.stdout) == (1, b"")
    assert "absent: the temporary folder cannot be used" in message(result)
    assert "Set TMPDIR" in message(result)


def flags_of_v2():
    text = subprocess.run([BIN, "predict", "--help-v2"], capture_output=True, check=True,
                          text=True).stdout
    return re.findall(r"(?m)^  (-[-\w,]+)( N)?", text)


INTERFACE_OF_V2 = set("""--batch-size --dnabert-batch-size --esm-batch-size --num-workers
    --dataloader-workers --merge-threads --pin-memory --expandable-segments --cache-clear-interval
    --cuda-streams --no-cuda-streams --persistent-models --no-persistent-models --v1-fallback
    --v1-attention --parallel --gpus""".split())


def test_every_flag_of_v2_is_there():
    assert {names.split(",")[-1] for names, _ in flags_of_v2()} == INTERFACE_OF_V2


# The flags of v2 with an effect are those of every command that computes.
CALLS_WITH_FLAGS_OF_V2 = [(["predict"], *flag) for flag in flags_of_v2()]
CALLS_WITH_FLAGS_OF_V2 += [(["embed", "-o", "x.h5"], name, "")
                           for name in ("--parallel", "--v1-fallback")]


@pytest.mark.parametrize("command, names, value", CALLS_WITH_FLAGS_OF_V2)
def test_flag_of_v2_is_accepted_with_one_line(program, command, names, value):
    if names == "--gpus":  # an error, tested in test_wrong_use.py
        return
    for name in names.split(","):
        result = program(*command, "absent.fa", name, *(["8"] if value else []), code=1)
        lines = message(result).splitlines()
        assert sum("virnucpro: warning: --" in line for line in lines) == 1
        assert re.search(r"warning: --[-\w]+ (has no effect: |is taken as )", message(result))
        assert "input not found" in message(result)


@pytest.mark.parametrize("command", [["embed", "-o", "x.h5"], ["benchmark"], ["profile"]])
def test_flags_of_v2_without_effect_are_those_of_predict_alone(program, command):
    for flag in ("--batch-size", "--persistent-models"):
        assert f"unknown flag {flag}" in message(program(*command, flag, code=1))


@pytest.mark.parametrize("flags, precision", [
    (["--v1-fallback"], "fp32"),
    pytest.param(["--precision", "bf16", "--v1-fallback"], "bf16", marks=needs_isa("AVX512_BF16")),
])
def test_v1_fallback_yields_to_precision(program, flags, precision):
    said = message(program("-v", "predict", "absent.fa", *flags))
    assert f", {precision}, " in said
    assert "--v1-fallback is taken as --precision fp32, unless --precision is given" in said


def every_option():
    for path in ([], ["predict"], ["embed"], ["generate"], ["utils", "validate"],
                 ["utils", "inspect"], ["utils", "generate-config"],
                 ["utils", "validate-checkpoints"], ["utils", "export-weights"], ["export"],
                 ["merge"], ["report"], ["compare"], ["benchmark"], ["tune"]):
        text = subprocess.run([BIN, *path, "--help-all"], capture_output=True, check=True,
                              text=True).stdout
        for names in re.findall(r"(?m)^  (-[-\w,]+)", text):
            yield tuple(names.split(","))
    yield from (tuple(names.split(",")) for names, _ in flags_of_v2())


def test_no_option_is_without_a_test():
    tests = "".join(path.read_text() for path in (SOURCE / "tests" / "cli").glob("test_*.py"))
    for names in set(every_option()):
        assert any(re.search(rf"(?<![-\w]){name}(?![-\w])", tests) for name in names), names


def test_global_options_before_and_after(place):
    (place.folder / "c.yaml").write_text("nonsense: 1\n")
    for flags in (["-c", "c.yaml"], ["--config", "c.yaml"], ["--config=c.yaml"]):
        for arguments in ([*flags, "utils", "list-devices"], ["utils", *flags, "list-devices"],
                          ["utils", "list-devices", *flags]):
            assert "unknown key nonsense" in message(place(*arguments)), arguments
    for arguments in (["-vv", "utils", "list-devices"], ["utils", "list-devices", "-v", "-v"],
                      ["--verbose", "utils", "list-devices"]):
        assert "virnucpro: info: command line: " in message(place(*arguments)), arguments
    for arguments in (["--log-file", "x.log", "utils", "list-devices"],
                      ["utils", "list-devices", "-l", "x.log"]):
        assert place(*arguments).returncode == 0
        assert "info command line: " in (place.folder / "x.log").read_text()
        (place.folder / "x.log").unlink()
    assert place("--quiet", "-c", "c.yaml", "utils", "list-devices").stderr == b""


def test_the_last_of_a_flag_counts(program):
    result = program("-v", "predict", "absent.fa", "-t", "3", "-t", "4")
    assert " 4 threads" in message(result)
