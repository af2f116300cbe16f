#!/usr/bin/env python3
"""Makes a stored baseline for `virnucpro benchmark --vanilla-baseline`: the scores and embeddings of
the original's models in torch, in fp32, one frame after the other on the CPU.

    .venv-oracle/bin/python tools/make_baseline.py --models-dir models -m 500 \\
        --input tests/data/vanilla/test_with_orfs.fa -o baseline
    .venv-oracle/bin/python tools/make_baseline.py --esm2 synthetic:esm2_t6_8M \\
        --dnabert synthetic:dnabert-s --classifier synthetic --chunk-size 500 \\
        --input share/virnucpro/baseline/synthetic-8M/sequences.fa -o baseline

The output folder gets the sequences, both tables, the embeddings in the original's files, and
provenance.json. The program (--program)
writes synthetic weights and computes the hashes by which a benchmark knows the weights again. ESM-2
3B needs 12 GB of memory and, while a file of torch's is read, the size of that file besides. torch
executes what pickles say: use only files that you trust.
"""

import argparse
import datetime
import hashlib
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "oracle"))
import chain  # noqa: E402
import embedding_files  # noqa: E402
import model_files  # noqa: E402
import torch  # noqa: E402
import transformers  # noqa: E402

# Places of the models in a folder of models, as docs/use/models.md says.
ESM2_PLACES = ("esm2_t36_3B_UR50D.pt", "esm2_t36_3B_UR50D", "facebook/esm2_t36_3B_UR50D")
DNABERT_PLACES = ("DNABERT-S", "zhihan1996/DNABERT-S")


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--models-dir", type=Path, help="the published models' folder")
    parser.add_argument("-m", "--model-type", choices=("300", "500"), default="500",
                        help="the published classifier and its chunk size (default 500)")
    for name in ("esm2", "dnabert", "classifier"):
        parser.add_argument(f"--{name}", help="a file, a folder or synthetic:NAME[:SEED]")
    parser.add_argument("--chunk-size", type=int, help="default: the model type's")
    parser.add_argument("--input", type=Path, required=True, help="FASTA")
    parser.add_argument("--source", default="made by tools/make_baseline.py",
                        help="what provenance.json says of the results' origin")
    parser.add_argument("--program", default=str(ROOT / "build/cpu/bin/virnucpro"))
    parser.add_argument("-o", "--output", type=Path, required=True)
    return parser.parse_args()


def first_place(folder: Path, names) -> str:
    for name in names:
        if (folder / name).exists():
            return str(folder / name)
    sys.exit(f"{folder}: none of these is there: {', '.join(names)}")


def chosen_models(options: argparse.Namespace) -> Dict[str, str]:
    """Returns the three given models by the names that runs have for them."""
    given = {"dnabert_s": options.dnabert, "esm2": options.esm2, "classifier": options.classifier}
    places = {"dnabert_s": DNABERT_PLACES, "esm2": ESM2_PLACES,
              "classifier": (f"{options.model_type}_model.pth",)}
    if options.models_dir is None and None in given.values():
        sys.exit("give --models-dir, or each of --esm2, --dnabert and --classifier")
    return {name: model or first_place(options.models_dir, places[name])
            for name, model in given.items()}


class Program:
    def __init__(self, binary: str):
        self._binary = binary

    def run(self, *arguments: object) -> str:
        command = [self._binary, *map(str, arguments)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    def hash_of(self, model: Path) -> str:
        return re.search(r"^hash: (\w+)$", self.run("utils", "inspect", model), re.M)[1]

    def as_file(self, model: str, place: Path, *arguments: object) -> Path:
        """Returns the model's file; a synthetic model is written to `place`."""
        if not model.startswith("synthetic"):
            return Path(model)
        self.run("utils", "export-weights", model, "-o", place, *arguments)
        return place


def files_of(models: Dict[str, str], program: Program, folder: Path) -> Dict[str, Path]:
    files = {name: program.as_file(models[name], folder / name) for name in ("dnabert_s", "esm2")}
    width = 0
    if models["classifier"].startswith("synthetic"):
        width = sum(json.loads((file / "config.json").read_text())["hidden_size"]
                    for file in files.values())
    files["classifier"] = program.as_file(models["classifier"], folder / "classifier.safetensors",
                                          "--inputs", width)
    return files


def versions() -> str:
    packages = [f"{name} {importlib.metadata.version(name)}"
                for name in ("fair-esm", "transformers", "tokenizers")]
    return ", ".join([f"torch {torch.__version__}", *packages])


def provenance(options, models, files, program: Program, chunk_size: int) -> dict:
    named = {name: model if model.startswith("synthetic") else Path(model).name
             for name, model in models.items()}
    hashes = {f"{name}_hash": program.hash_of(file) for name, file in files.items()}
    return {
        "source": options.source,
        "date": datetime.date.today().isoformat(),
        "program": "tests/oracle/chain.py, in fp32 on the CPU",
        "version": versions(),
        "chunk_size": chunk_size,
        "sequences_sha256": hashlib.sha256(options.input.read_bytes()).hexdigest(),
        "models": {**named, **hashes},
    }


def main() -> None:
    options = parsed_arguments()
    transformers.logging.set_verbosity_error()  # it tells of tensors that are not used here
    models = chosen_models(options)
    chunk_size = options.chunk_size or int(options.model_type)
    program = Program(options.program)
    options.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        files = files_of(models, program, Path(folder))
        facts = provenance(options, models, files, program, chunk_size)
        chained = chain.Models(model_files.dnabert(files["dnabert_s"]),
                               model_files.esm2(files["esm2"]),
                               model_files.classifier(files["classifier"]))
        names, merged, tables = chain.results(options.input, chunk_size, chained)
    sequences = options.output / "sequences.fa"
    if not sequences.exists() or not sequences.samefile(options.input):
        shutil.copyfile(options.input, sequences)
    width = chained.dnabert.width
    embedding_files.write(options.output, names, merged[:, :width], merged[:, width:])
    (options.output / "prediction_results.txt").write_text(tables.frames)
    (options.output / "prediction_results_highestscore.csv").write_text(tables.consensus)
    (options.output / "provenance.json").write_text(json.dumps(facts, indent=2) + "\n")


if __name__ == "__main__":
    main()
