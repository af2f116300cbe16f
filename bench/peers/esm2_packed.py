"""ESM-2 3B as fast as torch does it on a GPU: esm2_packed.py MODEL DTYPE SEQUENCES TOKENS

MODEL is the name of a published shape, with random weights (they cost what real ones cost); proteins lie
back to back in batches of TOKENS, attention is torch's for variable lengths, everything is compiled.
"""

import sys
from pathlib import Path

from serving import serve

MODEL, DTYPE, SEQUENCES, TOKENS = sys.argv[1:]

import torch
from torch import nn
from torch.nn import functional
from torch.nn.attention.varlen import varlen_attn

SHAPES = {"esm2_t30_150M": (30, 640, 20), "esm2_t33_650M": (33, 1280, 20),
          "esm2_t36_3B": (36, 2560, 40)}
ALPHABET = "LAGVSERTIDPKQNFYMHWC"  # from number 4 on
LAYERS, WIDTH, HEADS = SHAPES[MODEL]
HEAD = WIDTH // HEADS
TYPE = {"fp16": torch.float16, "bf16": torch.bfloat16}[DTYPE]


def turned(x, cosine, sine):
    """Rotary embedding, rotate-half form."""
    low, high = x.chunk(2, -1)
    return x * cosine + torch.cat((-high, low), -1) * sine


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.ffn_norm = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.ffn_in, self.ffn_out = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, cosine, sine, offsets, longest: int):
        query, key, value = self.qkv(self.attention_norm(x)).view(-1, 3, HEADS, HEAD).unbind(1)
        mixed = varlen_attn(turned(query, cosine, sine).contiguous(),
                            turned(key, cosine, sine).contiguous(), value.contiguous(), offsets,
                            offsets, longest, longest)
        x = x + self.out(mixed.reshape(-1, WIDTH))
        return x + self.ffn_out(functional.gelu(self.ffn_in(self.ffn_norm(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(33, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)

    def forward(self, ids, cosine, sine, offsets, longest: int):
        x = self.table(ids) * 0.88
        for layer in self.layers:
            x = layer(x, cosine, sine, offsets, longest)
        return self.norm(x)


class Batch:
    def __init__(self, proteins):
        tokens = [[0, *(4 + ALPHABET.index(letter) for letter in protein), 2] for protein in proteins]
        lengths = torch.tensor([len(one) for one in tokens])
        self.longest = int(lengths.max())
        self.ids = torch.tensor([token for one in tokens for token in one], device="cuda")
        self.offsets = functional.pad(lengths.cumsum(0), (1, 0)).int().cuda()
        positions = torch.cat([torch.arange(len(one)) for one in tokens]).float()
        inv_freq = 10000.0 ** (-torch.arange(0, HEAD, 2).float() / HEAD)
        angles = torch.outer(positions, inv_freq).repeat(1, 2)[:, None].cuda()
        self.cosine, self.sine = angles.cos().to(TYPE), angles.sin().to(TYPE)
        # Means of the residues, as a sum by sequence over the rows that are no ends.
        owner = torch.repeat_interleave(torch.arange(len(tokens)), lengths)
        ends = torch.cat([self.offsets[:-1].cpu(), self.offsets[1:].cpu() - 1]).long()
        self.rows = torch.ones(len(owner), dtype=torch.bool).index_fill_(0, ends, False).cuda()
        self.owner, self.counts = owner.cuda()[self.rows], (lengths - 2).cuda()

    def means(self, encoder):
        out = encoder(self.ids, self.cosine, self.sine, self.offsets, self.longest)
        sums = torch.zeros(len(self.counts), WIDTH, device="cuda", dtype=torch.float32)
        sums.index_add_(0, self.owner, out[self.rows].float())
        return (sums / self.counts[:, None]).cpu()


def batches(proteins, budget):
    gathered, used = [], 0
    for protein in proteins:
        if used + len(protein) + 2 > budget:
            yield Batch(gathered)
            gathered, used = [], 0
        gathered.append(protein)
        used += len(protein) + 2
    yield Batch(gathered)


def main():
    with torch.device("cuda"):
        torch.set_default_dtype(TYPE)
        encoder = Encoder().eval().requires_grad_(False)
        torch.set_default_dtype(torch.float32)
    compiled = torch.compile(encoder)
    proteins = Path(SEQUENCES).read_text().split()
    work = list(batches(proteins, int(TOKENS)))
    tokens = sum(len(protein) + 2 for protein in proteins)

    def run_pass():
        with torch.inference_mode():
            for batch in work:
                batch.means(compiled)
        return tokens

    run_pass()
    serve(run_pass, f"torch {torch.__version__}, packed, compiled, {DTYPE}, {TOKENS} tokens a batch")


main()
