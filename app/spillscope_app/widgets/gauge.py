"""How full the window is: a bar over the whole of it, figures, and a sparkline. Knows numbers, no sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spillscope_app.format import compact, short
from spillscope_app.spans import Ink, Line, Piece, Span, fit, line, spread, width_of

_LEVELS = "▁▂▃▄▅▆▇█"
_EXACT, _ESTIMATE, _FREE = "█", "▒", "░"
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


@dataclass(frozen=True, slots=True)
class Gauge:
    """What the gauge shows, in tokens. `exact_age`: of the exact part, in words. `limit_words`: what stands at the right."""

    exact: int
    estimate: int
    size: int
    marks: tuple[Mark, ...] = ()
    exact_age: str = ""
    guessed: bool = False
    limit_words: tuple[Piece, ...] = ()
    history: Sequence[Sample] = ()

    @property
    def total(self) -> int:
        return self.exact + self.estimate


def gauge_lines(gauge: Gauge, width: int, spark_rows: int = 0) -> tuple[Line, ...]:
    """The bar with its total, the figures, and so many rows of sparkline, in lines of `width` cells."""
    figures = _total(gauge, width)
    room = width - width_of(figures) - 3
    first = (Span(" "), *bar(gauge, room), Span("  "), *figures) if room >= 8 else (Span(" "), *figures)
    return (first, _detail(gauge, width), *_spark_lines(gauge, width, spark_rows))


def bar(gauge: Gauge, width: int) -> Line:
    """The whole window in `width` cells; over 100 % the bar goes on beyond the window's end, in the ink of over."""
    scale = max(gauge.size, gauge.total, 1)
    exact = round(gauge.exact / scale * width)
    filled = round(gauge.total / scale * width)
    if gauge.estimate and filled == exact and filled < width:
        filled += 1
    end = round(gauge.size / scale * width)
    cells = [
        Span(_EXACT if at < exact else _ESTIMATE if at < filled else _FREE, _ink_at(at, filled, end)) for at in range(width)
    ]
    marks = (*gauge.marks, Mark(gauge.size, "┃", "over")) if end < width else gauge.marks
    for mark in marks:
        at = min(width - 1, int(mark.at / scale * width))
        if at >= 0:
            cells[at] = Span(mark.glyph, mark.ink)
    return tuple(cells)


def _ink_at(at: int, filled: int, end: int) -> Ink:
    if at >= filled:
        return "faint"
    return "gauge" if at < end else "over"


def _total(gauge: Gauge, width: int) -> Line:
    percent = f"{gauge.total / max(1, gauge.size) * 100:.1f} %"
    ink: Ink = "over" if gauge.total > gauge.size else "strong"
    about = "≈" if gauge.guessed else ""
    if width < 50:
        return line(Span(compact(gauge.total), ink), Span(f" {percent}", ink))
    return line(Span(compact(gauge.total), ink), Span(f" of {about}{short(gauge.size)} · ", "dim"), Span(percent, ink))


def _detail(gauge: Gauge, width: int) -> Line:
    when = f" ({gauge.exact_age} ago)" if gauge.exact_age else ""
    parts = line("exact ", Span(compact(gauge.exact), "strong"), Span(when, "dim"), f" + {compact(gauge.estimate)} estimate")
    at_right = [Piece(piece.rank, (*piece.spans, Span(" "))) for piece in gauge.limit_words[:1]]
    return spread([Piece(2, (Span(" "), *parts))], at_right, width)


def _spark_lines(gauge: Gauge, width: int, rows: int) -> list[Line]:
    if not gauge.history:
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
    peak = max([gauge.total, *(sample.tokens for sample in gauge.history)], default=0)
    scale = max(1, gauge.size if peak * _LOW >= gauge.size else peak * 3 // 2)
    room = width - 2
    cells = max(1, min(_WIDEST_SAMPLE, room // max(1, len(gauge.history))))
    columns: list[tuple[str, Ink]] = []
    for sample in gauge.history[-max(1, room) :]:
        if sample.is_break:
            columns.append((COMPACTED * rows, "warn"))
        elif sample.broke_cache:
            columns.append((" " * (rows - 1) + CACHE_BROKE, "over"))
        ink: Ink = "over" if sample.tokens > gauge.size else "gauge"
        columns += [(_stack(sample.tokens / scale, rows), ink)] * cells
    newest = columns[-room:] if room > 0 else []
    return [*newest, (" " * rows, ""), (_stack(gauge.total / scale, rows), "fresh")] if width >= 4 else []


def _stack(share: float, rows: int) -> str:
    """A bar of eighths over some rows, from top to bottom; what is more than nothing is seen."""
    eighths = min(8 * rows, max(int(share > 0), round(share * 8 * rows)))
    levels = [min(8, max(0, eighths - 8 * below)) for below in reversed(range(rows))]
    return "".join(_LEVELS[level - 1] if level else " " for level in levels)
