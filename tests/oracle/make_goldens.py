"""Writes tests/data/golden: the reference chain's results for a small fixed input.

    python make_goldens.py ../data/golden

    reads.fa        the input
    expected.tsv    one row per frame: id, label, both scores rounded to six decimals

The models are seeded_models' tiny ones. Scores of synthetic weights differ in their last bits
between instruction sets, so they are rounded here and compared with a tolerance. The file reveals
changes of the reference chain itself, which the live comparisons would not notice.
"""

import sys
from pathlib import Path

import numpy as np

import chain
import classifier_reference
import seeded_models
import sequences
import weight_files
from esm2_reference import FairEsm
from program import frame_rows

CHUNK_SIZE = 300
ESM2_SEED, DNABERT_SEED, CLASSIFIER_SEED, INPUT_SEED = 71, 72, 73, 74
OUTPUT_BIAS = [6.9, 0.0]  # so that both labels occur


def models(tokenizer_json: Path) -> chain.Models:
    esm2 = FairEsm(seeded_models.esm2(seeded_models.ESM2_TINY, ESM2_SEED), seeded_models.ESM2_TINY)
    shape = seeded_models.DNABERT_TINY
    dnabert = chain.Dnabert(seeded_models.dnabert(shape, DNABERT_SEED), shape, tokenizer_json)
    width = shape.width + seeded_models.ESM2_TINY.width
    tensors = weight_files.classifier(CLASSIFIER_SEED, width, hidden=24, scale=0.25)
    tensors["output_layer.bias"] = np.array(OUTPUT_BIAS, dtype=np.float32)
    return chain.Models(dnabert, esm2, classifier_reference.from_tensors(tensors))


def records():
    return [
        *sequences.coding_reads(INPUT_SEED, 6, 420),
        ("lower", sequences.coding_reads(INPUT_SEED + 1, 1, 200)[0][1].lower()),
        ("unknown", "NACGT".join(s for _, s in sequences.coding_reads(INPUT_SEED + 2, 4, 75))),
    ]


def main() -> None:
    folder = Path(sys.argv[1])
    root = Path(__file__).resolve().parents[2]
    fasta = sequences.write_fasta(folder / "reads.fa", records())
    reference = models(root / "share" / "virnucpro" / "dnabert-s" / "tokenizer.json")
    rows = frame_rows(chain.predict(fasta, CHUNK_SIZE, reference).frames.encode())
    lines = [f"{row.id}\t{row.label}\t{row.others:.6f}\t{row.virus:.6f}\n" for row in rows]
    (folder / "expected.tsv").write_text("".join(lines))


if __name__ == "__main__":
    main()
