"""contigs.tsv, by the rule viral-ngs, and chunks.bed: from predict, export and merge."""

import random

import pytest
from conftest import SHORT, fasta, message, rows_of
from lengths import by_length

COLUMNS = ["ID", "call", "tier", "weighted_delta", "n_chunks", "n_confident_viral",
           "n_confident_nonviral", "n_ambiguous", "viral_proportion", "nonviral_proportion",
           "length", "chunks", "bases_scored", "input"]
RULE = ["--rule", "viral-ngs"]
BOTH = [*RULE, "--bed"]
FILES = ("contigs.tsv", "chunks.bed")
# The words of contigs.tsv, and those of sequences.tsv.
CALLS = {"Viral": "virus", "Non-viral": "others", "Ambiguous": "ambiguous", "Unclassified": "unscored"}


@pytest.fixture
def contigs(program, genome):
    """Contigs of many lengths, one of them empty, and one without a frame."""
    sequences = {f"NODE_{k}": genome[1000 * k:1000 * k + 40 + 173 * k] for k in range(12)}
    sequences |= {"nothing": "", "stops": "TAACTAGCTGA" * 30}
    (program.folder / "contigs.fa").write_text(fasta(sequences))
    return program


def files_of(folder):
    return [(folder / name).read_bytes() for name in FILES]


def test_every_sequence_has_its_row(contigs):
    contigs.predict("contigs.fa", *SHORT, *BOTH, "-o", "out", code=0)
    out = contigs.folder / "out"
    head, *rows = rows_of(out / "contigs.tsv")
    assert head == COLUMNS
    sequences = rows_of(out / "sequences.tsv")[1:]
    assert [(row[0], row[10], row[11], row[4], row[13]) for row in rows] == [
        (row[0], row[1], row[2], row[3], row[10]) for row in sequences]
    for row, sequence in zip(rows, sequences):
        assert CALLS[row[1]] == sequence[8]
        assert int(row[12]) <= int(row[10]) and (int(row[12]) > 0) == (int(row[4]) > 0)


def test_chunks_lie_where_the_chunk_file_has_them(program):
    source = random.Random(2)
    lengths = range(1, 3001, by_length(53, 1))
    sequences = {f"s{n}": "".join(source.choices("ACGT", k=n)) for n in lengths}
    (program.folder / "a.fa").write_text(fasta(sequences))
    program.predict("a.fa", "-e", "300", "--no-progress", "--bed", "-k", "-o", "out", code=0)
    lines = (program.folder / "out" / "a_chunked300.fa").read_text().splitlines()
    chunks = {}
    for line in lines:
        if line.startswith(">"):
            name = line[1:]
            chunks[name] = ""
        else:
            chunks[name] += line
    found, numbers = {}, {}
    for name, begin, end, *_ in rows_of(program.folder / "out" / "chunks.bed"):
        numbers[name] = numbers.get(name, 0) + 1
        found[f"{name}_chunk_{numbers[name]}"] = sequences[name][int(begin):int(end)]
    assert found == chunks


def test_the_lines_of_a_chunk_agree_with_the_tables(contigs):
    contigs.predict("contigs.fa", *SHORT, *BOTH, "--min-score", "0.5", "-o", "out", code=0)
    out = contigs.folder / "out"
    scores = {row[0]: row for row in
              rows_of(next(out.glob("*_merged")) / "prediction_results_highestscore.csv")[1:]}
    viruses, numbers = {}, {}
    for name, _, _, call, score, strand, others, virus, frames in rows_of(out / "chunks.bed"):
        numbers[name] = numbers.get(name, 0) + 1
        row = scores.pop(f"{name}_chunk_{numbers[name]}", None)
        assert strand == "." and (call == "unscored") == (row is None)
        if row is None:
            assert (score, others, virus, frames) == ("0", "NA", "NA", "0")
            continue
        assert (others, virus) == (row[2], row[3]) and int(frames) > 0
        assert int(score) == int(1000 * float(virus))
        assert (call == "virus") == (row[1] == "True" and float(virus) >= 0.5)
        viruses[name] = viruses.get(name, 0) + (call == "virus")
    assert not scores
    for row in rows_of(out / "sequences.tsv")[1:]:
        assert viruses.get(row[0], 0) == int(row[5])


