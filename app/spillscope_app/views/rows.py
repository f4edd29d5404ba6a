"""The list of groups as table items: a group a row, its results below it, the pending request last."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from spillscope.session.reading import Compaction, Group, Reading, Result
from spillscope_app.format import clock, compact, short, tool_name
from spillscope_app.spans import Ink, Line, Span, beside, cut, cut_start, foreign, left, right, width_of
from spillscope_app.views.words import FATES, OTHER, OVER, WORDS, Word, word_of
from spillscope_app.widgets.outline import GUTTER, ITSELF, Flat

NUMBER, CLOCK, SIZE, FATE = 5, 5, 6, 9
"""Cells of the fixed columns."""
_INDENT = 4
_TALLIES = 8
_ROOM_FOR_CALL = 15
"""Cells that tallies are given before a call, and those from which on a call is told of at all."""
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
    """`Items` over a reading. Computed row by row as they come into view; making one costs nothing.

    A line stands where the context began anew. `admits`: which results a filter lets pass; the others of its groups are dimmed.
    """

    def __init__(self, reading: Reading, admits: Callable[[Group, Result], bool] | None = None) -> None:
        self.reading, self.admits = reading, admits
        last = len(reading.groups) - (reading.pending is None)
        self._cuts = sorted({cut.group for cut in reading.cuts if 0 < cut.group <= last})
        self._places = [group + above for above, group in enumerate(self._cuts)]

    def __len__(self) -> int:
        reading = self.reading
        return len(reading.groups) + len(self._cuts) + (reading.pending is not None)

    def group(self, at: int) -> Group | None:
        """The group at a position; None for a line between what left the context and what came after."""
        above = bisect_right(self._places, at)
        if above and self._places[above - 1] == at:
            return None
        groups = self.reading.groups
        number = at - above
        return groups[number] if number < len(groups) else self.reading.pending

    def ident(self, at: int) -> int:
        """Twice a group's number; a line has the odd number below the group after it."""
        group = self.group(at)
        return 2 * group.number if group is not None else 2 * (at - bisect_left(self._places, at)) - 1

    def find(self, ident: int) -> int | None:
        number = (ident + 1) // 2
        line = ident % 2 == 1
        if number > len(self.reading.groups) - (self.reading.pending is None) or (line and number not in self._cuts):
            return None
        return number + (bisect_left if line else bisect_right)(self._cuts, number)

    def children(self, at: int) -> int:
        group = self.group(at)
        return len(group.results) if group else 0

    def counts(self) -> list[int]:
        found = [len(group.results) for group in self.reading.groups]
        if self.reading.pending is not None:
            found.append(len(self.reading.pending.results))
        for place in self._places:
            found.insert(place, 0)
        return found

    def matches(self, at: int, child: int) -> bool:
        group = self.group(at)
        if group is None or self.admits is None:
            return False
        return (
            self.admits(group, group.results[child]) if child != ITSELF else any(self.admits(group, r) for r in group.results)
        )

    def line(self, at: int, child: int, width: int) -> Line:
        group = self.group(at)
        if group is None:
            return cut_line(self.reading, self.ident(at) // 2 + 1, width)
        pending = group is self.reading.pending
        live = pending or self.reading.is_live(group)
        if child == ITSELF:
            admitted = [result for result in group.results if self.admits is None or self.admits(group, result)]
            spans = group_line(group, columns(width), admitted, pending=pending)
        else:
            spans = result_line(group.results[child], columns(width))
            live = live and (self.admits is None or self.admits(group, group.results[child]))
        return spans if live else tuple(Span(span.text, "dim") for span in spans)


class ResultItems(Flat):
    """`Items` over the results of one group, by their place in it."""

    def __init__(self, group: Group) -> None:
        self._results = group.results

    def __len__(self) -> int:
        return len(self._results)

    def ident(self, at: int) -> int:
        return at

    def find(self, ident: int) -> int | None:
        return ident if 0 <= ident < len(self._results) else None

    def line(self, at: int, child: int, width: int) -> Line:
        """A result in a narrow column: its mark, call, size and fate."""
        result = self._results[at]
        room = self._room(width)
        call, size, fate = _call(result, room, ""), Span(compact(result.row.chars)), Span(*FATES[result.fate])
        return beside((word_of(result).mark,), left(call, room), right(size, SIZE), left(fate, FATE))

    @classmethod
    def heading(cls, width: int) -> Line:
        """The names of the columns, for a list of `width` cells with its gutter."""
        room = cls._room(width - GUTTER)
        start = (Span(" " * (GUTTER + 1)),)
        return beside(start, left(Span("call", "dim"), room), right(Span("size", "dim"), SIZE), left(Span("fate", "dim"), FATE))

    @staticmethod
    def _room(width: int) -> int:
        return max(1, width - SIZE - FATE - 4)


def cut_line(reading: Reading, number: int, width: int) -> Line:
    """The line before the group of a number, where the context began anew: by what, and at how many tokens."""
    cuts = [cut for cut in reading.cuts if cut.group == number]
    known = [reading.session.compactions[cut.compaction] for cut in cuts if cut.compaction is not None]
    words = _compacted(known) if known else ["/clear, or a new start"]
    text = f"── {' '.join(words)} "
    return (Span(cut(text + "─" * max(0, width - len(text)), width), "dim"),)


def _compacted(compactions: Sequence[Compaction]) -> list[str]:
    newest = compactions[-1]
    words = ["compaction" if len(compactions) == 1 else f"{len(compactions)} compactions"]
    if newest.at is not None:
        words.insert(0, clock(newest.at))
    if newest.trigger:
        words.append(foreign(newest.trigger).text)
    if newest.pre_tokens is not None:
        words.append(f"at {short(newest.pre_tokens)}")
    if newest.post_tokens is not None:
        words.append(f"→ {short(newest.post_tokens)}")
    return words


def group_line(group: Group, cols: Columns, told: Sequence[Result], *, pending: bool) -> Line:
    """One group: number, time, what happened, size → what the model sees, the meter against the budget, what became of it.

    `told`: the results from which the one to tell of is chosen.
    """
    ink: Ink = "fresh" if pending else ""
    return beside(
        right(Span("next" if pending else str(group.number), ink), cols.number),
        left(Span(clock(group.timestamp), "dim"), cols.clock),
        left(_happened(group, told or group.results, cols.flex), cols.flex),
        right(Span(compact(group.chars), ink), cols.size),
        right(Span(compact(group.model_chars), ink), cols.visible),
        left(meter(group.frozen + group.fresh, group.limit, cols.meter, "fresh" if pending else "gauge"), cols.meter),
        left(_group_fate(group, cols.fate, pending), cols.fate),
    )


def _group_fate(group: Group, cells: int, pending: bool) -> Span:
    if group.over_budget:
        return Span("! over" if cells > 1 else "!", "over")
    if cells <= 1:
        return Span("")
    if len(group.results) == 1:
        return Span(*FATES[group.results[0].fate])
    return Span("not sent", "fresh") if pending else Span("")


def _happened(group: Group, told: Sequence[Result], cells: int) -> Line:
    """How many results of which kinds; then the only one's call, or that of the largest to tell of, as room allows."""
    if len(group.results) == 1 and cells >= _ROOM_FOR_CALL:
        start = _TALLIES if cells >= 2 * _ROOM_FOR_CALL else 5
        head = left((Span(" 1  ", "dim"), word_of(group.results[0]).mark), start)
        return (*head, Span(" "), *_call(group.results[0], cells - start - 1, ""))
    tallies = _tallies(group)
    room = cells - max(width_of(tallies), _TALLIES) - 1
    if room < _ROOM_FOR_CALL - 5:
        return tallies
    largest = max(told, key=lambda result: result.row.chars)
    return (*left(tallies, cells - room - 1), Span(" "), *_call(largest, room, "dim"))


def _call(result: Result, cells: int, ink: Ink) -> Line:
    """A tool and its label in so many cells."""
    tool = 5 if cells < 18 else 8 if cells < 48 else 12
    label = call_label(result.row.label, max(0, cells - tool - 1))
    return (*left(foreign(tool_name(result.row.tool), ink), tool), Span(" "), label)


def call_label(label: str, cells: int) -> Span:
    """What tells a call from others; of a path the end is kept."""
    text = foreign(label, "dim").text
    return Span(cut_start(text, cells) if _is_path(text) else text, "dim")


def result_line(result: Result, cols: Columns) -> Line:
    """One result: its mark, tool, label, sizes, tokens in the model's view, fate."""
    room = cols.number + (cols.clock + 1 if cols.clock else 0) + cols.flex - _INDENT - 3
    fate, ink = FATES[result.fate]
    return beside(
        (Span(" " * _INDENT),),
        (word_of(result).mark,),
        left(_call(result, room + 1, ""), room + 1),
        right(Span(compact(result.row.chars)), cols.size),
        right(Span(compact(result.model_chars)), cols.visible),
        right(Span(f"{compact(result.model_tokens)} tk", "dim"), cols.meter),
        left(Span(fate if cols.fate > 1 else "", ink), cols.fate),
    )


def _is_path(label: str) -> bool:
    return " " not in label and ("/" in label or "\\" in label)


def meter(used: float, limit: float, cells: int, ink: Ink = "gauge") -> Span:
    """A bar of eighths; a message over its budget fills it and is drawn as over."""
    if not cells:
        return Span("")
    share = used / limit if math.isfinite(limit) and limit > 0 else 0.0
    if share > 1:
        return Span("█" * cells, "over")
    eighths = max(int(used > 0), math.floor(share * cells * 8))
    full, rest = divmod(min(eighths, cells * 8), 8)
    return Span(("█" * full + (_EIGHTHS[rest] if rest else "")).ljust(cells), ink)


def _tallies(group: Group) -> Line:
    """How many results a group has, and how many of each kind: `5  ↻1 ■4`."""
    counts: Counter[Word] = Counter(map(word_of, group.results))
    shown = [word for word in (*WORDS, OTHER) if counts[word] and word is not OVER]
    return (Span(f"{len(group.results):>2} ", "dim"), *(Span(f" {word.glyph}{counts[word]}", word.ink) for word in shown))
