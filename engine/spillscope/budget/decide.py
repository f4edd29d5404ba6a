"""The one place where the fate of a fresh result is decided (spec B3, B5–B8).

Pure: small values in, a plan out. The active side makes candidates from message dicts, the observing side from its index;
neither is known here.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

State = Literal["mustReapply", "frozen", "fresh"]


class Candidate(NamedTuple):
    """B1: a tool result that the budget looks at. `chars`: units (P2). `writable`: whether P4 can spill it."""

    tool_use_id: str
    tool: str | None
    chars: int
    writable: bool = True


class Pick(NamedTuple):
    """One step of B7: a candidate's position in its group, and what remained after it, in units."""

    position: int
    remaining: int


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """What the budget wants of one group. Positions are those of the group's candidates; sums are units of full text.

    `picks` are in selection order. `exempt` holds the positions of fresh exempt results, which are in no sum but their own.
    """

    states: tuple[State, ...]
    exempt: frozenset[int]
    picks: tuple[Pick, ...]
    frozen_chars: int
    fresh_chars: int
    reapplied_chars: int
    exempt_chars: int
    over: bool

    @property
    def selected(self) -> frozenset[int]:
        return frozenset(pick.position for pick in self.picks)


@dataclass(frozen=True, slots=True)
class Plan:
    """B7, B8. `freeze`: ids that become seen before any write begins; `writes`: (group, position). Both in order."""

    groups: tuple[GroupPlan, ...]
    freeze: tuple[str, ...]
    writes: tuple[tuple[int, int], ...]


def decide(
    groups: Sequence[Sequence[Candidate]],
    seen: Container[str],
    replacements: Container[str],
    limit: float,
    is_exempt: Callable[[str | None], bool],
) -> Plan:
    """Partition each group (B3), set exempt results apart (B6), and select the largest fresh ones over the limit (B7).

    `limit` is L9, in units. An id that stands twice shares one fate: what an earlier block of it was given in this run holds
    for the later one too.
    """
    run = _Run(seen, replacements, limit, is_exempt)
    plans = tuple(run.plan(group) for group in groups)
    writes = tuple((at, pick.position) for at, plan in enumerate(plans) for pick in plan.picks)
    return Plan(plans, tuple(run.kept), writes)


class _Run:
    """One run over all groups: what was kept and what was selected so far."""

    def __init__(
        self,
        seen: Container[str],
        replacements: Container[str],
        limit: float,
        is_exempt: Callable[[str | None], bool],
    ) -> None:
        self.seen, self.replacements, self.limit, self.is_exempt = seen, replacements, limit, is_exempt
        self.kept: dict[str, None] = {}
        self.chosen: set[str] = set()

    def state_of(self, tool_use_id: str) -> State:
        """B3, with this run's own decisions already counted."""
        if tool_use_id in self.replacements or tool_use_id in self.chosen:
            return "mustReapply"
        if tool_use_id in self.seen or tool_use_id in self.kept:
            return "frozen"
        return "fresh"

    def plan(self, group: Sequence[Candidate]) -> GroupPlan:
        states: list[State] = []
        exempt: list[int] = []
        eligible: list[int] = []
        frozen_chars = fresh_chars = reapplied_chars = exempt_chars = 0
        for at, (tool_use_id, tool, chars, _) in enumerate(group):
            state = self.state_of(tool_use_id)
            states.append(state)
            if state == "frozen":
                frozen_chars += chars
            elif state == "mustReapply":
                reapplied_chars += chars
            elif self.is_exempt(tool):
                exempt.append(at)
                exempt_chars += chars
            else:
                eligible.append(at)
                fresh_chars += chars
        over = frozen_chars + fresh_chars > self.limit
        picks = self._select(group, eligible, frozen_chars + fresh_chars) if over and eligible else ()
        self.chosen.update(group[pick.position].tool_use_id for pick in picks)
        self._keep(group, exempt)
        return GroupPlan(
            tuple(states), frozenset(exempt), picks, frozen_chars, fresh_chars, reapplied_chars, exempt_chars, over
        )

    def _keep(self, group: Sequence[Candidate], exempt: Sequence[int]) -> None:
        """B5, B6, B8: everything not selected becomes seen, exempt results first."""
        for at in (*exempt, *range(len(group))):
            tool_use_id = group[at].tool_use_id
            if tool_use_id not in self.chosen and tool_use_id not in self.seen:
                self.kept[tool_use_id] = None

    def _select(self, group: Sequence[Candidate], eligible: list[int], total: int) -> tuple[Pick, ...]:
        """B7: largest first, stable for ties, until the rest is inside; the previews are not added back."""
        picks: list[Pick] = []
        picked: set[str] = set()
        for at in sorted(eligible, key=lambda at: -group[at].chars):
            tool_use_id = group[at].tool_use_id
            if tool_use_id in picked:  # the twin of a selected block: it goes with it
                total -= group[at].chars
                picks.append(Pick(at, total))
            elif total > self.limit:
                total -= group[at].chars
                picked.add(tool_use_id)
                picks.append(Pick(at, total))
        return tuple(picks)
