"""A plot of bars over time, as lines of text. Knows numbers, no sessions.

Each point is a bar of eighths. Where there are more points than columns, a column shows the highest of its points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple

from spillscope_app.format import short
from spillscope_app.spans import Ink, Line, Span, right
from spillscope_app.widgets.gauge import CACHE_BROKE, COMPACTED, ESTIMATE, WHAT_IF, scale_for, stack

ESTIMATED, SELECTED = "╌", "▲"
WINDOW_LINE, COMPACT_LINE, WARNING_LINE = "━", "─", "┄"
WIDEST_POINT = 6
"""Columns that a point may take."""
AXIS = 7
"""Columns of the figures at the left."""
FEET = 3
"""Lines below the bars: what cut the context, what was spilled, and the numbers of the points."""
_NEXT = 2
"""Columns of the last bar, which is no point, with the gap before it."""
_TICK = 12
_LEAST_WITH_AXIS = 50
_ROUND_NUMBERS = tuple(int(f"{digit}{'0' * zeros}") for zeros in range(16) for digit in (1, 2, 5))

Event = Literal["", "cut", "broken", "over", "spilled"]
_FEET: tuple[dict[Event, Span], ...] = (
    {"cut": Span(COMPACTED, "warn"), "broken": Span(CACHE_BROKE, "over")},
    {"spilled": Span("↓", "persisted"), "over": Span("!", "over")},
)
"""What stands below the bars, the gravest of each line last."""
_LINES = (Span(WINDOW_LINE, "over"), Span(COMPACT_LINE, "warn"), Span(WARNING_LINE, "dim"))
"""Across the plot, the most important first: it hides the others where there is little room."""


class PlotPoint(NamedTuple):
    """One bar, in tokens. `exact`: whether `tokens` was told, or is the estimate itself.

    `lines`: window, auto-compact, warning; 0 for one that is not there. `ink`: of the bar. `events`: what is marked below it.
    """

    tokens: int
    estimate: int
    exact: bool
    lines: tuple[int, int, int]
    ink: Ink = "gauge"
    events: frozenset[Event] = frozenset()


@dataclass(frozen=True, slots=True)
class Plot:
    """`next`: the bar after all points: what would come now. `what_if`: a figure for each point and one for the next.

    `selected`: the number of a point, or None for the next.
    """

    points: Sequence[PlotPoint]
    next: PlotPoint
    selected: int | None = None
    what_if: Sequence[int] | None = None


class Layout(NamedTuple):
    """Which points stand where: `shown` of them from `first` on, over `columns` of a plot's.

    A point is as wide as another one but for a column; where there are more points than columns, each column has as many as
    another one but for a point.
    """

    first: int
    shown: int
    columns: int

    @property
    def bars(self) -> int:
        """Bars of one point or more, side by side."""
        return min(self.shown, self.columns)

    def points(self, bar: int) -> range:
        """The numbers of the points of a bar."""
        start, end = (-(-at * self.shown // self.bars) for at in (bar, bar + 1))
        return range(self.first + start, self.first + end)

    def cells(self, bar: int) -> range:
        """The columns of a bar."""
        return range(bar * self.columns // self.bars, (bar + 1) * self.columns // self.bars)

    def column_of(self, number: int | None) -> int:
        """Where a point's bar begins, below 0 for one left of them; None: the next one's."""
        if number is None:
            return self.columns + _NEXT - 1
        return (number - self.first) * self.bars // self.shown * self.columns // self.bars

    def number_at(self, column: int) -> int | None:
        """The first of the points in a column; None right of all of them."""
        if not 0 <= column < self.columns:
            return None
        return self.points(((column + 1) * self.bars - 1) // self.columns)[0]


def lay_out(total: int, width: int, zoom: int, selected: int | None, first: int) -> Layout:
    """All points where `zoom` is 0, over all the width unless they are few; fewer with each step of it, around `selected`.

    `first`: the point that the plot began with before: it stays as long as the selected one is in view.
    """
    room = max(1, width - _NEXT)
    levels = _levels(total, room)
    shown = levels[max(0, min(zoom, len(levels) - 1))]
    newest = total - shown
    if selected is None:
        first = newest
    elif not first <= selected < first + shown:
        first = selected - shown // 2
    return Layout(min(max(0, first), newest), shown, min(room, shown * WIDEST_POINT))


def most_zoom(total: int, width: int) -> int:
    """Steps of zoom from all points to the widest ones."""
    return len(_levels(total, max(1, width - _NEXT))) - 1


def _levels(total: int, room: int) -> list[int]:
    """How many points each step of zoom shows: all, half as many until each has a column, then fewer and wider ones."""
    levels = [total]
    while levels[-1] > room:
        levels.append(max(room, -(-levels[-1] // 2)))
    wider = {max(1, room // cells) for cells in range(2, WIDEST_POINT + 1)}
    return [*levels, *sorted((count for count in wider if count < levels[-1]), reverse=True)]


def axis_width(width: int) -> int:
    """Columns of the figures at the left, in a plot that is so wide with them."""
    return AXIS if width >= _LEAST_WITH_AXIS else 0


def plot_lines(plot: Plot, layout: Layout, height: int, axis: int) -> list[Line]:
    """The plot in lines of `axis` and the layout's columns; the last ones are marks, and the numbers of the points."""
    rows = max(1, height - FEET)
    columns = _columns(plot, layout)
    peak = max((max(point.tokens, extra or 0) for point, extra, _ in columns), default=0)
    scale = _rounded(max(scale_for(max((point.lines[0] for point, _, _ in columns), default=1), peak), peak))
    drawn = [_draw(point, extra, is_selected, scale, rows) for point, extra, is_selected in columns]
    blank = [Span(" ")] * rows
    cells: list[list[Span]] = []
    for at, column in enumerate(drawn):
        is_next = at == len(drawn) - 1
        cells += [blank, column] if is_next else [column] * len(layout.cells(at))
    labels = _labels(plot.next.lines, scale, rows)
    lines = [(*_label(labels.get(row), axis), *_merged([column[row] for column in cells])) for row in range(rows)]
    margin = Span(" " * axis)
    lines += [(margin, *_merged(_foot(columns, layout, feet))) for feet in _FEET]
    return [*lines, (margin, *_numbers(plot, layout))]


