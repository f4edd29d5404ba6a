"""R6: where the prompt cache broke, the likeliest cause, and what it cost (R5)."""

from __future__ import annotations

from typing import Protocol

from spillscope.session.reading import CacheBreak, Cause, Request
from spillscope.tokens.usage import Usage

BREAK_RATIO = 0.95
BREAK_TOKENS = 2_000
SHORT_TTL_SECONDS = 5 * 60
LONG_TTL_SECONDS = 60 * 60
READ_PRICE, INPUT_PRICE, SHORT_WRITE_PRICE, LONG_WRITE_PRICE = 0.1, 1.0, 1.25, 2.0
"""R5, in base input tokens."""


class Requests(Protocol):
    """The requests of a session, by number."""

    def __getitem__(self, at: int, /) -> Request: ...


def previous_request(requests: Requests, at: int) -> int | None:
    """The request that a request's cache read is held against: the last one with usage before it in its segment."""
    segment = requests[at].segment
    while at > 0:
        at -= 1
        before = requests[at]
        if before.segment != segment:
            return None
        if before.usage.total:
            return at
    return None


def has_fallen(then: Usage, now: Usage) -> bool:
    """R6: whether a cache read fell by so much that the cache was broken, if nothing else explains it."""
    read, was = now.cache_read, then.cache_read
    return was - read >= BREAK_TOKENS and read < was * BREAK_RATIO and now.total > 0


def find_break(requests: Requests, before: int, at: int, changed: tuple[str, ...] = ()) -> CacheBreak | None:
    """Whether the request `at` found the cache broken that the request `before` had left; None where it did not.

    `changed`: the ids of results whose bytes differ from what `before` carried. Costs one step, and at a break as many as
    lead back to the request that wrote what was lost.
    """
    then, now = requests[before].usage, requests[at].usage
    if not has_fallen(then, now):
        return None
    cause = _cause(requests, before, at, changed)
    read, was = now.cache_read, then.cache_read
    rewritten = min(was + then.cache_creation, now.prompt) - read
    return CacheBreak(was - read, cause, rewritten, _cost(now, rewritten), changed if cause == "replacement" else ())


def _cause(requests: Requests, before: int, at: int, changed: tuple[str, ...]) -> Cause:
    then, now = requests[before], requests[at]
    if then.model != now.model:
        return "model"
    pause = None if then.timestamp is None or now.timestamp is None else now.timestamp - then.timestamp
    if pause is not None and pause > SHORT_TTL_SECONDS and pause > _time_to_live(requests, at, now.usage.cache_read):
        return "idle"
    if changed:
        return "replacement"
    return "unknown" if now.usage.cache_read else "head"


def _time_to_live(requests: Requests, at: int, read: int) -> int:
    """Seconds that the first token which was lost was to live: as the request set it that wrote it.

    A request writes behind what it reads, the part that lives long before the other. What no request of the segment wrote is
    taken to live as long as the oldest part that one did.
    """
    ttl = SHORT_TTL_SECONDS
    place = previous_request(requests, at)
    while place is not None:
        usage = requests[place].usage
        if usage.cache_read <= read:
            return LONG_TTL_SECONDS if read < usage.cache_read + usage.cache_1h else SHORT_TTL_SECONDS
        if usage.cache_creation:
            ttl = LONG_TTL_SECONDS if usage.cache_1h else SHORT_TTL_SECONDS
        place = previous_request(requests, place)
    return ttl


def _cost(usage: Usage, rewritten: int) -> float:
    """What `rewritten` tokens cost over reading them: first those that were written to the cache, then plain input."""
    written = min(rewritten, usage.cache_creation)
    long = written * usage.cache_1h / (usage.cache_5m + usage.cache_1h) if usage.cache_1h else 0.0
    paid = long * LONG_WRITE_PRICE + (written - long) * SHORT_WRITE_PRICE + (rewritten - written) * INPUT_PRICE
    return paid - rewritten * READ_PRICE
