"""Ends of a run that are easily silent."""

import resource

from conftest import message


def test_only_empty_sequences_are_warned_of(program, tmp_path):
    (tmp_path / "empty.fa").write_text(">a\n>b\n")
    result = program.predict("empty.fa", "-o", "out")
    assert result.returncode == 0
    assert b"warning: no sequence could be scored" in result.stderr


def test_a_limit_on_file_sizes_is_an_error(program, tmp_path):
    (tmp_path / "stopless.fa").write_text("".join(f">{i}\n{'ACG' * 20}\n" for i in range(2000)))
    result = program.predict(
        "stopless.fa", "-o", "out", "-q",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000)))
    assert result.returncode == 1
    assert "output cannot be written" in message(result)
    assert not list(tmp_path.rglob("*.tsv"))
