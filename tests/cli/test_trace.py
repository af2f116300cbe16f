"""The timeline written by predict --trace."""

import json
import os
import signal

import pytest
from check_trace import Trace
from conftest import fasta, message, workers_of

SHORT = ["-e", "100", "--no-progress", "--token-budget", "200"]


def read(program, file="trace.json"):
    trace = Trace((program.folder / file).read_text())
    trace.check()
    return trace


def traced(program, *flags, file="trace.json", **options):
    program.predict("reads.fa", *SHORT, "--trace", file, *flags, **options, code=0)
    return read(program, file)


def batches_of(folder):
    lines = next(folder.glob("telemetry_*.jsonl")).read_text().splitlines()
    return [json.loads(line) for line in lines]


def spans(trace, pid, name):
    return [span for span in trace.of(pid, "host") if span["name"] == name]


def test_one_process(with_reads):
    trace = traced(with_reads, "-o", "out")
    (pid,) = trace.names
    assert trace.names[pid] == "run"
    assert not trace.about["reached_limit"]
    every = {batch["batch"] for batch in batches_of(with_reads.folder / "out")}
    assert len(every) > 3
    for step in ("pack", "submit", "compute", "ESM-2", "DNABERT-S", "classifier", "take results"):
        assert trace.batches(pid, step) == every, step
        assert len(spans(trace, pid, step)) == len(every)
    for step in ("load models", "read", "translate, tokenize", "wait for frames", "journal", "tables"):
        assert spans(trace, pid, step), step
    threads = {name.split()[0] for name in trace.tracks.values()}
    assert threads == {"main", "frames", "worker", "journal"}
    about = trace.about["processes"][0]
    assert about["events_dropped"] == 0 and about["kernels"] == ""
    assert 0 < about["recording_seconds"] < trace.about["seconds"]


def test_worker_processes(with_reads):
    trace = traced(with_reads, "-o", "out", "--cpu-workers", "2")
    run, *workers = trace.names
    assert trace.names[run] == "run"
    assert {trace.names[pid] for pid in workers} == {"worker 0 (cpu)", "worker 1 (cpu)"}
    batches = batches_of(with_reads.folder / "out")
    assert trace.batches(run, "take results") == {batch["batch"] for batch in batches}
    for pid in workers:
        index = int(trace.names[pid].split()[1])
        of_worker = {batch["batch"] for batch in batches if batch["worker"] == index}
        assert trace.batches(pid, "compute") == of_worker
        assert spans(trace, pid, "load models")
        # One clock: a batch is computed after it was sent, and before its results arrive.
        for span in spans(trace, pid, "compute"):
            if "batch" not in span["args"]:  # the batch that checks a worker
                continue
            sent, taken = (next(step for step in spans(trace, run, name)
                                if step["args"]["batch"] == span["args"]["batch"])
                           for name in ("send", "take results"))
            assert sent["ts"] < span["ts"] and span["ts"] + span["dur"] < taken["ts"] + taken["dur"]


@pytest.mark.parametrize("flags", [[], ["--cpu-workers", "2"]])
def test_so_many_batches(with_reads, flags):
    trace = traced(with_reads, "-o", "out", "--trace-limit", "3", *flags)
    assert trace.about["reached_limit"]
    assert len(batches_of(with_reads.folder / "out")) > 3
    run, *workers = trace.names
    assert trace.batches(run) == {0, 1, 2}
    computed = set().union(*(trace.batches(pid, "compute") for pid in [run, *workers]))
    assert computed == {0, 1, 2}
    with_reads.predict("reads.fa", *SHORT, "-o", "plain", code=0)
    assert with_reads.tables("out", "reads") == with_reads.tables("plain", "reads")


def test_as_many_batches_as_there_are(with_reads):
    assert with_reads.predict("reads.fa", *SHORT, "-o", "plain").returncode == 0
    count = len(batches_of(with_reads.folder / "plain"))
    assert traced(with_reads, "-o", "out", "--trace-limit", str(count)).about["reached_limit"]


def test_so_many_seconds(program, sequences):
    (program.folder / "reads.fa").write_text(fasta(sequences) * 500)
    trace = traced(program, "-o", "out", "--trace-limit", "0.1s")
    assert trace.about["reached_limit"]
    (run,) = trace.names
    assert 0 < len(trace.batches(run)) < len(batches_of(program.folder / "out"))


