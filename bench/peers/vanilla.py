"""The original's ESM-2 on a GPU: vanilla.py ESM2 FASTA FRAMES

It runs in fp32 without TF32, as in original.py, with random weights. A pass covers the first FRAMES
frames; its work is its ESM-2 tokens.
"""

import sys

import torch
import transformers

import frames
import original
from esm2_shapes import SHAPES
from serving import serve

ESM2, FASTA, FRAMES = sys.argv[1:]


def esm2_model():
    shape = SHAPES[ESM2]
    config = transformers.EsmConfig(
        vocab_size=33, mask_token_id=32, pad_token_id=original.PADDING, hidden_size=shape.width,
        num_hidden_layers=shape.layers, num_attention_heads=shape.heads,
        intermediate_size=4 * shape.width, position_embedding_type="rotary", token_dropout=True,
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, layer_norm_eps=1e-5,
        max_position_embeddings=1026)
    with torch.device("cuda"):
        return transformers.EsmModel(config, add_pooling_layer=False).eval().requires_grad_(False)


def main():
    found = [frame for record in frames.read_fasta(FASTA) for frame in frames.frames(record.letters)]
    proteins = [frame.protein for frame in found[:int(FRAMES)]]
    esm2, batches = esm2_model(), list(original.padded_batches(proteins, "cuda"))
    tokens = sum(len(protein) + 2 for protein in proteins)

    def run_pass():
        with torch.inference_mode():
            original.esm2_means(esm2, batches)
        return tokens

    with torch.inference_mode():
        original.esm2_means(esm2, batches[:2])
    serve(run_pass, f"torch {torch.__version__}, transformers {transformers.__version__}, ESM-2,"
                    f" fp32, {original.BATCH_TOKENS} tokens a batch")


main()
