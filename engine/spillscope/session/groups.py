"""Groups of results as the engine judges them: layer one on each, layer two on the group (spec R1, R1a, B3–B9)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from spillscope.budget.decide import Candidate, GroupPlan, Pick, State, decide
from spillscope.limits import Limits, Threshold
from spillscope.limits_sources import Earlier, LimitsBook
from spillscope.profiles import profile_for
from spillscope.session.judge import Seen, Verdict, is_candidate, judge_alone, judge_in_group, kept_rule, result_of
from spillscope.session.reading import Group, Result, Totals
from spillscope.transcript.index import Index
from spillscope.transcript.rows import ResultRow

_INFINITY = float("inf")


class Judged(NamedTuple):
    """Groups with their results decided. `seen`: ids as they become seen, and whether each was replaced."""

    groups: list[Group]
    seen: list[tuple[str, bool]]


class _Tools:
    """The limits of one agent version, asked once for each tool."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.budget = limits.get_per_message_budget_limit()
        self._thresholds: dict[str | None, Threshold] = {}
        self._exempt: dict[str | None, bool] = {}

    def threshold(self, tool: str | None) -> Threshold:
        found = self._thresholds.get(tool)
        if found is None:
            found = self._thresholds[tool] = self.limits.get_persistence_threshold(tool)
        return found

    def is_exempt(self, tool: str | None) -> bool:
        found = self._exempt.get(tool)
        if found is None:
            found = self._exempt[tool] = self.limits.is_exempt(tool)
        return found


class _Entry(NamedTuple):
    """A result on its way to a verdict. `alone`: what layer one made of it; None where it leaves it to the budget."""

    row: ResultRow
    tools: _Tools
    threshold: Threshold
    alone: Verdict | None


