"""Simulates ESM-2 with linears in 8 or 16 bits on the CPU, over frames of a genome, against fp32.

    simulate_int8.py --genome FASTA[.gz] [--json FILE] --model NAME FRAMES FOLDER ...

A FOLDER holds a model as Hugging Face publishes it (config.json, and model.safetensors or
pytorch_model.bin), or a synthetic one by `virnucpro utils export-weights`. Prints tables in
Markdown: the largest and the mean 1 - cosine between embeddings and those in fp32, and the same
("centred") after fp32's mean embedding was subtracted from both.

A linear's operands are rounded to values of their type, then multiplied in fp32. Before, its input,
and q, k and v, are rounded to 16 bits; the residual stream is fp32.
"""

import argparse
import datetime
import gzip
import json
import math
import os
import sys
from pathlib import Path
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch.nn import functional

import frames
import weights
from esm2_shapes import ALPHABET

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import run  # noqa: E402: of the folder above

KINDS = ("qkv", "out", "fc1", "fc2")
CHUNK, STEP = 500, 100  # bases: a chunk's length, and the distance between chunks' starts
CALIBRATION = (40, 60)  # number of proteins, residues of each
BLOCK = 8  # columns of fc2 that are rotated together
EPSILON = 1e-5
Rounding = Callable[[torch.Tensor], torch.Tensor]


class Linear(NamedTuple):
    weight: torch.Tensor
    bias: torch.Tensor


