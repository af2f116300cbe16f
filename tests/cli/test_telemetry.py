"""A run's measurements of itself, in files beside its tables."""

import csv
import json
import math
import os
import re
import signal
import time

import h5py
import pandas
import pytest
from conftest import SHORT, fasta, message, telemetry_of

def one(folder, pattern):
    found = list(folder.glob(pattern))
    assert len(found) == 1, found
    return found[0]


def batches_of(folder):
    return [json.loads(line) for line in one(folder, "telemetry_*.jsonl").read_text().splitlines()]


def verdicts_of(summary, identity):
    return [verdict for verdict in summary["verdicts"] if verdict["id"] == identity]


def test_the_summary_is_that_of_the_run(with_reads):
    with_reads.predict("reads.fa", *SHORT, "-o", "out", "--token-budget", "200", code=0)
    out = with_reads.folder / "out"
    summary = telemetry_of(out)
    listed = (out / "sequences.tsv").read_text().splitlines()[1:]
    frames = (out / "reads_merged" / "prediction_results.txt").read_text().splitlines()[1:]
    assert summary["run"]["status"] == "finished"
    assert summary["run"]["command"][1:3] == ["predict", "--dnabert-model"]
    assert summary["workload"]["sequences"] == len(listed)
    assert summary["workload"]["sequences_scored"] == len(listed)
    assert summary["workload"]["frames_scored"] == len(frames)
    calls = [row.split("\t")[8] for row in listed]
    for call in ("virus", "ambiguous", "unscored"):
        assert summary["workload"][f"{call}_sequences"] == calls.count(call)
    assert summary["workload"]["inputs"][0]["name"] == "reads.fa"
    assert summary["settings"]["token_budget"] == 200
    assert summary["settings"]["token_budget_asked"] == "200"
    plan = "cpu: batches of 200 tokens (--token-budget)"
    assert summary["settings"]["token_budget_plans"] == [plan]
    assert plan in (out / "logs" / "virnucpro.log").read_text()
    assert summary["models"]["esm2_layers"] == 2
    assert summary["models"]["synthetic"]
    device = [stage["share"] for stage in summary["stages"] if stage["clock"] == "device"]
    assert sum(device) == pytest.approx(1)
    assert [verdict["status"] for verdict in verdicts_of(summary, "MON-01")] == ["PASS"]
    for identity in ("PERF-02", "PERF-04", "MON-03"):
        assert {verdict["status"] for verdict in verdicts_of(summary, identity)} == {"SKIPPED"}


def test_every_batch_has_its_line(with_reads):
    assert with_reads.predict("reads.fa", *SHORT, "-o", "out", "--token-budget", "200").returncode == 0
    out = with_reads.folder / "out"
    workload = telemetry_of(out)["workload"]
    batches = batches_of(out)
    assert [batch["batch"] for batch in batches] == list(range(len(batches)))
    assert len(batches) == workload["batches"] > 3
    for name in ("esm_tokens", "dna_tokens"):
        assert sum(batch[name] for batch in batches) == workload[name]
    for batch in batches:
        parts = [batch[name] for name in ("esm2", "dnabert_s", "classifier", "to_host")]
        assert sum(parts) == pytest.approx(batch["seconds"], abs=1e-5)
        assert 0 < batch["packing"] <= 1
        assert batch["gpu_util"] is None
        tokens = batch["esm_tokens"] + batch["dna_tokens"]
        assert batch["tokens_per_sec"] == pytest.approx(tokens / batch["seconds"], rel=0.01)
    packing = telemetry_of(out)["packing"]
    assert packing["least"] == pytest.approx(min(batch["packing"] for batch in batches), abs=1e-4)
    assert packing["batches_below_80_percent"] == sum(batch["packing"] < 0.8 for batch in batches)
    for stage in telemetry_of(out)["stages"]:
        is_model = stage["name"] in ("esm2", "dnabert_s")
        assert (stage["tokens_per_second"] is not None) == is_model
        assert stage["utilization_percent"] is None  # there is no GPU
    times = [batch["time"] for batch in batches]
    assert times == sorted(times)


