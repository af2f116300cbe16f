"""Every output of a run states the same calls: those of the run's one rule (--rule)."""

import gzip
import json
import re
import struct

import pytest
from checksums import crc32c
from conftest import MODELS, SHORT, calls_of, change_journal, fasta, fastq, message, table
from report_page import read_page

WORDS = ("virus", "others", "ambiguous", "unscored")
OF_CONTIGS = {"Viral": "virus", "Non-viral": "others", "Ambiguous": "ambiguous", "Unclassified": "unscored"}
TIERS = ("high", "moderate", "low", "review")
MAJORITY, VIRAL_NGS = RULES = ("majority", "viral-ngs")
# Of its calls by viral-ngs there are all words, and virus calls of all tiers.
CLASSIFIER = ["-p", "synthetic:12"]
WANTED = [*SHORT, *CLASSIFIER, "--virus-fasta"]


def other(rule):
    return RULES[1 - RULES.index(rule)]


@pytest.fixture
def contigs(program, genome):
    """Contigs of many lengths, one of them without a frame. They are FASTQ, for --virus-fastq."""
    letters = {f"c{k}": genome[1900 * k:1900 * k + 120 + k * k * 7 % 1800] for k in range(24)}
    (program.folder / "a.fq").write_text(fastq({**letters, "stops": "TAACTAGCTGA" * 30}))
    return program


def tiers_of(folder):
    return {row["ID"]: row["tier"].removesuffix("_confidence") for row in table(folder / "contigs.tsv")}


def counted(calls):
    calls = list(calls)
    return {word: calls.count(word) for word in WORDS}


def by_names(names, source):
    """Counts of which `others` may not be stated."""
    return {word: int(source[name]) for word, name in zip(("virus", "ambiguous", "unscored"), names)}


def of_terminal(told):
    found = dict.fromkeys(WORDS, 0)  # no line for ambiguous where there is none
    for word, count in re.findall(r"(?m)^  (virus|others|ambiguous|unscored) +([\d,]+)", told):
        found[word] = int(count.replace(",", ""))
    return found


def of_page(report):
    """Of a report's tiles and its plot, by the text of its JSON."""
    names = ("virus_sequences", "other_sequences", "ambiguous_sequences", "unscored_sequences")
    yield {word: report["summary"][name] for word, name in zip(WORDS, names)}
    yield {bar["name"]: int(bar["value"]) for bar in report["sections"]["scores"]["plots"]["calls"]}


TILES = ("called virus", "others", "ambiguous", "unscored")


def of_html(page):
    read_page(page)
    tiles = dict(re.findall(r"<div><dt>([^<]+)</dt><dd>([\d,]+)</dd></div>", page.read_text()))
    return {word: int(tiles[tile]) for word, tile in zip(WORDS, TILES)}


def of_markdown(folder):
    rows = re.findall(r"(?m)^\| ([\w ]+) \| ([\d,]+) \|$", (folder / "report.md").read_text())
    for names in (TILES, WORDS):
        yield {word: int(dict(rows)[name]) for word, name in zip(WORDS, names)}


def of_multiqc(folder):
    calls, general = (list(json.loads((folder / name).read_text())["data"].values())
                      for name in ("virnucpro_calls_mqc.json", "virnucpro_mqc.json"))
    assert len(calls) == len(general) == 1
    yield calls[0]
    row = general[0]
    unscored = round(row["virnucpro_unscored_percent"] * row["virnucpro_sequences"] / 100)
    yield {"virus": row["virnucpro_virus"], "ambiguous": row["virnucpro_ambiguous"], "unscored": unscored}
    assert row["virnucpro_virus_percent"] == pytest.approx(100 * row["virnucpro_virus"] / row["virnucpro_sequences"])


def of_telemetry(folder):
    names = ("virus_sequences", "ambiguous_sequences", "unscored_sequences")
    return by_names(names, json.loads(max(folder.glob("telemetry_*.json")).read_text())["workload"])


def hits_of(folder):
    """The call of each row of a report's hits: of its JSON, which the others must agree with."""
    report = json.loads((folder / "report.json").read_text())
    hits = report["sections"]["top_hits"]["tables"]["sequences"]
    found = [(hit["sequence_id"], hit["call"]) for hit in hits]
    html = (folder / "report.html").read_text()
    section = html[html.index('<section id="top_hits"'):]
    rows = re.findall(r"(?s)<tr>(.*?)</tr>", section[:section.index("</section>")])[1:]
    cells = [[re.sub(r"<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", row)] for row in rows]
    assert [(row[1], row[2]) for row in cells] == found
    # What stands behind a call comes first.
    assert [int(row[0].replace(",", "")) for row in cells] == [hit["chunks_scored"] for hit in hits]
    return found


