"""benchmark: the suites on the CPU with tiny weights, its reports, regressions and histories."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from browser import assert_readable
from conftest import BIN, MODELS, SOURCE, fasta, message
from lengths import by_length
from report_page import read_page

QUICK = [*MODELS, "--device", "cpu", "-t", "2", "--quick"]
TINY = [*QUICK, "--data-size", "tiny"]
SUITES = ["throughput", "scaling", "memory", "end-to-end", "equivalence", "v1-comparison",
          "checkpoint-overhead"]


HISTORY = SOURCE / "bench" / "results" / "validation" / "history.jsonl"
COUNTED = [*QUICK, "--suite", "end-to-end", "--data-size", "small"]
COUNTS = {"counts.frames", "counts.esm_tokens", "counts.dna_tokens", "counts.batches",
          "counts.table_bytes", "counts.packing_percent"}


def report_of(folder, kind="json"):
    (path,) = folder.glob(f"benchmark_*.{kind}")
    return json.loads(path.read_text()) if kind == "json" else path.read_text()


def run(program, *arguments, out="out", exit_code=0):
    result = program("benchmark", *TINY, "-o", out, *arguments, timeout=300, code=exit_code)
    return result, report_of(program.folder / out)


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """One run of all suites."""
    folder = tmp_path_factory.mktemp("benchmark")
    began = time.monotonic()
    result = subprocess.run([BIN, "benchmark", *TINY, "--suite", "all", "-o", "out"], cwd=folder,
                            capture_output=True, timeout=300, check=False)
    assert result.returncode == 0, message(result)
    return result, folder / "out", time.monotonic() - began


def test_all_suites_are_run(everything):
    result, folder, seconds = everything
    assert seconds < 300
    report = report_of(folder)
    assert [suite["name"] for suite in report["suites"]] == SUITES
    assert all(suite["failure"] == "" for suite in report["suites"]), report["suites"]
    for name in SUITES:
        assert f"{name}: " in result.stderr.decode()


def test_a_gpu_s_rows_are_skipped_and_no_pass(everything):
    result, folder, _ = everything
    rows = report_of(folder)["verdicts"]
    by_id = {row["id"]: row for row in rows}
    for name in ("PERF-01", "PERF-02", "PERF-03", "SCALING", "EQUIV-VANILLA", "V1-SPEED"):
        assert by_id[name]["status"] == "SKIPPED"
        assert by_id[name]["value"] is None
        assert by_id[name]["detail"]
    assert by_id["IDENTITY"]["status"] == "PASS"
    assert by_id["MON-01"]["status"] in ("PASS", "SKIPPED")
    *lines, last = result.stdout.decode().splitlines()
    assert len(lines) == len(rows)
    assert [line.split()[0] for line in lines] == [row["status"] for row in rows]
    status = report_of(folder)["status"]
    assert last.startswith(f"requirements: judged {status['judged']} (passed {status['passed']}), skipped "
                           f"{status['skipped']}: PERF-02, ")
    assert last + "." in report_of(folder, "md")


def test_json_has_the_keys_of_v2_s_files(everything):
    _, folder, _ = everything
    report = report_of(folder)
    assert report["metadata"]["data_size"] == "tiny"
    assert report["metadata"]["num_sequences"] == 10
    assert report["metadata"]["gpus_tested"] == []
    assert report["metadata"]["synthetic_weights"] is True
    performance = report["performance"]
    assert set(performance["gpu_scaling"]) == {"1", "2"}
    assert performance["speedups"]["1"] == pytest.approx(1)
    for stage in ("read", "translation", "tokenize", "pack", "esm2", "dnabert", "prediction", "write"):
        figures = performance["stage_throughput"][stage]
        assert figures["seq_per_sec"] > 0 and figures["time"] > 0
    assert performance["memory_usage"]["peak"] > 0
    assert performance["total_time"] > 0
    assert performance["projected_10k_time"] is None  # it computed too briefly
    assert performance["projected_6m_time"] is None
    assert report["validation"] == {"equivalence": None, "meets_10hr_requirement": None}
    statuses = [row["status"] for row in report["verdicts"]]
    judged = len(statuses) - statuses.count("SKIPPED")
    assert report["status"] == {
        "all_tests_passed": False,  # the memory's rows were all skipped
        "all_judged_passed": judged == statuses.count("PASS"),
        "judged": judged, "passed": statuses.count("PASS"), "skipped": statuses.count("SKIPPED"),
        "failures": []}
    assert report["summary"] == {"pass": False, "exit_code": 0}


def test_data_of_mixed_lengths_and_of_reads_are_run(everything):
    """Of one length alone any packing is good."""
    _, folder, _ = everything
    names = {path.name for path in (folder / "data").glob("*.fa")}
    assert {"coding_10_uniform_200-500.fa", "coding_40_150.fa",
            "coding_10_lognormal_600_1_150-6000.fa"} <= names
    figures = {figure["key"]: figure for figure in report_of(folder)["metrics"]}
    assert 0 < figures["contigs.packing_percent"]["median"] < 100
    (row,) = [row for row in report_of(folder)["verdicts"] if row["name"] == "packing of contigs"]
    assert row["id"] == "PERF-05" and row["status"] == "SKIPPED"  # it is too short
    assert "lengths uniform:200-500" in report_of(folder)["identity"]["settings"]


def test_figures_make_sense(everything):
    _, folder, _ = everything
    report = report_of(folder)
    figures = {figure["key"]: figure for figure in report["metrics"]}
    assert len(figures) == len(report["metrics"])
    for figure in figures.values():
        assert 0 < figure["low_quartile"] <= figure["median"] <= figure["high_quartile"]
        assert figure["better"] in ("higher", "lower", "same")
    # A stage alone is faster than the whole run.
    whole = 10 / figures["end_to_end.seconds"]["median"]
    for stage in ("read", "translate", "tokenize", "pack", "esm2", "dnabert_s"):
        assert figures[f"throughput.{stage}.sequences_per_second"]["median"] > whole
    assert 2 ** 20 < figures["memory.peak_rss_bytes"]["median"] < 2 ** 34


def test_memory_of_each_stage_alone(everything):
    _, folder, _ = everything
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in report_of(folder, "md").splitlines() if line.startswith("| ")]
    (head,) = [row for row in rows if row[0] == "Stage" and row[-1] == "Memory"]
    rows = {row[0]: row[-1] for row in rows if len(row) == len(head)}
    for stage in ("read", "translate", "tokenize", "pack"):
        assert rows[stage].split()[-1] in ("B", "kB", "MB"), rows


def test_pages_say_the_same(everything):
    _, folder, _ = everything
    page = report_of(folder, "html")
    text = report_of(folder, "md")
    (file,) = folder.glob("benchmark_*.html")
    assert_readable(file)
    read_page(file)
    for row in report_of(folder)["verdicts"]:
        assert row["name"] in page and row["name"] in text
    for title in ("Scaling over workers", "Memory", "Equal results", "What the journal costs"):
        assert title in page and title in text
    for plot in ("Shares of a whole run", "Time of whole runs"):
        assert plot in page
    assert "synthetic weights" in page and "synthetic weights" in text


def scaled(report, by):
    """The same figures, `by` times better."""
    changed = json.loads(json.dumps(report))
    changed["metrics"] = [figure for figure in changed["metrics"] if not figure["counted"]]
    for figure in changed["metrics"]:
        for key in ("median", "low_quartile", "high_quartile"):
            figure[key] *= by if figure["better"] == "higher" else 1 / by
    return changed


def test_a_planted_slowdown_is_a_regression(program):
    """Compares with figures 100 times better and worse; short runs are allowed."""
    (program.folder / "short.yaml").write_text("run:\n  requirements:\n    shortest_run: 0\n")
    long = [*MODELS, "--device", "cpu", "-t", "2", "--data-size", "tiny", "-c", "short.yaml", "--suite", "end-to-end"]

    def compare(before, out, exit_code):
        (program.folder / "kept.json").write_text(json.dumps(before))
        result = program("benchmark", *long, "-o", out, "--compare-to", "kept.json", code=exit_code)
        return result, report_of(program.folder / out)

    assert program("benchmark", *long, "-o", "first").returncode == 0
    first = report_of(program.folder / "first")
    result, slow = compare(scaled(first, 100), "slow", 1)
    assert "results are worse than those they were compared with: the figure end_to_end.seconds is" in message(result)
    assert slow["changes"][0]["change"] == "regression"
    assert slow["status"]["all_tests_passed"] is False and slow["summary"]["exit_code"] == 1
    _, fast = compare(scaled(first, 0.01), "fast", 0)
    assert fast["changes"][0]["change"] == "better"

    (program.folder / "history").mkdir()
    kept = program.folder / "history" / "history.jsonl"
    kept.write_text(json.dumps(scaled(first, 100)) + "\n")
    program("benchmark", *long, "-o", "third", "--history", "history", code=1)
    assert report_of(program.folder / "third")["summary"]["exit_code"] == 1
    assert len(kept.read_text().splitlines()) == 2


@pytest.fixture
def fake_benchmark(program):
    """Calls benchmark with runs of known figures in place of predict's."""
    (program.folder / "short.yaml").write_text("run:\n  requirements:\n    shortest_run: 0\n")
    environment = {"LD_PRELOAD": str(Path(os.environ["VIRNUCPRO_TOOLS"]) / "run_shim.so"),
                   "RUN_SHIM_PROGRAM": str(Path(__file__).parent / "fake_predict.py"),
                   "RUN_SHIM_SECONDS": str(program.folder / "shim_seconds")}

    def call(out, *arguments, code=0, **figures):
        result = program("benchmark", *MODELS, "--device", "cpu", "-t", "2", "-c", "short.yaml",
                         "--data-size", "tiny", "-o", out, *arguments, code=code, timeout=60,
                         environment={**environment, "FAKE_LEVEL": json.dumps(figures)})
        return result, report_of(program.folder / out)

    return call


