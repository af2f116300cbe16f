"""Help, manual, completion and references come from one table, so they must agree."""

import functools
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from conftest import BIN, SOURCE
from lengths import by_length

BUILD = Path(os.environ["VIRNUCPRO_BUILD"])
MAN_PAGE = BUILD / "share" / "man" / "man1" / "virnucpro.1"
BASH = BUILD / "share" / "bash-completion" / "completions" / "virnucpro"
ZSH = BUILD / "share" / "zsh" / "site-functions" / "_virnucpro"
COMMANDS = ["predict", "export", "merge", "label-reads", "report", "evaluate", "compare", "embed", "benchmark", "profile",
            "tune", "calibrate", "generate", "download", "utils", "help"]
UTILS = ["validate", "inspect", "list-devices", "generate-config", "validate-checkpoints",
         "export-weights"]
PATHS = [[], *[[c] for c in COMMANDS], *[["utils", u] for u in UTILS]]


def help_of(path, kind="--help"):
    return shown_help(*path, kind)


def all_help_of(path):
    """Of the program, which leaves nothing out, --help-all shows the same."""
    return help_of(path, "--help-all")


@functools.lru_cache(maxsize=None)
def shown_help(*arguments):
    shown = subprocess.run([BIN, *arguments], capture_output=True, check=True, text=True)
    assert shown.stderr == "" and "Usage: virnucpro" in shown.stdout
    return shown.stdout


def section(text, name):
    """The indented lines under a heading."""
    found = re.search(rf"(?m)^{name}:\n((?:  .*\n)+)", text)
    return found.group(1).splitlines() if found else []


def commands_of(text):
    return [line.split()[0] for line in section(text, "Commands") if not line.startswith("   ")]


def options_of(text):
    return re.findall(r"(?m)^  (-[-\w,]+)", text)


def examples_of(text):
    lines = section(text, "Examples") or section(text, "Example")
    return "\n".join(line[2:] for line in lines).replace("\\\n", " ").splitlines()


def test_every_command_is_known_here():
    assert commands_of(help_of([])) == COMMANDS
    assert commands_of(help_of(["utils"])) == UTILS


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_command_says_what_help_says(program, path):
    result = program("help", *path)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode() == help_of(path)


def test_help_of_an_unknown_command(program):
    result = program("help", "utils", "validat", code=1)
    assert b"unknown command validat; did you mean validate?" in result.stderr


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_is_laid_out(path):
    for text in (help_of(path), all_help_of(path)):
        assert "\n\n\n" not in text
        assert max(map(len, text.splitlines())) <= 80
        assert text.count("Exit codes:") == (0 if path else 1)
        assert len(examples_of(text)) >= 1
        headings = re.findall(r"(?m)^(\w.*):$", text)
        assert len(headings) == len(set(headings))


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_help_fits_a_screen_and_a_half(path):
    """Of a terminal with 24 lines of 80 columns; some are for the prompt."""
    text = help_of(path)
    assert len(text.splitlines()) <= 40
    # What it leaves out, and only that, --help-all shows.
    assert ("--help-all (all)" in text) == (all_help_of(path) != text) == \
        (len(all_help_of(path).splitlines()) > len(text.splitlines()))


def test_help_of_predict_is_in_the_order_of_use():
    text = help_of(["predict"])
    assert re.findall(r"(?m)^(\w.*):$", text) == ["Input", "Output", "Models", "Calls", "Device",
                                                  "Examples"]
    assert text.endswith("More options: --help-all (all), --help-v2 (v2's), "
                         "virnucpro --help (-v -q -l -c)\n")
    assert set(options_of(text)) & flags_of_v2(["predict"]) == set()
    for names in ("-o,--output", "-m,--model-type", "--min-score", "-d,--device", "--resume"):
        assert names in options_of(text)
    for names in ("--bed", "--trace", "--token-budget", "--output-dir"):
        assert names not in text
        assert names in all_help_of(["predict"])


RUNS_OF_EXAMPLES = {" contigs_predictions": [""],
                    " run_a": ["-o run_a", "-o run_b"],
                    " runs/*": ["--name lung -o runs/lung", "--name water -o runs/water"],
                    " mock ": ["-o mock"],
                    " part_0": ["--shard 0/2 -o part_0", "--shard 1/2 -o part_1"]}
# Shorter forms of slow examples, for the check form. They keep the options; other tests run the
# full work: test_benchmark.py all suites, test_tune.py a grid.
SHORTER = by_length({
    "virnucpro profile ": "virnucpro profile --seconds 0.1 ",
    "virnucpro tune --models-dir models --data-size tiny ":
        "virnucpro tune --prefetch-grid 2 --budget-grid 2048 --models-dir models --data-size tiny ",
    "--budget-grid 2048,4096 --threads-grid 1,2 ": "--quick --budget-grid 2048 --threads-grid 1 ",
    "virnucpro benchmark --suite all ": "virnucpro benchmark --suite memory ",
    " --data-size medium": " --data-size tiny --quick",
}, {})
# What these say where there is no GPU.
ON_THE_CPU = {"virnucpro calibrate ": "virnucpro calibrate --frames 50 -d cpu ",
              "--precision int8 ": "--precision int8-simulated ", "--frames 100000": "--frames 99"}
