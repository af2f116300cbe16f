"""Run directories of strangers: no command deletes, writes or reads anything of the user's for them.

Commands that read a run change nothing in its directory, whatever is in it. VIRNUCPRO_BIN is the
executable, VIRNUCPRO_SOURCE the checkout.
"""

import fcntl
import hashlib
import os
import shutil
import socket
import subprocess

import crafted_runs as crafted
import pytest

BIN = os.environ["VIRNUCPRO_BIN"]
MODELS = ["--dnabert-model", "synthetic:dnabert-s-tiny", "--esm-model", "synthetic:esm2_tiny",
          "-p", "synthetic", "-e", "60", "--no-progress"]
PREDICT = ["predict", "good.fa", *MODELS, "-o", "run"]
THESIS = b"years of work\n"

# Commands that read the directory "run". "whole" is a good run.
READING = {
    "export": ["export", "run", "-o", "tables"],
    "report": ["report", "run", "-o", "reports"],
    "report_of_two": ["report", "whole", "run", "--control", "whole", "-o", "samples.html"],
    "report_compared": ["report", "--compare", "whole", "run", "-o", "compared.html"],
    "merge": ["merge", "run", "-o", "merged"],
    "validate": ["utils", "validate-checkpoints", "run"],
    "validate_quickly": ["utils", "validate-checkpoints", "run", "--skip-load"],
    "label_reads": ["label-reads", "run", "reads.sam", "-o", "reads.tsv", "-f"],
    "compare": ["compare", "run", "whole"],
}
# Those that write their own files into it.
IN_PLACE = {"export_in_place": ["export", "run"], "report_in_place": ["report", "run"]}
# The exit code for a damaged journal.
DAMAGED_CODE = {"validate": 1, "validate_quickly": 1}
GOING_ON = {"resume": [*PREDICT, "--resume"], "force_resume": [*PREDICT, "--force-resume"],
            "force": [*PREDICT, "--force"]}
# Those that cannot do without the journal.
JOURNAL = {name: command for name, command in {**READING, **IN_PLACE}.items() if name != "compare"}


def call(folder, command, code=None):
    ended = subprocess.run([BIN, *command], cwd=folder, stdin=subprocess.DEVNULL, timeout=20,
                           capture_output=True, check=False, env={**os.environ, "TMPDIR": str(
                               folder / "temporary")})
    text = ended.stderr.decode(errors="backslashreplace")
    assert code in (None, ended.returncode), text
    assert not list((folder / "temporary").iterdir())
    return ended.returncode, text


def state(folder):
    """All that lies in a folder, and itself: kind, mode, owner, size, times and bytes."""
    found = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        about = path.lstat()
        content = None
        if path.is_symlink():
            content = os.readlink(path)
        elif path.is_file():
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        found[str(path.relative_to(folder))] = (
            about.st_mode, about.st_ino, about.st_nlink, about.st_size, about.st_mtime_ns,
            about.st_ctime_ns, content)
    return found


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A folder with an input and its run."""
    folder = tmp_path_factory.mktemp("good")
    (folder / "temporary").mkdir()
    (folder / "good.fa").write_text("".join(f">{name}\n{letters}\n" for name, letters in (
        ("a", "ACGTTGCAACCA" * 30), ("b", "GATTACAGGCTC" * 20))))
    call(folder, PREDICT, code=0)
    return folder


@pytest.fixture
def place(good, tmp_path):
    """A user's folder with a good run, a run of a stranger that can be crafted, and a thesis."""
    for name in ("whole", "run"):
        shutil.copytree(good / "run", tmp_path / name)
    shutil.copy(good / "good.fa", tmp_path / "good.fa")
    (tmp_path / "reads.sam").write_text("@SQ\tSN:a\tLN:360\nr\t0\ta\t1\t60\t9M\t*\t0\t0\t*\t*\tNM:i:0\n")
    (tmp_path / "temporary").mkdir()
    (tmp_path / "thesis.txt").write_bytes(THESIS)
    return tmp_path


