"""The original's way on a GPU: vanilla.py esm2|both ESM2 DNABERT FASTA FRAMES

fp32 without TF32, ESM-2 (transformers') in batches of 2,048 tokens, DNABERT-S one sequence at a time.
The work of a pass, over the first FRAMES frames, is its ESM-2 tokens.
"""

import itertools
import sys
from pathlib import Path

import torch
import transformers

import dnabert_model
import frames
from esm2_shapes import ALPHABET, SHAPES
from serving import serve

WHAT, ESM2, DNABERT, FASTA, FRAMES = sys.argv[1:]
BATCH_TOKENS = 2048
PADDING = 1


def esm2_model():
    shape = SHAPES[ESM2]
    config = transformers.EsmConfig(
        vocab_size=33, mask_token_id=32, pad_token_id=PADDING, hidden_size=shape.width,
        num_hidden_layers=shape.layers, num_attention_heads=shape.heads,
        intermediate_size=4 * shape.width, position_embedding_type="rotary", token_dropout=True,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, layer_norm_eps=1e-5,
        max_position_embeddings=1026)
    with torch.device("cuda"):
        return transformers.EsmModel(config, add_pooling_layer=False).eval().requires_grad_(False)


def padded_batches(proteins):
    """Token ids, padded to the longest of a batch, with the mask."""
    gathered = []
    for protein in proteins:
        longest = max([len(protein), *map(len, gathered)]) + 2
        if longest * (len(gathered) + 1) > BATCH_TOKENS:
            yield padded(gathered)
            gathered = []
        gathered.append(protein)
    yield padded(gathered)


def padded(proteins):
    longest = max(map(len, proteins)) + 2
    rows = [[0, *(4 + ALPHABET.index(letter) for letter in protein), 2] for protein in proteins]
    ids = torch.tensor([row + [PADDING] * (longest - len(row)) for row in rows])
    return ids.cuda(), (ids != PADDING).long().cuda()


def esm2_pass(model, batches):
    for ids, mask in batches:
        hidden = model(ids, attention_mask=mask).last_hidden_state
        for row, length in zip(hidden, mask.sum(1).tolist()):
            row[1 : length - 1].mean(0).cpu()


def main():
    found = [frame for sequence in frames.read_fasta(FASTA) for frame in frames.frames(sequence)]
    found = list(itertools.islice(found, int(FRAMES)))
    proteins = [protein for protein, _ in found]
    esm2, batches = esm2_model(), list(padded_batches(proteins))
    dna = frames.tokens([text for _, text in found], Path(DNABERT) / "tokenizer.json")
    dnabert = dnabert_model.Model(Path(DNABERT), "cuda")
    singles = dnabert.batches(dna, 1)
    tokens = sum(len(protein) + 2 for protein in proteins)

    def run_pass():
        with torch.inference_mode():
            esm2_pass(esm2, batches)
            if WHAT == "both":
                for single in singles:
                    rows = dnabert.forward(single.ids, single.bias, single.spots, 1)
                    rows.mean(0).cpu()
        return tokens

    with torch.inference_mode():
        esm2_pass(esm2, batches[:2])
    what = "ESM-2" if WHAT == "esm2" else "ESM-2, then DNABERT-S at batch 1"
    serve(run_pass, f"torch {torch.__version__}, transformers {transformers.__version__}, {what},"
                    f" fp32, {BATCH_TOKENS} tokens a batch")


main()
