"""Sizes as a small histogram on a log scale, with a threshold drawn in it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from spillscope_app.format import short
from spillscope_app.spans import Ink, Line, Span
from spillscope_app.widgets.gauge import LEVELS, stack

LOWEST, HIGHEST = 100, 1_000_000
"""Units between which sizes are told apart; what is smaller or larger stands at the ends."""
MARK, NO_MARK, BASE = "│", "∞", "·"
_LEVEL = BASE + LEVELS
_DECADES = math.log10(HIGHEST / LOWEST)


def histogram(sizes: Sequence[int], threshold: float, cells: int, ink: Ink = "strong") -> Line:
    """Ascending sizes in `cells` cells: what is over the threshold stands right of its mark, in the ink of what is spilled.

    `ink`: of the mark. An infinite threshold stands at the end.
    """
    if cells < 2:
        return ()
    below, above = _sides(sizes, threshold, cells - 1)
    most = max([*below, *above])
    levels = [[_LEVEL[_eighths(count, most, 1)] for count in side] for side in (below, above)]
    mark = Span(NO_MARK if math.isinf(threshold) else MARK, ink)
    return (*_inked(levels[0], "frozen"), mark, *_inked(levels[1], "persisted"))


def distribution(sizes: Sequence[int], threshold: float, cells: int, rows: int, ink: Ink = "strong") -> list[Line]:
    """The same over some rows, with the scale below them."""
    if cells < 20 or rows < 2:
        return []
    below, above = _sides(sizes, threshold, cells - 1)
    most = max([*below, *above])
    columns = [
        [stack(_eighths(count, most, rows - 1) / (8 * (rows - 1)), rows - 1) for count in side] for side in (below, above)
    ]
    mark = Span(" " if math.isinf(threshold) else MARK, ink)
    drawn: list[Line] = [
        (*_inked([one[row] for one in columns[0]], "frozen"), mark, *_inked([one[row] for one in columns[1]], "persisted"))
        for row in range(rows - 1)
    ]
    return [*drawn, _scale(cells)]


def _scale(cells: int) -> Line:
    """The powers of ten, each where it stands."""
    text = [" "] * cells
    for size in (100, 1_000, 10_000, 100_000, 1_000_000):
        label = short(size)
        at = min(cells - len(label), round(_place(size) * (cells - 1)))
        text[at : at + len(label)] = label
    return (Span("".join(text), "dim"),)


def _place(size: float) -> float:
    """Where on the scale a size stands, from 0 to 1."""
    return math.log10(max(size, LOWEST) / LOWEST) / _DECADES


def _sides(sizes: Sequence[int], threshold: float, bars: int) -> tuple[list[int], list[int]]:
    """How many sizes each bar stands for, left and right of the threshold, which parts two bars to the unit."""
    edges = [LOWEST * 10 ** (_DECADES * at / bars) for at in range(1, bars)]
    place = bars if math.isinf(threshold) else max(0, min(bars, round(_place(threshold) * bars)))
    ends = [bisect_right(sizes, edge) for edge in edges] + [len(sizes)]
    over = bisect_right(sizes, threshold)
    below = [min(end, over) for end in ends[:place]]
    above = [max(end, over) for end in ends[place:]]
    if below:
        below[-1] = over
    return [end - start for start, end in pairwise([0, *below])], [end - start for start, end in pairwise([over, *above])]


def _eighths(count: int, most: int, rows: int) -> int:
    """How high a bar is. Heights go by the logarithm, so that a few results are seen beside many."""
    return max(1, round(8 * rows * math.log1p(count) / math.log1p(most))) if count else 0


def _inked(glyphs: Sequence[str], ink: Ink) -> list[Span]:
    return [Span(glyph, "faint" if glyph == BASE else ink) for glyph in glyphs]
