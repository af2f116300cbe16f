"""Names and ids from a stranger: nothing that people or their programs read takes them for
commands. The tables, which programs join by id, have them as they are."""

import re
import unicodedata

from conftest import MODELS, SHORT

LETTERS = b"ACGTTGCAACCA" * 12
ESC = b"esc\x1b[2Jape"
BIDI = b"txt\xe2\x80\xaegpj"
C1 = b"c1\xc2\x9b31m"
RAW = b"raw\x9b31m\xff"
SEVERAL = (ESC, BIDI, C1, RAW, b"=cmd|'/C'!A0", b"#comment", b"<script>alert(1)</script>",
           b"[x](javascript:1)|a`b")
# Names of files: what a shell glob may find.
NAME = b"<b>\xe2\x80\xae\xc2\x9b\x1b[31m#=\x9b.fa"
SHOWN = "<b>\u202e\u200b#="  # a stem may have no control characters


def hidden(text):
    """Characters that act on a terminal, are not seen, or change the order of others."""
    return {letter for letter in text if letter not in "\n"
            and unicodedata.category(letter) in ("Cc", "Cf", "Zl", "Zp")}


def fasta(ids):
    return b"".join(b">" + name + b" a word\n" + LETTERS + b"\n" for name in ids)


def run_with(program, *extra):
    (program.folder / "metrics").mkdir()
    path = bytes(program.folder) + b"/" + NAME
    with open(path, "wb") as file:
        file.write(fasta(SEVERAL))
    (program.folder / "bad.fa").write_bytes(fasta([ESC]) + b">" + ESC + b"\n\0\n")
    return program("predict", path.decode(errors="surrogateescape"), "bad.fa", *MODELS, *SHORT,
                   "-o", "out", "--metrics-file", "metrics/run.prom",
                   *(extra or ("--name", SHOWN)), code=2)


def texts_of(program, result):
    """What people read, by name; each must be UTF-8."""
    names = ("report.html", "report.md", "report.json", "virnucpro_mqc.json",
             "virnucpro_calls_mqc.json", "virnucpro_mqc_versions.yml", "virnucpro_scores_mqc.tsv",
             "failed_inputs.txt", "logs/virnucpro.log")
    texts = {name: (program.folder / "out" / name).read_bytes().decode() for name in names}
    texts["stderr"] = result.stderr.decode()
    texts["metrics"] = (program.folder / "metrics" / "run.prom").read_bytes().decode()
    return texts


def test_nothing_that_is_read_acts_or_hides(program):
    texts = texts_of(program, run_with(program))
    for name, text in texts.items():
        assert not hidden(text.replace("\t", "")), name
    assert "ids hold control characters, invisible characters" in texts["stderr"]
    assert "The first is esc\\x1b[2Jape" in texts["stderr"]
    assert "\\u202e" in texts["logs/virnucpro.log"]


def test_the_tables_have_ids_as_they_are(program):
    run_with(program)
    rows = (program.folder / "out" / "sequences.tsv").read_bytes().splitlines()[1:]
    assert [row.split(b"\t")[0] for row in rows] == list(SEVERAL)


def test_reports_take_no_name_for_markup(program):
    texts = texts_of(program, run_with(program, "--name", "#<b>=x|[y](z)"))
    assert "<script>alert" not in texts["report.html"]
    for name in ("virnucpro_mqc.json", "virnucpro_calls_mqc.json", "virnucpro_scores_mqc.tsv"):
        assert "_b_" in texts[name] and "<b>" not in texts[name], name
    *_, sample = texts["virnucpro_scores_mqc.tsv"].splitlines()
    assert not sample.startswith(("#", "=", "<"))
    lines = [line for line in texts["report.md"].splitlines() if not line.startswith("    ")]
    assert not re.search(r"(?<!\\)<script|(?<!\\)\[x\]\(", "\n".join(lines))


def test_other_commands_show_names_escaped(program):
    result = run_with(program)
    path = (bytes(program.folder) + b"/" + NAME).decode(errors="surrogateescape")
    for command in (("utils", "validate", path), ("utils", "validate-checkpoints", "out"),
                    ("compare", "out", "out"), ("predict", path + ".gone", *MODELS)):
        result = program(*command)
        for text in (result.stdout, result.stderr):
            assert not hidden(text.decode()), command


def test_an_id_may_have_a_length(program):
    (program.folder / "long.fa").write_bytes(fasta([b"a", b"i" * 5000]))
    result = program("predict", "long.fa", *MODELS, *SHORT, "-o", "out", code=1)
    assert b"record 2: input is not well formed: the id has 5000 bytes" in result.stderr
    assert b"--max-id-length" in result.stderr
    assert not (program.folder / "out" / "sequences.tsv").exists()
    program("utils", "validate", "long.fa", code=1)
    program("predict", "long.fa", *MODELS, *SHORT, "-o", "longer", "--max-id-length", "5000",
            "--virus-fasta", "--threshold", "0", code=0)
    program("export", "longer", "-o", "exported", "--virus-fasta", code=0)
    result = program("predict", "long.fa", *MODELS, "--max-id-length", "0", code=1)
    assert b"--max-id-length" in result.stderr


def test_ids_that_make_large_tables_are_told(program):
    (program.folder / "long.fa").write_bytes(b">" + b"i" * 60000 + b"\n" + LETTERS * 150 + b"\n")
    result = program("predict", "long.fa", *MODELS, "-e", "100", "--no-progress", "-o", "out",
                     "--max-id-length", "65536", "--telemetry", "off", "--no-report", code=0)
    assert b"the tables will be large" in result.stderr
