"""R, pandas and polars read the tables as docs/use/outputs.md tells their users: all rows, and ids as they are."""

import re
import subprocess
import sys

import pytest
from conftest import SHORT, SOURCE, Program, fasta

# As in programs that write tables, in assemblies, and such as R, pandas and polars take for something else.
IDS = ["contig_1", "5'UTR_contig", "contig_2", '"quoted"', "#hash_first", 'say"hi', "contig_3", '"', "'", '""', "\\t",
       "\\N", 'é"', "NA", "NULL", "null", "nan", "None", "TRUE", "T", "001", "1e5", "0x1F", "-"]
# No score within the first rows, from which some readers infer what a column holds.
EMPTY = [str(k) for k in range(120)]
NUMBERS = ["001", "0010", "7"]  # of a table in which no id is anything else
# What each needs first; what it prints of a table (the rows, then the ids); what more of the table FIGURES.
PYTHON = 'print(len(d), *d[ID], sep="\\n")\n'
PYTHON_FIGURES = """print(d["length"].sum(), missing("reason"), missing("max_virus_score"),
      f"{d['max_virus_score'].max():.6f}")
"""
READERS = {
    "R": ("", 'writeLines(c(nrow(d), replace(d[[ID]], is.na(d[[ID]]), "missing")))\n',
          'cat(sum(d$length), sum(is.na(d$reason)), sum(is.na(d$max_virus_score)),\n'
          '    paste0(sprintf("%.6f", max(d$max_virus_score, na.rm = TRUE)), "\\n"))\n'),
    "pandas": ("import csv\nimport pandas as pd\ndef missing(column): return d[column].isna().sum()\n",
               PYTHON, PYTHON_FIGURES),
    "polars": ("import polars as pl\ndef missing(column): return d[column].null_count()\n", PYTHON, PYTHON_FIGURES)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, genome):
    """A run with such ids, one of NUMBERS alone without any score, and the table of both; the latter is a sample NA."""
    program = Program(tmp_path_factory.mktemp("tables"))
    letters = {name: "" for name in EMPTY} | {name: genome[100 * k:100 * k + 300] for k, name in enumerate(IDS)}
    (program.folder / "ids.fa").write_text(fasta(letters))
    (program.folder / "empty.fa").write_text(fasta({name: "" for name in NUMBERS}))
    for name, file in (("ids", "ids.fa"), ("NA", "empty.fa")):
        program.predict(file, *SHORT, "--name", name, "--rule", "viral-ngs", "-o", f"runs/{name}", code=0)
    program("report", "runs/ids", "runs/NA", "-o", "samples.html", code=0)
    return program.folder


FIGURES = "runs/ids/sequences.tsv"
TABLES = ["samples.tsv",
          *(f"runs/{name}/{table}" for name in ("ids", "NA")
            for table in ("sequences.tsv", "contigs.tsv", f"{name}_merged/prediction_results.txt",
                          f"{name}_merged/prediction_results_highestscore.csv"))]


def rows_of(file):
    """Without any reader: fields between tabs, lines between line ends."""
    return [line.split("\t") for line in file.read_text().removesuffix("\n").split("\n")]


def told(reader):
    """The page's line for this reader."""
    found = re.findall(rf"(?m)^\| {reader} \| `(.*)` \|$", (SOURCE / "docs/use/outputs.md").read_text())
    assert len(found) == 1, found
    return found[0]


def run(reader, script, folder):
    command = ["Rscript", "--vanilla", "-e"] if reader == "R" else [sys.executable, "-c"]
    done = subprocess.run([*command, script], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def expected(folder, table):
    head, *rows = rows_of(folder / table)
    shown = [str(len(rows)), *(row[0] for row in rows)]
    if table == FIGURES:
        columns = dict(zip(head, zip(*rows)))
        scores = [float(score) for score in columns["max_virus_score"] if score != "NA"]
        shown.append(f"{sum(map(int, columns['length']))} {columns['reason'].count('NA')} "
                     f"{len(rows) - len(scores)} {max(scores):.6f}")
    return shown


@pytest.mark.parametrize("reader", READERS)
def test_rows_and_ids_are_all_there(folder, reader):
    script, prints, prints_figures = READERS[reader]
    for table in TABLES:
        script += f'F = "{table}"\nID = "{rows_of(folder / table)[0][0]}"\n{told(reader)}\n{prints}'
        script += prints_figures if table == FIGURES else ""
    assert run(reader, script, folder) == [line for table in TABLES for line in expected(folder, table)]


def test_ids_are_such_as_readers_misread(folder):
    rows = rows_of(folder / FIGURES)[1:]
    assert [row[0] for row in rows] == EMPTY + IDS
    assert int(run("R", f'cat(nrow(read.delim("{FIGURES}")))', folder)[0]) < len(rows)
    assert len(rows_of(folder / "runs/NA/NA_merged/prediction_results.txt")) == 1  # a head without rows
