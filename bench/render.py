#!/usr/bin/env python3
"""Writes the tables of bench/results/README.md and docs/develop/int8.md from the files in
bench/results/. A table stands between a mark that names it and an end mark. Other text is kept."""

import json
import re
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import int8_tables
from figure import number

BENCH = Path(__file__).resolve().parent
RESULTS = BENCH / "results"
MARKED = re.compile(r"(<!-- bench/render\.py writes the table of ([^.]+)\. -->\n).*?(?=<!-- until here -->)",
                    re.DOTALL)
# The kind in a figure's name. Each kind of the same figure has its own column.
KIND = re.compile(r",? ((?:generic )?(?:fp32|fp16|bf16|int8)|(?:500|150)-base reads)")
# Names of figures that are computed from a measured rate and a count.
PROJECTED = re.compile(r"reads of .*one frame each|in which an H200 computes them")
Cell = Tuple[Sequence[str], str, str]  # the row's first cells, the column, the text


def link(path: Path) -> str:
    """The path as a link in bench/results/README.md."""
    return path.relative_to(RESULTS).as_posix()


def with_spread(value: float, spread: Sequence[float], digits=number) -> str:
    """The value and its spread, which is left out if it is below a hundredth of the value."""
    if spread[1] - spread[0] < 0.01 * abs(value):
        return digits(value)
    return f"{digits(value)} ({digits(spread[0])} – {digits(spread[1])})"


def table(head: Sequence[str], cells: Sequence[Cell]) -> List[str]:
    """A table in Markdown: the columns `head`, then one for each column that `cells` name."""
    columns = list(dict.fromkeys(column for _, column, _ in cells))
    rows: Dict[Sequence[str], Dict[str, str]] = {}
    for row, column, text in cells:
        rows.setdefault(row, {})[column] = text
    lines = [[*head, *columns], ["---"] * (len(head) + len(columns))]
    lines += [[*row, *(texts.get(column, "–") for column in columns)] for row, texts in rows.items()]
    return ["", *(f"| {' | '.join(line)} |" for line in lines)] if rows else []


# Settings that the figure's name already says, or that matter little.
LEFT_OUT = re.compile(r"threads|padding|sorted|attention|CUDA|texts|^\d{6} tokens|"
                      r"sequences a batch|^ESM-2$|"
                      r"^(?!2048)\d+ tokens a batch")


def short(peer: str) -> str:
    """The main settings of a peer; the JSON has all."""
    return ", ".join(part for part in peer.split(", ") if not LEFT_OUT.search(part))


def missed(figure: dict) -> str:
    """The goals that were not reached; the JSON also has the others."""
    of_both = [one for one in (figure, figure.get("alone")) if one and not one["met"]]
    return "".join(f"; **missed** {one['goal']}" for one in of_both)


def how(figure: dict) -> str:
    if PROJECTED.search(figure["name"]):
        return "projected"
    return "simulated" if figure["name"].startswith("simulated") else "measured"


def cell(figure: dict) -> Cell:
    value = f"{with_spread(figure['value'], figure['spread'])} {figure['unit']}".strip()
    settings = figure["settings"]
    if figure["peer"]:
        peer = f"{number(figure['peer_value'])}, {short(settings.get('peer', figure['peer']))}"
        ratio = with_spread(figure["ratio"], figure["ratio_spread"], "{:.2f}".format)
        return (figure["name"], figure["run"], value, peer), "ratio", ratio + missed(figure)
    kind, name = KIND.search(figure["name"]), KIND.sub("", figure["name"], count=1)
    if "op" in settings:  # an op without a kind in its name takes rows of fp32
        return (name.removeprefix("op: "),), kind[1] if kind else "fp32", f"{value}, {settings['share']:.0%}"
    return (name, figure["run"], how(figure)), kind[1] if kind else "value", value + missed(figure)


# The tables of a section: their first columns, and which of the remaining figures they take.
TABLES = ((("figure", "run", "this program", "peer"), lambda figure: figure["peer"]),
          (("figure", "run", "how"), lambda figure: not KIND.search(figure["name"])),
          (("figure", "run", "how"), lambda figure: True))


def joined(figures: Sequence[dict]) -> List[dict]:
    """Moves a figure "…, alone" into the comparison with a peer that has the same value."""
    alone = {figure["name"].removesuffix(", alone"): figure for figure in figures
             if figure["name"].endswith(", alone")}
    of_pairs = [{**figure, "alone": alone.pop(figure["name"], None)} if figure["peer"] else figure
                for figure in figures]
    return [figure for figure in of_pairs
            if not figure["name"].endswith(", alone") or figure["name"].removesuffix(", alone") in alone]


