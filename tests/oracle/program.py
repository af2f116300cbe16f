"""Runs the tested program and reads its output."""

import os
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence

import h5py
import numpy as np

from sequences import write_fasta

TIMEOUT_SECONDS = 300


class TableFiles(NamedTuple):
    frames: bytes
    consensus: bytes
    sequences: bytes


class FrameRow(NamedTuple):
    id: str
    label: str
    others: np.float32
    virus: np.float32


class Program:
    def __init__(self, binary: str):
        self._binary = binary

    def run(
        self,
        *arguments: object,
        environment: Optional[Dict[str, str]] = None,
        stdin: Optional[bytes] = None,
        exit_code: int = 0,
    ) -> subprocess.CompletedProcess:
        """Runs it; an unexpected exit code fails the test and shows the output."""
        command = [self._binary, *map(str, arguments)]
        done = subprocess.run(
            command,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        said = done.stderr.decode(errors="replace")
        assert done.returncode == exit_code, f"{' '.join(command)}: exit {done.returncode}\n{said}"
        return done

    def embed(self, source: Path, out: Path, *arguments: object) -> Dict[str, np.ndarray]:
        self.run("embed", source, "-o", out, "--force", *arguments)
        return read_embeddings(out)

    def embed_records(self, records, folder: Path, dataset: str, *arguments: object) -> np.ndarray:
        """One model's embeddings of records, a row each, in their order."""
        fasta = write_fasta(folder / "records.fa", records)
        what = dataset.replace("_", "-")
        data = self.embed(fasta, folder / "out.h5", "--what", what, *arguments)
        assert list(data["ids"]) == [name for name, _ in records]
        assert set(data) == {"ids", dataset}
        return data[dataset]

    def predict(self, source: object, out: Path, *arguments: object, **options) -> TableFiles:
        self.run("predict", source, "-o", out, "--force", *arguments, **options)
        return read_tables(out)


def read_embeddings(path: Path) -> Dict[str, np.ndarray]:
    """Every dataset of an embeddings file; ids as str."""
    with h5py.File(path, "r") as file:
        data = {name: file[name][...] for name in file}
    data["ids"] = np.array([name.decode("utf-8", "surrogateescape") for name in data["ids"]])
    return data


def read_tables(directory: Path) -> TableFiles:
    (merged,) = directory.glob("*_merged")
    (sequences,) = [*directory.rglob("sequences.tsv")]
    return TableFiles(
        (merged / "prediction_results.txt").read_bytes(),
        (merged / "prediction_results_highestscore.csv").read_bytes(),
        sequences.read_bytes(),
    )


def frame_rows(table: bytes) -> List[FrameRow]:
    lines = table.decode("utf-8", "surrogateescape").split("\n")
    assert lines[-1] == "", "the table ends with a line end"
    rows = []
    for line in lines[1:-1]:
        name, label, others, virus = line.split("\t")
        rows.append(FrameRow(name, label, np.float32(others), np.float32(virus)))
    return rows


def score_array(rows: Sequence[FrameRow]) -> np.ndarray:
    return np.array([(row.others, row.virus) for row in rows], dtype=np.float32).reshape(-1, 2)
