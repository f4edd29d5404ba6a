"""Ratios that a noisy machine disturbs little: both sides in one run, in turn, and the median of what each round says."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from statistics import median
from typing import NamedTuple


class Figure(NamedTuple):
    """A cost and what it is held against, round by round, and the ratio aimed at; None where there is no aim."""

    name: str
    cost: list[float]
    against: list[float]
    unit: str
    aim: float | None = None

    @property
    def ratio(self) -> float:
        return median(cost / against for cost, against in zip(self.cost, self.against, strict=True))


def timed(work: Callable[[], object]) -> float:
    """Seconds of one call. What it returns lives until it was timed."""
    gc.collect()
    start = time.perf_counter()
    kept = work()
    taken = time.perf_counter() - start
    del kept
    return taken


def in_turn(rounds: int, *works: Callable[[], float]) -> list[list[float]]:
    """Measurements of each work, taken in turn: A B A B, never A A B B."""
    taken: list[list[float]] = [[] for _ in works]
    for _ in range(rounds):
        for work, mine in zip(works, taken, strict=True):
            mine.append(work())
    return taken


def table(figures: list[Figure]) -> str:
    """The figures in columns, each beside its aim."""
    rows = [("", "cost", "against", "ratio", "aim", "")]
    for figure in figures:
        aim = "" if figure.aim is None else f"≤ {figure.aim}"
        met = "" if figure.aim is None else "reached" if figure.ratio <= figure.aim else "missed"
        rows.append(
            (
                figure.name,
                _amount(figure.cost, figure.unit),
                _amount(figure.against, figure.unit),
                f"{figure.ratio:.2f}" if figure.ratio >= 0.1 else f"{figure.ratio:.4f}",
                aim,
                met,
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if at in (0, 5) else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def _amount(values: list[float], unit: str) -> str:
    value = median(values)
    return f"{value:.3g} {unit}" if value < 1000 else f"{value:,.0f} {unit}"
