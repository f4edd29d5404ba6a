"""Spill files on disk (spec P4–P8): complete or not there, never written twice, never outside their directory."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import stat
import tempfile
from pathlib import Path
from typing import NamedTuple, Protocol

from spillscope.blocks import is_writable
from spillscope.errors import one_line
from spillscope.javascript import stringify

DIRECTORY = "tool-results"
TEMPORARY_PREFIX = ".spill-"
"""Of the files that are still being written. A crash may leave one; nothing ever reads it."""


class SpillFailure(NamedTuple):
    """P7: a result that could not be written, and why, in one line. Its content stays in full."""

    tool_use_id: str
    error: str


class Spilled(NamedTuple):
    """A result that is on disk: the absolute path, and the text that the file holds."""

    tool_use_id: str
    path: str
    text: str


class SpillStore(Protocol):
    """Where spilled text goes. Called from several threads at once."""

    def write(self, tool_use_id: str, text: str, suffix: str) -> str:
        """Stores `text`, which has no lone surrogates, once per id, and returns its absolute path.

        `suffix`: ".txt" or ".json". Raises OSError when it can't.
        """


def persist(store: SpillStore, tool_use_id: str, content: object) -> Spilled | SpillFailure:
    """P4, P7: writes a result. Never raises: whatever the store says is a failure of this one result."""
    if not is_writable(content):
        return SpillFailure(tool_use_id, "holds a block that is no text")
    try:
        text, suffix = spill_text(content)
        return Spilled(tool_use_id, store.write(tool_use_id, text, suffix), text)
    except Exception as error:  # the store is the caller's: the loop goes on whatever it raises
        return SpillFailure(tool_use_id, one_line(error))


def spill_text(content: object) -> tuple[str, str]:
    """P4: what the file holds, and its suffix. A string as it is, lone surrogates as U+FFFD; a list as indented JSON."""
    if isinstance(content, str):
        return _well_formed(content), ".txt"
    return stringify(content, "  "), ".json"


def _well_formed(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class DirectoryStore:
    """The `tool-results` directory of one session. Several engines, threads and processes may use it at once (B15)."""

    def __init__(self, session_dir: str | os.PathLike[str]) -> None:
        """`session_dir` need not exist: it is made with the first spill."""
        self.directory = Path(session_dir).absolute() / DIRECTORY

    def write(self, tool_use_id: str, text: str, suffix: str) -> str:
        """P5, P6: see SpillStore. A file that is there already is success and stays as it is."""
        for stem in (safe_stem(tool_use_id), derived_stem(tool_use_id)):
            path = self.directory / (stem + suffix)
            if self._publish(path, text.encode()):
                return str(path)
        raise FileExistsError(errno.EEXIST, "taken by another result", str(path))

    def _publish(self, path: Path, data: bytes) -> bool:
        """Puts the file there unless it is. False: a file system that ignores case has another id's file under that name."""
        if not _is_file(path):
            make_private(self.directory)
            if _create(path, data):
                return True
        return any(entry.name == path.name for entry in self.directory.iterdir())


def safe_stem(tool_use_id: str) -> str:
    """P8: a file name, without its suffix, that is `tool_use_id` where that is safe on every system, else derived from it."""
    plain = _PLAIN.fullmatch(tool_use_id) and ".." not in tool_use_id
    reserved = tool_use_id.split(".", 1)[0].upper() in _DEVICES or _DERIVED.fullmatch(tool_use_id)
    return tool_use_id if plain and not reserved else derived_stem(tool_use_id)


def derived_stem(tool_use_id: str) -> str:
    """P8: a safe name of this id alone. No id is used as it is that looks like one of these."""
    return "id-" + hashlib.sha256(tool_use_id.encode("utf-8", "surrogatepass")).hexdigest()


_DERIVED = re.compile("id-[0-9a-f]{64}", re.IGNORECASE)
# ASCII only, no blanks, no dot at either end: names that every file system stores as they are given.
_PLAIN = re.compile(r"\w(?:[\w.-]{0,198}[\w-])?", re.ASCII)
_DEVICES = frozenset({"CON", "PRN", "AUX", "NUL", *(f"{name}{digit}" for name in ("COM", "LPT") for digit in range(10))})
"""What Windows takes for a device, with any extension."""


def _is_file(path: Path) -> bool:
    """Whether the file is there. Raises OSError where something else has its name: nobody could read the result there."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return False
    if not stat.S_ISREG(mode):
        raise FileExistsError(errno.EEXIST, "no regular file", str(path))
    return True


def make_private(directory: Path) -> None:
    """P5: the directory and the parents that are missing, for their owner only."""
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    for path in reversed(missing):
        with contextlib.suppress(FileExistsError):  # another engine was faster
            path.mkdir(mode=0o700)


def _create(path: Path, data: bytes) -> bool:
    """P6: the whole file at once, under its name only when it is complete and on the disk. False: the name is taken."""
    handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return _take_name(temporary, path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


def _take_name(temporary: Path, path: Path) -> bool:
    """Gives a complete file its name, exclusively. False: the name is taken."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        return False
    except OSError:  # no hard links here
        return _rename(temporary, path)
    return True


def _rename(temporary: Path, path: Path) -> bool:
    # Where another engine is faster between the two lines, it wrote the same text for the same id, and as completely.
    if _is_file(path):
        return False
    try:
        temporary.rename(path)
    except FileExistsError:
        return False
    return True
