"""The program as its users run it: VIRNUCPRO_BIN is the executable, VIRNUCPRO_SOURCE the checkout."""

import csv
import gzip
import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import jsonschema
import pytest
from sequence_table import with_input

BIN = os.environ["VIRNUCPRO_BIN"]
SOURCE = Path(os.environ["VIRNUCPRO_SOURCE"])
LAMBDA = SOURCE / "share" / "virnucpro" / "lambda.fa.gz"
OWN_VARIABLES = ("VIRNUCPRO_MODELS", "VIRNUCPRO_DISABLE_PACKING", "VIRNUCPRO_DISABLE_FP16",
                 "VIRNUCPRO_V1_ATTENTION", "VIRNUCPRO_DISABLE_CHECKPOINTING", "VIRNUCPRO_CUPTI",
                 "VIRNUCPRO_CACHE", "VIRNUCPRO_LOADER", "VIRNUCPRO_VIRAL_CHECKPOINT_MODE")
MODELS = ["--dnabert-model", "synthetic:dnabert-s-tiny", "--esm-model", "synthetic:esm2_tiny",
          "-p", "synthetic"]
SHORT = ["-e", "100", "--no-progress"]
TABLES = ("prediction_results.txt", "prediction_results_highestscore.csv")


class Program:
    """Runs the executable in its own folder. Where a caller names an exit code, it must end so."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in OWN_VARIABLES}

    def __call__(self, *arguments, stdin=b"", environment=None, timeout=120, code=None, **options):
        result = subprocess.run([BIN, *map(str, arguments)], cwd=self.folder, input=stdin,
                                capture_output=True, timeout=timeout, check=False,
                                env={**self.environment, **(environment or {})}, **options)
        assert code in (None, result.returncode), message(result)
        return result

    def start(self, *arguments, term=None, **options):
        environment = self.environment if term is None else {**self.environment, "TERM": term}
        return subprocess.Popen([BIN, *map(str, arguments)], cwd=self.folder, env=environment,
                                **options)

    def start_waiting(self, *arguments, **options):
        """Starts a run that waits for its input."""
        return self.start("predict", *MODELS, "-", *arguments, stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE, **options)

    def on_a_terminal(self, *arguments, stdin, wait=1.5):
        """stderr, a terminal, of a run that waits these seconds for its input."""
        parent, child = os.openpty()
        process = self.start(*arguments, stdin=subprocess.PIPE, stderr=child, term="xterm")
        os.close(child)
        time.sleep(wait)
        process.stdin.write(stdin)
        process.stdin.close()
        shown = b""
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(parent)
        assert process.wait(timeout=60) == 0, shown
        return shown

    def wait_for(self, condition, process):
        """Waits until a started run fulfils the condition."""
        deadline = time.monotonic() + 60
        while not condition():
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def wait_for_line(self, process, start):
        """Waits until it prints a line that begins so."""
        while not process.stdout.readline().startswith(start):
            assert process.poll() is None

    def wait_for_journal(self, process, output="out"):
        self.wait_for((self.folder / output / "run.db").exists, process)

    def interrupt(self, process, output="out"):
        """Stops a run that waits for its input, once it has its journal."""
        self.wait_for_journal(process, output)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=5) == 130
        process.communicate()

    def predict(self, *arguments, **options):
        return self("predict", *MODELS, *arguments, **options)

    def tables(self, output, stem):
        """The three tables of a run, as bytes."""
        merged = self.folder / output / f"{stem}_merged"
        found = {name: (merged / name).read_bytes() for name in TABLES}
        places = list((self.folder / output).rglob("sequences.tsv"))
        assert len(places) == 1
        found["sequences.tsv"] = places[0].read_bytes()
        return found


@pytest.fixture
def program(tmp_path):
    return Program(tmp_path)


@pytest.fixture(scope="session")
def genome():
    """The lambda genome's letters."""
    lines = gzip.decompress(LAMBDA.read_bytes()).decode().splitlines()
    return "".join(lines[1:])


def pieces(genome):
    """Parts of the genome by id, each with stop-free frames for chunks of 100 bases."""
    return {f"piece_{i}": genome[i * 1000:i * 1000 + 700] for i in range(6)}


@pytest.fixture
def sequences(genome):
    return pieces(genome)


@pytest.fixture
def with_reads(program, sequences):
    """The program with these sequences in reads.fa."""
    (program.folder / "reads.fa").write_text(fasta(sequences))
    return program


@pytest.fixture
def interrupted(program):
    """A run whose journal has nothing but its fingerprint."""
    program.interrupt(program.start_waiting(*SHORT, "-o", "out"))
    return program


