#!/usr/bin/env python3
"""Measures how much ESM-2's embeddings and labels in 16 and 8 bits differ from this program's own
in fp32 on the same device. See README.md. Needs numpy and h5py."""

import argparse
import datetime
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Iterator, List, NamedTuple, Optional, Sequence, Tuple

import h5py
import numpy as np

import figure
import run
from setting import BENCH, Setting

sys.path.append(str(BENCH.parent / "tests" / "oracle"))

import bars
import genomes
from closeness import Closeness, closeness, mean_row

TRAINED = BENCH.parent / ".trained-esm2"
CHUNK = 500
SHIFT_STEP = 191  # has no factor in common with CHUNK, so that every shift has its turn
# The stop codons of each strand, as they read on the forward strand.
STOPS = [re.compile("(?=TAA|TAG|TGA)"), re.compile("(?=TTA|CTA|TCA)")]
ROWS = 4096  # rows of each file that are in memory at a time
CLASSIFIERS = 100
LOGIT_RMS = 2.0
CLEAR_LOGIT = 0.2  # a label is clear above it: the two scores are over about 0.1 apart
SEED = 25


class Kind(NamedTuple):
    """A way to compute that is compared with fp32."""

    name: str
    precision: str
    arguments: Sequence[object]


class Labels(NamedTuple):
    """How labels and logits differ from those in fp32, over all classifiers and frames."""

    changed: float  # share of labels
    clear_changed: int  # number of clear labels that changed
    logit_rms: float  # rms of the differences
    logit_worst: float  # largest difference


def kinds(arguments: argparse.Namespace) -> List[Kind]:
    found = [Kind(one, one, ["--precision", one]) for one in arguments.precisions.split(",") if one]
    found += [Kind(f"int8 with {linears} in 16 bits", "int8",
                   ["--precision", "int8", "--int8-keep", linears])
              for linears in arguments.keep]
    if arguments.kernels == "auto":
        return found
    return [kind._replace(name=f"{arguments.kernels} {kind.name}",
                          arguments=[*kind.arguments, "--kernels", arguments.kernels])
            for kind in found]


# The frames.


def frames_in(letters: str) -> int:
    """The number of stop-free frames of a piece: three per strand, less those with a stop."""
    return sum(3 - len({stop.start() % 3 for stop in stops.finditer(letters)}) for stops in STOPS)


def pieces() -> Iterator[genomes.Piece]:
    """Pieces of all genomes in random order, then pieces cut at other places, and so on."""
    rng = random.Random(SEED)
    for turn in range(CHUNK):
        found = [piece for file in genomes.FILES
                 for piece in genomes.pieces(file, CHUNK, turn * SHIFT_STEP % CHUNK)]
        rng.shuffle(found)
        for piece in found:
            yield piece._replace(name=f"{piece.name}_{turn}")


def write_frames(path: Path, count: int) -> Tuple[int, int]:
    """Writes pieces that together have at least `count` frames as FASTA. Returns their number of
    frames, and how often the genomes were cut."""
    written = turn = 0
    with path.open("w") as out:
        for piece in pieces():
            frames = frames_in(piece.letters)
            if frames == 0:
                continue
            out.write(f">{piece.name}\n{piece.letters}\n")
            written += frames
            turn = int(piece.name.rpartition("_")[2])
            if written >= count:
                break
    return written, turn + 1


# The embeddings.


def embed(setting: Setting, weights: object, fasta: Path, name: str, *arguments: object) -> Path:
    out = setting.scratch / f"{name}.h5"
    setting.virnucpro("embed", fasta, "-o", out, "--force", "-q", "--what", "esm2", "-e",
                      CHUNK, "--esm-model", weights, *arguments)
    return out


def rows_of(path: Path) -> int:
    with h5py.File(path) as file:
        return len(file["esm2"])


def blocks(path: Path) -> Iterator[np.ndarray]:
    with h5py.File(path) as file:
        for begin in range(0, len(file["esm2"]), ROWS):
            yield file["esm2"][begin : begin + ROWS]


def pairs(path: Path, reference: Path) -> Iterator[Tuple[np.ndarray, np.ndarray]]:
    """Blocks of rows of a file and of the reference, which may have more rows at its end."""
    with h5py.File(path) as ours, h5py.File(reference) as theirs:
        for begin in range(0, len(ours["esm2"]), ROWS):
            rows = slice(begin, min(begin + ROWS, len(ours["esm2"])))
            assert np.array_equal(ours["ids"][rows], theirs["ids"][rows]), (path, begin)
            yield ours["esm2"][rows], theirs["esm2"][rows]