@pytest.mark.parametrize("flag", ["--trace", "--metrics-file"])
def test_nothing_is_kept_among_the_files_of_a_run(with_reads, flag):
    (with_reads.folder / "out").mkdir()
    for file in ("out/run.db", "out/../out/t.json", "out/deeper/t.json"):
        result = with_reads.predict("reads.fa", *SHORT, "-o", "out", flag, file, code=1)
        assert f"{flag} {file}: only the run's own files may lie in the output directory" in message(result)
    assert list((with_reads.folder / "out").iterdir()) == []


@pytest.mark.parametrize("flag", ["--trace", "--metrics-file"])
def test_a_pipe_is_refused_unread(with_reads, flag):
    os.mkfifo(with_reads.folder / "pipe")
    result = with_reads.predict("reads.fa", *SHORT, "-o", "out", flag, "pipe", timeout=60, code=1)
    assert "the file exists and is not a" in message(result)


def test_a_file_of_the_user_s_beside_it_stays(with_reads):
    for name in ("trace.json.partial", "now.prom.partial"):
        (with_reads.folder / name).write_text("mine")
    with_reads.predict("reads.fa", *SHORT, "-o", "out", "--trace", "trace.json", "--metrics-file",
                  "now.prom", code=0)
    for name in ("trace.json.partial", "now.prom.partial"):
        assert (with_reads.folder / name).read_text() == "mine"


def test_it_is_there_once_the_limit_is_reached(program, sequences):
    process = program.start_waiting(*SHORT, "-o", "out", "--trace", "trace.json", "--trace-limit",
                                    "2")
    process.stdin.write(fasta(sequences).encode() * 200)
    process.stdin.flush()
    program.wait_for(lambda: (program.folder / "trace.json").exists(), process)
    assert process.poll() is None
    trace = read(program)
    assert trace.about["reached_limit"]
    process.stdin.close()
    assert process.wait(timeout=60) == 0


def test_an_interrupted_run_has_its_trace(program):
    process = program.start_waiting(*SHORT, "-o", "out", "--trace", "trace.json")
    program.interrupt(process)
    trace = read(program)
    assert not trace.about["reached_limit"]
    assert not list(program.folder.glob("*.virnucpro-partial"))


def test_a_worker_that_is_lost_costs_its_own_events(program, sequences):
    process = program.start_waiting(*SHORT, "-o", "out", "--trace", "trace.json", "--cpu-workers",
                                    "2")
    program.wait_for_journal(process)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    _, said = process.communicate(fasta(sequences).encode() * 20, timeout=60)
    assert process.returncode == 0, said
    assert b"was lost: it was killed by signal 9" in said
    trace = read(program)
    run, *workers = trace.names
    assert set().union(*(trace.batches(pid, "compute") for pid in workers)) == trace.batches(run)


def test_beside_a_table_on_stdout(with_reads):
    trace = traced(with_reads, "-o", "-")
    (pid,) = trace.names
    assert trace.batches(pid, "compute")


def test_only_a_trace_is_replaced(with_reads):
    (with_reads.folder / "mine").write_text("mine")
    for file in ("mine", "."):
        result = with_reads.predict("reads.fa", *SHORT, "-o", "out", "--trace", file, code=1)
        assert "is not a trace file of this program" in message(result)
    assert (with_reads.folder / "mine").read_text() == "mine"
    traced(with_reads, "-o", "out")
    traced(with_reads, "-o", "again")


def test_a_place_where_nothing_can_be_written(with_reads):
    result = with_reads.predict("reads.fa", *SHORT, "-o", "out", "--trace", "absent/trace.json", code=1)
    assert "absent/trace.json" in message(result)
    assert not (with_reads.folder / "out").exists()


@pytest.mark.parametrize("limit", ["0", "0s", "-1", "s", "1e9s", "nans", "2m", "1.5"])
def test_limits_that_are_none(with_reads, limit):
    result = with_reads.predict("reads.fa", *SHORT, "-o", "out", "--trace", "t.json", f"--trace-limit={limit}")
    assert result.returncode == 1
    assert f"--trace-limit {limit}: expected seconds" in message(result)
    assert not (with_reads.folder / "t.json").exists()
