"""Sizes as a small histogram on a log scale, with a threshold drawn in it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

from spillscope_app.spans import Ink, Line, Span
from spillscope_app.widgets.gauge import LEVELS

LOWEST, HIGHEST = 100, 1_000_000
"""Units between which sizes are told apart; what is smaller or larger stands at the ends."""
MARK, NO_MARK, BASE = "│", "∞", "·"
_DECADES = math.log10(HIGHEST / LOWEST)


def histogram(sizes: Sequence[int], threshold: float, cells: int, ink: Ink = "strong") -> Line:
    """Ascending sizes in `cells` cells: what is over the threshold stands right of its mark, in the ink of what is spilled.

    `ink`: of the mark. An infinite threshold stands at the end.
    """
    if cells < 2:
        return ()
    bars = cells - 1
    counts = _counts(sizes, bars)
    place = bars if math.isinf(threshold) else max(0, min(bars, round(_place(threshold) * bars)))
    below, above = _bars(counts[:place], max(counts), "frozen"), _bars(counts[place:], max(counts), "persisted")
    return (*below, Span(NO_MARK if math.isinf(threshold) else MARK, ink), *above)


def _place(size: float) -> float:
    """Where on the scale a size stands, from 0 to 1."""
    return math.log10(max(size, LOWEST) / LOWEST) / _DECADES


def _counts(sizes: Sequence[int], bars: int) -> list[int]:
    edges = [LOWEST * 10 ** (_DECADES * at / bars) for at in range(1, bars)]
    ends = [*(bisect_right(sizes, edge) for edge in edges), len(sizes)]
    return [end - start for start, end in zip([0, *ends], ends, strict=False)]


def _bars(counts: Sequence[int], most: int, ink: Ink) -> list[Span]:
    """Heights go by the logarithm, so that a few results are seen beside many."""
    if not counts:
        return []
    full = math.log1p(most) or 1.0
    return [Span(LEVELS[round(7 * math.log1p(count) / full)], ink) if count else Span(BASE, "faint") for count in counts]
