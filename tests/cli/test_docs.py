"""The pages for people: their links lead somewhere, their commands run (page_commands.py), their options exist."""

import os
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from shlex import quote

import pytest
from conftest import SOURCE
from page_commands import CANNOT_RUN, ELSEWHERE, commands_of

BUILD = Path(os.environ["VIRNUCPRO_BUILD"])
PAGES = sorted([*SOURCE.glob("*.md"),
                *(SOURCE / folder / "README.md" for folder in ("src", "measure", "bench", "bench/results", "config")),
                *(page for folder in ("docs", "examples", "share", "tests")
                  for page in SOURCE.glob(f"{folder}/**/*.md"))])
LINK = re.compile(r'\]\(([^)\s]+)(?: "[^"]*")?\)|(?m:^\[\w+\]: (\S+))|src="([^"]+)"')


def name_of(page):
    return str(page.relative_to(SOURCE))


def links_of(text):
    text = re.sub(r"`[^`\n]*`", "", text)  # no links in code
    return [next(filter(None, link.groups())) for link in LINK.finditer(text)]


def anchors_of(page):
    """As GitHub names headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text())
    return {re.sub(r"[^-\w ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for link in links_of(page.read_text()):
        if not link.startswith("https://"):
            file, _, anchor = link.partition("#")
            target = page.parent / file if file else page
            assert target.exists(), f"{link}: there is no such file"
            assert not anchor or anchor in anchors_of(target), f"{link}: there is no such heading"


def test_links_of_what_is_installed_lead_somewhere(tmp_path):
    subprocess.run(["cmake", "--install", BUILD, "--component", "documents", "--prefix", tmp_path],
                   capture_output=True, check=True,
                   env={name: value for name, value in os.environ.items() if name != "DESTDIR"})
    pages = list(tmp_path.rglob("*.md"))
    assert {"README.md", "outputs.md", "ARCHITECTURE.md"} <= {page.name for page in pages}
    for page in pages:
        for link in links_of(page.read_text()):
            file = link.partition("#")[0]
            assert link.startswith("https://") or (page.parent / file).exists(), (page, link)


def test_every_page_is_in_the_list():
    index = SOURCE / "docs" / "README.md"
    listed = {(index.parent / link).resolve() for link in links_of(index.read_text())}
    for page in SOURCE.glob("docs/*/*.md"):
        assert page.resolve() in listed, page


NAMING = {".cpp", ".hpp", ".cu", ".cuh", ".py", ".sh", ".cmake", ".smk", ".in", ".def", ".yaml", ".wdl"}


def test_pages_that_sources_name_exist():
    """docs/use/calls.md in a comment or message."""
    named = {}
    for folder in ("src", "measure", "program", "include", "tests", "tools", "bench", "workflow", "cmake", "packaging"):
        for file in (SOURCE / folder).rglob("*"):
            if file.suffix in NAMING:
                for page in re.findall(r"\bdocs/\w+/\w[\w.]*\.(?:md|json|html|png)\b", file.read_text(errors="replace")):
                    named.setdefault(page, file)
    assert len(named) >= 8
    for page, file in named.items():
        assert (SOURCE / page).exists(), f"{page}, in {file}"


OPTIONS = set(re.findall(r"(?<![\w-])(--?[a-z][-\w]*)",
                         " ".join(re.findall(r"(?m)^(?:- |\| )`(-[^`]*)`",
                                             (SOURCE / "docs/reference/options.md").read_text()))))
# Of other programs that the pages name.
FOREIGN = re.compile(r"--(?:nv|gpus|gres|help\b|rm|fakeroot|path|no-account|ignore-missing|fail|location|"
                     r"create-dirs|cpus-per-task|exclusive|export|wrap|strict|fullnames|workflow-profile|dangerously|unlock|jobs|rerun-incomplete)")


@pytest.mark.parametrize("page", [page for page in PAGES if name_of(page).startswith(("README", "docs/use"))],
                         ids=name_of)
def test_options_in_code_exist(page):
    """`--option` in the text, and each option behind virnucpro in a block."""
    spans = re.findall(r"`(--[a-z][-\w]*)", page.read_text())
    for command in commands_of(page):
        spans += re.findall(r"(?<!\S)(--[a-z][-\w]*)", command.partition("virnucpro")[2].partition(" | ")[0])
    for option in spans:
        assert option in OPTIONS or FOREIGN.match(option), option


# What may run here; all else must be in the tables of page_commands.py.
RUN_HERE = re.compile(r"(virnucpro|minimap2|samtools|cut|awk|grep|mkdir|tar|ln|sha256sum|for|make|ctest|ninja|srun"
                      r"|cmake --build|apptainer run|docker run|workflow/slurm/submit\.sh|tests/cli/check_trace\.py"
                      r"|bench/h200\.sh|python3|\.venv-oracle/bin/python|build/cpu/bin/virnucpro) ")
# What takes long or is not here is replaced by what fails if a word is wrong: a target, an option, a name.
# Each step has its own "|| return", as bash ignores -e in a function that stands before &&.
REPLACED = r"""
HOME=$PWD
are_in() {
  local word
  for word in "${@:2}"; do grep -w -e "$word" "$1" || return; done
}
make() {
  command make --dry-run "$@" > dry_run || return
  for word; do case $word in *=*) are_in dry_run "${word#*=}" || return ;; esac; done
}
ctest() { command ctest --show-only "$@" | grep "Total Tests: [1-9]"; }
ninja() { command ninja -C "$2" -t query "$3"; }
cmake() { ninja -C "$2" "$4"; }
build/cpu/tests/unit_sequence() {
  local suite=${1#--gtest_filter=}
  grep -r "^TEST.*(${suite%%.*}, " tests/unit/sequence
}
python3() {
  "$PYTHON" "$@" --help > help || return
  for word; do case $word in --*) are_in help "$word" || return ;; esac; done
}
.venv-oracle/bin/python() { python3 "$@"; }
bench/h200.sh() {
  grep -E "^  ([a-z0-9 |-]+ )?$2( \||\))" bench/h200.sh || return
  local more=${4:-}
  case $2 in
    accuracy) python3 bench/accuracy.py "${@:4}" ;;
    validation) virnucpro help benchmark > help && are_in help ${more//,/ } ;;
  esac
}
sbatch() { echo 1; }
export -f sbatch
srun() { "${@:2}"; }
apptainer() { virnucpro "${@:4}"; }
docker() { "${@:9}"; }
"""
# What they say where there is no GPU, no network, no time.
INSTEAD = {"--precision int8": "--precision int8-simulated", "--precision fp16": "--precision fp32",
           "virnucpro calibrate": "virnucpro calibrate --frames 50 -d cpu",
           r"35\.fc2": "1.fc2",  # the tiny ESM-2 has two layers
           "trace.json --kernels": "trace.json",
           "synthetic:esm2_t6_8M": "synthetic:esm2_tiny", "synthetic:dnabert-s": "synthetic:dnabert-s-tiny",
           r"download( --models-dir \S+)?$": r"download --list\1",
           "predict …": "predict reads.fq -m 300 -o results", "/shared/models": "models"}
# What the commands of every page read, made of files_of_examples.
FILES = """
cp reads.fq.gz sample.fq.gz
cp contigs.fa viruses.fa
{ cat contigs.fa; printf ">more\\nACGT\\n"; } > others.fa
{ echo ">chr1"; grep -v "^>" contigs.fa | tr -d "[:space:]"; echo; } > genome.fa
minimap2 -a genome.fa reads.fq 2> /dev/null | samtools sort -o mapped.bam 2> /dev/null
samtools index mapped.bam
samtools view -C -T genome.fa -o sample.cram mapped.bam
virnucpro utils generate-config -o v2.yaml
mkdir build data
cp r1.fq.gz data/gut_1.fq.gz
cp r2.fq.gz data/gut_2.fq.gz
ln -s "$SOURCE"/{Makefile,bench,examples,packaging,tests,tools,workflow} .
ln -s "$BUILD" build/cpu
"""
# What the commands with these words read besides.
MADE_FOR = {
    "phix.fa": "cp genome.fa phix.fa",
    "runs/*": 'for name in lung water; do virnucpro predict reads.fq --name "$name" -o "runs/$name"; done',
    "run_a run_b": "for name in run_a run_b; do virnucpro predict reads.fq -o $name; done",
    "trace.json": "virnucpro predict reads.fq --trace trace.json -o traced",
    "virnucpro-0.2.0-linux-x64.tar.gz": """
        mkdir -p virnucpro-0.2.0-linux-x64/bin
        ln -s "$(command -v virnucpro)" virnucpro-0.2.0-linux-x64/bin/
        tar -czf virnucpro-0.2.0-linux-x64.tar.gz virnucpro-0.2.0-linux-x64
        sha256sum virnucpro-0.2.0-linux-x64.tar.gz > SHA256SUMS
        sed 's/linux-x64/source/' SHA256SUMS >> SHA256SUMS""",
}


def rows_of(command):
    """Those of page_commands.py."""
    return [row for row in [*ELSEWHERE, *CANNOT_RUN] if fnmatchcase(command, row)]


def run_here(page):
    return [command for command in commands_of(page) if not rows_of(command)]


# test_first_screen.py and tools/test_first_screen.sh run README's as they stand.
@pytest.mark.parametrize("page", [page for page in PAGES if run_here(page) and name_of(page) != "README.md"], ids=name_of)
def test_commands_run(shell, page):
    names = f"SOURCE={quote(str(SOURCE))} BUILD={quote(str(BUILD))} PYTHON={quote(sys.executable)}\n"
    for command in run_here(page):
        assert RUN_HERE.match(command), f"no test runs this: {command}"
    made = shell(names + FILES + "\n".join(lines for words, lines in MADE_FOR.items()
                                           if any(words in command for command in run_here(page))))
    assert made.returncode == 0, made.stderr.decode()
    for command in run_here(page):
        output = re.search(r" -o (\w+)$", command)
        left = f"*_predictions {output[1] if output and '--resume' not in command else ''}"
        for words, others in INSTEAD.items():
            command = re.sub(rf"{words}(?![-\w])", others, command)
        result = shell(f"{names}{REPLACED}rm -rf {left}\n{command}")
        assert result.returncode == 0, f"{command}\n{result.stderr.decode()}"


def test_most_pages_with_commands_have_some_that_run():
    assert {"README.md", "CONTRIBUTING.md", "bench/README.md", "docs/use/quick_start.md", "docs/use/install.md",
            "docs/develop/int8.md"} <= {name_of(page) for page in PAGES if run_here(page)}


@pytest.mark.parametrize("row", ELSEWHERE)
def test_other_suites_run_the_rest(row):
    files, *words = ELSEWHERE[row]
    text = "".join((SOURCE / file).read_text() for file in files.split())
    commands = [command for page in PAGES for command in commands_of(page) if rows_of(command)[:1] == [row]]
    assert commands, "no page has this command"
    for command in commands:
        options = re.findall(r"(?<!\S)(--[a-z][-\w]*)", command)
        assert [word for word in words + options if word not in text] == [], f"not in {files}: {command}"


@pytest.mark.parametrize("command", CANNOT_RUN)
def test_what_cannot_run_is_there(command):
    assert any(command in commands_of(page) for page in PAGES), "no page has this command"
    program = SOURCE / command.split()[0]
    assert "/" not in command.split()[0] or os.access(program, os.X_OK)


def test_targets_of_make_in_the_text_exist():
    targets = re.findall(r"(?m)^([a-z-]+):", (SOURCE / "Makefile").read_text())
    for page in PAGES:
        for target in re.findall(r"`make ([a-z][-\w]*)", page.read_text()):
            assert target in targets, (page, target)
