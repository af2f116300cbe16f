"""A figure: a measurement, its comparison, and whether it reaches its goal."""

import statistics
from dataclasses import asdict, dataclass, field
from typing import List, Optional, Sequence

from session import Pass, Side, alternate


def number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' if count > 1 else ''}"


@dataclass
class Figure:
    name: str
    unit: str
    value: float
    spread: List[float]  # lowest and highest of the repeats
    repeats: int
    goal: str
    met: bool
    peer: Optional[str] = None
    peer_value: Optional[float] = None
    ratio: Optional[float] = None  # median of the turns' ratios, ours over the peer's
    ratio_spread: Optional[List[float]] = None
    settings: dict = field(default_factory=dict)

    def as_json(self) -> dict:
        return asdict(self)

    def __str__(self) -> str:
        low, high = map(number, self.spread)
        text = f"{self.name}: {number(self.value)} {self.unit} ({low} to {high})"
        if self.peer:
            low, high = self.ratio_spread
            text += (f"; {self.peer}: {number(self.peer_value)};"
                     f" ratio {self.ratio:.2f} ({low:.2f} to {high:.2f})")
        return f"{text}; goal {self.goal}: {'met' if self.met else 'MISSED'}"


def rates(passes: Sequence[Pass], clock: str) -> List[float]:
    return [one.work / getattr(one, clock) for one in passes]


def clock_for(threads: int) -> str:
    """One thread is timed in processor seconds, which other programs hardly affect. Several threads
    are timed by the wall clock, since waiting for each other is part of their time."""
    return "cpu" if threads == 1 else "wall"


def rate(name: str, unit: str, passes: Sequence[Pass], clock: str, goal: float,
         settings: dict, cores: int = 1) -> Figure:
    """A rate per core that must reach `goal`."""
    values = [value / cores for value in rates(passes, clock)]
    median = statistics.median(values)
    return Figure(name, unit, median, [min(values), max(values)], len(values), f">= {goal:,.0f}",
                  median >= goal, settings={**settings, "clock": clock})


def in_turns(name: str, unit: str, ours: Side, peer: str, theirs: Side, repeats: int, clock: str,
             goal: float, settings: dict) -> Figure:
    """A rate that must be `goal` times the peer's. Both sides take turns, so that disturbances of
    the machine affect both."""
    passes = alternate([ours, theirs], repeats)
    return ratio_of_rates(name, unit, rates(passes[0], clock), peer, rates(passes[1], clock), goal,
                          {**settings, "ours": ours.settings, "peer": theirs.settings,
                           "clock": clock})


def ratio_of_rates(name: str, unit: str, ours: Sequence[float], peer: str, theirs: Sequence[float],
                   goal: float, settings: dict) -> Figure:
    """The same figure as in_turns() returns, from rates that were measured before."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    median = statistics.median(ratios)
    return Figure(name, unit, statistics.median(ours), [min(ours), max(ours)], len(ratios),
                  f">= {goal:g}x", median >= goal, peer, statistics.median(theirs), median,
                  [min(ratios), max(ratios)], settings)


def alone(of: Figure, least: float) -> Figure:
    """The rate of this program in a ratio, as a figure that must reach `least`."""
    return Figure(f"{of.name}, alone", of.unit, of.value, of.spread, of.repeats,
                  f">= {number(least)}", of.value >= least, settings=of.settings)


def at_least(name: str, unit: str, values: Sequence[float], least: float, settings: dict) -> Figure:
    """A value that must reach `least`."""
    median = statistics.median(values)
    return Figure(name, unit, median, [min(values), max(values)], len(values),
                  f">= {number(least)}", median >= least, settings=settings)


def limit(name: str, unit: str, values: Sequence[float], most: float, settings: dict) -> Figure:
    """A value that must not exceed `most`."""
    median = statistics.median(values)
    return Figure(name, unit, median, [min(values), max(values)], len(values), f"<= {number(most)}",
                  max(values) <= most, settings=settings)
