"""Where a transcript speaks of spill files but in tool results: calls that read them, notices in attachments (spec R3, S9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from spillscope.blocks import units
from spillscope.tokens.rough import rough_token_count
from spillscope.transcript.layout import TOOL_RESULTS
from spillscope.transcript.rows import Notice
from spillscope.wrapper import PERSISTED_TAG, parse_wrapper

_NAMED = re.compile(rf"{TOOL_RESULTS}[/\\]+([^\s\"'`|;&<>()]+)")


class Mention(NamedTuple):
    """A call whose input names a spill file: it reads it back. `tool_use_id`: of that call; empty where it has none."""

    member: int
    name: str
    tool_use_id: str = ""


class Attached(NamedTuple):
    """A spill notice in an attachment, whose file is named by no tool_use id. `kind`, `name`: foreign words.

    `tokens`: T3 of the notice's text.
    """

    member: int
    notice: Notice
    kind: str
    name: str
    tokens: int

    @property
    def of_hook(self) -> bool:
        return self.kind.startswith("hook")


def mentioned_spills(member: int, tool_use_id: object, arguments: object) -> list[Mention]:
    """The spill files that a call's input names, each once a value."""
    if not isinstance(arguments, dict):
        return []
    values = [value for value in arguments.values() if isinstance(value, str) and TOOL_RESULTS in value]
    call = tool_use_id if values and isinstance(tool_use_id, str) else ""
    return [Mention(member, name, call) for value in values for name in dict.fromkeys(_NAMED.findall(value))]


def attached_notices(member: int, attachment: object) -> Iterator[Attached]:
    """The spill notices in an attachment's record, each path once."""
    if not isinstance(attachment, dict):
        return
    kind, name = attachment.get("type"), attachment.get("hookName")
    paths: set[str] = set()
    for text in attached_texts(attachment):
        wrapper = parse_wrapper(text)
        if wrapper is not None and wrapper.path not in paths:
            paths.add(wrapper.path)
            words = [word[:80] if isinstance(word, str) else "" for word in (kind, name)]
            yield Attached(member, Notice(wrapper.path, wrapper.size), words[0], words[1], rough_token_count(units(text)))


def attached_texts(attachment: dict[str, object]) -> Iterator[str]:
    """The texts of an attachment that begin like a wrapper: values, items of lists, texts of blocks, values of objects."""
    for value in attachment.values():
        inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else (value,)
        for item in inner:
            text = item.get("text") if isinstance(item, dict) else item
            if isinstance(text, str) and text.startswith(PERSISTED_TAG):
                yield text
