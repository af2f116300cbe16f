"""Links, FIFOs, devices and files of others in an output directory: none is written through,
overwritten or removed, and no command waits for one.

VIRNUCPRO_BIN is the executable.
"""

import ctypes
import itertools
import os
import random
import shutil
import stat
import subprocess
import threading
import time

import pytest

BIN = os.environ["VIRNUCPRO_BIN"]
RUN = ["predict", "a.fa", "--dnabert-model", "synthetic:dnabert-s-tiny", "--esm-model",
       "synthetic:esm2_tiny", "-p", "synthetic", "-e", "60", "--no-progress", "-t", "1", "-q",
       "-o", "out"]
FOLDERS = ("logs", "a_merged")
NAMES = ("run.lock", "run.files", "run.db", "run.db-wal", "run.db-shm", "run.db-journal",
         "run.db.virnucpro-partial", "sequences.tsv", "sequences.tsv.virnucpro-partial", "virus.fasta",
         "sequences.fasta.virnucpro-partial", "failed_inputs.txt", "SYNTHETIC_WEIGHTS", "PARTIAL",
         "embeddings.h5", "embeddings.h5.virnucpro-partial", "a_chunked60.fa", "a_identified_nucleotide.fa",
         "a_identified_protein.faa.virnucpro-partial", "report.html", "report.md", "report.json.virnucpro-partial",
         "virnucpro_mqc.json", "virnucpro_calls_mqc.json", "virnucpro_mqc_versions.yml",
         "virnucpro_scores_mqc.tsv", "logs/virnucpro.log",
         "a_merged/prediction_results.txt", "a_merged/prediction_results_highestscore.csv.virnucpro-partial")
JOURNAL = ("run.db", "run.db-wal")
SQLITE = ("run.db-shm", "run.db-journal")  # SQLite would act on them, and no run leaves one
FLAGS = ([], ["--force"], ["--resume"])
RENAME_EXCHANGE = 2
AT_FDCWD = -100


def make_device(path):
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        os.mkfifo(path)  # only root makes devices


KINDS = {
    "file": lambda path, others: path.write_text("precious"),
    "link to a file": lambda path, others: path.symlink_to(others / "file"),
    "link to a folder": lambda path, others: path.symlink_to(others / "folder"),
    "dangling link": lambda path, others: path.symlink_to(others / "absent"),
    "FIFO": lambda path, others: os.mkfifo(path),
    "device": lambda path, others: make_device(path),
    "folder": lambda path, others: path.mkdir(),
}


class Place:
    """A folder with an input, and another one that no command may touch."""

    def __init__(self, folder):
        self.folder = folder
        self.out = folder / "out"
        self.others = folder / "others"
        (self.others / "folder").mkdir(parents=True)
        (self.others / "file").write_text("precious")
        source = random.Random(1)
        (folder / "a.fa").write_text("".join(
            f">r{i}\n{''.join(source.choices('ACGT', k=150))}\n" for i in range(6)))

    def __call__(self, *arguments):
        return subprocess.run([BIN, *arguments], cwd=self.folder, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=20, check=False)

    def run(self, *flags):
        ended = self(*RUN, *flags)
        assert ended.returncode == 0, ended.stderr

    def state(self):
        """Everything below the folder: kinds, targets, contents, times of change."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            state = path.lstat()
            content = (path.read_bytes() if stat.S_ISREG(state.st_mode) else
                       os.readlink(path) if stat.S_ISLNK(state.st_mode) else None)
            changed = None if stat.S_ISDIR(state.st_mode) else state.st_mtime_ns
            found[str(path)] = (state.st_mode, state.st_ino, changed, content)
        return found

    def check_refused(self, name, *arguments, code=1, why="output is there already"):
        """Refused, naming the file, and nothing anywhere is touched."""
        before = self.state()
        ended = self(*arguments)
        assert ended.returncode == code, ended.stderr
        assert f"out/{name}: {why}" in ended.stderr
        assert self.state() == before


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.mark.parametrize("kind", KINDS)
def test_a_taken_name_is_refused(place, kind):
    flags = itertools.cycle(FLAGS)
    for name in (*NAMES, *(FOLDERS if kind != "folder" else ())):
        path = place.out / name
        path.parent.mkdir(parents=True)
        KINDS[kind](path, place.others)
        acted_on = name in SQLITE or (kind != "file" and name in JOURNAL)
        place.check_refused(name, *RUN, *next(flags),
                            **(dict(code=3, why="the run's journal is damaged") if acted_on else {}))
        shutil.rmtree(place.out)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "file"])
def test_a_name_of_an_earlier_run_that_stands_for_something_else(place, kind):
    place.run()
    shutil.copytree(place.out, place.folder / "kept")
    for name, *commands in (("report.html", ["report", "out"], [*RUN, "--force"]),
                            ("a_merged/prediction_results.txt", ["export", "out"],
                             [*RUN, "--resume"]),
                            ("logs/virnucpro.log", [*RUN, "--resume"])):
        (place.out / name).unlink()
        KINDS[kind](place.out / name, place.others)
        for command in commands:
            place.check_refused(name, *command)
        shutil.rmtree(place.out)
        shutil.copytree(place.folder / "kept", place.out)


def test_what_no_run_wrote_stays(place):
    """Also with --force, and in a directory that runs have used."""
    mine = ("telemetry_mine.json", "b_identified_protein.faa", "sequences.fasta", "slurm-7.out",
            "logs/mine.log")
    (place.out / "logs").mkdir(parents=True)
    for name in mine:
        (place.out / name).write_text("mine")
    place.run()
    place.run("--force")
    place.run("--resume")
    (place.out / "embeddings.h5").write_text("mine")
    place.check_refused("embeddings.h5", *RUN, "--force")
    for name in (*mine, "embeddings.h5"):
        assert (place.out / name).read_text() == "mine"


def test_a_refused_run_leaves_no_lock(place):
    place.out.mkdir()
    (place.out / "report.md").write_text("mine")
    place.check_refused("report.md", *RUN)
    assert os.listdir(place.out) == ["report.md"]


def exchange(a, b):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.renameat2(AT_FDCWD, os.fsencode(a), AT_FDCWD, os.fsencode(b), RENAME_EXCHANGE)


@pytest.mark.parametrize("swapped", ["out", "out/logs", "out/a_merged"])
def test_a_folder_that_changes_into_a_link_and_back(place, swapped):
    """While runs are on. What the link leads to holds files of other people under our names."""
    victim = place.others / "folder"
    for name in NAMES:
        (victim / name).parent.mkdir(exist_ok=True)
        for inner in {name, os.path.basename(name)}:
            (victim / inner).write_text("precious")
    place.run()
    link = place.folder / "link"
    link.symlink_to(victim)
    before = {path: value for path, value in place.state().items() if path.startswith(str(victim))}
    is_over = threading.Event()

    def swap():
        pause = random.Random(2)
        while not is_over.is_set():
            exchange(place.folder / swapped, link)
            time.sleep(pause.uniform(0, 0.02))

    thread = threading.Thread(target=swap)
    thread.start()
    end = time.monotonic() + 1.5
    codes = set()
    while time.monotonic() < end:
        codes.add(place(*RUN, "--force").returncode)
    is_over.set()
    thread.join()
    assert codes <= {0, 1, 3}
    after = {path: value for path, value in place.state().items() if path.startswith(str(victim))}
    assert after == before
