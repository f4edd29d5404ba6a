"""Progress of long work, on a terminal's stderr only (spec cli)."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

QUIET_SECONDS = 1.0
EVERY_SECONDS = 0.1


class Progress:
    """Shows `step(done, total)` once the work has taken a second, and wipes the line at the end."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._shown = False
        self._next = time.monotonic() + QUIET_SECONDS
        self._wanted = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def step(self, done: int, total: int) -> bool:
        """Show how far it is. Always True: the work goes on."""
        now = time.monotonic()
        if self._wanted and now >= self._next and total:
            self._shown, self._next = True, now + EVERY_SECONDS
            sys.stderr.write(f"\r{self._what} {100 * done // total} %\x1b[K")
            sys.stderr.flush()
        return True