def test_export_and_merge_write_what_predict_does(contigs):
    contigs.predict("contigs.fa", *SHORT, *BOTH, "-o", "whole", code=0)
    wanted = files_of(contigs.folder / "whole")
    contigs.predict("contigs.fa", *SHORT, "-o", "plain", code=0)
    assert not any((contigs.folder / "plain" / name).exists() for name in FILES)
    contigs("export", "plain", *BOTH, "-o", "exported", code=0)
    assert files_of(contigs.folder / "exported") == wanted
    for part in ("0", "1"):
        contigs.predict("contigs.fa", *SHORT, "-o", part, "--shard", f"{part}/2", code=0)
    contigs("merge", "0", "1", *BOTH, "-o", "merged", code=0)
    assert files_of(contigs.folder / "merged") == wanted


def test_in_place_they_are_written_anew(contigs):
    contigs.predict("contigs.fa", *SHORT, *BOTH, "--min-chunks", "2", "-o", "out", code=0)
    before = files_of(contigs.folder / "out")
    contigs("export", "out", code=0)
    assert files_of(contigs.folder / "out") == before
    contigs("export", "out", "--min-score", "1", code=0)
    contig, bed = files_of(contigs.folder / "out")
    assert contig == before[0] and b"\tvirus\t" not in bed
    contigs("export", "out", *RULE, "--min-weighted-delta", "1", code=0)
    assert b"\tAmbiguous\t" in files_of(contigs.folder / "out")[0]
    assert b"\tViral\t" not in files_of(contigs.folder / "out")[0]


def test_export_takes_the_runs_own_rule(contigs):
    """Its numbers and its order, also elsewhere and where its table is gone; what is given wins."""
    own = ["--min-weighted-delta", "0", "--min-chunks", "1", "--sort", "natural"]
    contigs.predict("contigs.fa", *SHORT, *RULE, *own, "-o", "out", code=0)
    wanted = (contigs.folder / "out" / "contigs.tsv").read_bytes()
    contigs("export", "out", *RULE, "-o", "elsewhere", code=0)
    assert (contigs.folder / "elsewhere" / "contigs.tsv").read_bytes() == wanted
    (contigs.folder / "out" / "contigs.tsv").unlink()
    contigs("export", "out", *RULE, code=0)
    assert (contigs.folder / "out" / "contigs.tsv").read_bytes() == wanted
    other = ["--min-weighted-delta", "1", "--sort", "input"]
    contigs("export", "out", *RULE, *other, "-o", "given", code=0)
    contigs.predict("contigs.fa", *SHORT, *RULE, "--min-chunks", "1", *other, "-o", "new", code=0)
    given = (contigs.folder / "given" / "contigs.tsv").read_bytes()
    assert given == (contigs.folder / "new" / "contigs.tsv").read_bytes() != wanted


def test_natural_order(contigs):
    contigs.predict("contigs.fa", *SHORT, *BOTH, "--sort", "natural", "-o", "out", code=0)
    names = [row[0] for row in rows_of(contigs.folder / "out" / "contigs.tsv")[1:]]
    assert names == [*(f"NODE_{k}" for k in range(12)), "nothing", "stops"]


def test_the_order_stays_in_place(program, genome):
    names = ["NODE_10", "NODE_9", "NODE_2"]
    (program.folder / "a.fa").write_text(fasta({name: genome[:300] for name in names}))
    program.predict("a.fa", *SHORT, *RULE, "--sort", "natural", "-o", "out", code=0)
    for options, order in (([], names[::-1]), (["--min-score", "1"], names[::-1]), (RULE, names[::-1]),
                           ([*RULE, "--sort", "input"], names), ([], names),
                           ([*RULE, "--sort", "natural"], names[::-1]), ([], names[::-1])):
        program("export", "out", *options, code=0)
        rows = rows_of(program.folder / "out" / "contigs.tsv")[1:]
        assert [row[0] for row in rows] == order, options


