"""Foreign text → what a terminal may be shown.

Escape sequences, control characters and bidirectional overrides are shown as escapes and never take effect. Use it once, where
text is drawn; never on text that is measured or written back.
"""

from __future__ import annotations

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)
_NAMED = {"\n": "⏎", "\t": " ", "\r": "␍", "\x1b": "␛", "\x00": "␀", "\x07": "␇", "\x08": "␈", "\x7f": "␡"}


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    named = _NAMED.get(char)
    if named is not None:
        return named
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def clean(text: str) -> str:
    """`text` as one line in which every character is printable: nothing in it can move a cursor or reverse a line."""
    return _UNSAFE.sub(_escape, text)


def cell_width(text: str) -> int:
    """Terminal cells that `text`, which must be clean, takes."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # late: most text is ASCII, and headless commands start fast

    return max(0, wcswidth(text))


def cut_cells(text: str, cells: int, ellipsis: str = "…") -> str:
    """Clean `text` cut to at most `cells` terminal cells, ending in `ellipsis` where something was cut."""
    if len(text) <= cells and cell_width(text) <= cells:
        return text
    head = text[: max(0, cells - len(ellipsis))]
    while head and cell_width(head) > cells - len(ellipsis):
        head = head[:-1]
    return head + ellipsis if cells >= len(ellipsis) else ""
