"""T3, T8: the texts that count in a message's content, for an estimate that reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from spillscope.javascript import stringify
from spillscope.tokens.rough import IMAGE_TOKENS

_MODEL_SEES = frozenset({"content", "snippet", "prompt", "addedLines"})
"""Fields of an attachment that are put before the model."""


def texts(content: object) -> Iterator[str | int]:
    """What counts in a content, block by block as T3 has it, however deep: a text, or the flat number of tokens of an image."""
    for item in leaves(content):
        yield item if isinstance(item, str) else _block(item)


def leaves(content: object) -> Iterator[str | Mapping[str, Any]]:
    """The blocks of a content in their order, and in place of each result what stands in it."""
    left = [content]
    while left:
        item = left.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            left.extend(block for block in reversed(item) if isinstance(block, (dict, list)))
        elif isinstance(item, dict):
            if item.get("type") == "tool_result":
                left.append(item.get("content"))
            else:
                yield item


def _block(block: Mapping[str, Any]) -> str | int:
    match block.get("type"):
        case "text":
            return _field(block, "text")
        case "thinking":
            return _field(block, "thinking")
        case "redacted_thinking":
            return _field(block, "data")
        case "tool_use":
            return _field(block, "name") + _json(block.get("input", {}))
        case "image" | "document":
            return IMAGE_TOKENS
        case _:
            return _json(block)


def _field(block: Mapping[str, Any], name: str) -> str:
    value = block.get(name)
    return value if isinstance(value, str) else ""


def _json(value: object) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a lone surrogate, an integer beyond 64 bits, or nesting that orjson refuses
        return stringify(value)


def attachment_texts(attachment: object) -> Iterator[str]:
    """The texts of an attachment that the model sees: T3 leaves them out, the fitted estimate does not (T9)."""
    left = [(attachment, False)]
    while left:
        item, seen = left.pop()
        if isinstance(item, str) and seen:
            yield item
        elif isinstance(item, dict):
            left.extend((value, seen or name in _MODEL_SEES) for name, value in reversed(item.items()) if name != "type")
        elif isinstance(item, list):
            left.extend((value, seen) for value in reversed(item))
