"""W2: the marks inside a window."""

from __future__ import annotations

import math
from dataclasses import dataclass

MAX_OUTPUT_RESERVE = 20_000
AUTO_COMPACT_BUFFER = 13_000
WARNING_BUFFER = 20_000
BLOCKING_BUFFER = 3_000


@dataclass(frozen=True, slots=True)
class Window:
    """A context window in tokens, and where its size came from.

    `threshold` is what `percent_left` counts against: auto_compact where auto-compact is on, else effective.
    """

    size: int
    source: str
    guessed: bool
    effective: int
    auto_compact: int
    warning: int
    blocking: int
    auto_compact_enabled: bool = True

    @property
    def threshold(self) -> int:
        return self.auto_compact if self.auto_compact_enabled else self.effective

    def percent_left(self, used: int) -> int:
        """W2: percent of the way to the threshold that is left, never below 0, rounded half up."""
        if self.threshold <= 0:
            return 0
        return max(0, math.floor((self.threshold - used) / self.threshold * 100 + 0.5))

    def percent_used(self, used: int) -> float:
        """Percent of the whole window, one decimal; over 100 stays over."""
        return math.floor(used / self.size * 1000 + 0.5) / 10


def window_thresholds(
    size: int,
    max_output: int,
    *,
    source: str,
    guessed: bool = False,
    auto_compact: bool = True,
    auto_compact_pct: float | None = None,
) -> Window:
    """W2: effective, auto-compact, warning and blocking of a window of `size` tokens."""
    effective = size - min(max_output, MAX_OUTPUT_RESERVE)
    compact_at = effective - AUTO_COMPACT_BUFFER
    if auto_compact_pct is not None and 1 <= auto_compact_pct <= 100:
        compact_at = min(compact_at, math.floor(effective * auto_compact_pct / 100))
    return Window(
        size=size,
        source=source,
        guessed=guessed,
        effective=effective,
        auto_compact=compact_at,
        warning=(compact_at if auto_compact else effective) - WARNING_BUFFER,
        blocking=effective - BLOCKING_BUFFER,
        auto_compact_enabled=auto_compact,
    )
