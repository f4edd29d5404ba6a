"""R1: the engine, run before each request of a session, on what the model saw until then.

`Replay` follows a chain's timeline. Every new real response closes a turn; rolling back returns to the end of a turn, so a
change costs what it rolls back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from spillscope.budget.decide import Candidate, GroupPlan, Pick, decide
from spillscope.limits import Limits, Threshold
from spillscope.limits_sources import LimitsBook
from spillscope.profiles import profile_for
from spillscope.session.column import Column
from spillscope.session.judge import Seen, Verdict, is_candidate, judge_alone, kept_rule, result_of
from spillscope.session.reading import Group, Request, Result, Totals
from spillscope.tokens.running import RunningCount
from spillscope.transcript.chain import Chain
from spillscope.transcript.index import ASSISTANT, USER, Index

_INFINITY = float("inf")


class Turn(NamedTuple):
    """Where everything stood right after a request's first record, at `position` of the timeline."""

    position: int
    groups: int
    requests: int
    met: int
    seen: int
    segments: int
    tokens: RunningCount


class Replay:
    """The engine's decisions along a timeline. Read `groups`, `requests`, `totals`, `count`; ask `pending()`."""

    def __init__(self, index: Index, chain: Chain, book: LimitsBook, path_chars: int) -> None:
        self.index, self.chain, self.book = index, chain, book
        self.path_chars = path_chars  # units of a spill path but for the tool_use_id
        self.switch = True  # L10, as it is believed to be
        self._limits: dict[int, Limits] = {}
        self._thresholds: dict[tuple[str | None, int], Threshold] = {}
        self.clear()

    def clear(self) -> None:
        self.groups: Column[Group] = Column()
        self.requests: Column[Request] = Column()
        self.totals = Totals()
        self.count = RunningCount()
        self.fed = 0
        self.over_evidence: list[int] = []  # groups that went out over the limit, as observed (L10)
        self.segment_groups: list[int] = []  # number of the first group of each segment
        self._turns: list[Turn] = []
        self._met: dict[int, None] = {}  # responses met, in order (B2)
        self._seen: dict[str, bool] = {}  # id → whether the budget replaced it, in the order they became seen
        self._request_of: dict[int, int] = {}  # response → its request
        self._open: list[int] = []  # rows of the open group
        self._closed: list[list[int]] = []  # groups closed by a response that ended no request

    # --- following the timeline -----------------------------------------------------------------------------------------

    def roll_back(self, position: int) -> None:
        """Forget everything from a position of the timeline on; goes back to the end of the turn before it."""
        if position >= self.fed:
            return
        turns = self._turns
        while turns and turns[-1].position >= position:
            turns.pop()
        if not turns:
            self.clear()
            return
        turn = turns[-1]
        for group in self.groups.truncate(turn.groups):
            self.totals = self.totals.minus(totals_of(group))
        for request in self.requests.truncate(turn.requests):
            self._request_of.pop(request.response, None)
        while len(self._met) > turn.met:
            self._met.popitem()
        while len(self._seen) > turn.seen:
            self._seen.popitem()
        del self.segment_groups[turn.segments :]
        while self.over_evidence and self.over_evidence[-1] >= turn.groups:
            self.over_evidence.pop()
        self._open, self._closed = [], []
        self.count = turn.tokens
        self.fed = turn.position + 1

    def feed(self) -> None:
        """Take in the rest of the timeline."""
        starts = self.chain.segment_starts
        segment = len(self.segment_groups)
        timeline, kinds = self.chain.timeline, self.index.kinds
        for position in range(self.fed, len(timeline)):
            while segment < len(starts) and starts[segment] == position:
                self._begin_segment()
                segment += 1
            member = timeline[position]
            kind = kinds[member]
            if kind == USER:
                self._open.extend(self.index.rows_of(member))
                self.count = self.count.user(self.index.tokens[member])
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

    def _begin_segment(self) -> None:
        """S4: what stood open before a compaction or a `/clear` went out with the request that made the summary, or never."""
        if self.segment_groups:
            self._close_group()
            self._send(None)
        self.segment_groups.append(len(self.groups))
        self.count = RunningCount()

    def _feed_assistant(self, member: int, position: int) -> None:
        index = self.index
        number = index.responses_of[member]
        if number < 0:
            self.count = self.count.user(index.tokens[member])
            return
        new = number not in self._met
        response = index.responses[number]
        if new:
            self._met[number] = None
            self._close_group()
            if not response.synthetic:
                self._begin_request(member, number)
        usage = index.usages[member]
        self.count = self.count.assistant(member, index.tokens[member], number if response.id else None, usage)
        if new and not response.synthetic:
            self._turns.append(
                Turn(
                    position,
                    len(self.groups),
                    len(self.requests),
                    len(self._met),
                    len(self._seen),
                    len(self.segment_groups),
                    self.count,
                )
            )

    def _begin_request(self, member: int, number: int) -> None:
        response = self.index.responses[number]
        self._send(response.id or self.index.uuids[member])
        stamp = self.index.stamps[member]
        self._request_of[number] = len(self.requests)
        self.requests.append(
            Request(
                response.id or self.index.uuids[member],
                None if stamp != stamp else stamp,
                response.usage,
                self.estimate_now(),
                response.model,
                len(self.segment_groups) - 1,
                number,
            )
        )

    def estimate_now(self) -> int:
        """T4 on the messages so far; what a compaction kept counts where no usage does."""
        if self.count.anchor is not None or not self.segment_groups:
            return self.count.total
        kept = self.chain.kept[len(self.segment_groups) - 1]
        return self.count.total + sum(self.index.tokens[member] for member in kept)

    # --- deciding -------------------------------------------------------------------------------------------------------

    def pending(self) -> Group | None:
        """R1: what the engine would do if the request went out now, as one group; None when nothing waits."""
        waiting = [*self._closed, self._open] if self._open else self._closed
        if not waiting:
            return None
        groups, _ = self._judge(waiting, None)
        return groups[0] if len(groups) == 1 else _merged(groups)

    def _close_group(self) -> None:
        if self._open:
            self._closed.append(self._open)
            self._open = []

    def _send(self, assistant_id: str | None) -> None:
        """The groups that wait go out: their fates are decided for good."""
        if not self._closed:
            return
        sent = assistant_id if assistant_id is not None else ""
        groups, seen = self._judge(self._closed, sent)
        for group in groups:
            self.groups.append(group)
            self.totals = self.totals.plus(totals_of(group))
        for rows, group in zip(self._closed, groups, strict=True):
            if assistant_id is not None and self._observed_over(rows):
                self.over_evidence.append(group.number)
        for tool_use_id, replaced in seen:
            self._seen.setdefault(tool_use_id, replaced)
        self._closed = []

    def _judge(self, waiting: Sequence[Sequence[int]], sent: str | None) -> tuple[list[Group], list[tuple[str, bool]]]:
        """Decide groups that wait. `sent`: the response they go out for, None while they wait. Also: ids, as seen."""
        alone = [[self._alone(at) for at in rows] for rows in waiting]
        candidates = [
            [self._candidate(at) for at, verdict in zip(rows, verdicts, strict=True) if verdict is None and self._counts(at)]
            for rows, verdicts in zip(waiting, alone, strict=True)
        ]
        limits = self._limits_of(waiting[-1][-1])
        limit = limits.get_per_message_budget_limit()
        replaced = {tool_use_id for tool_use_id in self._ids(candidates) if self._seen.get(tool_use_id)}
        plan = decide(candidates, self._seen, replaced, limit if self.switch else _INFINITY, limits.is_exempt)
        groups = [
            self._group(rows, verdicts, group_plan, limit, sent, len(self.groups) + number)
            for number, (rows, verdicts, group_plan) in enumerate(zip(waiting, alone, plan.groups, strict=True))
        ]
        seen = [(tool_use_id, False) for tool_use_id in plan.freeze]
        seen += [(candidates[at][position].tool_use_id, candidates[at][position].writable) for at, position in plan.writes]
        return groups, seen

    @staticmethod
    def _ids(candidates: Sequence[Sequence[Candidate]]) -> set[str]:
        return {candidate.tool_use_id for group in candidates for candidate in group}

    def _alone(self, at: int) -> Verdict | None:
        return judge_alone(self.index.rows[at], self._threshold(at))

    def _counts(self, at: int) -> bool:
        return is_candidate(self.index.rows[at])

    def _candidate(self, at: int) -> Candidate:
        row = self.index.rows[at]
        return Candidate(row.tool_use_id, row.tool, row.chars, row.writable)

    def _group(
        self,
        rows: Sequence[int],
        alone: Sequence[Verdict | None],
        plan: GroupPlan,
        limit: float,
        sent: str | None,
        number: int,
    ) -> Group:
        results: list[Result] = []
        places: list[int] = []  # candidate → result
        steps = {pick.position: pick for pick in plan.picks}
        failed_chars = 0
        over = plan.frozen_chars + plan.fresh_chars > limit
        for at, verdict in zip(rows, alone, strict=True):
            row = self.index.rows[at]
            if verdict is None and self._counts(at):
                position = len(places)
                places.append(len(results))
                verdict = self._fate(at, plan, position, steps, sent is not None)
                if position in steps and verdict.fate == "full":
                    failed_chars += row.chars
            elif verdict is None:
                exempt = self.switch and self._limits_of(at).is_exempt(row.tool)
                verdict = Verdict("exempt", None, "B6", None) if exempt else self._full(at, None)
            results.append(
                result_of(
                    row, verdict, self._threshold(at), self._seen_of(row.tool_use_id, sent), self._path_chars(row.tool_use_id)
                )
            )
        selected = sum(self.index.rows[rows[places[position]]].chars for position in steps)
        visible = plan.exempt_chars + plan.frozen_chars + plan.fresh_chars - selected + failed_chars
        stamps = [stamp for at in rows if (stamp := self.index.stamps[self.index.rows[at].record]) == stamp]
        return Group(
            number=number,
            assistant_id=sent or None,
            timestamp=stamps[-1] if stamps else None,
            limit=limit,
            frozen=plan.frozen_chars,
            fresh=plan.fresh_chars,
            reapplied=plan.reapplied_chars,
            exempt=plan.exempt_chars,
            visible=visible,
            over_budget=over,
            chars=sum(result.row.chars for result in results),
            model_chars=sum(result.saw_chars for result in results),
            results=tuple(results),
            picks=tuple(Pick(places[pick.position], pick.remaining) for pick in plan.picks),
        )

    def _fate(self, at: int, plan: GroupPlan, position: int, steps: dict[int, Pick], sent: bool) -> Verdict:
        """What layer two makes of a candidate."""
        entry = plan.states[position]
        kept = "frozen" if sent else entry
        if entry == "mustReapply":
            return Verdict("replaced", 2, "B4", "mustReapply")
        if position in plan.exempt:
            return Verdict("exempt", None, "B6", kept) if self.switch else self._full(at, kept)
        if position in steps:
            if self.index.rows[at].writable:
                return Verdict("replaced", 2, "B7", "mustReapply" if sent else entry)
            return Verdict("full", None, "B9", kept)
        if plan.over and self.switch and entry == "fresh":
            return Verdict("full", None, "B7", kept)
        return self._full(at, kept)

    def _full(self, at: int, state: str | None) -> Verdict:
        return Verdict("full", None, kept_rule(self.index.rows[at], self._threshold(at)), state)  # type: ignore[arg-type]

    # --- small questions ------------------------------------------------------------------------------------------------

    def _observed_over(self, rows: Sequence[int]) -> bool:
        """L10: whether a group's inline candidates were over the limit of the profile, as the transcript shows them."""
        limits = _profile_limits(self.index.versions[self._version_of(rows[-1])])
        held = (self.index.rows[at] for at in rows)
        total = sum(row.model_chars for row in held if row.candidate and not limits.is_exempt(row.tool))
        return total > limits.get_per_message_budget_limit()

    def _seen_of(self, tool_use_id: str, sent: str | None) -> Seen:
        return Seen(self.index.replacements.get(tool_use_id), tool_use_id in self.index.cleared, sent is not None)

    def _path_chars(self, tool_use_id: str) -> int:
        return self.path_chars + len(tool_use_id)

    def _version_of(self, at: int) -> int:
        return self.index.version_of[self.index.rows[at].record]

    def _limits_of(self, at: int) -> Limits:
        version = self._version_of(at)
        limits = self._limits.get(version)
        if limits is None:
            limits = self._limits[version] = self.book.for_version(self.index.versions[version])
        return limits

    def _threshold(self, at: int) -> Threshold:
        tool, version = self.index.rows[at].tool, self._version_of(at)
        threshold = self._thresholds.get((tool, version))
        if threshold is None:
            threshold = self._limits_of(at).get_persistence_threshold(tool)
            self._thresholds[tool, version] = threshold
        return threshold


