"""W3: when automatic compaction stops by itself."""

from __future__ import annotations

from dataclasses import dataclass

MAX_FAILURES = 3
QUICK_TURNS = 3
MAX_QUICK_REFILLS = 3


@dataclass(slots=True)
class Breaker:
    """`failures`: in a row. `turns`: requests since the last compaction, None before the first one. `refills`: compactions in
    a row that were full again within `QUICK_TURNS` requests each."""

    failures: int = 0
    turns: int | None = None
    refills: int = 0
    _counted: bool = False  # the refill since the last compaction is in `refills`

    @property
    def stopped(self) -> bool:
        """Three failures in a row."""
        return self.failures >= MAX_FAILURES

    @property
    def thrashing(self) -> bool:
        """Three refills within three turns each: another compaction would not help either."""
        return self.refills >= MAX_QUICK_REFILLS

    def request(self) -> None:
        """One more request is being made."""
        if self.turns is not None:
            self.turns += 1

    def filled(self) -> None:
        """The context is full: a refill, where it was compacted before. Told once for each compaction."""
        if self.turns is None or self._counted:
            return
        self.refills = self.refills + 1 if self.turns <= QUICK_TURNS else 0
        self._counted = True

    def roomy(self) -> None:
        """The context is not full, whatever made room: once it thrashed, it may be tried again."""
        if self.thrashing:
            self.refills = 0

    def failed(self) -> None:
        self.failures += 1

    def compacted(self) -> None:
        self.failures, self.turns, self._counted = 0, 0, False
