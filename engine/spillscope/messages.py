"""The two shapes of a message: a transcript record, or a plain API message. Lists may mix them.

A record is `{"type": "user" | "assistant", "message": {"content": …}, …}`, a plain message `{"role": …, "content": …}`. Both
are foreign JSON: nothing here fails on whatever else a list holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from spillscope.blocks import Block

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


def field_of(record: object, name: str) -> Any:
    """A record's own field; None where there is none, or no record."""
    return record.get(name) if isinstance(record, dict) else None


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


def result_id(block: object) -> str | None:
    """The id that a `tool_result` block answers; None for every other block."""
    if not isinstance(block, dict) or block.get("type") != "tool_result":
        return None
    found = block.get("tool_use_id")
    return found if isinstance(found, str) else None


def tool_results(messages: Iterable[object]) -> Iterator[tuple[str, Block]]:
    """Every `tool_result` of user messages that has an id, in order, with that id.

    Agents ask this of all their messages before each request, so it is written out: `message_kind`, `content_blocks` and
    `result_id` in one.
    """
    for message in messages:
        if not isinstance(message, dict):
            continue
        kind = message.get("type")
        if kind is None or kind == "message":
            kind = message.get("role")
        if kind != "user":
            continue
        body = message.get("message")
        content = (body if isinstance(body, dict) else message).get("content")
        for block in content if isinstance(content, list) else ():
            if isinstance(block, dict) and block.get("type") == "tool_result":
                tool_use_id = block.get("tool_use_id")
                if isinstance(tool_use_id, str):
                    yield tool_use_id, block


def with_results(messages: list[Message], contents: Mapping[str, str]) -> list[Message]:
    """The messages with another content for every result whose id is a key; the same list where there is none.

    Only what changes is copied: a message, its content list, the block.
    """
    changed: dict[int, list[Any]] = {}
    for at, message in enumerate(messages if contents else ()):
        blocks = content_blocks(message) if message_kind(message) == "user" else []
        ids = [result_id(block) for block in blocks]
        if not contents.keys().isdisjoint(ids):
            changed[at] = [
                {**block, "content": contents[found]} if found is not None and found in contents else block
                for block, found in zip(blocks, ids, strict=True)
            ]
    if not changed:
        return messages
    return [with_content(message, changed[at]) if at in changed else message for at, message in enumerate(messages)]
