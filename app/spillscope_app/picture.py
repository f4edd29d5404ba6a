"""What the screens show at an instant: one immutable value, bound down from the app."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spillscope.session.calibrated import Calibrated
from spillscope.session.reading import Reading
from spillscope.session.whatif.comparison import Comparison

Watching = Literal["starting", "events", "polling"]
"""How changes are noticed: not yet, by a watcher's hints, or only by looking again and again."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What is shown of a session, how it is watched, and what went wrong with the last look, if anything.

    `path`: of its transcript; empty while no session is open. `reading`: what is shown: the newest reading (`live`), or the
    past as it stood at a request. `calibrated`: of `live`, `calibrated_then`: of the past; None until it is counted.
    `asked`: the request that the user went back to, from 0, which `reading` may still have to follow. `comparison`: what
    edited limits would do. `newer`: that of a live session of its project that began later. `limits_error`: why the newest
    limits are not in use. `missing`: spill files that are gone. `progress`: bytes read and bytes in all, while there is no
    reading.
    """

    path: str = ""
    reading: Reading | None = None
    watching: Watching = "starting"
    trouble: str | None = None
    limits_error: str | None = None
    progress: tuple[int, int] = (0, 0)
    newer: str | None = None
    missing: int = 0
    live: Reading | None = None
    calibrated: Calibrated | None = None
    calibrated_then: Calibrated | None = None
    asked: int | None = None
    comparison: Comparison | None = None

    @property
    def calibration(self) -> Calibrated | None:
        """What calibration says of what is shown; of the past what was known then."""
        return self.calibrated if self.reading is self.live else self.calibrated_then

    @property
    def tokens(self) -> int:
        """What is likely in the context of what is shown: fitted where it is calibrated (T9), else as in T4."""
        found = self.calibration
        if found is not None:
            return found.tokens
        return self.reading.context.tokens if self.reading is not None else 0

    @property
    def what_if(self) -> int | None:
        """The same under edited limits: what they change of it comes on top (R3)."""
        if self.comparison is None or self.reading is None:
            return None
        before, after, at = self.comparison.before.context, self.comparison.after.context, len(self.reading.requests)
        return max(0, self.tokens + after[at] - before[at]) if at < min(len(before), len(after)) else None
