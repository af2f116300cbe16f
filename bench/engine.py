"""Figures c and d: the engine compared with torch, over the same weights and sequences."""

import array
import math
import random
from pathlib import Path
from typing import Iterator, List

import figure
from setting import Setting
from session import Side

ESM2 = {"8M": "esm2_t6_8M", "35M": "esm2_t12_35M", "150M": "esm2_t30_150M",
        "650M": "esm2_t33_650M"}
DEFAULT_MODELS = ("8M", "35M", "150M")
RESIDUES = "LAGVSERTIDPKQNFYMHWC"
SHORTEST, LONGEST = 30, 170
# About how many DNABERT-S tokens a residue has: 3 bases per residue, some 4.5 bases per token.
TOKENS_A_RESIDUE = 2 / 3
DNA_VOCABULARY = range(5, 4096)  # 0 to 4 are special tokens
BATCH_TOKENS = 4096  # a full batch of the program
GOAL = 1.3
TOLERANCE = 1e-4  # for embeddings, whose numbers are around one


def pass_tokens(threads: int, batches: int = 1) -> int:
    """The tokens of a pass. Many threads get more full batches, so that no pass is too short."""
    return BATCH_TOKENS * batches * math.ceil(threads / 4)


def lengths(rng: random.Random, budget: int, tokens_of) -> List[int]:
    """Evenly distributed frame lengths, in residues, until their tokens fill the budget."""
    chosen, used = [], 0
    while True:
        residues = rng.randint(SHORTEST, LONGEST)
        used += tokens_of(residues)
        if used > budget:
            return chosen
        chosen.append(residues)


def proteins(tokens: int) -> List[str]:
    rng = random.Random(1)
    return ["".join(rng.choices(RESIDUES, k=residues))
            for residues in lengths(rng, tokens, lambda residues: residues + 2)]


def dna_tokens(tokens: int) -> List[str]:
    rng = random.Random(2)

    def tokens_of(residues):
        return int(residues * TOKENS_A_RESIDUE) + 2

    return [" ".join(map(str, [1, *rng.choices(DNA_VOCABULARY, k=tokens_of(residues) - 2), 2]))
            for residues in lengths(rng, tokens, tokens_of)]


def differ(ours: Path, theirs: Path) -> float:
    """The largest difference between two files of fp32 numbers."""
    a, b = (array.array("f", path.read_bytes()) for path in (ours, theirs))
    assert len(a) == len(b) > 0, f"{len(a)} numbers, the peer has {len(b)}"
    return max(abs(x - y) for x, y in zip(a, b))


def compare(setting: Setting, name: str, kind: str, model: Path, threads: int,
            lines: List[str], peer: str, *peer_arguments: object) -> figure.Figure:
    sequences = setting.scratch / "sequences"
    sequences.write_text("\n".join(lines) + "\n")
    ours, theirs = setting.scratch / "ours.f32", setting.scratch / "theirs.f32"
    our_command = [setting.bin / "bench_engine", kind, model, threads, "fp32", sequences, ours]
    peer_command = [setting.python, setting.peers / f"{peer}.py", model, threads, *peer_arguments,
                    sequences, theirs]
    with Side(our_command, setting.environment) as our_side, Side(peer_command) as peer_side:
        difference = differ(ours, theirs)
        assert difference < TOLERANCE, f"{name}: embeddings differ by {difference}"
        return figure.in_turns(
            f"{name}, {figure.counted(threads, 'thread')}", "tokens/s", our_side, "torch", peer_side,
            setting.repeats, figure.clock_for(threads), GOAL,
            {"threads": threads, "precision": "fp32", "largest_difference": difference})


def esm2(setting: Setting) -> Iterator[figure.Figure]:
    for size in setting.models or DEFAULT_MODELS:
        model = setting.weights(ESM2[size])
        for threads in setting.threads:
            tokens = pass_tokens(threads, batches=4 if size == "8M" else 1)
            yield compare(setting, f"ESM-2 {size}", "esm2", model, threads, proteins(tokens),
                          "esm2")


def dnabert(setting: Setting) -> Iterator[figure.Figure]:
    model = setting.weights("dnabert-s")
    for batch in (1, 32):
        for threads in setting.threads:
            yield compare(setting, f"DNABERT-S against batches of {batch}", "dnabert-s", model,
                          threads, dna_tokens(pass_tokens(threads)), "dnabert", "fp32", batch)
