"""contigs.tsv from a table of chunks, with pandas: docs/reference/semantics.md, section 6."""

import re

import numpy as np
import pandas as pd

COLUMNS = ["ID", "call", "tier", "weighted_delta", "n_chunks", "n_confident_viral",
           "n_confident_nonviral", "n_ambiguous", "viral_proportion", "nonviral_proportion"]


def tier_of(row):
    if row.call == "Ambiguous":
        return "review"
    viral = row.call == "Viral"
    confident = row.n_confident_viral if viral else row.n_confident_nonviral
    proportion = row.viral_share if viral else row.nonviral_share
    tier = "low_confidence"
    if confident >= 1 and proportion >= 0.1:
        tier = "high_confidence" if abs(row.delta) > 0.6 else "moderate_confidence"
    if row.n_chunks >= 5:
        return tier
    return "review" if tier == "low_confidence" else "low_confidence"


def call_of(delta):
    if delta > 0.3:
        return "Viral"
    return "Non-viral" if delta < -0.3 else "Ambiguous"


def rollup(chunks):
    """`chunks`: a DataFrame of ID, score_0 and score_1 (float64), of scored chunks in order. Rows
    come in the order in which an id first appears."""
    chunks = chunks.copy()
    chunks["d"] = chunks.score_1 - chunks.score_0
    chunks["weight"] = np.sqrt(chunks.d.abs())
    chunks["product"] = chunks.d * chunks.weight
    chunks["viral"] = (chunks.score_1 > 0.8) & (chunks.score_0 < 0.3)
    chunks["nonviral"] = (chunks.score_0 > 0.8) & (chunks.score_1 < 0.3)
    chunks["both"] = (chunks.score_0 > 0.7) & (chunks.score_1 > 0.7)
    grouped = chunks.groupby("ID", sort=False)
    table = pd.DataFrame({
        "n_chunks": grouped.size(),
        "n_confident_viral": grouped.viral.sum(),
        "n_confident_nonviral": grouped.nonviral.sum(),
        "n_ambiguous": grouped.both.sum(),
        "weights": grouped.weight.sum(),
        "products": grouped["product"].sum(),
        "mean": grouped.d.mean(),
    })
    table["delta"] = np.where(table.weights > 0,
                              table.products / table.weights.where(table.weights > 0, 1), table["mean"])
    effective = table.n_chunks - table.n_ambiguous
    for kind in ("viral", "nonviral"):
        share = table[f"n_confident_{kind}"] / effective.where(effective > 0, 1)
        table[f"{kind}_share"] = share.where(effective > 0, 0.0)
        table[f"{kind}_proportion"] = [round(value, 3) for value in table[f"{kind}_share"]]
    table["call"] = [call_of(delta) for delta in table.delta]
    table["tier"] = [tier_of(row) for row in table.itertuples()]
    table["weighted_delta"] = np.round(table.delta.to_numpy(), 3)
    return table.reset_index()[COLUMNS]


def natural_key(name):
    return [int(part) if part.isdigit() else part for part in re.split(r"([0-9]+)", name)]
