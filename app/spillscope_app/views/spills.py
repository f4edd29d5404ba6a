"""The spilled files as lines: a file a row, its badges at the end."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

from spillscope.session.spills import Spill
from spillscope_app.format import age, base_name, compact, tool_name
from spillscope_app.spans import Line, Span, beside, foreign, left, right, width_of
from spillscope_app.views.badges import ORIGINS, badge_cell
from spillscope_app.views.rows import call_label
from spillscope_app.views.spill_sieve import size_of
from spillscope_app.widgets.outline import GUTTER, Flat

SIZE, AGE, GROUP, ORIGIN = 6, 4, 5, 12
"""Cells of the fixed columns."""
AGENT_CHARS = 7
"""Of a sub-agent's id, as many as tell it from others."""


class Columns(NamedTuple):
    """Cells of each column at a width; 0: left out. `flex` is what a file's call has."""

    tool: int
    flex: int
    size: int
    age: int
    group: int
    origin: int
    badges: int


def columns(width: int) -> Columns:
    """The columns that a list of `width` cells (gutter not counted) has room for."""
    fixed = Columns(
        tool=12 if width >= 110 else 8 if width >= 48 else 5,
        flex=0,
        size=SIZE,
        age=AGE if width >= 44 else 0,
        group=GROUP if width >= 66 else 0,
        origin=ORIGIN if width >= 86 else 0,
        badges=36 if width >= 120 else 26 if width >= 84 else 24 if width >= 70 else 18 if width >= 50 else 5,
    )
    return fixed._replace(flex=max(1, width - 2 - sum(cells + 1 for cells in fixed if cells)))


def heading(width: int) -> Line:
    """The names of the columns, for a list of `width` cells with its gutter."""
    cols = columns(width - GUTTER)
    return beside(
        (Span(" " * (GUTTER + 1)),),
        left(Span("tool", "dim"), cols.tool),
        left(Span("call", "dim"), cols.flex),
        right(Span("size", "dim"), cols.size),
        right(Span("age", "dim"), cols.age),
        right(Span("group", "dim"), cols.group),
        left(Span("origin", "dim"), cols.origin),
        left(Span("what is found" if cols.badges > 5 else "found", "dim"), cols.badges),
    )


class SpillItems(Flat):
    """`Items` over spills in the order in which they are shown. `numbers`: the lasting number of each."""

    def __init__(self, spills: Sequence[Spill], numbers: Sequence[int], now: float, *, found: bool = False) -> None:
        self.spills, self._numbers, self._now, self._found = spills, numbers, now, found
        self._at = {number: at for at, number in enumerate(numbers)}

    def at(self, now: float) -> SpillItems:
        """The same, at another moment."""
        later = copy(self)
        later._now = now
        return later

    def __len__(self) -> int:
        return len(self.spills)

    def ident(self, at: int) -> int:
        return self._numbers[at]

    def find(self, ident: int) -> int | None:
        return self._at.get(ident)

    def matches(self, at: int, child: int) -> bool:
        return self._found

    def line(self, at: int, child: int, width: int) -> Line:
        return spill_line(self.spills[at], columns(width), self._now)


def spill_line(spill: Spill, cols: Columns, now: float) -> Line:
    """One file: where it came from, tool, call, size on disk, age, group, what is found."""
    size, quiet = size_of(spill), spill.modified
    is_there = spill.file.bytes is not None
    return beside(
        (ORIGINS[spill.origin].mark,),
        left(tool_of(spill), cols.tool),
        left(call_of(spill, cols.flex), cols.flex),
        right(Span("?" if size is None else compact(size), "" if is_there else "faint"), cols.size),
        right(Span("" if quiet is None else age(now - quiet), "dim"), cols.age),
        right(Span("" if spill.group is None else str(spill.group), "dim"), cols.group),
        left(Span(spill.origin, "dim"), cols.origin),
        badge_cell(spill, cols.badges),
    )


def tool_of(spill: Spill) -> Span:
    """The tool whose result it is; a hook's output has none."""
    return foreign(tool_name(spill.tool)) if spill.tool else Span("hook" if spill.origin == "hook" else "?", "dim")


def call_of(spill: Spill, cells: int) -> Line:
    """The sub-agent where there is one, and the call; of a file that no call is known for, its name."""
    agent = (foreign(f"{spill.agent_id[:AGENT_CHARS]} ", "strong"),) if spill.agent_id else ()
    label = spill.label or base_name(spill.file.path)
    return (*agent, call_label(label, max(0, cells - width_of(agent))))