class Model(NamedTuple):
    """ESM-2. A folded model has a head, and its norms only divide by the root mean square."""
    heads: int
    table: torch.Tensor
    inv_freq: torch.Tensor
    linears: List[Dict[str, Linear]]  # by layer and kind
    norms: List[Dict[str, Linear]]  # gain and bias; by layer and the linear after the norm
    last_norm: Linear
    head: Optional[Linear] = None

    def norm(self, x: torch.Tensor, gain_and_bias: Linear) -> torch.Tensor:
        if self.head:
            return x / torch.sqrt(x.square().mean(-1, keepdim=True) + EPSILON)
        return functional.layer_norm(x, x.shape[-1:], *gain_and_bias, EPSILON)

    def embed(self, tokens: torch.Tensor, linear: "Linears") -> torch.Tensor:
        """A mean over residues for each row of tokens, in double."""
        x = self.table[tokens] * 0.88
        for layer, norms in enumerate(self.norms):
            qkv = linear.stored(linear(layer, "qkv", self.norm(x, norms["qkv"])))
            x = x + linear(layer, "out", self.attention(qkv))
            hidden = functional.gelu(linear(layer, "fc1", self.norm(x, norms["fc1"])))
            x = x + linear(layer, "fc2", hidden)
        mean = self.norm(x, self.last_norm)[:, 1:-1].double().mean(1)
        return mean @ self.head.weight.double().T + self.head.bias if self.head else mean

    def attention(self, qkv: torch.Tensor) -> torch.Tensor:
        count, length, columns = qkv.shape
        query, key, value = qkv.view(count, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = turned(query, self.inv_freq) @ turned(key, self.inv_freq).transpose(-1, -2)
        mixed = torch.softmax(scores / math.sqrt(query.shape[-1]), -1) @ value
        return mixed.transpose(1, 2).reshape(count, length, columns // 3)


def turned(x: torch.Tensor, inv_freq: torch.Tensor) -> torch.Tensor:
    """Rotary embedding, rotate-half form."""
    angles = torch.outer(torch.arange(x.shape[-2]).float(), inv_freq).repeat(1, 2)
    low, high = x.chunk(2, -1)
    return x * angles.cos() + torch.cat((-high, low), -1) * angles.sin()


# Each function rounds values to the nearest of a type; in 8 bits each row has its own scale.
def fp32(x: torch.Tensor) -> torch.Tensor:
    return x


def fp16(x: torch.Tensor) -> torch.Tensor:
    return x.half().float()


def bf16(x: torch.Tensor) -> torch.Tensor:
    return x.bfloat16().float()


def scale_of(x: torch.Tensor, largest_code: float) -> torch.Tensor:
    return (x.abs().amax(-1, keepdim=True) / largest_code).clamp(min=1e-30)


def int8(x: torch.Tensor) -> torch.Tensor:
    scale = scale_of(x, 127)
    return (x / scale).round() * scale


def e4m3(x: torch.Tensor) -> torch.Tensor:
    scale = scale_of(x, 448)
    _, exponent = torch.frexp(x / scale)
    step = torch.ldexp(scale, exponent.clamp(min=-5) - 4)  # three bits after the leading one
    return (x / step).round() * step


def int8_in_blocks(x: torch.Tensor) -> torch.Tensor:
    """Both operands are rotated by the same matrix, so their product needs no rotation back."""
    return int8((x.unflatten(-1, (-1, BLOCK)) @ hadamard(BLOCK)).flatten(-2))


class Linears:
    """A model's linears with operands rounded as `roundings` says, by layer and kind."""

    def __init__(self, model: Model, roundings: Callable[[int, str], Rounding], stored: Rounding):
        self.model, self.roundings, self.stored = model, roundings, stored
        self.corrections: Dict[Tuple[int, str], torch.Tensor] = {}
        self.calibrating = False

    def __call__(self, layer: int, kind: str, x: torch.Tensor) -> torch.Tensor:
        weight, bias = self.model.linears[layer][kind]
        rounding = self.roundings(layer, kind)
        x = self.stored(x)
        out = rounding(x) @ rounding(weight).T
        if self.calibrating:
            self.corrections[layer, kind] = (x @ weight.T - out).mean((0, 1))
        return out + bias + self.corrections.get((layer, kind), 0)

    def calibrate(self) -> None:
        """Each bias takes the mean error that its linear makes on fixed made-up proteins."""
        random = torch.Generator().manual_seed(1)
        residues = torch.randint(4, 4 + len(ALPHABET), CALIBRATION, generator=random)
        self.calibrating = True
        self.model.embed(start_and_end(residues), self)
        self.calibrating = False


def hadamard(size: int) -> torch.Tensor:
    matrix = torch.ones(1, 1)
    while len(matrix) < size:
        matrix = torch.kron(torch.tensor([[1., 1.], [1., -1.]]), matrix)
    return matrix / math.sqrt(size)


def fold(model: Model) -> Model:
    """Norms' gain, bias and centring go into the linears; the residual stream and each head are
    rotated."""
    width = model.table.shape[1]
    rotation, _ = torch.linalg.qr(torch.randn(width, width, dtype=torch.float64,
                                              generator=torch.Generator().manual_seed(2)))
    head_width = width // model.heads
    power = head_width & -head_width
    in_head = torch.kron(torch.eye(head_width // power), hadamard(power)).double()

    def reader(linear: Linear, norm: Linear) -> Linear:
        weight = linear.weight.double()
        return Linear((weight * norm.weight @ rotation.T).float(),
                      (linear.bias + weight @ norm.bias.double()).float())

    def writer(weight: torch.Tensor, bias: torch.Tensor) -> Linear:
        both = torch.cat((weight.double(), bias.double()[:, None]), 1)
        both = rotation @ (both - both.mean(0))
        return Linear(both[:, :-1].float(), both[:, -1].float())

    def by_head(rows: torch.Tensor) -> torch.Tensor:
        return (in_head @ rows.double().unflatten(0, (model.heads, -1)).flatten(2)).flatten(0, 1)

    linears = []
    for layer, norms in zip(model.linears, model.norms):
        qkv, out = reader(layer["qkv"], norms["qkv"]), layer["out"]
        weight, bias = qkv.weight.clone(), qkv.bias.clone()
        weight[2 * width:] = by_head(weight[2 * width:])
        bias[2 * width:] = by_head(bias[2 * width:, None])[:, 0]
        linears.append({"qkv": Linear(weight, bias), "out": writer(by_head(out.weight.T).T, out.bias),
                        "fc1": reader(layer["fc1"], norms["fc1"]), "fc2": writer(*layer["fc2"])})
    table = writer(model.table.T, torch.zeros(width)).weight.T.contiguous()
    head = Linear(torch.diag(model.last_norm.weight.double()) @ rotation.T, model.last_norm.bias)
    return model._replace(table=table, linears=linears, head=head)


def read_model(directory: Path) -> Model:
    if (directory / "model.safetensors").exists():
        tensors = weights.read(directory)
    else:
        stored = torch.load(directory / "pytorch_model.bin", map_location="cpu", weights_only=True)
        tensors = {name.split(".", 1)[1]: tensor.float() for name, tensor in stored.items()}
    settings = weights.config(directory)
    heads = settings["num_attention_heads"]

    def pair(name: str) -> Linear:
        return Linear(tensors[f"{name}.weight"], tensors[f"{name}.bias"])

    linears, norms = [], []
    for layer in (f"encoder.layer.{i}." for i in range(settings["num_hidden_layers"])):
        parts = [pair(f"{layer}attention.self.{part}") for part in ("query", "key", "value")]
        linears.append({"qkv": Linear(*map(torch.cat, zip(*parts))),
                        "out": pair(f"{layer}attention.output.dense"),
                        "fc1": pair(f"{layer}intermediate.dense"), "fc2": pair(f"{layer}output.dense")})
        norms.append({"qkv": pair(f"{layer}attention.LayerNorm"), "fc1": pair(f"{layer}LayerNorm")})
    head_width = settings["hidden_size"] // heads
    inv_freq = 10000.0 ** (-torch.arange(0, head_width, 2).float() / head_width)
    inv_freq = tensors.get("encoder.layer.0.attention.self.rotary_embeddings.inv_freq", inv_freq)
    return Model(heads, tensors["embeddings.word_embeddings.weight"], inv_freq, linears, norms,
                 pair("encoder.emb_layer_norm_after"))


def start_and_end(residues: torch.Tensor) -> torch.Tensor:
    return functional.pad(functional.pad(residues, (1, 0), value=0), (0, 1), value=2)


def tokens_of(genome: Path, count: int) -> List[torch.Tensor]:
    """Tokens of stop-free frames, chosen evenly over the genome; one tensor for each length."""
    opened = gzip.open if genome.suffix == ".gz" else open
    with opened(genome, "rt") as file:
        letters = "".join(line.strip() for line in file if not line.startswith(">")).upper()
    chunks = (letters[i:i + CHUNK] for i in range(0, len(letters) - CHUNK + 1, STEP))
    proteins = [frame.protein for chunk in chunks for frame in frames.frames(chunk)]
    proteins = [proteins[i * len(proteins) // count] for i in range(min(count, len(proteins)))]
    lengths = sorted({len(protein) for protein in proteins})
    return [start_and_end(torch.tensor([[4 + ALPHABET.index(letter) for letter in protein]
                                        for protein in proteins if len(protein) == length]))
            for length in lengths]


def schemes(model: Model, with_kept: bool) -> Iterator[Tuple[str, Linears]]:
    """The name and the linears of each scheme; `with_kept` adds schemes with some kept in fp16."""
    folded = fold(model)

    def ours(in_fp16: Callable[[int, str], bool]) -> Linears:
        def rounding(layer: int, kind: str) -> Rounding:
            return fp16 if in_fp16(layer, kind) else int8_in_blocks if kind == "fc2" else int8
        linears = Linears(folded, rounding, fp16)
        linears.calibrate()
        return linears

    yield "fp16", Linears(model, lambda *_: fp16, fp16)
    yield "bf16", Linears(model, lambda *_: bf16, bf16)
    yield "e4m3, plain", Linears(model, lambda *_: e4m3, fp16)
    yield "int8, plain", Linears(model, lambda *_: int8, fp16)
    yield "int8", ours(lambda *_: False)
    if not with_kept:
        return
    for kept in KINDS:
        yield f"{kept} in fp16", ours(lambda _, kind, kept=kept: kind == kept)
    yield "first layer in fp16", ours(lambda layer, _: layer == 0)


def distances(got: torch.Tensor, wanted: torch.Tensor) -> Tuple[float, float]:
    """The largest and the mean 1 - cosine between rows of the two."""
    far = 1 - functional.cosine_similarity(got, wanted, -1, 1e-30)
    return far.max().item(), far.mean().item()


def measured(name: str, directory: Path, groups: Sequence[torch.Tensor], with_kept: bool) -> dict:
    model = read_model(directory)

    def embedded(linears: Linears) -> torch.Tensor:
        return torch.cat([linears.model.embed(tokens, linears) for tokens in groups])

    wanted = embedded(Linears(model, lambda *_: fp32, fp32))
    centre = wanted.mean(0)
    by_scheme = {}
    for scheme, linears in schemes(model, with_kept):
        got = embedded(linears)
        by_scheme[scheme] = {"plain": distances(got, wanted),
                             "centred": distances(got - centre, wanted - centre)}
        print(f"{name}: {scheme}", file=sys.stderr, flush=True)
    return {"model": name, "frames": len(wanted), "one_minus_cosine": by_scheme}


def table(models: Sequence[dict], measure: str) -> List[str]:
    """A Markdown table: the largest and the mean of a measure, by model and scheme."""
    columns = list(models[0]["one_minus_cosine"])
    lines = [["model", "frames", *columns], ["---"] * (len(columns) + 2)]
    for model in models:
        cells = [model["one_minus_cosine"][scheme][measure] for scheme in columns]
        lines.append([model["model"], str(model["frames"]),
                      *(f"{largest:.1e}, {mean:.1e}" for largest, mean in cells)])
    return [f"| {' | '.join(line)} |" for line in lines]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--genome", type=Path, required=True)
    parser.add_argument("--json", type=Path,
                        help="also write the results, the machine and the commit to this file")
    parser.add_argument("--model", nargs=3, action="append", required=True,
                        metavar=("NAME", "FRAMES", "FOLDER"), help="may be given several times")
    parser.add_argument("--brief", action="store_true",
                        help="leave out the schemes that keep linears in fp16")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    models = []
    with torch.inference_mode():
        for name, count, folder in arguments.model:
            models.append(measured(name, Path(folder), tokens_of(arguments.genome, int(count)),
                                   not arguments.brief))
    for measure in ("plain", "centred"):
        print(f"\n1 − cosine, {measure}: largest, mean\n", *table(models, measure), sep="\n")
    if arguments.json:
        machine = {"cpu": run.cpu_model(), "cores": len(os.sched_getaffinity(0)),
                   "torch": torch.__version__}
        run.write(arguments.json, {"machine": machine, "commit": run.commit(),
                                   "date": datetime.date.today().isoformat(),
                                   "genome": arguments.genome.name, "models": models})


if __name__ == "__main__":
    main()
