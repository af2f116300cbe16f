"""The whole program against the whole reference chain: ids, labels, order, scores, tables."""

import gzip
import random
from pathlib import Path
from typing import List

import numpy as np
import pytest
import torch

import bars
import chain
import seeded_models
import sequences
from needs import needs_isa
from tables_reference import CallRule
from program import frame_rows, read_embeddings, score_array

LAMBDA_BASES = 10_000


def mixed_records() -> List[sequences.Named]:
    """As in real inputs, including headers with descriptions and repeated ids."""
    rng = random.Random(41)
    return [
        ("lower case", sequences.coding_dna(rng, 700).lower()),
        ("unknown N", "N".join(sequences.coding_dna(rng, 150) for _ in range(5))),
        ("iupac", sequences.dna(rng, 320, "ACGTRYSWKMBDHVN")),
        ("rna", sequences.coding_dna(rng, 450).replace("T", "U")),
        ("empty and nothing", ""),
        ("one", "A"),
        ("two", "AC"),
        ("three", "ATG"),
        ("four", "ATGC"),
        ("stops", "TAACTAGCTGA" * 30),
        ("twin first", sequences.coding_dna(rng, 610)),
        ("twin second", sequences.coding_dna(rng, 250)),
        ("edge499", sequences.coding_dna(rng, 499)),
        ("edge500", sequences.coding_dna(rng, 500)),
        ("edge501", sequences.coding_dna(rng, 501)),
        ("A_sorts_first", sequences.coding_dna(rng, 301)),
        ("all_n", "N" * 400),
        ("gaps", sequences.coding_dna(rng, 200) + "--..**" + sequences.coding_dna(rng, 200)),
        ("long", sequences.coding_dna(rng, 7_003)),
        ("twin third", sequences.coding_dna(rng, 90)),
    ]


