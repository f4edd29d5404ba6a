"""Forecasts against what then happened (spec W8), on real sessions.

`python -m benchmarks.forecast`, with SPILLSCOPE_REAL_SESSIONS naming their folder. Three questions: does the range of a
forecast made five turns before a real compaction hold five; does it for any level that a context grew over, as if that had been
the mark; and does it hold what came for any forecast, whatever the distance to its mark.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from spillscope.session.compactions import judge_compactions
from spillscope.session.reading import Reading
from spillscope.window.forecast import Range, Sent, forecast, since_shrink
from spillscope.window.thresholds import Window, window_thresholds
from transcripts import open_session

AHEAD = 5
LEVEL_STEP = 1_000
GAPS = (3_000, 8_000, 20_000, 40_000, 80_000)
FULL = 130_000
"""From here on a level stands about where real windows have their marks."""
HEAD = ("forecasts", "made", "sessions", "held", "too long", "too short", "hi/lo", "off by")


class Case(NamedTuple):
    """A forecast, and the turns that it really took; `at_least` where the session ended before the mark."""

    session: str
    found: Range
    turns: int
    at_least: bool = False

    @property
    def verdict(self) -> str:
        if self.at_least:
            return "short" if self.found.hi <= self.turns else "open"
        return "short" if self.turns > self.found.hi else "held" if self.turns >= self.found.lo else "long"


def stretches(reading: Reading) -> Iterator[list[Sent]]:
    """The turns of a session between two cuts of its context."""
    segments: dict[int, list[Sent]] = {}
    for request in reading.requests:
        if request.usage.total:
            segments.setdefault(request.segment, []).append(Sent(request.usage.prompt, request.timestamp))
    for turns in segments.values():
        while turns:
            last = list(since_shrink(turns))
            turns = turns[: len(turns) - len(last)]
            yield last


def foretold(turns: Sequence[Sent], mark: int) -> Range | None:
    """The turns to a mark, as the forecast has them after the last of some turns."""
    found = forecast(turns, turns[-1].tokens, _window(mark))
    return None if found is None else found.auto_compact


def before_compactions(name: str, reading: Reading) -> Iterator[Case]:
    """Forecasts five turns before automatic compactions; the turn that the compaction took counts."""
    ended = {cut.compaction: segment for segment, cut in enumerate(reading.cuts)}
    for judged in judge_compactions(reading):
        if judged.verdict in ("manual", "unknown") or judged.number not in ended:
            continue
        segment = [request for request in reading.requests if request.segment == ended[judged.number]]
        turns = [Sent(request.usage.prompt, request.timestamp) for request in segment if request.usage.total]
        found = foretold(turns[: len(turns) - AHEAD + 1], judged.expected) if len(turns) >= AHEAD else None
        if found is not None:
            yield Case(name, found, AHEAD)


def before_levels(name: str, turns: Sequence[Sent], first: int = 0) -> Iterator[Case]:
    """Forecasts five turns before each level that a stretch grew over."""
    reached = 0
    for at, turn in enumerate(turns):
        for level in range((reached // LEVEL_STEP + 1) * LEVEL_STEP, turn.tokens + 1, LEVEL_STEP):
            found = foretold(turns[: at - AHEAD + 1], level) if at >= AHEAD and level >= first else None
            if found is not None:
                yield Case(name, found, AHEAD)
        reached = max(reached, turn.tokens)


def at_distance(name: str, turns: Sequence[Sent], gap: int) -> Iterator[Case]:
    """Forecasts after each turn, to a mark at a distance."""
    for at, turn in enumerate(turns[:-1]):
        found = foretold(turns[: at + 1], turn.tokens + gap)
        if found is None:
            continue
        later = turns[at + 1 :]
        taken = next((count for count, then in enumerate(later, 1) if then.tokens >= turn.tokens + gap), None)
        yield Case(name, found, len(later) if taken is None else taken, taken is None)


def row(name: str, cases: Sequence[Case]) -> tuple[str, ...]:
    """How many forecasts, of how many sessions; and of those that can be judged, how many held, how wide and how far off."""
    judged = [case for case in cases if case.verdict != "open"]
    if not judged:
        return (name, "none", *[""] * (len(HEAD) - 2))
    shares = [sum(case.verdict == verdict for case in judged) / len(judged) for verdict in ("held", "long", "short")]
    width = median(case.found.hi / max(1, case.found.lo) for case in judged)
    off = math.exp(median(abs(math.log(case.turns / max(1, case.found.mid))) for case in judged))
    sessions = len({case.session for case in judged})
    return (name, f"{len(judged):,}", f"{sessions}", *(f"{share:.1%}" for share in shares), f"{width:.1f}", f"×{off:.2f}")


def forecast_table(root: Path) -> str:
    """The table of all transcripts below a folder."""
    readings = [(str(path), open_session(path).refresh()) for path in sorted(root.rglob("*.jsonl"))]
    readings = [(name, reading) for name, reading in readings if len(reading.requests) >= AHEAD]
    parts = [(name, turns) for name, reading in readings for turns in stretches(reading)]
    compactions = [case for name, reading in readings for case in before_compactions(name, reading)]
    levels, full = ([case for part in parts for case in before_levels(*part, first)] for first in (0, FULL))
    distances = {gap: [case for part in parts for case in at_distance(*part, gap)] for gap in GAPS}
    every = [case for cases in distances.values() for case in cases]
    rows = [
        HEAD,
        row("five turns before a compaction", compactions),
        row("five turns before any level", levels),
        row(f"five turns before a level from {FULL:,}", full),
        *(row(f"any, {half} half of the sessions", _half(every, at)) for at, half in enumerate(("one", "other"))),
        *(row(f"any, {gap:,} tokens from the mark", cases) for gap, cases in distances.items()),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join([cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])]).rstrip() for cells in rows)
    requests = sum(len(reading.requests) for _, reading in readings)
    return "\n".join([f"{len(readings)} sessions, {requests:,} requests", *lines])


def _half(cases: Sequence[Case], half: int) -> list[Case]:
    names = sorted({case.session for case in cases})
    return [case for case in cases if names.index(case.session) % 2 == half]


def _window(mark: int) -> Window:
    """A window whose auto-compact mark is there."""
    bare = window_thresholds(0, 0, source="")
    return window_thresholds(mark - bare.auto_compact, 0, source="")


def main() -> None:
    """Print the table."""
    named = os.environ.get("SPILLSCOPE_REAL_SESSIONS")
    if not named:
        sys.exit("SPILLSCOPE_REAL_SESSIONS names no folder of real sessions")
    print(forecast_table(Path(named)))


if __name__ == "__main__":
    main()