class Classifiers:
    """Linear classifiers with random weights. Their input is an embedding minus the reference's
    mean. They are scaled so that their logits over the reference have an rms of LOGIT_RMS. A logit
    above 0 means the label virus."""

    def __init__(self, reference: Path):
        self.mean = mean_row(blocks(reference))
        weights = np.random.default_rng(SEED).standard_normal((len(self.mean), CLASSIFIERS))
        squares = sum((((rows - self.mean) @ weights) ** 2).sum(axis=0)
                      for rows in blocks(reference))
        self._weights = weights * (LOGIT_RMS / np.sqrt(squares / rows_of(reference)))

    def labels(self, path: Path, reference: Path) -> Labels:
        changed = clear = count = 0
        squares, worst = 0.0, 0.0
        for both in pairs(path, reference):
            got, wanted = ((rows - self.mean) @ self._weights for rows in both)
            # Comparing signs with "!=" would not count a logit of NaN as changed.
            other = ~np.where(wanted > 0, got > 0, got <= 0)
            changed += int(other.sum())
            clear += int((other & (np.abs(wanted) > CLEAR_LOGIT)).sum())
            squares += float(((got - wanted) ** 2).sum())
            worst = float(np.maximum(worst, np.abs(got - wanted).max()))
            count += got.size
        return Labels(changed / count, clear, float(np.sqrt(squares / count)), worst)


# What is reported.

# A figure's name, and the head of its column.
CLOSENESS = (("largest difference", "difference"), ("largest 1 - cosine", "1 - cosine"),
             ("1 - cosine, 99.9 % of frames", "99.9 %"), ("mean 1 - cosine", "mean"),
             ("centred, largest 1 - cosine", "centred"),
             ("centred, 1 - cosine, 99.9 % of frames", "99.9 %"),
             ("centred, mean 1 - cosine", "mean"))
LABELS = (("labels changed, %", "labels %"), ("clear labels changed", "clear"),
          ("logits, rms of the differences", "logits rms"),
          ("logits, largest difference", "largest"))
KIND_WIDTH, WIDTH = 24, 11


def one_figure(name: str, value: float, most: Optional[float], settings: dict) -> figure.Figure:
    if most is None:
        return figure.Figure(name, "", value, [value, value], 1, "none", True, settings=settings)
    return figure.limit(name, "", [value], most, settings)


def figures(model: str, kind: str, close: Closeness, labels: Labels, bar: Optional[Closeness],
            settings: dict) -> List[figure.Figure]:
    limits = [*(bar or [None] * len(CLOSENESS)), *[None] * len(LABELS)]
    values = [*close, 100 * labels.changed, *labels[1:]]
    return [one_figure(f"{model}, {kind}: {name}", value, most, {**settings, "kind": kind})
            for (name, _), value, most in zip(CLOSENESS + LABELS, values, limits)]


def row(kind: str, cells: Sequence[str]) -> str:
    return f"{kind:<{KIND_WIDTH}}" + "".join(f"{cell:>{WIDTH}}" for cell in cells)


def show(found: Sequence[figure.Figure]) -> None:
    cells = [figure.number(one.value) + ("" if one.met else "!") for one in found]
    about = found[0].settings
    print(row(about["kind"], [f"{about['frames']:,}", *cells]), flush=True)


class Model(NamedTuple):
    name: str
    weights: object
    bars: dict  # limits by precision; only for TRAINED weights


def model_of(setting: Setting, asked: str, folder: Path) -> Model:
    """Writes synthetic weights to the folder once, because making them takes long for a large
    model."""
    if asked == "trained":
        if not TRAINED.is_dir():
            sys.exit(f"accuracy.py: {TRAINED} is missing: tools/setup.sh check downloads it")
        return Model("trained ESM-2 8M", TRAINED, bars.TRAINED_ON_GPU)
    if asked.startswith("synthetic:"):
        setting.virnucpro("utils", "export-weights", asked, "-o", folder)
        return Model(asked, folder, {})
    return Model(Path(asked).name, asked, {})


