"""Reads the files of `virnucpro utils export-weights` as torch tensors: peers use our weights."""

import json
from pathlib import Path
from typing import Dict

import numpy as np
import torch


def read(directory: Path) -> Dict[str, torch.Tensor]:
    """The tensors of a model.safetensors, without their esm. or bert. prefix."""
    tensors = read_file(directory / "model.safetensors")
    return {name.split(".", 1)[1]: tensor for name, tensor in tensors.items()}


def read_file(path: Path) -> Dict[str, torch.Tensor]:
    """The tensors of a safetensors file, all fp32."""
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data, "<f4", (end - begin) // 4, start + begin)
        tensors[name] = torch.from_numpy(values.reshape(entry["shape"]).copy())
    return tensors


def config(directory: Path) -> dict:
    return json.loads((directory / "config.json").read_text())