# --- what is read stays as it is -------------------------------------------------------------------
def emptied_log(run):
    """As a run leaves it that is killed between its last row and its end."""
    (run / "run.db-wal").write_bytes(b"")


def without_log(run):
    """As Ctrl-C leaves it."""
    crafted.interrupt(run)
    crafted.change(run)


LEFT = {"finished": (lambda run: None, 0), "emptied_log": (emptied_log, 0),
        "killed": (crafted.interrupt, 2), "stopped": (without_log, 2)}


@pytest.mark.parametrize("left", LEFT)
def test_reading_changes_nothing(place, left):
    leave, code = LEFT[left]
    leave(place / "run")
    before = state(place / "run")
    for name, command in READING.items():
        if code != 0 and name in ("merge", "label_reads", "compare"):  # they want a finished run
            call(place, command)
        else:
            call(place, command, code=0 if name.startswith("validate") else code)
        assert state(place / "run") == before, name


def test_tables_of_a_killed_run_are_those_of_its_log(place):
    crafted.interrupt(place / "run")
    call(place, READING["export"], code=2)
    for table in ("good_merged/prediction_results.txt", "sequences.tsv"):
        assert (place / "tables" / table).read_bytes() == (place / "whole" / table).read_bytes()


@pytest.mark.parametrize("name", ["run.db", "run.db-wal"])
def test_a_killed_run_of_a_huge_size_fills_no_disk(place, name):
    """Its journal is copied; that of a stranger may be a hole of any size."""
    (place / "run" / "run.db-wal").write_bytes(b"x")
    os.truncate(place / "run" / name, 1 << 42)
    for command in READING.values():
        call(place, command, code=0)


@pytest.mark.parametrize("name", IN_PLACE)
def test_writing_beside_a_journal_leaves_the_journal(place, name):
    run = place / "run"
    before = state(run)
    call(place, IN_PLACE[name], code=0)
    after = state(run)
    assert set(after) == set(before)  # no lock is left
    assert after["run.db"] == before["run.db"]


