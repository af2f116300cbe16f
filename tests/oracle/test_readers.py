"""The reader of FASTA and FASTQ against Biopython's, text by text: Bio.SeqIO's "fasta", which the
original uses, and FastqGeneralIterator.

The wanted differences are stated here: opened(), fasta_reading() and FastqLines take most of them
out of what Biopython is given or gives; for FASTQ there are also reasons for which only one of the
two refuses a record. All else must be the same: ids, headers, letters, and the record at which a
text is refused.
"""

import io
import itertools
import os
import random
import re
from pathlib import Path
from typing import List, NamedTuple

from Bio import SeqIO
from Bio.SeqIO.QualityIO import FastqGeneralIterator

import sequence_texts
from framed_texts import answers
from lengths import by_length

TOOL = Path(os.environ["VIRNUCPRO_TOOLS"]) / "records_tool"
TEXTS = by_length(5_000, 100_000, long=1_000_000)
TEXTS_AT_ONCE = 2_000
NO_BLANKS = str.maketrans("", "", " \t")


class Record(NamedTuple):
    id: str
    title: str  # the header, without white space at its end
    letters: str


class Reading(NamedTuple):
    """A text's records, up to the first that was refused."""

    records: List[Record]
    refused: bool


def decoded(text):
    return text.decode("utf-8", "surrogateescape")


def our_readings(files):
    readings = []
    fields, records = [], []
    for line in decoded(answers([TOOL], files)).split("\n")[:-1]:
        kind, text = line[0], line[1:]
        if kind in ".!":
            assert kind == "." or text.split()[1] == str(len(records) + 1), text
            readings.append(Reading(records, kind == "!"))
            records = []
            continue
        fields.append(text)
        if kind == "l":
            records.append(Record(fields[0], fields[1].rstrip(), fields[2]))
            fields = []
    return readings


def opened(text):
    """A handle for Biopython, whose texts begin with a header: without a byte-order mark, and
    without blank lines before the first record."""
    text = text.removeprefix(sequence_texts.BYTE_ORDER_MARK)
    text = re.sub(rb"\A(?:[ \t]*[\r\n])*(?:[ \t]+\Z)?", b"", text)
    return io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", errors="surrogateescape")


def is_letter(character):
    return "\0" < character < "\x80" and character != ">"


def fasta_reading(handle):
    """Biopython's, up to a NUL, a '>' inside a line, or a letter beyond ASCII, which only we refuse."""
    records = []
    try:
        for found in SeqIO.parse(handle, "fasta"):
            record = Record(found.id, found.description, bytes(found.seq).decode())
            if "\0" in record.title or not all(map(is_letter, record.letters)):
                return Reading(records, True)
            records.append(record)
    except ValueError:  # no header at the start, or bytes that are not UTF-8 among the letters
        return Reading(records, True)
    return Reading(records, False)


class FastqLines:
    """A handle for Biopython that remembers the lines of the current record. It changes lines that
    Biopython would refuse and we take:

    - Blanks among letters and qualities are left out, except where one hides the '+' of a line of
      letters.
    - A '+' line that repeats the id alone, or the header behind other white space, becomes a '+'.
    - The empty record at the end of a text gets the empty line of qualities that it may lack.
    """

    def __init__(self, handle):
        self._handle = handle
        self._ended = False
        self._start()

    def _start(self, lines=()):
        self._lines = list(lines)
        self._letters = 0
        self._qualities = 0
        self._separated = False

    def read(self, size):
        return self._handle.read(size)

    def __iter__(self):
        return iter(self.readline, "")

    def readline(self):
        line = self._handle.readline()
        if line:
            self._lines.append(line)
            return self._changed(line) if len(self._lines) > 1 else line
        lacks_line = not self._ended and self._separated and re.match(r"\+.*\n", self._lines[-1])
        self._ended = True
        return "\n" if lacks_line else ""

    def _changed(self, line):
        text = line.rstrip("\n").translate(NO_BLANKS)
        if not self._separated:
            if line[0] == "+":
                self._separated = True
                title = self._lines[0][1:]
                return "+\n" if line[1:].strip() in (title.strip(), first_word(title)) else line
            self._letters += len(text)
            return line if text[:1] == "+" else text + "\n"
        if self._qualities >= self._letters:
            return line  # the next header
        self._qualities += len(text)
        return text + "\n"

    def end_record(self):
        """The lines of the record, without line ends. The next header was read, too, except at the
        end of the text."""
        lines = self.read_so_far()
        self._start([] if self._ended else [self._lines[-1]])
        return lines if self._ended else lines[:-1]

    def read_so_far(self):
        return [line.rstrip("\n") for line in self._lines]


