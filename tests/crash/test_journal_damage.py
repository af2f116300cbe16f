"""run.db with one bit flipped, or truncated: it is refused by name, or the tables are still right.

Both for a finished run and, with its write-ahead log, for a killed one. If the program accepts such
a journal, it may only write rows that an undisturbed run would write.
"""

import shutil

import pytest
from harness import OUTPUT, RUNS, TABLES, Job, error_in, random_fasta, spread
from lengths import by_length

COMMANDS = {
    "export": lambda job: job.export("-o", "tables", "--force", preload=False),
    "validate": lambda job: job.validate_checkpoints(preload=False),
    "resume": lambda job: job.resume(preload=False),
    "unchecked": lambda job: job.resume("--skip-checkpoint-validation", preload=False),
}
# Their exit codes for an undamaged journal.
SOUND = {"export": {"finished": 0, "interrupted": 2}}
# Exit codes that are not those of the table of errors.
OTHER_CODES = {"validate": {"journal-damaged": 1}}
JOURNAL = ("run.db", "run.db-wal")
RECORD = "run.files"  # says that the journal is a run's
HEADER = 100  # of an SQLite file; a WAL's header, with one frame's, has 56
# Distance between flipped bytes: in the header, in content, and among zeros, which fill most of
# such a small journal.
STRIDES = by_length(
    {"export": (17, 211, 4001), "validate": (17, 211, 4001), "resume": (31, 463, 7001),
     "unchecked": (31, 463, 7001)},
    {"export": (1, 17, 127), "validate": (1, 29, 251), "resume": (1, 97, 1013),
     "unchecked": (1, 101, 2003)})
# The number of lengths it is cut to; and special places, with the offsets around them.
LENGTHS = by_length({"export": 2, "validate": 2, "resume": 2, "unchecked": 2},
                    {"export": 60, "validate": 30, "resume": 8, "unchecked": 4})
EDGES = by_length((0, HEADER, 4096), (0, 16, 32, 56, HEADER, 4096))
BESIDE = by_length((0,), (-1, 0, 1))


def flipped(data, command):
    """With one bit flipped, in the header and some of the rest. The unit tests do so without the
    program, in every byte of the header and more of the rest (tests/unit/journal/journal_test.cpp)."""
    header, something, zeros = STRIDES[command]
    places = {True: [], False: []}
    for at, byte in enumerate(data):
        places[byte != 0 or at < HEADER].append(at)
    head = [at for at in places[True] if at < HEADER]
    for at in (*head[::header], *places[True][len(head)::something], *places[False][::zeros]):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        yield f"bit {at % 8} of byte {at}", bytes(damaged)


def cut(data, command):
    """Cut to some of all lengths, and around the ends of headers and pages."""
    edges = {at + off for at in (*EDGES, len(data)) for off in BESIDE}
    edges.add(len(data) - 1)
    for length in sorted({*edges, *spread(len(data) - 1, LENGTHS[command])}):
        if 0 <= length < len(data):
            yield f"cut to {length} bytes", data[:length]


class Journal:
    """A small journal left by a run, to be damaged in one place at a time."""

    def __init__(self, run, job, files, command):
        self.job = job
        self.files = files
        self.command = command
        self.sound = SOUND.get(command, {}).get(run, 0)
        self.tables = job.folder / ("tables" if command == "export" else OUTPUT)
        ended, self.right = self.outcome("none of them", b"")
        assert ended.status == self.sound, ended.stderr
        assert command == "validate" or self.job.tables(self.tables) == self.job.reference

    def rows(self):
        return {name: (self.tables / name).read_text().splitlines() for name in TABLES
                if (self.tables / name).exists()}

    def put(self, name, data):
        """Makes a directory with only the journal and the record, one file damaged."""
        for folder in (self.job.output, self.tables):
            shutil.rmtree(folder, ignore_errors=True)
        self.job.output.mkdir()
        for other, whole in self.files.items():
            (self.job.output / other).write_bytes(data if other == name else whole)

    def outcome(self, name, data):
        self.put(name, data)
        return COMMANDS[self.command](self.job), self.rows()

    def complaint(self, name, data):
        """What is wrong with the outcome; None if it is refused or the tables are right."""
        ended, found = self.outcome(name, data)
        if not ended.stderr.replace("\n", "").isprintable():
            return f"a message that no terminal should get: {ended.stderr!r}"
        if ended.status != self.sound:
            return self.refusal(ended, found)
        if name == "run.db-wal" and self.command == "export":  # its last units may be lost
            found = {table: rows if set(rows) - set(self.right[table]) else self.right[table]
                     for table, rows in found.items()}
        return None if found == self.right else "wrong tables"

    def refusal(self, ended, found):
        if not error_in(ended, OTHER_CODES.get(self.command)) <= {"journal-damaged", "journal-mismatch"}:
            return f"refused by another error: {ended.stderr}"
        if f"{OUTPUT}/run.db" not in ended.stderr:
            return f"refused without its name: {ended.stderr}"
        return "tables, though it was refused" if found else None


@pytest.fixture(scope="module", params=RUNS)
def left(request, tmp_path_factory):
    """What a run left: its kind, its job, and the journal's files."""
    folder = tmp_path_factory.mktemp("journal")
    (folder / "a.fa").write_text(random_fasta(3, 6, 90))
    job = Job(folder, ["a.fa"])
    job.make_reference()
    job.interrupt(*RUNS[request.param])
    files = {name: (job.output / name).read_bytes() for name in (*JOURNAL, RECORD)}
    assert (len(files["run.db-wal"]) > 0) == (request.param == "interrupted")
    return request.param, job, files


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("damage", [flipped, cut])
def test_what_is_damaged(left, damage, command):
    """All damages together, so that one failure does not hide the others."""
    journal = Journal(*left, command)
    complaints = {f"{name}, {what}": journal.complaint(name, damaged)
                  for name in JOURNAL
                  for what, damaged in damage(journal.files[name], command)}
    assert complaints
    assert {what: why for what, why in complaints.items() if why} == {}
