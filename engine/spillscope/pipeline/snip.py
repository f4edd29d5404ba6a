"""Stage 2, `history_snip`: takes records out of the history that a `snip_boundary` names (spec W6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spillscope.messages import Message, field_of
from spillscope.tokens.hybrid import rough_token_count_estimation_for_messages, token_count_with_estimation

SNIP_SUBTYPE = "snip_boundary"


@dataclass(frozen=True, slots=True)
class SnipContext:
    """`freed`: T3 tokens that each boundary took out, by its uuid; the stage's own memory."""

    enabled: bool = True
    freed: dict[str, int] = field(default_factory=dict)


class SnipReport(NamedTuple):
    """`removed`: uuids taken out in this run. `freed_tokens`: what the last usage counts and the messages hold no longer."""

    removed: tuple[str, ...] = ()
    freed_tokens: int = 0


def history_snip(messages: list[Message], context: SnipContext) -> tuple[list[Message], SnipReport]:
    """The messages without those that a boundary among them names; the boundaries stay.

    What a boundary frees is subtracted from T4 for as long as the usage that T4 rests on is older than the boundary, also where
    the caller keeps the shorter history and asks again.
    """
    found = [at for at, record in enumerate(messages) if isinstance(record, dict) and record.get("subtype") == SNIP_SUBTYPE]
    if not found or not context.enabled:
        return messages, SnipReport()
    removed: list[str] = []
    for at in found:
        gone = _named(messages, messages[at])
        removed += gone
        if gone:
            _remember(context, messages, messages[at], frozenset(gone))
    left = without(messages, frozenset(removed))
    anchor = token_count_with_estimation(messages).anchor_index
    freed = sum(context.freed.get(_uuid(messages[at]), 0) for at in found if anchor is not None and at > anchor)
    return left, SnipReport(tuple(dict.fromkeys(removed)), freed)


def without(messages: list[Message], uuids: frozenset[str]) -> list[Message]:
    """The messages but for those; the same list where none is among them."""
    left = [message for message in messages if field_of(message, "uuid") not in uuids]
    return messages if len(left) == len(messages) else left


def named_by(boundary: Message) -> list[str]:
    """The uuids that a boundary names; none where its shape is foreign (S3)."""
    metadata = boundary.get("snipMetadata")
    uuids = metadata.get("removedUuids") if isinstance(metadata, dict) else None
    return [uuid for uuid in uuids if isinstance(uuid, str)] if isinstance(uuids, list) else []


def _named(messages: Sequence[Message], boundary: Message) -> list[str]:
    here = {field_of(message, "uuid") for message in messages}
    return [uuid for uuid in named_by(boundary) if uuid in here]


def _remember(context: SnipContext, messages: Sequence[Message], boundary: Message, gone: frozenset[str]) -> None:
    """Only what stands before the anchor is in the usage: the rest leaves the estimate by itself."""
    anchor = token_count_with_estimation(messages).anchor_index
    before = messages[: anchor + 1] if anchor is not None else ()
    counted = [message for message in before if field_of(message, "uuid") in gone]
    context.freed.setdefault(_uuid(boundary), rough_token_count_estimation_for_messages(counted))


def _uuid(boundary: Message) -> str:
    found = boundary.get("uuid")
    return found if isinstance(found, str) else " ".join(named_by(boundary))