def test_a_loss_of_a_fifth_in_any_figure_is_found_and_of_a_fiftieth_is_not(fake_benchmark, program):
    usual = {"seconds": 100, "esm_tokens_per_second": 8000, "gpu_percent": 95, "gpu_peak_bytes": 4e9,
             "peak_rss_bytes": 2e8, "packing_percent": 96}
    higher_is_better = ("esm_tokens_per_second", "gpu_percent", "packing_percent")
    fake_benchmark("first", "--suite", "end-to-end", **usual)
    (kept,) = (program.folder / "first").glob("benchmark_*.json")
    compare = ["--suite", "end-to-end", "--compare-to", kept]

    def worse(share, names):
        return {name: value * (1 - share if name in higher_is_better else 1 + share)
                for name, value in usual.items() if name in names}

    _, little = fake_benchmark("little", *compare, **{**usual, **worse(0.02, usual)})
    assert {change["change"] for change in little["changes"]} == {"same"}
    for names in by_length([set(usual)], [{name} for name in usual]):
        result, much = fake_benchmark(min(names), *compare, code=1, **{**usual, **worse(0.2, names)})
        found = {change["key"] for change in much["changes"] if change["change"] == "regression"}
        found = {key for key in found if key.startswith("end_to_end.")}
        assert found == {f"end_to_end.{name}" for name in names}
        assert "times worse" in message(result)


