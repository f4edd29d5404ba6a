"""The small values that an index keeps beside its columns, and how they are read from a record."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from spillscope.tokens.usage import NO_USAGE
from spillscope.transcript.rows import Notice


class Replacement(NamedTuple):
    """A recorded replacement: units and tokens (T3) of its text, the notice in it, where its record stands, the text's hash."""

    chars: int
    tokens: int
    notice: Notice | None
    offset: int = 0
    length: int = 0
    digest: int = 0


class Change(NamedTuple):
    """A replacement that came when its result had been sent already, before member number `before`."""

    before: int
    tool_use_id: str


class Boundary(NamedTuple):
    """A compaction boundary: uuids of its `preservedSegment` and `logicalParentUuid`, and the figures that it states."""

    logical_parent: str | None
    head: str | None
    anchor: str | None
    tail: str | None
    at: float | None
    trigger: str | None
    pre_tokens: int | None
    post_tokens: int | None


class Response:
    """One API response, gathered from the records that share its `message.id`."""

    __slots__ = ("call_members", "calls", "id", "members", "model", "synthetic", "usage")

    def __init__(self, message_id: str, model: str | None, synthetic: bool) -> None:
        self.id, self.model, self.synthetic = message_id, model, synthetic
        self.usage = NO_USAGE
        self.members: list[int] = []
        self.calls: tuple[str, ...] = ()
        self.call_members: tuple[int, ...] = ()  # which member made each


def read_stamp(value: object) -> float:
    """Seconds since the epoch; NaN where there is no readable timestamp."""
    if isinstance(value, str):
        try:
            seconds = datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return _NO_TIME
        if _FIRST_SECOND <= seconds <= _LAST_SECOND:
            return seconds
    return _NO_TIME


_NO_TIME = float("nan")
_FIRST_SECOND, _LAST_SECOND = -62_135_596_800, 253_402_300_799
"""What can be shown as a date in UTC: years 1 to 9999."""


def read_boundary(record: dict[str, Any], at: float) -> Boundary:
    meta = record.get("compactMetadata")
    meta = meta if isinstance(meta, dict) else {}
    kept = meta.get("preservedSegment")
    kept = kept if isinstance(kept, dict) else {}
    return Boundary(
        _text(record.get("logicalParentUuid")) or _text(record.get("parentUuid")),
        _text(kept.get("headUuid")),
        _text(kept.get("anchorUuid")),
        _text(kept.get("tailUuid")),
        None if at != at else at,
        _text(meta.get("trigger")),
        _number(meta.get("preTokens")),
        _number(meta.get("postTokens")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e15 else None
