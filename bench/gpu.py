"""One GPU compared with torch. Both sides take turns, so that the chip is equally hot for both."""

import json
import math
import random
import statistics
import subprocess
from array import array
from pathlib import Path
from typing import Callable, Dict, Iterator, List

import figure
from engine import DNA_VOCABULARY, ESM2, RESIDUES, differ
from session import Side, alternate
from setting import Setting

BIGGEST = "esm2_t36_3B"
BUDGET = 32768
LENGTH = 168  # ESM-2 tokens of a frame of 500 bases
OTHER_LENGTHS = (52, 104, 340, 1026)
DNA_LENGTH = 100  # about how many DNABERT-S tokens such a frame has
GOALS = {"fp16": (1.12, 103_000), "bf16": (1.09, 105_000)}
WIDTHS = {"esm2_t36_3B": (36, 2560), "esm2_t33_650M": (33, 1280), "esm2_t30_150M": (30, 640)}
VANILLA_FRAMES = 120


def proteins(tokens_each: int, tokens: int) -> List[str]:
    rng = random.Random(1)
    return ["".join(rng.choices(RESIDUES, k=tokens_each - 2)) for _ in range(tokens // tokens_each)]


def write_lines(path: Path, lines: List[str]) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def engine(setting: Setting, kind: str, model: object, precision: str, sequences: Path,
           device: str = "cuda") -> Side:
    """This program as a side. It writes its embeddings to ours.f32."""
    command = [setting.bin / "bench_engine", kind, model, device, precision, sequences,
               setting.scratch / "ours.f32"]
    return Side(command, setting.environment)


def peer(setting: Setting, name: str, *arguments: object) -> Side:
    return Side([setting.python, setting.peers / f"{name}.py", *arguments])


def against(setting: Setting, name: str, ours: Side, peer_name: str, theirs: Side, goal: float,
            settings: dict) -> figure.Figure:
    alternate([ours, theirs], 1)  # the chip settles
    return figure.in_turns(name, "tokens/s", ours, peer_name, theirs, setting.repeats, "wall", goal,
                           settings)


# Compared with packed, compiled torch.


def against_packed(setting: Setting, model: str, precision: str, goal: float, tokens: int):
    sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, tokens))
    with engine(setting, "esm2", f"synthetic:{model}", precision, sequences) as ours, \
            peer(setting, "esm2_packed", model, precision, sequences, BUDGET) as theirs:
        found = against(setting, f"{model}, {precision}", ours, "torch", theirs, goal,
                        {"precision": precision, "tokens_a_sequence": LENGTH})
    yield found
    if model == BIGGEST:
        yield figure.alone(found, GOALS[precision][1])


def packed(model: str, precision: str) -> Callable[[Setting], Iterator[figure.Figure]]:
    goal, tokens = (GOALS[precision][0], 20) if model == BIGGEST else (1, 60)
    return lambda setting: against_packed(setting, model, precision, goal, tokens * BUDGET)


ESM2_SET = [packed(BIGGEST, "fp16"), packed(BIGGEST, "bf16"), packed("esm2_t33_650M", "fp16"),
            packed("esm2_t30_150M", "fp16")]

# The other figures.


def loading(setting: Setting) -> Iterator[figure.Figure]:
    model = setting.weights(BIGGEST)
    sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, LENGTH))
    seconds = []
    for _ in range(3):
        with engine(setting, "esm2", model, "fp16", sequences) as ours:
            seconds.append(ours.seconds)
    yield figure.limit(f"{BIGGEST}, fp16, to ready from an fp32 file in the page cache", "s", seconds, 6,
                       {"precision": "fp16"})


def flop_a_token(model: str, length: int) -> float:
    layers, width = WIDTHS[model]
    return layers * (24 * width * width + 4 * width * length)


def lengths(setting: Setting) -> Iterator[figure.Figure]:
    sides: Dict[int, Side] = {}
    try:
        for length in (LENGTH, *OTHER_LENGTHS):
            sequences = write_lines(setting.scratch / f"proteins-{length}",
                                    proteins(length, 10 * BUDGET))
            sides[length] = engine(setting, "esm2", f"synthetic:{BIGGEST}", "fp16", sequences)
        alternate([*sides.values()], 1)  # the chip settles
        passes = dict(zip(sides, alternate([*sides.values()], setting.repeats)))
    finally:
        for side in sides.values():
            side.__exit__()
    flops = {length: [rate * flop_a_token(BIGGEST, length) / 1e12
                      for rate in figure.rates(passes[length], "wall")] for length in passes}
    for length in OTHER_LENGTHS:
        tokens = statistics.median(figure.rates(passes[length], "wall"))
        yield figure.ratio_of_rates(f"{BIGGEST}, fp16, {length} tokens a protein, arithmetic",
                                    "TFLOP/s", flops[length], f"{LENGTH} tokens", flops[LENGTH],
                                    0.95, {"tokens_per_second": tokens})


