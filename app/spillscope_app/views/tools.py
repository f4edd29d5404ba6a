"""The table of what can be tuned, as lines: as many columns as there is room for."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from spillscope.session.whatif.flips import Change
from spillscope_app.format import compact, short, tool_name
from spillscope_app.spans import Ink, Line, Span, beside, foreign, left, line, right
from spillscope_app.views.histogram import distribution, histogram
from spillscope_app.views.tool_rows import ToolRow
from spillscope_app.widgets.outline import GUTTER, Listed

LEAST: Mapping[str, int] = {
    "source": 12, "reread": 4, "declared": 6, "override": 6, "p50": 6, "saved": 6, "calls": 5, "p90": 6, "sizes": 9,
    "largest": 7, "spilled": 7, "value": 7, "name": 14,
}  # fmt: skip
"""The columns and the cells that they want at least; the first ones go first where there is no room."""
_MOST = {"sizes": 25, "name": 22, "source": 60}
_ORDER = (
    "name",
    "calls",
    "p50",
    "p90",
    "largest",
    "sizes",
    "declared",
    "override",
    "value",
    "source",
    "spilled",
    "saved",
    "reread",
)
_HEADINGS = {
    "name": "tool", "calls": "calls", "p50": "p50", "p90": "p90", "largest": "largest", "sizes": "100 … 1M",
    "declared": "decl.",
    "override": "overr.", "value": "thresh.",
    "source": "from", "spilled": "spilled", "saved": "saved", "reread": "read",
}  # fmt: skip
DISTRIBUTION_LINES = 12
"""As many lines as the style sheet gives it."""
_LEFT = frozenset({"name", "sizes", "source"})


class Columns(NamedTuple):
    """The columns that are shown, in their order, and the cells of each."""

    cells: tuple[tuple[str, int], ...]


@lru_cache(maxsize=16)
def columns(width: int) -> Columns:
    """The columns that a list of `width` cells (gutter not counted) has room for."""
    kept = dict(LEAST)
    for name in LEAST:
        if sum(kept.values()) + len(kept) - 1 <= width or len(kept) == 1:
            break
        del kept[name]
    room = width - sum(kept.values()) - len(kept) + 1
    for name, most in _MOST.items():
        if name in kept and room > 0:
            more = min(room, most - kept[name])
            kept[name] += more
            room -= more
    kept["name"] = max(1, kept["name"] + min(0, room))
    return Columns(tuple((name, kept[name]) for name in _ORDER if name in kept))


def heading(width: int) -> Line:
    """The names of the columns, for a list of `width` cells with its gutter."""
    cells = [
        (left if name in _LEFT else right)(Span(_HEADINGS[name], "dim"), size) for name, size in columns(width - GUTTER).cells
    ]
    return beside((Span(" " * (GUTTER - 1)),), *cells)


class ToolItems(Listed[ToolRow]):
    """`Items` over rows. `numbers`: the lasting number of each. `before`: those whose place they take."""

    def __init__(self, rows: Sequence[ToolRow], numbers: Sequence[int], before: ToolItems | None = None) -> None:
        super().__init__(rows)
        self._numbers = numbers
        self._at = {number: at for at, number in enumerate(numbers)}
        self._lines: dict[tuple[int, int], tuple[ToolRow, Line]] = {} if before is None else before._lines

    def ident(self, at: int) -> int:
        return self._numbers[at]

    def find(self, ident: int) -> int | None:
        return self._at.get(ident)

    def line(self, at: int, child: int, width: int) -> Line:
        row, place = self.things[at], (self._numbers[at], width)
        known = self._lines.get(place)
        if known is None or known[0] != row:
            known = self._lines[place] = row, tool_line(row, columns(width))
        return known[1]


def tool_line(row: ToolRow, cols: Columns) -> Line:
    """One row: the tool, its sizes, what it is held against, and what that spills."""
    return beside(*(_cell(row, name, cells) for name, cells in cols.cells))


def _cell(row: ToolRow, name: str, cells: int) -> Line:
    match name:
        case "name":
            return left(foreign(tool_name(row.name) if row.is_tool else row.name, "" if row.is_tool else "title"), cells)
        case "sizes":
            mark: Ink = "warn" if row.edited else "strong"
            return left(histogram(row.sizes, row.value, cells, mark) if row.value is not None and row.sizes else (), cells)
        case "source":
            return left(foreign(row.source, "warn" if row.edited else "dim"), cells)
        case "value":
            return right(_value(row), cells)
        case "spilled":
            return right(_changed(row.spilled, cells), cells)
        case "saved":
            return right(Span(_or_blank(row.saved.after if row.saved else 0)), cells)
        case "reread":
            return right(Span("" if row.reread is None else f"{row.reread or ''}"), cells)
    return right(Span(_figure(row, name), "dim"), cells)


def _value(row: ToolRow) -> Span:
    ink: Ink = "warn" if row.edited else "strong"
    return Span(f"{row.words or short(row.value or 0)}{'*' if row.edited else ''}", ink)


def _changed(change: Change | None, cells: int) -> Line:
    """How many are spilled, and how many were where that differs."""
    if change is None or not (change.before or change.after):
        return (Span(""),)
    after = Span(f"{change.after:,}", "persisted" if change.difference == 0 else "warn")
    before = f"{change.before:,}→"
    return (Span(before, "dim"), after) if change.difference and len(before) + len(after.text) <= cells else (after,)


def _figure(row: ToolRow, name: str) -> str:
    figures: Mapping[str, float | None] = {
        "p50": row.percentile(50),
        "p90": row.percentile(90),
        "largest": row.sizes[-1] if row.sizes else None,
        "declared": row.declared,
        "override": row.override,
    }
    if name == "calls":
        return f"{len(row.sizes):,}" if row.sizes else ""
    found = figures[name]
    return "" if found is None else short(found)


def _or_blank(number: int) -> str:
    return compact(number) if number else ""


def distribution_lines(row: ToolRow | None, width: int) -> Sequence[Line]:
    """The sizes that the selected value is held against, as high as there is room for: its name, and the histogram."""
    if row is None or row.value is None or not row.sizes:
        return ()
    over = len(row.sizes) - bisect_right(row.sizes, row.value)
    what = "calls" if row.is_tool or row.key == "default_threshold" else "groups"
    name = tool_name(row.name) if row.is_tool else row.name
    told = Span(f"  {len(row.sizes):,} {what}, {over:,} over {short(row.value)}", "dim")
    drawn = distribution(row.sizes, row.value, width - GUTTER - 2, DISTRIBUTION_LINES - 1, "warn" if row.edited else "strong")
    return [(Span(" " * GUTTER), *one) for one in (line(foreign(name, "title"), told), *drawn)]