def test_a_figure_that_is_gone_is_told(fake_benchmark, program):
    """Nothing where something was is a loss; what was not measured is a warning."""
    fake_benchmark("first", "--suite", "end-to-end", "--quick")
    (kept,) = (program.folder / "first").glob("benchmark_*.json")
    compare = ["--suite", "end-to-end", "--compare-to", kept]
    _, nothing = fake_benchmark("nothing", *compare, "--quick", code=1, packing_percent=0)
    changes = {change["key"]: change["change"] for change in nothing["changes"]}
    assert changes["counts.packing_percent"] == "regression"
    earlier = json.loads(kept.read_text())
    earlier["metrics"].append({**earlier["metrics"][0], "key": "end_to_end.of_old"})
    kept.write_text(json.dumps(earlier))
    result, _ = fake_benchmark("again", *compare, "--quick")
    assert "the earlier benchmark has the figure end_to_end.of_old, but this one does not" in message(result)


def test_the_figures_of_a_report_of_v2_are_shown_and_not_judged(fake_benchmark, program):
    kept = program.folder / "v2.json"
    kept.write_text(json.dumps({
        "metadata": {"timestamp": "2026-01-26T10:15:00", "data_size": "small"},
        "performance": {"gpu_scaling": {"1": 3.5}, "speedups": {}, "stage_throughput": {},
                        "memory_usage": {"peak": 8.0}, "total_time": 1.25}}))
    result, report = fake_benchmark("out", "--suite", "end-to-end", "--compare-to", kept,
                                    "--strict", seconds=100, gpu_peak_bytes=4e9)
    assert "had other models or settings: its figures are shown, not judged" in result.stderr.decode()
    assert report["changes"] == []
    page = report_of(program.folder / "out", "md")
    assert "| end\\_to\\_end.seconds | 1.25 | 400" in page  # four reads for each sequence
    assert "| end\\_to\\_end.gpu\\_peak\\_bytes | 8.5899e+09 | 4e+09 |" in page
    assert "a report of v2" in page
    kept.write_text('{"performance": {}}')
    assert "holds no figures" in message(program("benchmark", *MODELS, "--compare-to", kept,
                                                 "-o", "none", code=1))


