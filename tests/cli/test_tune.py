"""tune: the grid, its table, stopped and failed cells, and the files it writes."""

import gzip
import json
import re
import resource
import signal
import subprocess

import pytest
from browser import assert_readable
from conftest import MODELS, fasta, is_there, limited, message, workers_of
from lengths import by_length
from needs import needs_isa
from report_page import read_page

FILES = ["tune.html", "tune.json", "tune.md", "tune.yaml"]
GRID = ["--threads-grid", "1,2", "--prefetch-grid", "2", "--budget-grid", "1024,512"]
TINY = [*MODELS, "--data-size", "tiny"]
QUICK = [*TINY, *GRID, "--quick"]
# Round, precision, threads, prefetch, budget, journal, sequences/s, whole run, GPU.
ROW = re.compile(r" +(\d)  +(fp32|bf16)  +(\d+)  +(\d+)  +(\d+)  +([\d.]+) s  +([\d.]+)  "
                 r"+([\d.]+) s  +(-|\d+ %)")


def rows_of(result):
    """The table's rows, and the flags in its last line."""
    assert result.returncode == 0, message(result)
    lines = result.stdout.decode().splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("round  precision "))
    end = lines.index("", head)
    found = [ROW.fullmatch(line) for line in lines[head + 1:end]]
    return [row.groups() for row in found if row], lines[-1].split()


def files_in(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_file())


@pytest.fixture
def tuned(program):
    result = program("tune", *QUICK)
    rows, flags = rows_of(result)
    folder = program.folder / "tune"
    return rows, flags, folder, json.loads((folder / "tune.json").read_text())


def test_table_and_files(tuned, program):
    rows, flags, folder, written = tuned
    assert files_in(folder) == FILES
    first = [row[1:5] for row in rows if row[0] == "1"]
    # Cells take turns.
    assert first == 2 * [("fp32", t, "2", b) for t in ("1", "2") for b in ("512", "1024")]
    assert all(float(rate) > 0 and float(seconds) > 0 and gpu == "-"
               for *_, rate, seconds, gpu in rows)
    winner = written["winner"]
    assert flags == ["--precision", "fp32", "--threads", str(winner["threads"]), "--prefetch", "2",
                     "--token-budget", str(winner["token_budget"]), "--journal-interval",
                     f"{winner['journal_interval']:g}"]
    # Only the random weights are kept, for the next tune.
    assert sorted(path.name for path in folder.iterdir() if path.is_dir()) == ["weights"]
    assert [path.name for path in program.folder.iterdir()] == ["tune"]


def test_json(tuned):
    rows, _, _, written = tuned
    assert written["schema"] == "virnucpro-tune-1"
    assert written["models"] == {"dnabert_s": MODELS[1], "esm2": MODELS[3], "classifier": MODELS[5],
                                 "synthetic_weights": True}
    assert written["machine"]["device"] == "cpu" and written["machine"]["processor"]
    assert written["data"] == "10 made-up sequences of 500 bases"
    assert [turn["sequences"] for turn in written["rounds"]] == [10, 10]
    assert [(cell["threads"], cell["token_budget"]) for cell in written["cells"]] == \
        [(1, 512), (1, 1024), (2, 512), (2, 1024)]
    runs = [run for cell in written["cells"] for turn in cell["rounds"] for run in turn]
    assert len(runs) == len(rows)
    assert all(run["sequences_per_second"] > 0 and run["batches"] > 0 for run in runs)
    for cell in written["cells"]:
        assert cell["state"] in ("finished", "stopped")
        assert (cell["why"] is None) == (cell["state"] == "finished")
        assert 0 < cell["relative"] <= 1
        assert cell["gpu_percent"] is None  # there is none
        assert {run["gpu_percent"] for turn in cell["rounds"] for run in turn} == {None}
    finished = [cell for cell in written["cells"] if cell["state"] == "finished"]
    fastest = max(cell["sequences_per_second"] for cell in finished)
    alike = [cell for cell in finished if cell["sequences_per_second"] >= 0.99 * fastest]
    best = min(alike, key=lambda cell: (cell["token_budget"], cell["threads"], cell["prefetch"]))
    winner = written["winner"]
    assert [winner[name] for name in ("precision", "threads", "prefetch", "token_budget")] == \
        [best[name] for name in ("precision", "threads", "prefetch", "token_budget")]
    assert winner["alike"] == len(alike) and winner["why"]
    # With so few sequences only small batches give more than one or two.
    few = [cell for cell in finished if cell["rounds"][-1][-1]["batches"] < 4]
    assert bool(few) == any("fewer than 4 batches for each worker" in warning
                            for warning in written["warnings"])


