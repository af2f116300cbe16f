"""predict from start to end with tiny synthetic weights: good and bad inputs, outputs, signals."""

import gzip
import os
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest
from bgzf import bgzf, bgzf_block
from conftest import LAMBDA, MODELS, Program, fasta, fastq, limited, message, of_input, pieces, telemetry_of
from lengths import by_length

SHORT = ["-e", "100"]


@pytest.fixture
def reads(program, sequences):
    path = program.folder / "reads.fa"
    path.write_text(fasta(sequences))
    return path


@pytest.fixture(scope="module")
def expected(genome, tmp_path_factory):
    """The tables that every other form of the same sequences must give."""
    program = Program(tmp_path_factory.mktemp("expected"))
    (program.folder / "reads.fa").write_text(fasta(pieces(genome)))
    program.predict("reads.fa", *SHORT, "-o", "expected", code=0)
    return program.tables("expected", "reads")


def test_tables(expected, sequences):
    rows = expected["prediction_results.txt"].decode().splitlines()
    assert rows[0] == "Sequence_ID\tPrediction\tscore1\tscore2"
    assert len(rows) > 10
    chunks = expected["prediction_results_highestscore.csv"].decode().splitlines()
    assert chunks[0] == "Modified_ID\tIs_Virus\tmax_score_0\tmax_score_1"
    ids = [row.split("\t")[0] for row in chunks[1:]]
    assert ids == sorted(ids)
    listed = expected["sequences.tsv"].decode().splitlines()
    assert [row.split("\t")[0] for row in listed[1:]] == list(sequences)


def test_stderr_ends_with_the_summary(program, reads):
    result = program.predict(reads.name, *SHORT, code=0)
    assert result.stdout == b""
    for words in ("sequences ", "virus ", "others ", "unscored ", "frames/s", "synthetic",
                  "tables: reads_predictions/reads_merged"):
        assert words in message(result)
    mark = (program.folder / "reads_predictions" / "SYNTHETIC_WEIGHTS").read_text()
    assert "esm2: synthetic:esm2_tiny:0\n" in mark
    assert program.predict(reads.name, "-q", *SHORT, "-o", "quiet").stderr == b""


def test_exported_weights_still_say_that_they_are_synthetic(program, reads, expected):
    for name, place, *flags in (("synthetic:dnabert-s-tiny", "dnabert-s"),
                                ("synthetic:esm2_tiny", "esm2"),
                                ("synthetic", "classifier.safetensors", "--inputs", "80")):
        assert program("utils", "export-weights", name, *flags, "-o", place).returncode == 0
    result = program("predict", reads.name, *SHORT, "--dnabert-model", "dnabert-s",
                     "--esm-model", "esm2", "-p", "classifier.safetensors", "-o", "out", code=0)
    assert "the weights are synthetic" in message(result)
    mark = (program.folder / "out" / "SYNTHETIC_WEIGHTS").read_text()
    assert "classifier: classifier.safetensors\n" in mark
    assert program.tables("out", "reads") == expected


@pytest.mark.parametrize("flags, variables", [
    (["-t", "1"], {}), (["-t", "2", "--prefetch", "1"], {}), (["--token-budget", "64"], {}),
    (["--token-budget", "32768"], {}), ([], {"VIRNUCPRO_DISABLE_PACKING": "1"})])
def test_how_it_is_computed_changes_no_byte(program, reads, expected, flags, variables):
    program.predict(reads.name, *SHORT, *flags, "-o", "out", environment=variables, code=0)
    assert program.tables("out", "reads") == expected


