"""report: the page of many samples."""

import json
import resource
import shutil

import pytest
from browser import assert_readable, seen_by
from conftest import MODELS, SHORT, Program, fasta, limited, message, table
from report_page import read_page

# By this least score the made-up models call some of the pieces virus, and not all.
SCORE = ["--min-score", "0.5"]
RULE = ["--rule", "viral-ngs"]


def run_sample(program, sequences, folder, *options, code=0):
    (program.folder / "in.fa").write_text(fasta(sequences))
    program.predict("in.fa", *SHORT, *options, "-o", folder, code=code)


@pytest.fixture(scope="module")
def three_runs(tmp_path_factory, genome):
    """runs/a, b and water, of 12, 24 and 60 pieces, by the rule viral-ngs."""
    program = Program(tmp_path_factory.mktemp("three"))
    for name, count in (("a", 12), ("b", 24), ("water", 60)):
        run_sample(program, dict(list(pieces_of(genome).items())[:count]), f"runs/{name}",
                   "--name", name, *RULE, "--no-report")
    return program.folder / "runs"


def pieces_of(genome):
    return {f"p{i}": genome[i * 400:i * 400 + 300] for i in range(60)}


@pytest.fixture
def samples(program, genome, three_runs):
    shutil.copytree(three_runs, program.folder / "runs")
    program.pieces = pieces_of(genome)
    return program


def report(program, *arguments, code=0, page="samples.html"):
    return program("report", *arguments, "-o", page, "--force", code=code)


def rows(program, page="samples"):
    return {row["run"]: row for row in table(program.folder / f"{page}.tsv")}


def test_a_row_says_what_the_tables_say(samples):
    runs = ["runs/a", "runs/b", "runs/water"]
    result = report(samples, *runs, *SCORE)
    assert "report: samples.html" in message(result)
    found = rows(samples)
    assert list(found) == runs
    for run in runs:
        samples("export", run, *SCORE, *RULE, "-o", f"tables_{run[5:]}", code=0)
        folder = samples.folder / f"tables_{run[5:]}"
        calls = table(folder / "sequences.tsv")
        tiers = [row["tier"] for row in table(folder / "contigs.tsv") if row["call"] == "Viral"]
        row = found[run]
        virus = [call for call in calls if call["call"] == "virus"]
        assert row["sample"] == run[5:] and row["state"] == "finished"
        assert int(row["sequences"]) == len(calls)
        assert int(row["virus_sequences"]) == len(virus)
        assert float(row["virus_share"]) == pytest.approx(len(virus) / len(calls))
        assert int(row["unscored_sequences"]) == sum(c["call"] == "unscored" for c in calls)
        assert int(row["bases"]) == sum(int(call["length"]) for call in calls)
        assert int(row["virus_bases"]) == sum(int(call["length"]) for call in virus)
        assert [int(row[f"viral_{tier}"]) for tier in ("high", "moderate", "low", "review")] == [
            tiers.count(tier) for tier in ("high_confidence", "moderate_confidence", "low_confidence",
                                           "review")]
        assert float(row["seconds"]) > 0
    assert "against_controls" not in found["runs/a"]
    page = json.loads((samples.folder / "samples.json").read_text())
    assert [row["sample"] for row in page["sections"]["samples"]["tables"]["samples"]] == [
        "a", "b", "water"]
    assert_readable(samples.folder / "samples.html")
    shown = read_page(samples.folder / "samples.html")
    assert "3 samples" in shown.text_of["h1"]
    assert shown.text_of["td"].split()[:2] == ["a", found["runs/a"]["virus_sequences"]]


def test_controls_are_marked_and_held_against(samples):
    report(samples, "runs/a", "runs/b", "runs/water", "--control", "water", "--control", "runs/b/")
    found = rows(samples)
    assert [row["against_controls"] for row in found.values()] == ["not above", "control", "control"]
    a = found["runs/a"]
    nearest = found[f"runs/{a['nearest_control']}"]
    assert float(a["times_control"]) == pytest.approx(
        float(a["virus_share"]) / float(nearest["virus_share"]))
    assert float(a["at_least"]) < float(a["times_control"]) < float(a["at_most"])
    page = read_page(samples.folder / "samples.html")
    assert "Negative controls: b, water." in page.text_of["p"]