def full_precision(setting: Setting) -> Iterator[figure.Figure]:
    sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, BUDGET))
    with engine(setting, "esm2", f"synthetic:{BIGGEST}", "fp32", sequences) as ours, \
            peer(setting, "vanilla", BIGGEST, setting.coding_reads(VANILLA_FRAMES),
                 VANILLA_FRAMES) as theirs:
        yield against(setting, f"{BIGGEST}, fp32", ours, "original", theirs, 1.2,
                      {"precision": "fp32"})


def dnabert(setting: Setting) -> Iterator[figure.Figure]:
    model = setting.weights("dnabert-s")
    rng = random.Random(2)
    for precision, batch, count in (("fp32", 1, 300), ("fp32", 256, 4096), ("fp16", 256, 16384)):
        lines = [" ".join(map(str, [1, *rng.choices(DNA_VOCABULARY,
                                                    k=DNA_LENGTH + rng.randint(-8, 8) - 2), 2]))
                 for _ in range(count)]
        sequences = write_lines(setting.scratch / "dna", lines)
        with engine(setting, "dnabert-s", model, precision, sequences) as ours, \
                peer(setting, "dnabert", model, "cuda", precision, batch, sequences,
                     setting.scratch / "theirs.f32") as theirs:
            worst = least_cosine(setting, 768)
            assert 1 - worst <= MOST_APART[precision], (precision, worst)
            yield against(setting, f"DNABERT-S, {precision}, against batches of {batch}", ours,
                          "torch", theirs, 1, {"precision": precision, "least_cosine": worst})


def rows(path: Path, width: int) -> List[array]:
    values = array("f", path.read_bytes())
    return [values[i : i + width] for i in range(0, len(values), width)]


def least_cosine(setting: Setting, width: int) -> float:
    """The least cosine between this program's and the peer's embedding, of the first 200 rows."""
    def cosine(a, b):
        return sum(map(float.__mul__, a, b)) / math.sqrt(
            sum(x * x for x in a) * sum(x * x for x in b))

    ours, theirs = (rows(setting.scratch / name, width) for name in ("ours.f32", "theirs.f32"))
    pairs = list(zip(ours, theirs))
    assert pairs
    return min(cosine(a, b) for a, b in pairs[:200])


# By precision: the largest 1 - cosine that is allowed against a reference implementation.
MOST_APART = {"fp32": 1e-7, "fp16": 1e-5, "bf16": 1e-4}
LARGEST_FP32 = 1e-4


def generic(precision: str, goal: int) -> Callable[[Setting], Iterator[figure.Figure]]:
    """The kernels for GPUs other than Hopper, run on this GPU in turns with its own kernels."""
    def measure(setting: Setting) -> Iterator[figure.Figure]:
        model = setting.weights(BIGGEST)
        sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, 10 * BUDGET))
        with engine(setting, "esm2", model, precision, sequences, "cuda-generic") as ours, \
                engine(setting, "esm2", model, precision, sequences) as own:
            found = against(setting, f"{BIGGEST}, {precision}, generic kernels", ours,
                            "the device's own", own, 0.5, {"precision": precision})
        yield found
        yield figure.alone(found, goal)

    return measure


GENERIC_SET = [generic("fp16", 66_000), generic("int8", 105_000)]


def accuracy(setting: Setting) -> Iterator[figure.Figure]:
    """Compares embeddings of the GPU with transformers' on the CPU in fp32."""
    rng = random.Random(3)
    few = ["".join(rng.choices(RESIDUES, k=length)) for length in (5, 33, 50, 100, 166, 166, 338)]
    sequences = write_lines(setting.scratch / "few", few)
    for name in (ESM2["8M"], ESM2["35M"], BIGGEST):
        model = setting.weights(name)
        width = json.loads((model / "config.json").read_text())["hidden_size"]
        subprocess.run([setting.python, str(setting.peers / "esm2_reference.py"), str(model),
                        str(sequences), str(setting.scratch / "theirs.f32")], check=True,
                       stderr=subprocess.DEVNULL)
        for precision, most in MOST_APART.items():
            with engine(setting, "esm2", model, precision, sequences):
                pass
            worst = least_cosine(setting, width)
            what = f"{name}, {precision}, to transformers on the CPU"
            yield figure.limit(f"{what}: largest 1 - cosine", "", [1 - worst], most,
                               {"precision": precision})
            if precision == "fp32":
                largest = differ(setting.scratch / "ours.f32", setting.scratch / "theirs.f32")
                yield figure.limit(f"{what}: largest difference", "", [largest], LARGEST_FP32,
                                   {"precision": precision})


def ops(setting: Setting) -> Iterator[figure.Figure]:
    done = subprocess.run([str(setting.bin / "bench_gpu_ops"), "1"], check=True,
                          stdout=subprocess.PIPE, env=setting.environment)
    for line in done.stdout.decode().splitlines():
        op = json.loads(line)
        yield figure.Figure(f"op: {op['op']}", op["unit"], op["reached"], [op["reached"]] * 2, 1,
                            "none", True, settings=op)


OTHERS_SET = [loading, accuracy, dnabert, full_precision, lengths, ops]
