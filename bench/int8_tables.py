"""The tables of docs/develop/int8.md, from bench/results/precision/: a head, and the cells, for
render.table(). Every measured number has two significant digits; counts of calls are whole."""

import json
import re
from pathlib import Path
from typing import List, Sequence, Tuple

RESULTS = Path(__file__).resolve().parent / "results" / "precision"
Table = Tuple[Sequence[str], List[Tuple[Sequence[str], str, str]]]
VARIANTS = ("plain", "spikes", "hard", "constant20", "constant100", "ends", "asymmetric")


def report(name: str) -> dict:
    return json.loads((RESULTS / f"{name}.json").read_text())


def digits(value: float) -> str:
    return f"{value:#.2g}".rstrip(".") if value else "0"


def weights(name: str) -> Tuple[str, str]:
    """The size and the variant in the name of synthetic weights."""
    size, variant = re.fullmatch(r"synthetic:esm2_t\d+_(\d+[MB])(?:_UR50D)?(?:-(\w+))?", name).groups()
    return size, variant or "plain"


def kept_in(row: dict) -> str:
    """The products that int8 keeps in 16 bits."""
    kept = row.get("int8_keep", "none")
    return kept if kept == "none" else f"`{kept}`"


def trained() -> Table:
    figures = {figure["name"].removeprefix("trained ESM-2 8M, "): figure
               for figure in report("nvidia-h200-accuracy")["figures"]}
    columns = {"1 − cosine: largest": "centred, largest 1 - cosine",
               "99.9 % of frames": "centred, 1 - cosine, 99.9 % of frames",
               "mean": "centred, mean 1 - cosine",
               "labels changed, %": "labels changed, %"}
    cells = []
    for kind in ("fp16", "bf16", "int8", "int8 with fc2 in 16 bits"):
        cells += [((kind,), column, digits(figures[f"{kind}: {name}"]["value"])) for column, name in columns.items()]
        clear = figures[f"{kind}: clear labels changed"]
        labels = clear["settings"]["frames"] * clear["settings"]["classifiers"]
        cells.append(((kind,), "of them clear, % of all labels", digits(100 * clear["value"] / labels)))
    return ("",), cells


def made_up() -> Table:
    figures = {figure["name"]: figure["value"] for figure in report("nvidia-h200-synthetic-accuracy")["figures"]}
    cells = []
    for variant in VARIANTS:
        for size, model in (("650M", "synthetic:esm2_t33_650M"), ("3B", "synthetic:esm2_t36_3B")):
            for kind in ("fp16", "bf16", "int8"):
                name = f"{model}{'' if variant == 'plain' else '-' + variant}, {kind}"
                pair = (figures[f"{name}: centred, mean 1 - cosine"], figures[f"{name}: labels changed, %"])
                cells.append(((variant,), f"{size}, {kind}", ", ".join(map(digits, pair))))
    return ("weights",), cells


def close_calls() -> Table:
    """The runs with a margin, if a run without one tells how many calls int8 alone changed."""
    calls = report("nvidia-h200-int8-checked")["calls"]
    alone = {(row["esm2"], row["chunks"]): row["changed"] for row in calls if row["margin"] is None}
    cells = []
    for row in calls:
        key = (row["esm2"], row["chunks"])
        if row["margin"] is not None and key in alone:
            name = row["esm2"] if row["esm2"] == "trained 8M" else ", ".join(weights(row["esm2"]))
            again = row.get("recomputed_share_of_chunks")
            cells.append(((name, f"{row['chunks']:,}", row.get("calibrated_on", "–"), kept_in(row),
                           digits(row["margin"]), "–" if again is None else digits(100 * again), f"{alone[key]:,}"),
                          "then", f"{row['changed']:,}"))
    return ("weights", "chunks", "calibrated on", "kept in 16 bits", "margin, logits", "chunks computed again, %",
            "calls that int8 changed"), cells


def calibrated() -> Table:
    cells = []
    for row in report("nvidia-h100-int8-calibrated")["rows"]:
        size, variant = weights(row["esm2"])
        run, seconds = row["run"], row["seconds"]
        again = 100 * run["close_calls"]["recomputed"] / row["chunks"]
        text = (f"{digits(run['margin'])}, {digits(again)} %, {digits(seconds['int8'] / seconds['fp16'])}, "
                f"{seconds['int8_and_its_calibration'] - seconds['int8']:.0f} s")
        kept, alone = kept_in(run), row["calls_changed_by_int8_alone"]
        text += "" if kept == "none" else f"; {kept} in 16 bits"
        text += "" if alone is None else f"; int8 alone changed {alone:,} calls"
        cells.append(((variant,), size, text))
    return ("weights",), sorted(cells, key=lambda cell: (VARIANTS.index(cell[0][0]), cell[1] == "3B"))


def simulated() -> Table:
    cells = []
    for model in report("simulated-int8")["models"]:
        name = model["model"].removeprefix("esm2_t")
        if name in ("6_8M, trained", "6_8M", "6_8M-hard", "33_650M"):
            errors = model["one_minus_cosine"]
            cells += [((name,), kind, ", ".join(map(digits, errors[kind]["centred"])))
                      for kind in ("fp16", "bf16", "e4m3, plain", "int8, plain", "int8")]
    return ("esm2_t…",), cells


TABLES = {"trained weights": trained, "made-up weights": made_up, "close calls": close_calls,
          "calibrations": calibrated, "the simulation": simulated}
