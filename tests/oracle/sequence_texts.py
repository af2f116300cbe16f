"""Seeded FASTA and FASTQ texts for the readers: well-formed ones with everything that the formats
allow, most of them then changed in a few places."""

import gzip

from bgzf import bgzf_block

LINE_ENDS = [b"\n", b"\r\n", b"\r"]
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
BLANKS = [b"", b" ", b"\t", b" \t "]
# White space of Python's str, then what looks like it and is none: a zero-width space, a cut or
# overlong character.
SPACES = [text.encode() for text in " \t\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u200a\u2028\u2029"
          "\u202f\u205f\u3000\u200b\u180e"] + [b"\xe2\x80", b"\xc2", b"\x85", b"\xa0", b"\xc0\xa0"]
WORDS = [b"r1", b"r1", b"r2", b"r1/1", b">", b"@", b"+", b"r1+", b"a>b", b"\xc3\xa9", b"\xff",
         b"\xe6\xbc\xa2", b"SRR1.1", b"length=4", b"\x01", b"\x7f", b"\"'"]
ALPHABETS = [b"ACGT", b"acgtACGT", b"ACGTN", b"ACGTRYSWKMBDHVNryswkmbdhvn", b"ACGU-*.0123456789",
             b"ACGT>@+;", bytes(range(33, 127))]
QUALITIES = [b"I", b"#FFI", b"@+>I", b"@", b"+", b">", b"!~", bytes(range(33, 127))]
WIDTHS = [1, 2, 4, 60, 70, 10_000]
# What a change inserts, or writes over a byte.
PIECES = (LINE_ENDS * 4 + [b">", b"@", b"+", b"\n>", b"\n@", b"\n+", b"\n\n", b"\n \n", b"\r\r\n",
          b"\0", b" ", b"\t", b"A", b"N", b"I", b"\n+\n", b">\n", b"@\n\n+\n\n", b"@\n+\n",
          BYTE_ORDER_MARK, b"\xc3\xa9", b"\xff", b"\x7f", b"\x1a", b"\v", b"\x1c"] + SPACES)


class LineEnds:
    """The line ends of a text: of one kind, or mixed."""

    def __init__(self, rng):
        self._rng = rng
        self._kinds = LINE_ENDS if rng.random() < 0.15 else [rng.choice(LINE_ENDS)]

    def __call__(self):
        return self._rng.choice(self._kinds)


def header(rng):
    """Mostly one of a few ids, so that ids come twice."""
    words = [rng.choice(WORDS[:3] if rng.random() < 0.7 else WORDS)
             for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))]
    space = rng.choice([b" ", b" ", b"\t", rng.choice(SPACES)])
    around = rng.choice([b"", b"", b"", rng.choice(SPACES)])
    return rng.choice([b"", around]) + space.join(words) + around


def letters(rng, alphabet):
    size = rng.choice([0, 1, 2, 4, rng.randrange(12), rng.randrange(200)])
    return bytes(rng.choices(alphabet, k=size))


def with_blanks(rng, line):
    place = rng.randrange(len(line) + 1)
    return line[:place] + rng.choice(BLANKS) + line[place:]


def in_lines(rng, text, width, end, untidy):
    """Cuts a text into lines; an empty one has one line or none."""
    lines = [text[i : i + width] for i in range(0, len(text), width)]
    if not lines and rng.random() < 0.7:
        lines = [b""]
    if untidy:
        lines = [with_blanks(rng, line) for line in lines]
        if rng.random() < 0.3:
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(BLANKS))
    return b"".join(line + end() for line in lines)


def fasta_record(rng, end, untidy):
    text = letters(rng, rng.choice(ALPHABETS))
    return b">" + header(rng) + end() + in_lines(rng, text, rng.choice(WIDTHS), end, untidy)


def fastq_record(rng, end, untidy):
    name = header(rng)
    # Not '+' or '@', which start no sequence line.
    text = letters(rng, rng.choice(ALPHABETS[:5]))
    quality = bytes(rng.choices(rng.choice(QUALITIES), k=len(text)))
    width = rng.choice(WIDTHS) if rng.random() < 0.4 else 10_000
    words = name.split()
    repeated = rng.choice([b"", b"", b"", name, words[0] if words else b""])
    return (b"@" + name + end() + in_lines(rng, text, width, end, untidy) +
            b"+" + repeated + end() + in_lines(rng, quality, width, end, untidy))


def well_formed(rng):
    end = LineEnds(rng)
    record = rng.choice([fasta_record, fastq_record])
    untidy = rng.random() < 0.3
    text = b"".join(record(rng, end, untidy) for _ in range(rng.choice([0, 1, 1, 2, 3, 5])))
    if rng.random() < 0.15:
        text = b"".join(rng.choice(BLANKS) + end() for _ in range(rng.randrange(1, 4))) + text
    if rng.random() < 0.1:
        text = BYTE_ORDER_MARK + text
    if rng.random() < 0.3:
        text = text.rstrip(b"\r\n")
    return text


def changed(rng, text):
    """The text with one piece inserted, written over a byte, cut out, doubled or moved."""
    place = rng.randrange(len(text) + 1)
    size = rng.choice([1, 1, 2, rng.randrange(1, 30)])
    span = text[place : place + size]
    rest = text[:place] + text[place + size :]
    kind = rng.randrange(5)
    if kind == 0:
        return text[:place] + rng.choice(PIECES) + text[place:]
    if kind == 1:
        return text[:place] + rng.choice(PIECES) + text[place + 1 :]
    if kind == 2:
        return rest
    if kind == 3:
        return text[:place] + span + text[place:]
    other = rng.randrange(len(rest) + 1)
    return rest[:other] + span + rest[other:]


def sequence_text(rng):
    text = well_formed(rng)
    if rng.random() < 0.1:
        text += well_formed(rng)
    for _ in range(rng.choice([0, 1, 1, 2, 4])):
        text = changed(rng, text)
    return text


def bgzf(rng, text):
    """In blocks of random sizes, with the empty one at the end."""
    blocks = []
    while text:
        size = rng.choice([1, 7, 100, 60_000])
        blocks.append(text[:size])
        text = text[size:]
    return b"".join(map(bgzf_block, [*blocks, b""]))


def gzip_members(rng, text):
    place = rng.randrange(len(text) + 1)
    parts = [text] if rng.random() < 0.5 else [text[:place], text[place:]]
    return b"".join(gzip.compress(part, mtime=0) for part in parts)


def as_file(rng, text):
    """The bytes of a file that holds the text: plain, gzip or BGZF."""
    kind = rng.random()
    if kind < 0.8:
        return text
    return gzip_members(rng, text) if kind < 0.9 else bgzf(rng, text)


def long_lines(rng):
    """Texts whose lines end around the border of the reader's window, 256 KiB."""
    window = 256 << 10
    for end in LINE_ENDS:
        for start in (b">", b"@", b"+", b" ", b"A", end, b"\n", b"\r\n>"):
            size = window - rng.randrange(4) - len(b">a" + end)
            yield b">a" + end + b"A" * size + end + start + b"CG" + end + b">b" + end + b"GT" + end
        for more in range(4):
            size = window // 2 - more - len(b"@a" + end)
            yield (b"@a" + end + b"A" * size + end + b"+" + end + b"@" * size + end +
                   b"@b" + end + b"GT" + end + b"+" + end + b"II" + end)
