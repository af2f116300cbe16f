"""Failures at the end of a run that could go unnoticed."""

import resource

from conftest import MODELS, limited, message


def test_a_limit_on_file_sizes_is_an_error(program, tmp_path):
    (tmp_path / "stopless.fa").write_text("".join(f">{i}\n{'ACG' * 20}\n" for i in range(2000)))
    result = program.predict(
        "stopless.fa", "-o", "out", "-q",
        **limited(resource.RLIMIT_FSIZE, 40000), code=1)
    assert "output cannot be written" in message(result)
    assert not list(tmp_path.rglob("*.tsv"))


def test_embed_says_what_the_system_said(program, tmp_path):
    (tmp_path / "reads.fa").write_text("".join(f">{i}\n{'ACG' * 100}\n" for i in range(400)))
    result = program(
        "embed", "reads.fa", *MODELS[:4], "-e", "300", "-o", "e.h5", "-q",
        **limited(resource.RLIMIT_FSIZE, 20000), code=1)
    assert "File too large" in message(result)
    assert "buf =" not in message(result)
    assert not (tmp_path / "e.h5").exists()


def test_an_empty_file_beside_a_good_one_is_warned_of(program, tmp_path):
    (tmp_path / "reads.fa").write_text(f">a\n{'ACG' * 100}\n")
    (tmp_path / "empty.bam").write_bytes(b"")
    result = program.predict("reads.fa", "empty.bam", "-e", "300", "-o", "out", code=0)
    assert b"empty.bam: it holds no sequence" in result.stderr
