"""Inputs that are cut, written to or replaced while they are read.

The program stops at one of its reads of the file until the change is made. Such an input fails,
whatever its format and whatever was read of it before, and leaves no row in any table.
"""

import errno
import gzip
import os
import random
import subprocess
import time

import pytest
from harness import BIN, ERRORS, MODELS, SECONDS, SHIM, fasta, letters

CHANGED = ERRORS["input-changed"][1]
READS, LENGTH = 400, 1000
HEADER = f"@HD\tVN:1.6\tSO:unsorted\n@SQ\tSN:genome\tLN:{READS * LENGTH}\n"


def cut(path):
    os.truncate(path, path.stat().st_size // 2)


def empty(path):
    os.truncate(path, 0)


def append(path):
    with open(path, "ab") as file:
        file.write(b"more")


def write_over(path):
    """The same bytes, so that nothing but the time tells."""
    content = path.read_bytes()
    path.write_bytes(content)
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 1))


def replace(path):
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    os.replace(other, path)


CHANGES = (cut, empty, append, write_over, replace)
# The arguments that read each file, which is the one that changes.
FORMS = {"x.fa": ["x.fa"], "x.fq": ["x.fq"], "x.fa.gz": ["x.fa.gz"], "x.fa.bgz": ["x.fa.bgz"],
         "x.sam": ["x.sam"], "x.bam": ["x.bam"], "x.cram": ["x.cram", "--reference", "genome.fa"],
         "genome.fa": ["x.cram", "--reference", "genome.fa"],
         "x_1.fq": ["--paired", "x_1.fq", "x_2.fq"], "x_2.fq": ["--paired", "x_1.fq", "x_2.fq"]}


def samtools(folder, *arguments):
    subprocess.run(["samtools", *arguments], cwd=folder, check=True, capture_output=True,
                   timeout=SECONDS)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The same reads in every form; they lie side by side on the genome."""
    folder = tmp_path_factory.mktemp("forms")
    genome = letters(random.Random(7), READS * LENGTH)
    reads = [(f"r{i}", genome[i * LENGTH:][:LENGTH]) for i in range(READS)]
    text = fasta(reads).encode()
    fastq = "".join(f"@{name}\n{read}\n+\n{'I' * LENGTH}\n" for name, read in reads)
    (folder / "genome.fa").write_text(fasta([("genome", genome)]))
    (folder / "x.fa").write_bytes(text)
    for name in ("x.fq", "x_1.fq", "x_2.fq"):
        (folder / name).write_text(fastq)
    (folder / "x.fa.gz").write_bytes(gzip.compress(text, mtime=0))
    (folder / "x.sam").write_text(HEADER + "".join(
        f"{name}\t0\tgenome\t{i * LENGTH + 1}\t60\t{LENGTH}M\t*\t0\t0\t{read}\t{'I' * LENGTH}\n"
        for i, (name, read) in enumerate(reads)))
    samtools(folder, "view", "-b", "x.sam", "-o", "x.bam")
    samtools(folder, "view", "-C", "-T", "genome.fa", "--output-fmt-option", "seqs_per_slice=10",
             "x.sam", "-o", "x.cram")
    (folder / "genome.fa.fai").unlink()
    samtools(folder, "view", "-h", "-o", "x.sam.bgz", "--output-fmt", "sam.gz", "x.sam")
    (folder / "x.sam.bgz").rename(folder / "x.fa.bgz")  # formats are told by content
    return folder


@pytest.fixture
def folder(tmp_path, made):
    """A copy of each form, as a test changes it."""
    for path in made.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def run_changing(folder, arguments, name, change, call="read:1", stdin=subprocess.DEVNULL,
                 output="none"):
    """Runs the program, and changes the file of that name when it reaches this call on it (or a call
    that changes something in the folder `output`)."""
    gate = folder / "gate"
    if not gate.exists():
        os.mkfifo(gate)
    environment = {**os.environ, "LD_PRELOAD": SHIM, "VNP_SHIM_DIR": str(folder / output),
                   "VNP_SHIM_READS": str(folder / name), "VNP_SHIM_GATE": str(gate),
                   "VNP_SHIM": f"pause:{call}"}
    with subprocess.Popen([BIN, *arguments], cwd=folder, env=environment, stdin=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with when_it_waits(gate, process):
            change(folder / name)
        output, message = process.communicate(timeout=SECONDS)
    return subprocess.CompletedProcess(arguments, process.returncode, output, message)


def when_it_waits(gate, process):
    """The gate, once the program waits there; closing it lets the program go on."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            return open(os.open(gate, os.O_WRONLY | os.O_NONBLOCK), "wb", closefd=True)
        except OSError as error:
            assert error.errno == errno.ENXIO
        if process.poll() is not None:
            raise AssertionError(f"it never came to the call: {process.stderr.read()}")
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", FORMS)
def test_every_form_and_change(folder, name, change):
    ended = run_changing(folder, ["utils", "validate", *FORMS[name]], name, change)
    assert ended.returncode == 1
    assert f"{name}: " in ended.stdout and CHANGED in ended.stdout, ended.stdout + ended.stderr


def test_stdin_that_is_a_file(folder):
    whole = (folder / "x.fa").read_bytes()
    with open(folder / "x.fa", "rb") as stdin:
        ended = run_changing(folder, ["utils", "validate", "-"], "x.fa", append, stdin=stdin)
    assert ended.returncode == 1 and CHANGED in ended.stdout
    (folder / "x.fa").write_bytes(whole)
    with open(folder / "x.fa", "rb") as stdin:  # it has no name that another file could take
        ended = run_changing(folder, ["utils", "validate", "-"], "x.fa", replace, stdin=stdin)
    assert ended.returncode == 0, ended.stdout


