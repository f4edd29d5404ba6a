"""The list of groups as table items: a group a row, its results below it, the pending request last."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from typing import NamedTuple

from spillscope.session.reading import Group, Reading, Result
from spillscope_app.format import clock, compact, short, tool_name
from spillscope_app.spans import Ink, Line, Span, beside, cut, cut_start, foreign, left, right
from spillscope_app.views.words import FATES, OTHER, OVER, WORDS, Word, word_of
from spillscope_app.widgets.outline import GUTTER, ITSELF

NUMBER, CLOCK, SIZE, FATE = 5, 5, 6, 9
"""Cells of the fixed columns."""
_INDENT = 4
_EIGHTHS = " ▏▎▍▌▋▊▉█"


class Columns(NamedTuple):
    """Cells of each column at a width; 0: left out. `flex` is what a group's tallies and a result's label share."""

    number: int
    clock: int
    flex: int
    size: int
    visible: int
    meter: int
    fate: int


def columns(width: int) -> Columns:
    """The columns that a list of `width` cells (gutter not counted) has room for."""
    meter = 12 if width >= 84 else 8 if width >= 58 else 0
    visible = SIZE if width >= 46 else 0
    when = CLOCK if width >= 40 else 0
    fate = FATE if width >= 32 else 1
    fixed = sum(cells + 1 for cells in (NUMBER, when, SIZE, visible, meter, fate) if cells)
    return Columns(NUMBER, when, max(1, width - fixed), SIZE, visible, meter, fate)


def heading(width: int, limit: float) -> Line:
    """The names of the columns, for a list of `width` cells with its gutter."""
    cols = columns(width - GUTTER)
    return beside(
        (Span(" "),),
        right(Span("#", "dim"), cols.number),
        left(Span("time", "dim"), cols.clock),
        left(Span("results", "dim"), cols.flex),
        right(Span("size", "dim"), cols.size),
        right(Span("→ sees", "dim"), cols.visible),
        left(Span(f"of {short(limit)}", "dim"), cols.meter),
        left(Span("fate" if cols.fate > 1 else "", "dim"), cols.fate),
    )


class GroupItems:
    """`Items` over a reading. Computed row by row as they come into view; making one costs nothing."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self._cut = reading.live_from if 0 < reading.live_from <= len(reading.groups) else None

    def __len__(self) -> int:
        reading = self.reading
        return len(reading.groups) + (self._cut is not None) + (reading.pending is not None)

    def group(self, at: int) -> Group | None:
        """The group at a position; None for the line between what left the context and what is in it."""
        if self._cut is not None:
            if at == self._cut:
                return None
            at -= at > self._cut
        groups = self.reading.groups
        return groups[at] if at < len(groups) else self.reading.pending

    def ident(self, at: int) -> int:
        """Twice a group's number; the line between has the odd number below its first live group."""
        group = self.group(at)
        return 2 * self.reading.live_from - 1 if group is None else 2 * group.number

    def find(self, ident: int) -> int | None:
        at = bisect_left(range(len(self)), ident, key=self.ident)
        return at if at < len(self) and self.ident(at) == ident else None

    def children(self, at: int) -> int:
        group = self.group(at)
        return len(group.results) if group else 0

    def line(self, at: int, child: int, width: int) -> Line:
        group = self.group(at)
        if group is None:
            return cut_line(self.reading, width)
        if child != ITSELF:
            return result_line(group.results[child], columns(width))
        pending = group is self.reading.pending
        return group_line(group, columns(width), pending=pending, live=pending or self.reading.is_live(group))


def cut_line(reading: Reading, width: int) -> Line:
    """The line under everything that is no longer in the context."""
    count = len(reading.session.compactions)
    cause = f"{count} compactions" if count > 1 else "compaction" if count else "an earlier conversation"
    text = f"── above: no longer in the context ({cause}) "
    return (Span(cut(text + "─" * max(0, width - len(text)), width), "dim"),)


def group_line(group: Group, cols: Columns, *, pending: bool, live: bool) -> Line:
    """One group: number, time, tallies, size → what the model sees, the meter against the budget."""
    ink: Ink = "strong" if pending else "" if live else "dim"
    number = "next" if pending else str(group.number)
    flag = Span("! over" if cols.fate > 1 else "!", "over") if group.over_budget else Span("")
    return beside(
        right(Span(number, ink), cols.number),
        left(Span(clock(group.timestamp), "dim"), cols.clock),
        left(_tallies(group), cols.flex),
        right(Span(compact(group.chars), ink), cols.size),
        right(Span(compact(group.model_chars), ink), cols.visible),
        left(meter(group.frozen + group.fresh, group.limit, cols.meter), cols.meter),
        left(flag, cols.fate),
    )


def result_line(result: Result, cols: Columns) -> Line:
    """One result: its mark, tool, label, sizes, tokens in the model's view, fate."""
    row = result.row
    room = cols.number + (cols.clock + 1 if cols.clock else 0) + cols.flex - _INDENT - 3
    tool = 8 if room < 32 else 12
    label = foreign(row.label, "dim")
    if _is_path(label.text):
        label = Span(cut_start(label.text, room - tool), "dim")
    fate, ink = FATES[result.fate]
    return beside(
        (Span(" " * _INDENT),),
        (word_of(result).mark,),
        left((*left(foreign(tool_name(row.tool)), tool), Span(" "), label), room + 1),
        right(Span(compact(row.chars)), cols.size),
        right(Span(compact(result.model_chars)), cols.visible),
        right(Span(f"{compact(result.model_tokens)} tk", "dim"), cols.meter),
        left(Span(fate if cols.fate > 1 else "", ink), cols.fate),
    )


def _is_path(label: str) -> bool:
    return " " not in label and ("/" in label or "\\" in label)


def meter(used: float, limit: float, cells: int) -> Span:
    """A bar of eighths; a message over its budget fills it and is drawn as over."""
    if not cells:
        return Span("")
    share = used / limit if math.isfinite(limit) and limit > 0 else 0.0
    if share > 1:
        return Span("█" * cells, "over")
    eighths = max(int(used > 0), math.floor(share * cells * 8))
    full, rest = divmod(min(eighths, cells * 8), 8)
    return Span(("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(cells), "gauge")


def _tallies(group: Group) -> Line:
    """How many results a group has, and how many of each kind: `5  ↻1 ■4`."""
    counts: Counter[Word] = Counter(map(word_of, group.results))
    shown = [word for word in (*WORDS, OTHER) if counts[word] and word is not OVER]
    return (Span(f"{len(group.results):>2} ", "dim"), *(Span(f" {word.glyph}{counts[word]}", word.ink) for word in shown))
