"""Where a replay stood at each request of its session: what it can be rolled back to, and travelled to."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import NamedTuple

from spillscope.session.reading import Totals
from spillscope.tokens.running import RunningCount


class Before(NamedTuple):
    """Where everything stood right before a request went out. `waiting`: the rows of the groups that it carried.

    `usage`, `anchor`: the exact part of T4, and the member that states it.
    """

    groups: int
    seen: int
    segments: int
    totals: Totals
    waiting: tuple[list[int], ...]
    usage: int
    anchor: int | None


class Turn(NamedTuple):
    """Where everything stood right after a request's first record, at `position` of the timeline, and right before it."""

    position: int
    before: Before
    groups: int
    requests: int
    met: int
    seen: int
    segments: int
    tokens: RunningCount


_groups_sent = attrgetter("groups")


class Turns:
    """One turn for each request, in order."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []

    def append(self, turn: Turn) -> None:
        self._turns.append(turn)

    def roll_back(self, position: int) -> Turn | None:
        """Forget the turns from a position of the timeline on; returns the last that stays."""
        turns = self._turns
        while turns and turns[-1].position >= position:
            turns.pop()
        return turns[-1] if turns else None

    def position(self, request: int) -> int:
        """Where a request's first record stands in the timeline."""
        return self._turns[request].position

    def before(self, request: int) -> Before:
        """Where everything stood when a request was about to go out."""
        return self._turns[request].before

    def requests_before(self, group: int) -> int:
        """How many requests had gone out before a group did."""
        return bisect_right(self._turns, group, key=_groups_sent)
