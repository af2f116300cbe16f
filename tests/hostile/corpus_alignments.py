"""BAM, SAM and CRAM with false fields."""

import struct
import zlib

from bgzf import BGZF_END, bgzf, bgzf_block
from case import Case
from corpus_compressed import gzip_bomb, gzip_member
from lengths import by_length

BAD, CUT = "input-malformed", "input-truncated"
CODES = "=ACMGRSVTWYHKDBN"
LETTERS = "ACGTTGCAAC" * 6


def bam_header(text=b"@HD\tVN:1.6\n", references=((b"chr1\0", 1000),), text_size=None, count=None):
    head = b"BAM\1" + struct.pack("<I", len(text) if text_size is None else text_size) + text
    head += struct.pack("<I", len(references) if count is None else count)
    for name, length in references:
        head += struct.pack("<I", len(name)) + name + struct.pack("<I", length)
    return head


def bam_record(name=b"read\0", letters=LETTERS, flags=4, tags=b"", size=None, name_size=None,
               cigars=(), cigar_count=None, letter_count=None, reference=-1, mate=-1,
               qualities=None):
    codes = [CODES.index(letter) for letter in letters] + [0] * (len(letters) % 2)
    packed = bytes(a << 4 | b for a, b in zip(codes[::2], codes[1::2]))
    qualities = b"\x1e" * len(letters) if qualities is None else qualities
    body = struct.pack("<iiBBHHHIiii", reference, -1, len(name) if name_size is None else name_size,
                       0, 4680, len(cigars) if cigar_count is None else cigar_count, flags,
                       len(letters) if letter_count is None else letter_count, mate, -1, 0)
    body += name + b"".join(struct.pack("<I", cigar) for cigar in cigars)
    body += packed + qualities + tags
    return struct.pack("<I", len(body) if size is None else size) + body


