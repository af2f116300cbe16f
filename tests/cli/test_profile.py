"""profile: the sweep over token budgets, its table, its JSON and its recommendation."""

import gzip
import json
import re
import resource
import signal
import subprocess

import pytest
from conftest import MODELS, fasta, limited, message

ENCODERS = MODELS[:4]
QUICK = [*ENCODERS, "-t", "1", "--seconds", "0.05"]
BUDGETS = ["--min-batch", "200", "--max-batch", "800"]
LAST_LINE = r"the smallest budget within 1 % of the fastest: --token-budget (\d+)"


def table_of(result):
    """The table's rows by budget, and the recommended budget."""
    assert result.returncode == 0, message(result)
    lines = result.stdout.decode().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("token budget "))
    rows = {}
    for line in lines[head + 1:-2]:
        budget, *figures = line.split()
        rows[int(budget)] = figures
    assert lines[-2] == ""
    return rows, int(re.fullmatch(LAST_LINE, lines[-1]).group(1))


@pytest.mark.parametrize("model", ["esm2", "dnabert-s"])
def test_table(program, model):
    result = program("profile", "-m", model, *QUICK, *BUDGETS)
    rows, recommended = table_of(result)
    assert result.stderr == b""
    assert list(rows) == [200, 400, 800]
    assert recommended in rows
    for rate, spread, percent, batches in rows.values():
        assert int(rate.replace(",", "")) > 0
        assert float(spread) >= 0 and percent == "%"
        assert int(batches.replace(",", "")) >= 5
    text = result.stdout.decode()
    assert re.search(rf"(?m)^model   synthetic:{model}[-_]tiny:0, fp32$", text)
    assert re.search(r"(?m)^device  cpu, cpu-avx\w+, 1 threads$", text)


@pytest.mark.parametrize("flags, budgets", [
    ([], [512, 1024, 2048, 4096, 8192]),
    (["--min-batch", "5000"], [5000, 8192]),
    (["--min-batch", "10000"], [10000]),
    (["--max-batch", "300"], [300]),
    (["--min-batch", "1000", "--max-batch", "1500"], [1000, 1500]),
    (["--min-batch", "100", "--max-batch", "500", "--step", "200"], [100, 300, 500]),
    (["--min-batch", "7", "--max-batch", "8", "--step", "16777216"], [7]),
])
def test_budgets(program, flags, budgets):
    rows, _ = table_of(program("profile", "-m", "esm2", *QUICK, *flags))
    assert list(rows) == budgets


def test_json_says_what_the_table_says(program):
    result = program("profile", "-m", "esm2", *QUICK, *BUDGETS, "-o", "budgets.json")
    rows, recommended = table_of(result)
    written = json.loads((program.folder / "budgets.json").read_text())
    assert written["recommended_token_budget"] == recommended
    assert [row["token_budget"] for row in written["rows"]] == list(rows)
    for row, (rate, spread, _, batches) in zip(written["rows"], rows.values()):
        assert f"{row['tokens_per_second']:,.0f}" == rate
        assert f"{100 * row['spread']:.1f}" == spread
        assert f"{row['batches']:,}" == batches
        assert row["out_of_memory"] is False
    fastest = max(row["tokens_per_second"] for row in written["rows"])
    fast = [row["token_budget"] for row in written["rows"]
            if row["tokens_per_second"] >= 0.99 * fastest]
    assert recommended == min(fast)
    facts = {name: written[name] for name in ("model", "weights", "synthetic_weights", "device",
                                              "precision", "int8_keep", "threads", "test_file",
                                              "chunk_size", "seconds")}
    assert facts == {"model": "esm2", "weights": "synthetic:esm2_tiny:0", "synthetic_weights": True,
                     "device": "cpu", "precision": "fp32", "int8_keep": None, "threads": 1,
                     "test_file": None, "chunk_size": 500, "seconds": 0.05}
    assert written["tokens"] == 168 * written["frames"] >= 4 * 800
    memory = written["memory"]
    assert memory["kept_bytes"] == 0
    assert memory["weights"]["peak_bytes"] >= memory["weights"]["bytes"] > 100_000
    assert len(written["weights_hash"]) == 32 and written["device_description"]


def test_json_to_stdout_is_all_there_is(program):
    result = program("profile", "-m", "dnabert-s", *QUICK, *BUDGETS, "-o", "-")
    assert (result.returncode, result.stderr) == (0, b"")
    written = json.loads(result.stdout)
    assert written["model"] == "dnabert-s"
    assert [row["token_budget"] for row in written["rows"]] == [200, 400, 800]
    assert list(program.folder.iterdir()) == []