EXAMPLES = [(path, example) for path in PATHS for example in examples_of(help_of(path))]


@pytest.mark.parametrize("path, example", EXAMPLES, ids=[e for _, e in EXAMPLES])
def test_examples_run(shell, path, example):
    if "-c virnucpro.yaml" in example:
        assert shell("virnucpro utils generate-config -o virnucpro.yaml").returncode == 0
    for name, runs in RUNS_OF_EXAMPLES.items():
        if name in example and not example.startswith("virnucpro predict"):
            assert all(shell(f"virnucpro predict contigs.fa {run}").returncode == 0 for run in runs)
    if "--cutoff" in example or "--virus viruses" in example:
        for first in ("predict contigs.fa -m 300 -o viruses", "predict reads.fq -m 300 -o host",
                      "evaluate --virus viruses --other host --fpr 0.5 -o cutoff.json"):
            assert shell(f"virnucpro {first}").returncode == 0
        example = example.replace("-o cutoff.json", "-o cutoff.json --force")
    if "--labels" in example:
        labels = "NR > 1 {print $1 (NR % 2 ? \"\\tvirus\" : \"\\tothers\")}"
        assert shell(f"awk -F '\\t' '{labels}' mock/sequences.tsv > labels.tsv").returncode == 0
    if "--calibration calibration/" in example:
        first = "virnucpro calibrate -m 300 --precision int8-simulated --frames 50 -d cpu"
        assert shell(first).returncode == 0
    for words, others in {**SHORTER, **ON_THE_CPU}.items():
        example = example.replace(words, others)
    result = shell(example)
    assert result.returncode == 0, result.stderr.decode()


WITH_FLAGS_OF_V2 = [path for path in PATHS if path and "--help-v2" in help_of(path)]
# With an effect, so that --help-all has them, too.
USED_FLAGS_OF_V2 = {"--parallel", "--gpus", "--v1-fallback"}


def flags_of_v2(path):
    text = subprocess.run([BIN, *path, "--help-v2"], capture_output=True, check=True, text=True).stdout
    assert max(map(len, text.splitlines())) <= 80
    return set(options_of(text))


def test_help_leaves_flags_of_v2_to_help_v2():
    assert WITH_FLAGS_OF_V2 == [["predict"], ["embed"], ["benchmark"]]
    for path in WITH_FLAGS_OF_V2:
        shown, flags = set(options_of(all_help_of(path))), flags_of_v2(path)
        assert flags & shown == USED_FLAGS_OF_V2
        assert not flags & set(options_of(help_of(path)))
        # Only predict had the others: tests/data/v2/interface.json.
        assert (len(flags - shown) > 10 and "-b,--batch-size" in flags) == (path == ["predict"])


def test_help_v2_where_v2_has_no_more(program):
    for path in PATHS:
        if path not in WITH_FLAGS_OF_V2:
            name = " ".join(["virnucpro", *path])
            lines = program(*path, "--help-v2", code=0).stdout.decode().splitlines()
            assert " ".join(lines) == (
                f"{name} has no flags of v2; these commands have some: predict, embed, benchmark.")
            assert max(map(len, lines)) <= 80


def manual():
    rendered = subprocess.run(["mandoc", "-T", "ascii", "-O", "width=1000", MAN_PAGE],
                              capture_output=True, check=True).stdout
    return re.sub(rb".\x08", b"", rendered).decode()


def test_manual_lists_flags_of_v2_once():
    page = manual()
    section_of_v2 = re.search(r"(?m)^FLAGS OF V2\n((?:(?:   .*)?\n)+)", page).group(1)
    assert "These flags are accepted by predict, so that " in section_of_v2
    for names in flags_of_v2(["predict"]):
        found = re.findall(rf"(?m)^ +{names.replace(',', ', ?')}\b", page)
        assert len(found) == (4 if names in USED_FLAGS_OF_V2 else 1), names
        assert re.search(rf"(?m)^ +{names.replace(',', ', ?')}\b", section_of_v2), names


