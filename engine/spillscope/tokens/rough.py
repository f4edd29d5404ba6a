"""T2, T3: the agents' own rough estimate, 4 units a token, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from spillscope.blocks import units
from spillscope.javascript import js_number, stringify

IMAGE_TOKENS = 2_000
"""L5: an image or a document, whatever its data."""
UNITS_PER_TOKEN = 4
_EXACT = 2**53
"""Integers up to here print alike everywhere."""
DENSE_FILE_TYPES = frozenset({"json", "jsonl", "jsonc"})


def rough_token_count(count: int, bytes_per_token: int = UNITS_PER_TOKEN) -> int:
    """T2 for a known number of units: rounded half up."""
    return (2 * count + bytes_per_token) // (2 * bytes_per_token)


def rough_token_count_estimation(text: str, bytes_per_token: int = UNITS_PER_TOKEN) -> int:
    """T2: tokens of one string. Round per string, then add up."""
    return rough_token_count(units(text), bytes_per_token)


def bytes_per_token_for_file_type(extension: str) -> int:
    """T2: 2 for json, jsonl and jsonc, any case, with or without the dot; else 4. For files, never inside T3 or T4."""
    return 2 if extension.removeprefix(".").lower() in DENSE_FILE_TYPES else UNITS_PER_TOKEN


def estimate_content(content: object) -> int:
    """T3: tokens of a message's or a tool result's content, however deep it is nested."""
    if isinstance(content, str):
        return rough_token_count_estimation(content)
    tokens = 0
    left = [content]
    while left:
        item = left.pop()
        if isinstance(item, list):
            left.extend(item)
        elif isinstance(item, dict):
            if item.get("type") != "tool_result":
                tokens += estimate_block(item)
            elif isinstance(inner := item.get("content"), str):
                tokens += rough_token_count_estimation(inner)
            else:
                left.append(inner)
    return tokens


def estimate_block(block: object) -> int:
    """T3: tokens of one content block; a block of a type not known counts as its compact JSON."""
    if not isinstance(block, dict):
        return 0
    match block.get("type"):
        case "text":
            return _rough_field(block, "text")
        case "tool_result":
            return estimate_content(block.get("content"))
        case "tool_use":
            return _estimate_tool_use(block)
        case "thinking":
            return _rough_field(block, "thinking")
        case "redacted_thinking":
            return _rough_field(block, "data")
        case "image" | "document":
            return IMAGE_TOKENS
        case _:
            return rough_token_count(json_units(block))


def _rough_field(block: Mapping[str, Any], name: str) -> int:
    value = block.get(name)
    return rough_token_count_estimation(value) if isinstance(value, str) else 0


def _estimate_tool_use(block: Mapping[str, Any]) -> int:
    name = block.get("name")
    named = units(name) if isinstance(name, str) else 0
    return rough_token_count(named + json_units(block.get("input", {})))


def json_units(value: object) -> int:
    """Units of `value` as compact JSON, as JavaScript's JSON.stringify prints it."""
    try:
        printed = orjson.dumps(value)
    except TypeError:  # a lone surrogate, an integer beyond 64 bits, or nesting that orjson refuses
        return units(stringify(value))
    length = len(printed) if printed.isascii() else units(printed.decode())
    return length + _number_shift(value)


def _number_shift(value: object) -> int:
    """How many units more JavaScript prints for the numbers in `value` than orjson does."""
    shift = 0
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            continue
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, float) or (isinstance(item, int) and abs(item) > _EXACT):
            shift += len(js_number(item)) - len(orjson.dumps(item))
    return shift
