"""--margin: chunks whose call is close are computed again, to the same bytes however the run goes."""

import json
import os
import random
import re
import signal
import time

import pytest
from conftest import MODELS, SHORT, Program, fasta, message
from lengths import by_length

READS = by_length(150, 600)
MARGIN = "0.05"
COARSE = [*SHORT, "--precision", "int8-simulated"]
CLOSE = [*COARSE, "--margin", MARGIN]
KILLS = by_length(2, 12)


@pytest.fixture(scope="module")
def runs(genome, tmp_path_factory):
    """A folder with reads, and runs of them: exact, coarse, and with close calls computed again."""
    rng = random.Random(11)
    starts = [rng.randrange(len(genome) - 400) for _ in range(READS)]
    program = Program(tmp_path_factory.mktemp("runs"))
    program.reads = {f"read_{i}": genome[start:start + 250] for i, start in enumerate(starts)}
    (program.folder / "reads.fa").write_text(fasta(program.reads))
    program.predict("reads.fa", *SHORT, "-o", "exact", code=0)
    program.predict("reads.fa", *COARSE, "-o", "coarse", code=0)
    program.predict("reads.fa", *CLOSE, "-o", "close", code=0)
    return program


def again(runs, output, *arguments, code=0):
    result = runs.predict("reads.fa", *CLOSE, "-o", output, "--force", *arguments, code=code)
    return result if code else runs.tables(output, "reads")


def rows(runs, output):
    lines = runs.tables(output, "reads")["prediction_results.txt"].decode().splitlines()[1:]
    return {line.split("\t")[0]: line for line in lines}


def telemetry(runs, output):
    path = max((runs.folder / output).glob("telemetry_*.json"))  # a run killed at its end has one, too
    return json.loads(path.read_text())


def test_close_calls_alone_are_exact(runs):
    exact, coarse, close = (rows(runs, name) for name in ("exact", "coarse", "close"))
    assert exact.keys() == coarse.keys() == close.keys()
    assert all(row in (exact[name], coarse[name]) for name, row in close.items())
    as_exact = sum(row == exact[name] != coarse[name] for name, row in close.items())
    assert 10 < as_exact < len(close) - 10
    assert again(runs, "all", "--margin", "100") == runs.tables("exact", "reads")


def test_the_run_says_how_many(runs):
    recorded = telemetry(runs, "close")
    assert recorded["settings"]["margin"] == float(MARGIN)
    assert recorded["settings"]["check_precision"] == "fp32"
    calls = recorded["close_calls"]
    exact, coarse, close = (rows(runs, name) for name in ("exact", "coarse", "close"))
    as_exact = sum(row == exact[name] != coarse[name] for name, row in close.items())
    assert as_exact <= calls["frames"] < len(close)
    assert 0 < calls["recomputed"] < calls["chunks"]
    assert calls["changed"] <= calls["recomputed"]
    assert calls["esm_tokens"] < recorded["workload"]["esm_tokens"]
    result = runs.predict("reads.fa", *CLOSE, "-o", "said", "--force", code=0)
    said = {name.strip(): value
            for name, value in re.findall(r"^  (.{12}) *(\S+)", message(result), re.M)}
    assert said["close calls"] == f"{calls['recomputed']:,}"
    assert said["changed"] == f"{calls['changed']:,}"
    assert telemetry(runs, "coarse")["close_calls"]["chunks"] is None
    assert telemetry(runs, "coarse")["settings"]["check_precision"] is None


@pytest.mark.parametrize("arguments", [["--token-budget", "150"], ["--token-budget", "9000", "-t", "1"],
                                       ["--prefetch", "5"], ["--cpu-workers", "2"]])
def test_the_bytes_are_the_same(runs, arguments):
    assert again(runs, "other", *arguments) == runs.tables("close", "reads")


def test_shards_make_the_same_bytes(runs):
    again(runs, "half_0", "--shard", "0/2")
    again(runs, "half_1", "--shard", "1/2")
    runs("merge", "half_0", "half_1", "-o", "merged", "--force", code=0)
    assert runs.tables("merged", "reads") == runs.tables("close", "reads")
    again(runs, "half_1", "--shard", "1/2", "--margin", "0.06")
    result = runs("merge", "half_0", "half_1", "-o", "merged", "--force", code=3)
    assert "--margin (is 0.06 instead of 0.05)" in message(result)


