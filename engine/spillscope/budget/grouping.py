"""Messages → groups of candidates, for the active side (spec B1, B2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from spillscope.blocks import Block, content_size, has_image, is_writable
from spillscope.budget.decide import Candidate
from spillscope.messages import content_blocks, message_id, message_kind
from spillscope.wrapper import PERSISTED_TAG


class Place(NamedTuple):
    """Where a candidate stands: the index of its message in the list, and of its block in the content."""

    message: int
    block: int


class Group(NamedTuple):
    """B2: the candidates of one API-level user message, in order, and the place of each."""

    candidates: tuple[Candidate, ...]
    places: tuple[Place, ...]


def is_candidate(block: object) -> bool:
    """B1: whether the budget looks at a content block. What it says no to is neither counted nor learned."""
    if not isinstance(block, dict) or block.get("type") != "tool_result" or not isinstance(block.get("tool_use_id"), str):
        return False
    content = block.get("content")
    if isinstance(content, str):
        return content != "" and not content.startswith(PERSISTED_TAG)
    return isinstance(content, list) and content != [] and not has_image(content)


def collect_candidates_by_message(messages: Sequence[object]) -> list[Group]:
    """B2: one pass; only an assistant message with an id not met before closes a group.

    `messages`: transcript records and plain API messages, mixed as they come. An assistant message without an id counts as
    a new one; records of every other kind do nothing.
    """
    tools = tool_names(messages)
    groups: list[Group] = []
    met: set[str] = set()
    candidates: list[Candidate] = []
    places: list[Place] = []

    def close() -> None:
        if candidates:
            groups.append(Group(tuple(candidates), tuple(places)))
            candidates.clear()
            places.clear()

    for at, message in enumerate(messages):
        kind = message_kind(message)
        if kind == "user":
            for place, block in _candidate_blocks(at, message):
                candidates.append(_candidate(block, tools))
                places.append(place)
        elif kind == "assistant":
            assert isinstance(message, dict)
            response = message_id(message)
            if response is None or response not in met:
                close()
            if response is not None:
                met.add(response)
    close()
    return groups


def group_of(messages: Sequence[object], results: Iterable[tuple[Place, Block]]) -> Group:
    """A group of those of the `tool_result` blocks that are candidates."""
    found = [(place, block) for place, block in results if is_candidate(block)]
    tools = _names_of(messages, {block["tool_use_id"] for _, block in found})
    return Group(tuple(_candidate(block, tools) for _, block in found), tuple(place for place, _ in found))


def tool_names(messages: Sequence[object]) -> dict[str, str]:
    """The tool that each `tool_use` id called. A call whose id or name is no string tells nothing."""
    return dict(pair for message in messages for pair in _calls(message))


def _names_of(messages: Sequence[object], wanted: set[str]) -> dict[str, str]:
    """The same for some ids only, from the end on: the last call of an id counts, and new results answer new calls."""
    names: dict[str, str] = {}
    for message in reversed(messages):
        if len(names) == len(wanted):
            break
        for tool_use_id, name in _calls(message)[::-1]:
            if tool_use_id in wanted:
                names.setdefault(tool_use_id, name)
    return names


def _calls(message: object) -> list[tuple[str, str]]:
    """Id and name of each call in an assistant message."""
    calls: list[tuple[str, str]] = []
    for block in content_blocks(message) if isinstance(message, dict) and message_kind(message) == "assistant" else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            tool_use_id, name = block.get("id"), block.get("name")
            if isinstance(tool_use_id, str) and isinstance(name, str):
                calls.append((tool_use_id, name))
    return calls


def _candidate_blocks(at: int, message: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    for index, block in enumerate(content_blocks(message)):
        if is_candidate(block):
            yield Place(at, index), block


def _candidate(block: dict[str, Any], tools: dict[str, str]) -> Candidate:
    tool_use_id, content = block["tool_use_id"], block["content"]
    return Candidate(tool_use_id, tools.get(tool_use_id), content_size(content), is_writable(content))