def test_strict_fails_where_a_requirement_is_missed(fake_benchmark):
    """A journal that takes half of the 100 seconds that a run takes without it."""
    suite = ["--suite", "checkpoint-overhead", "--quick"]
    _, told = fake_benchmark("told", *suite, journal_seconds=50)
    assert verdict(told, "CHECKPOINT")["status"] == "MISS"
    result, failed = fake_benchmark("failed", *suite, "--strict", code=1, journal_seconds=50)
    assert "a requirement was missed: CHECKPOINT" in message(result)
    assert failed["summary"]["exit_code"] == 1
    _, kept = fake_benchmark("kept", *suite, "--strict")
    assert verdict(kept, "CHECKPOINT")["status"] == "PASS"


def test_a_projection_is_the_line_through_the_runs(fake_benchmark):
    _, report = fake_benchmark("out", "--suite", "end-to-end", seconds=100)
    performance = report["performance"]
    assert performance["projected_6m_time"] == pytest.approx(6e6 * 10 / 3600, rel=0.03)
    assert performance["projected_10k_time"] == pytest.approx(1e4 * 10 / 3600, rel=0.03)
    assert report["validation"]["meets_10hr_requirement"] is False


def counts_against(program, history, out, exit_code=0):
    program("benchmark", *COUNTED, "-o", out, "--compare-to", history, code=exit_code)
    changes = {change["key"]: change for change in report_of(program.folder / out)["changes"]}
    return {key: change for key, change in changes.items() if key in COUNTS}


# A program with tiny limits has other batches.
if "VIRNUCPRO_BIN_REFERENCE" not in os.environ:

    def test_counts_are_those_of_the_committed_history(program):
        """They are the same on any machine, so that a change of the program's is seen here."""
        found = counts_against(program, HISTORY, "now")
        assert set(found) == COUNTS
        for change in found.values():
            # An instruction set of its own may change a last digit, and so the tables' bytes.
            exact = change["key"] != "counts.table_bytes"
            assert change["now"] == pytest.approx(change["before"], rel=1e-9 if exact else 0.01)

        lines = [json.loads(line) for line in HISTORY.read_text().splitlines()]
        for figure in lines[0]["metrics"]:
            if figure["key"] == "counts.esm_tokens":
                for name in ("median", "low_quartile", "high_quartile"):
                    figure[name] *= 0.98
        (program.folder / "planted.jsonl").write_text(json.dumps(lines[0]) + "\n")
        planted = counts_against(program, "planted.jsonl", "planted", exit_code=1)
        assert [key for key, change in planted.items() if change["change"] == "regression"] == [
            "counts.esm_tokens"]


