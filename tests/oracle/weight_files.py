"""The same seeded model in every file format that the program reads.

Used by the oracle tests. Run as a program, it writes the small files of tests/data/weights, which
the unit tests of src/weights compare with each other: weight_files.py OUTPUT_DIRECTORY.

Models are dicts of float32 numpy arrays under the program's own names
(src/weights/name_tables.cpp). Values are multiples of 1/64 below 2, exact in fp16 and bf16 files.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file as save_safetensors
from safetensors.torch import save_file as save_torch_safetensors

import classifier_reference
from classifier_reference import MLPClassifier

ESM2_TINY = dict(layers=2, width=8, heads=2, ffn=16)
ESM2_COMMITTED = dict(layers=1, width=8, heads=2, ffn=16)  # of tests/data/weights
ESM2_8M = dict(layers=6, width=320, heads=20, ffn=1280)
DNABERT_TINY = dict(layers=2, width=12, heads=3, ffn=16, vocabulary=32)


def _values(rng, shape, scale=1.0):
    """Numbers with at most eight significant bits, exact in fp16 and bf16."""
    return (rng.integers(-127, 128, size=shape) / 64.0 * scale).astype(np.float32)


def esm2(seed, layers, width, heads, ffn, scale=1 / 8):
    """The tensors of an ESM-2 under fair-esm's names."""
    rng = np.random.default_rng(seed)
    tensors = {"embed_tokens.weight": _values(rng, (33, width))}

    def linear(name, rows, columns):
        tensors[f"{name}.weight"] = _values(rng, (rows, columns), scale)
        tensors[f"{name}.bias"] = _values(rng, (rows,), 1 / 8)

    def layer_norm(name):
        tensors[f"{name}.weight"] = 1 + np.abs(_values(rng, (width,), 1 / 4))
        tensors[f"{name}.weight"] = np.round(tensors[f"{name}.weight"] * 64) / 64
        tensors[f"{name}.bias"] = _values(rng, (width,), 1 / 8)

    inv_freq = 1.0 / 10000 ** (np.arange(0, width // heads, 2, dtype=np.float64) / (width // heads))
    # Rounded as in the published files, to values that both 16-bit types hold.
    inv_freq = torch.tensor(inv_freq).to(torch.bfloat16).to(torch.float16).to(torch.float32)
    inv_freq = inv_freq.to(torch.bfloat16).to(torch.float32).numpy()
    for layer in range(layers):
        at = f"layers.{layer}"
        for part in ("q", "k", "v", "out"):
            linear(f"{at}.self_attn.{part}_proj", width, width)
        tensors[f"{at}.self_attn.rot_emb.inv_freq"] = inv_freq
        layer_norm(f"{at}.self_attn_layer_norm")
        linear(f"{at}.fc1", ffn, width)
        linear(f"{at}.fc2", width, ffn)
        layer_norm(f"{at}.final_layer_norm")
    layer_norm("emb_layer_norm_after")
    return {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in tensors.items()}


def dnabert_s(seed, layers, width, heads, ffn, vocabulary, scale=1 / 8):
    """The tensors of a DNABERT-S; `heads` affects no tensor's shape."""
    del heads
    rng = np.random.default_rng(seed)
    tensors = {
        "embeddings.word_embeddings.weight": _values(rng, (vocabulary, width)),
        "embeddings.token_type_embeddings.weight": _values(rng, (2, width), 1 / 8),
    }

    def layer_norm(name):
        tensors[f"{name}.weight"] = 1 + np.abs(_values(rng, (width,), 1 / 4))
        tensors[f"{name}.weight"] = np.round(tensors[f"{name}.weight"] * 64) / 64
        tensors[f"{name}.bias"] = _values(rng, (width,), 1 / 8)

    layer_norm("embeddings.LayerNorm")
    for layer in range(layers):
        at = f"encoder.layer.{layer}"
        tensors[f"{at}.attention.self.Wqkv.weight"] = _values(rng, (3 * width, width), scale)
        tensors[f"{at}.attention.self.Wqkv.bias"] = _values(rng, (3 * width,), 1 / 8)
        tensors[f"{at}.attention.output.dense.weight"] = _values(rng, (width, width), scale)
        tensors[f"{at}.attention.output.dense.bias"] = _values(rng, (width,), 1 / 8)
        layer_norm(f"{at}.attention.output.LayerNorm")
        tensors[f"{at}.mlp.gated_layers.weight"] = _values(rng, (2 * ffn, width), scale)
        tensors[f"{at}.mlp.wo.weight"] = _values(rng, (width, ffn), scale)
        tensors[f"{at}.mlp.wo.bias"] = _values(rng, (width,), 1 / 8)
        layer_norm(f"{at}.mlp.layernorm")
    return {name: np.ascontiguousarray(value, dtype=np.float32) for name, value in tensors.items()}


def classifier(seed, inputs, hidden, scale=1 / 8):
    """The tensors of an MLPClassifier."""
    rng = np.random.default_rng(seed)
    return {
        "hidden_layer.weight": _values(rng, (hidden, inputs), scale),
        "hidden_layer.bias": _values(rng, (hidden,), 1 / 8),
        "bn1.weight": 1 + _values(rng, (hidden,), 1 / 4),
        "bn1.bias": _values(rng, (hidden,), 1 / 8),
        "bn1.running_mean": _values(rng, (hidden,), 1 / 8),
        "bn1.running_var": 1 + np.abs(_values(rng, (hidden,), 1 / 4)),
        "output_layer.weight": _values(rng, (2, hidden), scale),
        "output_layer.bias": _values(rng, (2,), 1 / 8),
    }


# --- names and settings of the published formats -------------------------------------------------
def esm2_huggingface_name(name):
    """transformers' EsmModel name for a tensor of fair-esm, with the esm. prefix."""
    if name == "embed_tokens.weight":
        return "esm.embeddings.word_embeddings.weight"
    if name.startswith("emb_layer_norm_after"):
        return "esm.encoder." + name
    _, layer, rest = name.split(".", 2)
    for old, new in (
        ("self_attn.q_proj", "attention.self.query"),
        ("self_attn.k_proj", "attention.self.key"),
        ("self_attn.v_proj", "attention.self.value"),
        ("self_attn.out_proj", "attention.output.dense"),
        ("self_attn.rot_emb", "attention.self.rotary_embeddings"),
        ("self_attn_layer_norm", "attention.LayerNorm"),
        ("final_layer_norm", "LayerNorm"),
        ("fc1", "intermediate.dense"),
        ("fc2", "output.dense"),
    ):
        if rest.startswith(old + "."):
            return f"esm.encoder.layer.{layer}.{new}{rest[len(old):]}"
    raise KeyError(name)


def esm2_config(layers, width, heads, ffn):
    return {
        "architectures": ["EsmForMaskedLM"],
        "model_type": "esm",
        "vocab_size": 33,
        "pad_token_id": 1,
        "mask_token_id": 32,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": ffn,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "layer_norm_eps": 1e-05,
        "max_position_embeddings": 1026,
        "position_embedding_type": "rotary",
        "emb_layer_norm_before": False,
        "token_dropout": True,
    }


def dnabert_config(layers, width, heads, ffn, vocabulary):
    return {
        "architectures": ["BertForMaskedLM"],
        "model_type": "bert",
        "vocab_size": vocabulary,
        "hidden_size": width,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": ffn,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
        "type_vocab_size": 2,
    }


def esm2_huggingface(tensors):
    return {esm2_huggingface_name(name): value for name, value in tensors.items()}


def dnabert_huggingface(tensors, gamma_beta=False):
    """With the bert. prefix; with `gamma_beta`, LayerNorm names as in old checkpoints."""
    renamed = {}
    for name, value in tensors.items():
        if gamma_beta and "layernorm" in name.lower():
            name = name.replace(".weight", ".gamma").replace(".bias", ".beta")
        renamed["bert." + name] = value
    return renamed


# --- writers -------------------------------------------------------------------------------------
def as_torch(tensors, dtype=torch.float32):
    return {name: torch.from_numpy(value.copy()).to(dtype) for name, value in tensors.items()}


def write_fair_esm(path, tensors, shape, config="namespace", prefix="encoder.sentence_encoder.",
                   dtype=torch.float32):
    """fair-esm's .pt: `config` is namespace, dict or args (before cfg)."""
    settings = dict(
        encoder_layers=shape["layers"],
        encoder_embed_dim=shape["width"],
        encoder_attention_heads=shape["heads"],
        encoder_ffn_embed_dim=shape["ffn"],
        token_dropout=True,
        arch="esm2",
    )
    model = {prefix + name: value for name, value in as_torch(tensors, dtype).items()}
    # The published files also hold these, and readers must skip them.
    model["encoder.lm_head.bias"] = torch.zeros(33)
    model[prefix + "version"] = torch.tensor([3.0])
    data = {"model": model}
    if config == "namespace":
        data["cfg"] = {"model": argparse.Namespace(**settings)}
    elif config == "dict":
        data["cfg"] = {"model": settings}
    else:
        data["args"] = argparse.Namespace(**settings)
    torch.save(data, path)


def write_huggingface(directory, tensors, config, format="bin", shards=1, dtype=torch.float32,
                      tokenizer=None):
    """A Hugging Face directory: `format` is bin or safetensors; `tensors` have its names."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    if tokenizer is not None:
        shutil.copyfile(tokenizer, directory / "tokenizer.json")
    stem, suffix = ("pytorch_model", "bin") if format == "bin" else ("model", "safetensors")
    converted = as_torch(tensors, dtype)

    def save(part, path):
        if format == "bin":
            torch.save(part, path)
        else:
            save_torch_safetensors(part, str(path), metadata={"format": "pt"})

    if shards == 1:
        save(converted, directory / f"{stem}.{suffix}")
        return directory
    names = list(converted)
    weight_map = {}
    for shard in range(shards):
        file = f"{stem}-{shard + 1:05d}-of-{shards:05d}.{suffix}"
        part = {name: converted[name] for name in names[shard::shards]}
        save(part, directory / file)
        weight_map.update({name: file for name in part})
    total = sum(value.numel() * value.element_size() for value in converted.values())
    index = {"metadata": {"total_size": total}, "weight_map": weight_map}
    (directory / f"{stem}.{suffix}.index.json").write_text(json.dumps(index, indent=2) + "\n")
    return directory


def write_classifier(path, tensors, format="module"):
    """`format` is module (a pickled __main__.MLPClassifier), state_dict or safetensors."""
    if format == "safetensors":
        save_safetensors(tensors, str(path))
        return
    module = classifier_reference.from_tensors(tensors)
    if format == "state_dict":
        torch.save(module.state_dict(), path)
        return
    # A script wrote the published files, so the class's module is __main__.
    main = sys.modules["__main__"]
    before, module_name = getattr(main, "MLPClassifier", None), MLPClassifier.__module__
    main.MLPClassifier, MLPClassifier.__module__ = MLPClassifier, "__main__"
    try:
        torch.save(module, path)
    finally:
        MLPClassifier.__module__ = module_name
        if before is None:
            del main.MLPClassifier
        else:
            main.MLPClassifier = before


def write_all_esm2(directory, tensors, shape):
    """Every accepted form of one ESM-2; returns {form: path}."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    names, config = esm2_huggingface(tensors), esm2_config(**shape)
    forms = {}
    for form, arguments in (
        ("fair_namespace.pt", dict(config="namespace")),
        ("fair_dict.pt", dict(config="dict", prefix="encoder.")),
        ("fair_args.pt", dict(config="args")),
        ("fair_f16.pt", dict(config="namespace", dtype=torch.float16)),
    ):
        forms[form] = directory / form
        write_fair_esm(forms[form], tensors, shape, **arguments)
    for form, arguments in (
        ("hf_bin", dict(format="bin")),
        ("hf_bin_sharded", dict(format="bin", shards=3)),
        ("hf_safetensors", dict(format="safetensors")),
        ("hf_safetensors_sharded", dict(format="safetensors", shards=2)),
        ("hf_bf16", dict(format="safetensors", dtype=torch.bfloat16)),
        ("hf_f16", dict(format="bin", dtype=torch.float16)),
    ):
        forms[form] = write_huggingface(directory / form, names, config, **arguments)
    return forms


def write_all_dnabert_s(directory, tensors, shape, tokenizer=None):
    """Every accepted form of one DNABERT-S; returns {form: path}."""
    directory = Path(directory)
    config = dnabert_config(**shape)
    forms = {}
    for form, names, arguments in (
        ("bin", dnabert_huggingface(tensors), dict(format="bin")),
        ("gamma_beta", dnabert_huggingface(tensors, gamma_beta=True), dict(format="bin")),
        ("safetensors", dict(tensors), dict(format="safetensors")),
        ("bf16", dnabert_huggingface(tensors), dict(format="safetensors", dtype=torch.bfloat16)),
    ):
        forms[form] = write_huggingface(directory / form, names, config, tokenizer=tokenizer,
                                        **arguments)
    return forms


def write_all_classifiers(directory, tensors):
    """Every accepted form of one classifier; returns {form: path}."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    forms = {}
    for form, name in (("module", "module.pth"), ("state_dict", "state_dict.pth"),
                       ("safetensors", "classifier.safetensors")):
        forms[form] = directory / name
        write_classifier(forms[form], tensors, form)
    return forms


def write_transposed(path, tensors):
    """A state dict whose matrices are transposed views and whose vectors share one storage."""
    state = {}
    vectors = {name: value for name, value in tensors.items() if value.ndim == 1}
    pool = torch.from_numpy(np.concatenate(list(vectors.values())))
    begin = 0
    for name, value in tensors.items():
        if value.ndim == 1:
            continue
        state[name] = torch.from_numpy(np.ascontiguousarray(value.T)).t()
    for name, value in vectors.items():
        state[name] = pool[begin:begin + value.size]
        begin += value.size
    torch.save(state, path)


def main():
    directory = Path(sys.argv[1])
    write_all_esm2(directory / "esm2", esm2(1, **ESM2_COMMITTED), ESM2_COMMITTED)
    write_all_dnabert_s(directory / "dnabert_s", dnabert_s(2, **DNABERT_TINY), DNABERT_TINY)
    small = classifier(3, inputs=20, hidden=6)
    write_all_classifiers(directory / "classifier", small)
    write_transposed(directory / "classifier" / "transposed.pth", small)


if __name__ == "__main__":
    main()
