"""Hand-made readings for the inspector's tests. One world, a fixed clock, no files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spillscope.budget.decide import Pick, State
from spillscope.limits import Limits
from spillscope.session.calibrated import Calibrated, Residual
from spillscope.session.reading import (
    CacheBreak,
    Compaction,
    Context,
    Cut,
    Fate,
    Group,
    Observed,
    Reading,
    Request,
    Result,
    SessionInfo,
    SkippedLine,
    Totals,
)
from spillscope.tokens.calibration import Band, Score, Scores
from spillscope.tokens.usage import Usage
from spillscope.transcript.rows import ResultRow
from spillscope.window.thresholds import window_thresholds

NOW = 1_767_276_131.0
"""2026-01-01 14:02:11 UTC."""
LIMITS = Limits(overrides={"Fetch": 60_000}, sources={"overrides.Fetch": "limits.toml"})
_PREVIEW = 2_150


def result(
    tool: str | None,
    label: str,
    chars: int,
    fate: Fate = "full",
    state: State | None = "frozen",
    rule: str = "L8.3",
    observed: Observed = "inline",
    drift: str | None = None,
    tool_use_id: str = "",
) -> Result:
    """One result whose sizes fit its fate."""
    seen = min(chars, _PREVIEW) if fate in ("persisted", "replaced") else chars
    row = ResultRow(
        tool_use_id=tool_use_id or f"toolu_{tool}_{label}_{chars}",
        tool=tool,
        label=label,
        record=0,
        block=0,
        content="wrapper" if fate == "persisted" else "text",
        chars=chars,
        chars_source="inline",
        model_chars=seen,
        tokens=seen // 4,
        preview_chars=_PREVIEW,
        candidate=state is not None,
        writable=True,
        notice=None,
    )
    layer = {"persisted": 1, "replaced": 2}.get(fate)
    threshold = LIMITS.get_persistence_threshold(tool)
    return Result(row, state, fate, layer, rule, threshold, observed, drift, seen, seen // 4, seen, seen // 4)


def group(number: int, results: Sequence[Result], *, at: float | None = NOW, sent: bool = True, **changes: Any) -> Group:
    """A group whose sums are those of its results."""
    picks = tuple(at for at, item in enumerate(results) if item.fate == "replaced")
    exempt = sum(item.row.chars for item in results if item.fate == "exempt")
    counted = sum(item.row.chars for item in results if item.fate in ("full", "replaced") and item.state)
    remaining = counted
    steps = []
    for at_result in sorted(picks, key=lambda position: -results[position].row.chars):
        remaining -= results[at_result].row.chars
        steps.append(Pick(at_result, remaining))
    made = Group(
        number=number,
        assistant_id=f"msg_{number}" if sent else None,
        timestamp=at,
        limit=LIMITS.get_per_message_budget_limit(),
        frozen=0,
        fresh=counted,
        reapplied=0,
        exempt=exempt,
        visible=remaining + exempt,
        over_budget=counted > LIMITS.get_per_message_budget_limit(),
        chars=sum(item.row.chars for item in results),
        model_chars=sum(item.model_chars for item in results),
        results=tuple(results),
        picks=tuple(steps),
    )
    return made._replace(**changes)


def totals_of(groups: Sequence[Group]) -> Totals:
    """The sums that a reading states of its groups."""
    every = [item for one in groups for item in one.results]
    return Totals(
        results=len(every),
        chars=sum(item.row.chars for item in every),
        visible_chars=sum(item.model_chars for item in every),
        persisted=sum(item.fate == "persisted" for item in every),
        replaced=sum(item.fate == "replaced" for item in every),
        tokens_saved=0,
        must_reapply=sum(item.state == "mustReapply" for item in every),
        frozen=sum(item.state == "frozen" and item.fate != "exempt" for item in every),
        fresh=sum(item.state == "fresh" for item in every),
        exempt=sum(item.fate == "exempt" for item in every),
        over_budget=sum(one.over_budget for one in groups),
        drift=sum(item.drift is not None for item in every),
    )


def reading(
    groups: Sequence[Group] = (),
    pending: Group | None = None,
    *,
    version: int = 1,
    usage: int = 138_900,
    estimate: int = 4_300,
    size: int = 200_000,
    session: SessionInfo | None = None,
    **changes: Any,
) -> Reading:
    """A reading of these groups, in a session that was written to two seconds ago."""
    window = window_thresholds(size, 32_000, source="the model's name")
    made = Reading(
        version=version,
        session=session or SESSION,
        limits=LIMITS,
        aggregate=True,
        evidence="on: the transcript holds content-replacement records",
        context=Context(usage + estimate, usage, estimate, "uuid", NOW - 12 if usage else None, window),
        groups=tuple(groups),
        pending=pending,
        requests=requests_of(len(groups), groups, cuts[0].group if (cuts := changes.get("cuts")) else None),
        totals=totals_of([*groups, pending] if pending else groups),
    )
    return replace(made, **changes)


def requests_of(count: int, groups: Sequence[Group] = (), cut: int | None = None) -> tuple[Request, ...]:
    """Context that grows, each request with its group; it begins anew with the request `cut`."""
    return tuple(_request(at, count, cut, groups[at : at + 1]) for at in range(count))


def _request(at: int, count: int, cut: int | None, groups: Sequence[Group]) -> Request:
    anew = cut is not None and at >= cut
    usage = Usage(input=4, cache_read=40_000 + 2_400 * (at - cut if cut is not None and anew else at), output=300)
    return Request(
        assistant_id=f"msg_{at}",
        response=at,
        timestamp=NOW - 60 * (count - at),
        usage=usage,
        estimate_before=usage.prompt - 900,
        model=SESSION.model,
        segment=int(anew),
        first_group=at,
        end_group=at + len(groups),
        spilled=sum(item.fate in ("persisted", "replaced") for one in groups for item in one.results),
        over_budget=any(one.over_budget for one in groups),
    )


def eventful() -> Reading:
    """A session with all that the timeline marks: a compaction, breaks of the cache, spills, a group over its budget."""
    session = replace(SESSION, compactions=(Compaction(NOW - 1_500, "auto", 168_400, 12_300),))
    made = live(40, session=session, live_from=15, cuts=(Cut(15, 0),))
    requests = list(made.requests)
    requests[9] = requests[9]._replace(broken=CacheBreak(41_000, "idle", 43_000, 49_450.0))
    requests[30] = requests[30]._replace(broken=CacheBreak(52_000, "replacement", 52_500, 60_375.0, ("toolu_[red]",)))
    requests[33] = requests[33]._replace(usage=Usage())
    return replace(made, requests=tuple(requests))


SESSION = SessionInfo(
    id="3f2a9c1e-77aa-4c1d-9d5e-0c6b8a2f4e11",
    path="/home/user/.claude/projects/-tide-tables/3f2a9c1e-77aa-4c1d-9d5e-0c6b8a2f4e11.jsonl",
    version="2.1.219",
    model="claude-opus-4-6-20260115",
    cwd="/home/user/tide-tables",
    last_write=NOW - 2,
    records=412,
    bytes=2_345_678,
)


def quiet_groups(count: int) -> list[Group]:
    """Ordinary groups: a few results each, some reads, now and then a spill."""
    made = []
    for number in range(count):
        results = [
            result("Grep", f"fn open_{number} src/", 1_200 + 731 * (number * 7 % 23)),
            result("Read", f"src/harbour_{number}.rs", 4_000 + 997 * (number * 5 % 17), "exempt", "frozen", "B6"),
            result("Bash", "cargo test --workspace -- --nocapture", 900 + 113 * (number % 9)),
        ][: 1 + number % 3]
        if number % 7 == 6:
            results.append(result("Bash", "cat target/trace.log", 184_300, "persisted", None, "L8.3", "persisted"))
        made.append(group(number, results, at=NOW - 90 * (count - number)))
    return made


def full_group(number: int) -> Group:
    """A group over its budget, from which one result was replaced."""
    return group(
        number,
        [
            result("Glob", "**/*.rs", 49_612, "replaced", "mustReapply", "B7", "replaced"),
            result("mcp__atlas__list_harbours", "list harbours of the north coast", 45_180, rule="B7"),
            result("Grep", "fn open  src/", 19_840, rule="B7"),
            result("Fetch", "https://docs.example.org/tides/constituents", 49_100, rule="B7"),
            result("Fetch", "https://docs.example.org/moon/phases", 48_372, rule="B7"),
        ],
        at=NOW - 30,
    )


def next_group(number: int) -> Group:
    """What waits to be sent."""
    return group(
        number,
        [
            result("Bash", "cargo build", 21_000, state="fresh", observed="pending"),
            result("Read", "src/lib.rs", 10_012, "exempt", "fresh", "B6", "pending"),
        ],
        at=NOW - 2,
        sent=False,
    )


def live(count: int = 12, **changes: Any) -> Reading:
    """The everyday reading: quiet groups, one over budget, and a pending request."""
    return reading([*quiet_groups(count), full_group(count)], next_group(count + 1), **changes)


def past_of(now: Reading, request: int) -> Reading:
    """A reading as it stood when one of its requests, each with one group, was about to go out."""
    pending = now.groups[request]._replace(assistant_id=None) if request < len(now.groups) else None
    tokens = now.requests[request].usage.prompt
    return replace(
        now,
        groups=tuple(now.groups[:request]),
        pending=pending,
        requests=tuple(now.requests[:request]),
        context=replace(now.context, tokens=tokens, usage=tokens, estimate=0),
        totals=totals_of([*now.groups[:request], *([pending] if pending else [])]),
        at=request,
    )


def calibrated(usage: int = 138_900, estimate: int = 5_100, **changes: Any) -> Calibrated:
    """What calibration says of the everyday reading."""
    score = Score(40, -0.42, 0.42, 0.55, 1.7)
    scores = Scores(score, Score(40, -0.31, 0.31, 0.4, 1.4), Score(40, 0.01, 0.043, 0.17, 1.0))
    made = Calibrated(
        usage=usage,
        estimate=estimate,
        estimate_bpe=3_700,
        band=Band(usage + estimate - 500, usage + estimate + 500),
        residual=Residual(18_200, Band(17_000, 19_000)),
        scores=scores,
        models=(("claude-opus-4-6", scores),),
        requests=48,
        left_out=(("compaction", 1), ("prompt", 7)),
    )
    return replace(made, **changes)


def old_and_new() -> Reading:
    """A session after a compaction."""
    session = replace(SESSION, compactions=(Compaction(NOW - 600, "auto", 168_400, 12_300),))
    return live(session=session, live_from=6, cuts=(Cut(6, 0),))


def troubled() -> Reading:
    """Everything that raises a badge."""
    session = replace(SESSION, skipped_lines=(SkippedLine(3, 120, "no JSON"), SkippedLine(9, 4_100, "no JSON")))
    drifted = group(
        0, [result("Bash", "cat big.log", 60_000, "persisted", None, "L8.3", "inline", "kept although over 30,000")]
    )
    return reading(
        [drifted, full_group(1)],
        session=session,
        aggregate=False,
        evidence="off: group 1 was over the limit and went out in full",
    )