def chunk_scores(folder):
    """The scores (others, virus) of each contig's scored chunks."""
    scores = {}
    for name, _, *both in rows_of(next(folder.glob("*_merged")) /
                                  "prediction_results_highestscore.csv")[1:]:
        scores.setdefault(name.rpartition("_chunk_")[0], []).append(tuple(map(float, both)))
    return scores


def counts(chunks, confident=0.8, opposing=0.3, ambiguous=0.7):
    """Confident viral, confident non-viral and ambiguous chunks."""
    return [sum(virus > confident and others < opposing for others, virus in chunks),
            sum(others > confident and virus < opposing for others, virus in chunks),
            sum(others > ambiguous and virus > ambiguous for others, virus in chunks)]


def tier(row, high=0.6, viral=0.1, nonviral=0.1):
    """The tier of a row of contigs.tsv that its other columns give, with any number of chunks."""
    _, call, _, delta, _, virals, nonvirals, _, viral_share, nonviral_share, *_ = row
    if call in ("Ambiguous", "Unclassified"):
        return "review" if call == "Ambiguous" else ""
    found, share, least = ((virals, viral_share, viral) if call == "Viral" else
                           (nonvirals, nonviral_share, nonviral))
    if int(found) < 1 or float(share) < least:
        return "low_confidence"
    return "high_confidence" if abs(float(delta)) > high else "moderate_confidence"


# The scores of the first classifier lean towards others, those of the second towards virus.
@pytest.mark.parametrize("seed, flag, changed", [
    (6, "--min-confident-score", {"confident": 0.6}), (6, "--max-opposing-score", {"opposing": 0.5}),
    (6, "--min-ambiguous-score", {"ambiguous": 0.5}), (6, "--high-confidence-delta", {"high": 0.5}),
    (5, "--min-viral-prop", {"viral": 0.48}), (6, "--min-nonviral-prop", {"nonviral": 0.48})])
def test_each_number_of_the_rule(contigs, seed, flag, changed):
    contigs.predict("contigs.fa", *SHORT, "-p", f"synthetic:{seed}", *RULE, "--min-chunks", "0",
                    "-o", "out", code=0)
    out = contigs.folder / "out"
    before = rows_of(out / "contigs.tsv")[1:]
    (value,) = changed.values()
    contigs("export", "out", *RULE, "--min-chunks", "0", flag, value, code=0)
    after = rows_of(out / "contigs.tsv")[1:]
    assert after != before
    scores = chunk_scores(out)
    of_counts = changed if set(changed) & {"confident", "opposing", "ambiguous"} else {}
    of_tiers = {} if of_counts else changed
    for rows, rule, tiers in ((before, {}, {}), (after, of_counts, of_tiers)):
        for row in rows:
            assert list(map(int, row[5:8])) == counts(scores.get(row[0], []), **rule)
            assert row[2] == tier(row, **tiers)


@pytest.mark.parametrize("options, why", [
    (["--rule", "mine"], "--rule mine: expected majority or viral-ngs"),
    (["--rollup", "mine"], "--rollup mine: expected viral-ngs"),
    ([*RULE, "--min-tier", "highest"], "--min-tier highest: expected high, moderate, low or review"),
    ([*RULE, "--sort", "size"], "expected input or natural"),
    ([*RULE, "--min-viral-prop", "2"], "expected a number from 0 to 1"),
    (["--bed", "-o", "-"], "excludes -k, --virus-fasta, --virus-fastq, --rule viral-ngs and --bed"),
])
def test_what_cannot_be_asked_for(contigs, options, why):
    assert why in message(contigs.predict("contigs.fa", *SHORT, *options, code=1))
