"""Which requests carried a result (spec R3): from the one that it first went out with to the end of its segment (S4)."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from operator import attrgetter

from spillscope.session.reading import Group
from spillscope.session.session import Session

NOWHERE = -1
"""The entry of a result that no recorded request carried as it is."""


_segment = attrgetter("segment")


class Timing:
    """By row, the request that first carried it. Requests are numbered; the next one, which has not gone out, comes last.

    A result stays until its segment ends. What a compaction kept of it enters the segment after that anew.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.enters = array("i")
        self.again: dict[int, list[int]] = {}  # row → first requests of later segments that still carried it
        self.starts: list[int] = []  # first request of each segment; the last one may be the next request
        self.requests = 0
        self._kept = _kept(session)
        self._kept_in: dict[int, list[int]] = {}  # record → those first requests
        self._begin()

    def has_moved(self) -> bool:
        """Whether segments began, or what a compaction kept changed."""
        mine, now = self._kept, _kept(self.session)
        return (
            len(mine) != len(now)
            or any(old is not new or length != count for (old, length), (new, count) in zip(mine, now, strict=True))
            or self.starts != self._find_starts()
        )

    def extend(self) -> None:
        """Take in new requests. Call it before rows are added."""
        self.requests = len(self.session.replay.requests)

    def _begin(self) -> None:
        self.starts = self._find_starts()
        for start, kept in zip(self.starts, self.session.chain.kept, strict=False):
            for record in kept:
                self._kept_in.setdefault(record, []).append(start)

    def _find_starts(self) -> list[int]:
        replay = self.session.replay
        return [bisect_left(replay.requests, segment, key=_segment) for segment in range(len(replay.segment_groups))]

    def truncate(self, row: int) -> None:
        del self.enters[row:]
        for gone in [at for at in self.again if at >= row]:
            del self.again[gone]

    def entry(self, number: int, group: Group | None) -> int:
        """The request that carried a group with this number; None for the group: it waits."""
        if group is None:
            return self.requests
        return NOWHERE if group.assistant_id is None else self.session.replay.requests_before(number)

    def stay(self, row: int) -> int:
        """How many of the requests that went out carried a row."""
        if self.enters[row] == NOWHERE:
            return 0
        return sum(self._end(start) - start for start in (self.enters[row], *self.again.get(row, ())))

    def _end(self, request: int) -> int:
        """The first request after the segment of one."""
        following = bisect_right(self.starts, request)
        return self.starts[following] if following < len(self.starts) else self.requests

    def add(self, enters: int, record: int) -> None:
        """One more row."""
        if enters != NOWHERE and record in self._kept_in:
            later = [start for start in self._kept_in[record] if start > enters]
            if later:
                self.again[len(self.enters)] = later
        self.enters.append(enters)


def _kept(session: Session) -> Sequence[tuple[list[int], int]]:
    return [(kept, len(kept)) for kept in session.chain.kept]
