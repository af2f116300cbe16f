"""Killed before and after each call that changes a file, starts a process or sends a message.

At every point no table is half-written, and `--resume` gives the bytes of an undisturbed run, even
if the resumed run is killed as well.
"""

import gzip
import itertools
import random
import shutil

import h5py
import pytest
from harness import (FILE_KINDS, KILLED, RUNS, SEVERAL, TABLES, WORKERS, Ended, Job, error_in,
                     letters, random_fasta, spread)
from lengths import by_length
from points import points

# Per kind, in the full form; a run makes some eighty calls.
POINTS = 3
POINTS_OF_RESUMED = by_length(1, 1, long=3)
# None of these may change a byte, so a run is resumed with other settings.
OTHER_SETTINGS = itertools.cycle([(), ("-t", "2"), ("--token-budget", "64"), ("--prefetch", "1")])
SIDES = ("before", "after")


def changes_until_journal(ended):
    """The number of the rename that gives the journal its name."""
    changes = [call for call in ended.calls if call[0] in FILE_KINDS]
    return 1 + next(at for at, (kind, _, path) in enumerate(changes)
                    if kind == "rename" and path.endswith("/run.db"))


def kill_resumed(job, number):
    """Restores the kept run, kills it at its n-th change while it resumes, and resumes it again."""
    job.restore()
    ended = job.resume(rule=f"kill:before:any:{number}")
    assert ended.status == KILLED, ended.stderr
    job.check_none_half_written()
    job.finish(*next(OTHER_SETTINGS))


def calls_of(ended, kind):
    return ended.changes() if kind == "any" else ended.counts()[kind]


def kill(job, workers, kind, side, number):
    """Kills a run at this call. With several workers the number of messages, and of pages of the
    journal, depends on the order of their answers: a run that never got there ends undisturbed."""
    rule = f"kill:{side}:{kind}:{number}"
    ended = job.predict(rule=rule)
    if ended.status != KILLED:
        assert workers > 1 and calls_of(ended, kind) < number, f"{rule}: {ended.stderr}"
        job.check_complete(ended)
    job.check_none_half_written()
    return ended


def check_point(job, workers, kind, side, number, points_of_resumed=POINTS_OF_RESUMED):
    if kill(job, workers, kind, side, number).status != KILLED:
        job.clear()
        return
    job.keep()
    resumed = job.resume(*next(OTHER_SETTINGS))
    job.check_complete(resumed)
    for number in spread(resumed.changes(), points_of_resumed + 2)[1:-1]:
        kill_resumed(job, number)
    job.clear()


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("kind", (*FILE_KINDS, "stdio"))
def test_killed_at_a_change_of_a_file(awkward, kind, side, workers):
    job = awkward(workers=workers)
    count = job.undisturbed.counts()[kind]
    assert count > 0
    # With workers, the check form kills resumed runs only for a damaged input.
    of_resumed = by_length(POINTS_OF_RESUMED if workers == 1 else 0, POINTS_OF_RESUMED)
    for number in points(count, POINTS, kind, side, workers):
        check_point(job, workers, kind, side, number, of_resumed)


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("side", SIDES)
def test_killed_with_a_damaged_input(awkward, side, workers):
    """The damaged input has no rows in the tables, whichever run found the damage."""
    job = awkward("damaged", workers=workers)
    for number in points(job.undisturbed.changes(), 2 * POINTS, side, workers):
        check_point(job, workers, "any", side, number)


@pytest.mark.parametrize("earlier", [*RUNS, "complete"])
def test_killed_while_it_replaces_an_earlier_run(awkward, earlier):
    """With --force. A half-removed run must neither be resumed nor be an obstacle."""
    job = awkward()
    if earlier == "complete":
        job.predict()
    else:
        job.interrupt(*RUNS[earlier])
    job.keep()
    replaced = job.predict("--force")
    last = by_length(changes_until_journal, changes_until_journal, long=Ended.changes)(replaced)
    for number in spread(last, by_length(4, last)):
        job.restore()
        rule = f"kill:before:any:{number}"
        assert job.predict("--force", rule=rule).status == KILLED
        job.check_none_half_written()
        resumed = job.resume()
        assert resumed.status == 0, f"{rule}: {resumed.stderr}"
        job.check_complete(resumed)


def test_export_of_an_interrupted_run_leaves_no_table_unmarked(awkward):
    job = awkward()
    job.interrupt(*RUNS["interrupted"])
    folder = job.output / "exported"  # here its calls are counted
    for number in itertools.count(1):
        shutil.rmtree(folder, ignore_errors=True)
        ended = job.export("-o", folder, rule=f"kill:after:rename:{number}")
        assert (folder / "PARTIAL").exists() or not job.tables(folder)
        if ended.status != KILLED:
            break
    assert ended.status == 2, ended.stderr
    assert number > len(TABLES)


def read_embeddings(path):
    """The data only, as HDF5's layout depends on the order of writes."""
    with h5py.File(path) as file:
        return {name: file[name][()].tolist() for name in file}