@pytest.mark.parametrize("name", JOURNAL)
def test_a_live_run_is_named(place, name):
    (place / "run" / "run.lock").write_text(f"{socket.gethostname()} {os.getpid()}\n")
    with open(place / "run" / "run.lock", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = state(place / "run")
        _, text = call(place, JOURNAL[name], code=3)
        assert f"process {os.getpid()}" in text
        assert state(place / "run") == before


def test_a_dead_run_s_lock_stays(place):
    (place / "run" / "run.lock").write_text(f"{socket.gethostname()} {2 ** 22 - 1}\n")
    before = state(place / "run")
    for name in ("export", "report", "validate"):
        call(place, READING[name], code=0)
        assert state(place / "run") == before


# --- files that SQLite would act on ----------------------------------------------------------------
def plant_super_journal(run):
    data = crafted.super_journal(run / "run.db", run.parent / "thesis.txt")
    (run / "run.db-journal").write_bytes(data)


def plant_linked_super_journal(run):
    data = crafted.super_journal(run / "run.db", run.parent / "thesis.txt")
    (run / "notes").write_bytes(data)
    (run / "run.db-journal").symlink_to("notes")


def plant_killed_super_journal(run):
    crafted.interrupt(run)
    plant_super_journal(run)


def plant_shared_memory(run):
    (run / "run.db-shm").write_bytes(bytes(32768))


def replace(name, make):
    """Puts something else in a file's place."""
    def plant(run):
        (run / name).unlink(missing_ok=True)
        make(run / name)
    return plant


def link_to_journal(path):
    path.symlink_to(path.parent.parent / "whole" / "run.db")


def link_to_thesis(path):
    path.symlink_to(path.parent.parent / "thesis.txt")


def device(path):
    path.symlink_to("/dev/zero")


PLANTED = {
    "super_journal": (plant_super_journal, "run.db-journal"),
    "super_journal_linked": (plant_linked_super_journal, "run.db-journal"),
    "super_journal_of_a_killed_run": (plant_killed_super_journal, "run.db-journal"),
    "journal_pipe": (replace("run.db-journal", os.mkfifo), "run.db-journal"),
    "shared_memory": (plant_shared_memory, "run.db-shm"),
    "log_linked": (replace("run.db-wal", link_to_thesis), "run.db-wal"),
    "log_pipe": (replace("run.db-wal", os.mkfifo), "run.db-wal"),
    "log_folder": (replace("run.db-wal", os.mkdir), "run.db-wal"),
    "database_linked": (replace("run.db", link_to_journal), "run.db"),
    "database_pipe": (replace("run.db", os.mkfifo), "run.db"),
    "database_device": (replace("run.db", device), "run.db"),
    "database_folder": (replace("run.db", os.mkdir), "run.db"),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_what_no_run_leaves_is_refused(place, planted):
    plant, named = PLANTED[planted]
    plant(place / "run")
    before = state(place / "run"), state(place / "whole")
    for name, command in {**JOURNAL, **GOING_ON}.items():
        _, text = call(place, command, code=3)
        assert f"run/{named}: " in text, name
        assert (place / "thesis.txt").read_bytes() == THESIS, name
        assert (state(place / "run"), state(place / "whole")) == before, name
    call(place, READING["compare"])
    assert (state(place / "run"), state(place / "whole")) == before


@pytest.mark.parametrize("make", [os.mkfifo, link_to_thesis, os.mkdir])
def test_a_lock_that_is_no_file_keeps_no_reader_out(place, make):
    make(place / "run" / "run.lock")
    before = state(place / "run")
    for name in ("export", "report", "merge", "validate"):
        call(place, READING[name], code=0)
        assert state(place / "run") == before
    assert (place / "thesis.txt").read_bytes() == THESIS


# --- databases -------------------------------------------------------------------------------------
def in_header(at, data):
    return lambda run: crafted.overwrite(run / "run.db", at, data)


def changed(*statements):
    return lambda run: crafted.change(run, *statements)


def changed_in_log(*statements):
    return lambda run: crafted.change_in_log(run, *statements)


TRIGGER = ("CREATE TRIGGER surprise AFTER INSERT ON units BEGIN DELETE FROM inputs; END")
VIEW = "CREATE VIEW surprise AS SELECT load_extension('./canary')"
VIRTUAL = "CREATE VIRTUAL TABLE surprise USING fts4(words)"


def in_log(at, data, sealed=True):
    """Bytes from `at` of a log, or from the start of its last frame if that is negative."""
    def put(log):
        start = at if at >= 0 else len(log) - 24 - crafted.PAGE + ~at
        log[start:start + len(data)] = data
    return crafted.log_with(put, sealed)


def rubbish_as_log(run):
    (run / "run.db-wal").write_bytes(b"rubbish" * 10_000)


LAST = -1  # and the bytes before it: places within the last frame


def foreign_database(run):
    (run / "run.db").unlink()
    database = crafted.opened(run)
    database.execute("CREATE TABLE letters(love TEXT)")
    database.close()


DAMAGED = {
    "rollback_mode": in_header(18, b"\1\1"),
    "newer_for_writing": in_header(18, b"\3\2"),
    "newer_for_reading": in_header(18, b"\2\3"),
    "page_size_odd": in_header(16, b"\x10\x01"),
    "page_size_zero": in_header(16, b"\0\0"),
    "other_magic": in_header(0, b"SQLite format 4\0"),
    "other_application": in_header(crafted.APPLICATION_ID, b"\0\0\0\1"),
    "foreign_database": foreign_database,
    "empty": lambda run: (run / "run.db").write_bytes(b""),
    "trigger": changed(TRIGGER),
    "view": changed(VIEW),
    "virtual_table": changed(VIRTUAL),
    "trigger_in_log": changed_in_log(TRIGGER),
    "view_in_log": changed_in_log(VIEW),
    "other_application_in_log": changed_in_log("PRAGMA application_id = 1"),
    "log_of_a_huge_database": in_log(LAST - 4, b"\xff\xff\xff\xff"),
    "log_of_no_page": in_log(LAST - 4, b"\0\0\0\0"),
    "log_of_page_zero": in_log(LAST, b"\0\0\0\0"),
    "log_of_the_last_page": in_log(LAST, b"\xff\xff\xff\xfe"),
    "log_of_another_salt": in_log(16, b"salt", sealed=False),
    "log_with_wrong_sums": in_log(LAST - 30, b"rubbish", sealed=False),
    "log_of_rubbish_pages": in_log(LAST - 24, b"\xff" * crafted.PAGE),
    "log_of_odd_pages": in_log(8, b"\0\0\x10\1"),
    "log_of_large_pages": in_log(8, b"\0\1\0\0"),
    "log_of_another_version": in_log(4, b"\xff\xff\xff\xff"),
    "rubbish_as_log": rubbish_as_log,
    "pages_without_end": crafted.pages_without_end,
    "schema_without_end": crafted.schema_without_end,
    "values_without_end": crafted.values_without_end,
    "unit_of_40_mb": changed("UPDATE units SET scores = zeroblob(40000000)"),
}
# Of a log SQLite takes what comes before its first fault, and of an unfinished run there may be any
# beginning. So such a run may be read.
MAY_BE_READ = {name for name in DAMAGED if "log" in name} - {
    "trigger_in_log", "view_in_log", "other_application_in_log"}
OUTPUTS = ("temporary", "tables", "reports", "samples.html", "samples.tsv", "samples.json",
           "compared.html", "merged", "reads.tsv", "run_partial")


def users(place):
    """The state of all that is the user's."""
    return {name: about for name, about in state(place).items()
            if name != "." and name.split("/")[0] not in (*OUTPUTS, "run")}


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_crafted_database_changes_nothing(place, damaged):
    DAMAGED[damaged](place / "run")
    before = state(place / "run"), users(place)
    for name, command in READING.items():
        code, text = call(place, command)
        refused = code == DAMAGED_CODE.get(name, 3) and "journal is damaged" in text
        assert refused or name == "compare" or damaged in MAY_BE_READ, f"{name}: {text}"
        assert "this is a bug" not in text
        assert (state(place / "run"), users(place)) == before, name
    for name, command in (*IN_PLACE.items(), ("resume", GOING_ON["resume"])):
        code, text = call(place, command)
        assert code == 3 or damaged in MAY_BE_READ, f"{name}: {text}"
        assert "this is a bug" not in text
        assert users(place) == before[1], name
        assert "log" in damaged or state(place / "run")["run.db"] == before[0]["run.db"], name
    assert not list(place.rglob("canary*"))


@pytest.mark.parametrize("name", GOING_ON)
def test_values_without_end_prove_no_files(place, name):
    """What lies in a directory without run.files is known from its journal, if that is one."""
    crafted.values_without_end(place / "run")
    (place / "run" / "run.files").unlink()
    before = state(place / "run")
    code, text = call(place, GOING_ON[name])
    assert code in (1, 3) and "this is a bug" not in text
    assert state(place / "run") == before


# --- names and paths that a run directory holds ----------------------------------------------------
STEMS = {"up": "../evil", "absolute": "/dev/null/evil", "inner": "a/b", "empty": "", "dot": ".",
         "dots": "..", "nul": "a\0b", "line": "a\nb", "escape": "a\x1b[2J", "long": "a" * 256}
ENTRIES = {**{f"stem_{name}": ("stem", value) for name, value in STEMS.items()},
           "path_nul": ("input_000000", "good.fa\0.txt"), "path_long": ("input_000000", "a" * 65537),
           "key_escape": ("\x1b[2J", "a"), "key_long": ("k" * 65, "a"), "key_empty": ("", "a")}


def everything(place):
    return {name: about for name, about in state(place).items() if name.split("/")[0] not in
            (".", "temporary")}


@pytest.mark.parametrize("named", ENTRIES)
def test_an_entry_that_no_run_writes(place, named):
    crafted.change(place / "run", crafted.entry(*ENTRIES[named]))
    before = everything(place)
    for name, command in JOURNAL.items():
        _, text = call(place, command, code=DAMAGED_CODE.get(name, 3))
        assert "run/run.db: the run's journal is damaged: its fingerprint's entry" in text
        assert text.replace("\n", "").isprintable()
        assert everything(place) == before, name
    call(place, GOING_ON["resume"], code=3)
    assert set(everything(place)) == set(before)


def test_an_entry_is_missing_or_holds_lines(place):
    crafted.change(place / "run", "DELETE FROM fingerprint WHERE key = 'esm2'",
                   crafted.entry("dnabert_s", "a\n\x1b[2J"))
    call(place, JOURNAL["export"], code=0)
    assert (place / "tables" / "SYNTHETIC_WEIGHTS").read_text().isascii()
    assert "\x1b" not in (place / "tables" / "SYNTHETIC_WEIGHTS").read_text()
    call(place, JOURNAL["report"], code=0)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "a\nb", "a" * 256])
