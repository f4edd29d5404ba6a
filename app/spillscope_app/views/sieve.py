"""Filters of the groups list, as plain values: what they let pass, found step by step and kept while a session grows."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from spillscope.session.reading import Group, Reading, Result
from spillscope.transcript.rows import ResultRow
from spillscope_app.spans import Line, Span, foreign
from spillscope_app.views.rows import GroupItems
from spillscope_app.views.words import EXEMPT, FRESH, FROZEN, OVER, PERSISTED, REAPPLY, Word

STATES: tuple[Word, ...] = (REAPPLY, FROZEN, FRESH, PERSISTED, EXEMPT)
"""What can be filtered by as a state, in the order of the legend."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which results to show, and with them their groups. Every part that is set must hold; `text` ignores case."""

    state: str = ""
    tool: str = ""
    spilled: bool = False
    over: bool = False
    text: str = ""

    def __bool__(self) -> bool:
        return self != Filter()

    def next_state(self) -> Filter:
        """One state after the other, then all again."""
        names = ["", *(word.name for word in STATES)]
        return replace(self, state=names[(names.index(self.state) + 1) % len(names)])

    def admits(self, group: Group, result: Result) -> bool:
        """Whether a result passes, but for what its content alone could tell."""
        return self.admits_kind(group, result) and (not self.text or self.is_named(result.row))

    def admits_kind(self, group: Group, result: Result) -> bool:
        """Whether a result passes all but the text."""
        if self.over and not group.over_budget:
            return False
        if self.state and self.state not in (result.state, result.fate):
            return False
        if self.spilled and result.fate not in ("persisted", "replaced"):
            return False
        return not self.tool or self.tool == tool_of(result.row)

    def is_named(self, row: ResultRow) -> bool:
        """Whether the text stands in a result's label, tool or id."""
        needle = self.text.casefold()
        return needle in row.label.casefold() or needle in tool_of(row).casefold() or needle in row.tool_use_id.casefold()


def tool_of(row: ResultRow) -> str:
    """A tool as a filter names it: one without a name has a name too."""
    return row.tool or "?"


def told(chosen: Filter) -> Line:
    """A filter in words, for a title."""
    parts: list[tuple[Span, ...]] = []
    word = next((word for word in STATES if word.name == chosen.state), None)
    if word is not None:
        parts.append((word.mark, Span(f" {word.name}")))
    if chosen.tool:
        parts.append((foreign(chosen.tool[:40]),))
    if chosen.spilled:
        parts.append((Span("spilled"),))
    if chosen.over:
        parts.append((OVER.mark, Span(" over budget")))
    if chosen.text:
        parts.append((foreign(f"“{chosen.text[:40]}”"),))
    return tuple(span for at, part in enumerate(parts) for span in ((Span(" · ", "dim"), *part) if at else part))


class SiftedItems(GroupItems):
    """The groups of some numbers, and the pending request where it passes. Lines between segments are left out."""

    def __init__(self, reading: Reading, sieve: Sieve, numbers: Sequence[int]) -> None:
        super().__init__(reading, sieve.admits)
        self._cuts, self._places = [], []
        pending = reading.pending
        self._pending = pending if pending is not None and sieve.passes(pending) else None
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers) + (self._pending is not None)

    def group(self, at: int) -> Group | None:
        return self.reading.groups[self._numbers[at]] if at < len(self._numbers) else self._pending

    def find(self, ident: int) -> int | None:
        number = ident // 2
        at = bisect_left(self._numbers, number)
        if at < len(self._numbers):
            return at if self._numbers[at] == number and ident % 2 == 0 else None
        return at if self._pending is not None and ident == 2 * self._pending.number else None

    def counts(self) -> list[int]:
        every = [len(group.results) for group in self.reading.groups]
        found = [every[number] for number in self._numbers]
        return found if self._pending is None else [*found, len(self._pending.results)]


class Sieve:
    """Sifts the groups of a reading, some at a time, and goes on where it was when the session has grown.

    `found`: results whose content holds the text, as (tool_use_id, record).
    """

    def __init__(self, chosen: Filter) -> None:
        self.chosen = chosen
        self.found: set[tuple[str, int]] = set()
        self.sifted = 0
        self._groups: Sequence[Group] = ()
        self._numbers: list[int] = []

    def admits(self, group: Group, result: Result) -> bool:
        """Whether a result passes, by its row or by its content."""
        if self.chosen.admits(group, result):
            return True
        row = result.row
        return bool(self.found) and (row.tool_use_id, row.record) in self.found and self.chosen.admits_kind(group, result)

    def passes(self, group: Group) -> bool:
        """Whether a result of a group passes."""
        return any(self.admits(group, result) for result in group.results)

    def take(self, groups: Sequence[Group]) -> None:
        """Sift these from now on; what the two sequences begin with in common stays sifted."""
        self.sifted = min(self.sifted, common_start(self._groups, groups))
        del self._numbers[bisect_left(self._numbers, self.sifted) :]
        self._groups = groups

    def step(self, count: int) -> bool:
        """Sift so many more; whether all are done."""
        end = min(len(self._groups), self.sifted + count)
        for number in range(self.sifted, end):
            if self.passes(self._groups[number]):
                self._numbers.append(number)
        self.sifted = end
        return end == len(self._groups)

    def add(self, number: int, row: ResultRow) -> None:
        """A result of a group holds the text."""
        self.found.add((row.tool_use_id, row.record))
        if number < self.sifted and self.passes(self._groups[number]):
            at = bisect_left(self._numbers, number)
            if at == len(self._numbers) or self._numbers[at] != number:
                self._numbers.insert(at, number)

    def items(self, reading: Reading) -> SiftedItems:
        """What has passed so far."""
        return SiftedItems(reading, self, tuple(self._numbers))


def common_start(before: Sequence[Group], after: Sequence[Group]) -> int:
    """How many groups two readings of one session begin with in common.

    A session only ever drops groups from its end and adds new ones, so what differs once differs from there on.
    """
    shorter = min(len(before), len(after))
    return bisect_left(range(shorter), True, key=lambda at: before[at] is not after[at])