def first_pieces(setting: Setting, fasta: Path, frames: int) -> Path:
    """Writes the first pieces that together have `frames` frames, for the CPU, which is slow."""
    out, found = setting.scratch / "few.fa", 0
    with fasta.open() as lines, out.open("w") as few:
        for header in lines:
            letters = next(lines)
            few.write(header + letters)
            found += frames_in(letters)
            if found >= frames:
                break
    return out


def measure(setting: Setting, model: Model, fasta: Path,
            arguments: argparse.Namespace) -> Iterator[List[figure.Figure]]:
    """The figures of each kind. If one kind fails, prints that and goes on with the next."""
    device = ["-d", arguments.device]
    reference = embed(setting, model.weights, fasta, "fp32", *device, "--precision", "fp32")
    classifiers = Classifiers(reference)
    todo = [(kind, fasta, device) for kind in kinds(arguments)]
    if arguments.cpu_frames > 0:
        few = first_pieces(setting, fasta, arguments.cpu_frames)
        todo.append((Kind("fp32 on the CPU", "fp32", ["--precision", "fp32"]), few, ["-d", "cpu"]))
    for kind, sequences, where in todo:
        try:
            path = embed(setting, model.weights, sequences, "other", *where, *kind.arguments)
        except subprocess.CalledProcessError as error:
            print(f"{kind.name:<{KIND_WIDTH}} failed: exit code {error.returncode}", flush=True)
            yield []
            continue
        close = closeness(pairs(path, reference), classifiers.mean)
        settings = {"frames": rows_of(path), "classifiers": CLASSIFIERS, "chunk": CHUNK,
                    "esm2": model.name, "against": "fp32, same device"}
        yield figures(model.name, kind.name, close, classifiers.labels(path, reference),
                      model.bars.get(kind.precision), settings)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=Path, default=BENCH.parent / "build" / "cpu" / "bin",
                        help="the folder with virnucpro, beside share/")
    parser.add_argument("--library-path", default="", help="LD_LIBRARY_PATH of the program")
    parser.add_argument("--device", default="auto", help="as for virnucpro (default auto)")
    parser.add_argument("--frames", type=int, default=100_000,
                        help="frames to embed, at least (default 100000)")
    parser.add_argument("--cpu-frames", type=int, default=2000,
                        help="frames to embed on the CPU in fp32, too; 0 for none (default 2000)")
    parser.add_argument("--precisions", default="fp16,bf16,int8",
                        help="precisions to compare with fp32 (default fp16,bf16,int8)")
    parser.add_argument("--keep", action="append", default=[], metavar="LINEARS",
                        help="also measure int8 with --int8-keep LINEARS; may be repeated")
    parser.add_argument("--kernels", default="auto", choices=["auto", "generic"],
                        help="as for virnucpro (default auto); the fp32 that the kinds are compared"
                             " with takes auto")
    parser.add_argument("--esm2", nargs="+", default=["trained"], metavar="WEIGHTS",
                        help="trained (default), synthetic:NAME[:SEED], or a path")
    parser.add_argument("--commit", default="", help="the commit, if git cannot find it")
    parser.add_argument("--out", type=Path, help="the JSON file (default: none)")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="virnucpro-accuracy-") as scratch:
        setting = Setting(bin=arguments.bin.resolve(), library_path=arguments.library_path,
                          python="", threads=[], models=[], repeats=1, scratch=Path(scratch))
        report = {"machine": run.machine(setting), "commit": arguments.commit or run.commit(),
                  "date": datetime.date.today().isoformat(), "figures": []}
        fasta = setting.scratch / "frames.fa"
        frames, turns = write_frames(fasta, arguments.frames)
        print(f"{report['machine']['gpu'] or report['machine']['cpu']}, commit {report['commit']};"
              f" {frames:,} frames of {CHUNK}-base pieces, the genomes cut anew {turns} times;"
              " ! marks a figure over its limit")
        for asked in arguments.esm2:
            with tempfile.TemporaryDirectory(dir=scratch) as folder:
                model = model_of(setting, asked, Path(folder) / "weights")
                print(f"\n{row(model.name, ['frames', *(head for _, head in CLOSENESS + LABELS)])}")
                for found in measure(setting, model, fasta, arguments):
                    failed |= not found
                    if found:
                        show(found)
                    report["figures"] += [one.as_json() for one in found]
                    if arguments.out:
                        run.write(arguments.out, report)
    return failed


if __name__ == "__main__":
    sys.exit(main())
