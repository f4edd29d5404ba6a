"""Runs of a ledger, put to the budget (spec B3 to B9). The decisions are `budget.decide`'s."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from spillscope.budget.decide import GroupPlan, Plan, decide
from spillscope.session.whatif.codes import SPILLED
from spillscope.session.whatif.ledger import Ledger
from spillscope.session.whatif.terms import Terms


def candidates_of(ledger: Ledger, codes: Sequence[int], group: int) -> list[int]:
    """The rows of a group that the budget looks at: what layer one took is none of them any more (R1a)."""
    candidates = ledger.candidates
    return [row for row in ledger.rows_of_group(group) if candidates[row] is not None and codes[row] != SPILLED]


def ask(ledger: Ledger, codes: Sequence[int], terms: Terms, runs: Sequence[int], seen: Mapping[str, bool]) -> Plan:
    """What the budget decides of runs under one profile, none of which binds another. `seen`: ids, and whether replaced."""
    groups = [
        [candidate for row in candidates_of(ledger, codes, group) if (candidate := ledger.candidates[row]) is not None]
        for run in runs
        for group in ledger.groups_of_run(run)
    ]
    version = ledger.run_versions[runs[0]]
    spared = {tool: terms.exempt[ledger.number(version, tool)] for tool in {each.tool for group in groups for each in group}}
    replaced = {tool_use_id for tool_use_id, gone in seen.items() if gone}
    return decide(groups, seen, replaced, terms.limit, spared.__getitem__)


def learned_from(ledger: Ledger, codes: Sequence[int], run: int, plan: Plan) -> Iterator[tuple[str, bool]]:
    """B8: ids as they become seen, and whether each was replaced; a write that fails leaves its result in full (B9)."""
    yield from ((tool_use_id, False) for tool_use_id in plan.freeze)
    groups = ledger.groups_of_run(run)
    for at, position in plan.writes:
        row = ledger.rows[candidates_of(ledger, codes, groups[at])[position]]
        yield row.tool_use_id, row.writable


def bounds_of(groups: Iterable[GroupPlan]) -> tuple[float, float]:
    """The limits under which groups are decided alike: from the first up to but not including the second.

    B7 selects from the top until the rest is inside: a limit down to that rest selects the same.
    """
    low, high = float("-inf"), float("inf")
    for group in groups:
        total = group.frozen_chars + group.fresh_chars
        if not group.picks:
            low = max(low, total)
            continue
        high = min(high, group.picks[-2].remaining if len(group.picks) > 1 else total)
        if len(group.picks) + len(group.exempt) < len(group.states):
            low = max(low, group.picks[-1].remaining)
    return low, high
