"""T2, T3: the agents' own rough estimate, 4 units a token, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from spillscope.blocks import units

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
    """T3: tokens of a message's or a tool result's content."""
    if isinstance(content, str):
        return rough_token_count_estimation(content)
    if isinstance(content, list):
        return sum(map(estimate_block, content))
    return estimate_block(content) if isinstance(content, dict) else 0


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
    shift = 0
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, float) or (isinstance(item, int) and abs(item) > _EXACT):
            shift += len(js_number(item)) - len(_python_number(item))
    try:
        printed = orjson.dumps(value)
    except TypeError:  # a lone surrogate, or an integer beyond 64 bits
        return shift + _slow_json_units(value)
    return shift + (len(printed) if printed.isascii() else units(printed.decode()))


def _python_number(value: float) -> str:
    """The number as orjson (and, for what orjson refuses, json) prints it."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return repr(value)


def js_number(value: float) -> str:
    """A JSON number as JavaScript prints it after parsing it to a double."""
    try:
        double = float(value)
    except OverflowError:
        return "null"
    if double != double or double in (float("inf"), float("-inf")):
        return "null"
    if double == 0:
        return "0"
    sign = "-" if double < 0 else ""
    mantissa, _, exponent = repr(abs(double)).partition("e")
    digits, point = _digits(mantissa, int(exponent or 0))
    return sign + _js_layout(digits, point)


def _digits(mantissa: str, exponent: int) -> tuple[str, int]:
    """Significant digits, and how many of them stand before the decimal point."""
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + exponent
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    return stripped.rstrip("0") or "0", point


def _js_layout(digits: str, point: int) -> str:
    """ECMAScript's Number::toString for the given digits and decimal point."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    power = point - 1
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{'+' if power >= 0 else '-'}{abs(power)}"


def _slow_json_units(value: object) -> int:
    import json

    printed = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lone = sum(1 for char in printed if "\ud800" <= char <= "\udfff")
    return units(printed) + 5 * lone  # JSON.stringify escapes a lone surrogate: six units instead of one
