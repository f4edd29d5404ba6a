"""What tells one tool call from others: a command, a pattern, a path (spec cli: `label`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from spillscope.clean import clean, cut_cells

LABEL_CELLS = 80

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
    return cut_cells(clean(label), LABEL_CELLS)


def _word(value: Any) -> str:
    return " ".join(value[: 4 * LABEL_CELLS].split()) if isinstance(value, str) else ""
