"""The two shapes of a message: a transcript record, or a plain API message. Lists may mix them.

A record is `{"type": "user" | "assistant", "message": {"content": …}, …}`, a plain message `{"role": …, "content": …}`. Both
are foreign JSON: nothing here fails on whatever else a list holds.
"""

from __future__ import annotations

from typing import Any, Literal

Message = dict[str, Any]
Kind = Literal["user", "assistant"]


def message_kind(record: object) -> Kind | None:
    """Who speaks; None for progress, system, attachment and whatever else is no message."""
    if not isinstance(record, dict):
        return None
    kind = record.get("type")
    if kind is None or kind == "message":  # a plain message has no type; an API response's is "message"
        kind = record.get("role")
    return kind if kind == "user" or kind == "assistant" else None


def message_body(record: Message) -> Message:
    """The object that holds the content: a record's `message`, or the plain message itself."""
    body = record.get("message")
    return body if isinstance(body, dict) else record


def message_id(record: Message) -> str | None:
    """The response's id, which the records of a split response share; None where there is none."""
    found = message_body(record).get("id")
    return found if isinstance(found, str) else None


def content_blocks(record: Message) -> list[Any]:
    """The message's content blocks; none where its content is no list."""
    content = message_body(record).get("content")
    return content if isinstance(content, list) else []


def with_content(record: Message, content: list[Any]) -> Message:
    """A copy of the message with other content; everything else in it is shared with the original."""
    body = record.get("message")
    if isinstance(body, dict):
        return {**record, "message": {**body, "content": content}}
    return {**record, "content": content}
