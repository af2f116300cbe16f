"""report: the pages of a run, made from the files in its directory."""

import json
import re
import resource
import xml.etree.ElementTree as ET

import pytest
from browser import assert_readable, chromium, seen_by
from conftest import SHORT, fasta, files_in, limited, message, table
from report_page import read_page
from rights import read_only, without_rights

FILES = {"report.html", "report.md", "report.json", "virnucpro_mqc.json", "virnucpro_calls_mqc.json",
         "virnucpro_scores_mqc.tsv", "virnucpro_mqc_versions.yml"}
MARKUP = "<script>alert(1)</script>"
SUMMARY = {"schema": "virnucpro-telemetry-1",
           "run": {"seconds": 12.5, "command": ["virnucpro", "predict", "a b.fa"]},
           "throughput": {"sequences_per_second": 9.7},
           "verdicts": [{"id": "PERF-01", "name": "time", "status": "PASS"}]}


@pytest.fixture
def run(with_reads):
    with_reads.predict("reads.fa", *SHORT, "-o", "out", "--no-report", code=0)
    return with_reads


def report_of(folder):
    return json.loads((folder / "report.json").read_text())


def files_of(folder):
    return {path.name for path in folder.iterdir()}


def test_report_of_a_finished_run(run):
    out = run.folder / "out"
    before = files_of(out)
    tables = run.tables("out", "reads")
    for _ in range(2):  # a run's own reports are replaced
        result = run("report", "out", code=0)
        assert result.stdout == b""
    assert "report: out/report.html" in message(result)
    assert "these scores mean nothing" in message(result)
    assert files_of(out) - before == FILES
    assert run.tables("out", "reads") == tables
    rows = table(out / "sequences.tsv")
    report = report_of(out)
    assert report["summary"]["sequences"] == len(rows)
    assert report["summary"]["virus_sequences"] == sum(row["call"] == "virus" for row in rows)
    hits = report["sections"]["top_hits"]["tables"]["sequences"]
    assert {hit["sequence_id"]: hit["call"] for hit in hits} == {
        row["sequence_id"]: row["call"] for row in rows if int(row["virus_chunks"]) > 0}
    assert sum(bar["value"] for bar in report["sections"]["scores"]["plots"]["frames_by_score"]) \
        == sum(int(row["frames"]) for row in rows)


def test_report_of_contigs_says_what_the_tables_say(program, sequences, genome):
    out = program.folder / "out"
    stops = "TAATTAATTAAC" * 50
    (program.folder / "contigs.fa").write_text(fasta({
        **sequences, "long": genome[:9000] + stops + genome[9000:], "stops": stops}))
    program.predict("contigs.fa", *SHORT, "--rule", "viral-ngs", "--bed", "-o", "out", code=0)
    sections = report_of(out)["sections"]
    rows = {row["ID"]: row for row in table(out / "contigs.tsv")}
    calls = {row["sequence_id"]: row for row in table(out / "sequences.tsv")}

    assert {(tier["call"], tier["tier"]): (tier["sequences"], tier["bases"])
            for tier in sections["scores"]["tables"]["tiers"]} == {
        (call, tier and tier.removesuffix("_confidence") or None): (len(found), sum(found))
        for call, tier in {(row["call"], row["tier"]) for row in rows.values()}
        for found in [[int(row["length"]) for row in rows.values()
                       if (row["call"], row["tier"]) == (call, tier)]]}

    hits = sections["top_hits"]["tables"]["sequences"]
    assert {hit["sequence_id"]: (hit["evidence"], hit["bases_scored"], hit["call"], hit["tier"])
            for hit in hits} == {
        name: (pytest.approx(int(row["bases_scored"]) * float(row["weighted_delta"]),
                             rel=0.005, abs=2),
               int(row["bases_scored"]), calls[name]["call"], row["tier"].removesuffix("_confidence"))
        for name, row in rows.items() if int(calls[name]["virus_chunks"]) > 0}
    tiers = ["high", "moderate", "low", "review"]
    order = [(hit["call"] != "virus", tiers.index(hit["tier"]), -hit["evidence"]) for hit in hits]
    assert order == sorted(order)

    fields = sections["unscored"]["fields"]
    assert fields["bases_scored"] == sum(int(row["bases_scored"]) for row in rows.values())
    assert fields["longest_unscored"] >= len(stops) - 2
    assert sections["unscored"]["tables"]["reasons"] == [
        {"reason": "no stop-free frame", "sequences": 1}]

    maps = {found["sequence_id"]: found["stretches"]
            for found in sections["contigs"]["plots"].values()}
    assert list(maps) == [hit["sequence_id"] for hit in hits]
    assert len(maps["long"]) <= 160 and maps["long"][-1]["end"] == len(genome) + len(stops)
    assert any(stretch["score"] is None and stretch["begin"] <= 9300 < stretch["end"]
               for stretch in maps["long"])


