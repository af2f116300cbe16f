"""DnaTokenizer against the `tokenizers` library, text by text: a million of them in the long
form.
"""

import gzip
import os
import pathlib
import random

import numpy
import pytest

from framed_texts import answers
from lengths import by_length

tokenizers = pytest.importorskip("tokenizers")

SOURCE = pathlib.Path(os.environ["VIRNUCPRO_SOURCE"])
TOOL = pathlib.Path(os.environ["VIRNUCPRO_TOOLS"]) / "bpe_tool"
TOKENIZER = SOURCE / "share/virnucpro/dnabert-s/tokenizer.json"
TEXTS = by_length(3_000, 60_000, long=1_000_000)
TEXTS_AT_ONCE = 2_000
LONGEST = 5_000
MOST_LETTERS = by_length(100_000, 2_000_000)

# Letters of the vocabulary, and what is unknown to it: whole texts are of one of these.
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
    "N",
    "".join(map(chr, range(128))),
    "ACGT\u00e9\u00df\u6f22\U0001f600\u3000\u00a0\u2028\u200b\u0301",
]
SPACES = (
    " \t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u00a0\u1680\u2000\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
)
# What is written over a letter.
OTHERS = "ACGTNRYUacgtn0-*.[]_\0" + SPACES
LITERALS = ["[SEP]", "[CLS]", "[UNK]", "[PAD]", "[MASK]", "[[SEP]]", " [MASK] ", "[sep]"]


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
    with gzip.open(SOURCE / "share/virnucpro/lambda.fa.gz", "rt") as lines:
        return fasta_sequence(lines)


@pytest.fixture(scope="module")
def words(library):
    """The vocabulary without its special tokens."""
    return sorted(word for word in library.get_vocab() if word not in LITERALS)


def our_tokens(texts):
    """The tokens of each text, from the tool."""
    stdout = answers([TOOL, TOKENIZER], [text.encode() for text in texts])
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


def random_piece(rng, genome, words):
    # Lengths of all orders of magnitude: short texts have most of the edge cases.
    length = int(LONGEST ** rng.random())
    kind = rng.randrange(6)
    if kind == 0:
        start = rng.randrange(len(genome) - length)
        return genome[start : start + length]
    if kind == 1:  # words whose merges meet each other
        return "".join(rng.choices(words, k=rng.randrange(1, 20)))
    if kind == 2:  # a word, or a special token, that may be cut
        text = rng.choice([rng.choice(words), rng.choice(LITERALS)])
        return text[rng.choice([0, 0, 1]) : len(text) - rng.choice([0, 0, 1])]
    if kind == 3:
        return rng.choice(OTHERS) * rng.randrange(1, 4)
    return "".join(rng.choices(rng.choice(ALPHABETS), k=length))


def random_text(rng, genome, words):
    """A few pieces, with a few of their letters replaced."""
    pieces = [random_piece(rng, genome, words) for _ in range(rng.choice([1, 1, 2, 3, 6]))]
    letters = list("".join(pieces))
    for _ in range(rng.choice([0, 0, 1, 3]) if letters else 0):
        letters[rng.randrange(len(letters))] = rng.choice(OTHERS)
    return "".join(letters)


def test_random_and_real_texts(library, genome, words):
    rng = random.Random(20240501)
    for _ in range(0, TEXTS, TEXTS_AT_ONCE):
        assert_same(library, [random_text(rng, genome, words) for _ in range(TEXTS_AT_ONCE)])


def test_frames_of_the_original_program(library):
    frames = SOURCE / "tests/data/vanilla/test_with_orfs_identified_nucleotide.fa"
    texts = [line.strip() for line in frames.read_text().splitlines() if not line.startswith(">")]
    assert texts
    assert_same(library, texts)


def test_the_longest_texts(library, genome):
    rng = random.Random(3)
    texts = ["".join(rng.choices(letters, k=LONGEST)) for letters in ALPHABETS]
    long_text = (genome * (MOST_LETTERS // len(genome) + 1))[:MOST_LETTERS]
    assert_same(library, texts + ["", " ", "\n", "\0", long_text, "A" * MOST_LETTERS])