def bam_cases():
    head = bam_header()
    second = len(head) + len(bam_record())  # start of the second record

    def case(name, data, error, record=None, offset=None):
        return Case(f"bam/{name}", "predict", {"x.bam": data}, error=error, record=record,
                    offset=offset)

    def file(*records, header=head, end=BGZF_END):
        return bgzf(header + b"".join(records), end=end)

    yield case("good_as_it_is", file(bam_record(), bam_record()), None)
    yield case("not_compressed", head + bam_record(), "input-format", 1, 0)
    packed = gzip_member(head + b"".join(bam_record(tags=zlib.compress(bytes([i]) * i))
                                         for i in range(200)))
    yield case("in_plain_gzip", gzip_member(head + bam_record()), None)
    yield case("in_plain_gzip_cut", packed[:len(packed) // 2], CUT)
    yield case("in_plain_gzip_crc", packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:],
               "input-corrupt")
    yield case("no_end_marker", file(bam_record(), end=b""), CUT, 2, second)
    yield case("magic_only", bgzf(b"BAM\1"), CUT, 1, 4)
    yield case("header_text_2_31", file(header=bam_header(text_size=1 << 31)), CUT, 1)
    yield case("header_text_all_ones", file(header=bam_header(text_size=0xFFFFFFFF)), CUT, 1)
    yield case("references_negative", file(header=bam_header(count=0xFFFFFFFF)), BAD, 1)
    yield case("references_2_31_less_1", file(header=bam_header(count=0x7FFFFFFF)), CUT, 1)
    yield case("references_one_too_many", file(bam_record(), header=bam_header(count=2)),
               BAD + "|" + CUT, 1)
    yield case("reference_name_2_32", bgzf(
        b"BAM\1" + struct.pack("<III", 0, 1, 0xFFFFFFFF) + b"chr1\0"), CUT, 1)
    yield case("header_text_of_nul_bytes", file(bam_record(), header=bam_header(text=bytes(9999))),
               None)
    for name, error, fields in (
        ("size_zero", BAD, dict(size=0)),
        ("size_31", BAD, dict(size=31)),
        ("size_negative", BAD, dict(size=0xFFFFFFFF)),
        ("size_2_31_less_1", CUT, dict(size=0x7FFFFFFF)),
        ("size_one_too_many", CUT, dict(size=32 + 5 + 30 + 60 + 1)),
        ("letters_2_31_less_1", BAD, dict(letter_count=0x7FFFFFFF)),
        ("letters_negative", BAD, dict(letter_count=0xFFFFFFFF)),
        ("letters_2_31_in_a_large_record", BAD, dict(letter_count=0x7FFFFFFF, size=0x7FFFFFFF)),
        ("letters_a_gigabyte_of_a_cut_record", CUT,
         dict(letter_count=1_400_000_000, size=0x7FFFFFFF)),
        ("letters_one_pair_too_many", BAD, dict(letter_count=len(LETTERS) + 2)),
        ("qualities_missing", BAD, dict(qualities=b"")),
        ("cigar_65535", BAD, dict(cigar_count=65535)),
        ("name_without_nul", BAD, dict(name=b"read")),
        ("name_of_nothing", BAD, dict(name=b"")),
        ("name_of_nul_only", BAD, dict(name=b"\0")),
        ("name_with_nul_inside", BAD, dict(name=b"re\0ad\0")),
        ("name_with_a_tab", BAD, dict(name=b"re\tad\0")),
        ("name_of_white_space", BAD, dict(name=b" \n\0")),
        ("name_255_of_5", BAD, dict(name_size=255)),
        ("reference_not_there", BAD, dict(reference=1)),
        ("reference_minus_2", BAD, dict(reference=-2)),
        ("reference_2_31_less_1", BAD, dict(reference=0x7FFFFFFF)),
        ("mate_reference_not_there", BAD, dict(mate=7)),
    ):
        at = dict(record=2) if error == CUT or name.startswith("name") else dict(
            record=2, offset=second)
        yield case(name, file(bam_record(), bam_record(**fields)), error, **at)
    for name, fields in (
        ("tags_are_rubbish", dict(tags=bytes(range(256)))),
        ("tag_count_lies", dict(tags=b"XBBc\xff\xff\xff\x7f")),
        ("tag_text_without_end", dict(tags=b"XZZabc")),
        ("cigar_of_unknown_codes", dict(cigars=(0xFFFFFFFF,) * 9)),
        ("all_flags", dict(flags=0xFFFF)),
        ("no_letters", dict(letters="")),
        ("equal_signs_for_letters", dict(letters="=" * 60)),
        ("name_of_control_codes", dict(name=b"\x1b[2J\x07\0")),
        ("name_not_utf8", dict(name=b"\xff\xfe\0")),
    ):
        yield case(name, file(bam_record(**fields)), None)
    yield case("rubbish_between_records", file(bam_record(), b"rubbish" * 9), BAD, 2, second)
    yield case("cut_in_a_record", file(bam_record(), bam_record()[:-3]), CUT, 2)
    yield case("cut_in_a_size", file(bam_record(), b"\1\2"), CUT, 2)
    yield case("block_crc", bgzf(head + bam_record(), end=b"") + bgzf_block(
        bam_record(), crc=1) + BGZF_END, "input-corrupt", 2, second)
    yield case("twice_one_behind_the_other", file(bam_record()) + file(bam_record()), BAD, 2,
               second)


def sam_line(name="read", flag="4", reference="*", position="0", quality="0", cigar="*",
             mate="*", mate_position="0", length="0", letters=LETTERS, qualities=None, tail=""):
    qualities = "I" * len(letters) if qualities is None else qualities
    return "\t".join((name, flag, reference, position, quality, cigar, mate, mate_position, length,
                      letters, qualities)) + tail + "\n"


def sam_cases():
    head = "@HD\tVN:1.6\n"
    second = len(head) + len(sam_line())

    def case(name, text, error, record=None, offset=None):
        data = text if isinstance(text, bytes) else text.encode("latin-1")
        return Case(f"sam/{name}", "predict", {"x.sam": data}, error=error, record=record,
                    offset=offset)

    def file(*lines):
        return head + sam_line() + "".join(lines)

    yield case("good_as_it_is", file(sam_line()), None)
    yield case("fields_too_few", file("read\t4\t*\n"), BAD, 2)
    yield case("one_field", file("read\n"), BAD, 2)
    yield case("no_fields", file("\n" + sam_line()), BAD, 2)
    yield case("rubbish", file("\x80\x81\xff" * 100), BAD + "|" + CUT, 2)
    yield case("cut_in_a_line", file(sam_line()[:-1]), CUT, 2)
    yield case("cut_in_the_letters", file(sam_line()[:40]), BAD + "|" + CUT, 2)
    yield case("cut_in_the_qualities", file(sam_line()[:-9]), BAD + "|" + CUT, 2)
    yield case("cut_in_the_header", "@HD\tVN", CUT, 1)
    yield case("header_only", head, None)
    yield case("header_between_lines", file("@CO\tlate\n"), BAD, 2)
    yield case("flag_negative", file(sam_line(flag="-1")), BAD, 2)
    yield case("flag_65536", file(sam_line(flag="65536")), BAD, 2)
    yield case("flag_1e400", file(sam_line(flag="1e400")), BAD, 2)
    yield case("flag_hexadecimal", file(sam_line(flag="0x4")), BAD, 2)
    yield case("flag_of_1_mb", file(sam_line(flag="1" * 1_000_000)), BAD, 2)
    yield case("position_2_63", file(sam_line(position=str(1 << 63))), BAD, 2)
    yield case("name_of_1_mb", file(sam_line(name="n" * 1_000_000)), BAD, 2, second)
    yield case("name_of_two_words", file(sam_line(name="two words")), BAD, 2, second)
    yield case("name_with_nul", file(sam_line(name="na\0me")), BAD, 2, second + 2)
    yield case("qualities_too_few", file(sam_line(qualities="I" * 59)), BAD, 2)
    yield case("qualities_too_many", file(sam_line(qualities="I" * 61)), BAD, 2)
    yield case("letters_not_latin", file(sam_line(letters="AC\xe9T")), BAD, 2)
    yield case("letters_digits", file(sam_line(letters="AC1T")), BAD, 2)
    yield case("letters_star_within", file(sam_line(letters="A*C")), BAD, 2)
    yield case("letters_absent_but_qualities", file(sam_line(letters="*", qualities="III")), BAD, 2)
    yield case("nul_bytes", file("\0" * 1000), BAD, 2, second)
    yield case("utf16", file(sam_line()).encode("utf-16"), "input-format", 1, 0)
    yield case("tags_of_1_mb", file(sam_line(tail="\tXX:Z:" + "x" * 1_000_000)), None)
    yield case("a_hundred_thousand_fields", file(sam_line(tail="\tX" * 100_000)), None)
    yield Case("sam/bomb_of_header_lines", "validate",
               {"x.sam.gz": gzip_bomb(b"@CO\t" + b"x" * 1019 + b"\n", 1 << 16, by_length(4, 16))})
    yield Case("sam/bomb_of_a_tag", "validate",
               {"x.sam.gz": lambda: gzip_member(b"@HD\tVN:1.6\n" + sam_line()[:-1].encode()
                                                + b"\tXX:Z:" + b"x" * (1 << 26) + b"\n")})


CRAM = b"CRAM\x03\x00" + bytes(20)


def itf8(value):
    """A number in as few of one to five bytes as possible: htslib refuses longer forms."""
    value &= 0xFFFFFFFF
    for more in range(4):
        if value < 1 << 7 * (more + 1):
            return (value | (0xF00 >> more & 0xFF) << 8 * more).to_bytes(more + 1, "big")
    return bytes([0xF0 | value >> 28, value >> 20 & 0xFF, value >> 12 & 0xFF, value >> 4 & 0xFF,
                  value & 0x0F])


def ltf8(value):
    """A number of one or nine bytes."""
    return bytes([value]) if value < 0x80 else b"\xff" + value.to_bytes(8, "big")


def with_crc(data, crc=None):
    return data + struct.pack("<I", zlib.crc32(data) if crc is None else crc)


def cram_block(data, kind=0, method=0, size=None, unpacked=None, crc=None):
    size = len(data) if size is None else size
    unpacked = size if unpacked is None else unpacked
    return with_crc(bytes([method, kind, 0]) + itf8(size) + itf8(unpacked) + data, crc)


def cram_container(*blocks, reference=-1, start=0, records=0, bases=0, count=None, landmarks=(),
                   landmark_count=None, size=None, crc=None):
    body = b"".join(blocks)
    head = struct.pack("<I", len(body) if size is None else size)
    head += itf8(reference) + itf8(start) + itf8(0) + itf8(records) + b"\0" + ltf8(bases)
    head += itf8(len(blocks) if count is None else count)
    head += itf8(len(landmarks) if landmark_count is None else landmark_count)
    return with_crc(head + b"".join(map(itf8, landmarks)), crc) + body


def cram_header(text=b"@HD\tVN:1.6\n", length=None, **fields):
    length = len(text) if length is None else length
    return cram_container(cram_block(struct.pack("<I", length) + text), landmarks=(0,), **fields)


def cram_header_packed(text):
    data = struct.pack("<I", len(text)) + text
    return cram_container(cram_block(gzip_member(data), method=1, unpacked=len(data)),
                          landmarks=(0,))


CRAM_END = cram_container(cram_block(b"\x01\x00\x01\x00\x01\x00", kind=1), start=4542278)


def cram_cases():
    head = CRAM + cram_header()
    broken = "|".join((BAD, CUT, "input-corrupt", "input-reference"))

    def case(name, data, error=broken, record=1, offset=None, command="predict"):
        folder = "cram" if command == "predict" else f"cram_{command}"
        return Case(f"{folder}/{name}", command, {"x.cram": data}, error=error,
                    record=None if error is None else record, offset=offset)

    def file(*containers):
        return head + b"".join(containers) + CRAM_END

    yield case("without_records", file(), None)
    yield case("definition_only", CRAM, CUT, offset=26)
    yield case("definition_cut", CRAM[:20])
    yield case("version_2", b"CRAM\x02\x01" + file()[6:], "input-format", offset=0)
    yield case("version_255", b"CRAM\xff\xff" + file()[6:], "input-format", offset=0)
    yield case("no_end_container", head, CUT, offset=len(head))
    yield case("rubbish_behind_the_end", file() + b"rubbish", "input-corrupt", offset=len(file()))
    yield case("header_text_2_31", CRAM + cram_header(length=0x7FFFFFFF) + cram_container(
        cram_block(b"x" * 100), records=1) + CRAM_END)
    text = b"@HD\tVN:1.6\n"
    yield case("header_of_a_thousand_lines",
               CRAM + cram_header_packed(text + b"@CO\tx\n" * 1000) + CRAM_END, None)
    yield case("header_of_four_million_lines",
               CRAM + cram_header_packed(text + b"@CO\n" * 4_000_000) + CRAM_END, BAD, offset=26)
    yield case("header_crc", CRAM + cram_header(crc=1) + CRAM_END, "input-corrupt", offset=26)
    for name, fields in (
        ("size_2_31", dict(size=1 << 31)),
        ("size_2_31_less_1", dict(size=0x7FFFFFFF)),
        ("size_zero", dict(size=0)),
        ("size_one_less", dict(size=20)),
        ("records_2_31", dict(records=0x7FFFFFFF)),
        ("records_a_million", dict(records=1 << 20)),
        ("bases_lie", dict(bases=0x7F)),
        ("bases_2_31", dict(bases=0x7FFFFFFF)),
        ("bases_2_63", dict(bases=(1 << 64) - 1)),
        ("blocks_2_32", dict(count=0xFFFFFFFF)),
        ("blocks_one_too_many", dict(count=2)),
        ("landmarks_2_32", dict(landmark_count=0xFFFFFFFF)),
        ("landmark_behind_the_end", dict(landmarks=(0x7FFFFFFF,))),
        ("reference_minus_3", dict(reference=-3)),
        ("reference_2_31_less_1", dict(reference=0x7FFFFFFF)),
        ("crc", dict(crc=1)),
    ):
        fields = {"records": 1, **fields}
        data = file(cram_container(cram_block(b"x" * 40, kind=2), **fields))
        yield case(f"container_{name}", data)
        yield case(f"container_{name}", data, command="reference")
    for name, block in (
        ("size_2_31", cram_block(b"x" * 40, size=1 << 31)),
        ("size_behind_the_container", cram_block(b"x" * 40, size=400)),
        ("unpacked_2_31", cram_block(b"x" * 40, method=1, unpacked=1 << 31)),
        ("unpacked_a_gigabyte", cram_block(b"x" * 40, method=1, unpacked=1 << 30)),
        ("raw_of_another_size", cram_block(b"x" * 40, unpacked=41)),
        ("method_unknown", cram_block(b"x" * 40, method=200)),
        ("not_gzip", cram_block(b"x" * 40, method=1, unpacked=100)),
        ("not_bzip2", cram_block(b"x" * 40, method=2, unpacked=100)),
        ("not_lzma", cram_block(b"x" * 40, method=3, unpacked=100)),
        ("not_rans", cram_block(b"\0\xff\xff\xff\xff" * 8, method=4, unpacked=100)),
        ("a_gzip_bomb", cram_block(gzip_member(bytes(20 << 20)), method=1, unpacked=20 << 20)),
        ("crc", cram_block(b"x" * 40, crc=1)),
        ("kind_unknown", cram_block(b"x" * 40, kind=99)),
    ):
        yield case(f"block_{name}", file(cram_container(block, records=1)))
    # Compression headers and slices with only false numbers.
    for name, data in (("zeros", bytes(200)), ("ones", b"\xff" * 200),
                       ("numbers", bytes(range(1, 201)))):
        yield case(f"records_of_{name}", file(cram_container(
            cram_block(data, kind=1), cram_block(data, kind=2), cram_block(data, kind=5),
            records=1, landmarks=(210,))))
    yield Case("cram/bomb_of_landmarks", "validate", {"x.cram": lambda: gzip_member(
        head + cram_container(landmark_count=0x7FFFFFFF, size=100)[:-4] + bytes(16 << 20))},
        error="input-format")
    yield Case("cram/bomb_of_a_block", "validate", {"x.cram": lambda: gzip_member(
        head + cram_container(cram_block(bytes(16 << 20), kind=2), records=1) + CRAM_END)},
        error="input-format")


def cases():
    yield from bam_cases()
    yield from sam_cases()
    yield from cram_cases()
