"""T9: how far estimates are from what usage proves, and the band that follows from it. Pure: steps in, values out."""

from __future__ import annotations

from typing import NamedTuple


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