def test_auto_says_from_what_it_took_its_budget(with_reads):
    with_reads.predict("reads.fa", *SHORT, "-o", "out", code=0)
    settings = telemetry_of(with_reads.folder / "out")["settings"]
    assert settings["token_budget_asked"] == "auto"
    plan = settings["token_budget_plans"][0]
    assert plan.startswith(f"cpu: batches of {settings['token_budget']:,} tokens (auto): ")
    assert plan in (with_reads.folder / "out" / "logs" / "virnucpro.log").read_text()


def test_the_monitor_has_its_log(with_reads):
    (with_reads.folder / "c.yaml").write_text("run: {monitor_interval: 0.05}\n")
    with_reads.predict("-c", "c.yaml", "reads.fa", *SHORT, "-o", "out", code=0)
    with one(with_reads.folder / "out" / "logs", "gpu_metrics_*.log").open() as log:
        lines = log.readlines()
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert "".join(lines).count("\n#\n# Monitoring Stopped: ") == 1  # as v2's log ends
    assert {row["device_id"] for row in rows} == {"-1"}
    assert abs(float(rows[0]["timestamp"]) - time.time()) < 600
    assert rows[0]["stage"] == "start"
    assert all(int(row["rss_bytes"]) > 1 << 20 for row in rows)
    monitor = telemetry_of(with_reads.folder / "out")["monitor"]
    assert monitor == {"samples": len(rows), "written": len(rows), "failure": ""}


def test_a_log_without_its_measurements_misses_its_requirement(with_reads):
    """The disk is full once the log has its header."""
    with_reads.environment.update(LD_PRELOAD=os.environ["VIRNUCPRO_IO_SHIM"],
                             VNP_SHIM_DIR=str(with_reads.folder / "out" / "logs"),
                             VNP_SHIM="fail:write:ENOSPC:2:stay")
    result = with_reads.predict("reads.fa", *SHORT, "-o", "out", "--strict", code=1)
    assert "MON-01" in message(result)
    out = with_reads.folder / "out"
    assert len(one(out / "logs", "gpu_metrics_*.log").read_text().splitlines()) == 1
    summary = telemetry_of(out)
    samples = summary["monitor"]["samples"]
    failure = f"{samples} of {samples} measurements are not in the log: No space left on device"
    assert summary["monitor"] == {"samples": samples, "written": 0, "failure": failure}
    (verdict,) = verdicts_of(summary, "MON-01")
    assert (verdict["status"], verdict["value"]) == ("MISS", 0)
    assert verdict["detail"] == failure


@pytest.mark.parametrize("level, left", [("off", set()), ("summary", {".json", ".log"}),
                                         ("full", {".json", ".jsonl", ".h5", ".log"})])
def test_levels(with_reads, level, left):
    with_reads.predict("reads.fa", *SHORT, "-o", "out", "--telemetry", level, code=0)
    out = with_reads.folder / "out"
    found = [*out.glob("telemetry_*"), *out.glob("logs/gpu_metrics_*")]
    assert {path.suffix for path in found} == left


def test_the_frame_table_on_stdout_leaves_nothing(with_reads):
    assert with_reads.predict("reads.fa", *SHORT, "-o", "-").returncode == 0
    assert [path.name for path in with_reads.folder.iterdir()] == ["reads.fa"]


def test_force_clears_the_files_of_the_run_before(with_reads):
    for _ in range(2):
        assert with_reads.predict("reads.fa", *SHORT, "-o", "out", "-f").returncode == 0
    telemetry_of(with_reads.folder / "out")


