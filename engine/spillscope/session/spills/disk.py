"""The spilled files of many sessions, by their folders alone: no transcript is read, no file is opened (spec S1)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from spillscope.transcript.layout import TOOL_RESULTS


class DiskFile(NamedTuple):
    """A regular file in a session's `tool-results/`, no link. `modified`: seconds."""

    project: str
    session: str
    path: str
    bytes: int
    modified: float


def files_on_disk(projects: Iterable[Path]) -> Iterator[DiskFile]:
    """Project by project, session by session, by name. What is gone or not ours to read is left out."""
    for project in projects:
        for session in _entries(project):
            if session.is_dir(follow_symlinks=False):
                yield from _files_of(project.name, session.name, Path(session.path, TOOL_RESULTS))


def _files_of(project: str, session: str, folder: Path) -> Iterator[DiskFile]:
    if folder.is_symlink():
        return
    for entry in _entries(folder):
        try:
            if entry.is_file(follow_symlinks=False):
                found = entry.stat(follow_symlinks=False)
                yield DiskFile(project, session, entry.path, found.st_size, found.st_mtime)
        except OSError:  # gone between two looks
            continue


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
