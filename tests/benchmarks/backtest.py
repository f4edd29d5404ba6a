"""Estimates against what usage then proved, on real sessions (spec T9): a table a session, and one of all of them.

`fitted` starts from the shipped priors, which these sessions may have made; `unseen` from priors made of the other projects.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.fit import fit_prior
from spillscope.session.calibration import Calibrator
from spillscope.tokens.calibration import Errors, Step, judge, nearest_rank
from spillscope.tokens.priors import Prior, find_prior, priors
from transcripts import open_session

FEWEST = 5
"""A session with fewer steps that prove something has no line of its own."""


class Tested(NamedTuple):
    """A transcript: how many requests it holds, and its steps that prove something."""

    project: str
    name: str
    requests: int
    steps: list[Step]


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


def unseen_errors(tested: Sequence[Tested]) -> Iterator[tuple[Errors, ...]]:
    """Each session's errors under priors made of the other projects; a family that one project fills, of its other sessions."""

    @cache
    def made_without(prior: Prior, project: str, name: str) -> Prior:
        others = [one for one in tested if one.project != project] if _filled(prior, project) else ()
        steps = list(_of_family(prior, others)) or list(_of_family(prior, [one for one in tested if one.name != name]))
        return fit_prior(prior, steps)

    @cache
    def _filled(prior: Prior, project: str) -> bool:
        return len(list(_of_family(prior, [one for one in tested if one.project != project]))) >= 50

    for one in tested:
        project, name = one.project, one.name
        yield judge(one.steps, lambda model: made_without(find_prior(model), project, name)).errors  # noqa: B023


def _of_family(prior: Prior, tested: Sequence[Tested]) -> Iterator[Step]:
    return (step for one in tested for step in one.steps if find_prior(step.model) is prior)


def half_errors(steps: Sequence[Step]) -> list[float]:
    """For comparison: tiktoken's count times the median factor of a session's first half, on its second half."""
    middle = len(steps) // 2
    if middle < 2:
        return []
    factor = median(step.truth / step.weight.bpe for step in steps[:middle])
    return [factor * step.weight.bpe / step.truth - 1 for step in steps[middle:]]


def backtest(root: Path) -> str:
    """The tables."""
    tested = read_sessions(root)
    unseen = list(unseen_errors(tested))
    lines = [HEAD]
    pooled: dict[str, list[float]] = defaultdict(list)
    for one, errors in zip(tested, unseen, strict=True):
        columns = {
            "rough": [error.rough for error in errors],
            "tiktoken": [error.bpe for error in errors],
            "by halves": half_errors(one.steps),
            "second half": [error.fitted for error in errors][len(errors) // 2 :] if len(errors) // 2 >= 2 else [],
            "fitted": [error.fitted for error in judge(one.steps).errors],
            "unseen": [error.fitted for error in errors],
        }
        for name, found in columns.items():
            pooled[name] += found
        if len(errors) >= FEWEST:
            lines.append(_line(f"{one.project[:12]} {one.name[:8]}", one.requests, len(errors), columns))
    judged = sum(bool(one.steps) for one in tested)
    lines.append(_line(f"all {judged} sessions", sum(one.requests for one in tested), len(pooled["unseen"]), pooled))
    return "\n".join(lines)


HEAD = "".join(
    f"{title:>16}" if at > 2 else f"{title:<22}" if at == 0 else f"{title:>9}"
    for at, title in enumerate(
        ("session", "requests", "judged", "rough", "tiktoken", "by halves", "second half", "fitted", "unseen")
    )
)


def _line(name: str, requests: int, judged: int, columns: Mapping[str, Sequence[float]]) -> str:
    """Median and 90th percentile of the absolute errors; the median with its sign before those that lean to one side."""
    return f"{name:<22}{requests:>9,}{judged:>9,}" + "".join(f"{_sizes(errors):>16}" for errors in columns.values())


def _sizes(errors: Sequence[float]) -> str:
    if not errors:
        return "–"
    sizes = sorted(map(abs, errors))
    return f"{median(errors):+.0%} {median(sizes):.1%}/{nearest_rank(sizes, 90):.0%}"


def print_priors(root: Path) -> None:
    """The shipped priors, made anew of all sessions; the deciles are of errors on sessions that the fit had not seen."""
    tested = read_sessions(root)
    unseen = [error for errors in unseen_errors(tested) for error in errors]
    for prior in priors():
        steps = list(_of_family(prior, tested))
        made = fit_prior(prior, steps)
        errors = sorted(error.fitted for error in unseen if find_prior(error.model) is prior)
        print(f"[[family]] {prior.family}: {len(steps)} steps")
        print("weights =", ", ".join(f"{share:.3f}" for share in made.weights))
        print(f"message = {made.message:.1f}\nparallel = {made.parallel:.1f}\nrough = {made.rough:.2f}\nbpe = {made.bpe:.2f}")
        print("errors =", [round(nearest_rank(errors, percent), 3) for percent in range(10, 100, 10)])
