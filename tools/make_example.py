#!/usr/bin/env python3
"""Makes docs/use/example anew: the report of a run of contigs, and what it looks like.

    /usr/bin/python3 tools/make_example.py

It needs build/cpu/bin/virnucpro, and Debian's chromium-headless-shell and python3-pil.

The contigs are pieces of the genomes in tests/data, named as an assembler would. The weights are
synthetic, so the scores mean nothing, and the report says so.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))
import genomes  # noqa: E402

PROGRAM = ROOT / "build" / "cpu" / "bin" / "virnucpro"
EXAMPLE = ROOT / "docs" / "use" / "example"
CONTIGS = 60
# Pixels of the pictures: a phone, and a wide screen.
PICTURES = {"report-phone.png": (390, 2600), "report-wide.png": (1280, 2100)}
COLOURS = 128  # of a picture, which is then a third as large


def contigs():
    draw = random.Random(1)
    sources = [record.letters for file in genomes.FILES for record in genomes.records(file)]
    pieces = []
    for _ in range(CONTIGS):
        letters = draw.choice(sources)
        length = min(len(letters), int(draw.lognormvariate(8, 1)) + 300)
        begin = draw.randrange(len(letters) - length + 1)
        pieces.append(letters[begin:begin + length])
    pieces.sort(key=len, reverse=True)
    for number, letters in enumerate(pieces, 1):
        yield f">NODE_{number}_length_{len(letters)}_cov_{draw.uniform(2, 90):.2f}\n{letters}\n"


def run(folder, *arguments):
    subprocess.run(["virnucpro", "--quiet", *arguments], executable=PROGRAM, cwd=folder, check=True)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "contigs.fa").write_text("".join(contigs()))
        run(folder, "predict", "contigs.fa", "--esm-model", "synthetic:esm2_tiny",
            "--dnabert-model", "synthetic:dnabert-s-tiny", "-p", "synthetic", "-e", "500",
            "--rule", "viral-ngs", "--min-score", "0.6", "-o", "results", "--no-report")
        (telemetry,) = (folder / "results").glob("telemetry_*.json")
        measured = json.loads(telemetry.read_text())
        measured["machine"]["host"] = "host"  # the name of this machine is nobody's business
        telemetry.write_text(json.dumps(measured))
        run(folder, "report", "results")
        report = (folder / "results" / "report.html").read_text()
        (EXAMPLE / "report.html").write_text(report.replace(str(folder), "/data"))
    for picture, (width, height) in PICTURES.items():
        subprocess.run(["chromium-headless-shell", "--no-sandbox", "--disable-gpu",
                        "--disable-dev-shm-usage", "--hide-scrollbars",
                        f"--window-size={width},{height}", f"--screenshot={EXAMPLE / picture}",
                        (EXAMPLE / "report.html").as_uri()], check=True, stderr=subprocess.DEVNULL)
        with Image.open(EXAMPLE / picture) as seen:
            seen.convert("RGB").quantize(COLOURS).save(EXAMPLE / picture, optimize=True)


if __name__ == "__main__":
    main()
