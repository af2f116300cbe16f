"""DNABERT-S in torch: MosaicBERT's forward pass (tests/oracle/dnabert_reference.py holds its sources)
for batches. As in the reference code, only attention sees padding; all else uses the real tokens.
"""

import math

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
    """Token ids without padding, and their places in a padded matrix [sequences, longest]."""

    def __init__(self, places, sequences, model):
        self.places = places
        self.lengths = [len(sequences[place]) for place in places]
        self.longest = max(self.lengths)
        self.ids = torch.tensor([token for place in places for token in sequences[place]])
        position = torch.arange(self.longest)
        distance = (position[:, None] - position[None, :]).abs().float()
        bias = -torch.tensor(alibi_slopes(model.heads))[None, :, None, None] * distance
        self.spots = None
        if any(length != self.longest for length in self.lengths):
            real = position[None, :] < torch.tensor(self.lengths)[:, None]
            self.spots = real.flatten().nonzero().flatten().to(model.device)
            bias = bias.masked_fill(~real[:, None, None, :], -1e4)
        self.ids = self.ids.to(model.device)
        self.bias = bias.to(model.device, model.dtype)


class Model:
    def __init__(self, directory, device="cpu", dtype=torch.float32):
        self.settings = weights.config(directory)
        self.device, self.dtype = device, dtype
        self.tensors = {name: tensor.to(device, dtype)
                        for name, tensor in weights.read(directory).items()}
        self.heads = self.settings["num_attention_heads"]

    def batches(self, sequences, size):
        """Batches of sequences sorted by length."""
        order = sorted(range(len(sequences)), key=lambda place: len(sequences[place]))
        return [Batch(order[i : i + size], sequences, self) for i in range(0, len(order), size)]

    def linear(self, x, name):
        return functional.linear(x, self.tensors[name + ".weight"], self.tensors.get(name + ".bias"))

    def norm(self, x, name):
        return functional.layer_norm(
            x, x.shape[-1:], self.tensors[name + ".weight"], self.tensors[name + ".bias"],
            self.settings["layer_norm_eps"])

    def attention(self, x, layer, bias, spots, count):
        width, longest = x.shape[1], bias.shape[-1]
        qkv = self.linear(x, layer + "attention.self.Wqkv")
        if spots is not None:
            qkv = qkv.new_zeros(count * longest, 3 * width).index_copy_(0, spots, qkv)
        shape = (count, longest, 3, self.heads, width // self.heads)
        query, key, value = qkv.view(shape).permute(2, 0, 3, 1, 4)
        if HAS_SDPA:
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        else:
            scores = query @ key.transpose(2, 3) * (1 / math.sqrt(query.shape[-1]))
            mixed = torch.softmax(scores.add_(bias), dim=-1) @ value
        mixed = mixed.transpose(1, 2).reshape(-1, width)
        return mixed if spots is None else mixed[spots]

    def forward(self, ids, bias, spots, count: int):
        x = self.tensors["embeddings.word_embeddings.weight"][ids]
        x = x + self.tensors["embeddings.token_type_embeddings.weight"][0]
        x = self.norm(x, "embeddings.LayerNorm")
        for n in range(self.settings["num_hidden_layers"]):
            layer = f"encoder.layer.{n}."
            mixed = self.attention(x, layer, bias, spots, count)
            x = self.norm(x + self.linear(mixed, layer + "attention.output.dense"),
                          layer + "attention.output.LayerNorm")
            value, gate = self.linear(x, layer + "mlp.gated_layers").chunk(2, dim=1)
            out = self.linear(functional.gelu(value) * gate, layer + "mlp.wo")
            x = self.norm(x + out, layer + "mlp.layernorm")
        return x

    def run(self, batches, forward=None):
        """The mean embedding of each sequence, in order; `forward` may be compiled."""
        found = means(batches, forward or self.forward)
        return torch.stack([found[place] for place in range(len(found))])


def means(batches, forward):
    """The mean embeddings, by the sequence's place."""
    found = {}
    with torch.no_grad():
        for batch in batches:
            out = forward(batch.ids, batch.bias, batch.spots, len(batch.places))
            rows = out.split(batch.lengths)
            found.update((place, row.float().mean(0)) for place, row in zip(batch.places, rows))
    return found
