"""Changing one place of a JSON text and no other byte of it. Texts come here parsed once: they are valid JSON.

What `merge` adds, `remove` takes away to the character, whatever stood there before. A container that was added opens with a
line break; what goes into one that was there and empty follows its bracket at once: so `remove` can tell them apart.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from spillscope.errors import SpillscopeError

_BLANKS = " \t\r\n"
_INDENT = "  "
_DECODER = json.JSONDecoder()

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Path = Sequence[str | int]
"""Keys of objects and positions in lists, from the top."""


class SettingsError(SpillscopeError):
    """A settings file that can't be changed as asked."""


class Addition(NamedTuple):
    """What is to be added: a value under a chain of keys, or as the last item of the list there (`listed`)."""

    keys: tuple[str, ...]
    value: Json
    listed: bool = False

    def below(self, depth: int) -> Json:
        """What belongs under the first `depth` keys, where nothing is there yet."""
        value: Json = [self.value] if self.listed else self.value
        for key in reversed(self.keys[depth:]):
            value = {key: value}
        return value


class Member(NamedTuple):
    """A member of an object, or an item of a list (`key` None): from `start` to `end`, its value from `value` on."""

    key: str | None
    start: int
    value: int
    end: int


def top(text: str) -> int:
    """Where the value of a text begins."""
    return _skip(text, 0)


def members(text: str, at: int) -> list[Member]:
    """The members of the container that opens at `at`; none where something else does."""
    if text[at] not in "{[":
        return []
    found: list[Member] = []
    here = _skip(text, at + 1)
    while text[here] not in "}]":
        start, key = here, None
        if text[at] == "{":
            key, here = _DECODER.raw_decode(text, here)
            here = _skip(text, _skip(text, here) + 1)
        _, end = _DECODER.raw_decode(text, here)
        found.append(Member(key, start, here, end))
        here = _skip(text, end)
        if text[here] == ",":
            here = _skip(text, here + 1)
    return found


def value_of(text: str, member: Member) -> Json:
    """What a member holds, parsed."""
    value: Json = json.loads(text[member.value : member.end])
    return value


def find(text: str, at: int, key: str) -> Member | None:
    """The member of that key; of several the last, as every parser has it."""
    return next((member for member in reversed(members(text, at)) if member.key == key), None)


def merge(text: str, addition: Addition) -> str:
    """`text` with an addition. Raises SettingsError where something is there already, or of another kind than it needs."""
    at = top(text)
    for depth, key in enumerate(addition.keys):
        _expect(text, at, "{", key)
        there = find(text, at, key)
        if there is None:
            return _insert(text, at, depth, key, addition.below(depth + 1))
        at = there.value
    if not addition.listed:
        raise SettingsError(f"{addition.keys[-1]} is set already: remove it first")
    _expect(text, at, "[", addition.keys[-1])
    return _insert(text, at, len(addition.keys), None, addition.value)


def remove(text: str, path: Path) -> str:
    """`text` without the member at `path`, and without the containers that held nothing else and were added with it."""
    chain = [top(text)]
    held: list[tuple[list[Member], int]] = []
    for step in path:
        there = members(text, chain[-1])
        place = step if isinstance(step, int) else max(at for at, member in enumerate(there) if member.key == step)
        held.append((there, place))
        chain.append(there[place].value)
    while len(held) > 1 and len(held[-1][0]) == 1 and "\n" in text[chain[len(held) - 1] : held[-1][0][0].start]:
        held.pop()
    there, place = held[-1]
    if place > 0:
        return text[: there[place - 1].end] + text[there[place].end :]
    if len(there) > 1:
        return text[: there[0].start] + text[there[1].start :]
    return text[: chain[len(held) - 1] + 1] + text[there[0].end :]


def _insert(text: str, at: int, depth: int, key: str | None, value: Json) -> str:
    """A new last member of the container that opens at `at`."""
    there = members(text, at)
    before = text[: there[-1].start] if there else ""
    gap = before[len(before.rstrip(_BLANKS)) :]
    unit = _unit(text)
    margin = gap.rpartition("\n")[2] if "\n" in gap else unit * (depth + 1)
    body = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", f"{_line_break(text)}{margin}")
    body = body if key is None else f"{json.dumps(key)}: {body}"
    if there:
        return f"{text[: there[-1].end]},{gap}{body}{text[there[-1].end :]}"
    return f"{text[: at + 1]}{body}{text[at + 1 :]}"


def _expect(text: str, at: int, opening: str, key: str) -> None:
    if text[at] != opening:
        kind = "object" if opening == "{" else "list"
        raise SettingsError(f"no {kind} where one belongs, for {key}: {text[at : at + 20].split()[0]}: mend it first")


def _unit(text: str) -> str:
    """What one level of a text is indented by."""
    first = members(text, top(text))[:1]
    before = text[top(text) + 1 : first[0].start] if first else ""
    return before.rpartition("\n")[2] or _INDENT if "\n" in before else _INDENT


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _BLANKS:
        at += 1
    return at