@lru_cache(maxsize=64)
def _profile_limits(version: str | None) -> Limits:
    """L10: evidence is judged under the profile alone, never under edited limits."""
    return profile_for(version).limits()


def totals_of(group: Group) -> Totals:
    """What one group adds to the totals."""
    results = group.results
    fates = [result.fate for result in results]
    states = [result.state for result in results]
    shrunk = [result for result in results if result.fate in ("persisted", "replaced")]
    saved = sum(max(0, (result.row.chars + 2) // 4 - result.model_tokens) for result in shrunk)
    return Totals(
        results=len(results),
        chars=group.chars,
        visible_chars=sum(result.model_chars for result in results),
        persisted=fates.count("persisted"),
        replaced=fates.count("replaced"),
        tokens_saved=saved,
        must_reapply=states.count("mustReapply"),
        frozen=states.count("frozen"),
        fresh=states.count("fresh"),
        exempt=fates.count("exempt"),
        over_budget=int(group.over_budget),
        drift=sum(result.drift is not None for result in results),
    )


def _merged(groups: Sequence[Group]) -> Group:
    """Groups that wait for one request, shown as one; each was judged apart (B14)."""
    offset = 0
    picks: list[Pick] = []
    for group in groups:
        picks += [Pick(pick.position + offset, pick.remaining) for pick in group.picks]
        offset += len(group.results)
    last = groups[-1]
    return last._replace(
        number=groups[0].number,
        frozen=sum(group.frozen for group in groups),
        fresh=sum(group.fresh for group in groups),
        reapplied=sum(group.reapplied for group in groups),
        exempt=sum(group.exempt for group in groups),
        visible=sum(group.visible for group in groups),
        over_budget=any(group.over_budget for group in groups),
        chars=sum(group.chars for group in groups),
        model_chars=sum(group.model_chars for group in groups),
        results=tuple(result for group in groups for result in group.results),
        picks=tuple(picks),
    )
