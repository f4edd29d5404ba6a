"""W2, W3: the compactions that were observed, held against the rule, and those that should have come."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import takewhile
from operator import attrgetter
from typing import Literal, NamedTuple

from spillscope.session.reading import Compaction, Reading, Request
from spillscope.window.models import resolve_window

Verdict = Literal["expected", "early", "late", "manual", "unknown"]

STRAYS = 0.05
"""A compaction is where it was expected when its count is within this share of the mark."""
REFILL_TURNS = 3
"""W3: a context that is full again after so many turns was refilled."""
IN_A_ROW = 3
"""W3: so many refills in a row are thrashing; so many failures in a row stop the automatic compactions."""

_segment = attrgetter("segment")


class JudgedCompaction(NamedTuple):
    """A compaction, and whether it came where W2 has it.

    `tokens`: where the context stood, as the boundary states it, or else by the last usage before; None where neither does.
    `expected`: the auto-compact mark of the window then. `turns`: requests since the context began; `refill`: they were few,
    and it had begun with a compaction. `assistant_id`: the response before it; None where none is known.
    """

    number: int
    verdict: Verdict
    tokens: int | None
    expected: int
    turns: int
    refill: bool
    assistant_id: str | None


def judge_compactions(reading: Reading) -> tuple[JudgedCompaction, ...]:
    """Every compaction of a session, in the order of the file."""
    ended = {cut.compaction: segment for segment, cut in enumerate(reading.cuts) if cut.compaction is not None}
    return tuple(
        _judge(reading, number, compaction, ended.get(number)) for number, compaction in enumerate(reading.session.compactions)
    )


def thrashing(judged: tuple[JudgedCompaction, ...]) -> tuple[JudgedCompaction, ...]:
    """W3: the newest refills in a row, where they are thrashing."""
    row = tuple(takewhile(lambda compaction: compaction.refill, reversed(judged)))
    return row[::-1] if len(row) >= IN_A_ROW else ()


def overdue(reading: Reading) -> int:
    """How many requests in a row, up to now, went out with a context at or over the mark at which W2 would have compacted."""
    window = reading.context.window
    if not window.auto_compact_enabled or reading.context.tokens < window.auto_compact:
        return 0
    newest = takewhile(lambda request: request.segment == len(reading.cuts), reversed(reading.requests))
    return sum(1 for _ in takewhile(lambda request: request.estimate_before >= window.auto_compact, newest))


def stopped(reading: Reading) -> bool:
    """W3: whether so many refusals stand in a row that the automatic compactions have likely stopped."""
    return reading.refusals >= IN_A_ROW


def _judge(reading: Reading, number: int, compaction: Compaction, segment: int | None) -> JudgedCompaction:
    last, turns = _ended_with(reading, segment) if segment is not None else (None, 0)
    tokens = compaction.pre_tokens
    if tokens is None and last is not None:
        tokens = last.usage.total or None
    model = last.model if last is not None else reading.session.model
    expected = resolve_window(model, reading.largest_usage, reading.limits).auto_compact
    began = reading.cuts[segment - 1].compaction if segment else None
    return JudgedCompaction(
        number,
        _verdict(compaction.trigger, tokens, expected),
        tokens,
        expected,
        turns,
        began is not None and compaction.trigger == "auto" and turns <= REFILL_TURNS,
        last.assistant_id if last is not None else None,
    )


def _ended_with(reading: Reading, segment: int) -> tuple[Request | None, int]:
    """The last request of a segment, and how many it had."""
    first = bisect_left(reading.requests, segment, key=_segment)
    end = bisect_right(reading.requests, segment, key=_segment)
    return (reading.requests[end - 1] if end > first else None), end - first


def _verdict(trigger: str | None, tokens: int | None, expected: int) -> Verdict:
    if trigger == "manual":
        return "manual"
    if trigger != "auto" or tokens is None:
        return "unknown"
    if abs(tokens - expected) <= STRAYS * expected:
        return "expected"
    return "early" if tokens < expected else "late"