def test_short_runs_are_no_regression(program, everything):
    first = report_of(everything[1])
    (program.folder / "kept.json").write_text(json.dumps(scaled(first, 100)))
    _, again = run(program, "--suite", "throughput,end-to-end", "--compare-to", "kept.json",
                   out="again")
    assert {change["change"] for change in again["changes"]} == {"unclear"}


@pytest.mark.parametrize("what, said, judged", [
    ("device", "ran on another device: only counts, such as of tokens, are judged", COUNTS),
    ("models", "had other models or settings: its figures are shown, not judged", set())])
def test_of_other_benchmarks_only_what_can_be_compared_is_judged(program, everything, what, said,
                                                                 judged):
    report = report_of(everything[1])
    report["identity"][what] = "another"
    for figure in report["metrics"]:
        figure["median"] *= 1 if figure["counted"] else 100
    (program.folder / "kept.json").write_text(json.dumps(report))
    result, again = run(program, "--suite", "end-to-end", "--compare-to", "kept.json", out="again")
    assert said in result.stderr.decode()
    assert {change["key"] for change in again["changes"]} == judged
    assert {change["change"] for change in again["changes"]} <= {"same"}
    assert said in report_of(program.folder / "again", "md")


def test_history_grows_and_is_drawn(program):
    for count in (1, 2):
        run(program, "--suite", "end-to-end", "--history", "history", out=f"out{count}")
        lines = (program.folder / "history" / "history.jsonl").read_text().splitlines()
        assert len(lines) == count
        assert json.loads(lines[-1])["metrics"][0]["key"] == "end_to_end.seconds"
    assert "The history has no earlier figures" in report_of(program.folder / "out1", "md")
    page = report_of(program.folder / "out2", "html")
    assert "Benchmarks of the same machine" in page and "<svg" in page


def test_another_build_is_run_in_turns(program):
    _, report = run(program, "--suite", "v1-comparison", "--against", BIN)
    assert {change["key"] for change in report["changes"]} == {"against.seconds",
                                                               "against.esm_tokens_per_second"}
    assert "Compared with another build" in report_of(program.folder / "out", "md")
    assert len(list((program.folder / "out" / "against").glob("*.log"))) == 6


def test_another_build_that_fails_costs_no_figures(program):
    result, report = run(program, "--suite", "memory", "--against", "/bin/false", exit_code=2)
    assert "--against: " in message(result)
    assert "false ended with exit code 1" in message(result)
    assert report["summary"]["exit_code"] == 2
    assert report["performance"]["memory_usage"]["peak"] > 0


def test_weights_that_are_made_and_kept_are_named(program):
    call = ["benchmark", *TINY, "--suite", "v1-comparison", "--esm-model", "synthetic:esm2_tiny:9",
            "-o", "out"]
    said = [line for line in program(*call).stderr.decode().splitlines()
            if "random weights of " in line]
    assert any("synthetic:esm2_tiny:9" in line and "out/weights" in line for line in said), said
    assert "random weights of " not in program(*call).stderr.decode()


def run_samples(program, suites, *arguments, exit_code=0):
    program("benchmark", *QUICK, "-o", "out", "--suite", suites, "--data", "samples",
            *arguments, timeout=300, code=exit_code)
    return report_of(program.folder / "out")


