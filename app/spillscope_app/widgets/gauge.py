"""How full the window is: a bar over the whole of it, figures, and a sparkline. Knows numbers, no sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spillscope_app.format import compact, short
from spillscope_app.spans import Ink, Line, Piece, Span, line, spread, width_of

_LEVELS = "▁▂▃▄▅▆▇█"
_EXACT, _ESTIMATE, _FREE, _BREAK = "█", "▒", "░", "╎"
_SHORTEST_SPARK = 6


class Mark(NamedTuple):
    """A line across the bar, at a number of tokens."""

    at: int
    glyph: str
    ink: Ink


class Sample(NamedTuple):
    """Context at one request; `is_break`: it is the first after a compaction."""

    tokens: int
    is_break: bool = False


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


def gauge_lines(gauge: Gauge, width: int) -> tuple[Line, Line]:
    """The bar with its total, and the figures with the sparkline, in lines of `width` cells."""
    figures = _total(gauge, width)
    room = width - width_of(figures) - 3
    if room < 8:
        return (Span(" "), *figures), _detail(gauge, width)
    return (Span(" "), *bar(gauge, room), Span("  "), *figures), _detail(gauge, width)


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
    at_left = [Piece(2, (Span(" "), *parts))]
    at_right = [Piece(piece.rank, (*piece.spans, Span(" "))) for piece in gauge.limit_words[:1]]
    plain = spread(at_left, at_right, width)
    used = sum(width_of(piece.spans) for piece in (*at_left, *at_right))
    room = min(width - used - 4, len(gauge.history), 60)
    if room < min(_SHORTEST_SPARK, len(gauge.history)) or room <= 0:
        return plain
    return spread(at_left, [Piece(1, sparkline(gauge.history, room)), *at_right], width)


def sparkline(history: Sequence[Sample], width: int) -> Line:
    """The newest samples, one a cell, against the largest of them; a break stands before its first sample."""
    newest = list(history[-width:])
    top = max((sample.tokens for sample in newest), default=0) or 1
    spans: list[Span] = []
    for sample in newest:
        if sample.is_break:
            spans.append(Span(_BREAK, "warn"))
        level = min(len(_LEVELS) - 1, max(0, sample.tokens) * len(_LEVELS) // (top + 1))
        spans.append(Span(_LEVELS[level], "gauge"))
    return tuple(spans[-width:])
