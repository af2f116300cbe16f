"""A merge that is killed before or after each call that changes a file.

At every point no table is half-written and no journal that is not whole has its name, and
`--resume` gives the bytes of an undisturbed merge.
"""

import sqlite3

import pytest
from harness import BIN, KILLED, MODELS, OUTPUT, Job, random_fasta, spread
from lengths import by_length

SHARDS = ("0", "1", "2")


class Merge(Job):
    """`merge` of three shards into the folder OUTPUT."""

    def command(self, *extra):
        return [BIN, "merge", *SHARDS, "-o", OUTPUT, *extra]

    def check_journal(self):
        """It is whole, or not there under its name."""
        if not (self.output / "run.db").exists():
            return False
        with sqlite3.connect(f"file:{self.output}/run.db?mode=ro&immutable=1", uri=True) as journal:
            assert journal.execute("SELECT count(*) FROM completion").fetchone() == (1,)
        return True


@pytest.fixture(scope="module")
def merge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("merge")
    (folder / "a.fa").write_text(random_fasta(5, 12, 130))
    whole = Job(folder, ["a.fa"])
    whole.make_reference()
    for index, shard in enumerate(SHARDS):
        ended = whole.run([BIN, "predict", "a.fa", *MODELS, "--telemetry", "summary", "-o", shard,
                           "--shard", f"{index}/{len(SHARDS)}"])
        assert ended.status == 0, ended.stderr
    job = Merge(folder, ["a.fa"])
    job.make_reference()
    assert job.reference == whole.reference
    return job


def points(job):
    last = job.undisturbed.changes()
    assert last > 40
    return spread(last, by_length(12, last))


def killed_at(job, number, side, *flags):
    ended = job.predict(*flags, rule=f"kill:{side}:any:{number}")
    assert ended.status == KILLED, ended.stderr
    job.check_none_half_written()
    return job.check_journal()


@pytest.mark.parametrize("side", ["before", "after"])
def test_killed_at_a_change_of_a_file(merge, side):
    """Once the journal has its name, it is not made again."""
    kept = 0
    for number in points(merge):
        merge.clear()
        has_journal = killed_at(merge, number, side)
        journal = merge.output / "run.db"
        before = journal.stat().st_ino if has_journal else None
        kept += has_journal
        merge.finish()
        assert before in (None, journal.stat().st_ino)
    assert 0 < kept < len(points(merge))


def test_killed_while_it_resumes(merge):
    merge.clear()
    for number in points(merge):
        if merge.resume(rule=f"kill:before:any:{number}").status != KILLED:
            break  # it had less left to do
        merge.check_none_half_written()
        merge.check_journal()
    merge.finish()


def test_killed_while_it_replaces_an_earlier_merge(merge):
    merge.clear()
    merge.check_complete(merge.predict())
    merge.keep()
    replaced = merge.predict("--force")
    assert replaced.status == 0, replaced.stderr
    last = replaced.changes()
    for number in spread(last, by_length(8, last)):
        merge.restore()
        killed_at(merge, number, "before", "--force")
        merge.finish()