def test_a_name_that_the_user_gives(place, name):
    _, text = call(place, ["predict", "good.fa", *MODELS, "-o", "new", "--name", name], code=1)
    assert "--name" in text
    assert not (place / "new").exists()


def test_a_name_that_an_input_gives(place):
    (place / "a\nb.fa").write_bytes((place / "good.fa").read_bytes())
    predict = ["predict", "a\nb.fa", *MODELS, "-o", "new"]
    _, text = call(place, predict, code=1)
    assert "--name NAME" in text
    assert not (place / "new").exists()
    call(place, [*predict, "--name", "fine"], code=0)
    call(place, ["export", "new"], code=0)


SECRET = '{"run": {"status": "a secret of the user"}}'
SECRET_FILE = "../secret"  # from a run's directory


@pytest.mark.parametrize("suffix", ["json", "jsonl", "h5"])
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(SECRET_FILE)],
                         ids=["pipe", "link"])
def test_telemetry_that_is_no_file(place, suffix, make):
    (place / "secret").write_text(SECRET)
    for file in (place / "run").glob(f"telemetry_*.{suffix}"):
        file.unlink()
        make(file)
    before = state(place / "run")
    call(place, READING["report"], code=0)
    assert "secret" not in (place / "reports" / "report.json").read_text()
    assert state(place / "run") == before
    assert (place / "secret").read_text() == SECRET