def test_real_samples_with_their_provenance(program):
    samples = program.folder / "samples"
    samples.mkdir()
    (samples / "a.fa").write_text(fasta({"a": "ATGGCC" * 60, "b": "GCCAAA" * 60}))
    (samples / "provenance.json").write_text(
        json.dumps({"source": "made by hand", "expected_baseline_seconds": 12}))
    report = run_samples(program, "end-to-end")
    assert report["metadata"]["num_sequences"] == 2
    assert any("made by hand" in line for line in report["metadata"]["samples"])
    assert any("12 s" in line for line in report["metadata"]["samples"])
    kept = json.loads((program.folder / "out" / "samples.json").read_text())
    assert kept["source"] == "made by hand" and kept["sequences"] == 2


def test_files_of_others_stay(program):
    out = program.folder / "out"
    for folder in (out / "data", out / "runs", program.folder / "samples"):
        folder.mkdir(parents=True)
    (program.folder / "samples" / "s.fa").write_text(fasta({"s": "ACGTTGCAACCA" * 40}))
    listed = [{"name": "coding_10_uniform_200-500.fa", "bytes": 5000}, {"name": "precious.txt", "bytes": 4}]
    (out / "data" / "coding_10_uniform_200-500.fa.json").write_text(
        json.dumps({"schema": "virnucpro-data-set-1", "files": listed}))
    (out / "runs" / "001_whole.log").symlink_to("../samples.json")
    mine = [out / "data" / "coding_10_uniform_200-500.fa", out / "data" / "precious.txt", out / "samples.json",
            out / "profile_esm2.json"]
    for path in mine:
        path.write_text("mine")
    result = program("benchmark", *QUICK, "-o", "out", "--data", "samples", code=1)
    assert "samples.json: the file exists and is not a samples file of this program" in message(result)
    call = ["benchmark", *TINY, "--suite", "throughput", "-o", "out"]
    assert "coding_10_uniform_200-500.fa: output is there already" in message(program(*call, code=2))
    assert {path.read_text() for path in mine} == {"mine"}
    mine.pop(0).unlink()
    for _ in range(2):
        program(*call, code=0)
    for log in ("history.jsonl", "runs/001_whole.log"):
        (out / log).unlink(missing_ok=True)
        program(*call, "--history", "out", "-l", out / log, code=1 if log == "history.jsonl" else 2)
        assert "command line" in (out / log).read_text()
    assert {path.read_text() for path in mine} == {"mine"}


def test_samples_in_several_sizes_and_files(program):
    """A line needs several sizes; the original takes one file; files share loaded models."""
    (program.folder / "samples").mkdir()
    for name in "ab":
        reads = {f"{name}{k}": "ATGGCC" * (50 + k) for k in range(6)}
        (program.folder / "samples" / f"{name}.fa").write_text(fasta(reads))
    report = run_samples(program, "end-to-end,equivalence,scaling", "--vanilla-command",
                         'grep -c ">" "$INPUT" >&2; '
                         'cp -r "$OUTPUT"/../*_own/*_merged "$OUTPUT"')
    runs = sorted((program.folder / "out" / "runs").glob("*_whole_*[0-9]"))
    assert [run.name.split("_")[-1] for run in runs] == ["3", "6", "9", "12"]
    assert verdict(report, "PERF-01")["status"] == "SKIPPED"
    assert verdict(report, "EQUIV-VANILLA")["status"] == "PASS"
    assert len(list((program.folder / "out" / "runs").glob("*_persistent"))) == 3
    assert {path.name for path in (program.folder / "out" / "data").iterdir()} >= {
        "first_12_part_1_of_1.fa", "first_12_part_2_of_2.fa"}


def test_samples_have_their_own_size(program):
    (program.folder / "samples").mkdir()
    result = program("benchmark", *TINY, "--data", "samples", "-o", "out")
    assert result.returncode == 1 and "--data and --data-size exclude each other" in message(result)


def verdict(report, name):
    (found,) = [row for row in report["verdicts"] if row["id"] == name]
    return found


