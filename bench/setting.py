"""Where a run of the benchmarks finds its programs and puts its files."""

import os
import subprocess
from pathlib import Path
from typing import Dict, NamedTuple, Sequence

BENCH = Path(__file__).resolve().parent


class Setting(NamedTuple):
    bin: Path
    library_path: str  # for our programs
    python: str  # for the peers
    threads: Sequence[int]
    models: Sequence[str]  # sizes of ESM-2; empty: the usual ones
    repeats: int
    scratch: Path

    @property
    def peers(self) -> Path:
        return BENCH / "peers"

    @property
    def program(self) -> Path:
        return self.bin / "virnucpro"

    @property
    def tokenizer(self) -> Path:
        """The tokenizer's path, where the program itself looks for it."""
        return self.bin.parent / "share" / "virnucpro" / "dnabert-s" / "tokenizer.json"

    def weights(self, name: str) -> Path:
        """A directory with a synthetic model of a published shape, written once per run."""
        directory = self.scratch / name
        if not directory.exists():
            self.virnucpro("utils", "export-weights", f"synthetic:{name}:1", "-o", directory)
        return directory

    def coding_reads(self, count: int, length: int = 500) -> Path:
        """Made-up reads, each with a coding frame, written once per run into their own folder."""
        reads = self.scratch / f"coding-{length}-{count}" / "reads.fa"
        if not reads.exists():
            reads.parent.mkdir()
            self.virnucpro("generate", "-n", count, "--length", length, "--coding", 1, "-o", reads)
        return reads

    @property
    def environment(self) -> Dict[str, str]:
        """For our programs; the peers have their own libraries."""
        if not self.library_path:
            return {**os.environ}
        return {**os.environ, "LD_LIBRARY_PATH": self.library_path}

    def virnucpro(self, *arguments: object) -> str:
        """Runs the program; returns its output."""
        return subprocess.run([self.program, *map(str, arguments)], check=True,
                              stdout=subprocess.PIPE, env=self.environment).stdout.decode()
