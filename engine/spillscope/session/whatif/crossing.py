"""Where the auto-compact line is crossed, and from where on a curve is only a guess (spec R3, W2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from spillscope.session.reading import Cut, Reading
from spillscope.session.whatif.comparison import Crossing
from spillscope.window.thresholds import Window


def crossing(before: Sequence[int], after: Sequence[int], windows: tuple[Window, Window]) -> Crossing:
    """The first requests at or over the line, under each of the two."""
    return Crossing(*(_first_over(curve, _line(window)) for curve, window in zip((before, after), windows, strict=True)))


def hypothetical_from(
    before: Sequence[int], after: Sequence[int], windows: tuple[Window, Window], starts: Sequence[int], reading: Reading
) -> int | None:
    """The first request behind a compaction that would have moved.

    Only automatic compactions move: a segment's own line is the one that W2 gives, or, where the agent compacted below it,
    the largest context that it reached. A segment that went on over its line says that nothing watches it.
    """
    lines = (_line(windows[0]), _line(windows[1]))
    if lines[0] is None and lines[1] is None:
        return None
    ends = [*starts[1:], len(before)]
    for number, (start, end) in enumerate(pairwise([0, *ends])):
        automatic = number < len(reading.cuts) and _is_automatic(reading, reading.cuts[number])
        moved = _moved(before[start:end], after[start:end], lines, ended=automatic)
        if moved is not None and start + moved < len(before):
            return start + moved
    return None


def _moved(before: Sequence[int], after: Sequence[int], lines: tuple[int | None, int | None], *, ended: bool) -> int | None:
    """Where in a segment the compaction moves to, or the end of the segment where it would have gone on."""
    line, edited = lines
    if ended and before:
        reached = max(before)
        strayed = reached - line if line is not None and reached < line else 0
        line = reached if line is None else line + strayed
        edited = None if edited is None else edited + strayed
    first, now = _first_over(before, line), _first_over(after, edited)
    if now is not None and (first is None or now < first):
        return now + 1
    if ended and now != first:
        return len(before)
    return None


def _is_automatic(reading: Reading, cut: Cut) -> bool:
    return cut.compaction is not None and reading.session.compactions[cut.compaction].trigger == "auto"


def _line(window: Window) -> int | None:
    return window.auto_compact if window.auto_compact_enabled else None


def _first_over(curve: Sequence[int], line: int | None) -> int | None:
    if line is None or not curve or max(curve) < line:
        return None
    return next(at for at, tokens in enumerate(curve) if tokens >= line)
