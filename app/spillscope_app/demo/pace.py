"""Time as the demo sees it: real seconds that can end early, or a story's own, which pass at once."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Stopped(Exception):  # noqa: N818 — nothing went wrong
    """Nobody watches any more: the demo ends where it is."""


class Pace(Protocol):
    """The clock that records are stamped with, and the pauses between them."""

    def now(self) -> datetime: ...

    def wait(self, seconds: float) -> None:
        """Lets this much of the story's time pass. Raises Stopped."""


class LivePace:
    """Real time, `speed` times as fast, until `stop` is set."""

    def __init__(self, speed: float, stop: threading.Event) -> None:
        self._speed, self._stop = speed, stop

    def now(self) -> datetime:
        return datetime.now(UTC)

    def wait(self, seconds: float) -> None:
        if self._stop.wait(seconds / self._speed):
            raise Stopped


class StoryPace:
    """A clock that only the story moves: whatever is told by it is the same each time, and takes no time."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        return self._now

    def wait(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
