"""The original's work on frames, with any weights, in fp32: ESM-2 in padded batches of 2,048
tokens, DNABERT-S one sequence at a time, and each embedding copied to the host by itself."""

import torch

from esm2_shapes import ALPHABET

BATCH_TOKENS = 2048
PADDING = 1


def padded_batches(proteins, device):
    """Token ids, padded to the longest sequence of a batch, and the mask."""
    gathered = []
    for protein in proteins:
        longest = max([len(protein), *map(len, gathered)]) + 2
        if gathered and longest * (len(gathered) + 1) > BATCH_TOKENS:
            yield padded(gathered, device)
            gathered = []
        gathered.append(protein)
    if gathered:
        yield padded(gathered, device)


def padded(proteins, device):
    longest = max(map(len, proteins)) + 2
    rows = [[0, *(4 + ALPHABET.index(letter) for letter in protein), 2] for protein in proteins]
    ids = torch.tensor([row + [PADDING] * (longest - len(row)) for row in rows])
    return ids.to(device), (ids != PADDING).long().to(device)


def esm2_means(model, batches):
    """Mean embeddings of `transformers`' model, without the tokens at the ends."""
    return [row[1 : length - 1].mean(0).cpu()
            for ids, mask in batches
            for row, length in zip(model(ids, attention_mask=mask).last_hidden_state,
                                   mask.sum(1).tolist())]


def dnabert_means(model, singles):
    """Mean embeddings of dnabert_model's model, from batches of one sequence, in order of place."""
    means = {single.places[0]: model.forward(single.ids, single.bias, single.spots, 1).mean(0).cpu()
             for single in singles}
    return [means[place] for place in range(len(means))]
