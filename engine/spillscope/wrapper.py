"""The preview that stands for a spilled result: building it, and reading what agents wrote.

`PERSISTED_TAG` is the field's mark. The builder is exact to the byte (spec P9, P10), the parser is tolerant (P11).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from spillscope.blocks import take_units, units

PERSISTED_TAG = "<persisted-output>"
PERSISTED_END = "</persisted-output>"
PREVIEW_CHARS = 2_000
"""L3, in units."""


class Preview(NamedTuple):
    text: str
    has_more: bool


class Wrapper(NamedTuple):
    """What a spill notice says. `size` and `path` are its own words: foreign text, not yet believed."""

    size: str
    path: str
    preview: str
    has_more: bool


def generate_preview(text: str, limit: int = PREVIEW_CHARS) -> Preview:
    """P9: at most `limit` units of `text`, cut before the last newline of their second half if there is one."""
    head = take_units(text, limit)
    if len(head) == len(text):
        return Preview(text, has_more=False)
    newline = head.rfind("\n")
    if newline >= 0 and units(head[:newline]) > limit // 2:
        head = head[:newline]
    return Preview(head, has_more=True)


def format_size(count: int) -> str:
    """P10: `900 bytes`, `29.6KB`, `2KB`, `4.8MB`; one decimal, rounded half up, a trailing `.0` dropped."""
    if count < 1024:
        return f"{count} bytes"
    scale, name = next(
        ((scale, name) for scale, name in ((1024, "KB"), (1024**2, "MB")) if count < scale * 1024),
        (1024**3, "GB"),
    )
    tenths = (count * 10 * 2 + scale) // (2 * scale)
    whole, tenth = divmod(tenths, 10)
    return f"{whole}.{tenth}{name}" if tenth else f"{whole}{name}"


def build_large_tool_result_message(text: str, path: str, limit: int = PREVIEW_CHARS) -> str:
    """P10: the wrapper that replaces `text`, which was written to `path`."""
    preview = generate_preview(text, limit)
    more = "\n...\n" if preview.has_more else "\n"
    return (
        f"{PERSISTED_TAG}\n"
        f"Output too large ({format_size(units(text))}). Full output saved to: {path}\n\n"
        f"Preview (first {format_size(limit)}):\n"
        f"{preview.text}{more}{PERSISTED_END}"
    )


_HEADER = re.compile(
    r"\s*Output too large \((?P<size>[^)\n]*)\)\.?\s*Full output saved to:[ \t]*\n?[ \t]*(?P<path>[^\n]*?)[ \t\r]*(?:\n|$)"
    r"(?:\s*Preview \(first [^)\n]*\):[ \t\r]*\n?)?",
)
_MCP = re.compile(
    r"(?:Error: )?result \((?P<size>[\d,.'\u00a0\u202f ]+) characters?\) exceeds maximum allowed tokens\.\s+"
    r"Output has been saved to\s+(?P<path>[^\n]*?)[ \t\r]*(?:\n|$)",
)


def parse_wrapper(text: str) -> Wrapper | None:
    """P11: what a spill notice at the very start of `text` says; None when there is none.

    Knows the tagged wrapper, in the forms that agents and write-ups give it, and the sentence about an MCP result over its
    token limit, which has no preview.
    """
    if text.startswith(PERSISTED_TAG):
        return _parse_tagged(text)
    match = _MCP.match(text)
    if match is None:
        return None
    path = match["path"].removesuffix(".")
    return Wrapper(f"{match['size'].strip()} characters", path, "", has_more=True) if path else None


def _parse_tagged(text: str) -> Wrapper | None:
    match = _HEADER.match(text, len(PERSISTED_TAG))
    if match is None or not match["path"]:
        return None
    body = text[match.end() :]
    end = body.rfind(PERSISTED_END)
    if end >= 0:
        body = body[:end]
    body = body.removesuffix("\n")
    has_more = body.endswith("\n...") or body == "..."
    if has_more:
        body = body[:-4] if len(body) > 3 else ""
    return Wrapper(match["size"].strip(), match["path"], body, has_more)


def wrapper_text(content: object) -> str | None:
    """The text of a tool's output, or of the first block of its list, where that begins as a wrapper does; else None."""
    first = content[0] if isinstance(content, list) and content else content
    text = first.get("text") if isinstance(first, dict) else first
    return text if isinstance(text, str) and text.startswith(PERSISTED_TAG) else None


_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>bytes?|KB|MB|GB|characters?)", re.IGNORECASE)
_MOST = 1e15
"""No file is as large: foreign text may say anything."""
_SCALE = {"b": 1, "c": 1, "k": 1024, "m": 1024**2, "g": 1024**3}


def header_size(size: str) -> int | None:
    """The count that a header's size words stand for, to the precision they have; None when they make no sense."""
    match = _SIZE.search(re.sub(r"(?<=\d)[,'\u00a0\u202f](?=\d{3})", "", size))
    if match is None:
        return None
    count = float(match["number"]) * _SCALE[match["unit"][0].lower()]
    return round(count) if count < _MOST else None


def header_slack(size: str) -> int:
    """How far the true count may lie from `header_size`: half of the last decimal that the words give."""
    match = _SIZE.search(size)
    scale = _SCALE[match["unit"][0].lower()] if match is not None else 1
    return -(-scale // 20) if scale > 1 else 0


def fits_header(count: int, size: str) -> bool:
    """Whether `count` (units or bytes) is what a header with these size words stands for."""
    number = header_size(size)
    if number is None:
        return False
    if number == count:
        return True
    return (
        format_size(count).casefold() == re.sub(r"\s+(?=KB|MB|GB)|\.0(?=\s*[KMG]B)", "", size, flags=re.IGNORECASE).casefold()
    )