FORMS = {
    "crlf": lambda s: fasta(s, end="\r\n").encode(),
    "one line": lambda s: fasta(s, width=10**6).encode(),
    "lower case": lambda s: fasta({name: letters.lower() for name, letters in s.items()}).encode(),
    "blank lines": lambda s: ("\n\n" + fasta(s).replace("\n>", "\n\n>") + "\n\n").encode(),
    "byte-order mark": lambda s: b"\xef\xbb\xbf" + fasta(s).encode(),
    "no last line end": lambda s: fasta(s).encode().rstrip(b"\n"),
    "fastq": lambda s: fastq(s).encode(),
    "gzip": lambda s: gzip.compress(fasta(s).encode()),
    "bgzf": lambda s: bgzf(fasta(s).encode()),
    "fastq, gzip": lambda s: gzip.compress(fastq(s).encode()),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_the_same_sequences(program, sequences, expected, form):
    (program.folder / "input").write_bytes(FORMS[form](sequences))
    program.predict("input", *SHORT, "-o", "out", "--name", "reads", code=0)
    assert program.tables("out", "reads") == of_input(expected, "input")


def test_stdin(program, reads, expected):
    program.predict("-", *SHORT, "-o", "out", stdin=gzip.compress(reads.read_bytes()), code=0)
    assert program.tables("out", "stdin") == of_input(expected, "stdin")


def test_frame_table_on_stdout(program, reads, expected):
    before = set(program.folder.iterdir())
    result = program.predict(reads.name, *SHORT, "-o", "-", code=0)
    assert result.stdout == expected["prediction_results.txt"]
    assert set(program.folder.iterdir()) == before


def test_intermediate_files(program, reads):
    assert program.predict(reads.name, *SHORT, "-k", "-o", "out").returncode == 0
    found = {path.name for path in (program.folder / "out").rglob("*") if path.is_file()}
    assert {"reads_chunked100.fa", "embeddings.h5"} <= found
    assert any(name.endswith("_identified_nucleotide.fa") for name in found)
    assert any(name.endswith("_identified_protein.faa") for name in found)


def test_several_inputs_are_one_run(program, sequences, expected):
    items = list(sequences.items())
    (program.folder / "reads.fa").write_text(fasta(dict(items[:2])))
    (program.folder / "b.fq").write_text(fastq(dict(items[2:])))
    program.predict("reads.fa", "b.fq", *SHORT, "-o", "out", code=0)
    assert program.tables("out", "reads") == of_input(expected, *2 * ["reads.fa"], *4 * ["b.fq"])


def test_paired_inputs_get_their_mates_numbers(program, sequences):
    for name in ("r1.fq", "r2.fq"):
        (program.folder / name).write_text(fastq(sequences))
    program.predict("--paired", "r1.fq", "r2.fq", *SHORT, "-o", "out", code=0)
    listed = program.tables("out", "r1")["sequences.tsv"].decode().splitlines()[1:]
    assert [row.split("\t")[0] for row in listed[:2]] == ["piece_0/1", "piece_0/2"]
    assert all(row.endswith("\tr1.fq+r2.fq") for row in listed)


@pytest.mark.parametrize("form", ["files", "pipe"])
def test_viruses_of_pairs_have_the_ids_of_the_tables(program, sequences, form):
    for name in ("r1.fq", "r2.fq"):
        (program.folder / name).write_text(fastq(sequences))
    first = "r1.fq" if form == "files" else "-"
    program.predict("--paired", first, "r2.fq", *SHORT, "--virus-fasta", "--min-share", "0",
                    "--name", "r1", "-o", "out", stdin=fastq(sequences).encode(), code=0)
    listed = program.tables("out", "r1")["sequences.tsv"].decode().splitlines()[1:]
    lines = (program.folder / "out" / "virus.fasta").read_text().splitlines()
    headers = [line[1:] for line in lines if line.startswith(">")]
    assert headers == [row.split("\t")[0] + " a piece" for row in listed if "unscored" not in row]


def test_a_score_below_the_least_is_no_virus_chunk(program, reads):
    def rows_of(table):
        return [row.split("\t") for row in table.decode().splitlines()[1:]]
    program.predict(reads.name, *SHORT, "-o", "out", code=0)
    tables = program.tables("out", "reads")
    viruses = [(name.rpartition("_chunk_")[0], float(score)) for name, is_virus, _, score
               in rows_of(tables["prediction_results_highestscore.csv"]) if is_virus == "True"]
    least, share = sorted(score for _, score in viruses)[len(viruses) // 2], 0.2
    flags = ["--min-score", str(least), "--min-share", str(share)]
    program.predict(reads.name, *SHORT, *flags, "-o", "new", code=0)
    program("export", "out", *flags, "-o", "again", code=0)
    found = program.tables("new", "reads")
    assert found == program.tables("again", "reads") != tables
    calls = set()
    for row in rows_of(found["sequences.tsv"]):
        enough = sum(name == row[0] and score >= least for name, score in viruses)
        assert int(row[5]) == enough
        assert row[8] == ("virus" if enough / int(row[3]) >= share else "others")
        calls.add(row[8])
    assert len(calls) == 2, "or the share proves nothing"


def test_virus_fasta_and_threshold(program, reads, sequences):
    program.predict(reads.name, *SHORT, "--virus-fasta", "--threshold", "0", "-o", "out", code=0)
    found = list((program.folder / "out").rglob("virus.fasta"))
    assert len(found) == 1
    assert found[0].read_text() == fasta(sequences)


def test_all_missing_models_are_named_at_once(program, reads):
    encoders = ["DNABERT-S", "ESM-2"]
    for command, names in ((["predict", "-m", "500"], [*encoders, "classifier"]),
                           (["embed", "-o", "x.h5"], encoders)):
        said = message(program(*command, reads.name, "--models-dir", ".", code=1))
        assert all(name in said.splitlines()[0] for name in names), said
    assert list(program.folder.iterdir()) == [reads]


def test_mismatched_chunk_size_is_warned_of(program, reads):
    result = program.predict(reads.name, "-m", "300", "-e", "200", "-o", "out", code=0)
    assert "chunks are 200 bases long" in message(result)


def test_duplicate_ids_and_unknown_letters_are_warned_of(program):
    (program.folder / "a.fa").write_text(">x\nACGTACGTACGT\n>x\nACGTAC-TJCGT\n")
    result = program.predict("a.fa", "-o", "out", code=0)
    assert "1 sequences have the id of an earlier sequence" in message(result)
    assert "2 characters outside IUPAC" in message(result)
    assert program.tables("out", "a")["sequences.tsv"].count(b"\nx\t") == 2


@pytest.mark.parametrize("text, sequences", [(b"", 0), (gzip.compress(b"", mtime=0), 0),
                                             (b">a\n>b\n\n", 2)], ids=["empty", "gzip", "ids"])
def test_nothing_to_score(program, text, sequences):
    (program.folder / "a.fa").write_bytes(text)
    said = message(program.predict("a.fa", "-o", "out", code=0))
    assert "warning: no sequence could be scored" in said or not sequences and "warning" in said
    for name, table in program.tables("out", "a").items():
        expected_rows = 1 + sequences if name == "sequences.tsv" else 1
        assert table.count(b"\n") == expected_rows, name


def corrupt_crc(data):
    return data[:-8] + bytes([data[-8] ^ 1]) + data[-7:]


def bad_inputs():
    good = b">a\n" + b"ACGGTTCAACGT" * 40 + b"\n"
    packed = LAMBDA.read_bytes()
    return {
        "gzip cut in half": (packed[:len(packed) // 2], "input-truncated"),
        "wrong CRC": (corrupt_crc(gzip.compress(good)), "input-corrupt"),
        "BGZF without its end": (bgzf_block(good), "input-truncated"),
        "FASTQ of unequal lengths": (b"@a\nACGT\n+\nIII\n@b\nA\n+\nI\n", "input-malformed"),
        "FASTQ cut": (b"@a\nACGT\n+\nIIII\n@b\nACGT\n", "input-truncated"),
        "FASTA without a header": (b"ACGTACGT\n", "input-format"),
        "rubbish": (bytes(range(128, 256)) * 10, "input-format"),
        "NUL bytes": (good + b">b\nAC\0GT\n", "input-malformed"),
        "letters that are not ASCII": (good + ">b\nACÜGT\n".encode(), "input-malformed"),
    }


@pytest.mark.parametrize("case", bad_inputs())
def test_bad_input_alone(program, case):
    (program.folder / "bad").write_bytes(bad_inputs()[case][0])
    assert "virnucpro: error: bad: " in message(program.predict("bad", *SHORT, "-o", "out", code=1))
    assert not list((program.folder / "out").rglob("prediction_results*"))


@pytest.mark.parametrize("case", [*bad_inputs(), "absent"])
@pytest.mark.parametrize("order", [["bad", "reads.fa"], ["reads.fa", "bad"]])
def test_bad_input_beside_a_good_one(program, reads, expected, case, order):
    data, error = bad_inputs().get(case, (None, "input-missing"))
    if data is not None:
        (program.folder / "bad").write_bytes(data)
    program.predict(*order, *SHORT, "-o", "out", "--name", "reads", code=2)
    assert program.tables("out", "reads") == expected
    header, row = (program.folder / "out" / "failed_inputs.txt").read_text().splitlines()
    name, kind, *_ = row.split("\t")
    assert header.startswith("name\terror\trecord\toffset")
    assert (name, kind) == ("bad", error)


def test_no_input_can_be_read(program, reads):
    (program.folder / "bad").write_bytes(b"ACGT\n")
    result = program.predict("absent.fa", "bad", *SHORT, "-o", "out", code=1)
    text = message(result)
    assert (text.count("absent.fa"), text.count("bad")) == (2, 1), text
    assert "absent.fa: input not found: No such file or directory; the other inputs could not be read" in text
    assert len((program.folder / "out" / "failed_inputs.txt").read_text().splitlines()) == 3


def test_strict_input_stops(program, reads):
    (program.folder / "bad").write_bytes(b"ACGT\n")
    program.predict(reads.name, "bad", *SHORT, "--strict-input", "-o", "out", code=1)
    assert not list((program.folder / "out").rglob("prediction_results*"))


def test_output_that_is_not_empty(program, reads, expected):
    assert program.predict(reads.name, *SHORT, "-o", "out").returncode == 0
    (program.folder / "out" / "note.txt").write_text("mine")
    assert "--force" in message(program.predict(reads.name, *SHORT, "-o", "out", code=1))
    program.predict(reads.name, *SHORT, "-o", "out", "--force", code=0)
    assert program.tables("out", "reads") == expected
    assert (program.folder / "out" / "note.txt").read_text() == "mine"


def running(program, *flags):
    """A run that waits for its input."""
    process = program.start_waiting(*SHORT, "-o", "out", *flags)
    program.wait_for_journal(process)
    return process


def test_a_closed_stdin_is_no_input(program):
    result = program.predict("-", *SHORT, "-o", "out", preexec_fn=lambda: os.close(0), code=1)
    assert "stdin: record 1, byte 0: input cannot be read: Bad file descriptor" in message(result)


@pytest.mark.parametrize("number", [1, 2])
def test_no_file_takes_the_place_of_a_closed_stream(program, reads, expected, number):
    process = program.start("predict", *MODELS, "-", *SHORT, "-o", "out", "--name", "reads", "-v",
                            stdin=subprocess.PIPE, preexec_fn=lambda: os.close(number))
    program.wait_for_journal(process)
    assert os.readlink(f"/proc/{process.pid}/fd/{number}") == "/dev/null"
    process.communicate(reads.read_bytes(), timeout=60)
    assert process.returncode == 0
    assert program.tables("out", "reads") == of_input(expected, "stdin")


def test_second_process_on_the_same_output(program, reads):
    first = running(program)
    second = program.predict(reads.name, *SHORT, "-o", "out", "--force", code=3)
    assert str(first.pid) in message(second)
    _, errors = first.communicate(reads.read_bytes(), timeout=60)
    assert first.returncode == 0, errors


@pytest.mark.parametrize("number, code, told", [
    (signal.SIGINT, 130, "interrupted: by the user"), (signal.SIGTERM, 143, "terminated: by SIGTERM"),
    (signal.SIGHUP, 143, "terminated: by SIGHUP, which a terminal sends when it is closed")])
def test_signals_stop_a_run_within_five_seconds(program, number, code, told):
    process = running(program)
    process.send_signal(number)
    assert process.wait(timeout=5) == code
    lines = process.communicate()[1].decode().splitlines()
    assert f"virnucpro: error: {told}" in lines and lines[-1].endswith(" --resume")
    assert not list((program.folder / "out").rglob("prediction_results*"))


# Two signals wait while the process is stopped, so it gets both at the same moment.
@pytest.mark.parametrize("numbers, codes", [((signal.SIGTERM, signal.SIGHUP), {143}),
                                            ((signal.SIGINT, signal.SIGTERM), {130, 143})])
def test_two_signals_that_are_one_request(program, numbers, codes):
    process = running(program)
    for number in (signal.SIGSTOP, *numbers, signal.SIGCONT):
        process.send_signal(number)
    assert process.wait(timeout=5) in codes
    assert process.communicate()[1].decode().splitlines()[-1].endswith(" --resume")
    assert not (program.folder / "out" / "run.lock").exists()


def test_only_the_first_thread_gets_signals(program, reads):
    """A handler on a thread that computes would damage the heap."""
    process = running(program)
    blocked = {}
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        status = dict(line.split(":\t") for line in (task / "status").read_text().splitlines())
        blocked[int(task.name)] = bool(int(status["SigBlk"], 16) >> (signal.SIGTERM - 1) & 1)
    assert not blocked.pop(process.pid)
    assert blocked and all(blocked.values())
    process.communicate(reads.read_bytes(), timeout=60)
    assert process.returncode == 0


def computing(program, genome, model, *arguments, **options):
    """A long run. Batches of the larger ESM-2 take seconds."""
    (program.folder / "long.fa").write_text(fasta({f"copy_{i}": genome for i in range(100)}))
    return program.start("predict", "long.fa", *MODELS, "--esm-model", f"synthetic:{model}", "-t", "1", *arguments,
                         **options)


# With the larger one the run must stop between two layers.
@pytest.mark.parametrize("number, code, model", [(signal.SIGINT, 130, "esm2_t6_8M"),
                                                 (signal.SIGTERM, 143, "esm2_t12_35M")], ids=["small", "large"])
def test_signals_stop_a_run_that_computes(program, genome, number, code, model):
    process = computing(program, genome, model, "-o", "out", stderr=subprocess.PIPE)
    program.wait_for_journal(process)
    program.wait_for_journal(process)
    time.sleep(1)
    assert process.poll() is None, process.stderr.read()
    process.send_signal(number)
    assert process.wait(timeout=5) == code
    process.communicate()


def test_a_second_interrupt_leaves_nothing_in_the_temporary_folder(program, genome):
    """The first one waits for a batch, which takes seconds."""
    temporary = program.folder / "tmp"
    temporary.mkdir()
    program.environment["TMPDIR"] = str(temporary)
    said = program.folder / "said"
    with said.open("w") as log:
        process = computing(program, genome, "esm2_t12_35M", "-v", "-o", "-", stdout=subprocess.DEVNULL, stderr=log)
    program.wait_for(lambda: "first batch" in said.read_text(), process)
    time.sleep(0.3)
    assert list(temporary.glob("virnucpro-*/run/run.db"))
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=5) == 130
    # Another thread may still write its line of progress before the process has ended.
    assert any(line.startswith("virnucpro: ended at once by a second signal")
               for line in said.read_text().splitlines())
    assert not list(temporary.iterdir())


def test_force_replaces_nothing_before_the_models_are_there(program, reads):
    assert program.predict(reads.name, *SHORT, "-o", "out").returncode == 0
    before = program.tables("out", "reads")
    result = program.predict(reads.name, "-o", "out", "--force", "--esm-model", "no/such/model")
    assert result.returncode == 1
    assert "model not found" in message(result)
    assert program.tables("out", "reads") == before


def test_more_threads_than_the_system_gives(program, reads):
    result = program.predict(reads.name, *SHORT, "-o", "out", "-t", "1024",
                             **limited(resource.RLIMIT_AS, 3 << 30), code=4)
    assert "threads could be started" in message(result)


def test_an_interrupt_ends_the_wait_for_a_silent_pipe(program, reads):
    process = program.start_waiting(*SHORT, "-o", "out")
    process.stdin.write(reads.read_bytes())
    process.stdin.flush()
    program.interrupt(process)


# One frame does not fill the packer's window, so everything after it waits to be journaled, even
# when the disk is slow. Its long ids make growth visible: 127 MiB without the drain, 119 MiB
# without a limit on what waits for the disk, 75 MiB with both.
@pytest.mark.parametrize("milliseconds", by_length([50], [0, 50]))
def test_memory_does_not_grow_with_sequences_that_have_no_frame(program, milliseconds):
    with open(program.folder / "many.fa", "w", encoding="ascii") as many:
        many.write(">long\n" + "ACG" * 40 + "\n")
        many.writelines(f">{i:0200}\nACGTACGTAC\n" for i in range(450_000))
    program.environment.update(LD_PRELOAD=os.environ["VIRNUCPRO_IO_SHIM"],
                               VNP_SHIM_DIR=str(program.folder / "out"),
                               VNP_SHIM=f"slow:fsync:{milliseconds}")
    # The program with tiny limits writes a row for each sequence, and syncs a thousand times.
    program.predict("many.fa", *SHORT, "--min-length", "100", "-t", "1", "-q", "-o", "out",
                    timeout=600, code=0)
    # From the process itself: wait4() never reports less than the peak of its parent at the fork.
    assert telemetry_of(program.folder / "out")["host"]["peak_rss_bytes"] < 120 << 20


def test_temporary_folder_full(program, reads):
    result = program.predict(reads.name, *SHORT, "-o", "-", **limited(resource.RLIMIT_FSIZE, 100), code=1)
    assert "the temporary folder cannot be used" in message(result)
    assert "Set TMPDIR to a folder with free space" in message(result)


@pytest.mark.parametrize("flags, expected", [
    (["--esm-model", "no/such/model"], "model not found"),
    (["--dnabert-model", "synthetic:no-such-shape"], "model not found"),
    (["-p", "absent.pth"], "model not found"),
    (["-p", "reads.fa"], "model file cannot be understood"),
])
def test_bad_models(program, reads, flags, expected):
    assert expected in message(program.predict(reads.name, *flags, "-o", "out", code=1))


def test_embed(program, reads):
    import h5py
    encoders = MODELS[:4]
    program("embed", reads.name, *encoders, *SHORT, "-o", "e.h5", code=0)
    with h5py.File(program.folder / "e.h5") as file:
        assert file["merged"].shape == (len(file["ids"]),
                                        file["dnabert_s"].shape[1] + file["esm2"].shape[1])
        first = file["esm2"][:]
    assert program("embed", reads.name, *encoders, *SHORT, "-o", "e.h5").returncode == 1
    program("embed", reads.name, *encoders, *SHORT, "--what", "esm2", "-f", "-o", "e.h5", code=0)
    with h5py.File(program.folder / "e.h5") as file:
        assert "merged" not in file
        assert (file["esm2"][:] == first).all()


def test_embed_proteins_as_they_are(program):
    import h5py
    (program.folder / "p.faa").write_text(">a\nMKV*L\n>b\nM\n")
    program("embed", "--proteins", "p.faa", *MODELS[:4], "-o", "p.h5", code=0)
    with h5py.File(program.folder / "p.h5") as file:
        assert [name.decode() for name in file["ids"]] == ["a", "b"]
        assert set(file) == {"ids", "esm2"}