def names_in(path):
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    step = 4 if path.suffix == ".gz" else 1
    return [line[1:].split()[0] for line in text.splitlines()[::step] if line[0] in ">@"]


def check_hits(folder, calls, chosen):
    """Virus first. Each virus call that is written is there, and no other one."""
    hits = hits_of(folder)
    assert all(calls[name] == call for name, call in hits)
    assert {name for name, call in hits if call == "virus"} == set(chosen)
    words = [call for _, call in hits]
    order = ("virus", "ambiguous", "others")
    assert words == sorted(words, key=order.index)


def check(program, run, rule, tier="review", told=None, fastq_files=(), reports=True, measured=False):
    """Reads the calls of each output of a run, and finds them equal. Returns them."""
    folder = program.folder / run
    calls = calls_of(folder)
    counts = counted(calls.values())
    assert sum(counts.values()) == len(calls) > 0
    assert (counts["ambiguous"] > 0) == (rule == VIRAL_NGS) and min(counts["virus"], counts["others"]) > 0
    tiers = {}
    if rule == VIRAL_NGS:
        rows = table(folder / "contigs.tsv")
        assert {row["ID"]: OF_CONTIGS[row["call"]] for row in rows} == calls
        tiers = tiers_of(folder)
    chosen = [name for name, call in calls.items() if call == "virus"
              and (not tiers or TIERS.index(tiers[name]) <= TIERS.index(tier))]
    assert names_in(folder / "virus.fasta") == chosen
    for file in fastq_files:
        assert names_in(program.folder / file) == chosen
    stated = [] if told is None else [of_terminal(told)]
    if measured:
        stated.append(of_telemetry(folder))
    if reports:
        report = json.loads((folder / "report.json").read_text())
        assert report["sections"]["scores"]["fields"]["rule"] == rule
        stated += [*of_page(report), of_html(folder / "report.html"), *of_markdown(folder), *of_multiqc(folder)]
        check_hits(folder, calls, chosen)
        check_tiers(report, rule, folder)
    for found in stated:
        assert found == {word: counts[word] for word in found}
    return calls


def check_tiers(report, rule, folder):
    tables = report["sections"]["scores"].get("tables", {})
    assert ("tiers" in tables) == (rule == VIRAL_NGS)
    if rule == VIRAL_NGS:
        pairs = [(row["call"], row["tier"].removesuffix("_confidence")) for row in table(folder / "contigs.tsv")]
        assert {(row["call"], row["tier"] or ""): row["sequences"] for row in tables["tiers"]} == {
            pair: pairs.count(pair) for pair in pairs}


def check_samples(program, runs, states=None, options=()):
    """`runs`: the rule of each. `states`: the run whose calls all rows state, by those options; else each its own."""
    program("report", *runs, *options, "-o", "samples.html", "--force", code=0)
    shown = read_page(program.folder / "samples.html").text_of["td"].split("\n")
    for row in table(program.folder / "samples.tsv"):
        folder = program.folder / (states or row["run"])
        calls = calls_of(folder)
        counts = counted(calls.values())
        assert (int(row["virus_sequences"]), int(row["unscored_sequences"])) == (counts["virus"], counts["unscored"])
        assert float(row["virus_share"]) == pytest.approx(counts["virus"] / len(calls))
        assert shown[shown.index(row["sample"]) + 1] == str(counts["virus"])
        lengths = {one["sequence_id"]: int(one["length"]) for one in table(folder / "sequences.tsv")}
        assert int(row["virus_bases"]) == sum(lengths[name] for name in calls if calls[name] == "virus")
        if runs[states or row["run"]] == VIRAL_NGS:
            tiers = tiers_of(folder)
            viral = [tiers[name] for name, call in calls.items() if call == "virus"]
            assert [int(row[f"viral_{tier}"]) for tier in TIERS] == [viral.count(tier) for tier in TIERS]


# --- one rule, whatever wrote the files ------------------------------------------------------------
def files_of(folder, *names):
    return {name: (folder / name).read_bytes() for name in names if (folder / name).exists()}


