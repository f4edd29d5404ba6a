"""What spilled files take on disk, by looking at their folders alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import NamedTuple

from spillscope.transcript.layout import TOOL_RESULTS, Place


class Heap(NamedTuple):
    """Files, and their bytes."""

    files: int = 0
    bytes: int = 0

    def plus(self, other: Heap) -> Heap:
        return Heap(self.files + other.files, self.bytes + other.bytes)


class Disk(NamedTuple):
    """The spilled files of a project, and of it and all projects beside it; None where it stands alone."""

    project: Heap
    every: Heap | None


def disk_of(place: Place, stop: Callable[[], bool]) -> Disk | None:
    """What the sessions of a project, and those of its neighbours, have on disk; None once `stop` says True."""
    neighbours = _folders(place.project.parent) if place.config_dir is not None else []
    heaps: dict[Path, Heap] = {}
    for project in {place.project, *neighbours}:
        heap = Heap()
        for session in _folders(project):
            if stop():
                return None
            heap = heap.plus(_heap_in(session / TOOL_RESULTS))
        heaps[project] = heap
    every = reduce(Heap.plus, heaps.values()) if neighbours else None
    return Disk(heaps[place.project], every)


def _folders(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _heap_in(folder: Path) -> Heap:
    heap = Heap()
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    heap = heap.plus(Heap(1, entry.stat(follow_symlinks=False).st_size))
    except OSError:  # gone, or not ours to read
        pass
    return heap
