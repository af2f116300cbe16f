"""ESM-2 by its two published implementations: fair-esm and Hugging Face transformers."""

from pathlib import Path
from typing import List

import esm
import torch
from esm.model.esm2 import ESM2

from seeded_models import Esm2Shape, Tensors

MAX_POOLED_RESIDUES = 1024


def _pooled(representation: torch.Tensor, residues: int) -> torch.Tensor:
    """The mean over residues 1 … min(length, 1024) of [tokens, width]; <cls> is token 0."""
    return representation[1 : 1 + min(residues, MAX_POOLED_RESIDUES)].mean(dim=0)


class FairEsm:
    def __init__(self, tensors: Tensors, shape: Esm2Shape, dtype: torch.dtype = torch.float32):
        self._alphabet = esm.data.Alphabet.from_architecture("ESM-1b")
        self._convert = self._alphabet.get_batch_converter()
        self._layers = shape.layers
        self._model = ESM2(shape.layers, shape.width, shape.heads, self._alphabet).eval()
        missing, unexpected = self._model.load_state_dict(tensors, strict=False)
        assert not unexpected
        assert all(name.startswith(("lm_head.", "contact_head.")) for name in missing), missing
        self._model.to(dtype)

    def tokens(self, protein: str) -> List[int]:
        return self._convert([("", protein)])[2][0].tolist()

    def embed(self, protein: str) -> torch.Tensor:
        _, _, tokens = self._convert([("", protein)])
        with torch.no_grad():
            out = self._model(tokens, repr_layers=[self._layers])
        return _pooled(out["representations"][self._layers][0], len(protein))


class TransformersEsm:
    """transformers' EsmModel, read from a directory of weights."""

    def __init__(self, directory: Path):
        from transformers import EsmModel

        self._model, report = EsmModel.from_pretrained(
            directory, add_pooling_layer=False, output_loading_info=True
        )
        # A file without inv_freq means the exact ones; one with others under a strange name does not.
        allowed = ("position_embeddings", "contact_head", "position_ids", "inv_freq")
        assert not [name for name in report["unexpected_keys"] if "inv_freq" in name]
        missing = [n for n in report["missing_keys"] if not any(a in n for a in allowed)]
        assert not missing, f"transformers misses {missing}"
        self._model.eval()
        self._alphabet = esm.data.Alphabet.from_architecture("ESM-1b")

    def embed(self, protein: str) -> torch.Tensor:
        residues = map(self._alphabet.get_idx, protein)
        ids = [self._alphabet.cls_idx, *residues, self._alphabet.eos_idx]
        with torch.no_grad():
            out = self._model(input_ids=torch.tensor([ids])).last_hidden_state[0]
        return _pooled(out, len(protein))
