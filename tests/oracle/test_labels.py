"""Labels of reads against pandas, on random alignments and tables of chunks."""

import gzip
import os
import random
import subprocess
from pathlib import Path

import pandas as pd
import pytest

import labels_reference as reference
from lengths import by_length
from test_rollup import score

TOOL = Path(os.environ["VIRNUCPRO_TOOLS"]) / "labels_tool"
SOURCE = Path(os.environ["VIRNUCPRO_SOURCE"])
READS = [SOURCE / "tests" / "data" / "reads" / f"simulated_{mate}.fq.gz" for mate in (1, 2)]
FILES = by_length(60, 4_000)
RULES = [(mates, unclassified) for mates in ("join", "apart")
         for unclassified in ("counts", "ignored")]


def random_chunks(source, contigs):
    """Of each contig up to six; one in four has none."""
    return pd.DataFrame([(name, float(str(score(source))), float(str(score(source))))
                         for name in contigs if source.random() < 0.75
                         for _ in range(source.randint(1, 6))],
                        columns=["ID", "score_0", "score_1"])


def random_cigar(source):
    """A CIGAR with its letters; close to the edges of what is mapped well."""
    clips = [(source.choice([0, 0, 5, source.randint(1, 40)]), "S") for _ in range(2)]
    inner = []
    for _ in range(source.randint(0, 3)):
        inner += [(source.randint(1, 60), source.choice("M=X")),
                  (source.randint(1, 9), source.choice("IDNP"))]
    inner.append((source.choice([100, 20, source.randint(1, 200)]), "M"))
    hard = [(source.choice([0, 0, 3]), "H")]
    operations = [one for one in hard + clips[:1] + inner + clips[1:] + hard if one[0]]
    letters = sum(length for length, operation in operations if operation in "MIS=X")
    block = sum(length for length, operation in operations if operation in "MID=X")
    return "".join(f"{length}{operation}" for length, operation in operations), letters, block


def random_line(source, contigs):
    cigar, letters, block = random_cigar(source)
    distance = min(block, source.choice([0, block // 10, block // 10 + 1, source.randint(0, block)]))
    flags = source.choice([0, 16, 65, 129, 81, 145, 193, 256, 2048, 4, 1])
    tags = [f"NM:i:{distance}"] + ["XX:Z:a b", "AS:i:-3", "YY:B:c,1"][:source.randint(0, 3)]
    source.shuffle(tags)
    sequence = "A" * letters if source.random() < 0.5 else "*"
    quality = source.choice([0, 4, 5, 6, 60, 255, source.randint(0, 60)])
    name = f"read{source.randint(0, 12)}"
    return "\t".join([name, str(flags), source.choice(list(contigs)), "1", str(quality), cigar, "*",
                      "0", "0", sequence, "*", *tags]) + "\n"


def random_sam(source):
    contigs = {f"NODE_{k}": source.randint(1, 10_000) for k in range(source.randint(1, 5))}
    text = "@HD\tVN:1.6\n" + "".join(f"@SQ\tSN:{name}\tLN:{length}\n"
                                     for name, length in contigs.items())
    return text + "".join(random_line(source, contigs)
                          for _ in range(source.randint(0, 30))), contigs


def written(alignments, chunks, rule, folder):
    subprocess.run([TOOL, alignments, *rule, folder / "out.tsv"], text=True, check=True,
                   input=chunks.to_csv(sep="\t", index=False, header=False))
    return (folder / "out.tsv").read_text()


def test_random_alignments(tmp_path):
    source = random.Random(23)
    calls, wells = set(), set()
    for number in range(FILES):
        sam, contigs = random_sam(source)
        chunks = random_chunks(source, contigs)
        rule = RULES[number % len(RULES)]
        (tmp_path / "a.sam").write_text(sam)
        wanted = reference.labelled(sam, chunks, *rule)
        assert written(tmp_path / "a.sam", chunks, rule, tmp_path) == wanted, (number, rule)
        rows = [line.split("\t") for line in wanted.splitlines()[1:]]
        calls |= {row[9] for row in rows}
        wells |= {row[8] for row in rows}
    assert calls == {"Viral", "Non-viral", "Ambiguous", "Unclassified", "Multi-mapped"}
    assert wells == {"True", "False"}


@pytest.mark.parametrize("rule", RULES, ids="-".join)
def test_bam_says_what_sam_does(tmp_path, rule):
    source = random.Random(4)
    for _ in range(10):
        sam, contigs = random_sam(source)
        chunks = random_chunks(source, contigs)
        (tmp_path / "a.sam").write_text(sam)
        subprocess.run(["samtools", "view", "-b", "a.sam", "-o", "a.bam"], cwd=tmp_path, check=True,
                       capture_output=True)
        tables = [written(tmp_path / name, chunks, rule, tmp_path) for name in ("a.sam", "a.bam")]
        assert tables[0] == tables[1]


# Pieces of the genome that the reads were simulated from; two overlap, so that mates, and the parts
# of one read, lie on both.
PIECES = {"NODE_1": (0, 7000), "NODE_2": (6000, 15_000), "NODE_10": (15_000, 15_700),
          "NODE_3": (20_000, 48_502)}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """Each alignment: its file, and its text."""
    folder = tmp_path_factory.mktemp("simulated")
    letters = "".join(gzip.open(SOURCE / "share" / "virnucpro" / "lambda.fa.gz", "rt").read().split("\n")[1:])
    (folder / "contigs.fa").write_text("".join(
        f">{name}\n{letters[begin:end]}\n" for name, (begin, end) in PIECES.items()))

    def run(*command):
        return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout

    found = []
    for preset, reads in (("sr", READS), ("map-ont", READS[:1])):
        run("minimap2", "-ax", preset, "-o", f"{preset}.sam", "contigs.fa", *reads)
        run("samtools", "sort", "-o", f"{preset}.bam", f"{preset}.sam")
        found.append((folder / f"{preset}.bam", run("samtools", "view", "-h", f"{preset}.bam")))
    return found


@pytest.mark.parametrize("rule", by_length([RULES[0], RULES[-1]], RULES), ids="-".join)
def test_simulated_reads_by_minimap2(tmp_path, simulated, rule):
    for file, sam in simulated:
        chunks = random_chunks(random.Random(8), PIECES)
        wanted = reference.labelled(sam, chunks, *rule)
        assert written(file, chunks, rule, tmp_path) == wanted
        rows = [line.split("\t") for line in wanted.splitlines()[1:]]
        assert len(rows) > 200 and len({row[2] for row in rows}) > 2
        assert {row[8] for row in rows} == {"True", "False"}
