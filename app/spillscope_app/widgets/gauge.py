"""How full the window is: a bar over the whole of it, figures, and a sparkline. Knows numbers, no sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spillscope_app.format import compact, short, spread_of
from spillscope_app.spans import Ink, Line, Piece, Span, fit, line, spread, width_of

LEVELS = "▁▂▃▄▅▆▇█"
EXACT, RESIDUAL, ESTIMATE, FREE = "█", "▓", "▒", "░"
WHAT_IF = "═"
"""Hollow: what another setting would have added, or kept out."""
COMPACTED, CACHE_BROKE = "╎", "╳"
_WIDEST_SAMPLE = 3
_LOW = 3
"""A context that never fills this part of the window is drawn against its own peak, so that its growth is seen."""


class Mark(NamedTuple):
    """A line across the bar, at a number of tokens."""

    at: int
    glyph: str
    ink: Ink


class Sample(NamedTuple):
    """Context at one request; `is_break`: the first after a compaction; `broke_cache`: the cache was read no more."""

    tokens: int
    is_break: bool = False
    broke_cache: bool = False


class Bounds(NamedTuple):
    """Between how many tokens a figure is likely to lie."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Gauge:
    """What the gauge shows, in tokens. `exact_age`: of the exact part, in words.

    `residual`: how much of the exact part stands in no transcript. `band`: of the total; None where it is not known.
    `level`: the ink of the figures and of what is filled. `what_if`: the total under other limits.
    `limit_words`: what stands at the right, the longest first: the first one that there is room for.
    """

    exact: int
    estimate: int
    size: int
    marks: tuple[Mark, ...] = ()
    exact_age: str = ""
    guessed: bool = False
    limit_words: tuple[Line, ...] = ()
    history: Sequence[Sample] = ()
    residual: int = 0
    band: Bounds | None = None
    level: Ink = "gauge"
    what_if: int | None = None

    @property
    def total(self) -> int:
        return self.exact + self.estimate


def gauge_lines(gauge: Gauge, width: int, spark_rows: int = 0) -> tuple[Line, ...]:
    """The bar with its total, the figures, and so many rows of sparkline, in lines of `width` cells."""
    figures = _total(gauge, width)
    room = width - width_of(figures) - 4
    first = (Span(" "), *bar(gauge, room), Span("  "), *figures) if room >= 8 else (Span(" "), *figures)
    return (first, _detail(gauge, width), *_spark_lines(gauge, width, spark_rows))


def bar(gauge: Gauge, width: int) -> Line:
    """The whole window in `width` cells; over 100 % the bar goes on beyond the window's end, in the ink of over."""
    scale = max(gauge.size, gauge.total, gauge.what_if or 0, 1)
    exact = round(gauge.exact / scale * width)
    filled = round(gauge.total / scale * width)
    if gauge.estimate and filled == exact and filled < width:
        filled += 1
    end = round(gauge.size / scale * width)
    residual = min(exact, round(gauge.residual / scale * width))
    cells = [
        Span(RESIDUAL if at < residual else EXACT if at < exact else ESTIMATE, gauge.level if at < end else "over")
        for at in range(filled)
    ]
    cells += [Span(FREE, "faint")] * (width - filled)
    what_if = filled if gauge.what_if is None else round(gauge.what_if / scale * width)
    if what_if != round(gauge.total / scale * width):  # else there is nothing to see, though an estimate has its cell
        _outline(cells, what_if, filled)
    marks = (*gauge.marks, Mark(gauge.size, "┃", "over")) if end < width else gauge.marks
    for mark in marks:
        at = min(width - 1, int(mark.at / scale * width))
        if at >= 0:
            cells[at] = Span(mark.glyph, mark.ink)
    return tuple(cells)


def _outline(cells: list[Span], what_if: int, filled: int) -> None:
    """Draw what lies between two fills of the bar as hollow: in green what would be free, in amber what would come on top."""
    ink: Ink = "fresh" if what_if < filled else "warn"
    for at in range(max(0, min(what_if, filled)), min(len(cells), max(what_if, filled))):
        cells[at] = Span(WHAT_IF, ink)


