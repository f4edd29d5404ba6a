"""Following a file that only grows, and noticing when it did something else (spec S2).

`Tail` yields whole lines as bytes and keeps nothing but where it stands. It opens the file anew for each read and never
locks or writes.
"""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO

READ_BYTES = 1 << 20
"""Read at a time: memory follows this, not the file."""
MAX_LINE_BYTES = 256 << 20
"""A longer line is passed over: no agent writes it, and nobody has the memory to parse it."""
_SAMPLE_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole lines without their ends, in file order.

    `first_offset`, `first_line`: of the first of them, in bytes and counted from 1. `rest`: what follows the last line end.
    `continues`: the first line goes on behind an object that was already taken as `rest`. `too_long`: offsets of lines
    passed over before these. `more`: call again at once.
    """

    restarted: bool = False
    first_offset: int = 0
    first_line: int = 1
    lines: tuple[bytes, ...] = ()
    rest: bytes = b""
    continues: bool = False
    too_long: tuple[tuple[int, int], ...] = ()
    more: bool = False


class Tail:
    """A place in a growing file. `size` and `mtime_ns` are those of the last look; `exists` whether there was a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._rewind()

    def _rewind(self) -> None:
        self.exists = False
        self.size = self.mtime_ns = 0
        self.offset = 0  # where the unread part begins: a line start, or behind a `rest` that was taken
        self.line = 1
        self._identity: tuple[int, int] | None = None
        self._head = self._last = b""
        self._last_at = 0  # where `_last` stands
        self.continues = False
        self._long_from: int | None = None

    @property
    def mark(self) -> tuple[bool, int, int]:
        """What a reading shows of the file itself: whether it is there, its bytes, and its last write."""
        return self.exists, self.size, self.mtime_ns

    def read(self) -> Batch:
        """The next lines, at most about `READ_BYTES` of them. A missing file is an empty one that may still come."""
        try:
            with open(self.path, "rb", buffering=0, opener=_open_at_once) as file:
                return self._read(file)
        except FileNotFoundError:
            gone = self._identity is not None
            self._rewind()
            return Batch(restarted=gone)

    def take_rest(self, count: int) -> None:
        """Count `count` bytes of `rest` as read, though their line has not ended."""
        self.offset += count
        self.continues = True

    def _read(self, file: BinaryIO) -> Batch:
        stat = os.fstat(file.fileno())
        if not S_ISREG(stat.st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", str(self.path))
        restarted = self._identity is not None and self._is_another(file, stat)
        if restarted:
            self._rewind()
        self.exists = True
        self._identity = (stat.st_dev, stat.st_ino)
        self.size, self.mtime_ns = stat.st_size, stat.st_mtime_ns
        file.seek(self.offset)
        data = self._next_piece(file)
        batch = self._split(data, restarted)
        self._remember(file)
        return batch

    def _is_another(self, file: BinaryIO, stat: os.stat_result) -> bool:
        """Replaced, shrunk, or rewritten in place: what we know of it is no longer there."""
        if self._identity != (stat.st_dev, stat.st_ino) or stat.st_size < self.offset or stat.st_size < self.size:
            return True
        if stat.st_mtime_ns == self.mtime_ns and stat.st_size == self.size:
            return False
        if stat.st_size == self.size:
            return self.size > 0
        head = os.pread(file.fileno(), len(self._head), 0)
        last = os.pread(file.fileno(), len(self._last), self._last_at)
        return head != self._head or last != self._last

    def _remember(self, file: BinaryIO) -> None:
        if len(self._head) < min(_SAMPLE_BYTES, self.offset):
            self._head = os.pread(file.fileno(), min(_SAMPLE_BYTES, self.offset), 0)
        self._last_at = max(0, self.offset - _SAMPLE_BYTES)
        self._last = os.pread(file.fileno(), self.offset - self._last_at, self._last_at)

    def _next_piece(self, file: BinaryIO) -> bytes:
        """Bytes from `offset`, enough to hold a line end, the end of the file, or `MAX_LINE_BYTES`; never past `size`."""
        want = READ_BYTES
        data = b""
        while len(data) < self.size - self.offset:
            piece = file.read(min(want, self.size - self.offset - len(data)))
            if not piece:
                break
            data = data + piece if data else piece
            if b"\n" in piece or len(data) >= MAX_LINE_BYTES:
                break
            want = len(data)
        return data

    def _split(self, data: bytes, restarted: bool) -> Batch:
        offset, line, continues = self.offset, self.line, self.continues
        lines = data.split(b"\n")
        rest = lines.pop()
        too_long: list[tuple[int, int]] = []
        if lines:
            self.offset += len(data) - len(rest)
            self.line += len(lines)
            self.continues = False
            if self._long_from is not None:
                too_long.append((line, self._long_from))
                offset += len(lines.pop(0)) + 1
                line, continues, self._long_from = line + 1, False, None
        more = self.offset + len(rest) < self.size
        if self._long_from is not None or len(rest) >= MAX_LINE_BYTES:
            self._long_from = self.offset if self._long_from is None else self._long_from
            self.offset += len(rest)
            rest = b""
        return Batch(restarted, offset, line, tuple(lines), rest, continues, tuple(too_long), more)


def _open_at_once(path: str, flags: int) -> int:
    """Not to wait for a writer where a pipe took the file's place."""
    return os.open(path, flags | os.O_NONBLOCK)