def test_telemetry_of_another_name_replaces_nothing(place):
    """A report in another folder writes the HDF5 file that a killed run lacks."""
    lines = next((place / "run").glob("telemetry_*.jsonl"))
    for file in (place / "run").glob("telemetry_*.*"):
        if file != lines:
            file.unlink()
    lines.rename(place / "run" / "telemetry_thesis.jsonl")
    (place / "reports").mkdir()
    (place / "reports" / "telemetry_thesis.h5").write_bytes(THESIS)
    call(place, READING["report"], code=0)
    assert (place / "reports" / "telemetry_thesis.h5").read_bytes() == THESIS


# --- hard links, as an archive can make them -------------------------------------------------------
@pytest.mark.parametrize("name", ["run.db", "logs/virnucpro.log"])
def test_a_hard_link_writes_into_no_other_file(place, name):
    file, other = place / "run" / name, place / "kept"
    if file.exists():
        shutil.copy(file, other)
    else:
        other.write_bytes(THESIS)
    file.unlink(missing_ok=True)
    os.link(other, file)
    before = other.read_bytes()
    code, text = call(place, [*GOING_ON["resume"], "--threshold", "0.9"])
    assert code != 0 and name in text and "cp FILE COPY" in text, text
    assert other.read_bytes() == before


# --- pipes among files that are read whole ----------------------------------------------------------
def test_a_pipe_for_a_small_file_is_refused_at_once(place):
    os.mkfifo(place / "pipe.yaml")
    code, text = call(place, [*PREDICT, "--config", "pipe.yaml"])
    assert code != 0 and "pipe.yaml" in text and "not a regular file" in text
    (place / "model").mkdir()
    (place / "model" / "config.json").write_text("{}")
    os.mkfifo(place / "model" / "model.safetensors.index.json")
    code, text = call(place, ["utils", "inspect", "model"])
    assert code != 0 and "not a regular file" in text