def fasta(sequences, width=60, end="\n"):
    text = ""
    for name, letters in sequences.items():
        text += f">{name} a piece{end}"
        text += "".join(letters[i:i + width] + end for i in range(0, len(letters), width))
    return text


def fastq(sequences):
    return "".join(f"@{name} a piece\n{letters}\n+\n{'I' * len(letters)}\n"
                   for name, letters in sequences.items())


def of_input(tables, *names):
    """Such tables, with the inputs' names replaced: with_input()."""
    return {**tables, "sequences.tsv": with_input(tables["sequences.tsv"], *names)}


def message(result):
    return result.stderr.decode()


def rows_of(path):
    """Of a table with tabs, a header first."""
    return [line.split("\t") for line in path.read_text().splitlines()]


def table(path):
    """Its rows by column. Nothing is quoted."""
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def calls_of(folder):
    """The call of each sequence."""
    return {row["sequence_id"]: row["call"] for row in table(folder / "sequences.tsv")}


def files_in(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def telemetry_of(folder):
    """A run's summary, the only one; it keeps to its schema."""
    (path,) = folder.glob("telemetry_*.json")
    summary = json.loads(path.read_text())
    jsonschema.validate(summary, json.loads((SOURCE / "docs/reference/telemetry.schema.json").read_text()))
    return summary


def flip(path, place):
    """Damages a file by a bit of the byte there: a number, or where bytes are found."""
    data = bytearray(path.read_bytes())
    data[place if isinstance(place, int) else data.index(place)] ^= 1
    path.write_bytes(data)


def change_journal(run, *statements):
    """As no run would. All is in its file then."""
    journal = sqlite3.connect(run / "run.db")
    journal.execute("PRAGMA synchronous = OFF")
    for statement in statements:
        journal.execute(*((statement,) if isinstance(statement, str) else statement))
    journal.commit()
    journal.close()


def limited(kind, size):
    """For preexec_fn: a limit (RLIMIT_…), as `ulimit` sets it."""
    return {"preexec_fn": lambda: resource.setrlimit(kind, (size, size))}


def samtools(folder, *arguments):
    return subprocess.run(["samtools", *map(str, arguments)], cwd=folder, check=True, capture_output=True,
                          timeout=60).stdout


def reverse_complement(letters):
    return letters.translate(str.maketrans("ACGTRYKMBDHVN", "TGCAYRMKVHDBN"))[::-1]


def is_there(process):
    """Whether a process exists and is no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def workers_of(process):
    """The ids of a run's worker processes."""
    found = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += map(int, thread.read_text().split())
        except OSError:  # a thread that has ended
            continue
    return [worker for worker in found if is_there(worker)]


@pytest.fixture(scope="module")
def files_of_examples(genome, tmp_path_factory):
    """A folder with the files named in the examples."""
    program = Program(tmp_path_factory.mktemp("examples"))
    folder, sequences = program.folder, pieces(genome)
    for name in ("contigs.fa", "reads.fa"):
        (folder / name).write_text(fasta(sequences))
    for name in ("reads.fq", "r1.fq", "r2.fq"):
        (folder / name).write_text(fastq(sequences))
    (folder / "proteins.faa").write_text(">a\nMKV*L\n>b\nM\n")
    for name in ("contigs.fa", "reads.fq", "r1.fq", "r2.fq"):
        subprocess.run(["gzip", "--keep", name], cwd=folder, check=True)
    subprocess.run("minimap2 -a contigs.fa reads.fq | samtools view -b -o reads.bam", shell=True,
                   cwd=folder, check=True, capture_output=True)
    for model, place, *flags in (("synthetic:dnabert-s-tiny", "DNABERT-S"),
                                 ("synthetic:esm2_tiny", "esm2_t36_3B_UR50D"),
                                 ("synthetic:1", "300_model.pth", "--inputs", "80"),
                                 ("synthetic:2", "500_model.pth", "--inputs", "80")):
        (folder / "models").mkdir(exist_ok=True)
        result = program("utils", "export-weights", model, "-o", f"models/{place}", *flags)
        assert result.returncode == 0, result.stderr
    (folder / "500_model.pth").write_bytes((folder / "models" / "500_model.pth").read_bytes())
    return folder


@pytest.fixture
def shell(program, files_of_examples):
    """bash in a copy of that folder, with the program on its PATH."""
    folder = program.folder
    shutil.copytree(files_of_examples, folder, dirs_exist_ok=True)

    def run(command):
        environment = {**program.environment, "PATH": f"{Path(BIN).parent}:{os.environ['PATH']}",
                       "VIRNUCPRO_MODELS": str(folder / "models")}
        return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder,
                              env=environment, capture_output=True, timeout=120, check=False)
    return run
