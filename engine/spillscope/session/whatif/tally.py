"""Sums a request of what results weigh, kept as differences: moving one result is one step (spec R3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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

    def add(self, rows: Iterable[int], ways: Sequence[int], sign: int = 1) -> None:
        """Results that end up in the ways that `ways` has for them; with −1 they are taken out."""
        sizes = self._ledger.sizes
        for row, way in zip(rows, ways, strict=True):
            tokens, saved, chars = sizes.tokens[way][row], sizes.saved[way][row], sizes.chars[way][row]
            if tokens or saved or chars:
                self._enter(row, sign * tokens, sign * saved, sign * chars)

    def move(self, rows: Iterable[int], way: int, to: int) -> None:
        """Results that ended up in one way end up in another."""
        sizes, enter = self._ledger.sizes, self._enter
        tokens, saved, chars = sizes.tokens[way], sizes.saved[way], sizes.chars[way]
        to_tokens, to_saved, to_chars = sizes.tokens[to], sizes.saved[to], sizes.chars[to]
        for row in rows:
            enter(row, to_tokens[row] - tokens[row], to_saved[row] - saved[row], to_chars[row] - chars[row])

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
        if row in timing.again:
            for later in timing.again[row]:
                self.tokens[later] += tokens
                self.saved[later] += saved
                self.chars[later] += chars

    def in_view(self, column: Sequence[int]) -> list[int]:
        """A column as sums over what is in view, request by request: it begins anew with each segment."""
        starts = self._ledger.timing.starts
        found: list[int] = []
        for start, end in pairwise([0, *starts[1:], len(column)]):
            found.extend(accumulate(column[start:end]))
        return found
