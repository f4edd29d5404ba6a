"""What a path on the command line means for the inspector, and what reads a session."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from spillscope.limits_sources import WatchedLimits
from spillscope.session.session import Session
from spillscope.transcript.layout import Place, default_config_dir, place_of, resolve, slug_of, transcripts_in
from spillscope_app.cli_limits import LimitsRequest
from spillscope_app.feed import Source
from spillscope_app.source import SessionSource


@dataclass(frozen=True, slots=True)
class Start:
    """What the inspector begins with.

    `session`: the transcript to show at once, which may still be to come; None: the picker. `root`: the folder whose
    sessions the picker lists. `awaited`: the project folder whose first session opens by itself, `awaited_name` the
    directory that it stands for.
    """

    session: str | None
    root: Path
    awaited: Path | None = None
    awaited_name: str = ""


def find_start(path: Path | None) -> Start:
    """What a path means; without one the newest session of this directory's project, or the picker until there is one.

    Raises SessionNotFoundError, in words for the user.
    """
    if path is None:
        return _start_here(default_config_dir(os.environ) / "projects")
    if not path.exists() and path.suffix == ".jsonl" and path.parent.is_dir():
        return _start_with(place_of(path.absolute()))
    target = resolve(path)
    return Start(None, target.path) if target.place is None else _start_with(target.place)


def _start_here(root: Path) -> Start:
    here = Path.cwd()
    project = root / slug_of(str(here))
    found = transcripts_in(project) if project.is_dir() else []
    return Start(str(found[0]), root) if found else Start(None, root, project, str(here))


def _start_with(place: Place) -> Start:
    return Start(str(place.path), place.project if place.config_dir is None else place.project.parent)


class Opened(NamedTuple):
    """What reads a session, and the files whose change means that it has changed."""

    source: Source
    watched: tuple[str, ...]


def open_source(session: str, request: LimitsRequest) -> Opened:
    """The session of a transcript. Raises LimitsError, in words for the user."""
    place = place_of(Path(session))
    limits = WatchedLimits(request.plan(place.config_dir or default_config_dir(os.environ)))
    return Opened(SessionSource(Session(place, limits.book), limits), (session,))
