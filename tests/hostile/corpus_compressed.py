"""gzip and BGZF, correct and damaged."""

import struct
import zlib

from bgzf import BGZF_END, bgzf, bgzf_block, deflated
from case import Case
from lengths import by_length

FASTA = b">one\n" + b"ACGTTGCAAC" * 20 + b"\n>two\n" + b"GATTACAGAT" * 20 + b"\n"


def gzip_member(data, crc=None, size=None, flags=0, extra=b"", method=8):
    header = b"\x1f\x8b" + bytes([method, flags]) + b"\0\0\0\0\0\xff" + extra
    crc = zlib.crc32(data) if crc is None else crc
    size = len(data) & 0xFFFFFFFF if size is None else size
    return header + deflated(data) + struct.pack("<II", crc, size)


def gzip_bomb(part, times, members=1):
    """Equal members of `times` parts each, made without their whole text in memory."""
    def make():
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        crc = 0
        packed = [b"\x1f\x8b\x08\0\0\0\0\0\0\xff"]
        for _ in range(times):
            crc = zlib.crc32(part, crc)
            packed.append(packer.compress(part))
        size = len(part) * times & 0xFFFFFFFF
        return (b"".join(packed) + packer.flush() + struct.pack("<II", crc, size)) * members
    return make


def changed(data, place, value):
    return data[:place] + bytes([value]) + data[place + 1:]


def gzip_cases():
    good = gzip_member(FASTA)
    cut, corrupt = "input-truncated", "input-corrupt"
    whole = dict(record=2, offset=len(FASTA))  # all text is before the damage
    for name, data, error, place in (
        ("header_of_two_bytes", good[:2], cut, dict(record=1, offset=0)),
        ("header_cut", good[:9], cut, dict(record=1, offset=0)),
        ("header_only", good[:10], cut, dict(record=1, offset=0)),
        ("no_trailer", good[:-8], cut, whole),
        ("trailer_cut", good[:-1], cut, whole),
        ("crc_wrong", gzip_member(FASTA, crc=1), corrupt, whole),
        ("size_wrong", gzip_member(FASTA, size=1), corrupt, whole),
        ("second_member_crc", good + gzip_member(b">x\nACGT\n", crc=0), corrupt,
         dict(record=3, offset=len(FASTA) + 8)),
        ("rubbish_behind", good + b"rubbish behind the last member, long enough", corrupt, whole),
        ("nul_bytes_and_rubbish_behind", good + bytes(64) + b"x", corrupt, whole),
        ("method_unknown", gzip_member(FASTA, method=7), corrupt, dict(record=1, offset=0)),
        ("flags_reserved", gzip_member(FASTA, flags=0xE0), corrupt, dict(record=1, offset=0)),
        ("extra_field_lies", gzip_member(b"", flags=4, extra=b"\xff\xff"), cut,
         dict(record=1, offset=0)),
        ("name_without_end", b"\x1f\x8b\x08\x08" + bytes(6) + b"A" * 70000, cut,
         dict(record=1, offset=0)),
        ("block_type_reserved", b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x07" + bytes(20), corrupt,
         dict(record=1, offset=0)),
        ("distance_too_far", b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\x02\xff\xff" + bytes(20), corrupt,
         dict(record=1, offset=0)),
    ):
        yield Case(f"gzip/{name}", "predict", {"x.fa.gz": data}, error=error, **place)
    yield Case("gzip/within_gzip", "predict", {"x.fa.gz": gzip_member(good)}, error="input-format",
               record=1, offset=0)
    yield Case("gzip/ten_thousand_empty_members", "predict",
               {"x.fa.gz": gzip_member(b"") * 10000 + good})
    yield Case("gzip/nul_bytes_behind", "predict", {"x.fa.gz": good + bytes(64)})
    yield Case("gzip/of_nothing", "predict", {"x.fa.gz": gzip_member(b"")})


def bgzf_cases():
    good = bgzf(FASTA)
    first = bgzf_block(FASTA)
    cut, corrupt = "input-truncated", "input-corrupt"
    for name, data, error, place in (
        ("no_end_marker", first, cut, dict(record=2, offset=len(FASTA))),
        ("cut_in_end_marker", good[:-5], cut, None),
        ("cut_in_block", first[:-20], cut, dict(record=1, offset=0)),
        ("bsize_zero", bgzf_block(FASTA, bsize=0) + BGZF_END, None, None),
        ("bsize_too_small", bgzf_block(FASTA, bsize=30) + BGZF_END, None, None),
        ("bsize_too_large", bgzf_block(FASTA, bsize=0xFFFF) + BGZF_END, cut, None),
        ("crc_wrong", bgzf_block(FASTA, crc=7) + BGZF_END, corrupt, dict(record=1, offset=0)),
        ("block_flipped", changed(good, 40, good[40] ^ 0xFF), corrupt, dict(record=1, offset=0)),
        ("inflates_too_far", bgzf_block(b">x\n" + b"A" * 100000) + BGZF_END, None, None),
        ("rubbish_behind", good + b"something that follows the end", corrupt, None),
    ):
        yield Case(f"bgzf/{name}", "predict", {"x.fa.gz": data},
                   error=error or "input-corrupt|input-truncated", **(place or {}))
    yield Case("bgzf/ten_thousand_empty_blocks", "predict", {"x.fa.gz": BGZF_END * 10000 + good})


def bombs():
    """A gigabyte if the program stops early or skips it, less if it reads all. In the check form
    a quarter; a quarter of a gigabyte is still more than the memory allowed."""
    quarters = by_length(1, 4)
    line = b"A" * 1023 + b"\n"
    mebibyte = line * 1024
    yield Case("bomb/newlines", "validate", {"x.fa.gz": gzip_bomb(b"\n" * (1 << 20), 16 * quarters)})
    yield Case("bomb/letters_without_header", "validate",
               {"x.fa.gz": gzip_bomb(mebibyte, 64, 4 * quarters)}, error="input-format", says=("byte 0",))
    yield Case("bomb/header_without_end", "validate",
               {"x.fa.gz": gzip_bomb(b">" * (1 << 20), 64, 4 * quarters)}, error="input-malformed",
               says=("record 1", "16777216"))
    yield Case("bomb/blank_lines", "validate", {"x.fa.gz": gzip_bomb(b" " * 1023 + b"\n", quarters << 14)})
    yield Case("bomb/headers_only", "validate", {"x.fa.gz": gzip_bomb(b">\n" * (1 << 19), 2 * quarters)})
    yield Case("bomb/one_long_sequence", "validate",
               {"x.fa.gz": lambda: gzip_member(b">x\n") + gzip_bomb(mebibyte, 64, 2)()},
               letters=1023 << 17)
    yield Case("bomb/quality_without_end", "validate",
               {"x.fq.gz": lambda: gzip_member(b"@x\nA\n+\n") + gzip_bomb(mebibyte, 64, 2)()},
               error="input-malformed", says=("record 1, byte 8",))


def cases():
    for part in (gzip_cases, bgzf_cases, bombs):
        yield from part()
