"""DNABERT-S in torch: dnabert.py MODEL THREADS BATCH SEQUENCES EMBEDDINGS

MosaicBERT's forward pass (tests/oracle/dnabert_reference.py holds its sources) for batches. With
more than one sequence a batch they are sorted by length, and only attention sees padding, as in the
reference code: everything else runs over the real tokens.
"""

import math
import sys
from pathlib import Path

from serving import serve, set_threads

MODEL, THREADS, BATCH, SEQUENCES, EMBEDDINGS = sys.argv[1:]
set_threads(int(THREADS))

import torch
from torch.nn import functional

import weights

HAS_SDPA = hasattr(functional, "scaled_dot_product_attention")


def alibi_slopes(heads):
    def of_power_of_two(count):
        return [2.0 ** (-8.0 * (i + 1) / count) for i in range(count)]

    lower = 2 ** int(math.floor(math.log2(heads)))
    return of_power_of_two(lower) + of_power_of_two(2 * lower)[0::2][: heads - lower]


class Batch:
    """Token ids back to back, and where they lie in a padded [sequences, longest]."""

    def __init__(self, places, sequences, heads):
        self.places = places
        self.lengths = [len(sequences[place]) for place in places]
        self.longest = max(self.lengths)
        self.ids = torch.tensor([token for place in places for token in sequences[place]])
        position = torch.arange(self.longest)
        distance = (position[:, None] - position[None, :]).abs().float()
        self.bias = -torch.tensor(alibi_slopes(heads))[None, :, None, None] * distance
        self.spots = None
        if any(length != self.longest for length in self.lengths):
            real = position[None, :] < torch.tensor(self.lengths)[:, None]
            self.spots = real.flatten().nonzero().flatten()
            self.bias = self.bias.masked_fill(~real[:, None, None, :], -1e9)


class Peer:
    def __init__(self, directory):
        self.settings = weights.config(directory)
        self.tensors = weights.read(directory)
        self.heads = self.settings["num_attention_heads"]

    def linear(self, x, name):
        return functional.linear(x, self.tensors[name + ".weight"], self.tensors.get(name + ".bias"))

    def norm(self, x, name):
        return functional.layer_norm(
            x, x.shape[-1:], self.tensors[name + ".weight"], self.tensors[name + ".bias"],
            self.settings["layer_norm_eps"])

    def attention(self, x, layer, batch):
        width = x.shape[1]
        qkv = self.linear(x, layer + "attention.self.Wqkv")
        if batch.spots is not None:
            padded = qkv.new_zeros(len(batch.places) * batch.longest, 3 * width)
            qkv = padded.index_copy_(0, batch.spots, qkv)
        shape = (len(batch.places), batch.longest, 3, self.heads, width // self.heads)
        query, key, value = qkv.view(shape).permute(2, 0, 3, 1, 4)
        if HAS_SDPA:
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=batch.bias)
        else:
            scores = query @ key.transpose(2, 3) * (1 / math.sqrt(query.shape[-1]))
            mixed = torch.softmax(scores.add_(batch.bias), dim=-1) @ value
        mixed = mixed.transpose(1, 2).reshape(-1, width)
        return mixed if batch.spots is None else mixed[batch.spots]

    def forward(self, batch):
        x = self.tensors["embeddings.word_embeddings.weight"][batch.ids]
        x = x + self.tensors["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for n in range(self.settings["num_hidden_layers"]):
            layer = f"encoder.layer.{n}."
            mixed = self.attention(x, layer, batch)
            x = self.norm(x + self.linear(mixed, layer + "attention.output.dense"),
                          layer + "attention.output.LayerNorm")
            value, gate = self.linear(x, layer + "mlp.gated_layers").chunk(2, dim=1)
            out = self.linear(functional.gelu(value) * gate, layer + "mlp.wo")
            x = self.norm(x + out, layer + "mlp.layernorm")
        return x

    def run(self, batches):
        means = {}
        with torch.no_grad():
            for batch in batches:
                rows = self.forward(batch).split(batch.lengths)
                means.update((place, row.mean(0)) for place, row in zip(batch.places, rows))
        return means


def main():
    torch.set_num_threads(int(THREADS))
    peer = Peer(Path(MODEL))
    sequences = [[int(token) for token in line.split()]
                 for line in Path(SEQUENCES).read_text().splitlines()]
    order = sorted(range(len(sequences)), key=lambda place: len(sequences[place]))
    size = int(BATCH)
    batches = [Batch(order[i : i + size], sequences, peer.heads)
               for i in range(0, len(order), size)]
    means = peer.run(batches)
    torch.stack([means[i] for i in range(len(means))]).numpy().tofile(EMBEDDINGS)
    tokens = sum(map(len, sequences))

    def run_pass():
        peer.run(batches)
        return tokens

    how = "scaled_dot_product_attention" if HAS_SDPA else "matmul attention"
    serve(run_pass, f"torch {torch.__version__}, threads: {torch.get_num_threads()}, {how},"
                    f" {size} sequences a batch, sorted by length")


main()