OF_CALLS = ("sequences.tsv", "contigs.tsv", "virus.fasta", "chunks.bed")


@pytest.mark.parametrize("rule", RULES)
def test_all_outputs_of_a_run_state_the_same_calls(contigs, rule):
    folder = contigs.folder / "out"

    def predict(*options):
        return message(contigs.predict("a.fq", *WANTED, *options, code=0))

    told = predict("--rule", rule, "--virus-fastq", "v", "-o", "out")
    first = check(contigs, "out", rule, told=told, fastq_files=["v.fastq.gz"], measured=True)
    before = files_of(folder, *OF_CALLS)
    assert ("contigs.tsv" in before) == (rule == VIRAL_NGS)

    # Elsewhere by the other rule: the run stays as it is.
    told = message(contigs("export", "out", "--rule", other(rule), "--virus-fasta", "--virus-fastq", "w", "-o",
                           "elsewhere", code=0))
    second = check(contigs, "elsewhere", other(rule), told=told, fastq_files=["w.fastq.gz"], reports=False)
    assert second != first and files_of(folder, *OF_CALLS) == before
    assert names_in(contigs.folder / "v.fastq.gz") == names_in(folder / "virus.fasta")

    # What is not given is the run's.
    told = message(contigs("export", "out", code=0))
    assert check(contigs, "out", rule, told=told, fastq_files=["v.fastq.gz"]) == first
    told = message(contigs.predict("a.fq", *SHORT, *CLASSIFIER, "-o", "out", "--resume", code=0))
    assert check(contigs, "out", rule, told=told, fastq_files=["v.fastq.gz"], measured=True) == first
    contigs("report", "out", code=0)
    assert check(contigs, "out", rule, fastq_files=["v.fastq.gz"]) == first
    assert files_of(folder, *OF_CALLS) == before

    # Pages of the other rule.
    contigs("report", "out", "--rule", other(rule), "-o", "pages", code=0)
    assert of_html(contigs.folder / "pages" / "report.html") == counted(second.values())
    check_hits(contigs.folder / "pages", second, names_in(contigs.folder / "elsewhere" / "virus.fasta"))

    # In place by the other rule, and back by --resume.
    told = message(contigs("export", "out", "--rule", other(rule), code=0))
    assert check(contigs, "out", other(rule), told=told, fastq_files=["v.fastq.gz"]) == second
    assert (folder / "contigs.tsv").exists() == (other(rule) == VIRAL_NGS)
    told = predict("--rule", rule, "-o", "out", "--resume")
    assert check(contigs, "out", rule, told=told, fastq_files=["v.fastq.gz"], measured=True) == first
    assert files_of(folder, *OF_CALLS) == before


@pytest.mark.parametrize("rule", RULES)
def test_an_interrupted_run_is_resumed_by_its_rule(contigs, rule):
    """Its journal names what was asked for."""
    options = ["--rule", rule, *(["--min-tier", "moderate"] if rule == VIRAL_NGS else [])]
    contigs.interrupt(contigs.start_waiting(*WANTED, *options, "--virus-fastq", "v", "--bed", "-o", "out"))
    told = message(contigs.predict("-", *SHORT, *CLASSIFIER, "-o", "out", "--resume", code=0,
                                   stdin=(contigs.folder / "a.fq").read_bytes()))
    check(contigs, "out", rule, "moderate", told=told, fastq_files=["v.fastq.gz"], measured=True)
    assert (contigs.folder / "out" / "chunks.bed").exists()


