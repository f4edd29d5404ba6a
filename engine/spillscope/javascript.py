"""JSON as JavaScript prints it: agents measure, and write, what JSON.stringify gives."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def escape_lone_surrogates(printed: str) -> str:
    """JSON text with every lone surrogate as its escape, as JSON.stringify has it: the result always encodes to UTF-8."""
    return _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", printed)


def quote(text: str) -> str:
    """A string as JSON: non-ASCII characters as they are, lone surrogates escaped."""
    return escape_lone_surrogates(json.dumps(text, ensure_ascii=False))


def stringify(value: object, indent: str = "") -> str:
    """`value`, which came from JSON, as `JSON.stringify(value, null, indent)` prints it; compact without `indent`."""
    printed: list[str] = []
    # A stack of our own: foreign JSON may nest deeper than Python calls may.
    todo: list[object] = [_Nested(value, "\n" if indent else "")]
    while todo:
        item = todo.pop()
        if isinstance(item, _Nested):
            todo.extend(reversed(_parts(item, indent)))
        else:
            printed.append(str(item))
    return "".join(printed)


class _Nested(NamedTuple):
    """A value still to be printed. `newline`: what stands before its closing bracket; "" in compact form."""

    value: object
    newline: str


def _parts(item: _Nested, indent: str) -> list[object]:
    """One level of a value: printed text, and the values in it."""
    value, newline = item
    inner = newline + indent
    parts: list[object] = []
    if isinstance(value, dict) and value:
        colon = ": " if indent else ":"
        for key, member in value.items():
            parts += [f"{',' if parts else '{'}{inner}{quote(str(key))}{colon}", _Nested(member, inner)]
        parts.append(newline + "}")
    elif isinstance(value, list) and value:
        for member in value:
            parts += [("," if parts else "[") + inner, _Nested(member, inner)]
        parts.append(newline + "]")
    else:
        parts.append(_scalar(value))
    return parts


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return js_number(value)
    return json.dumps(value)


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
