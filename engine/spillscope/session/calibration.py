"""T8, T9 over a session: counts what the newest requests carried, in slices, and says what follows from it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from spillscope.session.calibrated import Calibrated, Residual
from spillscope.session.in_view import NOTHING_IN_VIEW, bpe_after, estimate_after, estimate_head, find_in_view, find_moment
from spillscope.session.reading import Request
from spillscope.session.session import Session
from spillscope.session.steps import LeftOut, Stretch, find_step, step_of, wanted_of
from spillscope.session.weights import Want, Weights
from spillscope.tokens.calibration import Band, Errors, Fit, Judgement, Scores, Step, band, judge, scores
from spillscope.tokens.rough import UNITS_PER_TOKEN
from spillscope.transcript.index import OTHER

NEWEST_REQUESTS = 200
MOST_CHARS = 1_000_000
"""As many requests, and as much of their text, as are looked at unless somebody wants all."""


class _Found(NamedTuple):
    """A request's step: it holds while the request is the same and the response before it has as many records."""

    last: Request
    request: Request
    records: int
    step: Stretch | LeftOut
    chars: int


class Calibrator:
    """Calibrates a session bit by bit. `step` belongs to the thread that refreshes the session; `value` to anybody.

    The value depends on the session as it stands, not on how it came to be; an append costs what it brought.
    """

    def __init__(
        self,
        session: Session,
        requests: int | None = NEWEST_REQUESTS,
        chars: int | None = MOST_CHARS,
        *,
        before: int | None = None,
        weights: Weights | None = None,
    ) -> None:
        """`requests`, `chars`: how many of the newest requests, and units of their text, are looked at; None: all.

        `before`: the number of a request, for the session as it stood when that was about to go out. `weights`: what another
        calibrator of the session has counted.
        """
        self._session = session
        self._requests, self._chars, self._before = requests, chars, before
        self.weights = Weights(session) if weights is None else weights
        self._found: dict[int, _Found] = {}
        self._steps: dict[int, Step | LeftOut] = {}
        self._moment = find_moment(session, before)
        self._view = NOTHING_IN_VIEW
        self._seen: object = None
        self._work: Iterator[int] = iter(())
        self._busy = False
        self._value: Calibrated | None = None
        self.done = self.total = 0

    @property
    def value(self) -> Calibrated | None:
        """What was found when all was last counted; None before."""
        return self._value

    def step(self, seconds: float) -> bool:
        """Count for about so long, the newest first; whether more is to be done. `done` of `total` units tell how far it is."""
        seen = self._signature()
        if seen != self._seen:
            self._plan()
            self._seen, self._busy = seen, True
        if not self._busy:
            return False
        until = time.monotonic() + seconds
        for chars in self._work:
            self.done = min(self.total, self.done + chars)
            if time.monotonic() >= until:
                return True
        self._value, self._busy, self.done = self._calibrate(), False, self.total
        return False

    def at(self, request: int) -> Calibrator:
        """One for the session as it stood when that request was about to go out; it shares what was counted.

        An unknown request raises IndexError.
        """
        return Calibrator(self._session, self._requests, self._chars, before=request, weights=self.weights)

    def run(self) -> Calibrated:
        """All of it at once."""
        while self.step(1.0):
            pass
        assert self._value is not None
        return self._value

    def _signature(self) -> object:
        """Differs where the session does, as far as this looks at it."""
        index, replay = self._session.index, self._session.replay
        return index.records, len(index), id(index.uuids), id(replay), replay.switch

    # --- what to count --------------------------------------------------------------------------------------------------

    def _plan(self) -> None:
        if self.weights.stale:
            self.weights.clear()
            self._found, self._steps = {}, {}
        self._moment = find_moment(self._session, self._before)
        self._view = find_in_view(self._session, self._moment)
        self._found = self._newest()
        self._steps = {number: step for number, step in self._steps.items() if number in self._found}
        in_view = list(self._in_view())
        in_steps = (member for _, _, step in self._to_judge() for member in step.members)
        self.done, self.total = 0, self._units(filter(self.weights.wants, dict.fromkeys([*in_view, *in_steps])))
        self._work = self.weights.count(chain(map(Want, in_view), self._in_steps()))

    def _newest(self) -> dict[int, _Found]:
        """The steps of the newest requests, newest first, as many as are wanted."""
        requests, chars = self._session.replay.requests, 0
        found: dict[int, _Found] = {}
        for number in range(self._moment.requests - 1, 0, -1):
            step = self._find(number, requests[number - 1], requests[number])
            chars += step.chars
            if (self._requests is not None and len(found) >= self._requests) or (
                self._chars is not None and chars > self._chars
            ):
                break
            found[number] = step
        return found

    def _find(self, number: int, last: Request, request: Request) -> _Found:
        records = len(self._session.index.responses[last.response].members)
        known = self._found.get(number)
        if known is not None and known.request is request and known.records == records:
            return known
        self._steps.pop(number, None)
        step = find_step(self._session, last, request)
        return _Found(last, request, records, step, self._units(step.members) if isinstance(step, Stretch) else 0)

    def _units(self, members: Iterable[int]) -> int:
        """About how many units of text there are to count."""
        index = self._session.index
        return sum(
            index.lengths[member] if index.kinds[member] == OTHER else UNITS_PER_TOKEN * index.tokens[member]
            for member in members
        )

    def _in_view(self) -> Iterator[int]:
        """What is in view, where that is not too much."""
        view = self._view
        for members in ((*view.after, *view.attached), (*view.head, *view.head_attached)):
            if self._chars is None or self._units(members) <= self._chars:
                yield from reversed(members)
        if view.anchored is not None:
            yield from self._session.index.responses[view.anchored].members

    def _to_judge(self) -> Iterator[tuple[Request, Request, Stretch]]:
        """The steps of which it is not known yet what they prove."""
        for number, found in self._found.items():
            if number not in self._steps and isinstance(found.step, Stretch):
                yield found.last, found.request, found.step

    def _in_steps(self) -> Iterator[Want]:
        for last, request, step in self._to_judge():
            yield from wanted_of(self._session, self.weights, last, request, step)

    # --- what follows from it -------------------------------------------------------------------------------------------

    def steps(self) -> dict[int, Step | LeftOut]:
        """What each request looked at proves, by its number, oldest first; or why it proves nothing. All was counted."""
        return {number: self._step(number) for number in sorted(self._found)}

    def _calibrate(self) -> Calibrated:
        found = self.steps().values()
        left_out = Counter(step for step in found if isinstance(step, str))
        judgement = judge(step for step in found if isinstance(step, Step))
        model, usage = self._moment.model, self._moment.usage
        fit = judgement.fit_for(model)
        estimate = estimate_after(self._session, self.weights, self._view, fit)
        low, high = band(estimate, _fitted(judgement.errors, model), fit.prior)
        return Calibrated(
            usage=usage,
            estimate=round(estimate),
            estimate_bpe=bpe_after(self._session, self.weights, self._view),
            band=Band(usage + round(low), usage + round(high)),
            residual=self._residual(fit, judgement),
            scores=scores(judgement.errors, fit),
            models=tuple(_by_model(judgement)),
            requests=len(self._found),
            left_out=tuple(sorted(left_out.items())),
        )

    def _step(self, number: int) -> Step | LeftOut:
        found = self._found[number]
        if not isinstance(found.step, Stretch):
            return found.step
        known = self._steps.get(number)
        if known is None:
            known = step_of(self._session, self.weights, found.last, found.request, found.step)
            if known != "unread":  # perhaps next time
                self._steps[number] = known
        return known

    def _residual(self, fit: Fit, judgement: Judgement) -> Residual | None:
        first = self._view.first
        if first is None or not first.usage.prompt:
            return None
        estimate = estimate_head(self._session, self.weights, self._view, fit)
        tokens = first.usage.prompt - round(estimate)
        if tokens < 0:
            return None
        low, high = band(estimate, _fitted(judgement.errors, first.model), fit.prior)
        return Residual(tokens, Band(max(0, first.usage.prompt - round(high)), first.usage.prompt - round(low)))


def _fitted(errors: Sequence[Errors], model: str | None) -> list[float]:
    return [error.fitted for error in errors if error.model == model]


def _by_model(judgement: Judgement) -> Iterator[tuple[str | None, Scores]]:
    for model, fit in reversed(judgement.fits.items()):
        yield model, scores([error for error in judgement.errors if error.model == model], fit)
