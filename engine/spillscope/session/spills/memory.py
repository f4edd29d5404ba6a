"""What one inventory of a session leaves for the next one, so that it costs what changed. For one thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple

from spillscope.session.session import Session
from spillscope.session.spills.evidence import Evidence
from spillscope.session.spills.listing import Source
from spillscope.session.spills.model import Inventory

Stop = Callable[[], bool]


class Disk(NamedTuple):
    """A file as it lies there: what tells it from others, its bytes, its time in seconds, and when anything of it changed."""

    id: tuple[int, int]
    bytes: int
    modified: float
    changed_ns: int


def stat_of(path: str) -> Disk | None:
    """What stands at a path inside; None where nothing does."""
    try:
        found = os.stat(path)  # noqa: PTH116 - thousands of files
    except OSError:
        return None
    return Disk((found.st_dev, found.st_ino), found.st_size, found.st_mtime, found.st_ctime_ns)


class Taken(NamedTuple):
    """An inventory and all that it depends on: transcripts, names in folders, and what stood at each path inside."""

    sources: tuple[Source, ...]
    names: list[list[str]]
    disks: dict[str, Disk | None]
    inventory: Inventory


class Memory:
    """Sub-agents by their files, what was found of each spill, and the newest inventory."""

    def __init__(self) -> None:
        self.agents: dict[str, Session] = {}
        self.evidence: dict[tuple[object, ...], Evidence] = {}
        self.latest: Taken | None = None

    def unchanged(self, sources: Sequence[Source], names: list[list[str]], stop: Stop) -> Inventory | None:
        """The newest inventory, where no transcript and no file is another one since."""
        latest = self.latest
        if latest is None or len(latest.sources) != len(sources) or latest.names != names:
            return None
        if any(known.reading is not source.reading for known, source in zip(latest.sources, sources, strict=True)):
            return None
        same = all(stat_of(path) == disk and not stop() for path, disk in latest.disks.items())
        return latest.inventory if same else None
