"""Handing what is shown to somebody else: the clipboard, a pager, an editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess

from textual.app import App, SuspendNotSupported

from spillscope_app.viewer.blob import RefusedError, open_file
from spillscope_app.viewer.picking import MAX_COPY_BYTES

FALLBACKS = {"PAGER": "less", "EDITOR": "vi"}


def copy(app: App[object], text: str | None, what: str) -> str:
    """Put a printable text on the clipboard, through the terminal; what to tell the user."""
    if text is None or len(text.encode("utf-8", "replace")) > MAX_COPY_BYTES:
        return f"not copied: more than {MAX_COPY_BYTES // 1000} kB are too much for a terminal's clipboard"
    if not text:
        return "nothing to copy: V selects lines"
    app.copy_to_clipboard(text)
    return f"{what} on the clipboard, if your terminal takes OSC 52 (tmux: set-clipboard on)"


def command_of(variable: str) -> list[str]:
    """The words of `$PAGER` or `$EDITOR`, split as a shell would but never given to one; raises ValueError."""
    words = shlex.split(os.environ.get(variable) or FALLBACKS[variable])
    if not words or shutil.which(words[0]) is None:
        raise ValueError(f"there is no program {words[0] if words else ''}")
    return words


def open_in(app: App[object], variable: str, path: str) -> str:
    """Open a file inside in `$PAGER` or `$EDITOR`, the app suspended meanwhile; what to tell the user, or "".

    The path begins with a slash, so that it is no option. What an editor then writes is the user's own doing.
    """
    try:
        words = command_of(variable)
        open_file(path)
    except ValueError as error:
        return f"${variable} can't be used: {error}"
    except RefusedError as refused:
        return f"not opened: the file is {refused.reason} now"
    try:
        with app.suspend():
            status = subprocess.run([*words, path], check=False).returncode
    except SuspendNotSupported:
        return f"${variable} needs a terminal of its own, which there is none of here"
    except OSError as error:
        return f"${variable} can't be used: {error.strerror}"
    app.refresh(layout=True)
    return f"{words[0]} ended with status {status}" if status else ""
