"""What tells one tool call from others: a command, a pattern, a path (spec cli: `label`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from spillscope.clean import cell_width, clean, cut_cells

LABEL_CELLS = 80
_PATH = re.compile(r"(/|~/|[A-Za-z]:\\)\S*")

_TELLING: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Bash": ("command",),
        "PowerShell": ("command",),
        "Grep": ("pattern", "path"),
        "Glob": ("pattern", "path"),
        "Read": ("file_path",),
        "Edit": ("file_path",),
        "Write": ("file_path",),
        "NotebookEdit": ("notebook_path",),
        "WebFetch": ("url",),
        "WebSearch": ("query",),
        "Task": ("description",),
        "Agent": ("description",),
    }
)


def call_label(tool: str | None, arguments: object) -> str:
    """At most `LABEL_CELLS` cells of a call's input, clean, on one line."""
    if not isinstance(arguments, dict):
        return ""
    names = _TELLING.get(tool, ()) if tool is not None else ()
    words = [word for name in names if (word := _word(arguments.get(name)))]
    if not words:
        words = [next(filter(None, map(_word, arguments.values())), "")]
    label = "  ".join(words)
    if len(label) <= LABEL_CELLS and label.isascii() and label.isprintable():
        return label
    if len(words) == 1 and _PATH.fullmatch(label):
        return _end_of(clean(label))
    return cut_cells(clean(label), LABEL_CELLS)


def _end_of(path: str) -> str:
    """The last cells of a path, which tell more than its first ones."""
    tail = path[1 - LABEL_CELLS :] if len(path) > LABEL_CELLS else path
    while cell_width(tail) > LABEL_CELLS - 1:
        tail = tail[1:]
    return tail if tail == path else f"…{tail}"


def _word(value: Any) -> str:
    return " ".join(value[: 4 * LABEL_CELLS].split()) if isinstance(value, str) else ""
