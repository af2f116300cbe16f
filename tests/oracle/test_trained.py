"""Trained weights on real sequences: frames of genomes, against transformers in fp32.

Synthetic weights have no outliers, and rounding costs trained ones more. The weights are a small
ESM-2 that tools/setup.sh fetches (trained_esm2.txt); tests/data/README.md lists the genomes.
"""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import bars
import closeness
import frames_reference
import genomes
import sequences
from esm2_reference import TransformersEsm
from lengths import by_length
from needs import needs_isa

TOOL = pathlib.Path(os.environ["VIRNUCPRO_TOOLS"]) / "int8_tool"
CHUNK = 500
PIECES = by_length(check=10, full=80)  # of each genome

PRECISIONS = [
    pytest.param("fp32"),
    pytest.param("bf16", marks=needs_isa("AVX512_BF16")),
]


def spread_pieces():
    """Pieces from all over each genome: all of a small one."""
    for file in genomes.FILES:
        found = genomes.pieces(file, CHUNK)
        yield from found[:: max(1, len(found) // PIECES)][:PIECES]


@pytest.fixture(scope="module")
def weights(source):
    folder = source / ".trained-esm2"
    assert folder.is_dir(), f"{folder} is not there: run tools/setup.sh check"
    return folder


@pytest.fixture(scope="module")
def fasta(tmp_path_factory):
    return sequences.write_fasta(tmp_path_factory.mktemp("genomes") / "pieces.fa", spread_pieces())


@pytest.fixture(scope="module")
def wanted(weights):
    """The reference's embedding of each frame by its id."""
    model = TransformersEsm(weights)
    return {f"{piece.name}_chunk_1{name}": model.embed(protein).numpy()
            for piece in spread_pieces()
            for name, _, protein in frames_reference.frames(piece.letters)}


@pytest.mark.parametrize("precision", PRECISIONS)
def test_frames_of_genomes(program, weights, fasta, wanted, precision, tmp_path):
    options = ["--what", "esm2", "--esm-model", weights, "-e", CHUNK, "--precision", precision]
    got = program.embed(fasta, tmp_path / "out.h5", *options)
    assert list(got["ids"]) == list(wanted)
    bars.assert_trained(precision, got["esm2"], np.stack([*wanted.values()]))


def test_int8(weights, wanted):
    """What 8 bits cost, on the CPU: all else is in fp32 there, so that a GPU is less exact by fp16."""
    proteins = [protein for piece in spread_pieces()
                for _, _, protein in frames_reference.frames(piece.letters)]
    done = subprocess.run([TOOL, weights], input="\n".join(proteins).encode(),
                          stdout=subprocess.PIPE, check=True)
    expected = np.stack([*wanted.values()])
    got = np.frombuffer(done.stdout, np.float32).reshape(expected.shape)
    bars.assert_trained("int8", got, expected)


def test_every_genome_has_frames(wanted):
    """Each kind of genome counts in the bars."""
    assert len(wanted) >= 75
    for file in genomes.FILES:
        names = [name for name, _ in genomes.records(file)]
        assert any(frame.startswith(f"{name}_") for frame in wanted for name in names), file


def test_the_measures():
    """An angle of 1e-6, whose cosine differs from 1 in the last digits of a double, and a NaN."""
    wanted = np.array([[1.0, 0.0], [0.0, 3.0]])
    turned = np.array([[1.0, 1e-6], [0.0, 3.0]])
    found = closeness.of_rows(turned, wanted)
    assert found.difference == 1e-6
    assert found.worst == pytest.approx(5e-13)
    assert found.mean == pytest.approx(2.5e-13)
    # Centred, the rows are (0.5, -1.5) and (-0.5, 1.5): the first turns by 1.5e-6 / 2.5 of it.
    assert found.centred_worst == pytest.approx((1.5e-6 / 2.5) ** 2 / 2)
    assert found.centred_mean == pytest.approx(found.centred_worst / 2)
    many = closeness.spread(np.arange(10_000.0))
    assert many == (9_999, 9_990, 4_999.5)
    nans = np.full((1, 2), np.nan)
    broken = closeness.closeness([(nans, wanted[:1]), (turned, wanted)], np.zeros(2))
    assert np.isnan(broken).all()
