"""ESM-2 by transformers on the CPU in fp32: esm2_reference.py MODEL SEQUENCES EMBEDDINGS"""

import sys
from pathlib import Path

import torch
import transformers

from esm2_shapes import ALPHABET

MODEL, SEQUENCES, EMBEDDINGS = sys.argv[1:]


def main():
    model = transformers.EsmModel.from_pretrained(MODEL, add_pooling_layer=False).eval()
    means = []
    with torch.inference_mode():
        for protein in Path(SEQUENCES).read_text().split():
            ids = torch.tensor([[0, *(4 + ALPHABET.index(letter) for letter in protein), 2]])
            means.append(model(ids).last_hidden_state[0, 1:-1].mean(0))
    torch.stack(means).numpy().tofile(EMBEDDINGS)


main()
