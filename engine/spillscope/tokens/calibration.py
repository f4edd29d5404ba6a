"""T9: how far estimates are from what usage proves, and the band that follows from it. Pure: steps in, values out."""

from __future__ import annotations

from bisect import insort
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from math import exp, log
from typing import NamedTuple

from spillscope.tokens.priors import Prior, find_prior
from spillscope.tokens.weight import Weight

REMEMBERED = 60
"""Steps of a session that a factor is drawn from: the newest."""
PRIOR_STEPS = 4.0
"""How many full steps the shipped prior counts for."""
FULL_STEP_TOKENS = 300
"""A step of so many tokens counts in full; a smaller one less, as what stands around its text weighs more."""
OVER_PERCENT, UNDER_PERCENT = 90, 5
"""The percentiles of the errors that bound a band: nine of ten estimates were not further over the truth, and 19 of 20 not
further under it, as to underestimate does more harm."""


class Step(NamedTuple):
    """One request's new messages: what they cost (`truth`), and what there was to estimate it from.

    `rough`: T3 of them. `messages`: how many there were.
    """

    model: str | None
    truth: int
    rough: int
    weight: Weight
    messages: int


class Errors(NamedTuple):
    """Relative errors of the three estimates on one step, (estimate - truth) / truth; the fitted one had not seen it."""

    model: str | None
    rough: float
    bpe: float
    fitted: float


class Score(NamedTuple):
    """How one estimate did on `n` steps: relative errors, (estimate - truth) / truth, None without a step.

    `median` is signed; `median_abs` and `p90_abs` are of the absolute error. `factor`: what the estimate is to be multiplied
    by, as the session has it; from the shipped prior where the session says nothing yet. That of the fitted estimate: tokens
    for each token of the second one.
    """

    n: int
    median: float | None
    median_abs: float | None
    p90_abs: float | None
    factor: float


class Scores(NamedTuple):
    """The three estimates on the same steps: the agent's own rule (T3), tiktoken's count (T8), and the fitted one."""

    rough: Score
    bpe: Score
    fitted: Score


class Band(NamedTuple):
    """Tokens: where four of five truths lie. Where one number has to decide, `high` does (T9)."""

    low: int
    high: int


class Drawn:
    """A robust factor: the weighted median of what the newest steps said, drawn towards a prior that counts as some steps."""

    def __init__(self, prior: float) -> None:
        self._prior = log(prior)
        self._newest: deque[tuple[float, float]] = deque(maxlen=REMEMBERED)
        self._sorted: list[tuple[float, float]] = [(self._prior, PRIOR_STEPS)]

    @property
    def factor(self) -> float:
        half = sum(weight for _, weight in self._sorted) / 2
        for value, weight in self._sorted:
            half -= weight
            if half <= 0:
                return exp(value)
        return exp(self._prior)

    def learn(self, truth: float, estimate: float) -> None:
        """Take a step in: `truth` over `estimate` is what the factor should have been."""
        if truth <= 0 or estimate <= 0:
            return
        if len(self._newest) == REMEMBERED:
            self._sorted.remove(self._newest[0])
        said = (log(truth / estimate), min(1.0, truth / FULL_STEP_TOKENS))
        self._newest.append(said)
        insort(self._sorted, said)


class Fit:
    """One model's factors, learned step by step from the family's prior."""

    def __init__(self, prior: Prior) -> None:
        self.prior = prior
        self.rough, self.bpe, self.scale = Drawn(prior.rough), Drawn(prior.bpe), Drawn(1.0)

    def estimate(self, weight: Weight, messages: int) -> float:
        """Tokens of the messages of one step, as fitted so far."""
        return self.scale.factor * self.prior.text_tokens(weight) + self.prior.around(messages)

    def learn(self, step: Step) -> None:
        self.rough.learn(step.truth, step.rough)
        self.bpe.learn(step.truth, step.weight.bpe)
        self.scale.learn(step.truth - self.prior.around(step.messages), self.prior.text_tokens(step.weight))


class Judgement(NamedTuple):
    """`errors`: of each step, in order. `fits`: what each model's steps have taught, the newest model last."""

    errors: tuple[Errors, ...]
    fits: dict[str | None, Fit]

    def fit_for(self, model: str | None) -> Fit:
        return self.fits.get(model) or Fit(find_prior(model))


def judge(steps: Iterable[Step], prior_for: Callable[[str | None], Prior] = find_prior) -> Judgement:
    """Estimate each step from the ones before it, hold it against its truth, then learn from it."""
    errors: list[Errors] = []
    fits: dict[str | None, Fit] = {}
    for step in steps:
        fit = fits.pop(step.model, None) or Fit(prior_for(step.model))
        fits[step.model] = fit
        estimates = (step.rough, step.weight.bpe, fit.estimate(step.weight, step.messages))
        errors.append(Errors(step.model, *(estimate / step.truth - 1 for estimate in estimates)))
        fit.learn(step)
    return Judgement(tuple(errors), fits)


def scores(errors: Sequence[Errors], fit: Fit) -> Scores:
    """The three estimates on the same steps; the factors are those of one model's fit."""
    return Scores(
        _score([error.rough for error in errors], fit.rough.factor),
        _score([error.bpe for error in errors], fit.bpe.factor),
        _score([error.fitted for error in errors], fit.prior.bpe * fit.scale.factor),
    )


def _score(errors: Sequence[float], factor: float) -> Score:
    if not errors:
        return Score(0, None, None, None, factor)
    from statistics import median  # late: a status line has no time for it

    sizes = sorted(map(abs, errors))
    return Score(len(errors), median(errors), median(sizes), nearest_rank(sizes, 90), factor)


def nearest_rank(ordered: Sequence[float], percent: int) -> float:
    """The percentile of what is sorted, by the nearest rank."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def highest(usage: int, estimate: int, model: str | None) -> int:
    """The band's upper end of a T4 count of which nothing but its model is known: by the prior of the model's family."""
    prior = find_prior(model)
    return usage + round(band(estimate * prior.rough, (), prior)[1])


def band(estimate: float, errors: Sequence[float], prior: Prior) -> tuple[float, float]:
    """Where four of five truths lie for an estimate, by the session's errors and those that the prior brings along."""
    known = sorted([*errors[-REMEMBERED:], *prior.errors])
    over, under = nearest_rank(known, OVER_PERCENT), nearest_rank(known, UNDER_PERCENT)
    return estimate / (1 + max(over, 0.0)), estimate / (1 + min(under, 0.0))
