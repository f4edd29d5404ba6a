"""Spill files that a transcript names: whether they may be looked at, and how large the original is (spec S6, S9)."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO, NamedTuple

import orjson

from spillscope.blocks import content_size, units
from spillscope.transcript.layout import TOOL_RESULTS, Place

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC

MAX_COUNTED_BYTES = 8 << 20
"""S6: a larger file is not counted: its size is the header's."""


class SpillFile(NamedTuple):
    """A spill path and what may be known of it.

    `path`: as it was named, or where the file of that name was found in a session that was moved. A path outside
    is never touched: it `exists` not for us, and its `bytes` are None, as are those of a file that is not there.
    `moved`: such a path names the session's own folder in another place, and here there is no such file.
    """

    path: str
    inside: bool
    exists: bool
    bytes: int | None
    other_session: bool = False
    moved: bool = False


def base_name(path: str) -> str:
    """The last part of a path of either kind of system."""
    return path[max(path.rfind("/"), path.rfind("\\")) + 1 :]


class SpillFiles:
    """The spill files of one session: its own, its parent's, and those of other sessions of the project."""

    def __init__(self, place: Place) -> None:
        self._own = [place.tool_results]
        if place.parent is not None:
            self._own.append(place.parent / TOOL_RESULTS)
        self._project = os.path.realpath(place.project)
        self._roots = tuple({self._project + os.sep, os.path.abspath(place.project) + os.sep})
        self._directories = {os.path.basename(folder.parent) for folder in self._own}
        self._real_own = tuple(os.path.join(self._project, name, TOOL_RESULTS, "") for name in self._directories)
        self._sizes: dict[tuple[str, int, int, object], int] = {}

    def find(self, path: str) -> SpillFile:
        """S6: a path as a transcript names it → a file that may be opened, or a path to show."""
        named = self._look(path)
        if named is not None and named.exists:
            return named
        here = self._here(path) if named is None or named.inside else None
        if here is not None and not (named is None and _exists(path)):
            return here
        if named is None:
            named = SpillFile(path, inside=False, exists=False, bytes=None, moved=here is None and self._names_own(path))
        return named

    def _names_own(self, path: str) -> bool:
        """Whether a path names an own folder in another place: the session was moved. A link out of it does not."""
        parts = path.replace("\\", "/").split("/")
        if parts[-2:-1] != [TOOL_RESULTS] or not self._directories.intersection(parts[-3:-2]):
            return False
        folder = os.path.dirname(path)
        return not any(folder in (os.path.abspath(own), os.path.realpath(own)) for own in self._own)

    def _look(self, path: str) -> SpillFile | None:
        """What stands at a path that lies in the project; None for a path that does not even claim to."""
        if "\0" in path or not os.path.isabs(path):
            return None
        if not os.path.normpath(path).startswith(self._roots):
            return None
        real = os.path.realpath(path)
        if not self._in_tool_results(real):
            return SpillFile(path, inside=False, exists=False, bytes=None)
        size = _file_size(real)
        return SpillFile(path, inside=True, exists=size is not None, bytes=size, other_session=not self._is_own(real))

    def _here(self, path: str) -> SpillFile | None:
        name = base_name(path)
        if not name or name in (".", "..") or "\0" in name:
            return None
        for folder in self._own:
            here = folder / name
            size = _file_size(os.path.realpath(here))
            if size is not None:
                return self._look(os.path.abspath(here))
        return None

    def _in_tool_results(self, real: str) -> bool:
        """`<project>/<session>/tool-results/…`."""
        if not real.startswith(self._project + os.sep):
            return False
        parts = real[len(self._project) + 1 :].split(os.sep)
        return len(parts) >= 3 and parts[1] == TOOL_RESULTS

    def _is_own(self, real: str) -> bool:
        """A path without links that begins like an own folder is in it; else a link may stand on the way to one."""
        return real.startswith(self._real_own) or any(
            real.startswith(os.path.realpath(folder) + os.sep) for folder in self._own
        )

    def count(self, file: SpillFile) -> int | None:
        """P2 of a spilled original, in units; None when it is not there, may not be opened, or is too large to count.

        A `.json` spill is measured on its blocks.
        """
        return self._measure(file, _count_original)

    def count_text(self, file: SpillFile) -> int | None:
        """Units of the file's text, JSON or not: what a wrapper's header states (P10)."""
        return self._measure(file, _count_text)

    def _measure(self, file: SpillFile, counter: Callable[[Path], int]) -> int | None:
        if not file.inside or not file.exists or file.bytes is None or file.bytes > MAX_COUNTED_BYTES:
            return None
        try:
            found = os.stat(file.path)
            key = (file.path, found.st_size, found.st_mtime_ns, counter)
            if key not in self._sizes:
                self._sizes[key] = counter(Path(file.path))
            return self._sizes[key]
        except OSError:
            return None

    def names(self) -> list[str]:
        """What stands in the session's own `tool-results/`, sorted."""
        try:
            return sorted(os.listdir(self._own[0]))
        except OSError:
            return []

    def listing(self, names: Iterable[str] | None = None) -> list[SpillFile]:
        """Those of these names, or all, in the session's own `tool-results/` that are files, or links that lead out."""
        folder = os.path.abspath(self._own[0])
        looked = (self._look(os.path.join(folder, name)) for name in (self.names() if names is None else names))
        return [file for file in looked if file is not None and (file.exists or not file.inside)]

    def irregular(self) -> list[SpillFile]:
        """What stands in the session's own `tool-results/` and is no file: folders, pipes, sockets. Never opened."""
        try:
            with os.scandir(self._own[0]) as entries:
                paths = sorted(entry.path for entry in entries if not (entry.is_file() or entry.is_symlink()))
        except OSError:
            return []
        return [SpillFile(os.path.abspath(path), inside=True, exists=False, bytes=None) for path in paths]


def open_spill(path: str) -> BinaryIO:
    """A regular file, to be read; the caller has seen that it is inside (S6). Never waits for a pipe. Raises OSError."""
    try:
        handle = os.open(path, _READ)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        handle = os.open(os.path.realpath(path), _READ)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "no regular file", path)
    return os.fdopen(handle, "rb")


def read_spill(file: SpillFile, count: int, start: int = 0) -> bytes:
    """At most `count` bytes of a file that is inside, from `start`. Raises OSError."""
    with open_spill(file.path) as opened:
        opened.seek(start)
        return opened.read(count)


def _exists(path: str) -> bool:
    try:
        return os.path.exists(path)
    except ValueError:
        return False


def _file_size(real: str) -> int | None:
    """Bytes of a regular file; None for what is none."""
    try:
        found = os.stat(real)
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _count_original(path: Path) -> int:
    if path.suffix == ".json":
        try:
            blocks = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError:
            blocks = None
        if isinstance(blocks, list):
            return content_size(blocks)
    return _count_text(path)


def _count_text(path: Path) -> int:
    data = path.read_bytes()
    return len(data) if data.isascii() else units(data.decode(errors="replace"))
