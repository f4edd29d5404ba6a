"""A reading as edited limits would have it: fates, sums and sizes of the groups with a result that flips (spec R3, R4).

Nothing in it is drift on account of an edit. Groups are made when somebody looks at them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, overload

from spillscope.budget.decide import Pick, State
from spillscope.limits import Limits
from spillscope.session.groups import totals_of
from spillscope.session.judge import engine_size, is_candidate, kept_rule
from spillscope.session.reading import Fate, Group, Reading, Result, Totals
from spillscope.session.whatif.comparison import Comparison
from spillscope.session.whatif.flips import Flip
from spillscope.transcript.entries import Replacement

_LAYERS: Mapping[Fate, int] = {"persisted": 1, "replaced": 2}


class Sums(NamedTuple):
    """What results come to in their group: units that count against the budget, stay in full, and are exempt."""

    counted: int
    visible: int
    exempt: int


@dataclass(frozen=True, slots=True)
class UnderEdit:
    """What it takes to see a reading under an edit. `flips`: by the number of their group. `limits`: before, after.

    `path_chars`: as in `Replay`. `learned`: as `Outcome.learned_ids` has it under the edit.
    """

    comparison: Comparison
    flips: Mapping[int, Sequence[Flip]]
    limits: tuple[Limits, Limits]
    path_chars: int
    learned: Mapping[str, tuple[float, bool]]

    @classmethod
    def of(
        cls,
        comparison: Comparison,
        limits: tuple[Limits, Limits],
        path_chars: int,
        learned: Mapping[str, tuple[float, bool]],
    ) -> UnderEdit:
        """Takes time in proportion to the results that flip."""
        flips: dict[int, list[Flip]] = defaultdict(list)
        for flip in comparison.flips:
            flips[flip.group].append(flip)
        return cls(comparison, dict(flips), limits, path_chars, learned)

    def reading(self, reading: Reading) -> Reading:
        """A reading of the session, the newest or one of the past, under the edit."""
        groups = EditedGroups(reading.groups, self)
        pending = None if reading.pending is None else self.group(reading.pending, sent=False)
        return replace(reading, groups=groups, pending=pending, limits=self.limits[1])

    def totals(self, reading: Reading) -> Totals:
        """The totals of the newest reading under the edit. Takes time in proportion to the results that flip."""
        totals, groups = reading.totals, reading.groups
        for number in dict.fromkeys((*self.flips, len(groups))):
            sent = number < len(groups)
            group = groups[number] if sent else reading.pending
            if group is not None:
                totals = totals.minus(totals_of(group)).plus(totals_of(self.group(group, sent=sent)))
        return totals._replace(over_budget=self.comparison.over_budget.after)

    def group(self, group: Group, *, sent: bool) -> Group:
        """One group of the session under the edit: always an object of its own. `sent`: it does not wait."""
        flips = {id(flip.row): flip for flip in self.flips.get(group.number, ())}  # one id may stand twice
        results = tuple([self._result(result, flips.get(id(result.row))) for result in group.results])
        if not sent:
            states = (self._waits_as(result, id(result.row) in flips, group.number) for result in results)
            results = tuple([result._replace(state=state) for result, state in zip(results, states, strict=True)])
        moved = [result.model_chars - result.saw_chars for result in results if id(result.row) in flips]
        before, after = (_sums(*each) for each in zip((group.results, results), self.limits, strict=True))
        counted = group.frozen + group.fresh + after.counted - before.counted
        limit = group.limit if self._same_budget else self.limits[1].get_per_message_budget_limit()
        picks = _picks(results, counted) if flips else group.picks
        return group._replace(
            results=_ruled(results, over=bool(picks)) if flips else results,
            limit=limit,
            fresh=counted - group.frozen,
            exempt=group.exempt + after.exempt - before.exempt,
            visible=group.visible + after.visible - before.visible,
            over_budget=counted > limit,
            model_chars=group.model_chars + sum(moved),
            picks=picks,
        )

    @property
    def _same_budget(self) -> bool:
        before, after = self.limits
        return before.get_per_message_budget_limit() == after.get_per_message_budget_limit()

    def _result(self, result: Result, flip: Flip | None) -> Result:
        if flip is None:
            return self._kept(result)
        fate = flip.after.fate
        recorded = Replacement(result.saw_chars, result.saw_tokens, None) if result.observed == "replaced" else None
        chars, _ = engine_size(result.row, fate, recorded, self.path_chars + len(result.row.tool_use_id))
        return result._replace(
            state=_state(result, fate),
            fate=fate,
            layer=_LAYERS.get(fate),
            rule=flip.after.rule,
            threshold=flip.after.threshold,
            drift=None,
            model_chars=chars,
            model_tokens=flip.tokens.after,
        )

    def _waits_as(self, result: Result, flips: bool, group: int) -> State | None:
        """B3: the state in which the next request finds what waits: an id that went out before has the fate of then.

        An id that waits twice is told as if it waited once.
        """
        if result.state is None:
            return None
        end, replaced = self.learned.get(result.row.tool_use_id, (None, False))
        if end is None:  # an id that stands once
            return "fresh" if flips else result.state
        if end > group:
            return "fresh"
        return "mustReapply" if replaced else "frozen"

    def _kept(self, result: Result) -> Result:
        """A result that fares as before: by the edited threshold, where what held is what the limits in force say."""
        before, after = (limits.get_persistence_threshold(result.row.tool) for limits in self.limits)
        if result.threshold != before:
            return result
        return result._replace(threshold=after, rule=after.rule if result.rule == before.rule else result.rule)


class EditedGroups(Sequence[Group]):
    """Groups under an edit, each made once."""

    def __init__(self, groups: Sequence[Group], under: UnderEdit) -> None:
        self._groups, self._under = groups, under
        self._made: dict[int, Group] = {}

    def __len__(self) -> int:
        return len(self._groups)

    @overload
    def __getitem__(self, at: int) -> Group: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Group]: ...
    def __getitem__(self, at: int | slice) -> Group | Sequence[Group]:
        if isinstance(at, slice):
            return [self._make(position) for position in range(len(self))[at]]
        return self._make(range(len(self))[at])

    def __iter__(self) -> Iterator[Group]:
        return map(self._make, range(len(self)))

    def _make(self, at: int) -> Group:
        made = self._made.get(at)
        if made is None:
            made = self._made[at] = self._under.group(self._groups[at], sent=True)
        return made


def _state(result: Result, fate: Fate) -> State | None:
    if fate == "persisted" or result.observed == "cleared" or not is_candidate(result.row):
        return None
    return "mustReapply" if fate == "replaced" else "frozen"


def _sums(results: Sequence[Result], limits: Limits) -> Sums:
    """With the switch off too, what a tool that opts out gave is in no sum but its own (L10)."""
    counted = visible = exempt = 0
    for result in results:
        chars, fate = result.row.chars, result.fate
        if not is_candidate(result.row) or fate not in ("full", "exempt", "replaced"):
            continue
        if limits.is_exempt(result.row.tool):
            exempt += chars
        else:
            counted += chars
        if fate != "replaced":
            visible += chars
    return Sums(counted, visible, exempt)


def _ruled(results: Sequence[Result], *, over: bool) -> tuple[Result, ...]:
    """What stays in full of a group over its budget stays so by B7, else by its threshold."""
    ruled: list[Result] = []
    for result in results:
        if over and result.fate == "full" and is_candidate(result.row):
            result = result._replace(rule="B7")
        elif not over and result.fate == "full" and result.rule == "B7":
            result = result._replace(rule=kept_rule(result.row, result.threshold))
        ruled.append(result)
    return tuple(ruled)


def _picks(results: Sequence[Result], counted: int) -> tuple[Pick, ...]:
    """B7: the largest first, and what remained after each."""
    picked = [at for at, result in enumerate(results) if result.fate == "replaced" and result.rule == "B7"]
    picks: list[Pick] = []
    for at in sorted(picked, key=lambda at: -results[at].row.chars):
        counted -= results[at].row.chars
        picks.append(Pick(at, counted))
    return tuple(picks)