@pytest.mark.parametrize("rule", RULES)
def test_a_merge_states_the_calls_of_its_shards(contigs, rule):
    contigs.predict("a.fq", *WANTED, "--rule", rule, "-o", "whole", code=0)
    whole = check(contigs, "whole", rule)
    for part in ("0", "1"):
        told = message(contigs.predict("a.fq", *WANTED, "--rule", rule, "--shard", f"{part}/2", "-o", part, code=0))
        assert of_terminal(told) == counted(calls_of(contigs.folder / part).values())

    def merged(*options):
        told = message(contigs("merge", "1", "0", *options, "-o", "merged", code=0))
        contigs("export", "merged", "--virus-fasta", code=0)
        return told

    told = merged()
    assert check(contigs, "merged", rule, told=told, measured=True) == whole
    assert files_of(contigs.folder / "merged", *OF_CALLS) == files_of(contigs.folder / "whole", *OF_CALLS)
    contigs("export", "whole", "--rule", other(rule), code=0)
    told = merged("--rule", other(rule), "--force")
    assert check(contigs, "merged", other(rule), told=told, measured=True) == check(contigs, "whole", other(rule))
    # An earlier merge's rule is the run's.
    contigs("merge", "1", "0", "-o", "merged", "--resume", code=0)
    assert check(contigs, "merged", other(rule)) == calls_of(contigs.folder / "whole")
    contigs.predict("a.fq", *WANTED, "--rule", rule, "--name", "again", "-o", "again", code=0)
    runs = {"merged": other(rule), "again": rule}
    check_samples(contigs, runs)
    check_samples(contigs, runs, "again", ["--rule", rule])
    check_samples(contigs, runs, "merged", ["--rule", other(rule)])


def metrics_of(program):
    text = (program.folder / "m.prom").read_text()
    found = dict(re.findall(r'(?m)^virnucpro_(\w+_sequences)\{run="out"\} (\d+)$', text))
    return by_names(("virus_sequences", "ambiguous_sequences", "unscored_sequences"), found)


@pytest.mark.parametrize("rule", RULES)
def test_metrics_count_the_calls(contigs, rule):
    contigs.predict("a.fq", *WANTED, "--rule", rule, "--metrics-file", "m.prom", "-o", "out", code=0)
    counts = counted(calls_of(contigs.folder / "out").values())
    assert metrics_of(contigs) == {word: counts[word] for word in WORDS if word != "others"}


# --- a journal of version 0.2, which names no rule -------------------------------------------------
def entry(key, value):
    """A row of the fingerprint."""
    return key, value, crc32c(b"".join(struct.pack("B", len(part)) + part for part in (key.encode(), value.encode())))


def of_version_0_2(program, run, fastq_prefix=""):
    """Makes a run's journal as that version left it with --rollup viral-ngs: its sequences were called by majority,
    and its contigs.tsv by viral-ngs."""
    folder = program.folder / run
    change_journal(folder, "DELETE FROM fingerprint WHERE key IN ('rule', 'min_tier', 'virus_fasta', 'bed')"
                           " OR key LIKE 'virus_fastq%'",
                   ("INSERT INTO fingerprint VALUES (?, ?, ?)", entry("virus_fastq", fastq_prefix)))
    program("export", run, "--rule", VIRAL_NGS, "-o", "rolled", "--force", code=0)
    (folder / "contigs.tsv").write_bytes((program.folder / "rolled" / "contigs.tsv").read_bytes())
    if "\ncontigs.tsv\n" not in (folder / "run.files").read_text():
        with open(folder / "run.files", "a", encoding="utf-8") as record:
            record.write("contigs.tsv\n")


def is_told(program, run="out"):
    """Whether a report says that contigs.tsv follows another rule."""
    said = re.compile(r"contigs\.tsv has calls by the rule viral-ngs, unlike the other files")
    files = [(program.folder / run / name).read_text() for name in ("report.md", "report.html", "report.json")]
    found = {bool(said.search(text)) for text in files}
    assert len(found) == 1
    return found.pop()


def test_an_older_run_keeps_its_rule_and_its_contigs(contigs):
    folder = contigs.folder / "out"
    contigs.predict("a.fq", *WANTED, "-o", "out", code=0)
    calls = check(contigs, "out", MAJORITY)
    of_version_0_2(contigs, "out")
    older = files_of(folder, "contigs.tsv", "virus.fasta", "sequences.tsv")
    assert len(older) == 3
    contigs("report", "out", code=0)
    assert is_told(contigs)

    # Nothing that names no rule takes it away.
    for command in (["export", "out"], ["predict", *MODELS, "a.fq", *SHORT, *CLASSIFIER, "-o", "out", "--resume"]):
        told = message(contigs(*command, code=0))
        assert check(contigs, "out", MAJORITY, told=told) == calls
        assert files_of(folder, *older) == older
        assert is_told(contigs)
    contigs("export", "out", "--min-share", "0.8", code=0)
    assert check(contigs, "out", MAJORITY) != calls
    assert files_of(folder, "contigs.tsv") == files_of(contigs.folder / "rolled", "contigs.tsv") and is_told(contigs)

    # By a rule that is given, it is written anew or removed.
    contigs("export", "out", "--rule", VIRAL_NGS, code=0)
    check(contigs, "out", VIRAL_NGS)
    assert not is_told(contigs)
    contigs("export", "out", "--rule", MAJORITY, code=0)
    check(contigs, "out", MAJORITY)
    assert not (folder / "contigs.tsv").exists() and not is_told(contigs)