def test_evidence_of_the_majority_is_how_far_virus_is_above(program, sequences, genome):
    """A base counts once, in the first virus chunk that has it."""
    out = program.folder / "out"
    (program.folder / "contigs.fa").write_text(fasta({**sequences, "long": genome[:9000]}))
    program.predict("contigs.fa", *SHORT, "--bed", "-o", "out", code=0)
    evidence, ends = {}, {}
    for line in (out / "chunks.bed").read_text().splitlines():
        name, begin, end, call, _, _, others, virus, _ = line.split("\t")
        if call == "virus":
            fresh = int(end) - max(int(begin), ends.get(name, 0))
            evidence[name] = evidence.get(name, 0) + fresh * max(0, float(virus) - float(others))
            ends[name] = int(end)
    hits = report_of(out)["sections"]["top_hits"]["tables"]["sequences"]
    assert {hit["sequence_id"]: hit["evidence"] for hit in hits} == {
        name: pytest.approx(found, abs=2) for name, found in evidence.items()}


def texts_of(figure):
    return [text.text for text in figure.iter("{http://www.w3.org/2000/svg}text")]


def test_figures_are_for_a_paper(program, genome):
    """Each plot of the page, as a file that needs nothing else."""
    (program.folder / "reads.fa").write_text(
        fasta({f"read_{k}": genome[200 * k:200 * k + 150] for k in range(80)}))
    program.predict("reads.fa", "-e", "150", "--no-progress", "--min-score", "0.7", "-o", "reads",
                    code=0)
    (program.folder / "contigs.fa").write_text(fasta({"one": genome[:9000], "two": genome[9000:18000]}))
    program.predict("contigs.fa", *SHORT, "--min-score", "0.6", "-o", "contigs", code=0)
    for name in ("reads", "contigs"):
        result = program("report", name, "--figures", f"new/{name}", code=0)
        assert f"figures: new/{name}" in message(result)
        page = (program.folder / name / "report.html").read_text()
        plots = [key for section in report_of(program.folder / name)["sections"].values()
                 for key in section.get("plots", {})]
        assert {f"{key}.svg" for key in plots} == files_of(program.folder / "new" / name)
        for path in (program.folder / "new" / name).iterdir():
            text = path.read_text()
            assert text in page  # the same bytes
            assert not re.search(r"var\(|class=|style=|url\(|href|<script", text)
            figure = ET.fromstring(text)
            assert figure.tag == "{http://www.w3.org/2000/svg}svg"
            width, height = (float(figure.get(side)) for side in ("width", "height"))
            assert figure.get("viewBox") == f"0 0 {width:g} {height:g}"
            background = figure.find("{http://www.w3.org/2000/svg}rect")
            assert (background.get("width"), background.get("fill")) == ("100%", "#ffffff")

    def words(name, key):
        return texts_of(ET.parse(program.folder / "new" / name / f"{key}.svg"))

    scores = words("reads", "sequences_by_score")
    assert {"0.00", "0.20", "0.40", "0.60", "0.80", "1", "virus score", "sequences",
            "cut-off 0.7"} <= set(scores)
    frames = words("contigs", "frames_by_score")
    assert {"0.00", "1", "virus score", "frames"} <= set(frames)
    assert not [text for text in frames if "cut-off" in text]  # it is of chunks and sequences
    maps = words("contigs", "contig_1")
    assert "dashed: cut-off 0.6; striped: unscored" in maps
    assert {"0", "0.5", "1", "8k", "virus score"} <= set(maps)
    assert any(re.fullmatch(r"position on (one|two) \(bases\)", text) for text in maps)
    assert {"time (s)", "ESM-2 tokens a second"} <= set(words("contigs", "esm_tokens_over_time"))
    assert {"virus", "unscored", "sequences"} <= set(words("contigs", "calls"))


