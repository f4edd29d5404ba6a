"""A search under way: what a worker does, and what it tells of itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from spillscope_app.feed import PROGRESS_SECONDS
from spillscope_app.format import exact
from spillscope_app.spans import Line, Span, foreign
from spillscope_app.viewer.search import Search, Stopped


class Finding(NamedTuple):
    """How far a search is. `at`: the match to go to, if it was just found; `ordinal`: which one that is, from 1.

    `busy`: no match is found yet. `total` are counted in a `share` of the bytes, from 0 to 1.
    """

    text: str
    at: int | None = None
    ordinal: int | None = None
    total: int = 0
    share: float = 0.0
    busy: bool = False
    stopped: bool = False


def seek(search: Search, start: int, step: int, stopped: Stopped, tell: Callable[[Finding], object]) -> None:
    """Find the next match, tell of it, and then count on. Tells of its progress ten times a second."""
    found: int | None = None
    busy, until = True, 0.0

    def finding(at: int | None = None, ended: bool = False) -> Finding:
        ordinal = search.ordinal(found) if found is not None else None
        return Finding(search.needle.text, at, ordinal, search.total, search.share, busy, ended and not search.complete)

    def told() -> bool:
        nonlocal until
        if (now := time.monotonic()) >= until:
            until = now + PROGRESS_SECONDS
            tell(finding())
        return stopped()

    found = search.find(start, step, told)
    busy = False
    if found is not None:
        tell(finding(at=found))
    search.count(told)
    tell(finding(ended=True))


def finding_line(finding: Finding | None) -> Line:
    """A search in a few words."""
    if finding is None:
        return ()
    name = (Span("/", "dim"), foreign(finding.text, "strong"), Span("  "))
    more = "+" if finding.share < 1 else ""
    if finding.busy and not finding.stopped:
        return (*name, Span(f"searching {finding.share:.0%}, esc stops", "warn"))
    if finding.ordinal is not None:
        return (*name, Span(f"match {exact(finding.ordinal)} of {exact(finding.total)}{more}"))
    if finding.total:
        return (*name, Span(f"{exact(finding.total)}{more} matches"))
    return (*name, Span("stopped: no match so far" if finding.stopped else "no match", "warn"))
