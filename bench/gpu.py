"""One GPU against torch: what is compared takes turns, so that the chip is as hot for both."""

import csv
import datetime
import json
import math
import random
import re
import resource
import statistics
import subprocess
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional

import figure
from engine import DNA_VOCABULARY, ESM2, RESIDUES, differ
from memory import MIB
from session import Pass, Side, alternate, check_same_tables, seconds_with_a_worker_killed
from setting import Setting

BIGGEST = "esm2_t36_3B"
BUDGET = 32768
LENGTH = 168  # tokens of a frame of 500 bases
OTHER_LENGTHS = (52, 104, 340, 1026)
DNA_LENGTH = 100  # tokens of its nucleotides, about
GOALS = {"fp16": (1.12, 103_000), "bf16": (1.09, 105_000)}
PREDICT_GOALS = {"fp16": (1.10, 97_000), "bf16": (1.07, 99_000)}
WIDTHS = {"esm2_t36_3B": (36, 2560), "esm2_t33_650M": (33, 1280), "esm2_t30_150M": (30, 640)}
PREDICT_SEQUENCES = 19_000  # over 30 s
PREDICT_TURNS = 2
VANILLA_FRAMES = 240


def proteins(tokens_each: int, tokens: int) -> List[str]:
    rng = random.Random(1)
    return ["".join(rng.choices(RESIDUES, k=tokens_each - 2)) for _ in range(tokens // tokens_each)]


def write_lines(path: Path, lines: List[str]) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def engine(setting: Setting, kind: str, model: object, precision: str, sequences: Path) -> Side:
    """Ours; its embeddings are in ours.f32."""
    command = [setting.bin / "bench_engine", kind, model, "cuda", precision, sequences,
               setting.scratch / "ours.f32"]
    return Side(command, setting.environment)


def peer(setting: Setting, name: str, *arguments: object) -> Side:
    return Side([setting.python, setting.peers / f"{name}.py", *arguments])


def turns(setting: Setting, sides: List[Side]) -> List[List[Pass]]:
    alternate(sides, 1)  # the chip settles
    return alternate(sides, setting.repeats)


# Against packed, compiled torch.


def against_packed(setting: Setting, model: str, precision: str, goal: float, tokens: int):
    sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, tokens))
    with engine(setting, "esm2", f"synthetic:{model}", precision, sequences) as ours, \
            peer(setting, "esm2_packed", model, precision, sequences, BUDGET) as theirs:
        passes = turns(setting, [ours, theirs])
        settings = {"precision": precision, "tokens_a_sequence": LENGTH, "ours": ours.settings,
                    "peer": theirs.settings}
    yield figure.ratio(f"{model}, {precision}", "tokens/s", passes[0], "torch", passes[1], "wall",
                       goal, settings)
    if model == BIGGEST:
        yield figure.at_least(f"{model}, {precision}, alone", "tokens/s",
                              figure.rates(passes[0], "wall"), GOALS[precision][1], settings)


def packed(model: str, precision: str) -> Callable[[Setting], Iterator[figure.Figure]]:
    goal, tokens = (GOALS[precision][0], 20) if model == BIGGEST else (1, 60)
    return lambda setting: against_packed(setting, model, precision, goal, tokens * BUDGET)


# The whole program.