def _total(gauge: Gauge, width: int) -> Line:
    percent = f"{gauge.total / max(1, gauge.size) * 100:.1f} %"
    ink: Ink = "strong" if gauge.level == "gauge" else gauge.level
    about = "≈" if gauge.guessed else ""
    total = Span(compact(gauge.total), ink)
    if width < 50:
        return line(total, Span(f" {percent}", ink))
    spread_words = _band_words(gauge, gauge.total) if width >= 100 else ""
    return line(total, Span(f"{spread_words} of {about}{short(gauge.size)} · ", "dim"), Span(percent, ink))


def _band_words(gauge: Gauge, number: int, less: int = 0) -> str:
    if gauge.band is None or gauge.band.high == gauge.band.low:
        return ""
    return f" {spread_of(number, gauge.band.low - less, gauge.band.high - less)}"


def _detail(gauge: Gauge, width: int) -> Line:
    when = f" ({gauge.exact_age} ago)" if gauge.exact_age else ""
    about = _band_words(gauge, gauge.estimate, gauge.exact) or ("" if gauge.band else " estimate")
    parts = line(
        "exact ", Span(compact(gauge.exact), "strong"), Span(when, "dim"), f" + {compact(gauge.estimate)}", Span(about, "dim")
    )
    at_left = [Piece(5, (Span(" "), *parts))]
    if gauge.what_if is not None:
        ink: Ink = "fresh" if gauge.what_if < gauge.total else "warn"
        at_left.append(Piece(4, line(Span(f"{WHAT_IF} ", ink), f"what-if {compact(gauge.what_if)}")))
    if gauge.residual:
        at_left.append(Piece(1, line(Span(f"{RESIDUAL} ", gauge.level), Span(f"residual {compact(gauge.residual)}", "dim"))))
    beside = width - width_of(parts) - 4
    words = [(*words, Span(" ")) for words in gauge.limit_words]
    fitting = [found for room in (beside, width - 1) for found in words if width_of(found) <= room]
    return spread(at_left, [Piece(6, fitting[0])] if fitting else [], width)


def _spark_lines(gauge: Gauge, width: int, rows: int) -> list[Line]:
    if not rows or not gauge.history:
        return [()] * rows
    words = " requests  " if width >= 60 else " "
    drawn = sparkline(gauge, max(0, width - len(words) - 1), rows)
    labels = [Span(words if at == rows - 1 else " " * len(words), "dim") for at in range(rows)]
    return [fit((label, *row), width) for label, row in zip(labels, drawn, strict=True)]


def sparkline(gauge: Gauge, width: int, rows: int) -> list[Line]:
    """The newest requests against the window, and at the end, apart from them, what would go out now.

    A compaction or a break of the cache stands before its request, in a column of its own.
    """
    columns = _columns(gauge, width, rows)
    return [tuple(Span(glyphs[at], ink) for glyphs, ink in columns) for at in range(rows)]


def _columns(gauge: Gauge, width: int, rows: int) -> list[tuple[str, Ink]]:
    """A sparkline column by column: its glyphs from top to bottom."""
    scale = scale_for(gauge.size, max([gauge.total, *(sample.tokens for sample in gauge.history)], default=0))
    room = width - 2
    cells = max(1, min(_WIDEST_SAMPLE, room // max(1, len(gauge.history))))
    columns: list[tuple[str, Ink]] = []
    for sample in gauge.history[-max(1, room) :]:
        if sample.is_break:
            columns.append((COMPACTED * rows, "warn"))
        elif sample.broke_cache:
            columns.append((" " * (rows - 1) + CACHE_BROKE, "over"))
        ink: Ink = "over" if sample.tokens > gauge.size else "gauge"
        columns += [(stack(sample.tokens / scale, rows), ink)] * cells
    newest = columns[-room:] if room > 0 else []
    return [*newest, (" " * rows, ""), (stack(gauge.total / scale, rows), "fresh")] if width >= 4 else []


def scale_for(size: int, peak: int) -> int:
    """Tokens that a plot's full height stands for: the window, unless the context never fills much of it."""
    return max(1, size if peak * _LOW >= size else peak * 3 // 2)


def stack(share: float, rows: int) -> str:
    """A bar of eighths over some rows, from top to bottom; what is more than nothing is seen."""
    eighths = min(8 * rows, max(int(share > 0), round(share * 8 * rows)))
    levels = [min(8, max(0, eighths - 8 * below)) for below in reversed(range(rows))]
    return "".join(LEVELS[level - 1] if level else " " for level in levels)
