"""One line of a transcript → its JSON objects (spec S2). The fast parser first, the patient one for what it refuses."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NoReturn

import orjson

Record = dict[str, Any]

BOM = b"\xef\xbb\xbf"
TOO_DEEP = "nested too deep"
SEVERAL = "more than one value on the line"
NO_OBJECT = "no JSON object"
NOT_UTF8 = "not UTF-8"
NUL_BYTES = "NUL bytes"
TOO_LONG = "line too long"
NOT_UTF8 = "not UTF-8"


class Parsed(NamedTuple):
    """The objects of a line, and why the line is to be listed as skipped; None where all is well."""

    records: list[Record]
    reason: str | None


def parse_line(line: bytes) -> Parsed:
    """Every object on the line. A line that is no single object says why; a blank one gives nothing."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return _parse_slowly(line, str(error))
    return Parsed([value], None) if isinstance(value, dict) else Parsed([], NO_OBJECT)


def parse_unfinished(rest: bytes) -> tuple[list[Record], int]:
    """The objects that a last line without its end already holds, and the bytes that they take; the rest waits."""
    if b"}" not in rest:
        return [], 0
    try:
        value = orjson.loads(rest)
    except orjson.JSONDecodeError as error:
        return _leading_objects(rest) if "ecursion" not in str(error) else ([], 0)
    return ([value], len(rest)) if isinstance(value, dict) else ([], 0)


def _leading_objects(rest: bytes) -> tuple[list[Record], int]:
    text = _readable(rest)  # a character cut in half stands at the end, behind what is complete
    records: list[Record] = []
    taken, at = 0, _skip_blanks(text, 0)
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        if not isinstance(value, dict):
            break
        records.append(value)
        taken, at = at, _skip_blanks(text, at)
    return records, len(text[:taken].encode())


def _readable(data: bytes) -> str:
    """`data` up to what is no UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        return data[: error.start].decode()


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse)


def _parse_slowly(line: bytes, error: str) -> Parsed:
    """For lone surrogates, which are legal and which orjson refuses, and for several objects on a line."""
    if not line.strip():
        return Parsed([], None)
    if "ecursion" in error:
        return Parsed([], TOO_DEEP)
    text = _readable(line)
    broken = len(text.encode()) < len(line)
    records: list[Record] = []
    count = 0
    at = _skip_blanks(text, 0)
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except RecursionError:
            return Parsed(records, SEVERAL if records else TOO_DEEP)
        except ValueError as problem:
            return Parsed(records, SEVERAL if records else NOT_UTF8 if broken else _reason(line, problem))
        count += 1
        if isinstance(value, dict):
            records.append(value)
        at = _skip_blanks(text, at)
    if broken:
        return Parsed(records, SEVERAL if records else NOT_UTF8)
    if count > 1:
        return Parsed(records, SEVERAL)
    return Parsed(records, None if records else NO_OBJECT)


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _reason(line: bytes, problem: ValueError) -> str:
    if b"\0" in line:
        return NUL_BYTES
    if isinstance(problem, json.JSONDecodeError):
        return (
            "cut short" if problem.pos >= len(line) - 1 or problem.msg.startswith("Unterminated") else f"no JSON: {problem.msg}"
        )
    return str(problem)