def waiting_run(program, sequences, *flags):
    """A run that has computed all its input so far, and waits for more."""
    process = program.start_waiting(*SHORT, "-o", "out", "--token-budget", "200", *flags)
    process.stdin.write(fasta(sequences).encode() * 200)
    process.stdin.flush()
    program.wait_for_journal(process)
    deadline = time.monotonic() + 60
    while not any(path.stat().st_size for path in program.folder.glob("out/telemetry_*.jsonl")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return process


def test_a_killed_run_leaves_lines_that_are_whole(program, sequences):
    process = waiting_run(program, sequences)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    out = program.folder / "out"
    assert batches_of(out)
    assert not list(out.glob("telemetry_*.json"))
    log = one(out / "logs", "gpu_metrics_*.log").read_text()
    assert log.endswith("\n")
    assert log.startswith("timestamp,device_id,gpu_util,")


def test_an_interrupted_run_says_so(program, sequences):
    process = waiting_run(program, sequences)
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == 130
    summary = telemetry_of(program.folder / "out")
    assert summary["run"]["status"] == "interrupted"
    assert summary["workload"]["batches"] > 0


def test_a_requirement_that_is_missed_warns_and_fails_when_strict(with_reads):
    (with_reads.folder / "c.yaml").write_text(
        "run: {requirements: {shortest_run: 0, packing: 100, least_packing: 100, "
        "most_projected_hours: 1e6}}\n")
    command = ["-c", "c.yaml", "reads.fa", *SHORT, "--token-budget", "200"]
    result = with_reads.predict(*command, "-o", "lenient", code=0)
    assert "warning: MISS PERF-05 packing: " in message(result)
    result = with_reads.predict(*command, "-o", "strict", "--strict", code=1)
    assert "a requirement was missed: PERF-05 packing: " in message(result)
    assert with_reads.tables("strict", "reads") == with_reads.tables("lenient", "reads")
    packing = verdicts_of(telemetry_of(with_reads.folder / "strict"), "PERF-05")[0]
    assert packing["status"] == "MISS"


@pytest.mark.parametrize("flags", [["--telemetry", "off", "-o", "out"], ["-o", "-"]])
def test_strict_judges_what_is_measured(with_reads, flags):
    result = with_reads.predict("reads.fa", *SHORT, "--strict", *flags, code=1)
    assert "--strict needs telemetry" in message(result)
    assert not (with_reads.folder / "out").exists()


def test_a_run_that_starts_over_is_told_of_alone(with_reads, sequences):
    assert with_reads.predict("reads.fa", *SHORT, "-o", "out").returncode == 0
    (with_reads.folder / "reads.fa").write_text(fasta({"new": next(iter(sequences.values()))}))
    with_reads.predict("reads.fa", *SHORT, "-o", "out", "--force-resume", code=0)
    summary = telemetry_of(with_reads.folder / "out")
    assert not summary["run"]["resumed"]
    assert summary["workload"]["sequences"] == summary["workload"]["sequences_scored"] == 1
    assert summary["workload"]["sequences_known"] == 0


def test_reports_that_cannot_be_written_cost_no_run(with_reads, sequences):
    """Their name was taken while the run was on."""
    process = with_reads.start_waiting(*SHORT, "-o", "out")
    with_reads.wait_for_journal(process)
    (with_reads.folder / "out" / "report.html").mkdir()
    _, told = process.communicate(fasta(sequences).encode(), timeout=60)
    assert process.returncode == 0, told
    assert b"warning: the reports could not be written: " in told and b"tables: out/stdin_merged" in told


def test_telemetry_changes_no_table(with_reads):
    assert with_reads.predict("reads.fa", *SHORT, "-o", "off", "--telemetry", "off").returncode == 0
    assert with_reads.predict("reads.fa", *SHORT, "-o", "full").returncode == 0
    assert with_reads.tables("off", "reads") == with_reads.tables("full", "reads")


# Two runs: by key the value, and the text on its bar.
BARS = {
    "goals": {"projected_hours": (7, "< 7; only a warning below 11"),
              "utilization": (77, ">= 77; only a warning from 70 "),
              "tokens_per_second": (17000, ">= 17000; only a warning from 13200 on"),
              "packing": (87, ">= 87; only a warning from 80 on"),
              "imbalance": (18, "<= 18; only a warning up to 25"), "starved": (16, "< 16; only a warning below 20")},
    "limits": {"most_projected_hours": (13, "< 9; only a warning below 13"),
               "least_utilization": (23, ">= 80; only a warning from 23 on"),
               "least_tokens_per_second": (29, "only a warning from 29 on"),
               "least_packing": (31, ">= 90; only a warning from 31 on"),
               "most_imbalance": (19, "<= 10; only a warning up to 19"),
               "most_starved": (17, "< 10; only a warning below 17"),
               "shortest_run": (37, "at least 37 s are needed")}}


def test_bars_are_configured(with_reads):
    keys = with_reads("utils", "generate-config", "-o", "-").stdout.decode()
    section = keys[keys.index("  requirements:"):]
    # Those of calls are judged with --shadow alone: test_close_calls.py.
    assert {line.split(":")[0].strip() for line in section.splitlines()
            if line.startswith("    ") and "#" not in line} == \
        {*BARS["goals"], *BARS["limits"], "changed_calls", "most_changed_calls"}
    for name, bars in BARS.items():
        (with_reads.folder / "c.yaml").write_text(json.dumps({"run": {"requirements": {
            key: value for key, (value, _) in bars.items()}}}))
        with_reads.predict("-c", "c.yaml", "reads.fa", *SHORT, "-o", name, code=0)
        verdicts = telemetry_of(with_reads.folder / name)["verdicts"]
        said = [verdict["bar"] + verdict["detail"] for verdict in verdicts]
        for key, (_, bar) in bars.items():
            assert any(bar in words for words in said), (key, said)


@pytest.mark.parametrize("text, key, expected", [
    ("run: {requirements: {packing: 101}}", "run.requirements.packing", "a number from 0 to 100"),
    ("run: {requirements: {projected_hours: 20}}", "run.requirements.projected_hours",
     "at most 11, the value of run.requirements.most_projected_hours"),
    ("run: {requirements: {least_packing: 91}}", "run.requirements.least_packing",
     "at most 90, the value of run.requirements.packing"),
    ("run: {requirements: {imbalance: 26}}", "run.requirements.imbalance",
     "at most 25, the value of run.requirements.most_imbalance"),
    ("run: {requirements: {tokens_per_second: 13000}}", "run.requirements.tokens_per_second",
     "at least 13200, the default of run.requirements.least_tokens_per_second, found \"13000\""),
    ("run: {monitor_interval: 0}", "run.monitor_interval", "a number from 0.05 to 3600"),
    ("run: {telemetry: some}", "run.telemetry", "off, summary or full"),
    ("progress: {update_interval: -1}", "progress.update_interval", "a number from 0 to 3600"),
    ("progress: {update_interval: 3601}", "progress.update_interval", "a number from 0 to 3600"),
])
def test_values_that_cannot_be(with_reads, text, key, expected):
    (with_reads.folder / "c.yaml").write_text(text + "\n")
    result = with_reads.predict("-c", "c.yaml", "reads.fa", *SHORT, "-o", "out", code=1)
    assert key in message(result) and expected in message(result)
    assert not (with_reads.folder / "out").exists()


def test_flag_before_file(with_reads):
    (with_reads.folder / "c.yaml").write_text("run: {telemetry: summary}\n")
    assert with_reads.predict("-c", "c.yaml", "reads.fa", *SHORT, "-o", "file").returncode == 0
    assert not list(with_reads.folder.glob("file/*.jsonl"))
    with_reads.predict("-c", "c.yaml", "reads.fa", *SHORT, "-o", "flag", "--telemetry", "full", code=0)
    assert one(with_reads.folder / "flag", "*.jsonl")


def test_metrics_for_prometheus(program, sequences):
    process = waiting_run(program, sequences, "--metrics-file", "virnucpro.prom")
    running = (program.folder / "virnucpro.prom").read_text()
    assert 'virnucpro_state{run="out",state="running"} 1\n' in running
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    text = (program.folder / "virnucpro.prom").read_text()
    assert 'virnucpro_state{run="out",state="finished"} 1\n' in text
    assert f'virnucpro_sequences_total{{run="out"}} {200 * len(sequences)}\n' in text
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) virnucpro_\w+ .+|virnucpro_\w+\{.+\} [\d.e+-]+", line)
    (program.folder / "reads.fa").write_text(fasta(sequences))
    (program.folder / "mine").write_text("mine")
    for file in ("mine", "."):
        result = program.predict("reads.fa", *SHORT, "-o", "other", "--metrics-file", file, code=1)
        assert "is not a metrics file of this program" in message(result)
    assert (program.folder / "mine").read_text() == "mine"
    program.predict("reads.fa", *SHORT, "-o", "other", "--metrics-file", "virnucpro.prom", code=0)


