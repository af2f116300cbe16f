"""Both models and a classifier in torch on a GPU: both_models.py ESM2 DNABERT DTYPE FASTA TOKENS

ESM-2 as in esm2_packed.py, DNABERT-S compiled over batches of 256 sorted by length; FASTA holds
sequences one chunk long. The work of a pass is its ESM-2 tokens.
"""

import sys
from pathlib import Path

import torch
from torch import nn

import dnabert_model
import esm2_model
import frames
from esm2_shapes import DTYPES, SHAPES
from serving import serve

ESM2, DNABERT, DTYPE, FASTA, TOKENS = sys.argv[1:]
DNABERT_BATCH = 256


def classifier(inputs):
    return nn.Sequential(nn.Linear(inputs, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Linear(512, 2),
                         nn.Softmax(1)).eval().cuda()


def main():
    shape, dtype = SHAPES[ESM2], DTYPES[DTYPE]
    run_esm2 = torch.compile(esm2_model.encoder(shape, dtype))
    dnabert = dnabert_model.Model(Path(DNABERT), "cuda", dtype)
    run_dnabert = torch.compile(dnabert.forward, dynamic=True)
    found = [frame for record in frames.read_fasta(FASTA) for frame in frames.frames(record.letters)]
    proteins = [frame.protein for frame in found]
    dna = frames.tokens([frame.nucleotides for frame in found], Path(DNABERT) / "tokenizer.json")
    esm2_batches = list(esm2_model.batches(proteins, int(TOKENS), shape, dtype))
    dnabert_batches = dnabert.batches(dna, DNABERT_BATCH)
    classify = classifier(shape.width + dnabert.settings["hidden_size"])
    tokens = esm2_model.tokens_of(proteins)

    def run_pass():
        with torch.inference_mode():
            esm2 = torch.cat([batch.means(run_esm2) for batch in esm2_batches])
            merged = torch.cat([dnabert.run(dnabert_batches, run_dnabert), esm2], 1)
            classify(merged).cpu()
        return tokens

    with torch.inference_mode():  # compiles: DNABERT-S for all its shapes
        for batch in (esm2_batches[0], esm2_batches[-1]):
            batch.means(run_esm2)
        dnabert.run(dnabert_batches, run_dnabert)
    torch.cuda.synchronize()
    serve(run_pass, f"torch {torch.__version__}, ESM-2 packed, DNABERT-S in batches of"
                    f" {DNABERT_BATCH}, both compiled, {DTYPE}, {TOKENS} tokens a batch")


main()
