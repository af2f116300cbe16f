"""ESM-2 on a GPU against torch: both sides stay loaded and take turns, so the chip stays as hot."""

import random
from typing import Iterator, List

import figure
from engine import RESIDUES
from session import Side, alternate
from setting import Setting

BUDGET = 32768
BATCHES = 20  # of a pass: some six seconds of 3B
GOALS = {"fp16": 1.12, "bf16": 1.09}


def proteins(tokens_each: int, batches: int) -> List[str]:
    rng = random.Random(1)
    count = BUDGET // tokens_each * batches
    return ["".join(rng.choices(RESIDUES, k=tokens_each - 2)) for _ in range(count)]


def compare(setting: Setting, model: str, precision: str, length: int) -> figure.Figure:
    sequences = setting.scratch / "proteins"
    sequences.write_text("\n".join(proteins(length, BATCHES)) + "\n")
    ours = [setting.bin / "bench_engine", "esm2", f"synthetic:{model}", "cuda", precision,
            sequences, setting.scratch / "ours.f32"]
    peer = [setting.python, setting.peers / "esm2_packed.py", model, precision, sequences, BUDGET]
    with Side(ours, setting.environment) as our_side, Side(peer) as peer_side:
        alternate([our_side, peer_side], 1)  # the chip settles
        passes = alternate([our_side, peer_side], setting.repeats)
        settings = {"precision": precision, "tokens_a_sequence": length, "ours": our_side.settings,
                    "peer": peer_side.settings}
    return figure.ratio(f"{model}, {precision}, {length} tokens a protein", "tokens/s", passes[0],
                        "torch", passes[1], "wall", GOALS[precision], settings)


def esm2(setting: Setting) -> Iterator[figure.Figure]:
    for model in setting.models or ["esm2_t36_3B"]:
        for precision in GOALS:
            yield compare(setting, model, precision, 168)
    for length in (52, 104, 340, 1026):
        yield compare(setting, "esm2_t36_3B", "fp16", length)
