"""How the shipped priors were made: `python -m benchmarks.fit` prints `priors.toml` from real sessions.

A fit sees whole projects or nothing of them, so that what it is judged on is not what it was made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from spillscope.tokens.calibration import Step
from spillscope.tokens.priors import Prior

ROUNDS = 40
NARROW = 0.03
"""Relative errors below this count alike: rounding, not fit."""
FLOOR_TOKENS = 40
RIDGE = 0.003
"""How hard the kinds of characters are drawn to nothing beside tiktoken's count."""

Matrix = list[list[float]]


def fit_prior(prior: Prior, steps: Sequence[Step]) -> Prior:
    """A family's prior with its shares made from steps: least absolute relative error, by least squares weighted anew."""
    rows = [[*map(float, step.weight), 1.0, float(step.messages - 1)] for step in steps]
    shares = _least(rows, [float(step.truth) for step in steps])
    if shares[-1] < 0:
        shares = [*_least([row[:-1] for row in rows], [float(step.truth) for step in steps]), 0.0]
    return replace(
        prior,
        weights=tuple(shares[:-2]),
        message=shares[-2],
        parallel=shares[-1],
        rough=median(step.truth / step.rough for step in steps),
        bpe=median(step.truth / step.weight.bpe for step in steps),
    )


def _least(rows: Matrix, truths: Sequence[float]) -> list[float]:
    size = len(rows[0])
    base = [1 / max(truth, FLOOR_TOKENS) for truth in truths]
    scale = [
        (sum((row[at] * weight) ** 2 for row, weight in zip(rows, base, strict=True)) / len(rows)) ** 0.5 + 1e-12
        for at in range(size)
    ]
    scaled = [
        [value * weight / unit for value, unit in zip(row, scale, strict=True)] for row, weight in zip(rows, base, strict=True)
    ]
    wanted = [truth * weight for truth, weight in zip(truths, base, strict=True)]
    found = [0.0] * size
    trust = [1.0] * len(rows)
    for _ in range(ROUNDS):
        found = _solve(*_normal(scaled, wanted, trust))
        misses = (abs(_dot(row, found) - want) for row, want in zip(scaled, wanted, strict=True))
        trust = [1 / max(miss, NARROW) for miss in misses]
    return [value / unit for value, unit in zip(found, scale, strict=True)]


def _normal(rows: Matrix, wanted: Sequence[float], trust: Sequence[float]) -> tuple[Matrix, list[float]]:
    """The normal equations, with the ridge on the kinds of characters and on parallel messages."""
    size = len(rows[0])
    left = [[0.0] * size for _ in range(size)]
    right = [0.0] * size
    for row, want, weight in zip(rows, wanted, trust, strict=True):
        for at, value in enumerate(row):
            share = value * weight
            right[at] += share * want
            line = left[at]
            for other in range(size):
                line[other] += share * row[other]
    drawn = RIDGE * sum(trust)
    for at in range(size):
        left[at][at] += 1e-9 + (drawn if 0 < at < 6 or at == 7 else 0.0)
    return left, right


def _solve(left: Matrix, right: list[float]) -> list[float]:
    """Gaussian elimination; the matrix is positive definite."""
    size = len(right)
    lines = [[*line, value] for line, value in zip(left, right, strict=True)]
    for at in range(size):
        pivot = lines[at]
        for line in lines[at + 1 :]:
            share = line[at] / pivot[at]
            for column in range(at, size + 1):
                line[column] -= share * pivot[column]
    found = [0.0] * size
    for at in range(size - 1, -1, -1):
        found[at] = (lines[at][size] - _dot(lines[at][at + 1 : size], found[at + 1 :])) / lines[at][at]
    return found


def _dot(mine: Sequence[float], theirs: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(mine, theirs, strict=True))