def test_manual_has_every_option_and_example():
    page = manual()
    for path in PATHS:
        text = all_help_of(path)
        assert " ".join(["virnucpro", *path]) + " [OPTIONS]" in page
        for names in options_of(text):
            assert names.replace(",", ", ") in page, names
        for line in section(text, "Examples") + section(text, "Example"):
            assert line.strip() in page, line
    assert len(re.findall(r"(?m)^EXAMPLES\n\s+virnucpro predict ", page)) == 1
    for name in ("sequences.tsv", "run.lock", "_merged/prediction_results.txt", "samtools(1)"):
        assert name in page.partition("\nFILES\n")[2], name
    for words in ("EXIT STATUS", "VIRNUCPRO_MODELS", "run.token_budget", "130"):
        assert words in page


def test_manual_is_clean():
    result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", MAN_PAGE],
                            capture_output=True, check=False)
    # No date: the same source must give the same bytes.
    complaints = [line for line in result.stdout.splitlines() if b"missing date" not in line]
    assert complaints == []


def bash_complete(folder, *arguments):
    """bash's suggestions for the last argument, split as COMP_WORDBREAKS demands."""
    quoted = " ".join(f"'{argument}'" for argument in arguments)
    script = (f"source '{BASH}'; COMP_WORDBREAKS=$' \\t\\n\"\\'@><=;|&(:'; COMP_WORDS=({quoted}); "
              f"COMP_CWORD={len(arguments) - 1}; _virnucpro; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    result = subprocess.run(["bash", "--norc", "-c", script], cwd=folder, capture_output=True,
                            check=True, text=True)
    assert result.stderr == ""
    return set(result.stdout.split())


@pytest.mark.parametrize("arguments, expected", [
    (["pre"], {"predict"}),
    ([""], set(COMMANDS)),
    (["utils", ""], set(UTILS)),
    (["-v", "-c", "x.yaml", "utils", "in"], {"inspect"}),
    (["help", "em"], {"embed"}),
    (["help", "utils", ""], set(UTILS)),
    (["help", "utils", "in"], {"inspect"}),
    (["help", "predict", ""], set()),
    (["embed", "--what", "esm2,"], {"esm2,dnabert-s", "esm2,esm2", "esm2,merged"}),
    (["embed", "--what", "=", "dnabert-s,esm2,m"], {"dnabert-s,esm2,merged"}),
    (["predict", "--thr"], {"--threshold", "--threads"}),
    (["utils", "inspect", "--log"], {"--log-file"}),
    (["predict", "-d", ""], {"auto", "cpu", "cuda"}),
    (["predict", "--precision", "=", "b"], {"bf16"}),
    (["predict", "--precision", "="],
     {"auto", "fp32", "fp16", "bf16", "int8", "int8-simulated"}),
    (["predict", "--int8-keep", ""], {"qkv", "out", "fc1", "fc2", "none"}),
    (["profile", "--int8-keep", "qkv,o"], {"qkv,out"}),
    (["embed", "-o", "x.h5", "--what", "m"], {"merged"}),
    (["profile", "-m", ""], {"dnabert-s", "esm2"}),
    (["download", ""], {"all", "dnabert-s", "esm2-3b", "esm2-3b-fair", "300", "500"}),
    (["download", "--sha256", ""], set()),
    (["tune", "--data-size", "m"], {"medium"}),
    (["tune", "--precisions", "fp32,b"], {"fp32,bf16"}),
    (["tune", "--budget-grid", ""], set()),
    (["predict", "--esm-model", "esm2_t36"], {"esm2_t36_3B_UR50D", "esm2_t36_3B_UR50D.pt"}),
    (["predict", "--esm-model", "esm2-"], {"esm2-3b", "esm2-3b-fair"}),
    (["predict", "--dnabert-model", "dna"], {"dnabert-s"}),
    (["predict", "--esm-model", "synthetic", ":", "esm2_ti"], {"esm2_tiny"}),
    (["predict", "--dnabert-model", "synthetic", ":"], {"dnabert-s", "dnabert-s-tiny"}),
    (["utils", "export-weights", "synthetic", ":", "dna"], {"dnabert-s", "dnabert-s-tiny"}),
    (["predict", ""], {"reads.fa", "results"}),
    (["predict", "reads.fa", "re"], {"reads.fa", "results"}),
    (["predict", "-o", "re"], {"results"}),
    (["-l", "rea"], {"reads.fa"}),
    (["predict", "-t", ""], set()),
    (["predict", "--pin"], set()),
    (["benchmark", "--vanilla-baseline", "re"], {"reads.fa", "results"}),
    (["benchmark", "--vanilla-baseline", "--qu"], {"--quick", "--quiet"}),
])
def test_bash_completion(tmp_path, arguments, expected):
    (tmp_path / "reads.fa").touch()
    (tmp_path / "results").mkdir()
    assert bash_complete(tmp_path, "virnucpro", *arguments) == expected


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_bash_completes_every_option(tmp_path, path):
    options = {name for names in options_of(all_help_of(path)) for name in names.split(",")}
    offered = bash_complete(tmp_path, "virnucpro", *path, "-")
    assert options <= offered
    assert {"--config", "--quiet"} <= offered
    if path in WITH_FLAGS_OF_V2:
        assert not offered & flags_of_v2(path) - USED_FLAGS_OF_V2


