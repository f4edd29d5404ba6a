"""What the screens show at an instant: one immutable value, bound down from the app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spillscope.session.reading import Reading

Watching = Literal["starting", "events", "polling"]
"""How changes are noticed: not yet, by a watcher's hints, or only by looking again and again."""


@dataclass(frozen=True, slots=True)
class Picture:
    """The newest reading of a session, how it is watched, and what went wrong with the last look, if anything.

    `path`: of its transcript; empty while no session is open. `newer`: that of a live session of its project that began later.
    `missing`: spill files that are gone. `limits_error`: why the newest limits are not in use. `progress`: bytes read and bytes
    in all, while there is no reading.
    """

    path: str = ""
    reading: Reading | None = None
    watching: Watching = "starting"
    trouble: str | None = None
    limits_error: str | None = None
    progress: tuple[int, int] = (0, 0)
    newer: str | None = None
    missing: int = 0
