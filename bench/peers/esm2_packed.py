"""ESM-2 on a GPU, packed and compiled: esm2_packed.py MODEL DTYPE SEQUENCES TOKENS

MODEL is the name of a published shape; TOKENS is the batch size in tokens.
"""

import sys
from pathlib import Path

import torch

import esm2_model
from esm2_shapes import DTYPES, SHAPES
from serving import serve

MODEL, DTYPE, SEQUENCES, TOKENS = sys.argv[1:]


def main():
    shape, dtype = SHAPES[MODEL], DTYPES[DTYPE]
    run = torch.compile(esm2_model.encoder(shape, dtype))
    proteins = Path(SEQUENCES).read_text().split()
    work = list(esm2_model.batches(proteins, int(TOKENS), shape, dtype))
    tokens = esm2_model.tokens_of(proteins)

    def run_pass():
        with torch.inference_mode():
            for batch in work:
                batch.means(run).cpu()
        return tokens

    run_pass()
    serve(run_pass, f"torch {torch.__version__}, packed, compiled, {DTYPE}, {TOKENS} tokens a batch")


main()
