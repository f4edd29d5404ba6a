"""R1: the engine, run before each request of a session, on what the model saw until then.

`Replay` follows a chain's timeline. Every new real response closes a turn; rolling back returns to the end of a turn, so a
change costs what it rolls back.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import islice

from spillscope.limits_sources import Earlier, LimitsBook
from spillscope.session.cache_watch import CacheWatch
from spillscope.session.column import Column
from spillscope.session.groups import Judge, merged, totals_of
from spillscope.session.reading import Group, Request, Totals
from spillscope.session.turns import Before, Turn, Turns
from spillscope.tokens.running import RunningCount
from spillscope.transcript.chain import Chain
from spillscope.transcript.index import ASSISTANT, USER, Index


class Replay:
    """The engine's decisions along a timeline. Read `groups`, `requests`, `totals`, `count`; ask `pending()`."""

    def __init__(self, index: Index, chain: Chain, book: LimitsBook, path_chars: int, earlier: Sequence[Earlier] = ()) -> None:
        self.index, self.chain = index, chain
        self.judge = Judge(index, book, path_chars, earlier)
        self._cache = CacheWatch(index, chain, lambda request: self._turns.position(request))
        self.clear()

    def clear(self) -> None:
        self.groups: Column[Group] = Column()
        self.requests: Column[Request] = Column()
        self.totals = Totals()
        self.count = RunningCount()
        self.fed = 0
        self.over_evidence: list[int] = []  # groups that went out over the limit, as observed (L10)
        self.segment_groups: list[int] = []  # number of the first group of each segment
        self.runs: list[int] = []  # number of the first group of each run of the engine
        self._turns = Turns()
        self._met: dict[int, None] = {}  # responses met, in order (B2)
        self._seen: dict[str, bool] = {}  # id → whether the budget replaced it, in the order they became seen
        self._request_of: dict[int, int] = {}  # response → its request
        self._open: list[int] = []  # rows of the open group
        self._closed: list[list[int]] = []  # groups closed by a response that ended no request

    @property
    def switch(self) -> bool:
        """L10, as it is believed to be."""
        return self.judge.switch

    def turn_switch(self, on: bool) -> None:
        """Replay the session once with the budget on or off."""
        self.judge.switch = on
        self.clear()
        self.feed()

    # --- following the timeline -----------------------------------------------------------------------------------------

    def roll_back(self, position: int) -> None:
        """Forget everything from a position of the timeline on; goes back to the end of the turn before it."""
        if position >= self.fed:
            return
        turn = self._turns.roll_back(position)
        if turn is None:
            self.clear()
            return
        for group in self.groups.truncate(turn.groups):
            self.totals = self.totals.minus(totals_of(group))
        for request in self.requests.truncate(turn.requests):
            self._request_of.pop(request.response, None)
        while len(self._met) > turn.met:
            self._met.popitem()
        while len(self._seen) > turn.seen:
            self._seen.popitem()
        del self.segment_groups[turn.segments :]
        del self.runs[bisect_left(self.runs, turn.groups) :]
        while self.over_evidence and self.over_evidence[-1] >= turn.groups:
            self.over_evidence.pop()
        self._open, self._closed = [], []
        self.count = turn.tokens.copy()
        self.fed = turn.position + 1

    def feed(self) -> None:
        """Take in the rest of the timeline."""
        starts = self.chain.segment_starts
        segment = len(self.segment_groups)
        index, timeline = self.index, self.chain.timeline
        for position in range(self.fed, len(timeline)):
            while segment < len(starts) and starts[segment] == position:
                self._begin_segment()
                segment += 1
            member = timeline[position]
            kind = index.kinds[member]
            if kind == USER:
                self._open.extend(index.rows_of(member))
                self.count.user(index.tokens[member])
            elif kind == ASSISTANT:
                self._feed_assistant(member, position)
        while segment < len(starts):
            self._begin_segment()
            segment += 1
        self.fed = len(timeline)

    def restate(self, responses: set[int]) -> None:
        """Bring the usage of requests up to date whose responses got more records (T7)."""
        for response in responses:
            at = self._request_of.get(response)
            if at is not None and self.requests[at].usage != self.index.responses[response].usage:
                self.requests.set(at, self.requests[at]._replace(usage=self.index.responses[response].usage))
                for later in range(at, len(self.requests)):  # as a rule the newest alone
                    self._judge_break(later)

    def _judge_break(self, at: int) -> None:
        broken = self._cache.judge(self.requests, at)
        if broken != self.requests[at].broken:
            self.requests.set(at, self.requests[at]._replace(broken=broken))

    def _begin_segment(self) -> None:
        """S4: what stood open before a compaction or a `/clear` went out with the request that made the summary, or never.

        What the compaction kept of it waits on, for the request that carries it.
        """
        if self.segment_groups:
            self._close_group()
            kept = set(self.chain.kept[len(self.segment_groups)])
            waiting = [[(at, self.index.rows[at].record in kept) for at in rows] for rows in self._closed]
            self._closed = [gone for rows in waiting if (gone := [at for at, stays in rows if not stays])]
            self._send(None)
            self._open = [at for rows in waiting for at, stays in rows if stays]
        self.segment_groups.append(len(self.groups))
        self.count = RunningCount()

    def _feed_assistant(self, member: int, position: int) -> None:
        index = self.index
        number = index.responses_of[member]
        if number < 0:
            self.count.user(index.tokens[member])
            return
        response = index.responses[number]
        before: Before | None = None
        if number not in self._met:
            self._met[number] = None
            self._close_group()
            if not response.synthetic:
                before = self._begin_request(member, number)
        self.count.assistant(member, index.tokens[member], number if response.id else None, index.usages[member])
        if before is not None:
            lengths = (len(self.groups), len(self.requests), len(self._met), len(self._seen), len(self.segment_groups))
            self._turns.append(Turn(position, before, *lengths, self.count.copy()))
            self._judge_break(len(self.requests) - 1)

    def _begin_request(self, member: int, number: int) -> Before:
        index, count = self.index, self.count
        response, stamp = index.responses[number], index.stamps[member]
        lengths = (len(self.groups), len(self._seen), len(self.segment_groups))
        before = Before(*lengths, self.totals, tuple(self._closed), count.usage, count.anchor)
        name = response.id or index.uuids[member]
        self._send(name)
        self._request_of[number] = len(self.requests)
        then, now = before.totals, self.totals
        self.requests.append(
            Request(
                name,
                None if stamp != stamp else stamp,
                response.usage,
                self.estimate_now(),
                response.model,
                before.segments - 1,
                number,
                None,
                before.groups,
                len(self.groups),
                now.persisted + now.replaced - then.persisted - then.replaced,
                now.over_budget > then.over_budget,
            )
        )
        return before

    def estimate_now(self) -> int:
        """T4 on the messages so far; what a compaction kept counts where no usage does."""
        if self.count.anchor is not None or not self.segment_groups:
            return self.count.total
        kept = self.chain.kept[len(self.segment_groups) - 1]
        return self.count.total + sum(self.index.tokens[member] for member in kept)

    def kept_groups(self, segment: int) -> frozenset[int]:
        """Numbers of the groups before a segment that a compaction kept in its context."""
        kept = set(self.chain.kept[segment])
        if not kept:
            return frozenset()
        earlier = map(self.groups.__getitem__, range(self.segment_groups[segment]))
        return frozenset(group.number for group in earlier if any(result.row.record in kept for result in group.results))

    # --- deciding -------------------------------------------------------------------------------------------------------

    def pending(self) -> Group | None:
        """R1: what the engine would do if the request went out now, as one group; None when nothing waits."""
        return self._would_be(self.waiting(), self._seen, len(self.groups))

    def before(self, request: int) -> Before:
        """Where everything stood when a request was about to go out."""
        return self._turns.before(request)

    def pending_before(self, request: int) -> Group | None:
        """What a request carried, as it waited; None where it carried no results."""
        before, rows = self._turns.before(request), self.index.rows
        carried = {rows[at].tool_use_id for group in before.waiting for at in group}
        seen = carried.intersection(islice(self._seen, before.seen))
        return self._would_be(before.waiting, {tool_use_id: self._seen[tool_use_id] for tool_use_id in seen}, before.groups)

    def _would_be(self, waiting: Sequence[Sequence[int]], seen: Mapping[str, bool], number: int) -> Group | None:
        if not waiting:
            return None
        groups = self.judge.judge(waiting, seen, None, number, goes_out=False).groups
        return groups[0] if len(groups) == 1 else merged(groups)

    def waiting(self) -> list[list[int]]:
        """The rows of the groups that wait for the next request."""
        return [*self._closed, self._open] if self._open else [*self._closed]

    def requests_before(self, group: int) -> int:
        """How many requests had gone out before a group did."""
        return self._turns.requests_before(group)

    def _close_group(self) -> None:
        if self._open:
            self._closed.append(self._open)
            self._open = []

    def _send(self, assistant_id: str | None) -> None:
        """The groups that wait go out: their fates are decided for good."""
        if not self._closed:
            return
        self.runs.append(len(self.groups))
        groups, seen = self.judge.judge(self._closed, self._seen, assistant_id, len(self.groups), goes_out=True)
        for rows, group in zip(self._closed, groups, strict=True):
            self.groups.append(group)
            self.totals = self.totals.plus(totals_of(group))
            if assistant_id is not None and self.judge.observed_over(rows):
                self.over_evidence.append(group.number)
        for tool_use_id, replaced in seen:
            self._seen.setdefault(tool_use_id, replaced)
        self._closed = []
