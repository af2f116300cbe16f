"""DNABERT-S in plain torch, one sequence at a time, written from the published descriptions.

The encoder is MosaicBERT (Portes et al. 2023, arXiv:2312.17482) without its padding tricks: one
fused projection for query, key and value, ALiBi in place of position embeddings (Press et al. 2022,
arXiv:2108.12409, here symmetric: the distance is |i - j|), a gated GELU feed-forward layer, layer
norm after each residual sum. The arithmetic runs in the dtype the weights are given in, so fp64
weights tell whose rounding error a difference is.
"""

import math
from typing import Dict, List, NamedTuple

import torch
from torch.nn import functional

Tensors = Dict[str, torch.Tensor]

LAYER_NORM_EPS = 1e-12


class DnabertShape(NamedTuple):
    layers: int
    width: int
    heads: int
    ffn: int
    vocabulary: int = 4096


FULL = DnabertShape(layers=12, width=768, heads=12, ffn=3072)


def alibi_slopes(heads: int) -> List[float]:
    """The ALiBi paper's slopes; a head count between two powers of two borrows from the larger."""

    def of_power_of_two(count: int) -> List[float]:
        return [2.0 ** (-8.0 * (i + 1) / count) for i in range(count)]

    lower = 2 ** int(math.floor(math.log2(heads)))
    borrowed = of_power_of_two(2 * lower)[0::2][: heads - lower]
    return of_power_of_two(lower) + borrowed


def _norm(x: torch.Tensor, weights: Tensors, name: str) -> torch.Tensor:
    weight, bias = weights[name + ".weight"], weights[name + ".bias"]
    return functional.layer_norm(x, (x.shape[-1],), weight, bias, LAYER_NORM_EPS)


def _linear(x: torch.Tensor, weights: Tensors, name: str) -> torch.Tensor:
    return functional.linear(x, weights[name + ".weight"], weights.get(name + ".bias"))


def _attention(x: torch.Tensor, weights: Tensors, layer: str, heads: int) -> torch.Tensor:
    length, width = x.shape
    head = width // heads
    qkv = _linear(x, weights, layer + "attention.self.Wqkv")
    query, key, value = qkv.view(length, 3, heads, head).permute(1, 2, 0, 3)
    scores = query @ key.transpose(1, 2) / math.sqrt(head)
    position = torch.arange(length)
    distance = (position[:, None] - position[None, :]).abs().to(x.dtype)
    slopes = torch.tensor(alibi_slopes(heads), dtype=x.dtype)
    scores = scores - slopes[:, None, None] * distance
    mixed = torch.softmax(scores, dim=-1) @ value
    return mixed.permute(1, 0, 2).reshape(length, width)


def _layer(x: torch.Tensor, weights: Tensors, layer: str, shape: DnabertShape) -> torch.Tensor:
    mixed = _attention(x, weights, layer, shape.heads)
    out = _linear(mixed, weights, layer + "attention.output.dense")
    x = _norm(x + out, weights, layer + "attention.output.LayerNorm")

    both = _linear(x, weights, layer + "mlp.gated_layers")
    gated = functional.gelu(both[:, : shape.ffn]) * both[:, shape.ffn :]
    out = _linear(gated, weights, layer + "mlp.wo")
    return _norm(x + out, weights, layer + "mlp.layernorm")


def hidden_state(weights: Tensors, shape: DnabertShape, tokens: List[int]) -> torch.Tensor:
    """The last hidden state [tokens, width] of one sequence, including [CLS] and [SEP]."""
    x = weights["embeddings.word_embeddings.weight"][torch.tensor(tokens)]
    x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = _norm(x, weights, "embeddings.LayerNorm")
    for n in range(shape.layers):
        x = _layer(x, weights, f"encoder.layer.{n}.", shape)
    return x


def embed(weights: Tensors, shape: DnabertShape, tokens: List[int]) -> torch.Tensor:
    """The mean over all tokens, including [CLS] and [SEP]: [width]."""
    with torch.no_grad():
        return hidden_state(weights, shape, tokens).mean(dim=0)


def parameter_shapes(shape: DnabertShape) -> Dict[str, tuple]:
    """Every parameter of the published file that is used, by its published name."""
    w = shape.width
    shapes = {
        "embeddings.word_embeddings.weight": (shape.vocabulary, w),
        "embeddings.token_type_embeddings.weight": (2, w),
        "embeddings.LayerNorm.weight": (w,),
        "embeddings.LayerNorm.bias": (w,),
    }
    per_layer = {
        "attention.self.Wqkv.weight": (3 * w, w),
        "attention.self.Wqkv.bias": (3 * w,),
        "attention.output.dense.weight": (w, w),
        "attention.output.dense.bias": (w,),
        "attention.output.LayerNorm.weight": (w,),
        "attention.output.LayerNorm.bias": (w,),
        "mlp.gated_layers.weight": (2 * shape.ffn, w),
        "mlp.wo.weight": (w, shape.ffn),
        "mlp.wo.bias": (w,),
        "mlp.layernorm.weight": (w,),
        "mlp.layernorm.bias": (w,),
    }
    for n in range(shape.layers):
        shapes.update({f"encoder.layer.{n}.{name}": s for name, s in per_layer.items()})
    return shapes
