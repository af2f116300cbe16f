"""What a run does on a machine that it shares: where temporary files go, and how often the files of
models are read."""

import os
import re

import pytest
from conftest import MODELS, SHORT, fasta, samtools
from needs import drop_from_cache, needs_counted_reads, read_bytes

SHIM = os.environ["VIRNUCPRO_IO_SHIM"]
OUTSIDE = re.compile("/(dev|proc|memfd:)")  # no files
WORKERS = 3


class Scratch:
    """Runs a program whose TMPDIR is a folder of its own, and knows each file that it changes."""

    def __init__(self, program):
        self.program = program
        self.folder = program.folder / "scratch"
        self.folder.mkdir()
        self.log = program.folder / "calls"
        self.environment = {"TMPDIR": str(self.folder), "LD_PRELOAD": SHIM, "VNP_SHIM_DIR": "/",
                            "VNP_SHIM_LOG": str(self.log)}

    def changed_by(self, *arguments):
        self.log.unlink(missing_ok=True)
        self.program(*arguments, environment=self.environment, code=0)
        paths = {line.split(" ", 4)[4] for line in self.log.read_text().splitlines()}
        return {path for path in paths if path.startswith("/") and not OUTSIDE.match(path)}

    def check(self, output, *arguments):
        """All that changes is in the scratch folder, which is empty in the end, or the output."""
        changed = self.changed_by(*arguments)
        scratch = {path for path in changed if path.startswith(f"{self.folder}/")}
        assert scratch, changed
        place = str(self.program.folder / output)
        assert {path for path in changed - scratch if not path.startswith(place)} <= {
            str(self.program.folder)}
        assert not list(self.folder.iterdir())


@pytest.fixture
def scratch(program):
    return Scratch(program)


@pytest.fixture
def aligned(program, genome, sequences):
    """reads.cram, of which genome.fa is the reference, and reads.fa."""
    folder = program.folder
    (folder / "genome.fa").write_text(fasta({"genome": genome}))
    (folder / "reads.fa").write_text(fasta(sequences))
    text = f"@SQ\tSN:genome\tLN:{len(genome)}\n"
    for name, letters in sequences.items():
        text += (f"{name}\t0\tgenome\t{genome.index(letters) + 1}\t60\t{len(letters)}M\t*\t0\t0\t"
                 f"{letters}\t{'I' * len(letters)}\tNM:i:0\n")
    (folder / "reads.sam").write_text(text)
    samtools(folder, "view", "-C", "-T", "genome.fa", "reads.sam", "-o", "reads.cram")
    (folder / "genome.fa.fai").unlink()


def test_temporary_files_of_a_reference_follow_tmpdir(scratch, aligned):
    scratch.check("out", "predict", *MODELS, "reads.cram", "--reference", "genome.fa", *SHORT, "-o",
                  "out")


def test_a_journal_that_is_not_kept_follows_tmpdir(scratch, aligned):
    scratch.check("-", "predict", *MODELS, "reads.fa", *SHORT, "-o", "-")


def test_the_trials_of_tune_follow_tmpdir(scratch):
    scratch.check("tune", "tune", *MODELS, "--data-size", "tiny", "--threads-grid", "1",
                  "--prefetch-grid", "2", "--budget-grid", "1024", "--quick")


@pytest.fixture
def esm2(program):
    """A folder with weights of 30 MB, and their size."""
    program("utils", "export-weights", "synthetic:esm2_t6_8M", "-o", "esm2", code=0)
    return sum(path.stat().st_size for path in (program.folder / "esm2").iterdir())


@needs_counted_reads()
def test_weights_are_read_from_the_disk_once_a_node(program, esm2, sequences):
    """However many workers there are: the system's page cache has them for all."""
    (program.folder / "reads.fa").write_text(fasta(sequences))
    run = ["reads.fa", *SHORT, "--esm-model", "esm2", "-p", "synthetic", "--cpu-workers", WORKERS,
           "-t", WORKERS]
    arguments = ["predict", *MODELS[:2], *run, "-f", "-o", "out"]
    program(*arguments, code=0)  # the program itself is in the cache now
    for path in (program.folder / "esm2").iterdir():
        drop_from_cache(path)
    before = read_bytes()
    program(*arguments, code=0)
    assert esm2 <= read_bytes() - before < 1.5 * esm2
