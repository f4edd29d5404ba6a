"""Layer two, the active side: decide → freeze → write → commit → apply → record (spec B3–B11, B15)."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from spillscope.budget.admit import Log
from spillscope.budget.decide import GroupPlan, Plan, State, decide
from spillscope.budget.grouping import Group, Place, collect_candidates_by_message
from spillscope.budget.sift import sift
from spillscope.budget.sink import RecordSink
from spillscope.budget.state import ContentReplacementState, Replacement
from spillscope.budget.store import Spilled, SpillFailure, SpillStore, persist
from spillscope.errors import one_line
from spillscope.limits import Limits
from spillscope.messages import Message, content_blocks, with_content
from spillscope.wrapper import build_large_tool_result_message

MAX_CONCURRENT_WRITES = 32

Fate = Literal["replaced", "full", "exempt"]


class ResultReport(NamedTuple):
    """One candidate: its size in units of full text, its state on entry, and what the model gets of it."""

    tool_use_id: str
    tool: str | None
    chars: int
    state: State
    fate: Fate


class GroupReport(NamedTuple):
    """One API-level user message. Sums are units of full text; `visible`: everything that stays in full."""

    limit: float
    frozen: int
    fresh: int
    reapplied: int
    exempt: int
    visible: int
    results: tuple[ResultReport, ...]


class SpilledResult(NamedTuple):
    """A result newly replaced: its file, and its size (P2) in units."""

    tool_use_id: str
    path: str
    chars: int


@dataclass(frozen=True, slots=True)
class Enforced:
    """What a run did. `messages` is the caller's own list where nothing is replaced.

    `records`, `spilled` and `failed` are of this run alone, in selection order. `sink_error`: why the records were not kept;
    the state holds the replacements all the same (B11).
    """

    messages: list[Message]
    changed: bool = False
    groups: tuple[GroupReport, ...] = ()
    records: tuple[Replacement, ...] = ()
    spilled: tuple[SpilledResult, ...] = ()
    failed: tuple[SpillFailure, ...] = ()
    sink_error: str | None = None


def enforce_tool_result_budget(
    messages: list[Message],
    state: ContentReplacementState | None,
    limits: Limits,
    store: SpillStore,
    sink: RecordSink | None = None,
    *,
    skip_tool_names: Collection[str] | None = None,
    log: Log | None = None,
    only_new_groups: bool = False,
) -> Enforced:
    """The messages as the model is to see them, every group inside its budget where that can be had.

    `messages`: transcript records or plain API messages after the last compaction, never changed (B10). `state` None, or
    `limits.aggregate` False: the feature is off and everything passes through (L10). `sink` None: nothing is recorded, as in
    an ephemeral fork. `skip_tool_names` stands in for the tools that are exempt by their declared limit (B6). With
    `only_new_groups` the report leaves out groups without a new result, which then cost next to nothing. Blocks while another
    run on the same state goes on (B15), and while files are written; call it from a worker thread in async code.
    Never raises for what the store or the sink does: a failed write keeps that result in full for good (B9).
    """
    if state is None or limits.aggregate is False:
        return Enforced(messages)
    is_exempt = limits.is_exempt if skip_tool_names is None else skip_tool_names.__contains__
    limit = limits.get_per_message_budget_limit()
    with state.run:
        seen, before = state.seen, state.replacements
        groups, known = _look(messages, seen, before, only_new_groups)
        plan = decide([group.candidates for group in groups], seen, before, limit, is_exempt)
        state.freeze(plan.freeze)
        jobs = _jobs(messages, groups, plan)
        outcomes = _write_all(jobs, store)
        records = _commit(outcomes, state, limits)
        sink_error = _record(records, sink)
        replacements = state.replacements if records else before
    failed = tuple(outcome for outcome in outcomes if isinstance(outcome, SpillFailure))
    if log is not None:
        for failure in failed:
            log(failure)
    applied = _put_back(messages, {*known, *_replaced_in(groups, replacements)}, replacements)
    return Enforced(
        messages=applied,
        changed=applied is not messages,
        groups=tuple(_report(group, its, limit, replacements) for group, its in zip(groups, plan.groups, strict=True)),
        records=records,
        spilled=tuple(
            SpilledResult(outcome.tool_use_id, outcome.path, job.chars)
            for job, outcome in zip(jobs, outcomes, strict=True)
            if isinstance(outcome, Spilled)
        ),
        failed=failed,
        sink_error=sink_error,
    )


def apply_replacements(messages: list[Message], groups: Sequence[Group], replacements: Mapping[str, str]) -> list[Message]:
    """B4, B10: each candidate that has a replacement gets it, byte for byte, in new objects as far up as needed.

    `groups`: of these very messages. The same list where nothing is replaced.
    """
    return _put_back(messages, set(_replaced_in(groups, replacements)), replacements)


def _look(
    messages: Sequence[Message], seen: Container[str], replacements: Container[str], only_new: bool
) -> tuple[Sequence[Group], Sequence[Place]]:
    """The groups of a run, and the places, in other groups too, where something is to be put back."""
    if only_new:
        return sift(messages, seen, replacements)
    return collect_candidates_by_message(messages), ()


def _replaced_in(groups: Sequence[Group], replacements: Container[str]) -> Iterator[Place]:
    for group in groups:
        for candidate, place in zip(group.candidates, group.places, strict=True):
            if candidate.tool_use_id in replacements:
                yield place


def _put_back(messages: list[Message], places: Collection[Place], replacements: Mapping[str, str]) -> list[Message]:
    if not places:
        return messages
    touched: dict[int, list[int]] = {}
    for place in places:
        touched.setdefault(place.message, []).append(place.block)
    result = list(messages)
    for at, blocks in touched.items():
        content = list(content_blocks(messages[at]))
        for index in blocks:
            content[index] = {**content[index], "content": replacements[content[index]["tool_use_id"]]}
        result[at] = with_content(messages[at], content)
    return result


class _Job(NamedTuple):
    tool_use_id: str
    chars: int
    content: Any


def _jobs(messages: Sequence[Message], groups: Sequence[Group], plan: Plan) -> list[_Job]:
    """What is to be written, in selection order; of two blocks with one id, the one selected first."""
    jobs: dict[str, _Job] = {}
    for number, position in plan.writes:
        candidate, place = groups[number].candidates[position], groups[number].places[position]
        content = content_blocks(messages[place.message])[place.block]["content"]
        jobs.setdefault(candidate.tool_use_id, _Job(candidate.tool_use_id, candidate.chars, content))
    return list(jobs.values())


def _write_all(jobs: Sequence[_Job], store: SpillStore) -> list[Spilled | SpillFailure]:
    """B9: all at once; returns when the last write has ended."""
    if not jobs:
        return []
    with ThreadPoolExecutor(min(len(jobs), MAX_CONCURRENT_WRITES)) as pool:
        return list(pool.map(lambda job: persist(store, job.tool_use_id, job.content), jobs))


def _commit(
    outcomes: Sequence[Spilled | SpillFailure], state: ContentReplacementState, limits: Limits
) -> tuple[Replacement, ...]:
    """B9: in selection order, each id with its replacement; a failed one is frozen in full."""
    records: list[Replacement] = []
    for outcome in outcomes:
        if isinstance(outcome, SpillFailure):
            state.freeze([outcome.tool_use_id])
            continue
        wrapper = build_large_tool_result_message(outcome.text, outcome.path, limits.preview_chars)
        records.append(Replacement(outcome.tool_use_id, wrapper))
        state.commit(records[-1])
    return tuple(records)


def _record(records: Sequence[Replacement], sink: RecordSink | None) -> str | None:
    """B11: keeps new records; what went wrong, in one line, or None."""
    if sink is None or not records:
        return None
    try:
        sink(records)
    except Exception as error:  # the sink is the caller's: the loop goes on whatever it raises
        return one_line(error)
    return None


def _report(group: Group, plan: GroupPlan, limit: float, replacements: Mapping[str, str]) -> GroupReport:
    results = []
    for at, (candidate, state) in enumerate(zip(group.candidates, plan.states, strict=True)):
        fate: Fate = "exempt" if at in plan.exempt else "replaced" if candidate.tool_use_id in replacements else "full"
        results.append(ResultReport(candidate.tool_use_id, candidate.tool, candidate.chars, state, fate))
    return GroupReport(
        limit=limit,
        frozen=plan.frozen_chars,
        fresh=plan.fresh_chars,
        reapplied=plan.reapplied_chars,
        exempt=plan.exempt_chars,
        visible=sum(result.chars for result in results if result.fate != "replaced"),
        results=tuple(results),
    )
