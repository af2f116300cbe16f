"""ESM-2 3B in 8 bits on one GPU: compared with other precisions and torch, by length of proteins,
by the linears kept in 16 bits, and in whole runs. All sides stay loaded and take turns."""

import random
import statistics
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Callable, Dict, Iterator, List, Sequence

import figure
import suites
from gpu import BIGGEST, BUDGET, LENGTH, engine, peer, proteins, write_lines
from gpu_runs import arguments
from session import Side
from setting import Setting

LEAST, OVER_TORCH = 200_000, 2.15
LEAST_OF_RUNS, OVER_FP16 = 184_000, 1.82  # with --margin 0
DEFAULT_OVER_FP16 = 1.6
BATCHES = 60  # in a pass, which takes 10 s or more
LENGTHS = (52, 104, LENGTH, 340)
KEPT = ("qkv", "out", "fc1", "fc2")
LEAST_KEPT = 0.75  # fc1 and fc2 are a third of the work each, and take twice as long in 16 bits
SEQUENCES = 34_000  # a run takes over 30 s


class Watch:
    """Reads power and clock of the first GPU from nvidia-smi, ten times a second."""

    QUERY = ["nvidia-smi", "--id=0", "--query-gpu=power.draw.instant,clocks.sm",
             "--format=csv,noheader,nounits", "--loop-ms=100"]

    def __enter__(self):
        self.rows: List[tuple] = []
        self._process = subprocess.Popen(self.QUERY, stdout=subprocess.PIPE, text=True)
        self._thread = threading.Thread(target=self._read)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.stdout.close()
        self._thread.join()
        self._process.wait()

    def _read(self):
        try:
            for line in self._process.stdout:
                self.rows.append(tuple(map(float, line.split(","))))
        except ValueError:  # __exit__() closed the pipe
            pass

    def means(self) -> tuple:
        """The means since the last call, without the first rows: they may be of the side before."""
        rows, self.rows = self.rows[5:], []
        return tuple(statistics.fmean(column) for column in zip(*rows)) if rows else (0.0, 0.0)


def in_turns(sides: Dict[str, Side], repeats: int) -> tuple:
    """The rates of each side, and its mean power (W) and clock (MHz)."""
    rates: Dict[str, List[float]] = {name: [] for name in sides}
    drawn: Dict[str, List[tuple]] = {name: [] for name in sides}
    next(iter(sides.values())).run()  # the chip settles
    with Watch() as watch:
        for _ in range(repeats):
            for name, side in sides.items():
                watch.means()
                one = side.run()
                rates[name].append(one.work / one.wall)
                drawn[name].append(watch.means())
    return rates, {name: [statistics.median(column) for column in zip(*rows)]
                   for name, rows in drawn.items()}


def load(makers: Dict[str, Callable[[], Side]]) -> Dict[str, Side]:
    """Starts all sides at once."""
    with ThreadPoolExecutor(len(makers)) as pool:
        made = {name: pool.submit(maker) for name, maker in makers.items()}
        return {name: one.result() for name, one in made.items()}


def close(sides: Dict[str, Side]) -> None:
    for side in sides.values():
        side.__exit__()


def energy(rates: Sequence[float], drawn: Sequence[float]) -> dict:
    watts, clock = drawn
    return {"watts": round(watts), "megahertz": round(clock),
            "millijoule_a_token": round(1e3 * watts / statistics.median(rates), 3)}