def first_word(title):
    return (title.split() or [""])[0]


class FastqRecord(NamedTuple):
    title: str
    sequence: List[str]
    qualities: List[str]


def parted(lines):
    plus = next(place for place, line in enumerate(lines) if line.startswith("+"))
    return FastqRecord(lines[0][1:], lines[1:plus], lines[plus + 1 :])


def packed(lines):
    return "".join(lines).translate(NO_BLANKS)


class FastqReading(NamedTuple):
    records: List[Record]
    lines: List[List[str]]  # of each record, and those that were read of the refused one
    refused: bool


def fastq_reading(handle):
    given = FastqLines(handle)
    records, lines = [], []
    try:
        for title, letters, _ in FastqGeneralIterator(given):
            records.append(Record(first_word(title), title, letters))
            lines.append(given.end_record())
    except ValueError:
        return FastqReading(records, [*lines, given.read_so_far()], True)
    return FastqReading(records, lines, False)


def is_refused_by_us_alone(lines):
    record = parted(lines)
    letters, qualities = packed(record.sequence), packed(record.qualities)
    is_on_one_line = sum(bool(packed([line])) for line in record.sequence) < 2
    return (
        "\0" in record.title
        or not all(map(is_letter, letters))
        or not all("!" <= quality <= "~" for quality in qualities)
        # To us a '+' line is missing.
        or any(line.startswith("@") for line in record.sequence)
        # To us the qualities are on one line, as the letters are, and this is the next header.
        or is_on_one_line
        and any(line.startswith("@") for line in record.qualities[1:])
        # For Biopython white space at the end of a line is neither letters nor qualities.
        or len(letters) != len(qualities)
    )


def is_read_by_us_alone(lines, record):
    """Whether Biopython refuses these lines, or finds fewer letters in them."""
    return record.letters == packed(parted(lines).sequence) and any(
        re.match(r"[ \t]+\+", line)  # FastqLines leaves this blank
        or re.search(r"[^\S \t]\s*\Z", line)  # white space that Biopython leaves out
        for line in lines[1:]
    )


def has_more_behind(lines):
    """Whether more follows when the qualities are complete. Biopython takes all lines up to the
    next header for qualities; to us the record is whole, and the next one at fault."""
    record = parted(lines)
    letters = packed(record.sequence)
    return any(
        len(packed(record.qualities[:place])) == len(letters) and packed(record.qualities[place:])
        for place in range(len(record.qualities))
    )


def is_wanted(ours, theirs):
    """Whether two readings of a FASTQ text differ only as they should."""
    pairs = zip(ours.records, theirs.records)
    same = len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))
    mine = ours.records[same:]
    here = theirs.lines[same : same + 1]  # of the record where they part; none at Biopython's end
    if mine and here and is_read_by_us_alone(here[0], mine[0]):
        return True
    if not ours.refused:
        return False
    if mine:
        return theirs.refused and ours.records[:-1] == theirs.records and has_more_behind(here[0])
    before = theirs.lines[:same][-1:]
    return any(map(is_refused_by_us_alone, here)) or any(map(has_more_behind, before))


def assert_same(text, ours):
    handle = opened(text)
    is_fastq = handle.read(1) == "@"
    handle.seek(0)
    if not is_fastq:
        assert ours == fasta_reading(handle), text
        return
    theirs = fastq_reading(handle)
    if ours != (theirs.records, theirs.refused):
        assert is_wanted(ours, theirs), f"{text}: {ours}, but {theirs}"


def compare(rng, texts):
    texts = list(texts)
    readings = our_readings([sequence_texts.as_file(rng, text) for text in texts])
    assert len(readings) == len(texts)
    for text, ours in zip(texts, readings):
        assert_same(text, ours)
    return readings


def test_random_texts():
    rng = random.Random(2)
    whole, partly, refused = 0, 0, 0
    for _ in range(0, TEXTS, TEXTS_AT_ONCE):
        texts = (sequence_texts.sequence_text(rng) for _ in range(TEXTS_AT_ONCE))
        for reading in compare(rng, texts):
            whole += bool(reading.records and not reading.refused)
            partly += bool(reading.records and reading.refused)
            refused += not reading.records and reading.refused
    assert min(whole, partly, refused) > TEXTS // 10, (whole, partly, refused)


def test_lines_at_the_border_of_the_window():
    rng = random.Random(3)
    readings = compare(rng, sequence_texts.long_lines(rng))
    assert {len(reading.records) for reading in readings} == {2, 3}
