"""The original's files of embeddings: output_1_DNABERT_S.pt, output_1_ESM.pt, output_1_merged.pt
and so on, each with at most 10,000 frames."""

from pathlib import Path
from typing import List

import torch

FRAMES_A_FILE = 10_000


def write(folder: Path, names: List[str], dnabert: torch.Tensor, esm2: torch.Tensor,
          frames_a_file: int = FRAMES_A_FILE) -> None:
    """Rows in the order of `names`; lists where the original saves lists."""
    merged = torch.cat([dnabert, esm2], 1)
    for part, first in enumerate(range(0, len(names), frames_a_file), 1):
        rows = slice(first, first + frames_a_file)
        ids = names[rows]
        lists = [{"label": name, "mean_representation": row.tolist()}
                 for name, row in zip(ids, dnabert[rows])]
        save = {"DNABERT_S": {"nucleotide": ids, "data": lists},
                "ESM": {"proteins": ids, "data": [row.clone() for row in esm2[rows]]},
                "merged": {"ids": ids, "data": merged[rows].clone()}}
        for model, content in save.items():
            torch.save(content, folder / f"output_{part}_{model}.pt")
