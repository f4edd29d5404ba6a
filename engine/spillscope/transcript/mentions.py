"""Where a transcript speaks of spill files outside its tool results: later reads of them, and hook output (spec R3, S9)."""

from __future__ import annotations

import re
from typing import NamedTuple

from spillscope.transcript.layout import TOOL_RESULTS
from spillscope.transcript.rows import Notice
from spillscope.wrapper import PERSISTED_TAG, parse_wrapper

_NAMED = re.compile(rf"{TOOL_RESULTS}[/\\]+([^\s\"'`|;&<>()]+)")


class Mention(NamedTuple):
    """A call whose input names a spill file: it reads it back."""

    member: int
    name: str


def mentioned_spills(member: int, arguments: object) -> list[Mention]:
    """The spill files that a call's input names, each once a value."""
    if not isinstance(arguments, dict):
        return []
    values = [value for value in arguments.values() if isinstance(value, str) and TOOL_RESULTS in value]
    return [Mention(member, name) for value in values for name in dict.fromkeys(_NAMED.findall(value))]


def hook_notice(attachment: object) -> Notice | None:
    """The spill notice in a hook's record, whose file is named by no tool_use id."""
    if not isinstance(attachment, dict):
        return None
    for name in ("content", "stdout"):
        text = attachment.get(name)
        if isinstance(text, str) and text.startswith(PERSISTED_TAG):
            wrapper = parse_wrapper(text)
            if wrapper is not None:
                return Notice(wrapper.path, wrapper.size)
    return None
