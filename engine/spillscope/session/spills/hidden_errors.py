"""An error at the end of an output, which a preview of its beginning does not show. The patterns: `hidden_errors.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

TAIL_BYTES = 4 << 10
MAX_LINE = 1_000
"""Characters of a line that are looked at."""


class _Signs(NamedTuple):
    tools: frozenset[str]
    pattern: re.Pattern[str]


def may_hide_errors(tool: str | None, origin: str) -> bool:
    """Whether a spill is the output of something that was run."""
    return origin == "hook" or tool in _signs().tools


def hidden_error(tail: bytes, preview: str, *, whole: bool) -> str | None:
    """The first line of a file's tail that tells of an error, unless the preview shows it. `whole`: the tail is all of it."""
    lines = tail.decode(errors="replace").splitlines()
    for line in lines if whole else lines[1:]:
        line = line[:MAX_LINE].rstrip()
        if _signs().pattern.search(line) is not None:
            return None if line in preview else line
    return None


@cache
def _signs() -> _Signs:
    data = tomllib.loads(files("spillscope.session.spills").joinpath("hidden_errors.toml").read_text("utf-8"))
    return _Signs(frozenset(data["tools"]), re.compile("|".join(f"(?:{pattern})" for pattern in data["patterns"])))
