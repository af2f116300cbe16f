"""DnaTokenizer against the `tokenizers` library, text by text: 10,000 texts, a million in the long
form.
"""

import gzip
import os
import pathlib
import random
import subprocess

import numpy
import pytest

from lengths import by_length

tokenizers = pytest.importorskip("tokenizers")

SOURCE = pathlib.Path(os.environ["VIRNUCPRO_SOURCE"])
TOOL = pathlib.Path(os.environ["VIRNUCPRO_TOOLS"]) / "bpe_tool"
TOKENIZER = SOURCE / "share/virnucpro/dnabert-s/tokenizer.json"
TEXTS = by_length(10_000, 10_000, long=1_000_000)
TEXTS_AT_ONCE = 2_000
LONGEST = 5_000

ALPHABETS = [
    "ACGT",
    "ACGT" * 30 + "N",
    "ACGTRYSWKMBDHVN",
    "ACGTacgtNn",
    "ACGU",
    "ACGT-.*",
    "ACGT0123456789_",
    "ACGT \t\r\n",
    "ACGT[]SEPCLMUNK",
    "AT",
    "A",
    "".join(map(chr, range(1, 128))),
    "ACGT\u00e9\u00df\u6f22\U0001f600\u3000\u00a0\u2028\u200b\u0301",
]
LITERALS = ["[SEP]", "[CLS]", "[UNK]", "[PAD]", "[MASK]", "[[SEP]]", "[SEP", " [MASK] ", "[sep]"]


def fasta_sequence(lines):
    return "".join(line.strip() for line in lines if not line.startswith(">"))


@pytest.fixture(scope="module")
def library():
    tokenizer = tokenizers.Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


@pytest.fixture(scope="module")
def genome():
    with gzip.open(SOURCE / "examples/lambda.fa.gz", "rt") as lines:
        return fasta_sequence(lines)


def our_tokens(texts):
    """The tokens of each text, from the tool."""
    stdin = b"".join(text.encode() + b"\0" for text in texts)
    stdout = subprocess.run(
        [TOOL, TOKENIZER], input=stdin, stdout=subprocess.PIPE, check=True
    ).stdout
    tokens = []
    place = 0
    while place < len(stdout):
        count = int.from_bytes(stdout[place : place + 4], "little")
        place += 4
        tokens.append(numpy.frombuffer(stdout, "<u2", count, place).tolist())
        place += 2 * count
    return tokens


def assert_same(library, texts):
    ours = our_tokens(texts)
    assert len(ours) == len(texts)
    for text, mine, theirs in zip(texts, ours, library.encode_batch(texts)):
        assert mine == theirs.ids, repr(text)


def random_text(rng, genome):
    # Lengths of all orders of magnitude: short texts have most of the edge cases.
    length = int(LONGEST ** rng.random())
    if rng.random() < 0.3:
        start = rng.randrange(len(genome) - length)
        text = genome[start : start + length]
    else:
        text = "".join(rng.choices(rng.choice(ALPHABETS), k=length))
    if rng.random() < 0.1:
        place = rng.randrange(len(text) + 1)
        text = text[:place] + rng.choice(LITERALS) + text[place:]
    return text


def test_random_and_real_texts(library, genome):
    rng = random.Random(20240501)
    for _ in range(0, TEXTS, TEXTS_AT_ONCE):
        assert_same(library, [random_text(rng, genome) for _ in range(TEXTS_AT_ONCE)])


def test_frames_of_the_original_program(library):
    frames = SOURCE / "tests/data/vanilla/test_with_orfs_identified_nucleotide.fa"
    texts = [line.strip() for line in frames.read_text().splitlines() if not line.startswith(">")]
    assert texts
    assert_same(library, texts)


def test_the_longest_texts(library):
    rng = random.Random(3)
    texts = ["".join(rng.choices(letters, k=LONGEST)) for letters in ALPHABETS]
    assert_same(library, texts + ["", " ", "\n"])