@pytest.mark.parametrize("rule", RULES)
def test_older_shards_are_merged(contigs, rule):
    for part in ("0", "1"):
        contigs.predict("a.fq", *WANTED, "--shard", f"{part}/2", "-o", part, code=0)
        of_version_0_2(contigs, part)
    contigs.predict("a.fq", *WANTED, "--rule", rule, "-o", "whole", code=0)
    contigs("merge", "0", "1", *([] if rule == MAJORITY else ["--rule", rule]), "-o", "merged", code=0)
    contigs("export", "merged", "--virus-fasta", code=0)
    assert check(contigs, "merged", rule) == calls_of(contigs.folder / "whole")


def test_reads_that_an_older_run_wrote_are_not_replaced_unseen(contigs):
    """Its journal does not say what it wrote."""
    contigs.predict("a.fq", *WANTED, "--virus-fastq", "v", "-o", "out", code=0)
    of_version_0_2(contigs, "out", str(contigs.folder / "v"))
    before = files_of(contigs.folder, "v.fastq.gz")
    assert "v.fastq.gz" in message(contigs("export", "out", "--rule", VIRAL_NGS, code=1))
    assert files_of(contigs.folder, "v.fastq.gz") == before
    contigs("export", "out", "--rule", VIRAL_NGS, "--virus-fastq", "v", code=0)
    check(contigs, "out", VIRAL_NGS, fastq_files=["v.fastq.gz"])


# --- what belongs to which rule --------------------------------------------------------------------
NOT_BOTH = (["--rule", MAJORITY, "--rollup", VIRAL_NGS], ["--rule", VIRAL_NGS, "--min-share", "0.6"],
            ["--rule", VIRAL_NGS, "--threshold", "0.6"], ["--rollup", VIRAL_NGS, "--min-share", "0.6"],
            ["--rule", MAJORITY, "--min-tier", "high"], ["--rule", MAJORITY, "--min-weighted-delta", "0.2"],
            ["--rule", MAJORITY, "--min-chunks", "3"])


def test_what_is_of_the_other_rule_is_wrong_use(contigs):
    contigs.predict("a.fq", *WANTED, "-o", "out", code=0)
    for part in ("0", "1"):
        contigs.predict("a.fq", *WANTED, "--shard", f"{part}/2", "-o", part, code=0)
    before = files_of(contigs.folder / "out", *OF_CALLS)
    commands = (["predict", *MODELS, "a.fq", *SHORT, "-o", "new"], ["export", "out"], ["export", "out", "-o", "new"],
                ["merge", "0", "1", "-o", "new"], ["report", "out", "-o", "new.html"])
    for command in commands:
        for options in NOT_BOTH:
            assert "the command line cannot be used: --" in message(contigs(*command, *options, code=1)), options
        assert not list(contigs.folder.glob("new*"))
    # The run's own rule counts, too.
    for options in (["--min-tier", "high"], ["--min-chunks", "3"]):
        contigs("export", "out", *options, code=1)
    contigs("export", "out", "--rule", VIRAL_NGS, "-o", "viral", code=0)
    assert files_of(contigs.folder / "out", *OF_CALLS) == before


def test_a_share_in_a_configuration_is_for_majority_alone(contigs):
    (contigs.folder / "c.yaml").write_text("run: {min_share: 0.9}\n")
    for rule in RULES:
        contigs.predict("-c", "c.yaml", "a.fq", *WANTED, "--rule", rule, "-o", "set", "--force", code=0)
        set_calls = check(contigs, "set", rule)
        contigs.predict("a.fq", *WANTED, "--rule", rule, "-o", "out", "--force", code=0)
        assert (set_calls == check(contigs, "out", rule)) == (rule == VIRAL_NGS)