def test_a_file_that_is_moved_away_is_read_to_its_end(folder):
    for change in (lambda path: path.rename(folder / "moved"), lambda path: path.chmod(0o400)):
        ended = run_changing(folder, ["utils", "validate", "x.fa"], "x.fa", change)
        assert ended.returncode == 0, ended.stdout
        (folder / "x.fa").unlink(missing_ok=True)
        (folder / "x.fa").write_bytes((folder / "moved").read_bytes())


def predict(*arguments):
    return ["predict", *MODELS, *arguments, "--telemetry", "off", "--no-report", "-o", "out"]


@pytest.fixture
def short(folder):
    """Two inputs whose scores take little time."""
    source = random.Random(8)
    for name in ("a", "b"):
        (folder / f"{name}.fa").write_text(fasta([(f"{name}{i}", letters(source, 200))
                                                  for i in range(10)]))
    return folder


# The second reading of an input finds its end.
@pytest.mark.parametrize("change", [cut, append, write_over, replace])
def test_it_leaves_no_row(short, change):
    ended = run_changing(short, predict("a.fa", "b.fa"), "b.fa", change, call="read:2")
    assert ended.returncode == 2, ended.stderr
    assert CHANGED in ended.stderr
    failed = (short / "out" / "failed_inputs.txt").read_text().splitlines()
    assert any("b.fa" in line and "input-changed" in line for line in failed), failed
    for path in short.glob("out/**/*.*"):
        if path.suffix in (".txt", ".csv", ".tsv") and path.name != "failed_inputs.txt":
            rows = path.read_text()
            assert "a0" in rows and "b0" not in rows, path


def test_the_only_input_gives_no_table(short):
    size = (short / "b.fa").stat().st_size
    ended = run_changing(short, predict("b.fa"), "b.fa", cut, call="read:2")
    assert ended.returncode == 1, ended.stderr
    assert f"b.fa: record 10, byte {size}: {CHANGED}" in ended.stderr
    assert not (short / "out" / "sequences.tsv").exists()
    assert not (short / "out" / "b_merged").exists()


def test_embeddings_and_exports(short):
    embed = ["embed", "b.fa", *MODELS[:4], "-e", "60", "--no-progress", "-o", "b.h5"]
    ended = run_changing(short, embed, "b.fa", append, call="read:4")
    assert ended.returncode == 1 and CHANGED in ended.stderr, ended.stderr
    assert not (short / "b.h5").exists()
    subprocess.run([BIN, *predict("a.fa")], cwd=short, check=True, capture_output=True)
    export = ["export", "out", "--virus-fasta", "--threshold", "0", "-o", "tables"]
    ended = run_changing(short, export, "a.fa", append)
    assert ended.returncode == 1 and CHANGED in ended.stderr, ended.stderr
    assert not list(short.glob("**/virus.fasta"))


def test_a_shard_that_is_swapped_while_shards_are_merged(short):
    """Between the look at its head and the reading of its scores."""
    for output, name, shard in (("s0", "a.fa", "0/2"), ("s1", "a.fa", "1/2"), ("other", "b.fa", "1/2")):
        subprocess.run([BIN, *predict(name), "--shard", shard, "-o", output], cwd=short, check=True,
                       capture_output=True)

    def swap(run):
        run.rename(short / "before")
        (short / "other").rename(run)
    ended = run_changing(short, ["merge", "s0", "s1", "-o", "merged"], "s1", swap, call="any:1",
                         output="merged")
    assert ended.returncode == 3, ended.stderr
    assert "s1 (shard 1): another run replaced it during the merge" in ended.stderr
    assert not list(short.glob("merged/**/*.tsv"))


def rewrite_unseen(path):
    """Other letters, and the time set back."""
    before = path.stat()
    path.write_bytes(path.read_bytes().translate(bytes.maketrans(b"AC", b"CA")))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("change, code", [(rewrite_unseen, 1), (lambda path: path.chmod(0o400), 0)])
def test_a_reference_is_read_again_where_its_times_do_not_tell(folder, change, code):
    """`chmod` changes what `touch` cannot set back, too."""
    arguments = ["utils", "validate", "x.cram", "--reference", "genome.fa"]
    ended = run_changing(folder, arguments, "x.cram", lambda path: change(folder / "genome.fa"))
    assert ended.returncode == code, ended.stdout


def test_a_changed_input_binds_no_later_run(short):
    """When its content is back, `--resume` reads it again."""
    whole = (short / "b.fa").read_bytes()
    subprocess.run([BIN, *predict("a.fa", "b.fa")], cwd=short, check=True, capture_output=True)
    (short / "out").rename(short / "expected")
    ended = run_changing(short, predict("a.fa", "b.fa"), "b.fa", cut, call="read:2")
    assert ended.returncode == 2, ended.stderr
    (short / "b.fa").write_bytes(whole)
    resumed = subprocess.run([BIN, *predict("a.fa", "b.fa"), "--resume"], cwd=short, check=False,
                             capture_output=True, text=True)
    assert resumed.returncode == 0, resumed.stderr
    tables = ("sequences.tsv", "a_merged/prediction_results.txt")
    for name in tables:
        assert (short / "out" / name).read_bytes() == (short / "expected" / name).read_bytes()