def processor_seconds() -> float:
    """Of all processes that this one started and that ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def predict_command(setting: Setting, fasta: Path, precision: str, device: str = "cuda",
                    output: str = "out", chunk: int = 500) -> List[str]:
    models = ["--esm-model", setting.weights(BIGGEST), "--dnabert-model",
              setting.weights("dnabert-s"), "-p", "synthetic", "-e", chunk, "-m", "custom"]
    words = [setting.program, "predict", fasta, "-o", setting.scratch / output, "--force", "-d",
             device, "--precision", precision, "--no-progress", *models]
    return [str(word) for word in words]


def run_predict(setting: Setting, fasta: Path, precision: str, device: str = "cuda",
                output: str = "out", environment: Optional[dict] = None, flags: tuple = (),
                chunk: int = 500) -> dict:
    """What a run says of itself, its wall time, and the processors' seconds a second of it."""
    command = predict_command(setting, fasta, precision, device, output, chunk) + list(flags)
    start, used = time.perf_counter(), processor_seconds()
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        env={**setting.environment, **(environment or {})})
    wall = time.perf_counter() - start
    cores = (processor_seconds() - used) / wall
    said = {name: float(value.replace(",", "")) for name, value in
            re.findall(r"^.*?  ([A-Za-z-]\S*(?: [a-z]\S*)?) +([\d.,]+)(?: %)?$",
                       done.stdout.decode(), re.MULTILINE)}
    return {"wall": wall, "cores": cores, **said}


def against_both(setting: Setting, precision: str) -> Iterator[figure.Figure]:
    fasta = setting.coding_reads(PREDICT_SEQUENCES)
    dnabert = setting.weights("dnabert-s")
    runs: List[dict] = []
    passes: List[Pass] = []
    with peer(setting, "both_models", BIGGEST, dnabert, precision, fasta, BUDGET) as theirs:
        for _ in range(PREDICT_TURNS):
            runs.append(run_predict(setting, fasta, precision))
            passes.append(theirs.run())
        settings = {"precision": precision, "sequences": PREDICT_SEQUENCES,
                    "peer": theirs.settings, "runs": runs}
    for run in runs:  # the peer has the same frames
        tokens = run["frames"] * LENGTH
        assert abs(tokens - passes[0].work) <= 0.001 * tokens, (tokens, passes[0].work)
    ours = [run["ESM tokens/s"] for run in runs]
    goal, rate_goal = PREDICT_GOALS[precision]
    yield figure.ratio_of_rates(f"predict, {precision}", "ESM-2 tokens/s", ours, "torch",
                                figure.rates(passes, "wall"), goal, settings)
    yield figure.at_least(f"predict, {precision}, alone", "ESM-2 tokens/s", ours, rate_goal, settings)
    for key in ("device busy", "packing"):
        yield figure.at_least(f"predict, {precision}, {key}", "%", [run[key] for run in runs], 97,
                              {"precision": precision})
    yield figure.limit(f"predict, {precision}, DNABERT-S's share of the GPU", "%",
                       [run["DNABERT-S"] for run in runs], 4, {"precision": precision})


def against_vanilla(setting: Setting) -> Iterator[figure.Figure]:
    """Whole runs, loading and tables with them, over the original's way once it is loaded."""
    fasta = setting.coding_reads(PREDICT_SEQUENCES)
    with peer(setting, "vanilla", "both", BIGGEST, setting.weights("dnabert-s"), fasta,
              VANILLA_FRAMES) as theirs:
        theirs.run()
        runs, passes = [], []
        for _ in range(PREDICT_TURNS):
            runs.append(run_predict(setting, fasta, "fp16"))
            passes.append(theirs.run())
        settings = {"precision": "fp16", "peer": theirs.settings, "runs": runs}
    ours = [Pass(run["wall"], run["wall"], round(run["frames"] * LENGTH)) for run in runs]
    yield figure.ratio("whole predict, loading and tables too, over the original's way",
                       "ESM-2 tokens/s", ours, "original", passes, "wall", 15, settings)


PREDICT_SET = [lambda setting: against_both(setting, "fp16"),
               lambda setting: against_both(setting, "bf16")]

ESM2_SET = [packed(BIGGEST, "fp16"), packed(BIGGEST, "bf16"), packed("esm2_t33_650M", "fp16"),
            packed("esm2_t30_150M", "fp16")]

# The rest of the table.


