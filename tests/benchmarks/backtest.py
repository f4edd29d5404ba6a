"""Estimates against what usage then proved, on real sessions (spec T9).

`fitted` starts from the shipped priors, which these sessions may have made; `unseen` from priors made of other projects.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import NamedTuple

from benchmarks.fit import fit_prior
from spillscope.session.calibration import Calibrator
from spillscope.tokens.calibration import Errors, Step, band, judge, nearest_rank
from spillscope.tokens.priors import Prior, find_prior, priors
from transcripts import open_session

FEWEST = 5
"""A session with fewer steps that prove something has no line of its own."""
ENOUGH = 50
"""Steps of other projects that a prior may be made of; a family with fewer is told apart by session instead."""
MEDIAN_AIM, P90_AIM, WORSE_AIM, OUTSIDE_AIM = 0.05, 0.20, 0.02, 0.20


class Tested(NamedTuple):
    """A transcript: how many requests it holds, and its steps that prove something."""

    project: str
    name: str
    requests: int
    steps: list[Step]


class Row(NamedTuple):
    """One line: relative errors by estimate. `halves`: tiktoken's count times the median factor of a session's first half, on
    its second half; `second`: the unseen estimate on that half. `outside`: 1 where a truth was not in the unseen band."""

    name: str
    requests: int
    judged: int
    rough: list[float]
    tiktoken: list[float]
    halves: list[float]
    second: list[float]
    fitted: list[float]
    unseen: list[float]
    outside: list[float]


def read_sessions(root: Path) -> list[Tested]:
    """Every transcript below `projects/` with at least two requests, sub-agents' included."""
    found = []
    for path in sorted((root / "projects").rglob("*.jsonl")):
        session = open_session(path)
        session.refresh()
        calibrator = Calibrator(session, None, None)
        requests = calibrator.run().requests
        steps = [step for step in calibrator.steps().values() if isinstance(step, Step)]
        if requests:
            found.append(Tested(path.relative_to(root / "projects").parts[0], path.stem, requests, steps))
    return found


class Unseen:
    """Priors made without what they are to judge."""

    def __init__(self, tested: Sequence[Tested]) -> None:
        self._tested = tested
        self._made: dict[tuple[Prior, str, str], Prior] = {}

    def prior(self, project: str, name: str, model: str | None) -> Prior:
        """A model's prior, made of other projects, or of other sessions where other projects have too little."""
        family = find_prior(model)
        others = [one for one in self._tested if one.project != project]
        key = (family, project, "")
        if sum(1 for _ in steps_of(family, others)) < ENOUGH:
            others, key = [one for one in self._tested if one.name != name], (family, project, name)
        if key not in self._made:
            self._made[key] = fit_prior(family, list(steps_of(family, others)))
        return self._made[key]

    def row(self, one: Tested) -> Row:
        errors = judge(one.steps, partial(self.prior, one.project, one.name)).errors
        unseen = [error.fitted for error in errors]
        middle = len(errors) // 2
        halved = middle >= 2
        return Row(
            f"{one.project[:12]} {one.name[:8]}",
            one.requests,
            len(errors),
            [error.rough for error in errors],
            [error.bpe for error in errors],
            by_halves(one.steps, middle) if halved else [],
            unseen[middle:] if halved else [],
            [error.fitted for error in judge(one.steps).errors],
            unseen,
            [_outside(errors, at) for at in range(len(errors))],
        )


def _outside(errors: Sequence[Errors], at: int) -> float:
    """Whether a step's truth was outside the band that was drawn before it was known."""
    model = errors[at].model
    before = [error.fitted for error in errors[:at] if error.model == model]
    low, high = band(1 + errors[at].fitted, before, find_prior(model))
    return 0.0 if low <= 1 <= high else 1.0


def steps_of(family: Prior, tested: Sequence[Tested]) -> Iterator[Step]:
    return (step for one in tested for step in one.steps if find_prior(step.model) is family)


def by_halves(steps: Sequence[Step], middle: int) -> list[float]:
    factor = median(step.truth / step.weight.bpe for step in steps[:middle])
    return [factor * step.weight.bpe / step.truth - 1 for step in steps[middle:]]


# --- tables -------------------------------------------------------------------------------------------------------------

COLUMNS = ("rough", "tiktoken", "halves", "second", "fitted", "unseen")


def backtest(root: Path) -> str:
    """The table: for each estimate the signed median of its errors, the median of their size, and the 90th percentile."""
    tested = read_sessions(root)
    rows = [Unseen(tested).row(one) for one in tested]
    judged = [row for row in rows if row.judged]
    every = Row(
        f"all: {len(judged)} sessions",
        sum(row.requests for row in rows),
        sum(row.judged for row in rows),
        *([error for row in rows for error in getattr(row, name)] for name in (*COLUMNS, "outside")),
    )
    head = f"{'session':<22}{'requests':>9}{'judged':>8}" + "".join(f"{name:>18}" for name in COLUMNS)
    shown = [row for row in judged if row.judged >= FEWEST]
    return "\n".join([head, *map(_line, shown), _line(every), *_aims(shown, every)])


def _line(row: Row) -> str:
    return f"{row.name:<22}{row.requests:>9,}{row.judged:>8,}" + "".join(
        f"{_sizes(getattr(row, name)):>18}" for name in COLUMNS
    )


def _sizes(errors: Sequence[float]) -> str:
    return f"{median(errors):+.0%} {_middle(errors):.1%} {_far(errors):.0%}" if errors else "–"


def _middle(errors: Sequence[float]) -> float:
    return median(map(abs, errors))


def _far(errors: Sequence[float]) -> float:
    return nearest_rank(sorted(map(abs, errors)), 90)


def _aims(rows: Sequence[Row], every: Row) -> Iterator[str]:
    worst = max((_middle(row.unseen) - min(_middle(row.rough), _middle(row.tiktoken)) for row in rows), default=0.0)
    for what, value, aim in (
        ("unseen, median", _middle(every.unseen), MEDIAN_AIM),
        ("unseen, 90th percentile", _far(every.unseen), P90_AIM),
        ("unseen less the better of rough and tiktoken, median, in the worst session", worst, WORSE_AIM),
        ("truths outside the band drawn before they were known", mean(every.outside), OUTSIDE_AIM),
    ):
        yield f"{what}: {value:.1%}, aim < {aim:.0%}: {'reached' if value < aim else 'missed'}"


def shipped_priors(root: Path) -> str:
    """The shipped priors, made anew of all sessions; the deciles are of errors on sessions that the fit had not seen."""
    tested = read_sessions(root)
    unseen = Unseen(tested)
    lines = []
    for family in priors():
        errors = sorted(
            error.fitted
            for one in tested
            for error in judge(one.steps, partial(unseen.prior, one.project, one.name)).errors
            if find_prior(error.model) is family
        )
        steps = list(steps_of(family, tested))
        made = fit_prior(family, steps)
        lines += [
            f"{family.family}: {len(steps)} steps",
            f"weights = {', '.join(f'{share:.3f}' for share in made.weights)}",
            f"message = {made.message:.1f}, parallel = {made.parallel:.1f}, rough = {made.rough:.2f}, bpe = {made.bpe:.2f}",
            f"errors = {[round(nearest_rank(errors, percent), 3) for percent in range(10, 100, 10)]}",
        ]
    return "\n".join(lines)
