"""Bytes that are read where somebody looks: a file that stays on disk, or a text in memory."""

from __future__ import annotations

import errno
import os
import weakref
from stat import S_ISREG
from typing import Literal, Protocol

Reason = Literal["missing", "unreadable", "not a file", "outside"]
Fate = Literal["", "grown", "changed", "truncated", "replaced", "deleted"]
"""What became of an opened file since the last look; "": nothing."""


class Blob(Protocol):
    """Bytes that can be read at any offset, from any thread."""

    @property
    def size(self) -> int: ...

    def read(self, at: int, count: int) -> bytes:
        """At most `count` bytes from offset `at`; fewer where the bytes end or can't be read."""
        ...

    def look(self) -> Fate:
        """Notice what happened to the bytes; `size` is up to date afterwards."""
        ...


class RefusedError(Exception):
    """A file that is not shown, and why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason


class Memory:
    """Bytes at hand."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    @property
    def size(self) -> int:
        return len(self._data)

    def read(self, at: int, count: int) -> bytes:
        return self._data[max(0, at) : max(0, at) + count]

    def look(self) -> Fate:
        return ""


class OpenFile:
    """A file read in place: what is shown stays readable even when its name is gone. Closed when nobody holds it any more."""

    def __init__(self, path: str, handle: int) -> None:
        self.path, self._handle = path, handle
        weakref.finalize(self, os.close, handle)  # not earlier: a worker may still be reading
        self._seen = os.fstat(handle)
        self._deleted = False

    @property
    def size(self) -> int:
        return self._seen.st_size

    @property
    def is_regular(self) -> bool:
        """No folder, pipe, socket or device."""
        return S_ISREG(self._seen.st_mode)

    def read(self, at: int, count: int) -> bytes:
        try:
            return os.pread(self._handle, count, max(0, at))
        except OSError:  # a broken disk, a network that went away: what can't be read is not shown
            return b""

    def look(self) -> Fate:
        before, self._seen = self._seen, os.fstat(self._handle)
        try:
            named = os.lstat(self.path)
        except OSError:
            told, self._deleted = self._deleted, True
            return "" if told else "deleted"
        self._deleted = False
        if (named.st_dev, named.st_ino) != (self._seen.st_dev, self._seen.st_ino):
            return "replaced" if S_ISREG(named.st_mode) else "deleted"
        if self._seen.st_size < before.st_size:
            return "truncated"
        if self._seen.st_size > before.st_size:
            return "grown"
        return "changed" if self._seen.st_mtime_ns != before.st_mtime_ns else ""


def open_file(path: str, *, anywhere: bool = False) -> OpenFile:
    """Open a path whose links were resolved when it was found inside (spec S6); raises RefusedError.

    What stands there now may be something else: a link is not followed, a pipe is not waited for, and a folder on the way
    that has become a link since is noticed. `anywhere`: the user has confirmed whatever this leads to.
    """
    try:
        real = os.path.realpath(path)
        if real != path and not anywhere:
            raise RefusedError("outside")
        if not path.startswith(os.sep):  # it would depend on where we were started
            raise RefusedError("missing")
        handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        raise RefusedError(_reason(error)) from None
    opened = OpenFile(real, handle)
    if not opened.is_regular:
        raise RefusedError("not a file")
    if opened.look() == "replaced" or os.path.realpath(real) != real:
        raise RefusedError("outside")
    return opened


def _reason(error: Exception) -> Reason:
    if isinstance(error, (FileNotFoundError, NotADirectoryError, ValueError)):
        return "missing"
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ELOOP:
        return "outside"
    return "not a file" if number in (errno.ENXIO, errno.ENODEV, errno.EISDIR) else "unreadable"
