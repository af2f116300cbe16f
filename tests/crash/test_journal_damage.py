"""run.db with one bit flipped, or cut: refused with its name, or the tables are right all the same.

Both a finished run's, and one with its write-ahead log of a run that was killed. A program that
takes such a journal may write nothing from it that an undisturbed run would not.
"""

import pytest
from harness import KILLED, LONG, OUTPUT, TABLES, Job, error_in, random_fasta, spread

COMMANDS = ("export", "predict")
# Killed where it has its scores, but not the journal's last row.
RUNS = {"finished": None, "interrupted": "kill:before:mkdir:3"}
JOURNAL = ("run.db", "run.db-wal")
HEADER = 100  # of an SQLite file; that of its log, with one of a frame, has 56
# How far apart the bytes are that are flipped: where there is something, and among zeros, of which
# most of so small a journal are made.
STRIDES = {"export": (7, 61), "predict": (31, 307)}
LENGTHS = {"export": 40, "predict": 10}


def flips(data, command):
    """Where to flip a bit: all bytes in the long form; else the header and some of the rest."""
    if LONG:
        return list(range(len(data)))
    something, zeros = STRIDES[command]
    places = {True: [], False: []}
    for at, byte in enumerate(data):
        places[byte != 0 or at < HEADER].append(at)
    head = [at for at in places[True] if at < HEADER]
    return [*head, *places[True][len(head)::something], *places[False][::zeros]]


def lengths(data, command):
    """Where to cut: some of all lengths, and around the ends of headers and pages."""
    edges = {at + off for at in (0, 16, 32, 56, HEADER, 4096, len(data)) for off in (-1, 0, 1)}
    some = range(len(data)) if LONG else spread(len(data) - 1, LENGTHS[command])
    return sorted(at for at in {*edges, *some} if 0 <= at < len(data))


class Journal:
    """A small journal as a run left it, to be damaged in one place at a time."""

    def __init__(self, folder, rule):
        (folder / "a.fa").write_text(random_fasta(3, 6, 90))
        self.job = Job(folder, ["a.fa"])
        self.job.make_reference()
        assert self.job.predict(rule=rule).status == (KILLED if rule else 0)
        self.files = {name: (self.job.output / name).read_bytes() for name in JOURNAL
                      if (self.job.output / name).exists()}
        assert len(self.files) == (2 if rule else 1)
        self.job.clear()
        self.job.predict()
        self.right = self.rows()

    def rows(self):
        return {name: (self.job.output / name).read_text().splitlines() for name in TABLES
                if (self.job.output / name).exists()}

    def check(self, command, name, data, what):
        """What comes of a directory that holds the journal alone, one of its files damaged."""
        self.job.clear()
        self.job.output.mkdir()
        for other, whole in self.files.items():
            (self.job.output / other).write_bytes(data if other == name else whole)
        run = self.job.resume if command == "predict" else self.job.export
        ended = run(preload=False)
        what = f"{name}, {what}: {ended}"
        found = self.rows()
        if ended.status != 0:
            assert error_in(ended) <= {"journal-damaged", "journal-mismatch"}, what
            assert f"{OUTPUT}/run.db" in ended.stderr, what
            assert not found, what
        elif command == "predict" or name == "run.db":
            assert found == self.right, what
        else:  # what an interrupted run has of them
            assert len(found) == len(TABLES), what
            assert all(set(rows) <= set(self.right[table]) for table, rows in found.items()), what


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("run", RUNS)
def test_a_bit_is_flipped(tmp_path, run, command):
    journal = Journal(tmp_path, RUNS[run])
    for name, whole in journal.files.items():
        for at in flips(whole, command):
            data = bytearray(whole)
            data[at] ^= 1 << at % 8
            journal.check(command, name, bytes(data), f"bit {at % 8} of byte {at}")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("run", RUNS)
def test_it_is_cut(tmp_path, run, command):
    journal = Journal(tmp_path, RUNS[run])
    for name, whole in journal.files.items():
        for length in lengths(whole, command):
            journal.check(command, name, whole[:length], f"cut to {length} bytes")
