#!/usr/bin/env python3
"""Measures the cost and the gain of computing whole contigs again under the rule viral-ngs, by
margin: int8-simulated on the CPU with the trained ESM-2 8M. See README.md."""

import argparse
import csv
import datetime
import json
import random
import sys
import tempfile
from pathlib import Path
from typing import Dict, Iterator

import figure
import run
from setting import BENCH, Setting

sys.path.append(str(BENCH.parent / "tests" / "oracle"))

import genomes

TRAINED = BENCH.parent / ".trained-esm2"
CHUNK = 500
DOUBLINGS = 5  # lengths from CHUNK to CHUNK << DOUBLINGS, uniform on a log scale
MARGINS = [0.05, 0.14, 0.3]
SEED = 5


def write_contigs(path: Path, count: int) -> None:
    """Writes random parts of the genomes as FASTA."""
    rng = random.Random(SEED)
    records = [record for file in genomes.FILES for record in genomes.records(file)]
    weights = [len(record.letters) for record in records]
    written = 0
    with path.open("w") as out:
        while written < count:
            record = rng.choices(records, weights)[0]
            length = int(CHUNK * 2 ** rng.uniform(0, DOUBLINGS))
            if length > len(record.letters):
                continue
            begin = rng.randrange(len(record.letters) - length + 1)
            out.write(f">c{written}\n{record.letters[begin : begin + length]}\n")
            written += 1


def calls(folder: Path) -> Dict[str, str]:
    with (folder / "sequences.tsv").open() as table:
        return {row["sequence_id"]: row["call"] for row in csv.DictReader(table, delimiter="\t")}


class Runs:
    """Runs of predict over one set of contigs."""

    def __init__(self, setting: Setting, contigs: Path):
        self.setting = setting
        self.contigs = contigs
        self.fine = calls(self.predict("fp32", "viral-ngs", 0))

    def predict(self, precision: str, rule: str, margin: float) -> Path:
        out = self.setting.scratch / f"{precision}-{rule}-{margin}"
        self.setting.virnucpro("predict", self.contigs, "-o", out, "-q", "--no-report", "-e", CHUNK,
                               "--esm-model", TRAINED, "--dnabert-model", "synthetic:dnabert-s-tiny",
                               "-p", "synthetic:3", "--rule", rule, "--precision", precision,
                               *(["--margin", margin] if margin else []))
        return out

    def changed(self, folder: Path) -> int:
        found = calls(folder)
        return sum(found[name] != call for name, call in self.fine.items())

    def again(self, folder: Path) -> float:
        """The share of chunks that were computed again, in %."""
        [file] = folder.glob("telemetry_*.json")
        close = json.loads(file.read_text())["close_calls"]
        return 100 * close["recomputed"] / close["chunks"]

    def by_viral_ngs(self, folder: Path) -> Path:
        out = Path(f"{folder}-exported")
        self.setting.virnucpro("export", folder, "-o", out, "-q", "--rule", "viral-ngs")
        return out


def figures(runs: Runs) -> Iterator[figure.Figure]:
    settings = {"contigs": len(runs.fine), "esm2": "trained ESM-2 8M", "chunk": CHUNK,
                "against": "fp32", "precision": "int8-simulated", "rule": "viral-ngs"}

    def one(name: str, unit: str, value: float) -> figure.Figure:
        return figure.Figure(name, unit, value, [value, value], 1, "none", True, settings=settings)

    yield one("calls changed, nothing again", "", runs.changed(runs.predict("int8-simulated", "viral-ngs", 0)))
    for margin in MARGINS:
        chunks = runs.predict("int8-simulated", "majority", margin)
        contigs = runs.predict("int8-simulated", "viral-ngs", margin)
        for what, folder, called in (("close chunks", chunks, runs.by_viral_ngs(chunks)),
                                     ("close contigs, too", contigs, contigs)):
            yield one(f"chunks again at {margin}, {what}", "%", runs.again(folder))
            yield one(f"calls changed at {margin}, {what}", "", runs.changed(called))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, default=BENCH.parent / "build" / "cpu" / "bin",
                        help="the folder with virnucpro, beside share/")
    parser.add_argument("--contigs", type=int, default=400, help="number of contigs (default 400)")
    parser.add_argument("--out", type=Path, help="the JSON file (default: none)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="virnucpro-contigs-") as scratch:
        setting = Setting(bin=arguments.bin.resolve(), library_path="", python="", threads=[],
                          models=[], repeats=1, scratch=Path(scratch))
        report = {"machine": run.machine(setting), "commit": run.commit(),
                  "date": datetime.date.today().isoformat(), "figures": []}
        contigs = setting.scratch / "contigs.fa"
        write_contigs(contigs, arguments.contigs)
        for found in figures(Runs(setting, contigs)):
            print(found, flush=True)
            report["figures"].append(found.as_json())
        if arguments.out:
            run.write(arguments.out, report)


if __name__ == "__main__":
    main()