def test_nothing_to_compare_is_no_pass(program):
    (program.folder / "samples").mkdir()
    (program.folder / "samples" / "a.fa").write_text(fasta({"short": "AC"}))
    row = verdict(run_samples(program, "equivalence"), "IDENTITY")
    assert row["status"] == "SKIPPED" and "no row" in row["detail"]


def test_a_part_of_a_suite_does_not_keep_the_next_from_being_run(program):
    (program.folder / "empty").mkdir()
    _, report = run(program, "--suite", "equivalence", "--vanilla-baseline", "empty",
                    "--vanilla-command", 'cp -r "$OUTPUT"/../*_own/*_merged "$OUTPUT"', exit_code=2)
    assert verdict(report, "EQUIV-BASELINE")["status"] == "SKIPPED"
    assert "it holds no table" in verdict(report, "EQUIV-BASELINE")["detail"]
    assert verdict(report, "EQUIV-VANILLA")["status"] == "PASS"
    assert verdict(report, "IDENTITY")["status"] == "PASS"


def test_what_leaves_no_results_is_not_fast(program):
    (program.folder / "short.yaml").write_text("run:\n  requirements:\n    shortest_run: 0\n")
    _, report = run(program, "-c", "short.yaml", "--suite", "v1-comparison", "--vanilla-command",
                    "sleep 1", exit_code=2)
    assert [row["status"] for row in report["verdicts"]] == ["SKIPPED"]


def test_a_stored_baseline_is_held_against_a_run(program):
    run(program, "--suite", "equivalence")
    (baseline,) = (program.folder / "out" / "runs").glob("*_own")
    (baseline / "provenance.json").write_text(json.dumps({"source": "node 7", "version": "1.0"}))
    _, report = run(program, "--suite", "equivalence", "--vanilla-baseline", baseline, out="again")
    text = report_of(program.folder / "again", "md")
    assert "node 7" in text and "not recorded" in text
    row = verdict(report, "EQUIV-BASELINE")
    assert row["status"] == "PASS" and row["value"] == 0
    assert report["validation"]["equivalence"]["predictions_match"] is True


def test_a_part_that_cannot_be_run_is_told_and_the_others_are_run(program):
    result, report = run(program, "--suite", "memory,v1-comparison", "--vanilla-command",
                         "echo it is not installed >&2; exit 7", exit_code=2)
    assert "it is not installed" in message(result)
    failures = {suite["name"]: suite["failure"] for suite in report["suites"]}
    assert failures["memory"] == ""
    assert "exit code 7" in failures["v1-comparison"]
    assert report["performance"]["memory_usage"]["peak"] > 0


def test_an_empty_name_of_a_baseline_is_refused(program):
    for words in (["--vanilla-baseline="], ["--vanilla-baseline", ""]):
        result = program("benchmark", *TINY, "-o", "out", *words, "--quick", code=1)
        assert "--vanilla-baseline: the value is empty" in message(result)


def test_what_is_not_there_shows_at_once(program):
    (program.folder / "text").write_text("no program")
    for arguments in (["--against", "/nonexistent"], ["--vanilla-baseline", "absent"],
                      ["--vanilla-baseline", "stored"],
                      ["--against", "text"], ["--against", "/tmp"],
                      ["--esm-model", "synthetic:bogus"]):
        result = program("benchmark", *TINY, "-o", "out", *arguments, code=1)
        assert arguments[1].removeprefix("synthetic:") in message(result)
        assert not (program.folder / "out").exists()


def test_where_nothing_is_judged_nothing_passed(program):
    _, report = run(program, "--suite", "v1-comparison")
    assert report["status"]["all_tests_passed"] is False and report["summary"]["exit_code"] == 0
    assert "nothing judged" in report_of(program.folder / "out", "md")