def test_above_a_control_without_virus(samples):
    run_sample(samples, {f"n{i}": "ACGTTGCA" * 40 for i in range(60)}, "runs/none", *RULE,
               "--name", "none")
    result = report(samples, "runs/a", "runs/water", "runs/none", "--control", "none")
    found = rows(samples)
    assert found["runs/none"]["virus_sequences"] == "0" < found["runs/a"]["virus_sequences"]
    water, a = found["runs/water"], found["runs/a"]
    assert (water["against_controls"], water["times_control"], water["at_most"]) == (
        "above", "NA", "inf")
    assert float(water["at_least"]) > 1
    assert a["against_controls"] == ("above" if float(a["at_least"]) > 1 else "not above")
    assert "no limit" in read_page(samples.folder / "samples.html").text_of["td"]
    assert "control" not in message(result)  # nothing to warn of


def test_a_control_without_sequences_is_told(samples):
    run_sample(samples, {}, "runs/empty", "--name", "empty")
    result = report(samples, "runs/a", "runs/empty", "--control", "empty")
    assert "The control empty has no sequences" in message(result)
    assert rows(samples)["runs/a"]["against_controls"] == "not comparable"


def test_what_cannot_be_compared_is_marked(samples):
    run_sample(samples, samples.pieces, "runs/long", *RULE, "-e", "200", "--name", "long")
    run_sample(samples, samples.pieces, "runs/score", "--min-score", "0.3", "--name", "score")
    run_sample(samples, samples.pieces, "runs/seed", *RULE, "-p", "synthetic:7", "--name", "seed")
    # These change no call of a sequence.
    run_sample(samples, samples.pieces, "runs/part", *RULE, "--min-score", "0.6", "--min-tier", "low",
               "--shard", "0/2", "--name", "part")
    odd = ["runs/long", "runs/score", "runs/seed", "runs/part"]
    result = report(samples, "runs/a", "runs/b", "runs/water", *odd, "--control", "water")
    found = rows(samples)
    for run, note in zip(odd, ("other chunk length: 200",
                               "other rule of calls: majority: virus score at least 0.3",
                               "other classifier", "only shard 0/2")):
        assert note in found[run]["notes"], found[run]
    states = [found[run]["against_controls"] for run in odd]
    assert states[:3] == ["not comparable"] * 3 and states[3] != "not comparable"
    assert "other" not in found["runs/a"]["notes"]
    assert "cannot be compared: 3 of 7 samples (long, score, seed)" in message(result)
    # One rule for all makes the calls anew.
    report(samples, "runs/a", "runs/b", "runs/water", "runs/score", *RULE)
    assert "rule" not in rows(samples)["runs/score"]["notes"]


def test_doubled_names_are_told(samples):
    run_sample(samples, samples.pieces, "other", "--name", "a")
    result = report(samples, "runs/a", "runs/b", "other")
    assert "Several runs have the same name: a (2 runs: runs/a, other). MultiQC" in message(result)
    assert "2 runs have this name" in rows(samples)["other"]["notes"]
    run_sample(samples, samples.pieces, "another", "--name", "b")
    told = message(report(samples, "runs/a", "runs/b", "other", "another"))
    assert "name: a (2 runs: runs/a, other), b (2 runs: runs/b, another). MultiQC" in told
    refusal = message(report(samples, "runs/a", "other", "--control", "a", code=1))
    assert "--control a: 2 runs have this name; give the path of a run, such as runs/a or other" in refusal
    refusal = message(report(samples, "runs/a", "other", "--control", "water", code=1))
    assert "the samples are a (runs/a), a (other)" in refusal
    report(samples, "runs/a", "./other", "--control", "runs/../other/")
    assert rows(samples)["./other"]["against_controls"] == "control"
    report(samples, "runs/a", "other", "--control", "other")
    assert rows(samples)["other"]["against_controls"] == "control"