def test_another_margin_is_another_run(runs):
    again(runs, "resumed")
    for arguments, why in ((["--margin", "0.06"], "--margin (was 0.05, is 0.06)"),
                           (["--margin", "0"], "--margin (was 0.05, is not given)"),
                           (["--min-score", "0.8"], "is 0.05 with --min-score 0.8")):
        result = runs.predict("reads.fa", *CLOSE, "-o", "resumed", "--resume", *arguments, code=3)
        assert why in message(result)


def test_a_killed_run_goes_on_to_the_same_bytes(runs):
    """Wherever it was: with chunks that wait for their first or their second scores."""
    computed = []
    for kill in range(KILLS):
        command = ["predict", *MODELS, "reads.fa", *CLOSE, "--journal-interval", "0.1",
                   "--token-budget", "200", "-o", f"killed_{kill}"]
        process = runs.start(*command)
        runs.wait_for_journal(process, f"killed_{kill}")
        time.sleep(0.1 + 0.1 * kill)
        process.send_signal(signal.SIGKILL)
        was_alive = process.wait(timeout=60) == -signal.SIGKILL
        runs(*command, "--resume", code=0)
        assert runs.tables(f"killed_{kill}", "reads") == runs.tables("close", "reads"), kill
        if was_alive:
            computed.append(telemetry(runs, f"killed_{kill}"))
    # Some knew first scores from before the kill, and had close calls to compute.
    tokens = telemetry(runs, "close")["workload"]["esm_tokens"]
    assert any(run["workload"]["esm_tokens"] < tokens and run["close_calls"]["recomputed"] > 0
               for run in computed), [run["workload"] for run in computed]


def test_a_shadow_check_of_all_finds_what_would_change(runs):
    """The error of 8 bits is larger than this margin for a few chunks, each of one frame or more."""
    small = ["--margin", "0.001"]
    assert again(runs, "shadow_0", *small, "--shadow", "1", "--token-budget", "300") == \
        again(runs, "shadow_1", *small, "--shadow", "1", "--cpu-workers", "2") == \
        again(runs, "plain", *small)
    shadow = telemetry(runs, "shadow_0")["shadow"]
    calls = telemetry(runs, "plain")["close_calls"]
    assert telemetry(runs, "shadow_0")["close_calls"] == calls
    assert telemetry(runs, "plain")["shadow"]["chunks"] is None

    def labels(output):
        table = runs.tables(output, "reads")["prediction_results_highestscore.csv"].decode()
        return [line.split("\t")[:2] for line in table.splitlines()]

    wrong = sum(one != other for one, other in zip(labels("plain"), labels("exact")))
    assert shadow["changed"] == shadow["changed_low"] == shadow["changed_high"] == wrong > 0
    assert shadow["chunks"] == shadow["sampled"] == calls["chunks"] - calls["recomputed"]
    assert sum(stratum["chunks"] for stratum in shadow["strata"]) == shadow["chunks"]
    assert 0 < shadow["logit_rms"] < shadow["logit_largest"]
    other = telemetry(runs, "shadow_1")["shadow"]
    assert {key: other[key] for key in ("changed", "strata")} == \
        {key: shadow[key] for key in ("changed", "strata")}
    assert 0.99 < shadow["centred_cosine"] < 1
    page = next((runs.folder / "shadow_0").glob("report.html")).read_text()
    assert "Calls and precision" in page and "Compared calls that would change" in page


def test_strict_fails_where_too_many_calls_would_change(runs):
    (runs.folder / "c.yaml").write_text("run:\n  shadow: 1\n  requirements:\n"
                                        "    changed_calls: 0\n    most_changed_calls: 0\n")
    command = ["-c", "c.yaml", "predict", *MODELS, "reads.fa", *COARSE, "--margin", "0.0001",
               "--force"]
    result = runs(*command, "-o", "strict", "--strict")
    verdict, = (row for row in telemetry(runs, "strict")["verdicts"] if row["id"] == "PREC-01")
    assert telemetry(runs, "strict")["shadow"]["changed_low"] > 0
    assert verdict["status"] == "MISS" and result.returncode == 1
    assert "PREC-01" in message(result)
    assert runs(*command, "-o", "strict").returncode == 0