@pytest.mark.parametrize("suites, log, failures", [
    ("v1-comparison,checkpoint-overhead", "001_journal.log", ["", "the benchmark was interrupted"]),
    ("scaling,v1-comparison", "001_scaling_1.log",
     ["the benchmark was interrupted", "the benchmark was interrupted before this suite began"]),
])
def test_an_interrupted_benchmark_leaves_what_there_is(program, suites, log, failures):
    process = program.start("benchmark", *QUICK, "--suite", suites, "--data-size", "large", "-o",
                            "out", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    program.wait_for((program.folder / "out" / "runs" / log).exists, process)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    left = subprocess.run(["pgrep", "-f", str(program.folder / "out")], capture_output=True, check=False)
    assert left.stdout == b""  # its runs have ended, too
    report = report_of(program.folder / "out")
    assert [suite["failure"] for suite in report["suites"]] == failures
    assert report["summary"]["exit_code"] == 130
    skipped = [row["id"] for row in report["verdicts"] if "was not run to its end" in row["detail"]]
    assert skipped == [name for name, why in zip(suites.split(","), failures) if why]


def test_two_at_once_are_refused(program):
    (program.folder / "out").mkdir()
    process = program.start("benchmark", *TINY, "--suite", "memory", "--data-size", "large", "-o",
                            "out", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    program.wait_for((program.folder / "out" / "run.lock").exists, process)
    program("benchmark", *TINY, "--suite", "memory", "-o", "out", code=3)
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=30)


def test_commands_of_others_get_whole_paths(program):
    """Even if the command changes the folder first; both tables must exist."""
    _, report = run(program, "--suite", "equivalence", "--vanilla-command",
                    'cd / && test -s "$INPUT" && cp -r "$OUTPUT"/../*_own/*_merged "$OUTPUT" && '
                    'rm "$OUTPUT"/*/*_highestscore.csv')
    row = verdict(report, "EQUIV-VANILLA")
    assert row["status"] == "MISS" and "highestscore.csv" in row["detail"]


def test_strict_fails_where_a_suite_judges_nothing(program):
    result, report = run(program, "--suite", "equivalence,scaling", "--strict", exit_code=2)
    assert "a requirement was not judged: suite scaling: the runs used the CPU" in message(result)
    assert report["summary"]["exit_code"] == 2
    run(program, "--suite", "equivalence", "--strict", out="judged")


def test_what_is_required_must_be_judged(program):
    result, report = run(program, "--suite", "equivalence,scaling", "--require", "IDENTITY,PERF-03",
                         exit_code=2)
    assert "a requirement was not judged: PERF-03: the runs used the CPU" in message(result)
    assert verdict(report, "IDENTITY")["status"] == "PASS"
    run(program, "--suite", "equivalence", "--require", "IDENTITY", out="judged")
    for name, code, said in (("PERF-02", 2, "--require PERF-02: no suite named by --suite judges it"),
                             ("PERF-33", 1, "--require PERF-33: expected PERF-02, ")):
        result = program("benchmark", *TINY, "--suite", "scaling", "--require", name, "-o", "none",
                         code=code)
        assert said in message(result)
        assert not (program.folder / "none").exists()


def test_what_no_suite_reads_is_refused(program):
    for flag, readers in (("--vanilla-command=true", "equivalence or v1-comparison"),
                          ("--vanilla-baseline", "equivalence"),
                          ("--vanilla-baseline=x", "equivalence")):
        result = program("benchmark", *TINY, "--suite", "throughput,memory", "-o", "out", flag,
                         code=1)
        assert f"{flag.split('=')[0]}: no suite named by --suite uses this option: add {readers}" in message(result)
        assert not (program.folder / "out").exists()


@pytest.mark.full
def test_v2_throughput_sweeps_parameters(program):
    result, report = run(program, "--suite", "v2-throughput")
    assert "--suite v2-throughput: throughput, tune" in result.stderr.decode()
    assert [(suite["name"], suite["failure"]) for suite in report["suites"]] == [
        ("throughput", ""), ("tune", "")]
    rows = [line for line in report_of(program.folder / "out", "md").splitlines()
            if line.startswith("| Token budget | Prefetch |")]
    assert len(rows) == 1