def test_configuration_is_taken(tuned, program, sequences):
    winner = tuned[3]["winner"]
    (program.folder / "a.fa").write_text(fasta(sequences))
    result = program("-v", "-c", "tune/tune.yaml", "predict", "a.fa", *MODELS, "-o", "out")
    said = message(result)
    assert result.returncode == 0, said
    assert "unknown key" not in said and "no effect" not in said
    assert f" {winner['threads']} threads, " in said
    assert f"token budget {winner['token_budget']}," in said
    assert " 2 batches waiting for each worker" in said and ", fp32, " in said
    text = (program.folder / "tune" / "tune.yaml").read_text()
    for words in ("# models   synthetic:dnabert-s-tiny, ", "# machine  ", "# data     10 made-up",
                  "virnucpro tune 0."):
        assert words in text


def test_pages(tuned):
    _, _, folder, written = tuned
    assert_readable(folder / "tune.html")
    page = read_page(folder / "tune.html")
    assert {"best", "maps", "cells", "machine"} <= set(page.ids)
    figures = page.text_of["text"]
    for words in ("threads", "token budget", "512", "1024", "%, best", " /s"):
        assert words in figures
    markdown = (folder / "tune.md").read_text()
    assert re.search(r"(?m)^\| threads by token budget \| 512 \| 1024 \|$", markdown)
    assert re.search(r"\*\*[\d,.]+ /s \(\d+ %, best\)\*\*", markdown)
    assert written["winner"]["why"][:40] in markdown.replace("\\", "")


def test_rounds_repeat_without_quick(program):
    rows, _ = rows_of(program("tune", *TINY, "--threads-grid", "1", "--prefetch-grid", "1",
                              "--budget-grid", "512", "-o", "one"))
    assert [row[0] for row in rows] == ["1", "1", "2", "2", "3", "3", "3"]
    assert files_in(program.folder / "one") == FILES


@pytest.mark.full
def test_default_grid(program):
    result = program("tune", *TINY, "--quick", "--threads-grid", "1")
    rows, _ = rows_of(result)
    first = {row[1:5] for row in rows if row[0] == "1"}
    assert first == {("fp32", "1", p, b) for p in "124" for b in ("512", "1024", "2048", "4096")}


def test_the_journals_interval_is_a_dimension(program):
    (program.folder / "c.yaml").write_text("run: {journal_interval: 7}\n")
    one = ["--quick", "--threads-grid", "1", "--prefetch-grid", "1", "--budget-grid", "512"]
    rows, _ = rows_of(program("tune", *TINY, *one, "-c", "c.yaml"))
    assert {row[5] for row in rows} == {"7"}
    result = program("tune", *TINY, *one, "--journal-grid", "10,0.5", "-o", "two")
    rows, flags = rows_of(result)
    assert [row[5] for row in rows[:4]] == ["0.5", "10", "0.5", "10"]
    written = json.loads((program.folder / "two" / "tune.json").read_text())
    assert [cell["journal_interval"] for cell in written["cells"]] == [0.5, 10]
    text = (program.folder / "two" / "tune.yaml").read_text()
    assert f"  journal_interval: {written['winner']['journal_interval']:g}\n" in text
    assert flags[-1] == f"{written['winner']['journal_interval']:g}"
    for words in ("prefetch 1, journal 0.5 s", "prefetch 1, journal 10 s"):
        assert words in (program.folder / "two" / "tune.md").read_text()


@pytest.mark.parametrize("pack", by_length([gzip.compress], [lambda text: text, gzip.compress]))
def test_real_sequences(program, sequences, pack):
    (program.folder / "reads").write_bytes(pack(fasta(sequences).encode()))
    result = program("tune", *MODELS, *GRID, "--quick", "--test-file", "reads", "-e", "100")
    rows_of(result)
    written = json.loads((program.folder / "tune" / "tune.json").read_text())
    assert written["data"] == "reads, 6 sequences"
    assert written["chunk_size"] == 100