class Zsh:
    """An interactive zsh on its own terminal. Loading its functions is slow, so one zsh serves all
    lines."""

    SET_UP = (f"unsetopt zle_bracketed_paste; fpath=('{ZSH.parent}' $fpath); autoload -Uz compinit;"
              " compinit -u -D; mark() { BUFFER=\"echo '[['${(q)BUFFER}']]'\"; zle accept-line };"
              " zle -N mark; bindkey '^G' mark; echo re''ady\n")

    def __init__(self, folder):
        self.terminal, child = os.openpty()
        self.process = subprocess.Popen(
            ["zsh", "-f", "-i"], stdin=child, stdout=child, stderr=child, cwd=folder,
            start_new_session=True,
            env={**os.environ, "TERM": "dumb", "HOME": str(folder), "PS1": "> "})
        os.close(child)
        self.answer(self.SET_UP, rb"(?m)^ready")

    def answer(self, text, pattern):
        shown = b""
        os.write(self.terminal, text.encode())
        deadline = time.monotonic() + 60
        while not (found := re.search(pattern, shown)):
            assert time.monotonic() < deadline, shown
            shown += os.read(self.terminal, 65536)
        return found

    def complete(self, line):
        """The command line after typing `line` and a tab."""
        found = self.answer(line + "\t\x07", rb"(?m)^\[\[(.*?)\]\]")
        return found.group(1).decode().replace("\\", "").rstrip()

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


@pytest.fixture(scope="module")
def zsh(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zsh")
    (folder / "reads.fa").touch()
    (folder / "results").mkdir()
    shell = Zsh(folder)
    yield shell
    shell.close()


@pytest.mark.parametrize("line, expected", [
    ("virnucpro pred", "virnucpro predict"),
    ("virnucpro -v utils gener", "virnucpro -v utils generate-config"),
    ("virnucpro help emb", "virnucpro help embed"),
    ("virnucpro help utils insp", "virnucpro help utils inspect"),
    # A blank or the end of the line removes the comma again.
    ("virnucpro embed --what mer", "virnucpro embed --what merged,"),
    ("virnucpro embed --what esm2,mer", "virnucpro embed --what esm2,merged,"),
    ("virnucpro predict --thres", "virnucpro predict --threshold="),
    ("virnucpro embed a.fa --log-f", "virnucpro embed a.fa --log-file="),
    ("virnucpro predict --precision b", "virnucpro predict --precision bf16"),
    ("virnucpro predict --esm-model synthetic:esm2_ti",
     "virnucpro predict --esm-model synthetic:esm2_tiny"),
    ("virnucpro predict --pin-m", "virnucpro predict --pin-m"),
    ("virnucpro predict rea", "virnucpro predict reads.fa"),
    ("virnucpro benchmark --vanilla-baseline rea", "virnucpro benchmark --vanilla-baseline reads.fa"),
    ("virnucpro benchmark --vanilla-baseline --quic",
     "virnucpro benchmark --vanilla-baseline --quick"),
    ("virnucpro predict reads.fa -o res", "virnucpro predict reads.fa -o results/"),
])
def test_zsh_completion(zsh, line, expected):
    assert zsh.complete(line) == expected


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_zsh_knows_every_option(path):
    functions = re.split(r"(?m)^(_virnucpro\w*|_virnucpro_[-\w]+)\(\) \{$", ZSH.read_text())
    bodies = dict(zip(functions[1::2], functions[2::2]))
    body = bodies["_".join(["_virnucpro", *path])]
    for names in options_of(all_help_of(path)):
        assert f"({names.replace(',', ' ')})" in body or f"{names}[" in body.replace("'", "") \
            or f"{names}=[" in body.replace("'", ""), names


@pytest.mark.parametrize("path", PATHS, ids=" ".join)
def test_reference_has_every_option(path):
    page = (SOURCE / "docs" / "reference" / "options.md").read_text()
    heading = " ".join(["## virnucpro", *path]) if path else "# Commands and options"
    part = page.partition(f"{heading}\n")[2].partition("\n## ")[0]
    missing = [names for names in options_of(all_help_of(path))
               if names != "-h,--help" and not re.search(rf"`(-\w, )?([-\w]+, )*{names.split(',')[-1]}[ `]", part)]
    assert part and missing == []


@pytest.mark.parametrize("name", ["options.md", "errors.md", "configuration.md"])
def test_references_are_those_of_the_tables(tmp_path, name):
    subprocess.run([BUILD / "tools" / "write_documents", "docs", tmp_path], check=True)
    kept = SOURCE / "docs" / "reference" / name
    assert kept.read_text() == (tmp_path / name).read_text(), "run make docs"
