"""The what-if of one session: ask as often as a key repeats (spec R3, R4)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress, count
from operator import add, ne

from spillscope.limits_sources import LimitsBook
from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.session.spills.model import Spill
from spillscope.session.whatif.comparison import Comparison, Curve, Mode, Rereads, Spending
from spillscope.session.whatif.crossing import crossing, hypothetical_from
from spillscope.session.whatif.flips import Change, Flips, Side
from spillscope.session.whatif.ledger import Ledger
from spillscope.session.whatif.outcome import Outcome
from spillscope.session.whatif.prices import Paid, Prices
from spillscope.session.whatif.terms import Terms
from spillscope.window.models import resolve_window
from spillscope.window.thresholds import Window


class WhatIf:
    """A session's results in columns, decided twice. A new question costs what it changes, an append what was appended.

    Like its session not safe for two threads at once: call it where the session is refreshed, or hold a lock around both.
    What it answers stays what it was.
    """

    def __init__(
        self, session: Session, reading: Reading, base: LimitsBook | None = None, prices: Prices | None = None
    ) -> None:
        """`reading`: what `session.refresh()` just returned. `base`: the limits in force; by default the session's own."""
        self.session, self.reading = session, reading
        self.base = session.book if base is None else base
        self._prices = Prices() if prices is None else prices
        self._reread: dict[str, Spill] = {}
        self._usual: tuple[float, tuple[Curve, float]] | None = None  # what the limits in force come to, for a factor
        self._begin()

    def follow(self, reading: Reading) -> None:
        """Take in what the session got since; call it with what `session.refresh()` just returned."""
        self.reading = reading
        self._usual = None
        standing = self.ledger.standing()
        switched = self._before.terms.switch != Terms(self.ledger, self.base).switch
        if standing < 0 or switched:
            self._begin()
            return
        outcomes = [self._before] if self._after is None else [self._before, self._after]
        for outcome in reversed(outcomes):
            outcome.truncate(standing)
        self.ledger.truncate(standing)
        self.ledger.extend()
        for outcome in outcomes:
            outcome.extend()
        self._paid.follow(reading.requests)

    def note_rereads(self, spills: Iterable[Spill]) -> None:
        """What is known of spills that were read back (`reread`, `tokens_reread`), those of sub-agents left aside."""
        self._reread = {
            spill.tool_use_id: spill for spill in spills if spill.reread and spill.tool_use_id and spill.agent_id is None
        }

    def compare(self, edited: LimitsBook, mode: Mode = "start", *, since: int | None = None, factor: float = 1.0) -> Comparison:
        """What the edit does. `since`: for "now": the first request decided under it; None: the one that is to go out next.

        `factor`: tokens that the session's model makes of one T3 token (T9).
        """
        first = 0 if mode == "start" else self.ledger.timing.requests if since is None else since
        before, after = self._before, self._decide(edited, 0 if mode == "start" else self.ledger.first_run(first))
        usual = self._usual
        if usual is None or usual[0] != factor:
            usual = self._usual = factor, self._curve(before, factor)
        (curve, cost), (edited_curve, edited_cost) = usual[1], self._curve(after, factor)
        curves, costs = (curve, edited_curve), (cost, edited_cost)
        contexts = (curves[0].context, curves[1].context)
        windows = (self._window(self.base), self._window(edited))
        persisted, replaced = zip(before.spilled(), after.spilled(), strict=True)
        return Comparison(
            mode=mode,
            since=first,
            flips=self._flips(before, after),
            results=len(self.ledger.rows),
            spilled=Change(*map(add, persisted, replaced)),
            replaced=Change(*replaced),
            chars_kept_out=Change(before.tally.chars_kept_out, after.tally.chars_kept_out),
            tokens_kept_out=Change(before.tally.kept_out, after.tally.kept_out),
            kept_out_requests=Change(*(sum(curve.tokens_kept_out) for curve in curves)),
            over_budget=Change(before.over_budget(), after.over_budget()),
            before=curves[0],
            after=curves[1],
            auto_compact=crossing(*contexts, windows),
            hypothetical_from=hypothetical_from(*contexts, windows, self.ledger.timing.starts, self.reading),
            rereads=(self._rereads(before), self._rereads(after)),
            cost=Spending(*costs),
            unknown=tuple([self.ledger.rows[row].tool_use_id for row in self.ledger.unknown]),
            windows=windows,
        )

    @property
    def outcomes(self) -> tuple[Outcome, Outcome]:
        """What becomes of every result under the limits in force, and under those that were compared last."""
        return self._before, self._before if self._after is None else self._after

    def largest_group(self, edited: LimitsBook) -> int:
        """Units that the largest group holds against its budget under some limits."""
        after = self._after
        if after is None or after.first_run or after.terms.book != edited:
            after = Outcome(self.ledger, Terms(self.ledger, edited))  # what was compared last stays what it is
        return max(after.sums, default=0)

    # --- the two outcomes ---------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self.ledger = Ledger(self.session)
        self._before = Outcome(self.ledger, Terms(self.ledger, self.base))
        self._after: Outcome | None = None
        self._usual = None
        self._paid = Paid(self._prices)
        self._paid.follow(self.reading.requests)

    def _decide(self, edited: LimitsBook, first_run: int) -> Outcome:
        terms = Terms(self.ledger, edited)
        after = self._after
        if after is None or after.first_run != first_run or not after.move(terms):
            after = self._after = Outcome(self.ledger, terms, self._before if first_run else None, first_run)
        return after

    # --- what they come to --------------------------------------------------------------------------------------------------

    def _curve(self, outcome: Outcome, factor: float) -> tuple[Curve, float]:
        tally = outcome.tally
        more = tally.in_view(tally.tokens)
        weighed = more if factor == 1 else [round(factor * tokens) for tokens in more]
        curve = Curve(list(map(add, self._contexts(), weighed)), tally.in_view(tally.saved), tally.in_view(tally.chars))
        return curve, self._paid.cost(tally.tokens, more, factor)

    def _contexts(self) -> list[int]:
        """Tokens in the context as usage has them, the next request last."""
        return [*self._paid.contexts, self.reading.context.tokens]

    def _window(self, book: LimitsBook) -> Window:
        index = self.session.index
        return resolve_window(index.model, index.largest_usage, book.for_version(index.version))

    def _flips(self, before: Outcome, after: Outcome) -> Flips:
        """The results whose fates differ, with all that is needed to tell of them later."""
        places = list(compress(count(), map(ne, before.fates(), after.fates())))
        was, now = (Side(outcome.terms.thresholds, bytes(outcome.codes)) for outcome in (before, after))
        return Flips(self.ledger.facts(), places, was, now, last_group=len(self.reading.groups))

    def _rereads(self, outcome: Outcome) -> Rereads:
        found = Rereads()
        for tool_use_id, spill in self._reread.items():
            row = self.ledger.find(tool_use_id)
            if row is not None and outcome.is_spilled(row):
                kept_out = self.ledger.sizes.saved[outcome.way(row)][row] * self.ledger.timing.stay(row)
                found = Rereads(
                    found.results + 1,
                    found.times + (spill.reread or 0),
                    found.tokens + spill.tokens_reread,
                    found.kept_out + kept_out,
                )
        return found


def what_if(
    session: Session,
    reading: Reading,
    base: LimitsBook,
    edited: LimitsBook,
    mode: Mode = "start",
    *,
    since: int | None = None,
    factor: float = 1.0,
) -> Comparison:
    """One question, asked once."""
    return WhatIf(session, reading, base).compare(edited, mode, since=since, factor=factor)
