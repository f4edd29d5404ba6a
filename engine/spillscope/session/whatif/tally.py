"""Sums a request of what results weigh, kept as differences: moving one result is one step (spec R3)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise

from spillscope.session.whatif.ledger import Ledger
from spillscope.session.whatif.timing import NOWHERE


class Tally:
    """What enters with each request, the next one last. Tokens are T3 against what the transcript shows.

    `kept_out` and `chars_kept_out`: over all results, in view or not.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.tokens: list[int] = []
        self.saved: list[int] = []
        self.chars: list[int] = []
        self.kept_out = self.chars_kept_out = 0
        self.resize()

    def resize(self) -> None:
        """As many places as there are requests, and one more."""
        length = self._ledger.timing.requests + 1
        for column in (self.tokens, self.saved, self.chars):
            column.extend([0] * (length - len(column)))
            del column[length:]

    def add(self, row: int, way: int, sign: int = 1) -> None:
        """One result, or with −1 one less, that ends up in a way."""
        sizes = self._ledger.sizes
        self._enter(row, sign * sizes.tokens[way][row], sign * sizes.saved[way][row], sign * sizes.chars[way][row])

    def move(self, row: int, way: int, to: int) -> None:
        """One result ends up in another way."""
        sizes = self._ledger.sizes
        tokens, saved, chars = sizes.tokens, sizes.saved, sizes.chars
        self._enter(row, tokens[to][row] - tokens[way][row], saved[to][row] - saved[way][row], chars[to][row] - chars[way][row])

    def _enter(self, row: int, tokens: int, saved: int, chars: int) -> None:
        self.kept_out += saved
        self.chars_kept_out += chars
        timing = self._ledger.timing
        at = timing.enters[row]
        if at == NOWHERE:
            return
        self.tokens[at] += tokens
        self.saved[at] += saved
        self.chars[at] += chars
        for at in timing.again.get(row, ()):
            self.tokens[at] += tokens
            self.saved[at] += saved
            self.chars[at] += chars

    def in_view(self, column: Sequence[int]) -> list[int]:
        """A column as sums over what is in view, request by request: it begins anew with each segment."""
        starts = self._ledger.timing.starts
        found: list[int] = []
        for start, end in pairwise([0, *starts[1:], len(column)]):
            found.extend(accumulate(column[start:end]))
        return found
