"""Where the records of new replacements go, so that a resumed conversation is the same to the byte (spec B11)."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from spillscope.budget.state import Replacement, content_replacement_record
from spillscope.javascript import stringify

RecordSink = Callable[[Sequence[Replacement]], None]
"""Takes the newly made replacements of one run, in selection order, and returns when they are kept. May raise OSError."""


class TranscriptSink:
    """Appends to a transcript: one line a run, in one write, so that other writers of the file never cut into it (B15)."""

    def __init__(self, path: str | os.PathLike[str], session_id: str, agent_id: str | None = None) -> None:
        """`path`: the session's transcript, or, with `agent_id`, the sub-agent's sidechain file. Made when it is missing."""
        self.path, self.session_id, self.agent_id = Path(path), session_id, agent_id

    def __call__(self, replacements: Sequence[Replacement]) -> None:
        """Raises OSError when the line could not be written whole."""
        append_record(self.path, content_replacement_record(replacements, self.session_id, self.agent_id))


def append_record(path: Path, record: Mapping[str, Any]) -> None:
    """Adds one line to a transcript, made when it is missing, in one write: no reader sees it in two parts that look whole.

    Raises OSError when the line could not be written whole.
    """
    line = stringify(record).encode() + b"\n"
    handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        with contextlib.suppress(OSError):  # no locks on this file system: at worst a blank line more
            fcntl.flock(handle, fcntl.LOCK_EX)  # a line that another engine is still writing looks like one cut short
        if _is_cut_short(handle):  # what a crash left of a line must not swallow this one
            line = b"\n" + line
        if os.write(handle, line) != len(line):
            raise OSError(f"the record is not whole: {path}")
    finally:
        os.close(handle)


def _is_cut_short(handle: int) -> bool:
    size = os.lseek(handle, 0, os.SEEK_END)
    if size == 0:
        return False
    os.lseek(handle, size - 1, os.SEEK_SET)
    return os.read(handle, 1) != b"\n"
