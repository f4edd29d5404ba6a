"""R6 on a transcript: what happened between two requests that explains the state in which the second found the cache."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from operator import attrgetter

from spillscope.session.cache import Requests, find_break, has_fallen, previous_request
from spillscope.session.reading import CacheBreak
from spillscope.transcript.chain import Chain
from spillscope.transcript.index import Index

_before = attrgetter("before")


class CacheWatch:
    """Judges requests of a chain. `position`: where a request's first record stands in the timeline."""

    def __init__(self, index: Index, chain: Chain, position: Callable[[int], int]) -> None:
        self._index, self._chain, self._position = index, chain, position

    def judge(self, requests: Requests, at: int) -> CacheBreak | None:
        """Whether a request found the cache broken; a cache edit before it explains whatever it found."""
        before = previous_request(requests, at)
        if before is None or not has_fallen(requests[before].usage, requests[at].usage):
            return None
        since, until = self._member(before), self._member(at)
        edits = self._index.edits
        if bisect_left(edits, since) != bisect_left(edits, until):
            return None
        return find_break(requests, before, at, self._changed(since, at, requests[at].segment))

    def _member(self, request: int) -> int:
        return self._chain.timeline[self._position(request)]

    def _changed(self, since: int, at: int, segment: int) -> tuple[str, ...]:
        """The ids in a request's view whose replacements came or changed since a member, when they had been sent already."""
        changes = self._index.changes
        if not changes:
            return ()
        first, last = (bisect_right(changes, member, key=_before) for member in (since, self._member(at)))
        view, kept = range(self._chain.segment_starts[segment], self._position(at)), self._chain.kept[segment]
        results, position = self._index.results_of, self._chain.position
        return tuple(
            tool_use_id
            for tool_use_id in dict.fromkeys(change.tool_use_id for change in changes[first:last])
            if any(position(member) in view or member in kept for member in results.get(tool_use_id, ()))
        )
