"""W8: how many turns, and how long, until a context reaches its marks, with the spread.

A turn is a request of the conversation. Growth is what one request carried more than the one before it, so only exact usage
counts. The constants are fitted to real sessions: a range is meant to hold in four cases of five, whatever the gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from spillscope.window.thresholds import Window

FEWEST_TURNS = 3
MOST_TURNS = 200
"""As many of the newest turns are looked at; what is older has next to no weight."""
SHRINK_TOKENS = 2_000
"""A context that fell by so much was cut: what grew before says nothing any more."""
PAUSE_SECONDS = 5 * 60
"""A longer gap between two turns is a pause, not the pace of the work."""

_HALF_LIFE = 40  # turns until a growth counts half
_BURST = 8_000  # more than that in one turn is rare and foretells nothing
_USUAL_GROWTH, _USUAL_WEIGHT = 2_000, 8  # tokens a turn, before a session has shown its own; worth so many turns
_LEAD = 2  # single bursts carry the mean: most gaps take longer to close than the mean says
_OWN_SPREAD, _PATH_SPREAD = 4.0, 0.5  # variance of the logarithm: of a mean known from one turn, of a way of one turn,
_DRIFT = 0.1  # and of work that changes
_LOW, _HIGH = 1.2, 0.9  # deviations to either side
_AT_ONCE = 0.5  # the low end: so much of the largest of the newest growths may come in one turn


class Sent(NamedTuple):
    """One turn: tokens of its request (T1 without the output), and when it was answered, in seconds since the epoch."""

    tokens: int
    at: float | None


class Range(NamedTuple):
    """Turns: as few as `lo`, most likely `mid`, as many as `hi`. All 0 where the mark is reached."""

    lo: int
    mid: int
    hi: int


class Forecast(NamedTuple):
    """Turns to each mark of a window. `turns`: on how many it rests. `tokens_per_turn`: the growth that it expects.

    `seconds_per_turn`: the pace of these turns without their pauses; None where no times are known.
    """

    warning: Range
    auto_compact: Range
    window: Range
    turns: int
    tokens_per_turn: float
    seconds_per_turn: float | None

    def minutes(self, turns: Range) -> tuple[float, float, float] | None:
        """How long a range of turns lasts at this pace; None where no pace is known."""
        if self.seconds_per_turn is None:
            return None
        low, mid, high = (round(count * self.seconds_per_turn / 60, 1) for count in turns)
        return low, mid, high


def forecast(sent: Sequence[Sent], tokens: int, window: Window, tokens_hi: int | None = None) -> Forecast | None:
    """W8 for a context of `tokens` now, after the turns `sent` of its segment, oldest first.

    `tokens_hi`: the most that the context may hold, where its size is an estimate; the low ends take it (T9). None on fewer
    than three turns since the context was last cut.
    """
    turns = since_shrink(sent[-MOST_TURNS:])
    if len(turns) < FEWEST_TURNS:
        return None
    steps = [after.tokens - before.tokens for before, after in pairwise(turns)]
    growth, weight = _growth(steps)
    most = tokens if tokens_hi is None else max(tokens, tokens_hi)
    burst = _AT_ONCE * max(0, *steps[-_HALF_LIFE:])

    def until(mark: int) -> Range:
        _, mid, high = _spread(mark - tokens, growth, weight)
        low, _, _ = _spread(mark - most - burst, growth, weight)
        return Range(0 if mark <= most else max(1, low), mid, high)

    return Forecast(
        until(window.warning),
        until(window.auto_compact),
        until(window.size),
        len(turns),
        growth,
        _pace([turn.at for turn in turns if turn.at is not None]),
    )


def since_shrink(sent: Sequence[Sent]) -> Sequence[Sent]:
    """The turns since the context was last cut within its segment."""
    for at in range(len(sent) - 1, 0, -1):
        if sent[at].tokens < sent[at - 1].tokens - SHRINK_TOKENS:
            return sent[at:]
    return sent


def _growth(steps: Sequence[int]) -> tuple[float, float]:
    """The growth to expect of a turn, in tokens, and how many turns' worth is known of it."""
    weights = [0.5 ** ((len(steps) - 1 - at) / _HALF_LIFE) for at in range(len(steps))]
    grown = sum(weight * min(max(step, 0), _BURST) for weight, step in zip(weights, steps, strict=True))
    known = sum(weights)
    return (grown + _USUAL_GROWTH * _USUAL_WEIGHT) / (known + _USUAL_WEIGHT), known


def _spread(gap: float, growth: float, weight: float) -> tuple[int, int, int]:
    """Low, middle and high count of turns until a gap is closed."""
    if gap <= 0:
        return 0, 0, 0
    middle = gap / growth + _LEAD
    deviation = math.sqrt(_OWN_SPREAD / weight + _PATH_SPREAD / middle + _DRIFT)
    low, high = middle * math.exp(-_LOW * deviation), middle * math.exp(_HIGH * deviation)
    return max(1, math.floor(low)), round(middle), math.ceil(high)


def _pace(times: Sequence[float]) -> float | None:
    gaps = [after - before for before, after in pairwise(times) if 0 <= after - before <= PAUSE_SECONDS]
    return sum(gaps) / len(gaps) if gaps else None
