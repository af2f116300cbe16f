"""A table of labelled reads from a SAM text, with pandas: docs/reference/semantics.md, section 6."""

import re

import pandas as pd

import rollup_reference

CALL_COLUMNS = rollup_reference.COLUMNS[1:]
COLUMNS = ["read_id", "read_length", "contig_id", "contig_length", "strand", "mapping_quality",
           "pct_identity", "pct_query_cov", "mapped_well", *CALL_COLUMNS, "mate"]
UNCLASSIFIED = ["Unclassified", "", 0.0, 0, 0, 0, 0, 0.0, 0.0]
PAIRED, UNMAPPED, REVERSE, FIRST, LAST, SECONDARY, SUPPLEMENTARY = 1, 4, 16, 64, 128, 256, 2048


def mate_of(flags):
    if not flags & PAIRED or bool(flags & FIRST) == bool(flags & LAST):
        return 0
    return 1 if flags & FIRST else 2


def alignment(fields, lengths):
    """What one primary mapped line says."""
    sums = dict.fromkeys("MIDNSHP=X", 0)
    for length, operation in re.findall(r"(\d+)([MIDNSHP=X])", fields[5]):
        sums[operation] += int(length)
    distance = next(int(field[5:]) for field in fields[11:] if field.startswith("NM:i:"))
    matches = sums["M"] + sums["="] + sums["X"]
    block = matches + sums["I"] + sums["D"]
    query = matches + sums["I"] + sums["S"] + sums["H"]
    quality, flags = int(fields[4]), int(fields[1])
    identity, coverage = 100 * (block - distance) / block, 100 * (matches + sums["I"]) / query
    return {"read_id": fields[0], "read_length": query, "contig_id": fields[2],
            "contig_length": lengths[fields[2]], "strand": "-" if flags & REVERSE else "+",
            "mapping_quality": quality, "identity": identity, "coverage": coverage,
            "mapped_well": quality >= 5 and identity >= 90 and coverage >= 80,
            "mate": mate_of(flags)}


def labelled(sam, chunks, mates, unclassified):
    """`chunks`: a DataFrame of ID, score_0 and score_1. Returns the table's text."""
    lines = [line.split("\t") for line in sam.splitlines()]
    lengths = {line[1][3:]: int(line[2][3:]) for line in lines if line[0] == "@SQ"}
    skipped = UNMAPPED | SECONDARY | SUPPLEMENTARY
    rows = pd.DataFrame([alignment(line, lengths) for line in lines
                         if not line[0].startswith("@") and not int(line[1]) & skipped])
    if not len(rows):
        return "\t".join(COLUMNS) + "\n"
    calls = {row[0]: list(row[1:]) for row in
             rollup_reference.rollup(chunks).itertuples(index=False, name=None)} if len(chunks) else {}
    for k, column in enumerate(CALL_COLUMNS):
        rows[column] = [calls.get(name, UNCLASSIFIED)[k] for name in rows.contig_id]
    table = []
    key = ["read_id", "mate"] if mates == "apart" else "read_id"
    for _, read in rows.groupby(key, sort=False):
        known = read[read.call != "Unclassified"]
        if unclassified == "ignored" and len(known):
            read = known
        order = read.sort_values(["mapping_quality", "identity"], ascending=False, kind="stable")
        best = order.iloc[0].copy()
        if read.call.nunique() > 1:
            best["call"], best["tier"] = "Multi-mapped", "review"
        best["pct_identity"], best["pct_query_cov"] = round(best.identity, 3), round(best.coverage, 3)
        table.append(best)
    return pd.DataFrame(table)[COLUMNS].to_csv(sep="\t", index=False)
