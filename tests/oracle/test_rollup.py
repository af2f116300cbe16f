"""contigs.tsv against pandas, on random tables of chunks."""

import os
import random
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import chunks_reference
import rollup_reference as reference
from lengths import by_length

TOOL = Path(os.environ["VIRNUCPRO_TOOLS"]) / "contigs_tool"
TABLES = by_length(1000, 10_000)
SIZE = 300
# Where the rule has its edges; and scores between them.
EDGES = [0.0, 0.1, 0.3, 0.30000001, 0.6, 0.7, 0.70000005, 0.8, 0.80000005, 1.0]


def score(source):
    return np.float32(source.choice([source.random(), source.choice(EDGES),
                                     source.random() ** 4, 1 - source.random() ** 4]))


def random_table(source, number):
    """Rows as the tool reads them, of one to four contigs."""
    for k in range(source.randint(1, 4)):
        name = f"NODE_{number}_{source.randint(0, 1200)}_x{k}"
        length = source.randint(1, source.choice([400, 2000, 9000]))
        chunks = chunks_reference.chunks("A" * length, SIZE)
        scored = [j for j in range(len(chunks)) if source.random() < source.choice([0.2, 0.9])]
        lean = source.choice([None, 0, 1])
        for j in scored:
            scores = [score(source), score(source)]
            if lean is not None:
                scores.sort(reverse=lean == 0)
            yield name, length, len(chunks), j, *scores
        if not scored:
            yield name, length, len(chunks), "-", "-", "-"


def written(rows, order, folder):
    text = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    subprocess.run([TOOL, str(SIZE), order, folder / "contigs.tsv"], input=text, text=True,
                   check=True)
    return [line.split("\t") for line in (folder / "contigs.tsv").read_text().splitlines()]


def covered(length, chunks):
    spans = chunks_reference.chunks("A" * length, SIZE)
    return len({base for j in chunks for base in range(*spans[j])})


def expected(rows):
    chunks = pd.DataFrame([(row[0], float(str(row[4])), float(str(row[5])))
                           for row in rows if row[3] != "-"], columns=["ID", "score_0", "score_1"])
    table = reference.rollup(chunks) if len(chunks) else pd.DataFrame(columns=reference.COLUMNS)
    lines = table.to_csv(sep="\t", index=False).splitlines()
    by_id = {line.split("\t")[0]: line.split("\t") for line in lines}
    result = [[*by_id["ID"], "length", "chunks", "bases_scored", "input"]]
    unclassified = ["Unclassified", "", "0.0", *["0"] * 4, "0.0", "0.0"]
    for name in dict.fromkeys(row[0] for row in rows):
        own = [row for row in rows if row[0] == name]
        bases = covered(own[0][1], [row[3] for row in own if row[3] != "-"])
        result.append([*by_id.get(name, [name, *unclassified]), str(own[0][1]), str(own[0][2]),
                       str(bases), "a.fa"])
    return result


def test_random_tables(tmp_path):
    source = random.Random(11)
    rows = [row for number in range(TABLES) for row in random_table(source, number)]
    wanted = expected(rows)
    assert written(rows, "input", tmp_path) == wanted
    calls = {line[1] for line in wanted[1:]}
    tiers = {line[2] for line in wanted[1:]}
    assert calls == {"Viral", "Non-viral", "Ambiguous", "Unclassified"}
    assert tiers == {"high_confidence", "moderate_confidence", "low_confidence", "review", ""}


@pytest.mark.parametrize("seed", range(3))
def test_natural_order(tmp_path, seed):
    source = random.Random(seed)
    rows = [row for number in range(200) for row in random_table(source, source.randint(0, 10**6))]
    found = [line[0] for line in written(rows, "natural", tmp_path)[1:]]
    names = list(dict.fromkeys(row[0] for row in rows))
    assert found == sorted(names, key=reference.natural_key)