SAVE = """
const saved = {};
URL.createObjectURL = (blob) => {
  blob.text().then((text) => { saved[waiting.shift()] = text; });
  return "#";
};
const waiting = [];
HTMLAnchorElement.prototype.click = function () { waiting.push(this.download); };
addEventListener("load", async () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const buttons = [...document.querySelectorAll("figure button")];
  for (const button of buttons) { button.focus(); document.activeElement.click(); }
  await new Promise((done) => setTimeout(done, 500));
  show(saved);
});
"""


def test_a_page_saves_the_same_figures(run):
    run("report", "out", "--figures", "figures", code=0)
    saved = seen_by(run.folder / "out" / "report.html", SAVE)
    assert saved == {path.name: path.read_text() for path in (run.folder / "figures").iterdir()}


def test_figures_replace_only_figures(run):
    folder = run.folder / "figures"
    folder.mkdir()
    (folder / "calls.svg").write_text("<svg>mine</svg>")
    refusal = message(run("report", "out", "--figures", "figures", code=1))
    assert "figures/calls.svg: output is there already" in refusal
    assert files_of(folder) == {"calls.svg"} and not FILES & files_of(run.folder / "out")
    assert (folder / "calls.svg").read_text() == "<svg>mine</svg>"
    (folder / "calls.svg").unlink()
    run("report", "out", "--figures", "figures", code=0)
    before = (folder / "frames_by_score.svg").read_text()
    (folder / "note.txt").write_text("mine")
    run("report", "out", "--min-score", "0.9", "-o", "strict", "--figures", "figures", code=0)
    assert (folder / "note.txt").read_text() == "mine"
    assert (folder / "frames_by_score.svg").read_text() == before  # of frames, whatever the rule
    (folder / "calls.svg").write_text("<svg>mine</svg>")
    run("report", "out", "--figures", "figures", code=1)
    run("report", "out", "--figures", "figures", "--force", code=0)
    assert "mine" not in (folder / "calls.svg").read_text()
    for wrong, why in (("reads.fa", "reads.fa: expected a directory"), ("-", "a directory is needed"),
                       ("", "the value is empty")):
        assert why in message(run("report", "out", "--figures", wrong, code=1))


def test_predict_leaves_what_report_makes_again(run):
    assert not FILES & files_of(run.folder / "out")
    run.predict("reads.fa", *SHORT, "-o", "reported", code=0)
    reported = run.folder / "reported"
    left = {name: (reported / name).read_bytes() for name in FILES}
    assert run("report", "reported").returncode == 0
    assert left == {name: (reported / name).read_bytes() for name in FILES}


def test_a_resumption_that_computes_nothing_hides_no_figures(run):
    assert run("report", "out").returncode == 0
    before = report_of(run.folder / "out")["summary"]
    assert run.predict("reads.fa", *SHORT, "-o", "out", "--resume").returncode == 0
    assert report_of(run.folder / "out")["summary"] == before


def test_all_pages_say_the_same(run):
    assert run("--quiet", "report", "out").stderr == b""
    page = read_page(run.folder / "out" / "report.html")
    markdown = (run.folder / "out" / "report.md").read_text()
    report = report_of(run.folder / "out")
    assert "reads" in page.text_of["h1"] and markdown.startswith("# reads\n")
    for section in report["sections"].values():
        assert section["title"] in page.text_of["h2"]
        assert f"## {section['title']}\n" in markdown
    assert "piece_3" in page.text_of["td"] and "piece\\_3" in markdown


def test_report_without_telemetry_says_that_nothing_was_measured(run):
    for path in [*(run.folder / "out").glob("telemetry_*"),
                 *(run.folder / "out" / "logs").glob("gpu_metrics_*")]:
        path.unlink()
    assert run("report", "out").returncode == 0
    assert "Nothing was measured" in report_of(run.folder / "out")["sections"]["throughput"]["note"]
    assert "Nothing was measured" in read_page(run.folder / "out" / "report.html").text_of["p"]


