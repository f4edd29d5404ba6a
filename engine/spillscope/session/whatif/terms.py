"""The limits of a book, asked once for each kind of result (spec L8, L9, B6, L10)."""

from __future__ import annotations

import sys

from spillscope.limits import Threshold
from spillscope.limits_sources import LimitsBook
from spillscope.session.session import Session
from spillscope.session.whatif.columns import Kind
from spillscope.session.whatif.ledger import Ledger


class Terms:
    """What a book says: thresholds and exemptions by kind, the budget of a message, and whether it is on."""

    def __init__(self, ledger: Ledger, book: LimitsBook) -> None:
        self.book = book
        self.budget = book.newest.get_per_message_budget_limit()
        self.switch = is_on(ledger.session, book)
        self.thresholds: list[Threshold] = []
        self.exempt: list[bool] = []
        self.learn(ledger)

    @property
    def limit(self) -> float:
        """What a group may hold. Never infinite: between a run's bounds there is room for it."""
        return self.budget if self.switch else sys.maxsize

    def learn(self, ledger: Ledger) -> None:
        """Ask for the kinds that are new."""
        for kind in ledger.kinds[len(self.thresholds) :]:
            self._ask(kind)

    def exempts_like(self, other: Terms) -> bool:
        """Whether both spare the same results from the budget."""
        return self.switch == other.switch and self.exempt == other.exempt

    def _ask(self, kind: Kind) -> None:
        limits = self.book.for_version(kind.version)
        self.thresholds.append(limits.get_persistence_threshold(kind.tool))
        self.exempt.append(limits.is_exempt(kind.tool))


def is_on(session: Session, book: LimitsBook) -> bool:
    """L10: the switch as the book sets it, else as the transcript shows it."""
    chosen = book.for_version(session.index.version).aggregate
    return session.believed().on if chosen is None else chosen
