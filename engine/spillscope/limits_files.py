"""The limits file: its keys, and reading it from TOML or JSON (spec L11)."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from spillscope.errors import LimitsError
from spillscope.limits import Limits, usable_number

MAX_FILE_BYTES = 1 << 20
_MAX_SAFE_INTEGER = 2**53 - 1
_INFINITY_WORDS = frozenset({"inf", "+inf", "infinity"})


def read_limits_file(path: Path) -> dict[str, object]:
    """The mapping in a limits file, TOML or JSON by its content; the values are not judged yet.

    Raises LimitsError when the file can't be read or parsed.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise LimitsError(f"can't read the limits file: {path}: {reason}; check the path") from error
    if len(raw) > MAX_FILE_BYTES:
        raise LimitsError(f"this is no limits file: {path}: it is larger than 1 MB; check the path")
    try:
        parsed = _parse(raw.decode("utf-8-sig"), is_json=path.suffix.lower() == ".json")
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise LimitsError(f"broken limits file: {path}: {reason}; mend or remove it") from error
    if not isinstance(parsed, dict):
        raise LimitsError(f"broken limits file: {path}: the top is no table of keys; see the limits file in the manual")
    return parsed


def _parse(text: str, *, is_json: bool) -> object:
    # No TOML document starts with a brace, so the content tells the two apart whatever the file is called.
    if is_json or text.lstrip().startswith("{"):
        return json.loads(text)
    return tomllib.loads(text)


def limits_from_mapping(mapping: Mapping[str, object], source: str, base: Limits) -> Limits:
    """L11: `base` with the keys of a limits file laid over it; `source` is noted for each key that was taken.

    Null means "not set here". Junk inside `overrides` and `declared`, and a junk `message_budget`, is ignored one by one
    (L8.2, L9). Raises LimitsError for an unknown key or a value of the wrong type.
    """
    changes: dict[str, Any] = {}
    sources = dict(base.sources)
    for key, value in mapping.items():
        merge = _KEYS.get(key)
        if merge is None:
            raise LimitsError(f"unknown limit: {_word(key)} in {source}: use one of {', '.join(_KEYS)}")
        if value is None:
            continue
        taken, dotted = merge(key, value, source, base)
        if dotted:
            changes[key] = taken
            sources.update(dict.fromkeys(dotted, source))
    return replace(base, **changes, sources=sources) if changes else base


_Merged = tuple[object, list[str]]
"""The new value of a key, and the (dotted) names of what was taken; none: the key stays as it was."""


def _whole_number(key: str, value: object, source: str, base: Limits) -> _Merged:
    number = _as_integer(value)
    if number is None or not 1 <= number <= _MAX_SAFE_INTEGER:
        raise _wrong(key, value, source, "a whole number above 0")
    return number, [key]


def _percent(key: str, value: object, source: str, base: Limits) -> _Merged:
    number = usable_number(value)
    if number is None or not 1 <= number <= 100:
        raise _wrong(key, value, source, "a percentage from 1 to 100")
    return number, [key]


def _switch(key: str, value: object, source: str, base: Limits) -> _Merged:
    if not isinstance(value, bool):
        raise _wrong(key, value, source, "true or false")
    return value, [key]


def _budget(key: str, value: object, source: str, base: Limits) -> _Merged:
    if usable_number(value) is None and usable_number(base.message_budget) is not None:
        return base.message_budget, []
    return value, [key]


def _overrides(key: str, value: object, source: str, base: Limits) -> _Merged:
    table = _as_table(key, value, source)
    taken = {
        tool: chars
        for tool, chars in table.items()
        if usable_number(chars) is not None or usable_number(base.overrides.get(tool)) is None
    }
    return {**base.overrides, **taken}, [f"{key}.{tool}" for tool in taken]


def _declared(key: str, value: object, source: str, base: Limits) -> _Merged:
    table = _as_table(key, value, source)
    read = {tool: _declared_chars(chars) for tool, chars in table.items()}
    taken = {tool: chars for tool, chars in read.items() if chars is not None}
    return {**base.declared, **taken}, [f"{key}.{tool}" for tool in taken]


def _declared_chars(value: object) -> float | None:
    """What a tool declares: a number that is not negative, or infinity, which files without such a number spell "inf"."""
    if isinstance(value, str):
        return math.inf if value.strip().lower() in _INFINITY_WORDS else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if value == 0 or (isinstance(value, float) and not math.isfinite(value)):
        return value
    return usable_number(value)


def _as_table(key: str, value: object, source: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise _wrong(key, value, source, "a table of tools")
    return value


def _as_integer(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, float) and value.is_integer() else None


def _wrong(key: str, value: object, source: str, wanted: str) -> LimitsError:
    return LimitsError(f"wrong value for {key}: {_word(value)} in {source}: give {wanted}")


def _word(value: object) -> str:
    """A foreign value, short enough for one line."""
    if isinstance(value, int) and abs(value) > _MAX_SAFE_INTEGER:
        return "a number out of range"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:59] + "…"


_KEYS: Mapping[str, Callable[[str, object, str, Limits], _Merged]] = {
    "default_threshold": _whole_number,
    "message_budget": _budget,
    "aggregate": _switch,
    "preview_chars": _whole_number,
    "window": _whole_number,
    "auto_compact_pct": _percent,
    "auto_compact_window": _whole_number,
    "auto_compact": _switch,
    "declared": _declared,
    "overrides": _overrides,
}
"""Every key of a limits file. The two `auto_compact` ones are what the agent's own settings say."""
