"""Steps of a value that is nudged: from round number to round number, the longer a key is held the further."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

HELD_SECONDS = 0.2
"""A key that comes again within this time is being held, or is meant to be one change with the one before."""
_PACES = ((60, 10), (30, 5), (12, 2))
"""After so many steps at a stretch each goes so many marks."""
_MARKS: tuple[int, ...] = (
    *range(100, 1_000, 100),
    *range(1_000, 5_000, 500),
    *range(5_000, 50_000, 1_000),
    *range(50_000, 100_000, 2_000),
    *range(100_000, 200_000, 5_000),
    *range(200_000, 500_000, 10_000),
    *range(500_000, 1_000_000, 25_000),
    *range(1_000_000, 5_000_001, 100_000),
)
"""Sizes that people set."""


def nudged(value: float, direction: int, marks: int = 1) -> int:
    """The next round number, or the one so many marks on; the smallest and the largest are the end."""
    at = bisect_right(_MARKS, value) - 1 + marks if direction > 0 else bisect_left(_MARKS, value) - marks
    return _MARKS[max(0, min(at, len(_MARKS) - 1))]


def percent_nudged(percent: float, direction: int) -> int:
    """The next multiple of five percent."""
    steps = int(percent // 5) + 1 if direction > 0 else -int(-percent // 5) - 1
    return max(5, min(100, 5 * steps))


class Pace:
    """How far one press goes: presses at a stretch go faster and faster."""

    def __init__(self) -> None:
        self._last, self._run = (float("-inf"), ""), 0

    def press(self, what: str, now: float) -> tuple[int, bool]:
        """Marks of this press, and whether it goes on from the one before. `what`: the value and the direction."""
        at, before = self._last
        goes_on = what == before and now - at <= HELD_SECONDS
        self._run = self._run + 1 if goes_on else 0
        self._last = now, what
        return next((marks for presses, marks in _PACES if self._run >= presses), 1), goes_on
