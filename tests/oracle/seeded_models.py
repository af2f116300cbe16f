"""Small seeded models as plain tensors, scaled so that a stack of layers stays well conditioned.

Linear layers have a standard deviation of 1/sqrt(fan_in), so activations and attention logits keep
a deviation near one at any depth. The layers that end a residual branch have half of it: a branch
as large as its stream would amplify earlier rounding in every layer. Norms and biases are near 1
and 0 but not equal to them, so that omitting one is noticed.
"""

import math
from typing import Dict, NamedTuple

import numpy as np
import torch

import dnabert_reference
from dnabert_reference import DnabertShape

Tensors = Dict[str, torch.Tensor]

ESM_ALPHABET_SIZE = 33

# The layers whose output is added to the residual stream.
BRANCH_ENDS = ("self_attn.out_proj", "fc2", "attention.output.dense", "mlp.wo")


class Esm2Shape(NamedTuple):
    layers: int
    width: int
    heads: int
    ffn: int


ESM2_TINY = Esm2Shape(layers=3, width=64, heads=4, ffn=256)
ESM2_8M = Esm2Shape(layers=6, width=320, heads=20, ffn=1280)
# Six heads: like the published twelve, not a power of two.
DNABERT_TINY = DnabertShape(layers=3, width=96, heads=6, ffn=256)


def _values(name: str, shape: tuple, generator: np.random.Generator) -> torch.Tensor:
    normal = torch.from_numpy(generator.standard_normal(shape, dtype=np.float32))
    if "embeddings.weight" in name or "embed_tokens" in name:
        return normal
    if len(shape) == 1:
        norm_weight = name.endswith("weight")
        return 1.0 + 0.1 * normal if norm_weight else 0.1 * normal
    branch_end = any(name.endswith(f"{part}.weight") for part in BRANCH_ENDS)
    return normal * ((0.5 if branch_end else 1.0) / math.sqrt(shape[-1]))


def _seeded(shapes: Dict[str, tuple], seed: int) -> Tensors:
    generator = np.random.default_rng(seed)  # torch's numbers would depend on the CPU
    return {name: _values(name, shape, generator) for name, shape in shapes.items()}


def esm2_parameter_shapes(shape: Esm2Shape) -> Dict[str, tuple]:
    """fair-esm's names of the tensors that affect the representation, except inv_freq."""
    w = shape.width
    shapes = {"embed_tokens.weight": (ESM_ALPHABET_SIZE, w)}
    for n in range(shape.layers):
        layer = f"layers.{n}."
        for projection in ("q_proj", "k_proj", "v_proj", "out_proj"):
            shapes[f"{layer}self_attn.{projection}.weight"] = (w, w)
            shapes[f"{layer}self_attn.{projection}.bias"] = (w,)
        for norm in ("self_attn_layer_norm", "final_layer_norm"):
            shapes[f"{layer}{norm}.weight"] = (w,)
            shapes[f"{layer}{norm}.bias"] = (w,)
        shapes[f"{layer}fc1.weight"] = (shape.ffn, w)
        shapes[f"{layer}fc1.bias"] = (shape.ffn,)
        shapes[f"{layer}fc2.weight"] = (w, shape.ffn)
        shapes[f"{layer}fc2.bias"] = (w,)
    shapes["emb_layer_norm_after.weight"] = (w,)
    shapes["emb_layer_norm_after.bias"] = (w,)
    return shapes


def inverse_frequencies(head: int, kind: str) -> torch.Tensor:
    """`exact`; `fp16`, rounded in training, as in ESM-2's files; `other`."""
    exact = 1.0 / (10000 ** (torch.arange(0, head, 2).float() / head))
    return {"exact": exact, "fp16": exact.half().float(), "other": 1.5 * exact}[kind]


def esm2(shape: Esm2Shape, seed: int, inv_freq: str = "fp16") -> Tensors:
    tensors = _seeded(esm2_parameter_shapes(shape), seed)
    for n in range(shape.layers):
        name = f"layers.{n}.self_attn.rot_emb.inv_freq"
        tensors[name] = inverse_frequencies(shape.width // shape.heads, inv_freq)
    return tensors


def dnabert(shape: DnabertShape, seed: int) -> Tensors:
    return _seeded(dnabert_reference.parameter_shapes(shape), seed)


def as_numpy(tensors: Tensors) -> Dict[str, np.ndarray]:
    """In the form that weight_files uses."""
    return {name: tensor.detach().numpy() for name, tensor in tensors.items()}
