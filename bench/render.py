#!/usr/bin/env python3
"""Writes docs/develop/performance.md from bench/results/, where also the JSON of `virnucpro benchmark` lies,
and bench/comments.md."""

import json
import os
import re
from pathlib import Path
from typing import List, Optional

from figure import number

BENCH = Path(__file__).resolve().parent
PAGE = BENCH.parent / "docs" / "develop" / "performance.md"


def link(path: Path) -> str:
    """From the page."""
    return os.path.relpath(path, PAGE.parent)


INTRODUCTION = f"""<!-- Written by bench/render.py from bench/results/ and bench/comments.md. -->
# How fast it is, and how much memory it takes

`make bench` measures it anew; [bench/README.md]({link(BENCH / 'README.md')}) says how, what each figure
is, and which sections are records of sets that are no longer run. Figures are medians, with the lowest
and highest of the repeats in parentheses; a ratio is that of this program over the peer, turn by turn in
one run. Figures of different runs are not to be compared: machines differ, and so do their hours.
"""


def with_spread(value: Optional[float], spread: Optional[List[float]], digits=number) -> str:
    if value is None:
        return "–"
    if spread is None or spread[0] == spread[1]:
        return digits(value)
    return f"{digits(value)} ({digits(spread[0])} – {digits(spread[1])})"


def ratio_text(value: float) -> str:
    return f"{value:.2f}"


def row(figure: dict) -> str:
    peer = "–"
    if figure["peer"]:
        peer = f"{number(figure['peer_value'])}, {figure['settings'].get('peer', figure['peer'])}"
    op = figure["settings"] if "milliseconds" in figure["settings"] else None
    if op:
        peer = f"{op['milliseconds']:.3f} ms; {op['share']:.0%} of {number(op['ceiling'])}"
    met = "–" if op else "yes" if figure["met"] else "**no**"
    cells = [figure["name"],
             f"{with_spread(figure['value'], figure['spread'])} {figure['unit']}", peer,
             with_spread(figure["ratio"], figure["ratio_spread"], ratio_text),
             "–" if op else figure["goal"], met]
    return "| " + " | ".join(cells) + " |"


def heading_of_gpus(path: Path, name: str) -> str:
    """How many, and what was measured on them: nvidia-h200-x2-scaling."""
    several = re.search(r"-x(\d+)-", path.stem)
    return f"{several[1] + ' ' if several else ''}{name}: {path.stem.rpartition('-')[2]}; "


def section(path: Path) -> str:
    report = json.loads(path.read_text())
    about = report["machine"]
    peers = ", peers from PyPI" if path.stem.endswith("-peers") else ""
    kind = ""
    if path.stem.startswith("simulated"):
        kind = "A simulation of GPUs that were not there; "
    elif about.get("gpu"):
        kind = heading_of_gpus(path, about["gpu"])
    lines = [f"## {kind}{about['cpu']}, {about['cores']} cores, {about['memory_gib']} GiB{peers}", "",
             f"Kernel paths {about['kernel_path']}; commit {report['commit']}; {report['date']};"
             f" [{path.name}]({link(path)})", "",
             "| figure | this program | peer | ratio | goal | met |", "|---|---|---|---|---|---|"]
    return "\n".join(lines + [row(figure) for figure in report["figures"]] + layer(report)) + "\n"


def suites_section(path: Path) -> str:
    """Of what `virnucpro benchmark` found."""
    report = json.loads(path.read_text())
    about, page = report["metadata"], path.with_suffix(".md")
    judged = [verdict for verdict in report["verdicts"] if verdict["status"] != "SKIPPED"]
    processor = about["processor"].partition(", cpu-")[0]
    lines = [f"## virnucpro benchmark, {path.stem}: {report['identity']['device']}; {processor}", "",
             f"Suites {', '.join(suite['name'] for suite in report['suites'])} over"
             f" {about['num_sequences']:,} sequences, {report['identity']['settings']}; commit"
             f" {report['commit']}; {report['time'][:10]}; [{path.name}]({link(path)}),"
             f" [{page.name}]({link(page)})", "",
             "| requirement | id | measured | wanted | status |", "|---|---|---|---|---|"]
    lines += [f"| {one['name']} | {one['id']} | {with_spread(one['value'], None)} {one['unit']} |"
              f" {one['bar']} | {one['status']} |" for one in judged]
    if report["metrics"]:
        lines += ["", "| figure | median (quartiles) | repeats |", "|---|---|---|"]
    lines += [metric_row(metric) for metric in report["metrics"]]
    return "\n".join(lines) + "\n"


def metric_row(metric: dict) -> str:
    name, is_bytes, _ = metric["key"].partition("_bytes")
    unit, of = (" MiB", 1 << 20) if is_bytes else ("", 1)
    low, median, high = (metric[key] / of for key in ("low_quartile", "median", "high_quartile"))
    return f"| {name} | {with_spread(median, [low, high])}{unit} | {metric['repeats']} |"


# What a layer of ESM-2 3B is made of, in its order, by the names of bench_gpu_ops.
LAYER = ("fp16 layer norm", "fp16 qkv", "fp16 attention, 40 heads, 168 tokens a sequence", "fp16 out",
         "fp16 layer norm", "fp16 fc1", "fp16 fc2")
BAR = 60  # letters of the whole


def layer(report: dict) -> List[str]:
    """A picture of its time, where the report has the ops."""
    ops = {figure["settings"]["op"]: figure["settings"] for figure in report["figures"]
           if "milliseconds" in figure["settings"]}
    if not all(name in ops for name in LAYER):
        return []
    total = sum(ops[name]["milliseconds"] for name in LAYER)
    lines = ["", f"A layer of ESM-2 3B in fp16, 32,760 tokens in sequences of 168: {total:.2f} ms, op"
             " by op, each by itself.", "", "```"]
    for name in LAYER:
        share = ops[name]["milliseconds"] / total
        short = name.removeprefix("fp16 ").split(",")[0]
        lines.append(f"{short:<12}{ops[name]['milliseconds']:6.3f} ms {share:6.1%}  "
                     f"{'█' * round(share * BAR)}")
    return [*lines, "```"]


def main() -> None:
    results = BENCH / "results"
    sections = [section(path) for path in sorted(results.glob("*.json"))]
    sections += [suites_section(path) for path in sorted((results / "validation").glob("*.json"))]
    comments = (BENCH / "comments.md").read_text()
    PAGE.write_text("\n".join([INTRODUCTION, *sections, comments]))
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
