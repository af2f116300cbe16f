#!/usr/bin/env python3
"""Writes docs/performance.md from bench/results/*.json and bench/comments.md."""

import json
from pathlib import Path
from typing import List, Optional

from figure import number

BENCH = Path(__file__).resolve().parent
PAGE = BENCH.parent / "docs" / "performance.md"

INTRODUCTION = """<!-- Written by bench/render.py from bench/results/*.json and bench/comments.md. -->
# How fast it is, and how much memory it takes

`make bench` measures it anew; [bench/README.md](../bench/README.md) says how, and what each figure
is. Figures are medians, with the lowest and highest of the repeats in parentheses; a ratio is that of
this program over the peer, turn by turn in one run. Figures of different runs are not to be compared:
machines differ, and so do their hours.
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
    cells = [figure["name"],
             f"{with_spread(figure['value'], figure['spread'])} {figure['unit']}", peer,
             with_spread(figure["ratio"], figure["ratio_spread"], ratio_text), figure["goal"],
             "yes" if figure["met"] else "**no**"]
    return "| " + " | ".join(cells) + " |"


def section(path: Path) -> str:
    report = json.loads(path.read_text())
    about = report["machine"]
    peers = ", peers from PyPI" if path.stem.endswith("-peers") else ""
    gpu = f"{about['gpu']}: {path.stem.rpartition('-')[2]}; " if about.get("gpu") else ""
    lines = [f"## {gpu}{about['cpu']}, {about['cores']} cores, {about['memory_gib']} GiB{peers}", "",
             f"Kernel paths {about['kernel_path']}; commit {report['commit']}; {report['date']};"
             f" [{path.name}](../bench/results/{path.name})", "",
             "| figure | this program | peer | ratio | goal | met |", "|---|---|---|---|---|---|"]
    return "\n".join(lines + [row(figure) for figure in report["figures"]]) + "\n"


def main() -> None:
    sections = [section(path) for path in sorted((BENCH / "results").glob("*.json"))]
    comments = (BENCH / "comments.md").read_text()
    PAGE.write_text("\n".join([INTRODUCTION, *sections, comments]))
    print(f"written to {PAGE}")


if __name__ == "__main__":
    main()
