"""Many texts of any bytes for one call of a tool (tests/oracle/tools/framed_texts.hpp)."""

import subprocess


def answers(command, texts) -> bytes:
    """What a tool prints for texts of bytes."""
    stdin = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True).stdout
