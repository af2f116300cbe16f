"""ESM-2 for torch's best speed on a GPU: proteins packed without padding, and torch's attention for
variable lengths. Callers compile it. Random weights are used, which are as fast as real ones."""

import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention.varlen import varlen_attn

from esm2_shapes import ALPHABET

def turned(x, cosine, sine):
    """Rotary embedding, rotate-half form."""
    low, high = x.chunk(2, -1)
    return x * cosine + torch.cat((-high, low), -1) * sine


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape, width = shape, shape.width
        self.attention_norm, self.ffn_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.ffn_in, self.ffn_out = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, cosine, sine, offsets, longest: int):
        rows = self.qkv(self.attention_norm(x)).view(-1, 3, self.shape.heads, self.shape.head_width)
        query, key, value = rows.unbind(1)
        mixed = varlen_attn(turned(query, cosine, sine).contiguous(),
                            turned(key, cosine, sine).contiguous(), value.contiguous(), offsets,
                            offsets, longest, longest)
        x = x + self.out(mixed.reshape(-1, self.shape.width))
        return x + self.ffn_out(functional.gelu(self.ffn_in(self.ffn_norm(x))))


class Encoder(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.table = nn.Embedding(33, shape.width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)

    def forward(self, ids, cosine, sine, offsets, longest: int):
        x = self.table(ids) * 0.88
        for layer in self.layers:
            x = layer(x, cosine, sine, offsets, longest)
        return self.norm(x)


def encoder(shape, dtype):
    with torch.device("cuda"):
        torch.set_default_dtype(dtype)
        made = Encoder(shape).eval().requires_grad_(False)
        torch.set_default_dtype(torch.float32)
    return made


class Batch:
    def __init__(self, proteins, shape, dtype):
        tokens = [[0, *(4 + ALPHABET.index(letter) for letter in protein), 2] for protein in proteins]
        lengths = torch.tensor([len(one) for one in tokens])
        self.width = shape.width
        self.longest = int(lengths.max())
        self.ids = torch.tensor([token for one in tokens for token in one], device="cuda")
        self.offsets = functional.pad(lengths.cumsum(0), (1, 0)).int().cuda()
        positions = torch.cat([torch.arange(len(one)) for one in tokens]).float()
        inv_freq = 10000.0 ** (-torch.arange(0, shape.head_width, 2).float() / shape.head_width)
        angles = torch.outer(positions, inv_freq).repeat(1, 2)[:, None].cuda()
        self.cosine, self.sine = angles.cos().to(dtype), angles.sin().to(dtype)
        # Means over residues: a sum per sequence over all its rows, without its two end tokens.
        owner = torch.repeat_interleave(torch.arange(len(tokens)), lengths)
        ends = torch.cat([self.offsets[:-1].cpu(), self.offsets[1:].cpu() - 1]).long()
        self.rows = torch.ones(len(owner), dtype=torch.bool).index_fill_(0, ends, False).cuda()
        self.owner, self.counts = owner.cuda()[self.rows], (lengths - 2).cuda()

    def means(self, run):
        out = run(self.ids, self.cosine, self.sine, self.offsets, self.longest)
        sums = torch.zeros(len(self.counts), self.width, device="cuda", dtype=torch.float32)
        sums.index_add_(0, self.owner, out[self.rows].float())
        return sums / self.counts[:, None]


def batches(proteins, budget, shape, dtype):
    gathered, used = [], 0
    for protein in proteins:
        if used + len(protein) + 2 > budget:
            yield Batch(gathered, shape, dtype)
            gathered, used = [], 0
        gathered.append(protein)
        used += len(protein) + 2
    yield Batch(gathered, shape, dtype)


def tokens_of(proteins):
    return sum(len(protein) + 2 for protein in proteins)
