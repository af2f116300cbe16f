"""Writes the smallest models that the program accepts: smallest_weights.py DIRECTORY TOKENIZER"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "oracle"))

import weight_files

ESM2 = dict(layers=1, width=8, heads=2, ffn=16)
DNABERT = dict(layers=1, width=8, heads=2, ffn=16, vocabulary=4096)


def main():
    directory, tokenizer = Path(sys.argv[1]), sys.argv[2]
    weight_files.write_huggingface(
        directory / "esm2", weight_files.esm2_huggingface(weight_files.esm2(1, **ESM2)),
        weight_files.esm2_config(**ESM2), format="safetensors")
    weight_files.write_huggingface(
        directory / "dnabert-s",
        weight_files.dnabert_huggingface(weight_files.dnabert_s(1, **DNABERT)),
        weight_files.dnabert_config(**DNABERT), format="safetensors", tokenizer=tokenizer)


main()
