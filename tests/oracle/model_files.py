"""Reads model files as the reference chain's models: those of `virnucpro utils export-weights`, and
the published ones. torch.load executes what a pickle says: give it only files that you trust."""

import json
import sys
from pathlib import Path
from typing import Dict

import safetensors.torch
import torch

import chain
import classifier_reference
from dnabert_reference import DnabertShape
from esm2_reference import FairEsm, TransformersEsm
from seeded_models import Esm2Shape


def esm2(path: Path):
    """By transformers for a Hugging Face directory, by fair-esm for its .pt."""
    if path.is_dir():
        return TransformersEsm(path)
    data = torch.load(path, map_location="cpu")
    settings = data["cfg"]["model"] if "cfg" in data else data["args"]
    settings = settings if isinstance(settings, dict) else vars(settings)
    shape = Esm2Shape(settings["encoder_layers"], settings["encoder_embed_dim"],
                      settings["encoder_attention_heads"], 4 * settings["encoder_embed_dim"])
    prefix = "encoder.sentence_encoder."
    parts = {name[len(prefix):]: tensor for name, tensor in data["model"].items()
             if name.startswith(prefix)}
    return FairEsm({name: tensor for name, tensor in parts.items() if name != "version"}, shape)


def dnabert(directory: Path) -> chain.Dnabert:
    settings = json.loads((directory / "config.json").read_text())
    shape = DnabertShape(settings["num_hidden_layers"], settings["hidden_size"],
                         settings["num_attention_heads"], settings["intermediate_size"],
                         settings["vocab_size"])
    (file,) = [*directory.glob("model.safetensors"), *directory.glob("pytorch_model.bin")][:1]
    tensors = {name.removeprefix("bert."): tensor.float() for name, tensor in _read(file).items()}
    return chain.Dnabert(tensors, shape, directory / "tokenizer.json")


def classifier(file: Path) -> torch.nn.Module:
    # A script wrote the published files, so their class is __main__.MLPClassifier.
    sys.modules["__main__"].MLPClassifier = classifier_reference.MLPClassifier
    loaded = _read(file)
    state = loaded.state_dict() if isinstance(loaded, torch.nn.Module) else loaded
    return classifier_reference.from_tensors(
        {name: tensor.numpy() for name, tensor in state.items() if tensor.ndim > 0})


def _read(file: Path) -> Dict[str, torch.Tensor]:
    if file.suffix == ".safetensors":
        return safetensors.torch.load_file(file)
    return torch.load(file, map_location="cpu")
