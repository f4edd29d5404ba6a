"""A reading: everything that the screen and `report` show of a session, as one immutable snapshot (spec R2).

Sizes are UTF-16 units, times are seconds since the epoch, tokens are tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import add, sub
from typing import Literal, NamedTuple

from spillscope.budget.decide import Pick, State
from spillscope.limits import Limits, Threshold
from spillscope.tokens.usage import Usage
from spillscope.transcript.rows import ResultRow
from spillscope.window.thresholds import Window

Fate = Literal["full", "persisted", "replaced", "exempt", "placeholder", "image"]
Observed = Literal["inline", "persisted", "replaced", "cleared", "empty", "image", "pending"]
Cause = Literal["model", "idle", "replacement", "head", "unknown"]


class Result(NamedTuple):
    """One tool result, twice: what the transcript shows (`row`, `observed`) and what the engine decided.

    `state` is how the next request finds it; None for what is no candidate. `layer`: 1 or 2 where that layer changed it.
    `model_chars`, `model_tokens`: what the model gets of it under the engine's decision; `saw_…`: what the transcript
    shows that it got. `drift`: why the two differ, or None.
    """

    row: ResultRow
    state: State | None
    fate: Fate
    layer: int | None
    rule: str
    threshold: Threshold
    observed: Observed
    drift: str | None
    model_chars: int
    model_tokens: int
    saw_chars: int
    saw_tokens: int


class Group(NamedTuple):
    """One API-level user message, numbered from 0: its sums at the request it went out with, its results, and B7's picks.

    `assistant_id`: the response that it went out for; None while it waits. `timestamp`: of its newest result.
    `visible` counts what stays in full (exempt + frozen + unselected fresh). `picks` index into `results`.
    """

    number: int
    assistant_id: str | None
    timestamp: float | None
    limit: float
    frozen: int
    fresh: int
    reapplied: int
    exempt: int
    visible: int
    over_budget: bool
    chars: int
    model_chars: int
    results: tuple[Result, ...]
    picks: tuple[Pick, ...]


class CacheBreak(NamedTuple):
    """R6: `lost` tokens by which the cache read fell short of the previous one.

    `rewritten`: tokens that the cache had held and that were paid for anew. `cost`: what that cost over reading them, in base
    input tokens (R5). `about`: the ids whose replacement changed, where that is the cause.
    """

    lost: int
    cause: Cause
    rewritten: int = 0
    cost: float = 0.0
    about: tuple[str, ...] = ()


class Request(NamedTuple):
    """One real response of the main chain (R1). `estimate_before`: T4 just before it was sent.

    `segment`: which stretch between compactions it belongs to. `response`: its number in the index. `broken`: where it found
    the prompt cache broken. The groups that went out for it are those from `first_group` up to `end_group`: `spilled` of
    their results did not go in full; `over_budget` where one of them was.
    """

    assistant_id: str
    timestamp: float | None
    usage: Usage
    estimate_before: int
    model: str | None
    segment: int
    response: int
    broken: CacheBreak | None = None
    first_group: int = 0
    end_group: int = 0
    spilled: int = 0
    over_budget: bool = False


class SkippedLine(NamedTuple):
    """A line, or a part of one, that gave no record (S2). `line` counts from 1, `offset` in bytes."""

    line: int
    offset: int
    reason: str


class Compaction(NamedTuple):
    """A compaction boundary and the figures it states; None where it states none."""

    at: float | None
    trigger: str | None
    pre_tokens: int | None
    post_tokens: int | None


class Cut(NamedTuple):
    """Where the context began anew: `group` is the number of the first group after it.

    `compaction`: its number among the session's compactions; None for a `/clear`, or a rewind to before the first message.
    """

    group: int
    compaction: int | None


class Totals(NamedTuple):
    """Sums over all groups and the pending request, under the limits in force."""

    results: int = 0
    chars: int = 0
    visible_chars: int = 0
    persisted: int = 0
    replaced: int = 0
    tokens_saved: int = 0
    must_reapply: int = 0
    frozen: int = 0
    fresh: int = 0
    exempt: int = 0
    over_budget: int = 0
    drift: int = 0

    def plus(self, other: Totals) -> Totals:
        return Totals(*map(add, self, other))

    def minus(self, other: Totals) -> Totals:
        return Totals(*map(sub, self, other))


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """Who and where: the facts of the file and of its newest records. Texts are foreign; clean them where they are drawn.

    `bridged`: uuids of the messages whose parent is not in the file (S4).
    `restarts`: how often the file had to be read again from its start, because it was rewritten.
    """

    id: str
    path: str
    agent: str = "claude-code"
    version: str | None = None
    model: str | None = None
    cwd: str | None = None
    started: float | None = None
    last_write: float | None = None
    records: int = 0
    bytes: int = 0
    exists: bool = True
    skipped_lines: Sequence[SkippedLine] = ()
    unknown_types: tuple[tuple[str, int], ...] = ()
    compactions: tuple[Compaction, ...] = ()
    restarts: int = 0
    bridged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """T4 and W2: how full the window is. `exact_at`: when the exact part was measured."""

    tokens: int
    usage: int
    estimate: int
    anchor_uuid: str | None
    exact_at: float | None
    window: Window


@dataclass(frozen=True, slots=True)
class Reading:
    """A session as it stands. `version` grows with each change; equal versions of one session are equal readings.

    `live_from`: number of the first group of the current segment; earlier groups are out of the context unless a
    compaction kept them (`kept`). `cuts`: between which groups the context began anew, oldest first.
    `aggregate`: whether the budget is believed to be on, `evidence` why. `largest_usage`: of all responses (W1).
    `refusals`: how often in a row, up to now, the API has refused the context as too long.
    `at`: the request that is about to go out, where the reading shows the past; None where it shows the present.
    """

    version: int
    session: SessionInfo
    limits: Limits
    aggregate: bool
    evidence: str
    context: Context
    groups: Sequence[Group] = ()
    pending: Group | None = None
    requests: Sequence[Request] = ()
    totals: Totals = field(default_factory=Totals)
    live_from: int = 0
    kept: frozenset[int] = frozenset()
    cuts: tuple[Cut, ...] = ()
    largest_usage: int = 0
    refusals: int = 0
    at: int | None = None

    def is_live(self, group: Group) -> bool:
        """S4: whether a group is still in the context."""
        return group.number >= self.live_from or group.number in self.kept
