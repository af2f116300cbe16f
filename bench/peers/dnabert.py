"""DNABERT-S in torch: dnabert.py MODEL THREADS|cuda fp32|fp16|bf16 BATCH SEQUENCES EMBEDDINGS"""

import sys
from pathlib import Path

from serving import serve, set_threads

MODEL, THREADS, DTYPE, BATCH, SEQUENCES, EMBEDDINGS = sys.argv[1:]
if THREADS != "cuda":
    set_threads(int(THREADS))

import torch

import dnabert_model
from esm2_shapes import DTYPES


def main():
    device = "cuda"
    if THREADS != "cuda":
        device = "cpu"
        torch.set_num_threads(int(THREADS))
    model = dnabert_model.Model(Path(MODEL), device, DTYPES[DTYPE])
    sequences = [[int(token) for token in line.split()]
                 for line in Path(SEQUENCES).read_text().splitlines()]
    batches = model.batches(sequences, int(BATCH))
    model.run(batches).cpu().numpy().tofile(EMBEDDINGS)
    tokens = sum(map(len, sequences))

    def run_pass():
        model.run(batches).cpu()
        return tokens

    how = "scaled_dot_product_attention" if dnabert_model.HAS_SDPA else "matmul attention"
    where = "CUDA" if device == "cuda" else f"threads: {torch.get_num_threads()}"
    serve(run_pass, f"torch {torch.__version__}, {where}, {DTYPE}, {how}, {BATCH} sequences a batch,"
                    " sorted by length")


main()
