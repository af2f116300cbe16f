"""The same input gives the same bytes with any threads, token budget, prefetch or neighbours.

Within each instruction set: natively, with oneDNN limited to AVX2 where the CPU has more, and in
bf16 if the CPU has it.
If VIRNUCPRO_BIN_REFERENCE names another program, VIRNUCPRO_BIN must reproduce that one's results
(so the tests run on the program with tiny limits).
"""

import gzip
import os
import random
from typing import Dict, List, NamedTuple

import pytest

import seeded_models
import sequences
from lengths import by_length
from needs import kernel_paths, needs_isa
from program import Program, TableFiles
from sequence_table import with_input

# Every pair of a thread count and a budget, and the smallest and largest prefetch.
SETTINGS = [
    ["-t", str(threads), "--token-budget", str(budget), "--prefetch", prefetch]
    for threads, budget, prefetch in [
        *((1, 512, "1"), (1, 4096, "4"), (1, 32768, "1")),
        *((2, 512, "4"), (2, 4096, "1"), (2, 32768, "4")),
    ]
]


class NumericsClass(NamedTuple):
    precision: str
    environment: Dict[str, str]


CLASSES = [
    pytest.param(NumericsClass("fp32", {}), id="native-fp32"),
    pytest.param(NumericsClass("bf16", {}), id="native-bf16", marks=needs_isa("AVX512_BF16")),
    pytest.param(NumericsClass("bf16", {"ONEDNN_MAX_CPU_ISA": "AVX512_CORE_BF16"}),
                 id="bf16-without-amx", marks=[needs_isa("AMX"), pytest.mark.full_if_tiny]),
]
if kernel_paths()[0] != "cpu-avx2":
    CLASSES.append(pytest.param(NumericsClass("fp32", {"ONEDNN_MAX_CPU_ISA": "AVX2"}),
                                id="avx2-fp32", marks=pytest.mark.full_if_tiny))


def reads() -> List[sequences.Named]:
    """Coding reads of many lengths, some equal, so that batches are uneven."""
    rng = random.Random(61)
    records = [
        (f"read{i}", sequences.coding_dna(rng, rng.choice([4, 60, 150, 299, 300, 301, 750])))
        for i in range(120)
    ]
    records += [(f"again{i}", records[i][1]) for i in range(0, 120, 10)]
    return records


@pytest.fixture(scope="module")
def fasta(tmp_path_factory):
    return sequences.write_fasta(tmp_path_factory.mktemp("reads") / "reads.fa", reads())


@pytest.fixture(scope="module")
def models_8m(make_esm2, make_dnabert, make_models):
    esm2 = make_esm2(seeded_models.ESM2_8M, seed=62)
    return make_models(esm2, make_dnabert(seeded_models.DNABERT_TINY, seed=63), hidden=64)


def run(program, model_set, source, out, kind: NumericsClass, *settings, stdin=None) -> TableFiles:
    arguments = ["-m", "custom", "-e", 300, *model_set.arguments, "--precision", kind.precision]
    environment = kind.environment
    return program.predict(source, out, *arguments, *settings, environment=environment, stdin=stdin)


@pytest.fixture(scope="module", params=CLASSES)
def kind(request) -> NumericsClass:
    return request.param


@pytest.fixture(scope="module")
def base(program, tiny_models, fasta, kind, tmp_path_factory) -> TableFiles:
    out = tmp_path_factory.mktemp("base") / "out"
    return run(program, tiny_models, fasta, out, kind, *SETTINGS[0])


@pytest.mark.parametrize("settings", SETTINGS[1:], ids="/".join)
def test_settings(program, tiny_models, fasta, kind, base, tmp_path, settings):
    assert run(program, tiny_models, fasta, tmp_path / "out", kind, *settings) == base


@pytest.mark.full_if_tiny
def test_settings_at_8m(program, models_8m, kind, tmp_path):
    few = sequences.write_fasta(tmp_path / "reads.fa", reads()[:by_length(16, 40)])
    one, other = (
        run(program, models_8m, few, tmp_path / settings[1], kind, *settings)
        for settings in (SETTINGS[0], SETTINGS[-1])
    )
    assert one == other


def rows_of(tables: TableFiles) -> Dict[str, str]:
    """Frame rows by id; the ids of these tests are unique."""
    lines = tables.frames.decode().splitlines()[1:]
    return {line.split("\t", 1)[0]: line for line in lines}


def test_neighbours(program, tiny_models, kind, base, tmp_path):
    """Each row stays the same in reversed order, and alone."""
    records = reads()
    reversed_fasta = sequences.write_fasta(tmp_path / "reversed.fa", records[::-1])
    wanted = rows_of(base)
    got = run(program, tiny_models, reversed_fasta, tmp_path / "reversed", kind)
    assert rows_of(got) == wanted
    for number in (0, 57, 119):
        name = records[number][0]
        alone = sequences.write_fasta(tmp_path / f"{name}.fa", [records[number]])
        rows = rows_of(run(program, tiny_models, alone, tmp_path / name, kind))
        assert rows and rows == {i: wanted[i] for i in wanted if i.startswith(f"{name}_chunk_")}


def test_stdin_gzip_and_fastq(program, tiny_models, fasta, kind, base, tmp_path):
    text = fasta.read_bytes()
    zipped = tmp_path / "reads.fa.gz"
    zipped.write_bytes(gzip.compress(text))
    fastq = sequences.write_fastq(tmp_path / "reads.fq", reads())
    for name, source, stdin in [
        ("stdin", "-", text),
        ("stdin-gz", "-", zipped.read_bytes()),
        ("gz", zipped, None),
        ("fastq", fastq, None),
    ]:
        got = run(program, tiny_models, source, tmp_path / name, kind, stdin=stdin)
        as_named = with_input(base.sequences, "stdin" if source == "-" else source)
        assert got == base._replace(sequences=as_named), name


def test_the_input_can_tell(program, tiny_models, base, kind, tmp_path):
    """One changed base changes the tables: shows that the comparisons above can fail."""
    records = reads()
    name, letters = records[3]
    records[3] = (name, letters[:2] + ("A" if letters[2] != "A" else "C") + letters[3:])
    changed = sequences.write_fasta(tmp_path / "changed.fa", records)
    assert run(program, tiny_models, changed, tmp_path / "out", kind).frames != base.frames


if "VIRNUCPRO_BIN_REFERENCE" in os.environ:

    def test_the_other_build(tiny_models, fasta, kind, base, tmp_path):
        other = Program(os.environ["VIRNUCPRO_BIN_REFERENCE"])
        assert run(other, tiny_models, fasta, tmp_path / "out", kind) == base