@pytest.mark.parametrize("content, expected", [
    (b"", "short.fa: the file has no sequence"), (b"ACGT\n", "short.fa: record 1"),
    (b">a\nATGGCTGCT\n>b\nAC\0T\n", "short.fa: record 2")])
def test_a_file_that_cannot_be_used(program, content, expected):
    (program.folder / "short.fa").write_bytes(content)
    result = program("tune", *MODELS, *GRID, "--test-file", "short.fa")
    assert (result.returncode, result.stdout) == (1, b"")
    assert expected in message(result)
    assert not list(program.folder.rglob("tune.*"))


def test_files_are_replaced_only_by_force(program):
    (program.folder / "tune").mkdir()
    (program.folder / "tune" / "tune.md").write_text("mine")
    assert "tune/tune.md: output is there already" in message(program("tune", *QUICK, code=1))
    assert (program.folder / "tune" / "tune.md").read_text() == "mine"
    # tune needs some settings; its runs must not take them from the user's file.
    (program.folder / "c.yaml").write_text("run:\n  telemetry: off\n  token_budget: 77\n")
    result = program("-c", "c.yaml", "tune", "-q", *QUICK, "--force")
    assert rows_of(result)[0] and result.stderr == b""  # the table is left
    assert (program.folder / "tune" / "tune.md").read_text().startswith("# virnucpro tune")


# The stacks of a thousand threads do not fit in memory.
def test_a_cell_without_memory_is_a_row(program):
    result = program("tune", *TINY, "--quick", "--threads-grid", "1,1000", "--prefetch-grid", "2",
                     "--budget-grid", "512", **limited(resource.RLIMIT_AS, 4 << 30))
    rows, _ = rows_of(result)
    assert [row[2] for row in rows] == ["1", "1", "1"]
    assert re.search(rb"(?m)^out of memory: fp32, 1000 threads, prefetch 2, 512 tokens, .*code 4",
                     result.stdout)
    cells = json.loads((program.folder / "tune" / "tune.json").read_text())["cells"]
    assert [cell["state"] for cell in cells] == ["finished", "out of memory"]
    assert cells[1]["sequences_per_second"] is None and cells[1]["rounds"] == []


def test_no_cell_could_be_run(program):
    result = program("tune", *QUICK, "-e", "1", code=2)
    assert "no cell of the grid could be run: fp32, 1 thread, prefetch 2, 512 tokens, journal " in \
        message(result)
    assert result.stdout.count(b"\nfailed: ") == 4
    assert files_in(program.folder / "tune") == []


@pytest.mark.parametrize("number, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_its_run(program, number, code):
    process = program.start("tune", *MODELS, "--data-size", "large", *GRID, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)
    program.wait_for_line(process, b"round  precision")
    program.wait_for(lambda: workers_of(process.pid), process)
    children = workers_of(process.pid)
    process.send_signal(number)
    assert process.wait(timeout=10) == code
    process.communicate()
    assert not any(is_there(child) for child in children)
    assert files_in(program.folder / "tune") == []


@pytest.mark.parametrize("environment, computes_in_bf16", [
    pytest.param({}, True, marks=needs_isa("AVX512_BF16")),
    ({"ONEDNN_MAX_CPU_ISA": "AVX2"}, False),
])
def test_precisions_are_compared_when_asked_for(program, environment, computes_in_bf16):
    # The key, which no machine without a GPU can follow, is for runs without the option.
    (program.folder / "c.yaml").write_text("run:\n  precision: int8\n")
    result = program("-c", "c.yaml", "tune", *TINY, "--quick", "--threads-grid", "1",
                     "--prefetch-grid", "1", "--budget-grid", "512", "--precisions", "bf16,fp32",
                     environment=environment)
    rows_of(result)
    written = json.loads((program.folder / "tune" / "tune.json").read_text())
    states = {cell["precision"]: cell["state"] for cell in written["cells"]}
    assert list(states) == ["fp32", "bf16"]
    assert (states["bf16"] != "failed") == computes_in_bf16