class Judge:
    """Decides groups of rows of an index under the limits of a book. `path_chars`: units of a spill path but for its id.

    `earlier`: what held before, the oldest first. A result is held against the limits of its time, for a change of limits
    alters nothing that was decided (L11); a group against those of its newest result.
    """

    def __init__(self, index: Index, book: LimitsBook, path_chars: int, earlier: Sequence[Earlier] = ()) -> None:
        self.index, self.book, self.path_chars = index, book, path_chars
        self.switch = True  # L10, as it is believed to be
        self._changes = [change.until for change in earlier]
        self._books = [*(change.book for change in earlier), book]
        self._tools: dict[tuple[int, int], _Tools] = {}

    def judge(
        self, waiting: Sequence[Sequence[int]], seen: Mapping[str, bool], sent: str | None, number: int, *, goes_out: bool
    ) -> Judged:
        """Decide groups of rows. `seen`: ids seen so far, and whether each was replaced. `number`: of the first group.

        `sent`: the response that they go out for, if there was one. `goes_out` False: what would be, if they went out now.
        """
        entries = [[self._entry(at) for at in rows] for rows in waiting]
        candidates = [
            [_candidate(entry.row) for entry in group if entry.alone is None and is_candidate(entry.row)] for group in entries
        ]
        tools = entries[-1][-1].tools
        replaced = {found.tool_use_id for group in candidates for found in group if seen.get(found.tool_use_id)}
        limit = tools.budget if self.switch else _INFINITY
        plan = decide(candidates, seen, replaced, limit, tools.is_exempt)
        groups = [
            self._group(group, group_plan, tools.budget, number + at, sent, goes_out)
            for at, (group, group_plan) in enumerate(zip(entries, plan.groups, strict=True))
        ]
        become = [(tool_use_id, False) for tool_use_id in plan.freeze]
        become += [(candidates[at][position].tool_use_id, candidates[at][position].writable) for at, position in plan.writes]
        return Judged(groups, become)

    def observed_over(self, rows: Sequence[int]) -> bool:
        """L10: whether a group's inline candidates were over the limit of the profile, as the transcript shows them."""
        index = self.index
        total = sum(index.rows[at].model_chars for at in rows if index.rows[at].candidate)
        limits = _profile_limits(index.versions[index.version_of[index.rows[rows[-1]].record]])
        budget = limits.get_per_message_budget_limit()
        if total <= budget:
            return False
        held = (index.rows[at] for at in rows)
        return sum(row.model_chars for row in held if row.candidate and not limits.is_exempt(row.tool)) > budget

    def _entry(self, at: int) -> _Entry:
        row = self.index.rows[at]
        version = self.index.version_of[row.record]
        # A record without a time (NaN) comes out behind all changes.
        time = bisect_right(self._changes, self.index.stamps[row.record]) if self._changes else 0
        tools = self._tools.get((version, time))
        if tools is None:
            tools = self._tools[version, time] = _Tools(self._books[time].for_version(self.index.versions[version]))
        threshold = tools.threshold(row.tool)
        return _Entry(row, tools, threshold, judge_alone(row, threshold))

    def _group(
        self, entries: Sequence[_Entry], plan: GroupPlan, limit: float, number: int, sent: str | None, goes_out: bool
    ) -> Group:
        results: list[Result] = []
        places: list[int] = []  # candidate → result
        steps = {pick.position: pick for pick in plan.picks}
        kept_chars = plan.exempt_chars + plan.frozen_chars + plan.fresh_chars
        for entry in entries:
            verdict = entry.alone
            if verdict is None and is_candidate(entry.row):
                position = len(places)
                places.append(len(results))
                verdict = self._fate(entry, plan, position, steps, goes_out)
                if position in steps and verdict.fate == "replaced":
                    kept_chars -= entry.row.chars
            elif verdict is None:
                exempt = self.switch and entry.tools.is_exempt(entry.row.tool)
                verdict = Verdict("exempt", None, "B6", None) if exempt else _full(entry, None)
            results.append(self._result(entry, verdict, goes_out))
        return Group(
            number,
            sent,
            self._newest_stamp(entries),
            limit,
            plan.frozen_chars,
            plan.fresh_chars,
            plan.reapplied_chars,
            plan.exempt_chars,
            kept_chars,
            plan.frozen_chars + plan.fresh_chars > limit,
            sum([result.row.chars for result in results]),
            sum([result.saw_chars for result in results]),
            tuple(results),
            tuple([Pick(places[pick.position], pick.remaining) for pick in plan.picks]),
        )

    def _fate(self, entry: _Entry, plan: GroupPlan, position: int, steps: Mapping[int, Pick], goes_out: bool) -> Verdict:
        """What layer two makes of a candidate."""
        fate, rule = judge_in_group(plan, position, steps, entry.row.writable, self.switch)
        before = plan.states[position]
        after: State = "mustReapply" if fate == "replaced" else "frozen"
        layer = 2 if fate == "replaced" else None
        return Verdict(fate, layer, rule or kept_rule(entry.row, entry.threshold), after if goes_out else before)

    def _result(self, entry: _Entry, verdict: Verdict, goes_out: bool) -> Result:
        index, tool_use_id = self.index, entry.row.tool_use_id
        seen = Seen(index.replacements.get(tool_use_id), tool_use_id in index.cleared, goes_out)
        return result_of(entry.row, verdict, entry.threshold, seen, self.path_chars + len(tool_use_id))

    def _newest_stamp(self, entries: Sequence[_Entry]) -> float | None:
        for entry in reversed(entries):
            stamp = self.index.stamps[entry.row.record]
            if stamp == stamp:
                return stamp
        return None


def _candidate(row: ResultRow) -> Candidate:
    return Candidate(row.tool_use_id, row.tool, row.chars, row.writable)


def _full(entry: _Entry, state: State | None) -> Verdict:
    return Verdict("full", None, kept_rule(entry.row, entry.threshold), state)


@lru_cache(maxsize=64)
def _profile_limits(version: str | None) -> Limits:
    """L10: evidence is judged under the profile alone, never under edited limits."""
    return profile_for(version).limits()


def totals_of(group: Group) -> Totals:
    """What one group adds to the totals."""
    states = {"mustReapply": 0, "frozen": 0, "fresh": 0, None: 0}
    fates = {"persisted": 0, "replaced": 0, "exempt": 0, "full": 0, "placeholder": 0, "image": 0}
    saved = visible = drift = 0
    for result in group.results:
        states[result.state] += 1
        fates[result.fate] += 1
        visible += result.model_chars
        if result.drift is not None:
            drift += 1
        if result.layer is not None and result.fate != "placeholder":
            saved += max(0, (result.row.chars + 2) // 4 - result.model_tokens)
    return Totals(
        len(group.results),
        group.chars,
        visible,
        fates["persisted"],
        fates["replaced"],
        saved,
        states["mustReapply"],
        states["frozen"],
        states["fresh"],
        fates["exempt"],
        int(group.over_budget),
        drift,
    )


def merged(groups: Sequence[Group]) -> Group:
    """Groups that wait for one request, shown as one; each was judged apart (B14)."""
    offset = 0
    picks: list[Pick] = []
    for group in groups:
        picks += [Pick(pick.position + offset, pick.remaining) for pick in group.picks]
        offset += len(group.results)
    return groups[-1]._replace(
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
