"""T4, T5: how full the window is, from the last usage that counts and an estimate of what came after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from spillscope.messages import Message, message_body, message_id, message_kind
from spillscope.tokens.rough import estimate_content
from spillscope.tokens.synthetic import is_synthetic
from spillscope.tokens.usage import NO_USAGE, Usage, get_token_count_from_usage, read_usage

__all__ = [
    "HybridCount",
    "get_token_count_from_usage",
    "message_token_count_from_last_api_response",
    "rough_token_count_estimation_for_messages",
    "token_count_from_last_api_response",
    "token_count_with_estimation",
]


class HybridCount(NamedTuple):
    """T4, in tokens. `anchor_index`: of the message after which everything is estimated; None where no usage counts."""

    total: int
    usage: int
    estimate: int
    anchor_index: int | None


def token_count_with_estimation(messages: Sequence[object]) -> HybridCount:
    """T4: usage of the last real response, plus the rough estimate of everything after its first record.

    `messages`: transcript records or plain API messages in model order. Where they hold a compaction boundary, what stands
    before the last one is out of the context, but for what the boundary says it kept; no usage older than it counts.
    """
    view = _after_compaction(messages)
    found = _last_usage(messages, view.first_new)
    if found is None:
        kept = sum(_estimate(messages[at]) for at in view.kept)
        estimate = kept + sum(map(_estimate, messages[view.first :]))
        return HybridCount(estimate, 0, estimate, None)
    at, usage = found
    anchor = _first_of_response(messages, at, view.first_new)
    estimate = sum(map(_estimate, messages[anchor + 1 :]))
    return HybridCount(usage.total + estimate, usage.total, estimate, anchor)


def rough_token_count_estimation_for_messages(messages: Sequence[object]) -> int:
    """T3: tokens of user and assistant messages; other records count 0."""
    return sum(map(_estimate, messages))


def token_count_from_last_api_response(messages: Sequence[object]) -> int:
    """T5: T1 of the last usage alone; 0 without one.

    Not for thresholds or for the gauge: it misses everything that came after that response. Use
    `token_count_with_estimation` there.
    """
    return _newest_usage(messages).total


def message_token_count_from_last_api_response(messages: Sequence[object]) -> int:
    """T5: output tokens of the last usage alone; 0 without one.

    Not for thresholds or for the gauge: it is the size of one answer, not of the context; nor for sums over a session, as
    early records of a split response carry a start value.
    """
    return _newest_usage(messages).output


def _newest_usage(messages: Sequence[object]) -> Usage:
    found = _last_usage(messages, _after_compaction(messages).first_new)
    return NO_USAGE if found is None else found[1]


class _View(NamedTuple):
    """What is in the context: everything from `first` on, and the `kept` messages before it. Usage counts from `first_new`."""

    first: int
    first_new: int
    kept: tuple[int, ...]


def _after_compaction(messages: Sequence[object]) -> _View:
    boundary = None
    for behind, record in enumerate(reversed(messages), 1):
        if isinstance(record, dict) and record.get("subtype") == "compact_boundary" and record.get("type") == "system":
            boundary = len(messages) - behind
            break
    if boundary is None:
        return _View(0, 0, ())
    kept = _kept(messages, messages[boundary])
    after = boundary + 1
    return _View(after, max((at + 1 for at in kept if at > boundary), default=after), tuple(at for at in kept if at < boundary))


def _kept(messages: Sequence[object], boundary: object) -> list[int]:
    """Where the messages stand that a compaction kept, as its metadata names them: they are older than the boundary."""
    metadata = boundary.get("compactMetadata") if isinstance(boundary, dict) else None
    if not isinstance(metadata, dict):
        return []
    places = {record["uuid"]: at for at, record in _with_uuid(messages)}
    named = metadata.get("preservedMessages")
    uuids = named.get("uuids") if isinstance(named, dict) else None
    at = {places[uuid] for uuid in uuids if isinstance(uuid, str) and uuid in places} if isinstance(uuids, list) else set()
    segment = metadata.get("preservedSegment")
    if isinstance(segment, dict):
        head, tail = (
            places.get(uuid) if isinstance(uuid, str) else None for uuid in map(segment.get, ("headUuid", "tailUuid"))
        )
        if tail is not None:
            at.update(range(tail if head is None else head, tail + 1))
    return sorted(at)


def _with_uuid(messages: Sequence[object]) -> Iterator[tuple[int, Message]]:
    for at, record in enumerate(messages):
        if isinstance(record, dict) and isinstance(record.get("uuid"), str):
            yield at, record


def _last_usage(messages: Sequence[object], first: int) -> tuple[int, Usage] | None:
    """The last usage that counts, from `first` on, and where it stands. Synthetic records and empty usage do not count."""
    for at in range(len(messages) - 1, first - 1, -1):
        record = messages[at]
        if isinstance(record, dict) and message_kind(record) == "assistant" and not is_synthetic(record):
            usage = read_usage(message_body(record).get("usage"))
            if usage.total:
                return at, usage
    return None


def _first_of_response(messages: Sequence[object], at: int, first: int) -> int:
    """The anchor correction of T4: back over the records of one split response and what stands between them."""
    record = messages[at]
    response = message_id(record) if isinstance(record, dict) else None
    if response is None:
        return at
    anchor = at
    for index in range(at - 1, first - 1, -1):
        found = _response_id(messages[index])
        if found == response:
            anchor = index
        elif found is not None:
            break
    return anchor


def _response_id(record: object) -> str | None:
    return message_id(record) if isinstance(record, dict) and message_kind(record) == "assistant" else None


def _estimate(record: object) -> int:
    if isinstance(record, dict) and message_kind(record) is not None:
        return estimate_content(message_body(record).get("content"))
    return 0