def test_unfinished_and_partial_runs_are_told(samples):
    samples.interrupt(samples.start_waiting(*SHORT, "-o", "cut"), "cut")
    (samples.folder / "bad.fa").write_bytes(b">c\nACGT\n>cut\nAC\0")
    (samples.folder / "good.fa").write_text(fasta(samples.pieces))
    samples.predict("good.fa", "bad.fa", *SHORT, "-o", "partial", code=2)
    result = report(samples, "runs/a", "cut", "partial", code=2)
    found = rows(samples)
    assert found["cut"]["state"] == "partial" and found["cut"]["sequences"] == "0"
    assert found["cut"]["sample"] == "cut"  # its input is stdin
    assert "the run did not finish" in found["cut"]["notes"]
    assert found["partial"]["state"] == "1 input failed"
    page = (samples.folder / "samples.html").read_text()
    assert '<span class="badge bad">1 input failed</span>' in page
    assert '<span class="badge warn">partial</span>' in page
    assert "1 of 2 inputs failed" in found["partial"]["notes"]
    assert "did not finish (continue it with virnucpro predict --resume): 1 of 3" in message(result)


def test_a_page_of_one_sample_is_asked_for_by_its_name(samples):
    report(samples, "runs/a", page="one.html")
    assert list(rows(samples, "one")) == ["runs/a"]
    files = sorted(path.name for path in samples.folder.glob("one*"))
    assert files == ["one.html", "one.json", "one.tsv"]
    for name in files:  # none is replaced
        (samples.folder / name).rename(samples.folder / "aside")
        (samples.folder / name).write_text("mine")
        assert samples("report", "runs/a", "-o", "one.html").returncode == 1
        assert (samples.folder / name).read_text() == "mine"
        (samples.folder / "aside").rename(samples.folder / name)


def test_hostile_names_are_only_names(program, sequences):
    names = ["<script>alert(1)<!--", "=cmd|' 'A0", "a&amp;\"b", "tr\u202eip"]
    for k, name in enumerate(names):
        run_sample(program, sequences, f"r{k}", "--name", name)
    report(program, *(f"r{k}" for k in range(4)), "--control", names[0])
    page = read_page(program.folder / "samples.html")
    for name in names[:3]:
        assert name in page.text_of["td"]
    assert "\u202e" not in page.text_of["td"] and "tr\\u202eip" in page.text_of["td"]
    # A spreadsheet computes what begins like a formula.
    assert [row["sample"] for row in rows(program).values()] == [
        names[0], "_cmd|' 'A0", names[2], "tr\\u202eip"]
    tables = json.loads((program.folder / "samples.json").read_text())["sections"]["samples"]["tables"]
    assert tables["samples"][1]["sample"] == names[1]


MEASURE = """addEventListener("load", () => {
const lines = (range) => new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
const table = document.querySelector(".table.main");
table.scrollLeft = SCROLLED;
const room = table.getBoundingClientRect();
const found = [...table.querySelectorAll("tbody tr")].map((row) => {
  const name = document.createRange(), note = row.cells[0].querySelector(".under");
  name.selectNode(row.cells[0].firstChild);
  const box = note && note.getBoundingClientRect();
  return [row.cells[0].firstChild.data.length, lines(name),
          note && box.left >= room.left - 1 && box.right <= room.right + 1 &&
          note.scrollWidth <= note.clientWidth];
});
show(found);
});"""


