"""The results on whose fate two sets of limits differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, overload

from spillscope.limits import Threshold
from spillscope.session.judge import kept_rule
from spillscope.session.reading import Fate
from spillscope.session.whatif.codes import VERDICTS, WAYS
from spillscope.session.whatif.columns import Facts
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


class Side(NamedTuple):
    """One of two sets of limits: the thresholds by kind of result, and the code of every row."""

    thresholds: Sequence[Threshold]
    codes: bytes


class Flips(Sequence[Flip]):
    """The results that flip, in model order. Each is made when it is asked for: there may be thousands a keystroke."""

    __slots__ = ("_after", "_before", "_facts", "_last_group", "_places")

    def __init__(self, facts: Facts, places: Sequence[int], before: Side, after: Side, last_group: int) -> None:
        """`places`: rows. `last_group`: the number of the group that waits, however many wait."""
        self._facts, self._places, self._before, self._after = facts, places, before, after
        self._last_group = last_group

    def ids(self) -> list[str]:
        """The ids of the results, in model order."""
        rows = self._facts.rows
        return [rows[at].tool_use_id for at in self._places]

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> Flip: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Flip]: ...
    def __getitem__(self, at: int | slice) -> Flip | Sequence[Flip]:
        if isinstance(at, slice):
            return [self._flip(place) for place in self._places[at]]
        return self._flip(self._places[at])

    def __iter__(self) -> Iterator[Flip]:
        return map(self._flip, self._places)

    def _flip(self, at: int) -> Flip:
        facts, sides = self._facts, (self._before, self._after)
        row, kind = facts.rows[at], facts.kinds[at]
        before, after = (_decision(row, side.codes[at], side.thresholds[kind]) for side in sides)
        tokens = Change(*(facts.tokens_of(at, WAYS[side.codes[at]]) for side in sides))
        return Flip(row, min(facts.groups[at], self._last_group), before, after, tokens)


def _decision(row: ResultRow, code: int, threshold: Threshold) -> Decision:
    fate, rule = VERDICTS[code]
    if not rule:
        rule = threshold.rule if fate == "persisted" else kept_rule(row, threshold)
    return Decision(fate, rule, threshold)