def test_the_older_name_selects_the_rule_and_says_so(contigs):
    words = "--rollup viral-ngs: calls now follow viral-ngs"
    told = message(contigs.predict("a.fq", *WANTED, "--rollup", VIRAL_NGS, "-o", "out", code=0))
    assert told.count(words) == 1
    first = check(contigs, "out", VIRAL_NGS, told=told)
    assert words not in message(contigs("export", "out", code=0))
    contigs("export", "out", "--rule", MAJORITY, code=0)
    told = message(contigs("export", "out", "--rollup", VIRAL_NGS, code=0))
    assert told.count(words) == 1 and check(contigs, "out", VIRAL_NGS, told=told) == first


def test_min_tier_chooses_what_is_written(contigs):
    """Counts stay whole."""
    told = message(contigs.predict("a.fq", *WANTED, "--rule", VIRAL_NGS, "--min-tier", "high", "--virus-fastq", "v",
                                   "-o", "out", code=0))
    calls = check(contigs, "out", VIRAL_NGS, "high", told=told, fastq_files=["v.fastq.gz"])
    sizes = []
    for tier in TIERS:
        told = message(contigs("export", "out", "--min-tier", tier, code=0))
        assert check(contigs, "out", VIRAL_NGS, tier, told=told, fastq_files=["v.fastq.gz"]) == calls
        sizes.append(len(names_in(contigs.folder / "out" / "virus.fasta")))
    assert 0 < sizes[0] < sizes[1] < sizes[2] < sizes[3] == counted(calls.values())["virus"]
    # What is not given is the run's.
    contigs("export", "out", "--min-tier", "moderate", code=0)
    contigs("export", "out", "--bed", code=0)
    check(contigs, "out", VIRAL_NGS, "moderate", fastq_files=["v.fastq.gz"])
    contigs.predict("a.fq", *SHORT, *CLASSIFIER, "-o", "out", "--resume", code=0)
    check(contigs, "out", VIRAL_NGS, "moderate", fastq_files=["v.fastq.gz"])


def test_the_least_score_is_of_chunks_alone(contigs):
    """Under viral-ngs, a contig may be virus without a virus chunk."""
    contigs.predict("a.fq", *WANTED, "--rule", VIRAL_NGS, "--bed", "-o", "out", code=0)
    calls = check(contigs, "out", VIRAL_NGS)
    before = files_of(contigs.folder / "out", *OF_CALLS)
    contigs("export", "out", "--min-score", "0.99", code=0)
    assert check(contigs, "out", VIRAL_NGS) == calls
    after = files_of(contigs.folder / "out", *OF_CALLS)
    assert {name for name in before if before[name] != after[name]} == {"sequences.tsv", "chunks.bed"}
    chunks = {row["sequence_id"]: int(row["virus_chunks"]) for row in table(contigs.folder / "out" / "sequences.tsv")}
    assert any(calls[name] == "virus" and chunks[name] == 0 for name in calls)


def test_compare_finds_other_calls(contigs):
    contigs.predict("a.fq", *WANTED, "-o", "out", code=0)
    contigs("export", "out", "--rule", VIRAL_NGS, "-o", "viral", code=0)
    calls = [calls_of(contigs.folder / name) for name in ("out", "viral")]
    changed = [name for name in calls[0] if calls[0][name] != calls[1][name]]
    assert {calls[1][name] for name in changed} == {"ambiguous"}  # each is a label of its own
    contigs("compare", "out", "viral", "-o", "compared.json", code=1)
    datasets = json.loads((contigs.folder / "compared.json").read_text())["datasets"]
    found = {one["name"]: one["labels"]["differing"] for one in datasets if one["labels"]}
    assert found.pop("sequences.tsv") == len(changed) and set(found.values()) == {0}
    contigs("export", "out", "--rule", VIRAL_NGS, code=0)
    contigs("compare", "out", "viral", code=0)


@pytest.mark.parametrize("pair_rule", ["either", "both"])
def test_an_ambiguous_mate_is_not_virus(program, genome, pair_rule):
    starts = [1100 * k for k in range(40)]
    for mate in (1, 2):
        letters = {f"p{k}": genome[start + 300 * mate:start + 300 * mate + 250] for k, start in enumerate(starts)}
        (program.folder / f"r{mate}.fq").write_text(fastq(letters))
    program.predict("--paired", "r1.fq", "r2.fq", *WANTED, "--rule", VIRAL_NGS, "--virus-fastq", "v", "--pair-rule",
                    pair_rule, "-o", "out", code=0)
    calls = calls_of(program.folder / "out")
    pairs = {f"p{k}": (calls[f"p{k}/1"], calls[f"p{k}/2"]) for k in range(len(starts))}
    kinds = {frozenset(pair) for pair in pairs.values()}
    assert {frozenset({"virus", "ambiguous"}), frozenset({"ambiguous"}), frozenset({"virus"})} <= kinds
    wanted = any if pair_rule == "either" else all
    chosen = [name for name, pair in pairs.items() if wanted(call == "virus" for call in pair)]
    for mate in (1, 2):
        assert names_in(program.folder / f"v_{mate}.fastq.gz") == [f"{name}/{mate}" for name in chosen]