def test_report_with_telemetry(run):
    (run.folder / "out" / "telemetry_29991122T063000Z.json").write_text(json.dumps(SUMMARY))
    (run.folder / "out" / "telemetry_29991122T063000Z.jsonl").touch()
    assert run("report", "out").returncode == 0
    report = report_of(run.folder / "out")
    assert report["summary"]["seconds"] == 12.5
    assert report["sections"]["verdicts"]["tables"]["verdicts"][0]["status"] == "PASS"
    page = read_page(run.folder / "out" / "report.html")
    assert "virnucpro predict 'a b.fa'" in page.text_of["pre"]


def test_damaged_telemetry_is_a_warning(run):
    whole = json.dumps(SUMMARY)
    (run.folder / "out" / "telemetry_29991122T063000Z.json").write_text(whole[:len(whole) // 2])
    (run.folder / "out" / "telemetry_29991122T063000Z.jsonl").write_text('{"time": NaN}\n{"ti')
    result = run("report", "out", code=0)
    for name in ("telemetry_29991122T063000Z.json:", "telemetry_29991122T063000Z.jsonl: 1 lines"):
        assert name in message(result)
        assert any(name in warning for warning in report_of(run.folder / "out")["warnings"])


def test_nothing_of_a_file_becomes_markup(program, genome):
    name = "<img src=x onerror=alert(1)>.fa"
    (program.folder / name).write_text(f">{MARKUP}\n{genome[:700]}\n>&amp;\"'|`\n{genome[:300]}\n")
    assert program.predict(name, *SHORT, "-o", "<b>out").returncode == 0
    (program.folder / "<b>out" / "telemetry_29991122T063000Z.jsonl").touch()
    (program.folder / "<b>out" / "telemetry_29991122T063000Z.json").write_text(json.dumps(
        {"devices": [{"throttle_reasons": MARKUP}], "workers": [{"name": MARKUP}],
         "verdicts": [{"name": MARKUP, "status": MARKUP}]}))
    assert program("report", "<b>out").returncode == 0
    page = read_page(program.folder / "<b>out" / "report.html")
    assert page.text_of["td"].count(MARKUP) >= 2
    assert "&amp;\"'|`" in page.text_of["td"]
    assert MARKUP not in (program.folder / "<b>out" / "report.md").read_text()
    assert program("report", "<b>out", "<b>out/", "-o", "x.html").returncode == 1  # one run, twice
    assert program.predict(name, *SHORT, "-o", "other").returncode == 0
    assert program("report", "<b>out", "other", "--compare", "-o", "x.html").returncode == 0
    assert "<b>out" in read_page(program.folder / "x.html").text_of["th"]
    assert program("report", "<b>out", "other", "-o", "samples.html").returncode == 0
    assert "<b>out" in read_page(program.folder / "samples.html").text_of["td"]


def test_report_of_an_interrupted_run(interrupted):
    assert "did not finish" in message(interrupted("report", "out", code=2))
    report = report_of(interrupted.folder / "out")
    assert "partial" in report["state"]
    assert report["summary"]["sequences"] == 0
    read_page(interrupted.folder / "out" / "report.html")
    # A directory with reports is accepted.
    interrupted.predict("-", *SHORT, "-o", "out", "--resume", stdin=b">a\nACGTACGTACGT\n", code=0)
    assert interrupted("report", "out").returncode == 0
    assert report_of(interrupted.folder / "out")["summary"]["sequences"] == 1


def test_report_of_a_run_with_an_input_that_failed(program, sequences):
    (program.folder / "reads.fa").write_text(fasta(sequences))
    (program.folder / "cut.fa").write_bytes(b">c\nACGTACGTACGTACGT\n>cut\nAC\0")
    assert program.predict("reads.fa", "cut.fa", *SHORT, "-o", "out").returncode == 2
    assert program("report", "out").returncode == 2
    failed = report_of(program.folder / "out")["sections"]["inputs"]["tables"]["failed_inputs"]
    assert [row["name"] for row in failed] == ["cut.fa"]


def test_report_elsewhere_is_replaced_by_force_only(run):
    before = files_of(run.folder / "out")
    assert run("report", "out", "--output", "there/report").returncode == 0
    assert files_of(run.folder / "there" / "report") == FILES
    assert "there/report/report.html" in message(run("report", "out", "-o", "there/report", code=1))
    assert run("report", "out", "-o", "there/report", "--force").returncode == 0
    assert files_of(run.folder / "out") == before


def test_reports_replace_no_configuration(run):
    (run.folder / "there").mkdir()
    for name, output in (("report.md", "there"), ("page.json", "there/page.html")):
        given = run.folder / "there" / name
        given.write_text("{}")
        assert f"{name} is an input" in message(run("-c", given, "report", "out", "-o", output, "-f", code=1))
        assert given.read_text() == "{}"


def test_report_takes_a_rule_of_calls(run):
    for flag, share, viruses in (("--min-share", "0", 6), ("--threshold", "0.5", None)):
        run("report", "out", flag, share, "--min-score", "0.25", "-o", "strict", "-f", code=0)
        report = report_of(run.folder / "strict")
        fields = report["sections"]["scores"]["fields"]
        assert (fields["min_score"], fields["min_share"]) == (0.25, float(share))
        assert viruses is None or report["summary"]["virus_sequences"] == viruses
    assert run("report", "out", "--threshold", "2").returncode == 1


def test_report_of_a_directory_that_cannot_be_written(run, tmp_path):
    with read_only(run.folder / "out"):
        refusal = message(run("report", "out", preexec_fn=without_rights, code=1))
        assert "out/" in refusal and "output cannot be written" in refusal
        result = run("report", "out", "-o", tmp_path / "copy", preexec_fn=without_rights)
    assert result.returncode == 0, message(result)
    assert files_of(tmp_path / "copy") == FILES


def test_a_run_that_starts_over_takes_the_reports_away(run):
    assert run("report", "out").returncode == 0
    for name in FILES:
        (run.folder / "out" / name).write_text("of the run before")
    assert run.predict("reads.fa", *SHORT, "-o", "out", "--force").returncode == 0
    for name in FILES & files_of(run.folder / "out"):
        assert "of the run before" not in (run.folder / "out" / name).read_text()


def test_runs_of_one_input_are_compared(run):
    assert run.predict("reads.fa", *SHORT, "-o", "again", "-t", "1").returncode == 0
    before = [files_of(run.folder / name) for name in ("out", "again")]
    result = run("report", "--compare", "out", "again", "-o", "compare.html", code=0)
    assert "report: compare.html" in message(result)
    assert_readable(run.folder / "compare.html")
    page = read_page(run.folder / "compare.html")
    assert "2 runs compared" in page.text_of["h1"]
    run("report", "--compare", "out", "again", "-o", "compared.html", "--figures", "figures", code=0)
    assert files_of(run.folder / "figures") == {"esm_tokens_over_time.svg", "frames_by_score.svg"}
    assert {"out", "again", "1"} <= set(texts_of(ET.parse(run.folder / "figures" / "frames_by_score.svg")))
    assert "are not those of the first run" not in page.text_of["p"]
    assert [files_of(run.folder / name) for name in ("out", "again")] == before
    assert run("report", "--compare", "out", "again", "-o", "compare.html").returncode == 1
    assert run("report", "--compare", "out", "again", "-o", "compare.html", "-f").returncode == 0


def test_runs_of_other_inputs_are_not_compared(run, sequences):
    del sequences["piece_5"]
    (run.folder / "less.fa").write_text(fasta(sequences))
    run.predict("less.fa", *SHORT, "-o", "less", code=0)
    run.predict("reads.fa", "less.fa", *SHORT, "-o", "both", code=0)
    run.predict("reads.fa", *SHORT, "--shard", "0/2", "-o", "part", code=0)
    for other, why in (("less", "less.fa in place of reads.fa"), ("both", "a different number of inputs"),
                       ("part", "a different shard")):
        result = run("report", "--compare", "out", other, "-o", "compare.html", code=1)
        assert f"{other} has other inputs than out ({why}" in message(result)
    assert not (run.folder / "compare.html").exists()


def test_a_comparison_with_an_interrupted_run(interrupted, sequences):
    (interrupted.folder / "reads.fa").write_text(fasta(sequences))
    assert interrupted.predict("reads.fa", *SHORT, "-o", "whole").returncode == 0
    result = interrupted("report", "--compare", "whole", "out", "-o", "compare.html", code=2)
    assert "out: The run did not finish" in message(result)
    assert any("out: The run did not finish" in text for text in
               read_page(interrupted.folder / "compare.html").text_of["li"].splitlines())


@pytest.mark.parametrize("arguments, why", [
    (["out", "out"], "given twice"),
    (["out", "./out/", "-o", "x.html"], "given twice"),
    (["out", "none"], "name the page with --output FILE.html"),
    (["none"], "none: input not found: there is no such directory"),
    (["out", "none", "-o", "x.html"], "none: input not found: there is no such directory"),
    (["reads.fa"], "reads.fa: input not found: it is a file, not the output of a run\n  Name the output"),
    (["."], ".: input not found: it holds no journal"),
    ([], "RUN_DIR"),
    (["out", "-o", "-"], "a directory is needed"),
    (["out", "-o", "reads.fa"], "reads.fa"),
    (["--compare", "out", "-o", "x.html"], "two runs"),
    (["--compare", "out", "-o", "x.html", "--control", "reads"], "--control is for a page of samples"),
    (["out", "--control", "reads"], "--control makes a page of samples: name the page with --output FILE.html"),
    ([""], "RUN_DIR: the value is empty"),
    (["", "out", "-o", "x.html"], "RUN_DIR: the value is empty"),
    (["out", "none", "-o", "x.json"], "x.json: the name of a page must end with .html"),
    (["out", "none", "-o", "x"], "x: the name of a page must end with .html"),
    (["out", "none", "-o", "nowhere/x.html"], "there is no directory nowhere"),
    (["out", "--control", "water", "-o", "x.html"], "no sample has this name; the samples are reads"),
])
def test_wrong_use(run, arguments, why):
    assert why in message(run("report", *arguments, code=1))
    assert not FILES & files_of(run.folder / "out")


@pytest.mark.parametrize("arguments", [
    ["report", "out", "b", "-o", "b/sequences.html"],  # and sequences.tsv
    ["report", "--compare", "out", "b", "-o", "b/report.html"],
    ["report", "out", "-o", "b"],
    ["compare", "out", "b", "-o", "b/run.db"],
    ["compare", "out", "b", "-o", "b/contigs.tsv"],
    ["compare", "out", "b", "-o", "b/run.files"],
    ["compare", "out", "b", "-o", "b/reads_merged/prediction_results.txt"]])
def test_no_file_of_a_run_is_replaced(run, arguments):
    run.predict("reads.fa", *SHORT, "-o", "b", code=0)
    before = files_in(run.folder / "b")
    result = run(*arguments, "--force", code=2 if arguments[0] == "compare" else 1)
    assert "a run's directory reserves this name for the run's own file; name a file elsewhere" in message(result)
    assert before == files_in(run.folder / "b")


def test_a_comparison_of_too_many_runs(run):
    for k in range(20):
        (run.folder / f"r{k}").mkdir()
        (run.folder / f"r{k}" / "run.db").write_bytes((run.folder / "out" / "run.db").read_bytes())
    result = run("report", "--compare", *(f"r{k}" for k in range(20)), "-o", "x.html", code=1,
                 **limited(resource.RLIMIT_NOFILE, 24))
    assert "too many files are open" in message(result)
    assert "Compare fewer runs at once, or raise the limit (ulimit -n)." in message(result)


def test_several_runs_want_a_page(run):
    assert run.predict("reads.fa", *SHORT, "-o", "b").returncode == 0
    for arguments in (["report", "out", "b"], ["report", "out", "b", "-o", "-"],
                      ["report", "out", "b", "-o", "out"], ["report", "--compare", "out", "b"]):
        result = run(*arguments, code=1)
        assert "--output" in message(result)


def complaints_of_a_browser(page, picture, width):
    """Errors of scripts and refused resources in the browser's console."""
    done = chromium("--enable-logging=stderr", f"--window-size={width},2400", f"--screenshot={picture}", page.as_uri())
    return [line for line in done.stderr.decode().splitlines() if ":CONSOLE" in line]


@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_has_no_complaint(run, width):
    assert run("report", "out").returncode == 0
    picture = run.folder / "picture.png"
    page = run.folder / "out" / "report.html"
    assert complaints_of_a_browser(page, picture, width) == []
    assert picture.stat().st_size > 20_000  # an empty page gives a tenth of that
    page.write_text(page.read_text().replace("</body>", "<script>nothing.at.all</script></body>"))
    assert len(complaints_of_a_browser(page, picture, width)) == 1
