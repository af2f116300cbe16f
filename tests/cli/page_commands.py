"""The commands in the blocks of pages, and which of them test_docs.py does not run itself."""

import functools
import re
import subprocess
import textwrap

# How blocks begin that show something else: files, output, code, formulas, figures.
SHOWN = ("reads or contigs", "thread pool", "layer norm", "find_package(", "#include", "sample\treads", "virnucpro: /",
         "[===", "models/\n", '{"schema"', "{machine:", "GPU hours =", "reads ÷ ")

# Run by other suites, in their own words: the suite's file (or two) and words of it, to which the command's
# own options are added. A star stands for anything; the first row that fits counts.
INSTALL, CLUSTER, PACKAGE = "tests/install/test_install.py", "tests/cluster/test_cluster.py", "tools/test_package.sh"
WORKFLOW, BASELINE = "tests/cluster/test_workflow.py", "tests/oracle/test_baseline.py"
ELSEWHERE = {
    "diff dist/SHA256SUMS ~/Downloads/SHA256SUMS": ("tools/test_rebuild.sh", "diff dist/SHA256SUMS "),
    "cmake -S . -B build -DCMAKE_PREFIX_PATH=/opt/virnucpro":
        (PACKAGE, "cmake -S ", 'examples/embed_and_classify" -B "$build"', '-DCMAKE_PREFIX_PATH="$prefix"'),
    "cmake --build build": (PACKAGE, 'cmake --build "$build"'),
    "build/embed_and_classify contigs.fa models/DNABERT-S models/esm2_t36_3B_UR50D.pt models/300_model.pth":
        (PACKAGE, '"$build/embed_and_classify" "$build/lambda.fa" synthetic:dnabert-s-tiny synthetic:esm2_tiny '),
    "pip install snakemake==9.27.1 snakemake-executor-plugin-slurm==2.8.0":
        ("tests/cluster/requirements.txt", "snakemake==9.27.1", "snakemake-executor-plugin-slurm==2.8.0"),
    "snakemake -s PATH/workflow/Snakefile --workflow-profile PATH/workflow/profiles/local":
        (WORKFLOW, '"--snakefile", self.workflow / "Snakefile"', 'profile="local"'),
    "snakemake -s PATH/workflow/Snakefile --workflow-profile PATH/workflow/profiles/slurm-gpu "
    "--default-resources slurm_account=NAME slurm_partition=NAME":
        (WORKFLOW, '"slurm-gpu"', "slurm_account=", "slurm_partition="),
    "snakemake -s PATH/workflow/Snakefile --workflow-profile PATH/workflow/profiles/slurm-cpu":
        (CLUSTER, 'WORKFLOW / "Snakefile"', 'snakemake("slurm-cpu"'),
    "snakemake … --slurm-status-command squeue --slurm-no-account": (CLUSTER, '"--slurm-status-command", "squeue"'),
    "virnucpro download *--sha256 *":
        ("tests/cli/test_download.py", 'faulty(Answers(CONTENT), "--sha256"', '"--sha256", f"f={'),
    "virnucpro benchmark --suite equivalence --models-dir models -m 500 --vanilla-baseline*":
        (BASELINE, '"benchmark"', '"--models-dir", published, "-m", "500"'),
    "virnucpro benchmark --suite all --data-size large --models-dir models -o bench": (BASELINE, '"benchmark"'),
    "virnucpro benchmark --suite equivalence,v1-comparison --models-dir models -o bench --vanilla-command *":
        (f"tests/oracle/test_benchmark.py {BASELINE}", '"equivalence,v1-comparison", "--vanilla-command"'),
    "virnucpro compare results_v2 results": ("tests/cli/test_compare.py", '"compare"'),
    "virnucpro benchmark --suite * -o *": ("tests/cli/test_benchmark.py", '"benchmark"'),
    ".venv-oracle/bin/python tools/make_baseline.py *":
        (BASELINE, "tools", '"make_baseline.py"', '"--models-dir", published, "-m", "500"', "test_with_orfs.fa"),
}

CANNOT_RUN = {
    "git clone URL virnucpro && cd virnucpro": "needs the network",
    "tools/fuzz.sh 60 2 -seed=1": "compiles every fuzz target, then fuzzes for half an hour",
    "tools/fuzz.sh pack DIR": "compiles every fuzz target, and packs them",
}


def blocks_of(text):
    """Those with a fence or four blanks before each line, without these."""
    for fenced, indented in re.findall(r"(?ms)^```\w*\n(.*?)^```$|((?:^ {4}[^\n]*\n)+)", text):
        yield textwrap.dedent(fenced or indented).strip()


def without_remark(line):
    """The command; one more where the remark is "or" and a command."""
    command, _, remark = re.sub(r"(?:^|\s)#\s*", "\0", line, count=1).partition("\0")
    return [command.strip(), *re.findall(r"^or (.*)", remark)]


def is_whole(command):
    return subprocess.run(["bash", "-n", "-c", command], capture_output=True, check=False).returncode == 0


@functools.lru_cache(maxsize=None)
def commands_of(page):
    """Of a loop or a quoted text the lines are one command."""
    found = []
    for block in blocks_of(page.read_text()):
        if block.startswith(SHOWN):
            continue
        lines = re.sub(r"\\\n\s*", "", block).splitlines()
        # Where there are prompts, the lines without are output.
        lines = [line[2:] for line in lines if line.startswith("$ ")] or lines
        begun = ""
        for command in sum(map(without_remark, lines), []):
            begun = "\n".join(filter(None, [begun, command]))
            if begun and is_whole(begun):
                found.append(begun)
                begun = ""
        assert not begun, f"bash does not understand: {begun}"
    return found