def precisions(setting: Setting) -> Iterator[figure.Figure]:
    """int8, fp16, bf16 and compiled, packed torch on the same proteins."""
    sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, BATCHES * BUDGET))
    makers = {precision: partial(engine, setting, "esm2", f"synthetic:{BIGGEST}", precision, sequences)
              for precision in ("int8", "fp16", "bf16")}
    makers["torch"] = partial(peer, setting, "esm2_packed", BIGGEST, "fp16", sequences, BUDGET)
    sides = load(makers)
    try:
        rates, drawn = in_turns(sides, setting.repeats)
        about = sides["torch"].settings
    finally:
        close(sides)
    for name in ("int8", "fp16", "bf16"):
        settings = {"precision": name, "peer": about, **energy(rates[name], drawn[name])}
        if name == "int8":
            settings["of_peer"] = energy(rates["torch"], drawn["torch"])
        goal = OVER_TORCH if name == "int8" else 1
        found = figure.ratio_of_rates(f"{BIGGEST}, {name}, beside the others", "tokens/s",
                                      rates[name], "torch", rates["torch"], goal, settings)
        yield found
        if name == "int8":
            yield figure.alone(found, LEAST)


def mixed(tokens: int) -> List[str]:
    """Proteins of 25 to 340 tokens, as reads and contigs give them."""
    rng = random.Random(5)
    made, lines = 0, []
    while made < tokens:
        length = rng.choice((25, 52, 80, 104, 140, LENGTH, LENGTH, 260, 340))
        lines += proteins(length, length)
        made += length
    return lines


def lengths(setting: Setting) -> Iterator[figure.Figure]:
    makers = {}
    for length in (*LENGTHS, "mixed"):
        lines = mixed(10 * BUDGET) if length == "mixed" else proteins(length, 10 * BUDGET)
        sequences = write_lines(setting.scratch / f"proteins-{length}", lines)
        makers[str(length)] = partial(engine, setting, "esm2", f"synthetic:{BIGGEST}", "int8", sequences)
    sides = load(makers)
    try:
        rates, _ = in_turns(sides, setting.repeats)
    finally:
        close(sides)
    for name, its in rates.items():
        yield figure.ratio_of_rates(f"{BIGGEST}, int8, {name} tokens a protein", "tokens/s", its,
                                    f"{LENGTH} tokens", rates[str(LENGTH)], 0.85, {})


def kept(setting: Setting) -> Iterator[figure.Figure]:
    """The cost of keeping one kind of linear in 16 bits, for each kind."""
    sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, 10 * BUDGET))
    sides = load({keep: partial(engine, setting, "esm2", f"synthetic:{BIGGEST}", f"int8:{keep}", sequences)
                  for keep in ("none", *KEPT)})
    try:
        rates, _ = in_turns(sides, setting.repeats)
    finally:
        close(sides)
    for keep in KEPT:
        yield figure.ratio_of_rates(f"{BIGGEST}, int8, {keep} in 16 bits", "tokens/s", rates[keep],
                                    "all in 8 bits", rates["none"], LEAST_KEPT, {"int8_keep": keep})


def runs(setting: Setting) -> Iterator[figure.Figure]:
    """Whole runs in int8 with default settings, in int8 with --margin 0, and in fp16."""
    reads = setting.coding_reads(SEQUENCES)
    no_margin = setting.scratch / "no_margin.yaml"
    no_margin.write_text("run:\n  margin: 0\n")
    sides = {"default": ["int8"], "int8": ["int8", "-c", no_margin], "fp16": ["fp16"]}
    rates: Dict[str, List[float]] = {side: [] for side in sides}
    for _ in range(2):
        for side, (precision, *more) in sides.items():
            suites.run(setting, "throughput", reads, *arguments(setting, precision), *more)
            rates[side].append(suites.esm_rate(setting))
    yield figure.ratio_of_rates("predict, int8 by default, against fp16", "ESM-2 tokens/s",
                                rates["default"], "fp16", rates["fp16"], DEFAULT_OVER_FP16,
                                {"sequences": SEQUENCES})
    both = figure.ratio_of_rates("predict, int8, against fp16", "ESM-2 tokens/s", rates["int8"],
                                 "fp16", rates["fp16"], OVER_FP16, {"sequences": SEQUENCES})
    yield both
    yield figure.alone(both, LEAST_OF_RUNS)


INT8_SET = [precisions, kept, lengths]

INT8_PREDICT_SET = [runs]
