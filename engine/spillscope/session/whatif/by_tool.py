"""A what-if tool by tool: sizes of results, and how many of them each of two sets of limits spills (tui: Tools)."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import compress, count
from typing import NamedTuple

from spillscope.session.whatif.codes import TO_WAYS
from spillscope.session.whatif.compare import WhatIf
from spillscope.session.whatif.ledger import FEW, Ledger
from spillscope.session.whatif.outcome import Outcome
from spillscope.transcript.rows import ResultRow


class Spilled(NamedTuple):
    """Results that went to files or were replaced, and the units that this kept from the model."""

    results: int = 0
    chars: int = 0


class ToolSizes(NamedTuple):
    """The results of one tool, their units in ascending order, and what is spilled of them before and after."""

    tool: str | None
    sizes: Sequence[int]
    before: Spilled
    after: Spilled

    @property
    def chars(self) -> int:
        return sum(self.sizes)


class SizesByTool:
    """Follows the rows of a ledger at the cost of what changed."""

    def __init__(self) -> None:
        self._rows: list[ResultRow] = []
        self._sizes: dict[str | None, list[int]] = {}
        self._frozen: dict[str | None, tuple[int, ...]] = {}  # by tool, as it was handed out last

    def tools(self, asked: WhatIf) -> list[ToolSizes]:
        """Every tool with a result, under the limits in force and under those that were compared last."""
        self._follow(asked.ledger.rows)
        before, after = (_spilled(asked.ledger, outcome) for outcome in asked.outcomes)
        nothing = Spilled()
        return [
            ToolSizes(tool, self._frozen_sizes(tool), before.get(tool, nothing), after.get(tool, nothing))
            for tool, sizes in self._sizes.items()
            if sizes
        ]

    def _frozen_sizes(self, tool: str | None) -> tuple[int, ...]:
        if tool not in self._frozen:
            self._frozen[tool] = tuple(self._sizes[tool])
        return self._frozen[tool]

    def _follow(self, rows: Sequence[ResultRow]) -> None:
        mine = self._rows
        standing = min(len(mine), len(rows))
        while standing and mine[standing - 1] is not rows[standing - 1]:
            standing -= 1
        for row in mine[standing:]:
            sizes = self._sizes[row.tool]
            del sizes[bisect_left(sizes, row.chars)]
            self._frozen.pop(row.tool, None)
        del mine[standing:]
        self._add(rows[standing:])

    def _add(self, rows: Sequence[ResultRow]) -> None:
        self._rows += rows
        for row in rows:
            sizes = self._sizes.setdefault(row.tool, [])
            self._frozen.pop(row.tool, None)
            if len(rows) > FEW:
                sizes.append(row.chars)
            else:
                insort(sizes, row.chars)
        if len(rows) > FEW:
            for tool in {row.tool for row in rows}:
                self._sizes[tool].sort()


def _spilled(ledger: Ledger, outcome: Outcome) -> dict[str | None, Spilled]:
    ways = outcome.codes.translate(TO_WAYS)
    saved, kind_of = ledger.sizes.chars, ledger.kind_of
    results, chars = [0] * len(ledger.kinds), [0] * len(ledger.kinds)
    for row in compress(count(), ways):
        kind = kind_of[row]
        results[kind] += 1
        chars[kind] += saved[ways[row]][row]
    found: dict[str | None, Spilled] = {}
    for kind, one in enumerate(ledger.kinds):
        known = found.get(one.tool, Spilled())
        found[one.tool] = Spilled(known.results + results[kind], known.chars + chars[kind])
    return found
