"""evaluate measures errors of runs of known origin; --cutoff calls sequences by what it chose."""

import json
import random
import shutil

import pytest
from conftest import SHORT, Program, calls_of, fasta, message, table
from report_page import read_page
from test_label_reads import header, line

BINS = ["--bins", "1,2-4,5-"]
FPR = ["--fpr", "0.1"]
CONTIGS = ["--rule", "viral-ngs"]


def pieces(name, genome, count, seed):
    """Sequences of 1 to 9 chunks."""
    source = random.Random(seed)
    lengths = [90] * (count // 2) + [source.randrange(90, 900) for _ in range(count // 2)]
    return {f"{name}{k}": genome[at:at + length] for k, length in enumerate(lengths)
            for at in [source.randrange(len(genome) - length)]}


@pytest.fixture(scope="module")
def all_runs(tmp_path_factory, genome):
    """Runs of made-up viruses and others, sample (also in two shards), and cut-offs of both rules."""
    program = Program(tmp_path_factory.mktemp("evaluate"))
    for name, count, seed in (("virus", 300, 1), ("other", 500, 2), ("sample", 200, 3)):
        (program.folder / f"{name}.fa").write_text(fasta(pieces(name, genome, count, seed)))
        program.predict(f"{name}.fa", *SHORT, "-o", name, "--no-report", code=0)
    for shard in "01":
        program.predict("sample.fa", *SHORT, "--shard", f"{shard}/2", "-o", f"part_{shard}", "--no-report", code=0)
    for rule in ("majority", "viral-ngs"):
        program("evaluate", "--virus", "virus", "--other", "other", *BINS, *FPR, "--rule", rule,
                "-o", f"{rule}.json", code=0)
    return program.folder


@pytest.fixture
def runs(program, all_runs):
    shutil.copytree(all_runs, program.folder, dirs_exist_ok=True)
    return program


def evaluate(program, *arguments, code=0):
    return program("evaluate", "--virus", "virus", "--other", "other", *arguments, code=code)


def scored_chunks(folder):
    return {row["sequence_id"]: int(row["chunks_scored"]) for row in table(folder / "sequences.tsv")}


def bin_of(chunks, cut_offs):
    for one in cut_offs["bins"]:
        least, _, most = one["scored_chunks"].partition("-")
        if int(least) <= chunks <= (int(most) if most else int(least) if "-" not in one["scored_chunks"] else 9e9):
            return one
    raise AssertionError(chunks)


def exported(program, run, *options):
    shutil.rmtree(program.folder / "by_hand", ignore_errors=True)
    program("export", run, *options, "-o", "by_hand", code=0)
    return calls_of(program.folder / "by_hand")


def test_a_run_called_by_a_file_equals_export_by_hand(runs):
    cut_offs = json.loads((runs.folder / "majority.json").read_text())
    runs.predict("sample.fa", *SHORT, "--cutoff", "majority.json", "-o", "run", code=0)
    calls, chunks = calls_of(runs.folder / "run"), scored_chunks(runs.folder / "run")
    by_hand = {one["scored_chunks"]: exported(runs, "sample", "--min-score", one["cut_off"])
               for one in cut_offs["bins"] if one["cut_off"] is not None}
    assert len(by_hand) > 1 and set(calls.values()) >= {"virus", "others"}
    for name, call in calls.items():
        if not chunks[name]:
            assert call == "unscored"
        else:
            one = bin_of(chunks[name], cut_offs)
            assert call == ("others" if one["cut_off"] is None else by_hand[one["scored_chunks"]][name]), name
    # Chunks follow no cut-off.
    unlike = [[row["virus_chunks"] for row in table(runs.folder / run / "sequences.tsv")] for run in ("run", "sample")]
    assert unlike[0] == unlike[1]


@pytest.mark.parametrize("rule", ["majority", "viral-ngs"])
def test_the_rates_are_those_of_the_runs_that_were_evaluated(runs, rule):
    """The calls of the evaluated runs have the false calls and the viruses found that the file states."""
    cut_offs = json.loads((runs.folder / f"{rule}.json").read_text())
    assert cut_offs["rule"] == rule and cut_offs["confidence"] == 0.95
    for origin, member in (("virus", "found"), ("other", "false_calls")):
        runs("export", origin, "--cutoff", f"{rule}.json", "-o", f"{origin}_called", code=0)
        calls, chunks = (of(runs.folder / f"{origin}_called") for of in (calls_of, scored_chunks))
        for one in cut_offs["data"]["bins"]:
            of_bin = [name for name in calls if chunks[name] and bin_of(chunks[name], cut_offs)["scored_chunks"]
                      == one["scored_chunks"]]
            assert sum(calls[name] == "virus" for name in of_bin) == one[member]
            assert len(of_bin) == one["viruses" if origin == "virus" else "others"] > 0


def test_every_output_follows_the_cut_offs(runs):
    told = message(runs.predict("sample.fa", *SHORT, *CONTIGS, "--cutoff", "viral-ngs.json", "--virus-fasta",
                                "-o", "run", code=0))
    folder = runs.folder / "run"
    calls = calls_of(folder)
    virus = [name for name, call in calls.items() if call == "virus"]
    assert virus and "ambiguous" in calls.values()
    rows = table(folder / "contigs.tsv")
    assert [row["ID"] for row in rows if row["call"] == "Viral"] == virus
    assert [text[1:] for text in (folder / "virus.fasta").read_text().split() if text[0] == ">"] == virus
    cut_offs = json.loads((runs.folder / "viral-ngs.json").read_text())
    most = 0
    for chunks in scored_chunks(folder).values():
        most += (bin_of(chunks, cut_offs)["false_call_bound"] or 0) if chunks else 0
    stated = f"f {len(virus)} virus calls at most {int(most) + 1} are expected to be false if the sequences are " \
             "like the negatives that viral-ngs.json was made from" + \
             ": the calls may all be false" * (most >= len(virus))
    assert f"o{stated}" in told
    report = json.loads((folder / "report.json").read_text())
    assert report["summary"]["virus_sequences"] == len(virus)
    assert f"O{stated}." in report["sections"]["scores"]["note"]
    shown = report["sections"]["scores"]["tables"]["cut_offs"]
    assert [(row["scored_chunks"], row["cut_off"], row["bound"]) for row in shown] == \
        [(one["scored_chunks"], one["cut_off"], one["false_call_bound"]) for one in cut_offs["bins"]]
    read_page(folder / "report.html")
    assert f"O{stated}." in (folder / "report.html").read_text()
    runs("report", "run", "sample", "-o", "samples.html", code=0)
    notes = {row["run"]: row["notes"] for row in table(runs.folder / "samples.tsv")}
    assert f"o{stated}" in notes["run"] and "expected to be false" not in notes["sample"]
    # Reads get the calls of contigs.tsv.
    contigs = {row["sequence_id"]: "A" * int(row["length"]) for row in table(folder / "sequences.tsv")}
    (runs.folder / "a.sam").write_text(header(contigs) + "".join(line(f"r{k}", name) for k, name in enumerate(contigs)))
    assert "rule: viral-ngs: cut-offs of viral-ngs.json" in message(runs("label-reads", "run", "a.sam", code=0))
    labels = {row["contig_id"]: row["call"] for row in table(runs.folder / "a_reads.tsv")}
    assert {name for name, call in labels.items() if call == "Viral"} == set(virus)


def test_a_run_keeps_its_cut_offs_until_a_number_is_given(runs):
    given = ["sample.fa", *SHORT, "-o", "run"]
    runs.predict(*given, "--cutoff", "majority.json", code=0)
    called = (runs.folder / "run" / "sequences.tsv").read_bytes()
    (runs.folder / "majority.json").unlink()
    (runs.folder / "run" / "sequences.tsv").unlink()
    runs.predict(*given, "--resume", code=0)
    assert (runs.folder / "run" / "sequences.tsv").read_bytes() == called
    runs("export", "run", code=0)
    assert (runs.folder / "run" / "sequences.tsv").read_bytes() == called
    runs("export", "run", "--min-score", "0", code=0)
    runs("export", "run", code=0)
    plain = (runs.folder / "run" / "sequences.tsv").read_bytes()
    assert plain == (runs.folder / "sample" / "sequences.tsv").read_bytes() != called
    assert "expected to be false" not in (runs.folder / "run" / "report.html").read_text()


def test_shards_and_merge_keep_them(runs):
    for shard in "01":
        runs("export", f"part_{shard}", "--cutoff", "majority.json", code=0)
    runs("merge", "part_0", "part_1", "-o", "merged", code=0)
    runs("export", "sample", "--cutoff", "majority.json", code=0)
    assert runs.tables("merged", "sample") == runs.tables("sample", "sample")
    assert "expected to be false" in (runs.folder / "merged" / "report.html").read_text()
    runs("export", "part_0", "--min-score", "0", code=0)
    assert "its calls are by another rule" in message(runs("merge", "part_0", "part_1", "-o", "two", code=3))
    runs("merge", "part_0", "part_1", "--cutoff", "majority.json", "-o", "two", code=0)
    assert runs.tables("two", "sample") == runs.tables("sample", "sample")


def test_labels_give_the_figures_of_separate_runs(runs, genome):
    """One run of both origins with a table of labels; each sequence a group of its own changes nothing."""
    both = {**pieces("virus", genome, 300, 1), **pieces("other", genome, 500, 2)}
    (runs.folder / "both.fa").write_text(fasta({**both, "unknown": genome[:200]}))
    runs.predict("both.fa", *SHORT, "-o", "both", "--no-report", code=0)
    labels = "".join(f"{name}\t{'virus' if name.startswith('v') else 'others'}\n" for name in both)
    (runs.folder / "labels.tsv").write_text(labels)
    (runs.folder / "groups.tsv").write_text("".join(f"{name}\t{name}\n" for name in both if name[0] == "o"))
    told = message(runs("evaluate", "both", "--labels", "labels.tsv", *BINS, "-o", "both.html", code=0))
    assert "1 sequences of the runs have no label" in told
    evaluate(runs, *BINS, "-o", "apart.html")
    assert (runs.folder / "both.tsv").read_bytes() == (runs.folder / "apart.tsv").read_bytes()
    evaluate(runs, *BINS, "--groups", "groups.tsv", *FPR, "-o", "grouped.json")
    ours, theirs = (json.loads((runs.folder / name).read_text()) for name in ("grouped.json", "majority.json"))
    assert [one["cut_off"] for one in ours["bins"]] == [one["cut_off"] for one in theirs["bins"]]
    assert ours["data"]["groups_hash"] and not theirs["data"]["groups_hash"]
    # All others of one genome: nothing can be shown.
    (runs.folder / "groups.tsv").write_text("".join(f"{name}\tone\n" for name in both if name[0] == "o"))
    told = message(evaluate(runs, *BINS, "--groups", "groups.tsv", *FPR, "-o", "one.json"))
    assert told.count(" others in 1 groups, a rate of false calls below ") == 3 and "to use it: " not in told
    assert {one["cut_off"] for one in json.loads((runs.folder / "one.json").read_text())["bins"]} == {None}
    runs("export", "sample", "--cutoff", "one.json", "-o", "none", code=0)
    assert set(calls_of(runs.folder / "none").values()) <= {"others", "unscored"}


def test_the_page_has_curves_and_rates(runs):
    told = evaluate(runs, *BINS, "--at", "0.5,0.6", "-o", "e.html").stdout.decode()
    read_page(runs.folder / "e.html")
    sections = json.loads((runs.folder / "e.json").read_text())["sections"]
    assert set(sections["curves"]["plots"]) == {"roc", "precision_recall"}
    assert len(sections["reliability"]["plots"]["reliability"]) == 3
    rows = sections["given"]["tables"]["cut_offs"]
    assert [row["cut_off"] for row in rows] == [0.5, 0.6] * 3
    calls = exported(runs, "other", "--min-score", "0.6")
    chunks = scored_chunks(runs.folder / "other")
    found = sum(calls[name] == "virus" for name in calls if chunks[name] == 1)
    assert [row["false_calls"] for row in rows if row["cut_off"] == 0.6][0] == found
    assert [row.split()[0] for row in told.splitlines()[4:7]] == ["1", "2-4", "5-"]
    assert [row["scored_chunks"] for row in table(runs.folder / "e.tsv")] == ["1", "2-4", "5-"]


@pytest.mark.parametrize("arguments, why", [
    ([], "name runs of viruses and of others"),
    (["--virus", "virus"], "--virus without --other"),
    (["--other", "other"], "--other without --virus"),
    (["virus"], "the origin of the sequences is not known"),
    (["--labels", "t"], "--labels: name the runs, too"),
    (["virus", "--virus", "virus", "--labels", "t"], "exclude --labels"),
    (["virus", "--labels", "absent"], "absent: input not found"),
    (["--virus", "virus", "--other", "virus"], "virus.fa of virus has the same contents as virus.fa of virus, so its sequences would count twice"),
    (["--virus", "virus", "--other", "other", "--bins", "1,3-"], "--bins 1,3-: expected numbers of chunks"),
    (["--virus", "virus", "--other", "other", "--fpr", "1"], "--fpr 1: expected a number between 0 and 1"),
    (["--virus", "virus", "--other", "other", "--fpr", "0.1"], "--fpr: name the file of cut-offs"),
    (["--virus", "virus", "--other", "other", "--fpr", "0.1", "-o", "a.html"], "the name must end with .json"),
    (["--virus", "virus", "--other", "other", "-o", "a.json"], "the name must end with .html"),
    (["--virus", "virus", "--other", "other", "--fpr", "0.1", "-o", ".json"], "the name must end with .json"),
    (["--virus", "virus", "--other", "other", "--at", "0.5"], "--at: name the page with --output FILE.html"),
    (["--virus", "virus", "--other", "other", "-o", "majority.html"], "majority.html: output is there already"),
    (["--virus", "virus", "--other", "other", "-o", "majority.html", "-f"], "majority.json is a file of cut-offs"),
    (["--virus", "virus", "--other", "other", "--at", "2", "-o", "a.html"], "--at 2: expected a number from -1 to 1"),
    (["--virus", "virus", "--other", "other", "--rule", "best"], "--rule best: expected majority or viral-ngs"),
    (["--virus", "virus", "--other", "nowhere"], "nowhere")])
def test_wrong_use(runs, arguments, why):
    before = sorted(path.name for path in runs.folder.iterdir())
    assert why in message(runs("evaluate", *arguments, code=1))
    assert sorted(path.name for path in runs.folder.iterdir()) == before


@pytest.mark.parametrize("labels, why", [
    ("virus0\tvirus\nvirus0\tothers\n", "line 2: virus0 is in line 1 already"),
    ("virus0\tvirus\nx\tothers\ny\tothers\n", "line 2: x: no run has a sequence of this id (and 1 more ids like it)"),
    ("virus0\tphage\n", "line 1: virus0: its label is phage; expected virus or others"),
    ("virus0\tvirus\nvirus1\tvirus\n", "no sequence of the runs is labelled others"),
    ("virus0\t\n", "line 1: expected an id, one tab and a value"),
    ("virus0 virus\n", "line 1: expected an id, one tab and a value")])
def test_labels_that_cannot_be(runs, labels, why):
    (runs.folder / "labels.tsv").write_text(labels)
    assert why in message(runs("evaluate", "virus", "--labels", "labels.tsv", code=1))


def test_an_id_of_two_runs_has_no_label(runs):
    (runs.folder / "again.fa").write_text((runs.folder / "virus.fa").read_text() + ">more\nACGT\n")
    runs.predict("again.fa", *SHORT, "-o", "again", "--no-report", code=0)
    (runs.folder / "labels.tsv").write_text("virus0\tvirus\n")
    assert "the runs have two sequences of this id" in \
        message(runs("evaluate", "virus", "again", "--labels", "labels.tsv", code=1))


def test_others_without_a_group_are_named(runs):
    (runs.folder / "groups.tsv").write_text("other0\tg\n")
    assert "it has no group for other1, which is not a virus (and 498 more ids like it)" in message(evaluate(runs, "--groups", "groups.tsv", code=1))


def test_runs_of_other_models_are_refused(runs):
    runs.predict("other.fa", *SHORT, "-p", "synthetic:2", "-o", "second", "--no-report", code=0)
    assert "second: the command line cannot be used: the classifier is" in \
        message(runs("evaluate", "--virus", "virus", "--other", "second", code=1))
    told = message(runs("export", "second", "--cutoff", "majority.json", code=1))
    assert "majority.json: the cut-offs cannot be used: they were made with other models or settings" in told
    assert "the classifier (" in told and "chunk size" not in told
    told = message(runs.predict("other.fa", "-e", "200", "--genetic-code", "4", "--cutoff", "majority.json", "-o",
                                "third", code=1))
    assert "the chunk size (100, but 200 in the run)" in told and "--genetic-code (1, but 4 in the run)" in told
    assert "--rule viral-ngs: the cut-offs in majority.json are for the rule majority" in \
        message(runs("export", "sample", *CONTIGS, "--cutoff", "majority.json", code=1))
    runs("export", "other", *CONTIGS, code=0)
    assert "name one with --rule" in message(evaluate(runs, code=1))


def test_an_input_that_counts_twice_is_refused(runs):
    """Also by another rule, under another name; the shards of one run are no such inputs."""
    shutil.copytree(runs.folder / "other", runs.folder / "copy")
    runs("export", "copy", "--min-score", "0.6", code=0)
    shutil.copy(runs.folder / "other.fa", runs.folder / "same.fa")
    runs.predict("same.fa", *SHORT, "-o", "same", "--no-report", code=0)
    for twin in ("copy", "same"):
        assert "of other, so its sequences would count twice" in \
            message(runs("evaluate", "--virus", "virus", "--other", "other", twin, code=1))
    runs("evaluate", "--virus", "virus", "--other", "part_0", "part_1", code=0)


def test_inputs_that_failed_are_told(runs):
    (runs.folder / "cut.fa").write_bytes(b">c\nAC\0")
    runs.predict("other.fa", "cut.fa", *SHORT, "-o", "partial", "--no-report", code=2)
    told = message(runs("evaluate", "--virus", "virus", "--other", "partial", code=2))
    assert "Number of inputs that the runs could not read, and that are missing here: 1." in told


def test_a_name_of_two_lines_is_shown_on_one(runs):
    shutil.copy(runs.folder / "majority.json", runs.folder / "a\nb.json")
    runs("export", "sample", "--cutoff", "a\nb.json", code=0)
    told = message(runs("export", "sample", code=0))
    assert "negatives that a\\x0ab.json was made from" in told


def test_an_unfinished_run_is_refused(runs):
    runs.interrupt(runs.start_waiting(*SHORT, "-o", "out"))
    assert "out: the command line cannot be used: the run in this directory did not finish\n  Finish it first" in \
        message(runs("evaluate", "--virus", "virus", "--other", "out", code=1))


def test_a_bin_of_viruses_alone_has_no_cut_off(runs, genome):
    (runs.folder / "long.fa").write_text(fasta({f"l{k}": genome[k * 5000:k * 5000 + 4000] for k in range(3)}))
    runs.predict("long.fa", *SHORT, "-o", "long", "--no-report", code=0)
    told = message(runs("evaluate", "--virus", "virus", "long", "--other", "other", "--bins", "1-19,20-", *FPR, "-o",
                        "x.json", code=1))
    assert ("no cut-off can be chosen for the bin 20- (scored chunks of a sequence): "
            "it has 3 viruses, but no other sequences") in told


@pytest.mark.parametrize("spoil", [lambda text: text[:-40], lambda text: text.replace("0.95", "0.99"),
                                   lambda text: "", lambda text: ">virus\nACGT\n"])
def test_a_file_that_was_cut_or_edited_is_refused(runs, spoil):
    (runs.folder / "c.json").write_text(spoil((runs.folder / "majority.json").read_text()))
    told = message(runs("export", "sample", "--cutoff", "c.json", code=1))
    assert told.startswith("virnucpro: error: c.json: the cut-offs cannot be used: these are not cut-offs that virnucpro evaluate wrote")
    for flags in (["--min-score", "0.5"], ["--min-share", "0.5"], ["--min-chunks", "2"]):
        assert f"{flags[0]} and --cutoff exclude each other" in \
            message(runs("export", "sample", "--cutoff", "majority.json", *flags, code=1))