_tokens = attrgetter("tokens")
_Column = tuple[PlotPoint, "int | None", bool]


def _columns(plot: Plot, layout: Layout) -> list[_Column]:
    """What each column shows, the next bar last: its point, its figure under other limits, and whether it is selected."""
    columns: list[_Column] = []
    points, extra = plot.points, plot.what_if
    for bar in range(layout.bars):
        numbers = layout.points(bar)
        members = points[numbers.start : numbers.stop]
        point = max(members, key=_tokens)
        what_if = extra[numbers.start + members.index(point)] if extra is not None else None
        if len(members) > 1:
            point = point._replace(events=frozenset().union(*[member.events for member in members if member.events]))
        columns.append((point, what_if, plot.selected is not None and plot.selected in numbers))
    return [*columns, (plot.next, extra[-1] if extra else None, plot.selected is None)]


def _draw(point: PlotPoint, what_if: int | None, selected: bool, scale: int, rows: int) -> list[Span]:
    """One column from top to bottom: the bar over the lines, the estimate over the bar, and what other limits would change."""
    glyphs = stack(point.tokens / scale, rows)
    ink: Ink = "strong" if selected else point.ink
    column = [Span(" ")] * rows
    for at, mark in zip(reversed(point.lines), reversed(_LINES), strict=True):
        if 0 < at <= scale:
            column[_row(at, scale, rows)] = mark
    for row, glyph in enumerate(glyphs):
        if glyph != " ":
            column[row] = Span(glyph if point.exact else ESTIMATE, ink)
    top = _row(point.tokens, scale, rows)
    if point.exact and point.estimate and (row := _row(point.estimate, scale, rows)) != top:
        column[row] = Span(ESTIMATED, "fresh")
    if what_if is not None:
        other = _row(what_if, scale, rows)
        for row in range(min(top, other), max(top, other)):
            column[row] = Span(WHAT_IF, "warn" if other < top else "fresh")
    return column


def _row(tokens: int, scale: int, rows: int) -> int:
    """The line, from the top, in which a figure stands."""
    return min(rows - 1, max(0, rows - 1 - int(tokens / scale * rows)))


def _labels(lines: tuple[int, int, int], scale: int, rows: int) -> dict[int, int]:
    """The figures at the left by their line: those of the lines that are in the plot, its top, and 0."""
    labels = {rows - 1: 0, 0: scale}
    for tokens in reversed(lines):
        if 0 < tokens <= scale:
            labels[_row(tokens, scale, rows)] = tokens
    return labels


def _rounded(scale: int) -> int:
    """The next number of two digits and zeros."""
    step: int = 10 ** max(0, len(str(scale)) - 2)
    return -(-scale // step) * step


def _label(tokens: int | None, axis: int) -> Line:
    if not axis:
        return ()
    return (*right(Span("" if tokens is None else short(tokens), "dim"), axis - 1), Span(" "))


def _foot(columns: Sequence[_Column], layout: Layout, marks: dict[Event, Span]) -> list[Span]:
    cells: list[Span] = []
    for bar, (point, _, _) in enumerate(columns[:-1]):
        mark = next((mark for event, mark in reversed(marks.items()) if event in point.events), Span(" "))
        cells += [mark, *[Span(" ")] * (len(layout.cells(bar)) - 1)]
    return cells


def _numbers(plot: Plot, layout: Layout) -> Line:
    """The numbers of points, counted from 1, below their bars, and the mark of the selected one with its own."""
    width = layout.column_of(None) + 1
    where = layout.column_of(plot.selected)
    chosen = SELECTED if plot.selected is None else f"{SELECTED}{plot.selected + 1}"
    if where + len(chosen) > width:
        chosen, where = chosen[1:] + SELECTED, where + 1 - len(chosen)
    text = [" "] * width
    apart = _apart(layout)
    end, start = layout.first + layout.shown, layout.first // apart * apart
    for number in (start or 1, *range(start + apart, end + 1, apart)) if layout.shown else ():
        column, words = layout.column_of(number - 1), str(number)
        right_of = column + len(words)
        if column >= 0 and right_of <= width - _NEXT and not (column <= where + len(chosen) and where <= right_of):
            text[column:right_of] = words
    head, tail = "".join(text[: max(0, where)]), "".join(text[where + len(chosen) :])
    return Span(head, "dim"), Span(chosen, "pick"), Span(tail, "dim")


def _apart(layout: Layout) -> int:
    """How far apart numbers are told: a round number that leaves room for each."""
    least = _TICK * layout.shown / max(1, layout.columns)
    return next(number for number in _ROUND_NUMBERS if number >= least)


def _merged(cells: Sequence[Span]) -> Line:
    """Cells as spans, one for each run of the same ink."""
    return tuple(Span("".join(span.text for span in run), ink) for ink, run in groupby(cells, key=lambda span: span.ink))