def loading(setting: Setting) -> Iterator[figure.Figure]:
    model = setting.weights(BIGGEST)
    sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, LENGTH))
    seconds = []
    for _ in range(3):
        with engine(setting, "esm2", model, "fp16", sequences) as ours:
            seconds.append(ours.seconds)
    yield figure.limit(f"{BIGGEST}, fp32 file in the page cache to ready", "s", seconds, 6,
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
        passes = dict(zip(sides, turns(setting, list(sides.values()))))
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
    fasta = setting.coding_reads(PREDICT_SEQUENCES)
    sequences = write_lines(setting.scratch / "proteins", proteins(LENGTH, BUDGET))
    with engine(setting, "esm2", f"synthetic:{BIGGEST}", "fp32", sequences) as ours, \
            peer(setting, "vanilla", "esm2", BIGGEST, setting.weights("dnabert-s"), fasta,
                 120) as theirs:
        passes = turns(setting, [ours, theirs])
        settings = {"precision": "fp32", "ours": ours.settings, "peer": theirs.settings}
    yield figure.ratio(f"{BIGGEST}, fp32", "tokens/s", passes[0], "original", passes[1], "wall", 1.2,
                       settings)


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
            passes = turns(setting, [ours, theirs])
            settings = {"precision": precision, "least_cosine": worst, "ours": ours.settings,
                        "peer": theirs.settings}
        yield figure.ratio(f"DNABERT-S, {precision}, against batches of {batch}", "tokens/s",
                           passes[0], "torch", passes[1], "wall", 1, settings)


def rows(path: Path, width: int) -> List[array]:
    values = array("f", path.read_bytes())
    return [values[i : i + width] for i in range(0, len(values), width)]


def least_cosine(setting: Setting, width: int) -> float:
    """Of the embeddings of both sides."""
    def cosine(a, b):
        return sum(map(float.__mul__, a, b)) / math.sqrt(
            sum(x * x for x in a) * sum(x * x for x in b))

    ours, theirs = (rows(setting.scratch / name, width) for name in ("ours.f32", "theirs.f32"))
    pairs = list(zip(ours, theirs))
    assert pairs
    return min(cosine(a, b) for a, b in pairs[:200])


# docs/reference/semantics.md, section 7: 1 - cosine to the reference implementations; differences of
# scores from those in fp32 that 99 % of the frames and all of them keep; the share of equal calls.
MOST_APART = {"fp32": 1e-7, "fp16": 1e-5, "bf16": 1e-4}
SCORE_BARS = {"fp16": (5e-3, 2e-2, 99.8), "bf16": (2e-2, 5e-2, 99.5)}
LARGEST_FP32 = 1e-4
SCORED_SEQUENCES = 1000


def accuracy(setting: Setting) -> Iterator[figure.Figure]:
    """Embeddings of the GPU against transformers on the CPU, in fp32."""
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


def scores_of(setting: Setting, fasta: Path, precision: str) -> Dict[str, List[str]]:
    """The words of each frame's row."""
    run_predict(setting, fasta, precision)
    table = setting.scratch / "out" / f"{fasta.stem}_merged" / "prediction_results.txt"
    rows = [line.split("\t") for line in table.read_text().splitlines()[1:]]
    return {row[0]: row[1:] for row in rows}


def scores(setting: Setting) -> Iterator[figure.Figure]:
    """Scores in 16 bits against those in fp32, both on the GPU."""
    fasta = setting.scratch / "scored.fa"
    setting.virnucpro("generate", "-n", SCORED_SEQUENCES, "--length", 500, "--coding", 1,
                      "--seed", 7, "-o", fasta)
    exact = scores_of(setting, fasta, "fp32")
    for precision, (most_of_them, most, calls) in SCORE_BARS.items():
        ours = scores_of(setting, fasta, precision)
        assert ours.keys() == exact.keys()
        apart = sorted(abs(float(ours[name][1]) - float(exact[name][1])) for name in exact)
        same = sum(ours[name][0] == exact[name][0] for name in exact)
        settings = {"precision": precision, "frames": len(exact)}
        what = f"predict, {precision} against fp32"
        yield figure.limit(f"{what}: scores apart, 99 % of frames", "",
                           [apart[len(apart) * 99 // 100]], most_of_them, settings)
        yield figure.limit(f"{what}: scores apart, all frames", "", [apart[-1]], most, settings)
        yield figure.at_least(f"{what}: equal calls", "%", [100 * same / len(exact)], calls, settings)


def ops(setting: Setting) -> Iterator[figure.Figure]:
    done = subprocess.run([str(setting.bin / "bench_gpu_ops"), "1"], check=True,
                          stdout=subprocess.PIPE, env=setting.environment)
    for line in done.stdout.decode().splitlines():
        op = json.loads(line)
        yield figure.Figure(f"op: {op['op']}", op["unit"], op["reached"], [op["reached"]] * 2, 1,
                            "none", True, settings=op)


# Several GPUs of one host, and what the journal costs one of them.

SCALING_GOALS = {2: 0.985, 4: 0.975, 8: 0.975}
SCALING_SEQUENCES = 38_000  # a GPU: over 60 s
HOST_MIB = 1024  # a GPU: pages that its workers share count in each of them


def gpus(setting: Setting) -> int:
    return len(re.findall(r"^cuda:\d+ ", setting.virnucpro("utils", "list-devices"), re.MULTILINE))


def several(count: int) -> str:
    return f"{count} GPU{'s' if count > 1 else ''}"


def first_gpus(count: int) -> str:
    return "cuda:" + ",".join(map(str, range(count)))


def host_memory(output: Path) -> int:
    """The most bytes that a run's processes held together while it embedded."""
    summary = max(output.glob("telemetry_*.json"))  # the last run's
    phases = json.loads(summary.read_text())["host"]["phases"]
    (embedding,) = (phase for phase in phases if phase["phase"] == "embedding")
    return embedding["rss_bytes"]["maximum"]


def runs_alone(setting: Setting, fasta: Path) -> List[dict]:
    """A run of its own on each GPU, all at the same time: one after the other would take nine
    minutes on eight, and what each does is limited by its own power."""

    def run(gpu: int) -> dict:
        said = run_predict(setting, fasta, "fp16", f"cuda:{gpu}", f"alone-{gpu}")
        del said["cores"]  # of all of them
        return said

    count = gpus(setting)
    run_predict(setting, setting.coding_reads(10), "fp16", first_gpus(count))  # writes the weights
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def scaling(setting: Setting) -> Iterator[figure.Figure]:
    """All GPUs as one run, over what each does in a run of its own; with the same bytes."""
    few = setting.coding_reads(SCALING_SEQUENCES)
    alone = runs_alone(setting, few)
    check_same_tables([setting.scratch / f"alone-{gpu}" for gpu in range(len(alone))])
    for used in (number for number in SCALING_GOALS if number <= len(alone)):
        run_predict(setting, few, "fp16", first_gpus(used), f"together-{used}")
        check_same_tables([setting.scratch / "alone-0", setting.scratch / f"together-{used}"])
        many = setting.coding_reads(used * SCALING_SEQUENCES)
        run = run_predict(setting, many, "fp16", first_gpus(used))
        settings = {"gpus": used, "run": run, "alone": alone}
        name = f"predict, fp16, {several(used)}"
        own = sum(one["ESM tokens/s"] for one in alone[:used])
        yield figure.at_least(f"{name} over the sum of each one's own rate", "x",
                              [run["ESM tokens/s"] / own], SCALING_GOALS[used], settings)
        own = sum(one["sequences"] / one["wall"] for one in alone[:used])
        yield figure.at_least(f"{name}, the same of whole runs, loading and tables counted", "x",
                              [run["sequences"] / run["wall"] / own], SCALING_GOALS[used], settings)
        yield figure.limit(f"{name}, host processors a GPU", "cores", [run["cores"] / used], 1,
                           settings)
        yield figure.limit(f"{name}, host memory a GPU while it computes, all processes", "MiB",
                           [host_memory(setting.scratch / "out") / used / MIB], HOST_MIB, settings)


# What a host of many GPUs has beside their rates.

SHORT_LENGTH, SHORT_CHUNK = 150, 300
SHORT_SEQUENCES = 90_000  # a GPU: some have two frames, over 60 s
SAMPLE = 6_000_000
SAMPLE_MINUTES = 7  # on 8 GPUs
STARTED = 8  # workers


def tokens_of(length: int) -> int:
    """Of a read's one frame, its ends among them."""
    return length // 3 + 2


def short_reads(setting: Setting) -> Iterator[figure.Figure]:
    """Projected for reads of one frame each, by tokens."""
    for used in sorted({1, gpus(setting)}):
        fasta = setting.coding_reads(used * SHORT_SEQUENCES, SHORT_LENGTH)
        run = run_predict(setting, fasta, "fp16", first_gpus(used), chunk=SHORT_CHUNK)
        minutes = SAMPLE * tokens_of(SHORT_LENGTH) / run["ESM tokens/s"] / 60
        name = f"{several(used)}: {SAMPLE:,} reads of {SHORT_LENGTH} bases, one frame each"
        yield figure.limit(f"predict, fp16, {name}", "min", [minutes], SAMPLE_MINUTES * 8 / used,
                           {"gpus": used, "run": run})


def start_up(setting: Setting) -> Iterator[figure.Figure]:
    """Whole runs over ten sequences, their weights in the page cache. Where there are fewer GPUs, as
    many runs beside each other as make eight workers, several of them on each GPU."""
    fasta, count = setting.coding_reads(10), gpus(setting)
    run_predict(setting, fasta, "fp16", "cuda:all")
    begun = time.perf_counter()
    runs = [subprocess.Popen(predict_command(setting, fasta, "fp16", "cuda:all", f"start-{number}"),
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=setting.environment) for number in range(-(-STARTED // count))]
    assert all(run.wait() == 0 for run in runs)
    seconds = time.perf_counter() - begun
    yield figure.limit(f"{len(runs) * count} workers on {several(count)}, from start to tables", "s",
                       [seconds], 15, {"gpus": count, "processes": len(runs)})


def killed_worker(setting: Setting) -> Iterator[figure.Figure]:
    """One is killed while it computes: the same tables, somewhat later."""
    fasta = setting.coding_reads(gpus(setting) * PREDICT_SEQUENCES)
    whole = run_predict(setting, fasta, "fp16", "cuda:all", "whole")
    command = predict_command(setting, fasta, "fp16", "cuda:all", "killed")
    seconds = seconds_with_a_worker_killed(command, setting.scratch / "killed", whole["wall"] / 2,
                                           setting.environment)
    check_same_tables([setting.scratch / "whole", setting.scratch / "killed"])
    yield figure.limit("predict, fp16, a worker killed half-way: time over that of a whole run", "x",
                       [seconds / whole["wall"]], 2, {"gpus": gpus(setting), "seconds": seconds,
                                                      "whole": whole})


def journal_cost(setting: Setting) -> Iterator[figure.Figure]:
    fasta = setting.coding_reads(PREDICT_SEQUENCES)
    rates: Dict[str, List[float]] = {"0": [], "1": []}
    for _ in range(PREDICT_TURNS):
        for disabled, kept in rates.items():
            run = run_predict(setting, fasta, "fp16",
                              environment={"VIRNUCPRO_DISABLE_CHECKPOINTING": disabled})
            kept.append(run["ESM tokens/s"])
    cost = 100 * (1 - statistics.median(rates["0"]) / statistics.median(rates["1"]))
    yield figure.limit("predict, fp16, what the journal costs", "%", [cost], 1,
                       {"with": rates["0"], "without": rates["1"]})


# What telemetry says, and what it costs.

STAGES = ("waiting", "esm2", "dnabert_s", "classifier", "to_host")  # of a batch, one after another
WARM_BATCHES = 5


def nvidia_smi_rows(device: int, process: subprocess.Popen) -> List[tuple]:
    """(time, utilisation in percent, power in watts), once a second while the process runs."""
    found = []
    while process.poll() is None:
        said = subprocess.run(
            ["nvidia-smi", f"--id={device}", "--query-gpu=utilization.gpu,power.draw",
             "--format=csv,noheader,nounits"], check=True, stdout=subprocess.PIPE).stdout
        found.append((time.time(), *map(float, said.decode().split(","))))
        time.sleep(1)
    return found


def monitor_rows(output: Path) -> List[tuple]:
    """The same of the program's own log, of the time in which it embeds."""
    (log,) = (output / "logs").glob("gpu_metrics_*.log")
    with log.open() as lines:
        embedding = [row for row in csv.DictReader(lines)
                     if row["stage"] == "embedding" and row["device_id"] != "host"]
    return [(datetime.datetime.fromisoformat(row["timestamp"].replace("Z", "+00:00")).timestamp(),
             float(row["utilization_percent"]), float(row["power_w"])) for row in embedding]


def mean(samples: List[tuple], column: int) -> float:
    return statistics.fmean(row[column] for row in samples)


def batch_lines(output: Path) -> List[dict]:
    (path,) = output.glob("telemetry_*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


def monitor(setting: Setting) -> Iterator[figure.Figure]:
    """One run of over a minute, watched by nvidia-smi as well."""
    fasta, output = setting.coding_reads(SCALING_SEQUENCES), setting.scratch / "watched"
    process = subprocess.Popen(
        predict_command(setting, fasta, "fp16", output="watched"), stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, env=setting.environment)
    theirs = nvidia_smi_rows(0, process)
    assert process.returncode == 0
    ours = monitor_rows(output)
    theirs = [row for row in theirs if ours[0][0] <= row[0] <= ours[-1][0]]
    settings = {"samples": len(ours), "nvidia_smi_samples": len(theirs)}
    busy, power = ((mean(ours, column), mean(theirs, column)) for column in (1, 2))
    yield figure.limit("monitor, utilisation from nvidia-smi's", "points",
                       [abs(busy[0] - busy[1])], 5, {**settings, "ours_and_theirs": busy})
    yield figure.limit("monitor, power from nvidia-smi's", "%",
                       [100 * abs(power[0] / power[1] - 1)], 5, {**settings, "ours_and_theirs": power})
    yield from stage_sums(batch_lines(output)[WARM_BATCHES:])


def stage_sums(batches: List[dict]) -> Iterator[figure.Figure]:
    """The device's times of all batches against the clock on the wall."""
    wall = batches[-1]["time"] - batches[0]["time"]
    spent = sum(batch[stage] for stage in STAGES for batch in batches[1:])
    yield figure.limit("stages of all batches from the wall clock", "%",
                       [100 * abs(spent / wall - 1)], 2, {"seconds": wall, "stages": spent})


def telemetry_cost(setting: Setting) -> Iterator[figure.Figure]:
    """Everything on against telemetry off, each once first and once last."""
    fasta = setting.coding_reads(PREDICT_SEQUENCES)
    rates: Dict[str, List[float]] = {"off": [], "full": []}
    for level in ("off", "full", "full", "off"):
        run = run_predict(setting, fasta, "fp16", flags=("--telemetry", level))
        rates[level].append(run["ESM tokens/s"])
    yield figure.ratio_of_rates("predict, fp16, with telemetry", "ESM-2 tokens/s", rates["full"],
                                "without", rates["off"], 0.99, rates)


TELEMETRY_SET = [monitor, telemetry_cost]

SCALING_SET = [scaling, journal_cost]

HOST_SET = [start_up, killed_worker, short_reads]

OTHERS_SET = [loading, accuracy, scores, dnabert, full_precision, lengths, ops, against_vanilla]
