"""FASTA and FASTQ with wrong or misleading content."""

from case import Case, repeated

BAD, CUT, FORMAT = "input-malformed", "input-truncated", "input-format"


def fasta_cases():
    for name, text, error, record, offset in (
        ("no_header", b"ACGT\n", FORMAT, 1, 0),
        ("binary", bytes(range(128, 256)) * 4, FORMAT, 1, 0),
        ("nul_bytes_only", bytes(4096), FORMAT, 1, 0),
        ("nul_in_sequence", b">a\nACGT\n>b\nAC\0GT\n", BAD, 2, 13),
        ("nul_in_header", b">a\0b\nACGT\n", BAD, 1, 2),
        ("latin1_in_sequence", b">a\nAC\xe9GT\n", BAD, 1, 5),
        ("utf8_in_sequence", b">a\nAC\xc3\xa9GT\n", BAD, 1, 5),
        ("utf16", ">a\nACGT\n".encode("utf-16"), FORMAT, 1, 0),
        ("header_of_16_mib_and_one", b">" + b"h" * (16 << 20) + b"\nACGT\n", BAD, 1, 16 << 20),
        ("header_inside_a_line", b">a\nACGT>b\nACGT\n", BAD, 1, 7),
        ("tar", b"a.fa" + bytes(253) + b"ustar\x0000" + bytes(300), FORMAT, 1, 0),
        ("compress", b"\x1f\x9d" + bytes(60), FORMAT, 1, 0),
        ("id_of_64_kib", b">" + b"h" * 65535 + b"\nACGT\n", BAD, 1, None),
        ("id_of_4097_bytes", b">a\nA\n>" + b"h" * 4097 + b"\nACGT\n", BAD, 2, None),
        ("second_header_too_long", b">a\nA\n>" + b"h" * 70000, BAD, 2, None),
        ("header_indented", b"  >a\nACGT\n", FORMAT, 1, 2),
        ("semicolon_comment", b";old style\n>a\nACGT\n", FORMAT, 1, 0),
        ("two_byte_order_marks", b"\xef\xbb\xbf\xef\xbb\xbf>a\nACGT\n", FORMAT, 1, 3),
        ("zip", b"PK\x03\x04" + bytes(60), FORMAT, 1, 0),
        ("xz", b"\xfd7zXZ\0" + bytes(60), FORMAT, 1, 0),
        ("zstd", b"\x28\xb5\x2f\xfd" + bytes(60), FORMAT, 1, 0),
        ("bzip2", b"BZh91AY&SY" + bytes(60), FORMAT, 1, 0),
        ("html", b"<!DOCTYPE html><html></html>", FORMAT, 1, 0),
    ):
        yield Case(f"fasta/{name}", "predict", {"x.fa": text}, error=error, record=record,
                   offset=offset)
    for name, text in (
        ("empty", b""),
        ("one_header", b">"),
        ("empty_sequences", b">a\n>b\n>\n"),
        ("blank_lines", b"\n\r\n\r\r\n \t\n"),
        ("byte_order_mark_only", b"\xef\xbb\xbf"),
        ("carriage_returns_only", b">a\rACGTTGCA\r>b\rACGT"),
        ("header_of_16_mib", b">a " + b"h" * ((16 << 20) - 3) + b"\nACGT\n"),
        ("letters_of_no_code", b">a\n!\"#$%&'()*+,-./:;<=?[\\]^_`{|}~\n"),
        ("header_of_64_kib", b">a " + b"h" * 65533 + b"\nACGT\n"),
        ("id_of_4096_bytes", b">" + b"h" * 4096 + b"\nACGT\n"),
        ("id_of_directions", b">a\xe2\x80\xaecba\xc2\x9b2J\x9b\nACGTTGCAACGT\n"),
        ("header_of_control_codes", b">\x1b[2J\x07\x08\x7f\nACGTTGCAACGT\n"),
        ("header_not_utf8", b">\xff\xfe\xc0\x80\nACGTTGCAACGT\n"),
        ("special_tokens_in_sequence", b">a\n[CLS][SEP][UNK]ACGTACGTACGT\n"),
        ("a_million_lone_carriage_returns", b">a\nACGT" + b"\r" * 1000000 + b"ACGT\n"),
        ("a_hundred_thousand_equal_ids", b">a\n" * 100000),
    ):
        yield Case(f"fasta/{name}", "predict", {"x.fa": text})
    yield Case("fasta/spaces_for_a_sequence", "validate", {"x.fa": repeated(b" ", 1 << 25)})


def fastq_cases():
    for name, text, error, record, offset in (
        ("fewer_qualities", b"@a\nACGT\n+\nIII\n", CUT, 1, 14),
        ("fewer_qualities_then_a_record", b"@a\nACGT\n+\nIII\n@b\nA\n+\nI\n", BAD, 1, 14),
        ("more_qualities", b"@a\nACGT\n+\nIIIII\n", BAD, 1, 14),
        ("qualities_start_like_a_record", b"@a\nACGT\n+\n@III\n@b\nACGT\n+\n@II", CUT, 2, 28),
        ("no_qualities", b"@a\nACGT\n+\n", CUT, 1, 10),
        ("no_separator", b"@a\nACGT\n", CUT, 1, 8),
        ("separator_without_end", b"@a\nACGT\n+", CUT, 1, 9),
        ("separator_names_another", b"@a\nACGT\n+b\nIIII\n", BAD, 1, 8),
        ("plus_line_missing", b"@a\nACGT\n@b\nACGT\n+\nIIII\n", BAD, 1, 8),
        ("nul_quality", b"@a\nACGT\n+\nII\0I\n", BAD, 1, 12),
        ("quality_above_ascii", b"@a\nACGT\n+\nII\xffI\n", BAD, 1, 12),
        ("fasta_follows", b"@a\nACGT\n+\nIIII\n>b\nACGT\n", BAD, 2, 15),
        ("header_only", b"@a\n", CUT, 1, 3),
        ("at_only", b"@", CUT, 1, 1),
        ("separator_of_100_kb", b"@a\nACGT\n+" + b"a" * 100000 + b"\nIIII\n", BAD, 1, None),
        ("many_lines_qualities_short", b"@a\n" + b"AC\n" * 1000 + b"+\n" + b"II\n" * 999, CUT, 1,
         None),
    ):
        yield Case(f"fastq/{name}", "predict", {"x.fq": text}, error=error, record=record,
                   offset=offset)
    for name, text in (
        ("qualities_like_records", b"@a\nACGT\n+\n@@@@\n@b\nACGT\n+\n++++\n"),
        ("no_final_line_end", b"@a\nACGT\n+\nIIII"),
        ("empty_read", b"@a\n\n+\n\n"),
    ):
        yield Case(f"fastq/{name}", "predict", {"x.fq": text})
    yield Case("fastq/no_line_end_ever", "validate", {"x.fq": repeated(b"@", 1 << 25)}, error=BAD,
               says=("record 1", "16777216"))


def cases():
    yield from fasta_cases()
    yield from fastq_cases()
