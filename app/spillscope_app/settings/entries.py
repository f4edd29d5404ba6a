"""What of a settings file is ours: the hook, and the status line (settings of Claude Code). Texts in, texts out."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import NoReturn

from spillscope.hook.answer import EVENT
from spillscope_app.settings.json_text import (
    Addition,
    Json,
    Path,
    SettingsError,
    find,
    members,
    merge,
    remove,
    top,
    value_of,
)

_PROGRAM = re.compile(r"spillscope(\.exe|\.cmd)?", re.IGNORECASE)

Finder = Callable[[str], Iterator[Path]]
"""The places in a text that hold what is ours, in its order."""


def hook_addition(command: str, matcher: str, seconds: int) -> Addition:
    """The hook that calls `command`: for tools whose names `matcher` fits, given up by the agent after so many seconds."""
    entry: Json = {"type": "command", "command": command, "timeout": seconds}
    return Addition(("hooks", EVENT), {"matcher": matcher, "hooks": [entry]}, listed=True)


def status_addition(command: str) -> Addition:
    return Addition(("statusLine",), {"type": "command", "command": command})


def find_hooks(text: str) -> Iterator[Path]:
    """Each group of hooks that holds nothing but ours, or our hook in a group that holds others."""
    events = _inside(text, top(text), "hooks")
    groups = _inside(text, events, EVENT)
    for place, group in enumerate(members(text, groups) if groups is not None else ()):
        inner = find(text, group.value, "hooks")
        hooks = members(text, inner.value) if inner is not None else []
        ours = [at for at, hook in enumerate(hooks) if _is_ours(value_of(text, hook), "hook")]
        if ours and len(ours) == len(hooks):
            yield ("hooks", EVENT, place)
        elif ours:
            yield from (("hooks", EVENT, place, "hooks", at) for at in ours)


def find_status(text: str) -> Iterator[Path]:
    """The status line, where it is ours."""
    line = find(text, top(text), "statusLine")
    if line is not None and _is_ours(value_of(text, line), "statusline"):
        yield ("statusLine",)


def installed(text: str | None, addition: Addition, ours: Finder) -> str:
    """A settings text with the addition in place of what of ours is there. None: there is no file yet.

    Raises SettingsError where it can't be read, or holds something else in that place.
    """
    if text is None:
        return fresh(addition)
    _check(text)
    there = list(ours(text))
    if len(there) == 1 and _holds(text, addition, there[0]):
        return text
    return merge(uninstalled(text, ours) or "{}\n", addition)


def uninstalled(text: str, ours: Finder) -> str | None:
    """A settings text without what is ours; None where it was made for that alone. Raises SettingsError as above."""
    _check(text)
    while True:
        paths = list(ours(text))
        if not paths:
            return text
        without = remove(text, paths[-1])
        if _was_made(text, without):
            return None
        text = without


def fresh(addition: Addition) -> str:
    """A whole settings file for an addition."""
    return _whole(addition.below(0))


def _whole(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _was_made(text: str, without: str) -> bool:
    """Whether nothing is left of a file that `fresh` wrote."""
    return json.loads(without) == {} and text == _whole(json.loads(text))


def _holds(text: str, addition: Addition, path: Path) -> bool:
    """Whether what stands at `path` is just what the addition would put there."""
    there = json.loads(text)
    for step in path:
        there = there[step]
    return bool(there == addition.value)


def _inside(text: str, at: int | None, key: str) -> int | None:
    member = find(text, at, key) if at is not None else None
    return member.value if member is not None else None


def _is_ours(value: Json, word: str) -> bool:
    command = value.get("command") if isinstance(value, dict) else None
    if not isinstance(command, str):
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    return len(words) > 1 and _PROGRAM.fullmatch(PurePath(words[0]).name) is not None and words[1] == word


def _check(text: str) -> None:
    """Raises SettingsError for a text that is no JSON object."""
    try:
        value = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise SettingsError("nested too deep: mend it first") from None
    except ValueError as error:
        raise SettingsError(
            f"no plain JSON, perhaps with comments: {error}; mend it first, or add the entry by hand"
        ) from error
    if not isinstance(value, dict):
        raise SettingsError("its top is no object: mend it first")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON")