def test_names_are_whole_and_notes_are_seen(samples):
    for length in (1, 39, 40):
        run_sample(samples, samples.pieces, f"r{length}", "-e", "200",
                   "--name", ("n-m" * 20)[:length])
    run_sample(samples, samples.pieces, "long", "--name", "two words " * 8)
    runs = ["runs/a", "runs/b", "runs/water", "r1", "r39", "r40", "long"]
    report(samples, *runs, "--control", "water", "--control", "runs/b")
    page = samples.folder / "samples.html"
    assert page.read_text().count('<span class="badge control">control</span>') == 2
    assert page.read_text().count('<rect fill="#8c5bb5"') == 4  # of two plots
    for width, scrolled in ((1280, 0), (1280, 400), (390, 0)):
        found = seen_by(page, MEASURE.replace("SCROLLED", str(scrolled)), width=width)
        assert [length for length, _, _ in found] == [1, 1, 5, 1, 39, 40, 80]
        assert all(lines == 1 for length, lines, _ in found if length <= 40), found
        assert all(seen for _, _, seen in found), (width, scrolled, found)


def test_figures_of_samples(samples):
    samples("report", "runs/a", "runs/water", "--control", "water", "-o", "s.html", "--figures", "f", code=0)
    assert sorted(path.name for path in (samples.folder / "f").iterdir()) == [
        "unscored_share.svg", "virus_share.svg"]
    for path in (samples.folder / "f").iterdir():
        assert path.read_text() in (samples.folder / "s.html").read_text()
        assert "water (control)</text>" in path.read_text()
        assert "share of all sequences</text>" in path.read_text()


def test_many_samples_are_one_page(program, sequences):
    """500 rows: none is cut, the page stays small, and no more than one run is open at a time."""
    run_sample(program, sequences, "r0", "--no-report")
    runs = program.folder / "r"
    for k in range(500):
        (runs / f"s{k}").mkdir(parents=True)
        (runs / f"s{k}" / "run.db").hardlink_to(program.folder / "r0" / "run.db")
    paths = [f"r/s{k}" for k in range(500)]
    result = program("report", *paths, "-o", "all.html", **limited(resource.RLIMIT_NOFILE, 64), code=0)
    assert "in (500 runs: r/s0, r/s1, r/s2, r/s3, r/s4 and 495 more)" in message(result)
    page = program.folder / "all.html"
    assert read_page(page).elements.count("tr") == 501
    assert page.stat().st_size < 1_000_000
    assert len(rows(program, "all")) == 500


SORT = """
const heads = [...document.querySelectorAll("th")];
const at = heads.findIndex((head) => head.textContent === "Sequences"), head = heads[at];
head.querySelector("button").focus();
document.activeElement.click();  // as Enter does
const column = () => [...document.querySelectorAll("tbody tr")].map((row) => row.cells[at].dataset.value);
const down = column(), first = head.getAttribute("aria-sort");
head.querySelector("button").click();
show([heads.every((other) => other.querySelector("button")), first, down, head.getAttribute("aria-sort"), column()]);
"""


def test_rows_are_sorted_by_their_headings(samples):
    report(samples, "runs/b", "runs/a", "runs/water")
    has_buttons, first, down, second, up = seen_by(samples.folder / "samples.html", SORT)
    assert has_buttons and (first, second) == ("descending", "ascending")
    assert (down, up) == (["60", "24", "12"], ["12", "24", "60"])


def test_an_input_without_a_name_is_told(program, sequences):
    text = fasta(sequences).encode()
    unnamed = program.predict("-", *SHORT, "-o", "tumour", stdin=text, code=0)
    assert "- has no name" in message(unnamed) and "--name NAME" in message(unnamed)
    named = program.predict("-", *SHORT, "--name", "lung", "-o", "named", stdin=text, code=0)
    assert "has no name" not in message(named)
    printed = program("predict", *MODELS, "-", *SHORT, "-o", "-", stdin=text, code=0)
    assert "has no name" not in message(printed)
    for folder, sample in (("tumour", "tumour"), ("named", "lung")):
        data = json.loads((program.folder / folder / "virnucpro_mqc.json").read_text())["data"]
        assert list(data) == [sample]
    report(program, "tumour", "named")
    assert [row["sample"] for row in rows(program).values()] == ["tumour", "lung"]
