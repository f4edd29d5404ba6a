"""Many sessions at a glance: heads and tails only (spec cli: `sessions`)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from spillscope.session.sidechains import session_of
from spillscope.tokens.calibration import highest
from spillscope.tokens.running import RunningCount
from spillscope.transcript.ends import whole_records
from spillscope.transcript.layout import beside_agents, is_helper, place_of, projects_in, sidechain_files, transcripts_in
from spillscope.transcript.parse import Record
from spillscope.transcript.sidechains import count_record, model_of

HEAD_BYTES = 64 << 10
TAIL_BYTES = 256 << 10
LIVE_SECONDS = 60.0


class Found(NamedTuple):
    """A transcript from outside: nothing of it was read yet."""

    path: Path
    last_write: float


class Listed(NamedTuple):
    """One session. `live`: written a moment ago.

    `context_tokens`: T4 over its tail, `highest_tokens`: what that is at most (T9); None where the tail holds no usage.
    """

    id: str
    project: str
    cwd: str | None
    path: str
    model: str | None
    last_write: float
    bytes: int
    context_tokens: int | None
    highest_tokens: int | None
    live: bool


def find_sessions(root: Path) -> list[Found]:
    """The transcripts of a projects root, or of one project folder, over all projects the newest first. Opens none."""
    found: list[Found] = []
    for path in _transcripts_below(root):
        with suppress(OSError):  # gone between two looks
            found.append(Found(path, path.stat().st_mtime))
    return sorted(found, key=lambda one: -one.last_write)


def list_sessions(root: Path, now: float) -> Iterator[Listed]:
    """The sessions of a projects root, or of one project folder; the newest of each project first."""
    for path in _transcripts_below(root):
        with suppress(OSError):  # gone, or not ours to read: the others are still listed
            yield look_at(path, now)


def look_at(path: Path, now: float) -> Listed:
    """One session, or one sub-agent that has a file of its own."""
    place = place_of(path)
    with path.open("rb") as file:
        stat = os.fstat(file.fileno())
        head = file.read(HEAD_BYTES)
        start = max(0, stat.st_size - TAIL_BYTES)
        file.seek(start)
        tail = file.read(TAIL_BYTES)
    newest = list(whole_records(tail, whole=start == 0))
    own = newest if place.agent_id is not None else [record for record in newest if record.get("isSidechain") is not True]
    count = RunningCount()
    for record in own:
        if record.get("subtype") == "compact_boundary":
            count = RunningCount()
        else:
            count_record(count, record)
    model = next(filter(None, map(model_of, reversed(own))), None)
    known = count.anchor is not None or start == 0
    cwd = _last_text(newest, "cwd") or _last_text(list(whole_records(head, whole=True)), "cwd")
    return Listed(
        id=path.stem,
        project=place.project.name,
        cwd=cwd,
        path=str(path),
        model=model,
        last_write=stat.st_mtime,
        bytes=stat.st_size,
        context_tokens=count.total if known else None,
        highest_tokens=highest(count.usage, count.estimate, model) if known else None,
        live=now - stat.st_mtime < LIVE_SECONDS,
    )


def agent_files(project: Path) -> dict[str, list[Path]]:
    """The files of sub-agents in one project folder, by the id of their session: helper forks (S10) last."""
    found: dict[str, list[Path]] = {}
    for file in beside_agents(place_of(project / "any.jsonl")):
        if (named := session_of(file)) is not None:
            found.setdefault(named, []).append(file)
    with os.scandir(project) as entries:
        sessions = [entry.name for entry in entries if entry.is_dir()]
    for name in sessions:
        files = sidechain_files(place_of(project / f"{name}.jsonl"))
        found.setdefault(name, []).extend(files)
    return {name: sorted(files, key=_is_helper_file) for name, files in found.items() if files}


def _is_helper_file(file: Path) -> bool:
    return is_helper(file.stem.removeprefix("agent-"))


def newer_session(path: Path, now: float) -> Path | None:
    """The live session of the same project that began last, if it began after this one."""
    live = [file for file in _transcripts(place_of(path).project) if file != path and _is_live(file, now)]
    if not live:
        return None
    began = {file: _started(file) for file in live}
    newest = max(live, key=began.__getitem__)
    return newest if began[newest] > _started(path) else None


def _is_live(path: Path, now: float) -> bool:
    try:
        return now - path.stat().st_mtime < LIVE_SECONDS
    except OSError:
        return False


def _started(path: Path) -> str:
    """The first time that a transcript states, as it states it: such times sort as text. Empty where it states none."""
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return ""
    return _last_text(list(whole_records(head, whole=True))[::-1], "timestamp") or ""


def _transcripts_below(root: Path) -> Iterator[Path]:
    """Those of each project in turn; a folder that holds transcripts is a project itself."""
    own = _transcripts(root)
    if own:
        yield from own
        return
    for project in projects_in(root):
        yield from _transcripts(project)


def _transcripts(folder: Path) -> list[Path]:
    try:
        return transcripts_in(folder)
    except OSError:
        return []


def _last_text(records: list[Record], name: str) -> str | None:
    return next((value for record in reversed(records) if isinstance(value := record.get(name), str)), None)
