"""Reads what `virnucpro benchmark` wrote."""

import json
from pathlib import Path
from typing import Dict, List


def report_of(out: Path) -> dict:
    (report,) = out.glob("benchmark_*.json")
    return json.loads(report.read_text())


def verdict(report: dict, name: str) -> dict:
    (found,) = [row for row in report["verdicts"] if row["id"] == name]
    return found


def page_of(out: Path) -> str:
    """The report in Markdown, without the escapes of underscores."""
    (page,) = out.glob("benchmark_*.md")
    return page.read_text().replace("\\_", "_")


def rows_against(out: Path, name: str) -> List[List[str]]:
    """The rows of one comparison, of both tables of the report."""
    return [[cell.strip() for cell in line.split("|")[2:-1]] for line in page_of(out).splitlines()
            if line.startswith(f"| {name} |")]


def datasets_against(out: Path, name: str) -> Dict[str, List[str]]:
    """By dataset, what follows its name in one comparison's row: rows in both, in one alone, …"""
    return {row[0]: row[1:] for row in rows_against(out, name) if len(row) > 6}
