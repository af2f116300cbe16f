"""The pages for people: their links lead somewhere, their commands run, their options exist."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import SOURCE

BUILD = Path(os.environ["VIRNUCPRO_BUILD"])
PAGES = sorted([*SOURCE.glob("*.md"), *SOURCE.glob("docs/**/*.md"), SOURCE / "src" / "README.md",
                SOURCE / "bench" / "README.md", *SOURCE.glob("examples/**/*.md")])
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
    for folder in ("src", "include", "tests", "tools", "bench", "workflow", "cmake", "packaging"):
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
                     r"create-dirs|cpus-per-task|exclusive|wrap|strict|workflow-profile|dangerously|unlock|jobs|rerun-incomplete)")


@pytest.mark.parametrize("page", [page for page in PAGES if name_of(page).startswith(("README", "docs/use"))],
                         ids=name_of)
def test_options_in_code_exist(page):
    """`--option` in the text, and each option behind virnucpro in a block."""
    spans = re.findall(r"`(--[a-z][-\w]*)", page.read_text())
    for command in commands_of(page):
        spans += re.findall(r"(?<!\S)(--[a-z][-\w]*)", command.partition("virnucpro")[2].partition(" | ")[0])
    for option in spans:
        assert option in OPTIONS or FOREIGN.match(option), option


def commands_of(page):
    """The lines of blocks that call virnucpro or make what it reads, without remarks."""
    text = re.sub(r"\\\n\s*", "", page.read_text())
    lines = re.findall(r"(?m)^ {4}(?:\$ )?((?:[\w -]+(?:\.\w+)? [^\n]*\| )?(?:virnucpro|minimap2|samtools|cut|awk) .*)$",
                       text)
    return [re.sub(r"\s{2,}#.*| # .*", "", line) for line in lines]


RUN_HERE = [page for page in PAGES if name_of(page).startswith(("README", "docs/use"))
            and commands_of(page)]
# Run by tests of their own: test_benchmark.py; test_download.py, without the internet.
NOT_RUN = re.compile(r"virnucpro (?:benchmark |download(?! --list| --print-urls))|…")
# What they say where there is no GPU.
ON_THE_CPU = {"--precision int8": "--precision int8-simulated", "--precision fp16": "--precision fp32",
              "virnucpro calibrate": "virnucpro calibrate --frames 50 -d cpu",
              r"35\.fc2": "1.fc2"}  # the tiny ESM-2 has two layers
# What the commands of a page read, made of files_of_examples.
FILES = """
cp reads.fq.gz sample.fq.gz
cp contigs.fa viruses.fa
cp contigs.fa others.fa
{ echo ">chr1"; grep -v "^>" contigs.fa | tr -d "[:space:]"; echo; } > genome.fa
minimap2 -a genome.fa reads.fq 2> /dev/null | samtools sort -o mapped.bam 2> /dev/null
samtools index mapped.bam
samtools view -C -T genome.fa -o sample.cram mapped.bam
virnucpro utils generate-config -o v2.yaml
"""

# Runs that are put on one page.
SAMPLES = """
for name in lung water; do virnucpro predict reads.fq --name $name -o runs/$name; done
for name in run_a run_b; do virnucpro predict reads.fq -o $name; done
"""


@pytest.mark.parametrize("page", RUN_HERE, ids=name_of)
def test_commands_run(shell, page):
    commands = [command for command in commands_of(page) if not NOT_RUN.search(command)]
    made = shell(FILES + (SAMPLES if any("runs/*" in command for command in commands) else ""))
    assert made.returncode == 0, made.stderr.decode()
    for command in commands:
        for words, others in ON_THE_CPU.items():
            command = re.sub(rf"{words}(?![-\w])", others, command)
        output = re.search(r" -o (\w+)$", command)
        result = shell(f"rm -rf *_predictions {output[1] if output and '--resume' not in command else ''}; {command}")
        assert result.returncode == 0, f"{command}\n{result.stderr.decode()}"


def test_most_pages_for_users_have_commands_that_run():
    assert {"README.md", "quick_start.md", "calls.md", "inputs.md", "precision.md"} <= {
        page.name for page in RUN_HERE}
