"""Transcript records → messages that the API takes, to count them or to send them (spec T6, S5).

Agents keep more than they send: fields of their own, a record a block, calls that nobody answered. The API refuses all that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from spillscope.blocks import Block, is_blank
from spillscope.messages import Kind, Message, message_body, message_id, message_kind
from spillscope.tokens.exact import DUMMY_MESSAGE

_FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("text",),
    "image": ("source",),
    "document": ("source", "title", "context"),
    "tool_use": ("id", "name", "input"),
    "tool_result": ("tool_use_id", "content", "is_error"),
    "thinking": ("thinking", "signature"),
    "redacted_thinking": ("data",),
}
"""The blocks that any model takes back, and their fields."""
_SPOKEN_BY: Mapping[str, Kind] = {
    **dict.fromkeys(("image", "document", "tool_result"), "user"),
    **dict.fromkeys(("tool_use", "thinking", "redacted_thinking"), "assistant"),
}
"""Where a block of that type may stand; text, in both."""


class ApiMessages(NamedTuple):
    """`messages`: as a request carries them; `left_out`: blocks that it can't carry."""

    messages: list[Message]
    left_out: int


class _Turn(NamedTuple):
    role: Kind
    blocks: list[Block]


def api_messages(records: Iterable[object]) -> ApiMessages:
    """Records, or plain messages, in model order, as one request's messages.

    The records of a response are one message again, and so is what answers it, results first. Left out: API errors, blocks of
    types that not every model takes, blank text, unsigned thinking, calls without a result, and results without a call.
    """
    turns: list[_Turn] = []
    of_response: dict[str, _Turn] = {}
    blocks = 0
    for record in records:
        kind = message_kind(record)
        if kind is None or not isinstance(record, dict) or record.get("isApiErrorMessage"):
            continue
        content = _listed(message_body(record).get("content"))
        blocks += len(content)
        _turn_of(record, kind, turns, of_response).blocks.extend(_sendable(content, kind))
    _pair(turns)
    messages: list[Message] = [{"role": turn.role, "content": turn.blocks} for turn in turns if turn.blocks]
    left_out = blocks - sum(len(turn.blocks) for turn in turns)
    if messages and messages[0]["role"] == "assistant":
        messages.insert(0, DUMMY_MESSAGE)
    if messages and messages[-1]["role"] == "assistant":  # the next request ends in a user's words
        messages.append(DUMMY_MESSAGE)
    return ApiMessages(messages, left_out)


def _turn_of(record: Message, kind: Kind, turns: list[_Turn], of_response: dict[str, _Turn]) -> _Turn:
    """Where a record's blocks belong: a response's first turn, the user's open turn, or a new one."""
    response = message_id(record) if kind == "assistant" else None
    known = of_response.get(response) if response is not None else None
    if known is not None:
        return known
    if kind == "user" and turns and turns[-1].role == "user":
        return turns[-1]
    turn = _Turn(kind, [])
    turns.append(turn)
    if response is not None:
        of_response[response] = turn
    return turn


def _listed(content: object) -> Sequence[object]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}] if content else []
    return content if isinstance(content, list) else []


def _sendable(content: Iterable[object], role: Kind) -> Iterable[Block]:
    for block in content:
        kind = block.get("type") if isinstance(block, dict) else None
        if not isinstance(block, dict) or not isinstance(kind, str) or kind not in _FIELDS or not _is_taken(block, kind):
            continue
        if _SPOKEN_BY.get(kind, role) != role:
            continue
        sent = {"type": kind} | {name: block[name] for name in _FIELDS[kind] if block.get(name) is not None}
        if kind == "tool_use" and not isinstance(sent.get("input"), dict):
            sent["input"] = {}
        if isinstance(sent.get("content"), list):
            sent["content"] = list(_sendable(sent["content"], role))
        yield sent


def _is_taken(block: Block, kind: str) -> bool:
    match kind:
        case "text":
            return isinstance(block.get("text"), str) and not is_blank(block["text"])
        case "thinking":
            return isinstance(block.get("thinking"), str) and bool(block.get("signature"))
        case "tool_use":
            return isinstance(block.get("id"), str) and isinstance(block.get("name"), str)
        case "tool_result":
            return isinstance(block.get("tool_use_id"), str)
        case _:
            return True


def _pair(turns: Sequence[_Turn]) -> None:
    """Every call has its result in the next turn, and every result its call in the one before, each once; results first."""
    called: set[str] = set()
    for at, turn in enumerate(turns):
        if turn.role == "assistant":
            answers = _first(turns[at + 1], "tool_result") if at + 1 < len(turns) else {}
            calls = {name: call for name, call in _first(turn, "tool_use").items() if name in answers and name not in called}
            called.update(calls)
            turn.blocks[:] = [block for block in turn.blocks if block["type"] != "tool_use" or block is calls.get(block["id"])]
        else:
            calls = _first(turns[at - 1], "tool_use") if at else {}
            results = [block for name, block in _first(turn, "tool_result").items() if name in calls]
            turn.blocks[:] = [*results, *(block for block in turn.blocks if block["type"] != "tool_result")]


def _first(turn: _Turn, kind: Literal["tool_use", "tool_result"]) -> dict[str, Block]:
    """The first block of a kind for each id."""
    found: dict[str, Block] = {}
    for block in turn.blocks:
        if block["type"] == kind:
            found.setdefault(block["id" if kind == "tool_use" else "tool_use_id"], block)
    return found
