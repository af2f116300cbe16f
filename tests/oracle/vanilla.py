#!/usr/bin/env python3
"""Takes the original's place: the reference chain with the weights of the fixture `tiny_models`.

As benchmark's --vanilla-command requires: reads FASTA from $INPUT and the chunk size from
$CHUNK_SIZE, writes tables and embeddings to the folder $OUTPUT. One argument: the tokenizer.json.
"""

import os
import sys
from pathlib import Path

import chain
import classifier_reference
import embedding_files
import seeded_models
import sequences
from esm2_reference import FairEsm
from seeded_models import DNABERT_TINY, ESM2_TINY


def models(tokenizer_json: Path) -> chain.Models:
    esm2 = FairEsm(seeded_models.esm2(ESM2_TINY, 1, "fp16"), ESM2_TINY)
    dnabert = chain.Dnabert(seeded_models.dnabert(DNABERT_TINY, 2), DNABERT_TINY, tokenizer_json)
    records = [chain.InputSequence(*read) for read in sequences.coding_reads(11, 60, 300)]
    merged = chain.merged_embeddings(chain.cut(records, 300)[1], dnabert, esm2)
    return chain.Models(dnabert, esm2, classifier_reference.calibrated(merged, 40, seed=13))


def main() -> None:
    folder = Path(os.environ["OUTPUT"])
    names, merged, tables = chain.results(Path(os.environ["INPUT"]), int(os.environ["CHUNK_SIZE"]),
                                          models(Path(sys.argv[1])))
    embedding_files.write(folder, names, *merged.split([DNABERT_TINY.width, ESM2_TINY.width], 1))
    (folder / "prediction_results.txt").write_text(tables.frames)
    (folder / "prediction_results_highestscore.csv").write_text(tables.consensus)


if __name__ == "__main__":
    main()
