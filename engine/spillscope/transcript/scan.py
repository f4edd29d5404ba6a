"""What files look like from outside, and what changed between two looks: stat is the truth, watcher events are hints.

Only stat calls are made; nothing is opened.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Mark(NamedTuple):
    """The identity and extent of a file, `size` in bytes. Times may go backwards: compare with `!=`."""

    device: int
    inode: int
    size: int
    mtime_ns: int


Snapshot = Mapping[str, Mark]


class Diff(NamedTuple):
    """Paths that came, that look different (rewritten, grown, replaced), and that went; each sorted."""

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)


def scan(paths: Iterable[str]) -> Snapshot:
    """A look at each of `paths`, links followed. A path that is not there, or can't be looked at, is left out."""
    marks: dict[str, Mark] = {}
    for path in paths:
        try:
            found = os.stat(path)
        except (OSError, ValueError):  # ValueError: a NUL in the path
            continue
        marks[path] = Mark(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    return marks


def diff(old: Snapshot, new: Snapshot) -> Diff:
    """What happened between two looks at the same paths. Pure."""
    return Diff(
        added=tuple(sorted(new.keys() - old.keys())),
        changed=tuple(sorted(path for path in new.keys() & old.keys() if new[path] != old[path])),
        removed=tuple(sorted(old.keys() - new.keys())),
    )