# --- reads -----------------------------------------------------------------------------------------
WARNING = "viral-ngs is a rule for contigs"


@pytest.mark.parametrize("reads, longer, are_reads", [(18, 2, True), (17, 2, False)])
@pytest.mark.parametrize("rule", RULES)
def test_a_run_of_reads_has_a_histogram(program, genome, rule, reads, longer, are_reads):
    """One in which nine of ten scored sequences have one chunk."""
    letters = {f"r{k}": genome[2000 + 90 * k:2090 + 90 * k] for k in range(reads + 10)}
    letters |= {f"c{k}": genome[900 * k:900 * k + 400] for k in range(longer)}
    letters |= {f"stops{k}": "TAACTAGCTGA" * 8 for k in range(12)}
    (program.folder / "all.fa").write_text(fasta(letters))
    program.predict("all.fa", *WANTED, "-o", "all", code=0)
    calls = calls_of(program.folder / "all")
    scored = [name for name in letters if calls[name] != "unscored"]
    unscored = [name for name in letters if calls[name] == "unscored"]
    chosen = [name for name in scored if name[0] == "r"][:reads] + [name for name in scored if name[0] == "c"][:longer]
    assert len(chosen) == reads + longer and len(unscored) > 10  # these count as neither
    (program.folder / "a.fa").write_text(fasta({name: letters[name] for name in chosen + unscored}))
    told = message(program.predict("a.fa", *WANTED, "--rule", rule, "-o", "out", code=0))
    assert (WARNING in told) == (are_reads and rule == VIRAL_NGS)
    assert (WARNING in message(program("export", "out", code=0))) == (are_reads and rule == VIRAL_NGS)
    hits = json.loads((program.folder / "out" / "report.json").read_text())["sections"]["top_hits"]
    plots, tables = hits.get("plots", {}), hits.get("tables", {})
    assert ("sequences_by_score" in plots, "sequences" in tables) == (are_reads, not are_reads)
    if are_reads:
        bars = [int(bar["value"]) for bar in plots["sequences_by_score"]]
        scores = [float(row["max_virus_score"]) for row in table(program.folder / "out" / "sequences.tsv")
                  if row["call"] != "unscored"]
        assert bars == [sum(k <= 20 * score < k + 1 or k == 19 and score == 1 for score in scores) for k in range(20)]
        cut_off = {MAJORITY: "0.5", VIRAL_NGS: "0.65"}[rule]
        assert f"its score is about {cut_off}" in hits["note"]


def test_a_configuration_is_of_new_runs(contigs):
    """What a file says is not given to --resume: utils generate-config writes every number."""
    contigs("utils", "generate-config", "-o", "c.yaml", code=0)
    contigs.predict("a.fq", *SHORT, *CLASSIFIER, "--min-score", "0.8", "-c", "c.yaml", "-o", "out", code=0)
    calls = calls_of(contigs.folder / "out")
    contigs.predict("a.fq", *SHORT, *CLASSIFIER, "-c", "c.yaml", "-o", "out", "--resume", code=0)
    assert calls_of(contigs.folder / "out") == calls
    contigs.predict("a.fq", *SHORT, *CLASSIFIER, "-c", "c.yaml", "-o", "new", code=0)
    assert calls_of(contigs.folder / "new") != calls


def test_figures_of_another_report_do_not_stay(contigs):
    contigs.predict("a.fq", *SHORT, *CLASSIFIER, "--rule", VIRAL_NGS, "-o", "out", code=0)
    maps = {}
    for tier in ("review", "high"):
        contigs("export", "out", "--min-tier", tier, code=0)
        contigs("report", "out", "--figures", "figures", code=0)
        maps[tier] = len(list((contigs.folder / "figures").glob("contig_*.svg")))
    assert maps["review"] > maps["high"] > 0
