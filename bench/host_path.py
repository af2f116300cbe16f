"""Figures a and b: the work before the models, and the tokenizer against `tokenizers`."""

import gzip
import random
from pathlib import Path
from typing import Iterator, List, Tuple

import figure
from setting import Setting
from session import Side, alternate

READS = 50_000
READ_LENGTHS = ((500, 500), (150, 300))  # bases, and the models' chunk size
HOST_GOAL = 5_000
TEXTS = 4_000
TOKENIZER_GOAL = 3.0
# Qualities as a sequencer bins them: their entropy determines the cost of decompression.
QUALITIES, QUALITY_WEIGHTS = "F:,#", (88, 7, 4, 1)


def coding_reads(setting: Setting, count: int, length: int) -> List[Tuple[str, str]]:
    """The ids and letters of reads that each have a stop-free frame."""
    text = setting.virnucpro("generate", "-n", count, "--length", length, "--coding", 1, "-o", "-")
    records = (record.split("\n") for record in text.split(">")[1:])
    return [(header, "".join(lines)) for header, *lines in records]


def write_fastq(path: Path, reads: List[Tuple[str, str]]) -> None:
    rng = random.Random(3)
    with gzip.open(path, "wt", compresslevel=6) as file:
        for header, letters in reads:
            quality = "".join(rng.choices(QUALITIES, QUALITY_WEIGHTS, k=len(letters)))
            file.write(f"@{header}\n{letters}\n+\n{quality}\n")


def host_path(setting: Setting) -> Iterator[figure.Figure]:
    for length, chunk in READ_LENGTHS:
        reads = setting.scratch / f"reads{length}.fastq.gz"
        write_fastq(reads, coding_reads(setting, READS, length))
        for threads in setting.threads:
            command = [setting.bin / "bench_host_path", threads, chunk, setting.tokenizer, reads]
            with Side(command, setting.environment) as side:
                [passes] = alternate([side], setting.repeats)
                settings = {"threads": threads, "chunk_size": chunk, "input": side.settings}
            name = f"host path, {length}-base FASTQ.gz, {figure.counted(threads, 'thread')}"
            wall = figure.rates(passes, "wall")
            settings["wall_sequences_per_second"] = round(sorted(wall)[len(wall) // 2])
            yield figure.rate(name, "sequences/s a core", passes, "cpu", HOST_GOAL, settings)


def tokenizer(setting: Setting) -> Iterator[figure.Figure]:
    texts = setting.scratch / "texts"
    reads = coding_reads(setting, TEXTS, 500)
    texts.write_text("".join(letters + "\n" for _, letters in reads))
    for threads in setting.threads:
        ours = [setting.bin / "bench_tokenizer", threads, setting.tokenizer, texts]
        for method in ("encode", "encode_batch"):
            theirs = [setting.python, setting.peers / "tokenizer.py", method, threads,
                      setting.tokenizer, texts]
            with Side(ours, setting.environment) as our_side, Side(theirs) as peer_side:
                assert peer_side.settings.endswith(our_side.settings), "other texts or tokens"
                yield figure.in_turns(
                    f"tokenizer against {method}, {figure.counted(threads, 'thread')}",
                    "texts/s a core", our_side, f"tokenizers {method}", peer_side, setting.repeats,
                    "cpu", TOKENIZER_GOAL, {"threads": threads})