def calls(runs, output):
    """Of each chunk: its call and its two scores."""
    table = runs.tables(output, "reads")["prediction_results_highestscore.csv"].decode()
    return {chunk: row for chunk, *row in
            (line.split("\t") for line in table.splitlines()[1:])}


def wrong_chunks(runs):
    """Those that int8 calls otherwise than fp32."""
    exact, coarse = calls(runs, "exact"), calls(runs, "coarse")
    return {chunk: row for chunk, row in exact.items() if row[0] != coarse[chunk][0]}


def test_strict_stops_a_run_whose_calls_are_known_to_be_wrong(runs):
    """Long before its end, and what it has stays."""
    wrong = {chunk.rsplit("_chunk_", 1)[0] for chunk in wrong_chunks(runs)}
    copies = [runs.reads[name] for name in sorted(wrong)[:3]] * 1500
    (runs.folder / "wrong.fa").write_text(
        fasta({f"copy_{i}": sequence for i, sequence in enumerate(copies)}))
    command = ["wrong.fa", *COARSE, "--margin", "0.00001", "--shadow", "1", "--token-budget", "100",
               "-o", "wrong"]
    result = runs.predict(*command, "--strict", code=1)
    assert re.search(r"a requirement was missed: PREC-01: [\d,]+ calls were also made in fp32\.",
                     message(result)), message(result)
    assert "predict --resume without --strict continues" in message(result)
    assert not (runs.folder / "wrong" / "wrong_merged").exists()
    stopped = telemetry(runs, "wrong")["workload"]
    runs.predict(*command, "--resume", code=0)
    whole = json.loads(max((runs.folder / "wrong").glob("telemetry_*.json")).read_text())["workload"]
    assert whole["sequences"] == len(copies) > stopped["sequences_scored"]
    assert whole["frames"] > 1.2 * stopped["frames_scored"]


def test_a_tie_of_two_frames_is_repaired(runs):
    """Chunks whose highest scores are of two frames, and so near that int8 turns their order."""
    frames = {}
    for name, row in rows(runs, "exact").items():
        frames.setdefault(name[:-2], []).append([float(score) for score in row.split("\t")[2:]])
    ties = {chunk: row for chunk, row in wrong_chunks(runs).items()
            if max(range(len(frames[chunk])), key=lambda i: frames[chunk][i][0]) !=
            max(range(len(frames[chunk])), key=lambda i: frames[chunk][i][1])}
    assert ties
    close = calls(runs, "close")
    assert {chunk: close[chunk] for chunk in ties} == ties


def test_a_shadow_check_changes_nothing(runs):
    """Neither embeddings, nor to which run a journal or a shard belongs."""
    again(runs, "kept", "-k")
    again(runs, "kept_shadow", "-k", "--shadow", "1")
    result = runs("compare", "kept", "kept_shadow", "--rtol", "0", "--atol", "0", code=0)
    assert b"esm2" in result.stdout
    again(runs, "half_0", "--shard", "0/2", "--shadow", "0.5")
    again(runs, "half_1", "--shard", "1/2")
    runs("merge", "half_0", "half_1", "-o", "merged", "--force", code=0)
    assert runs.tables("merged", "reads") == runs.tables("close", "reads")
    runs.predict("reads.fa", *CLOSE, "-o", "half_0", "--resume", "--shard", "0/2", code=0)


def test_copies_of_a_read_do_not_stand_for_each_other(runs, genome):
    """Chosen together, a few hundred copies would be none or thousands."""
    reads = {f"copy_{i}": genome[1000:1250] for i in range(800)}
    (runs.folder / "copies.fa").write_text(fasta(reads))
    runs.predict("copies.fa", *COARSE, "--margin", "0.00001", "--shadow", "0.3", "-o", "copies",
                 "--force", code=0)
    shadow = telemetry(runs, "copies")["shadow"]
    assert 0.15 * shadow["chunks"] < shadow["sampled"]
    assert shadow["changed_high"] <= shadow["chunks"]


