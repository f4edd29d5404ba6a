"""The records of a compaction, for callers who keep no transcript of their own (spec W7)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from spillscope.messages import Message, field_of, message_body


class CompactionRecords(Protocol):
    """Makes the two records of a compaction, and keeps them where the caller keeps its history.

    `TranscriptWriter.compaction` is one: it appends both to the transcript. What it raises makes the compaction fail.
    """

    def __call__(
        self, summary: str, pre_tokens: int, post_tokens: int | None = None, trigger: str = "auto", *, kept: Sequence[Message]
    ) -> tuple[Message, Message]:
        """The boundary, and the summary as the model is to see it. `kept`: the messages that stay whole after it."""


def new_records(
    summary: str, pre_tokens: int, post_tokens: int | None = None, trigger: str = "auto", *, kept: Sequence[Message] = ()
) -> tuple[Message, Message]:
    """Records that hang on nothing but each other."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    boundary_uuid, summary_uuid = str(uuid.uuid4()), str(uuid.uuid4())
    boundary: Message = {
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "level": "info",
        "parentUuid": None,
        "uuid": boundary_uuid,
        "timestamp": now,
        "compactMetadata": compact_metadata(pre_tokens, post_tokens, trigger, kept, summary_uuid),
    }
    said: Message = {
        "type": "user",
        "message": {"role": "user", "content": summary},
        "parentUuid": boundary_uuid,
        "uuid": summary_uuid,
        "timestamp": now,
        "isCompactSummary": True,
        "isVisibleInTranscriptOnly": True,
    }
    return boundary, said


def compact_metadata(
    pre_tokens: int, post_tokens: int | None, trigger: str, kept: Sequence[Message], anchor_uuid: str
) -> dict[str, Any]:
    """A boundary's `compactMetadata`; what was kept is named by uuid, where it has any (S4)."""
    metadata: dict[str, Any] = {"trigger": trigger, "preTokens": pre_tokens}
    if post_tokens is not None:
        metadata["postTokens"] = post_tokens
    uuids = [uuid for message in kept if isinstance(uuid := field_of(message, "uuid"), str)]
    if uuids:
        metadata["preservedSegment"] = {"headUuid": uuids[0], "anchorUuid": anchor_uuid, "tailUuid": uuids[-1]}
    return metadata


def without_usage(message: Message) -> Message:
    """A kept message that no boundary can name by uuid, without its usage, which must never anchor again (T4)."""
    body = message_body(message)
    if isinstance(message.get("uuid"), str) or "usage" not in body:
        return message
    bare = {name: value for name, value in body.items() if name != "usage"}
    return bare if body is message else {**message, "message": bare}