def check_hdf5(folder):
    """The HDF5 file holds the same as the lines."""
    lines = pandas.read_json(one(folder, "telemetry_*.jsonl"), lines=True, precise_float=True)
    with h5py.File(one(folder, "telemetry_*.h5")) as file:
        v2 = {"batch_idx": "batch", "packing_efficiency": "packing"}
        assert set(file) == {*lines.columns, *v2}
        for theirs, ours in v2.items():
            assert file[theirs] == file[ours]  # one dataset with two names
        states = file.attrs["queue_states"].split(",")
        for name, column in lines.items():
            values = list(file[name])
            if name == "queue_state":
                values = [states[int(value)] for value in values]
            if name == "gpu_util":  # there is no GPU
                assert all(math.isnan(value) for value in values) and column.isna().all()
            else:
                assert values == list(column), name
            assert file[name].chunks and file[name].compression == "gzip"


def test_hdf5_has_the_numbers_of_the_lines(with_reads):
    assert with_reads.predict("reads.fa", *SHORT, "-o", "out", "--token-budget", "200").returncode == 0
    check_hdf5(with_reads.folder / "out")


def test_the_figures_of_v2_have_its_names(with_reads):
    """`summary`, and of each batch a record, as a reader of v2's telemetry takes them."""
    began = time.time()
    with_reads.predict("reads.fa", *SHORT, "-o", "out", "--token-budget", "200", code=0)
    out = with_reads.folder / "out"
    written, lines = telemetry_of(out), batches_of(out)
    summary = written["summary"]
    assert summary["total_batches"] == len(lines) > 1
    assert summary["total_tokens"] == sum(line["esm_tokens"] for line in lines)
    assert summary["packing_efficiency"] == written["packing"]["efficiency"]
    assert summary["elapsed_seconds"] == written["run"]["seconds"]
    batches = written["per_batch_metrics"]
    assert [batch["batch_idx"] for batch in batches] == [line["batch"] for line in lines]
    for batch, line in zip(batches, lines):
        assert batch["packing_efficiency"] == pytest.approx(line["packing"], abs=1e-4)
        assert batch["tokens_per_sec"] == pytest.approx(line["tokens_per_sec"], abs=0.1)
        assert began - 1 < batch["timestamp"] < time.time()
    with_reads.predict("reads.fa", *SHORT, "-o", "few", "--telemetry", "summary", code=0)
    assert "per_batch_metrics" not in telemetry_of(with_reads.folder / "few")


def test_report_makes_the_hdf5_of_a_killed_run(program, sequences):
    process = waiting_run(program, sequences)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    out = program.folder / "out"
    assert not list(out.glob("*.h5"))
    assert program("report", "out").returncode == 2
    check_hdf5(out)