@pytest.mark.parametrize("side", SIDES)
def test_killed_with_everything_written(awkward, side):
    """virus.fasta and the files of -k are right, too."""
    job = awkward(flags=("--virus-fasta", "-k"))
    job.predict()
    texts = ["virus.fasta", *(name for name in job.reference_files if "_identified_" in name),
             "a_chunked60.fa"]
    assert len(texts) == 4
    right = {name: (job.output / name).read_bytes() for name in texts}
    embeddings = read_embeddings(job.output / "embeddings.h5")
    job.clear()
    for number in points(job.undisturbed.changes(), 2 * POINTS, side):
        assert job.predict(rule=f"kill:{side}:any:{number}").status == KILLED
        job.finish()
        assert {name: (job.output / name).read_bytes() for name in texts} == right
        assert read_embeddings(job.output / "embeddings.h5") == embeddings
        job.clear()


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("kind", ["fork", "message"])
def test_parent_killed_at_its_workers(awkward, kind, side):
    """Workers end by themselves; the harness waits for this after every run."""
    job = awkward(workers=SEVERAL)
    count = job.undisturbed.counts()[kind]
    assert count > 0
    for number in points(count, 2 * POINTS, kind, side):
        kill(job, SEVERAL, kind, side, number)
        job.finish(*next(OTHER_SETTINGS))
        job.clear()


@pytest.mark.parametrize("side", SIDES)
def test_one_worker_killed_at_a_message(awkward, side):
    """The others take over its batches, and the run ends normally."""
    job = awkward(workers=SEVERAL)
    count = job.predict("--force", role="worker").counts()["message"]
    assert count >= SEVERAL
    # Each worker sends its first message in any case.
    for number in by_length([1], points(count // SEVERAL, POINTS)):
        once = job.folder / "once"
        ended = job.predict("--force", rule=f"kill:{side}:message:{number}", role="worker",
                            once=once)
        assert number > 1 or not once.exists(), "no worker was killed"
        job.check_complete(ended)


@pytest.mark.parametrize("message", [1, 2, 3], ids=["ready", "the fixed batch", "a first answer"])
def test_every_worker_killed_at_a_message(tmp_path, message):
    """No worker is left: exit code 1, and no frame is blamed. Only a few frames, as each costs at
    least two workers at the third message."""
    (tmp_path / "a.fa").write_text(random_fasta(3, count=2, length=70))
    job = Job(tmp_path, ["a.fa"], workers=SEVERAL)
    job.make_reference()
    ended = job.predict(rule=f"kill:before:message:{message}", role="worker")
    assert error_in(ended) == {"workers-lost"}, ended.stderr
    assert message == 3 or "this worker gets no more batches" in ended.stderr
    assert "given up" not in ended.stderr
    job.check_none_half_written()
    job.finish()


def job_of_calls(folder):
    """It writes all files of sequences called virus."""
    source = random.Random(8)
    (folder / "a.fq").write_text("".join(f"@r{k}\n{letters(source, 130)}\n+\n{'I' * 130}\n" for k in range(20)))
    return Job(folder, ["a.fq"], flags=("--virus-fasta", "--virus-fastq", "v"))


def of_calls(job):
    """The sequences called virus, by every file that states calls."""
    rows = [line.split("\t") for line in (job.output / "sequences.tsv").read_text().splitlines()[1:]]
    called = [row[0] for row in rows if row[8] == "virus"]
    fasta = [line.split()[0][1:] for line in (job.output / "virus.fasta").read_text().splitlines() if line[0] == ">"]
    with gzip.open(job.folder / "v.fastq.gz", "rt") as lines:
        fastq = [line.split()[0][1:] for line in itertools.islice(lines, 0, None, 4)]
    return called, fasta, fastq


def test_export_killed_while_the_calls_change(tmp_path):
    """The same export again: no file of sequences called virus has the calls of before."""
    job = job_of_calls(tmp_path)
    assert job.predict().status == 0
    first = of_calls(job)
    environment = job.environment
    job.environment = lambda **shim: {**environment(**shim), "VNP_SHIM_DIR": str(tmp_path)}  # counts v.fastq.gz
    job.keep()
    shutil.copy(tmp_path / "v.fastq.gz", tmp_path / "kept.gz")
    strict = ("--min-score", "0.8")
    undisturbed = job.export(*strict)
    assert undisturbed.status == 0, undisturbed.stderr
    right = of_calls(job)
    assert right[0] == right[1] == right[2] != first[0]
    for number in points(undisturbed.changes(), 12 * POINTS):
        job.restore()
        shutil.copy(tmp_path / "kept.gz", tmp_path / "v.fastq.gz")
        assert job.export(*strict, rule=f"kill:before:any:{number}").status == KILLED
        again = job.export(*strict)
        assert again.status == 0, f"{number}: {again.stderr}"
        assert of_calls(job) == right, f"killed at {number}"


def test_what_force_may_replace_a_resumed_run_may_too(tmp_path):
    job = job_of_calls(tmp_path)
    (tmp_path / "v.fastq.gz").write_bytes(b"old")
    assert job.predict().status == 1
    undisturbed = job.predict("--force")
    assert undisturbed.status == 0, undisturbed.stderr
    right = of_calls(job)
    (tmp_path / "v.fastq.gz").write_bytes(b"old")
    job.clear()
    killed = job.predict("--force", rule=f"kill:before:rename:{undisturbed.number('rename', 'sequences.tsv')}")
    assert killed.status == KILLED and (tmp_path / "v.fastq.gz").read_bytes() == b"old"
    resumed = job.resume()
    assert resumed.status == 0, resumed.stderr
    assert of_calls(job) == right
