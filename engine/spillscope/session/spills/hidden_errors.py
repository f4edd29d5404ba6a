"""An error at the end of an output, which a preview of its beginning does not show. The patterns: `hidden_errors.toml`."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from spillscope.shipped import shipped_table

TAIL_BYTES = 4 << 10


class _Signs(NamedTuple):
    tools: frozenset[str]
    words: tuple[bytes, ...]
    pattern: re.Pattern[str]


def may_hide_errors(tool: str | None, origin: str) -> bool:
    """Whether a spill is the output of something that was run."""
    return origin == "hook" or tool in _signs().tools


def hidden_error(tail: bytes, preview: str, *, whole: bool) -> str | None:
    """The first line of a file's tail that tells of an error, unless the preview shows it. `whole`: the tail is all of it."""
    signs = _signs()
    lowered = tail.lower()
    if not any(word in lowered for word in signs.words):
        return None
    text = tail.decode(errors="replace").replace("\r", "\n")
    found = signs.pattern.search(text, 0 if whole else text.find("\n") + 1)
    if found is None:
        return None
    line = text[text.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0].rstrip()
    return None if line in preview else line


@cache
def _signs() -> _Signs:
    data = shipped_table("spillscope.session.spills", "hidden_errors.toml")
    pattern = "|".join(f"(?:{pattern})" for pattern in data["patterns"])
    return _Signs(frozenset(data["tools"]), tuple(map(str.encode, data["words"])), re.compile(pattern, re.MULTILINE))
