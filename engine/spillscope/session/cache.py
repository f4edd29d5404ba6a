"""R6: where the prompt cache broke, and the likeliest cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from spillscope.session.reading import Request

Cause = Literal["model", "idle", "head", "unknown"]

BREAK_RATIO = 0.95
BREAK_TOKENS = 2_000
SHORT_TTL_SECONDS = 5 * 60
LONG_TTL_SECONDS = 60 * 60


class CacheBreak(NamedTuple):
    """`lost`: tokens by which the cache read fell short of the previous one."""

    lost: int
    cause: Cause


def cache_breaks(requests: Sequence[Request]) -> Iterator[CacheBreak | None]:
    """For each request in order: its break, or None. A read that fell right after a compaction is none."""
    previous: Request | None = None
    for request in requests:
        yield _break(previous, request) if previous is not None and previous.segment == request.segment else None
        if request.usage.total:
            previous = request


def _break(before: Request, now: Request) -> CacheBreak | None:
    read, was = now.usage.cache_read, before.usage.cache_read
    if not now.usage.total or read >= was * BREAK_RATIO or was - read < BREAK_TOKENS:
        return None
    return CacheBreak(was - read, _cause(before, now))


def _cause(before: Request, now: Request) -> Cause:
    if before.model != now.model:
        return "model"
    ttl = LONG_TTL_SECONDS if before.usage.cache_1h else SHORT_TTL_SECONDS
    if before.timestamp is not None and now.timestamp is not None and now.timestamp - before.timestamp > ttl:
        return "idle"
    return "unknown" if now.usage.cache_read else "head"
