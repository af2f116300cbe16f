"""Shared by the ESM-2 peers: published shapes, the alphabet, torch's types."""

from typing import NamedTuple

import torch

ALPHABET = "LAGVSERTIDPKQNFYMHWC"  # the first letter is token 4
DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


class Shape(NamedTuple):
    layers: int
    width: int
    heads: int

    @property
    def head_width(self):
        return self.width // self.heads


SHAPES = {"esm2_t30_150M": Shape(30, 640, 20), "esm2_t33_650M": Shape(33, 1280, 20),
          "esm2_t36_3B": Shape(36, 2560, 40)}