def test_a_file_is_replaced_only_by_force(program):
    (program.folder / "budgets.json").write_text("mine")
    arguments = ["profile", "-m", "esm2", *QUICK, *BUDGETS, "-o", "budgets.json"]
    assert "output is there already" in message(program(*arguments))
    assert (program.folder / "budgets.json").read_text() == "mine"
    assert program(*arguments, "-f").returncode == 0
    assert json.loads((program.folder / "budgets.json").read_text())["rows"]


@pytest.mark.parametrize("model", ["esm2", "dnabert-s"])
def test_frames_of_a_file(program, sequences, model):
    text = fasta(sequences).encode()
    (program.folder / "reads.fa.gz").write_bytes(gzip.compress(text))
    arguments = ["profile", "-m", model, *QUICK, *BUDGETS, "-e", "100", "-o", "-", "--test-file"]
    written = json.loads(program(*arguments, "reads.fa.gz").stdout)
    assert written["test_file"] == "reads.fa.gz"
    assert written["chunk_size"] == 100
    # At most 33 residues, or 100 letters, plus two tokens at the ends.
    assert 2 * written["frames"] < written["tokens"] <= 102 * written["frames"]
    from_stdin = json.loads(program(*arguments, "-", stdin=text).stdout)
    assert [from_stdin[name] for name in ("test_file", "frames", "tokens")] == \
        ["-", written["frames"], written["tokens"]]


def test_a_file_with_few_frames_is_repeated(program):
    (program.folder / "short.fa").write_text(">a\nATGGCTGCTAAACGT\n")
    result = program("profile", "-m", "esm2", *QUICK, *BUDGETS, "--test-file", "short.fa")
    rows, _ = table_of(result)
    assert list(rows) == [200, 400, 800]
    assert re.search(rb"(?m)^frames  [1-6] of short.fa, \d\.\d tokens each$", result.stdout)


@pytest.mark.parametrize("content, expected", [
    (b">a\nTAACTAACTAACTTAGTTAGTTAG\n", "short.fa has no stop-free frame in chunks of 500 bases"),
    (b"", "short.fa has no stop-free frame"),
    (b"ACGT\n", "short.fa: record 1"),
    (b">a\nATGGCTGCT\n>b\nAC\0T\n", "short.fa: record 2"),
])
def test_a_file_that_cannot_be_used(program, content, expected):
    (program.folder / "short.fa").write_bytes(content)
    result = program("profile", "-m", "esm2", *QUICK, "--test-file", "short.fa", "-o", "x.json")
    assert result.returncode == 1
    assert result.stdout == b""
    assert expected in message(result)
    assert [path.name for path in program.folder.iterdir()] == ["short.fa"]


@pytest.mark.parametrize("model", ["esm2", "dnabert-s"])
@pytest.mark.parametrize("size", ["1", "2"])
def test_a_chunk_without_a_codon(program, model, size):
    result = program("profile", "-m", model, *QUICK, *BUDGETS, "-e", size, code=1)
    assert f"chunks of {size} bases are shorter than a codon" in message(result)


# A frame is never split, even over a small budget.
def test_no_memory_for_any_budget(program):
    result = program("profile", "-m", "esm2", *QUICK, "-e", "12000000", "-o", "x.json",
                     **limited(resource.RLIMIT_AS, 1 << 30), code=4)
    assert "out of memory" in message(result)
    assert list(program.folder.iterdir()) == []


@pytest.mark.parametrize("output", [[], ["-o", "x.json"]])
@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_it(program, number, code, output):
    process = program.start("profile", "-m", "esm2", *ENCODERS, "--seconds", "3600", *output,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    program.wait_for_line(process, b"token budget")
    process.send_signal(number)
    assert process.wait(timeout=5) == code
    assert b"Run the command again, from the beginning." in process.communicate()[1]
    assert list(program.folder.iterdir()) == []


def test_rows_appear_as_they_are_measured(program):
    process = program.start("profile", "-m", "esm2", *ENCODERS, "--seconds", "1", "--min-batch",
                            "200", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    program.wait_for_line(process, b"         200  ")
    assert process.poll() is None
    process.kill()
    process.communicate()


def test_packing_may_be_off_and_quiet_leaves_the_table(program):
    result = program("profile", "-q", "-m", "esm2", *QUICK, *BUDGETS, environment={"VIRNUCPRO_DISABLE_PACKING": "1"})
    assert len(table_of(result)[0]) == 3 and result.stderr == b""
