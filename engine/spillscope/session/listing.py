"""Many sessions at a glance: heads and tails only (spec cli: `sessions`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spillscope.tokens.running import RunningCount
from spillscope.tokens.synthetic import is_synthetic
from spillscope.transcript.layout import projects_in, transcripts_in
from spillscope.transcript.parse import Record, parse_line
from spillscope.transcript.sidechains import count_record

HEAD_BYTES = 64 << 10
TAIL_BYTES = 256 << 10
LIVE_SECONDS = 60.0


class Listed(NamedTuple):
    """One session. `context_tokens`: T4 over its tail; None where the tail holds no usage. `live`: written a moment ago."""

    id: str
    project: str
    cwd: str | None
    path: str
    model: str | None
    last_write: float
    bytes: int
    context_tokens: int | None
    live: bool


def list_sessions(root: Path, now: float) -> Iterator[Listed]:
    """The sessions of a projects root, or of one project folder; the newest of each project first."""
    own = _transcripts(root)
    if own:
        yield from _list_project(root, own, now)
        return
    for project in projects_in(root):
        yield from _list_project(project, _transcripts(project), now)


def _transcripts(folder: Path) -> list[Path]:
    try:
        return transcripts_in(folder)
    except OSError:
        return []


def _list_project(project: Path, transcripts: list[Path], now: float) -> Iterator[Listed]:
    for path in transcripts:
        try:
            yield _list_one(project, path, now)
        except OSError:  # gone, or not ours to read: the others are still listed
            continue


def _list_one(project: Path, path: Path, now: float) -> Listed:
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        head = file.read(HEAD_BYTES)
        start = max(0, stat.st_size - TAIL_BYTES)
        file.seek(start)
        tail = file.read(TAIL_BYTES)
    newest = list(_records(tail, whole=start == 0))
    count = RunningCount()
    for record in newest:
        if record.get("subtype") == "compact_boundary":
            count = RunningCount()
        elif record.get("isSidechain") is not True:
            count_record(count, record)
    cwd = _last_text(newest, "cwd") or _last_text(list(_records(head, whole=True)), "cwd")
    return Listed(
        id=path.stem,
        project=project.name,
        cwd=cwd,
        path=str(path),
        model=_model(newest),
        last_write=stat.st_mtime,
        bytes=stat.st_size,
        context_tokens=count.total if count.anchor is not None or start == 0 else None,
        live=now - stat.st_mtime < LIVE_SECONDS,
    )


def _records(piece: bytes, *, whole: bool) -> Iterator[Record]:
    """The records of whole lines; `whole` False: the first line may be the end of one."""
    lines = piece.split(b"\n")
    for line in lines if whole else lines[1:]:
        if line.strip():
            yield from parse_line(line).records


def _last_text(records: list[Record], name: str) -> str | None:
    return next((value for record in reversed(records) if isinstance(value := record.get(name), str)), None)


def _model(records: list[Record]) -> str | None:
    for record in reversed(records):
        message: Any = record.get("message")
        if record.get("type") != "assistant" or record.get("isSidechain") is True:
            continue
        if isinstance(message, dict) and not is_synthetic(record):
            model = message.get("model")
            if isinstance(model, str):
                return model
    return None