def section(heading: str, paths: Sequence[Path]) -> str:
    """The text about the results from one kind of machine."""
    lines, figures = [f"### {heading}", ""], []
    for path in paths:
        report, run = json.loads(path.read_text()), path.stem.split("-", 2)[-1]
        about = report["machine"]
        lines.append(f"- [{run}]({link(path)}): {about['cpu']}, {about['cores']} cores, {about['memory_gib']}"
                     f" GiB; commit {report['commit']}; {report['date']}")
        figures += [{**figure, "run": run} for figure in joined(report["figures"])]
    names = [figure["name"] for figure in figures]
    figures.sort(key=lambda figure: names.index(figure["name"]))
    ops = [figure for figure in figures if "op" in figure["settings"]]
    rest = [figure for figure in figures if figure not in ops]
    for head, belongs in TABLES:
        lines += table(head, [cell(figure) for figure in rest if belongs(figure)])
        rest = [figure for figure in rest if not belongs(figure)]
    if ops:
        lines += ["", "Ops, and the share of what the clock or the memory allows:"]
    lines += table(["op"], [cell(figure) for figure in ops])
    return "\n".join(lines + layer({figure["settings"]["op"]: figure["settings"] for figure in ops})) + "\n"


def heading(path: Path) -> str:
    about = json.loads(path.read_text())["machine"]
    simulated = path.stem.startswith("simulated")
    return "GPUs that were not there, simulated" if simulated else about.get("gpu") or about["cpu"]


def requirement(verdict: dict) -> str:
    """The verdict's id. Older reports have the id without -OWN for what is judged as -OWN today."""
    name = verdict["id"]
    is_old = name.startswith("EQUIV") and not name.endswith("-OWN") and "atol 0.001" not in verdict["bar"]
    return f"{name}-OWN" if is_old else name


def validation_tables(paths: Sequence[Path]) -> str:
    """The verdicts of `virnucpro benchmark`."""
    lines: List[str] = []
    verdicts: List[Cell] = []
    rows: Dict[str, Sequence[str]] = {}  # older reports give the same requirement another name
    for path in paths:
        report, page = json.loads(path.read_text()), path.with_suffix(".md")
        about = report["metadata"]
        lines.append(f"- {path.stem} ([JSON]({link(path)}), [report]({link(page)})):"
                     f" {report['identity']['device']}; {about['processor'].partition(', cpu-')[0]};"
                     f" {about['num_sequences']:,} sequences, {report['identity']['settings']};"
                     f" commit {report['commit']}; {report['time'][:10]}")
        for one in report["verdicts"]:
            status = "" if one["status"] == "PASS" else f" **{one['status']}**"
            if one["status"] != "SKIPPED":
                name = requirement(one)
                key = one["name"] if name == "PERF-05" else name  # this id has several requirements
                row = rows.setdefault(key, (one["name"], name, one["bar"]))
                verdicts.append((row, path.stem, f"{number(one['value'])} {one['unit']}{status}"))
    return "\n".join(lines + table(["requirement", "id", "wanted"], verdicts)) + "\n"


# The ops of a layer of ESM-2 3B in order, as bench_gpu_ops names them.
LAYER = ("fp16 layer norm", "fp16 qkv", "fp16 attention, 40 heads, 168 tokens a sequence", "fp16 out",
         "fp16 layer norm", "fp16 fc1", "fp16 fc2")
BAR = 60  # letters of all bars together


def layer(ops: Dict[str, dict]) -> List[str]:
    """A bar chart of a layer's time; empty if an op was not measured."""
    if not all(name in ops for name in LAYER):
        return []
    total = sum(ops[name]["milliseconds"] for name in LAYER)
    lines = ["", f"A layer of ESM-2 3B in fp16, 32,760 tokens in sequences of 168: {total:.2f} ms, op"
             " by op, each by itself.", "", "```"]
    for name in LAYER:
        share = ops[name]["milliseconds"] / total
        op = name.removeprefix("fp16 ").split(",")[0]
        lines.append(f"{op:<12}{ops[name]['milliseconds']:6.3f} ms {share:6.1%}  "
                     f"{'█' * round(share * BAR)}")
    return [*lines, "```"]


def performance_tables() -> str:
    groups: Dict[str, List[Path]] = {}
    for path in sorted(RESULTS.glob("*.json"), key=lambda path: path.stem):
        groups.setdefault(heading(path), []).append(path)
    return "\n".join(section(*group) for group in groups.items())


def int8_table(name: str) -> str:
    return "\n".join(table(*int8_tables.TABLES[name]())[1:]) + "\n"


def with_tables(page: Path, tables: Dict[str, str]) -> str:
    text = page.read_text()
    marks = [marked[2] for marked in MARKED.finditer(text)]
    if marks != list(tables):
        raise ValueError(f"{page.name} has tables of {marks}, not of {list(tables)}")
    return MARKED.sub(lambda marked: marked[1] + tables[marked[2]], text)


def pages() -> Dict[Path, str]:
    """The pages as they should be."""
    suites = sorted((RESULTS / "validation").glob("*.json"), key=lambda path: path.stem)
    tables = {RESULTS / "README.md": {"figures": "\n" + performance_tables(),
                                      "verdicts": "\n" + validation_tables(suites)},
              BENCH.parent / "docs" / "develop" / "int8.md": {name: int8_table(name) for name in int8_tables.TABLES}}
    return {page: with_tables(page, texts) for page, texts in tables.items()}


def main() -> None:
    for page, text in pages().items():
        page.write_text(text)
        print(f"written to {page}")


if __name__ == "__main__":
    main()
