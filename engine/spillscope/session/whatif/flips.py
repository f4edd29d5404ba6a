"""The results on whose fate two sets of limits differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from spillscope.limits import Threshold
from spillscope.session.judge import kept_rule
from spillscope.session.reading import Fate
from spillscope.session.whatif.codes import VERDICTS
from spillscope.transcript.rows import ResultRow


class Change(NamedTuple):
    """One figure before and after."""

    before: int
    after: int

    @property
    def difference(self) -> int:
        return self.after - self.before


class Decision(NamedTuple):
    """What became of a result, by which rule, and the threshold that it was held against."""

    fate: Fate
    rule: str
    threshold: Threshold


class Flip(NamedTuple):
    """A result whose fate differs. `group`: its number in the reading. `tokens`: T3 of what the model gets of it."""

    row: ResultRow
    group: int
    before: Decision
    after: Decision
    tokens: Change

    @property
    def tool_use_id(self) -> str:
        return self.row.tool_use_id

    @property
    def tokens_saved(self) -> int:
        """T3 tokens that the edit keeps out; negative where it lets more in."""
        return -self.tokens.difference


class Thresholds(NamedTuple):
    """By kind of result, before and after."""

    before: Sequence[Threshold]
    after: Sequence[Threshold]


class Flips(Sequence[Flip]):
    """The results that flip, in model order. Each is made when it is asked for: there may be thousands a keystroke."""

    __slots__ = ("_codes", "_places", "_rows", "_thresholds", "_tokens")

    def __init__(
        self,
        thresholds: Thresholds,
        rows: Sequence[ResultRow],
        places: Sequence[tuple[int, int]],
        codes: Sequence[tuple[int, int]],
        tokens: Sequence[tuple[int, int]],
    ) -> None:
        """`places`: group and kind; `codes`, `tokens`: before and after."""
        self._thresholds, self._rows, self._places, self._codes, self._tokens = thresholds, rows, places, codes, tokens

    def ids(self) -> list[str]:
        """The ids of the results, in model order."""
        return [row.tool_use_id for row in self._rows]

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, at: int) -> Flip: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Flip]: ...
    def __getitem__(self, at: int | slice) -> Flip | Sequence[Flip]:
        if isinstance(at, slice):
            return [self._flip(place) for place in range(len(self))[at]]
        return self._flip(range(len(self))[at])

    def __iter__(self) -> Iterator[Flip]:
        return map(self._flip, range(len(self)))

    def _flip(self, at: int) -> Flip:
        row, (group, kind), (before, after) = self._rows[at], self._places[at], self._codes[at]
        thresholds = self._thresholds
        return Flip(
            row,
            group,
            _decision(row, before, thresholds.before[kind]),
            _decision(row, after, thresholds.after[kind]),
            Change(*self._tokens[at]),
        )


def _decision(row: ResultRow, code: int, threshold: Threshold) -> Decision:
    fate, rule = VERDICTS[code]
    if not rule:
        rule = threshold.rule if fate == "persisted" else kept_rule(row, threshold)
    return Decision(fate, rule, threshold)