def test_what_cannot_be_asked_for(program):
    (program.folder / "a.fa").write_text(fasta({"a": "ACGT" * 50}))
    command = ["predict", "a.fa", *MODELS, *SHORT, "-o", "out"]
    for arguments, why in (
            (["--margin", "-1"], "--margin -1: expected auto or a number from 0 to 100"),
            (["--margin", "101", "--precision", "int8-simulated"], "--margin 101: expected auto or a number"),
            (["--margin", "x"], "--margin x: expected auto or a number"),
            (["--margin", "1"], "fp32 is not finer than the run's precision, fp32"),
            (["--margin", "1", "--precision", "int8-simulated", "--check-precision", "int8-simulated"],
             "int8 is not finer than the run's precision, int8-simulated"),
            (["--margin", "1", "--precision", "int8-simulated", "--check-precision", "fp16"],
             "fp16 needs a GPU"),
            (["--margin", "1", "--precision", "int8-simulated", "--check-precision", "fp64"],
             "--check-precision fp64: expected auto, fp32, fp16 or bf16"),
            (["--shadow", "1.5", "--precision", "int8-simulated"],
             "--shadow 1.5: expected 0, or a number from 1e-06 to 1"),
            (["--shadow", "0.5"], "--shadow needs --margin"),
            (["--check-precision", "fp32"], "--check-precision needs --margin")):
        assert why in message(program(*command, *arguments, code=1)), arguments
    assert {file.name for file in program.folder.iterdir()} == {"a.fa"}
    (program.folder / "c.yaml").write_text("run:\n  margin: 1000\n  precision: int8-simulated\n")
    result = program("-c", "c.yaml", *command, code=1)
    assert "run.margin" in message(result) and "c.yaml" in message(result)
    (program.folder / "c.yaml").write_text("run:\n  margin: 1\n  precision: int8-simulated\n"
                                           "  check_precision: fp64\n")
    assert "run.check_precision" in message(program("-c", "c.yaml", *command, code=1))
    (program.folder / "c.yaml").write_text("run:\n  margin: 0.5\n  precision: int8-simulated\n")
    result = program("-v", "-c", "c.yaml", *command, code=0)
    assert "chunks whose two scores are at most 0.5 logits apart are computed again in fp32" in message(result)
    # A key without effect is no error.
    (program.folder / "c.yaml").write_text("run:\n  margin: 0.5\n")
    result = program("-v", "-c", "c.yaml", *command, "--force", code=0)
    assert "run.margin has no effect: the check precision fp32 is not finer than this run's, fp32" in message(result)


NGS = ["--rule", "viral-ngs"]
COST = "of the chunks were computed again, most of them because the call of their contig was close"


def test_close_contigs_are_computed_again_whatever_the_batches(runs):
    """More chunks than by their own calls alone, and the same bytes in other batches."""
    def recomputed(output):
        return telemetry(runs, output)["close_calls"]["recomputed"]
    again(runs, "chunks", "--margin", "0.3")
    tables = again(runs, "contigs", "--margin", "0.3", *NGS)
    assert recomputed("chunks") > 0
    # With tiny limits a contig of several chunks is read in parts, and so computed by its chunks alone.
    is_in_parts = "VIRNUCPRO_BIN_REFERENCE" in os.environ
    assert (recomputed("contigs") > recomputed("chunks")) != is_in_parts
    assert again(runs, "contigs_again", "--margin", "0.3", *NGS, "--token-budget", "128", "-t", "2") == tables


def test_contigs_that_cost_more_than_they_give_are_told(runs):
    for margin, rule, is_told in (("5", NGS, True), ("5", [], False), ("0.01", NGS, False)):
        told = message(runs.predict("reads.fa", *COARSE, "--margin", margin, *rule, "-o", "cost", "--force", code=0))
        assert (COST in told) == is_told, (margin, rule)


def test_an_export_by_a_rule_that_was_not_covered_says_so(runs):
    again(runs, "covered", *NGS)
    again(runs, "uncovered")
    coarser = "run predict with this rule and another --output"
    assert coarser in message(runs("export", "uncovered", *NGS, "-o", "other", "--force", code=0))
    for run, rule in (("covered", "majority"), ("uncovered", "majority"), ("covered", "viral-ngs")):
        assert coarser not in message(runs("export", run, "--rule", rule, "-o", "other", "--force", code=0))