@pytest.fixture(scope="module")
def inputs(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    genome = gzip.decompress((source / "share" / "virnucpro" / "lambda.fa.gz").read_bytes()).decode()
    header, letters = genome.split("\n", 1)
    letters = "".join(letters.split())[:LAMBDA_BASES]
    return {
        "lambda": sequences.write_fasta(folder / "lambda.fa", [(header[1:], letters)]),
        "mixed": sequences.write_fasta(folder / "mixed.fa", mixed_records()),
    }


def run(program, model_set, fasta: Path, out: Path, size: int, *arguments):
    return program.predict(fasta, out, "-m", "custom", "-e", size, *model_set.arguments, *arguments)


def assert_own_tables_agree(tables, fasta: Path, size: int, rule=CallRule(), min_length=0):
    """The other columns and tables follow, byte by byte, from the program's own frame scores."""
    entries, frames = chain.cut(chain.read_fasta(fasta), size, min_length, str(fasta))
    scores = score_array(frame_rows(tables.frames))
    assert len(scores) == len(frames)
    wanted = chain.tables_of(entries, frames, scores, rule)
    for got, expected in zip(tables, wanted):
        assert got.decode("utf-8", "surrogateescape") == expected


@pytest.mark.parametrize("size", [300, 500, 123])
@pytest.mark.parametrize("name", ["lambda", "mixed"])
def test_tables_against_the_chain(program, tiny_models, inputs, tmp_path, name, size):
    fasta = inputs[name]
    tables = run(program, tiny_models, fasta, tmp_path / "out", size)
    assert_own_tables_agree(tables, fasta, size)

    wanted = chain.predict(fasta, size, tiny_models.models)
    expected = frame_rows(wanted.frames.encode("utf-8", "surrogateescape"))
    got = frame_rows(tables.frames)
    assert [(row.id, row.label) for row in got] == [(row.id, row.label) for row in expected]
    assert {row.label for row in got} == {"virus", "others"}, "the case tells nothing of labels"
    assert np.abs(score_array(got) - score_array(expected)).max() <= bars.SCORE_MAX_ABS


@pytest.mark.parametrize("rule", [CallRule(0.5, 0.9), CallRule(0, 0.9), CallRule(0.55, 0)])
def test_calls_and_min_length(program, tiny_models, inputs, tmp_path, rule):
    options = ["--min-score", rule.min_score, "--min-share", rule.min_share, "--min-length", "300"]
    tables = run(program, tiny_models, inputs["mixed"], tmp_path / "out", 300, *options)
    assert_own_tables_agree(tables, inputs["mixed"], 300, rule, min_length=300)
    assert b"shorter than --min-length" in tables.sequences


def test_no_frame_at_all(program, tiny_models, tmp_path):
    records = [("none", "TAACTAGCTGA" * 30), ("empty", "")]
    fasta = sequences.write_fasta(tmp_path / "none.fa", records)
    tables = run(program, tiny_models, fasta, tmp_path / "out", 300)
    assert_own_tables_agree(tables, fasta, 300)
    assert not frame_rows(tables.frames)


# Files of the original pipeline: an input, its chunks and frames, and its results' ids.
@pytest.fixture(scope="module")
def vanilla(source) -> Path:
    return source / "tests" / "data" / "vanilla"


@pytest.fixture(scope="module")
def vanilla_out(program, tiny_models, vanilla, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("vanilla") / "out"
    run(program, tiny_models, vanilla / "test_with_orfs.fa", out, 500, "-k")
    return out


@pytest.mark.parametrize(
    "name",
    ["chunked500.fa", "identified_nucleotide.fa", "identified_protein.faa"],
)
def test_vanilla_intermediates(vanilla, vanilla_out, name):
    (got,) = vanilla_out.rglob(f"test_with_orfs_{name}")
    assert got.read_bytes() == (vanilla / f"test_with_orfs_{name}").read_bytes()


def test_vanilla_ids_and_their_order(vanilla, vanilla_out):
    for name in ("prediction_results.txt", "prediction_results_highestscore.csv"):
        (got,) = vanilla_out.rglob(name)
        wanted = vanilla / "expected" / name
        ids = [
            [line.split("\t")[0] for line in file.read_text().splitlines()[1:]]
            for file in (got, wanted)
        ]
        assert ids[0] == ids[1]


def test_vanilla_embeddings_layout(vanilla, vanilla_out, tiny_models):
    """Rows in the order of the original's merged file; columns DNABERT-S, then ESM-2."""
    expected = {
        name: torch.load(vanilla / "expected" / f"output_1_{name}.pt", map_location="cpu")
        for name in ("DNABERT_S", "ESM", "merged")
    }
    dnabert = {row["label"]: row["mean_representation"] for row in expected["DNABERT_S"]["data"]}
    esm2 = dict(zip(expected["ESM"]["proteins"], expected["ESM"]["data"]))
    for name, row in zip(expected["merged"]["ids"], expected["merged"]["data"]):
        assert torch.equal(row, torch.cat([torch.tensor(dnabert[name]), esm2[name]]))

    (file,) = vanilla_out.rglob("embeddings.h5")
    data = read_embeddings(file)
    assert list(data["ids"]) == expected["merged"]["ids"]
    widths = [tiny_models.dnabert.shape.width, tiny_models.esm2.shape.width]
    assert [data[name].shape[1] for name in ("dnabert_s", "esm2")] == widths
    both = np.concatenate([data["dnabert_s"], data["esm2"]], axis=1)
    assert np.array_equal(data["merged"], both)


@pytest.mark.full_if_tiny
@needs_isa("AVX512_BF16")
def test_bf16_scores(program, make_esm2, make_dnabert, make_models, tmp_path):
    """With 160 inputs, bf16's noise averages out less than with the published 3,328, and a random
    network's embeddings are close together: these seeds meet the bars, but not by far."""
    esm2 = make_esm2(seeded_models.ESM2_TINY, seed=5)
    model_set = make_models(esm2, make_dnabert(seeded_models.DNABERT_TINY, seed=6), hidden=40)
    reads = sequences.coding_reads(43, 600, 300)
    fasta = sequences.write_fasta(tmp_path / "reads.fa", reads)
    fp32, bf16 = (
        score_array(
            frame_rows(
                run(program, model_set, fasta, tmp_path / p, 300, "--precision", p).frames
            )
        )
        for p in ("fp32", "bf16")
    )
    assert not np.array_equal(bf16, fp32), "--precision bf16 computed in fp32"
    bars.assert_bf16_scores(bf16, fp32)
