"""Texts as editors of Windows save them: a byte-order mark is skipped, and UTF-16 is named."""

import json

import pytest
from conftest import MODELS, SHORT, Program, fasta, message, pieces

MARK = b"\xef\xbb\xbf"
TABLE = "Sequence_ID\tPrediction\tscore1\tscore2\na\tvirus\t0.1\t0.9\n"
INT8 = ["--precision", "int8-simulated"]
PREDICT = ["predict", "reads.fa", *MODELS, *SHORT, "--no-report", "-o", "out", "--force"]
DNABERT = ["predict", "reads.fa", "--dnabert-model", "dnabert", *MODELS[2:], *SHORT, "--no-report",
           "-o", "out", "--force"]


@pytest.fixture(scope="module")
def place(tmp_path_factory, genome):
    """A text of each kind."""
    program = Program(tmp_path_factory.mktemp("texts"))
    for name, text in {"reads.fa": fasta(pieces(genome)), "table.txt": TABLE, "same.txt": TABLE,
                       "c.yaml": "run:\n  threads: 1\n",
                       "models.json": json.dumps({"schema": "virnucpro-models-1", "models": []})}.items():
        (program.folder / name).write_text(text)
    program("utils", "export-weights", "synthetic:dnabert-s-tiny", "-o", "dnabert", code=0)
    program("calibrate", *MODELS, "-e", "100", *INT8, "--frames", "50", "--target-calls", "0",
            "-o", "kept", code=0)
    return program


@pytest.mark.parametrize("file, command", [
    ("table.txt", ["compare", "table.txt", "same.txt"]),
    ("c.yaml", ["-c", "c.yaml", "utils", "list-devices"]),
    ("models.json", ["download", "--list", "--manifest", "models.json"]),
    ("kept/calibration.json", [*PREDICT, *INT8, "--calibration", "kept/calibration.json"]),
    ("dnabert/config.json", DNABERT),
    ("dnabert/tokenizer.json", DNABERT),
])
def test_a_mark_is_skipped_and_utf_16_named(place, file, command):
    path = place.folder / file
    content = path.read_bytes()
    plain = place(*command, code=0)
    path.write_bytes(MARK + content)
    assert place(*command, code=0).stdout == plain.stdout
    for encoding in ("utf-16-le", "utf-16-be"):
        path.write_bytes(("\ufeff" + content.decode()).encode(encoding))
        result = place(*command)
        assert result.returncode in (1, 2)
        assert f"{file}: " in message(result)
        assert "it is UTF-16 text; save it as UTF-8" in message(result)
    path.write_bytes(content)
