"""The session request by request: the plot's points, its legend, and where the jump keys lead."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from spillscope.session.history import History, Point
from spillscope.session.reading import Reading
from spillscope.window.thresholds import Window
from spillscope_app.format import plural, short
from spillscope_app.picture import Picture
from spillscope_app.spans import Line, Piece, Span, line, spread
from spillscope_app.views.facts import Facts
from spillscope_app.views.states import waiting_words
from spillscope_app.views.top import level_of
from spillscope_app.views.words import OVER, PERSISTED
from spillscope_app.widgets.gauge import CACHE_BROKE, COMPACTED, EXACT, WHAT_IF
from spillscope_app.widgets.plot import COMPACT_LINE, ESTIMATED, WARNING_LINE, WINDOW_LINE, Event, Plot, PlotPoint

Jump = Literal["first", "over", "largest", "next break", "last break", "next cut", "last cut"]
MISSED: dict[Jump, str] = {
    "first": "none has been answered",
    "largest": "none has been answered",
    "over": "no group was over its budget",
    "next break": "the cache never broke",
    "last break": "the cache never broke",
    "next cut": "the context never began anew",
    "last cut": "the context never began anew",
}
"""Why a jump led nowhere."""


def kept(before: Reading | None, reading: Reading) -> int:
    """How many requests at the beginning are the same in both, and so are their points."""
    if before is None or before.limits != reading.limits or before.largest_usage != reading.largest_usage:
        return 0
    old, new = before.requests, reading.requests
    return bisect_left(range(min(len(old), len(new))), True, key=lambda at: old[at] is not new[at])


def points_of(reading: Reading, known: Sequence[PlotPoint] = ()) -> Sequence[PlotPoint]:
    """One point a request: what usage says that it carried, or the estimate where no usage is told.

    `known`: those of the first requests, which stayed as they were.
    """
    history = History(reading)
    return [*known, *(_point(history[at]) for at in range(len(known), len(history)))]


def _point(point: Point) -> PlotPoint:
    request, window = point.request, point.window
    tokens = request.usage.prompt or request.estimate_before
    flags: tuple[tuple[Event, bool], ...] = (
        ("cut", point.cut is not None),
        ("broken", request.broken is not None),
        ("spilled", request.spilled > 0),
        ("over", request.over_budget),
    )
    events = frozenset([event for event, holds in flags if holds])
    return PlotPoint(
        tokens, request.estimate_before, bool(request.usage.prompt), lines_of(window), level_of(tokens, window), events
    )


def lines_of(window: Window) -> tuple[int, int, int]:
    """The window's marks across the plot."""
    return window.size, window.auto_compact if window.auto_compact_enabled else 0, max(0, window.warning)


def plot_of(picture: Picture, live: Reading, points: Sequence[PlotPoint]) -> Plot:
    """`points` of `live`, and what would go out now."""
    found = picture.calibrated
    tokens = live.context.tokens if found is None else found.tokens
    newest = PlotPoint(tokens, 0, True, lines_of(live.context.window), "fresh")
    return Plot(points, newest, picture.asked, _what_if(picture, [*(point.tokens for point in points), tokens]))


def _what_if(picture: Picture, tokens: Sequence[int]) -> Sequence[int] | None:
    """R3: the same figures under edited limits. None where there is no comparison, or one of another reading."""
    if picture.comparison is None:
        return None
    before, after = picture.comparison.before.context, picture.comparison.after.context
    if not len(tokens) == len(before) == len(after):
        return None
    return [max(0, told + changed - was) for told, was, changed in zip(tokens, before, after, strict=True)]


def jump(points: Sequence[PlotPoint], asked: int | None, where: Jump) -> int | None:
    """The request that a jump key leads to, from the one asked for; past the end it goes on at the other. None: none."""
    if where == "first":
        return 0 if points else None
    if where == "largest":
        return max(range(len(points)), key=lambda at: points[at].tokens, default=None)
    if where == "over":
        return next(_with(points, "over", range(len(points))), None)
    event: Event = "broken" if where.endswith("break") else "cut"
    total, here = len(points), len(points) if asked is None else asked
    on = where.startswith("next")
    places = [*range(here + 1, total), *range(min(here + 1, total))]
    if not on:
        places = [*range(here - 1, -1, -1), *range(total - 1, here - 1, -1)]
    return next(_with(points, event, places), None)


def _with(points: Sequence[PlotPoint], event: Event, places: Iterable[int]) -> Iterator[int]:
    return (at for at in places if event in points[at].events)


def title(picture: Picture) -> tuple[Line, Line]:
    """What the plot shows, and what its keys would do: for both ends of a rule."""
    live, asked = picture.live, picture.asked
    count = len(live.requests) if live is not None else 0
    name = line(Span("Context per request", "title"), Span(f"  {plural(count, 'request')}" if count else "", "dim"))
    state = "← goes back" if asked is None else "End goes back to live"
    return name, line(Span(state if count else "", "dim"))


def legend(picture: Picture, points: Sequence[PlotPoint], width: int) -> tuple[Line, ...]:
    """What the lines and the marks mean, the marks with how many there are of each."""
    live = picture.live
    if live is None:
        return ()
    window = live.context.window
    curves = [
        Piece(9, line(Span(EXACT, "gauge"), Span(" exact", "dim"))),
        Piece(2, line(Span(ESTIMATED, "fresh"), Span(" estimate before it", "dim"))),
        Piece(4, line(Span(WARNING_LINE, "dim"), Span(f" warning {short(window.warning)}", "dim"))),
        Piece(7, line(Span(WINDOW_LINE, "over"), Span(f" window {short(window.size)}", "dim"))),
    ]
    if window.auto_compact_enabled:
        compact = Piece(8, line(Span(COMPACT_LINE, "warn"), Span(f" auto-compact {short(window.auto_compact)}", "dim")))
        curves.insert(3, compact)
    if picture.comparison is not None:
        curves.insert(1, Piece(10, line(Span(WHAT_IF, "fresh"), Span(" what-if", "dim"))))
    counts: dict[Event, int] = {"cut": 0, "broken": 0, "spilled": 0, "over": 0}
    for point in points:
        for event in point.events:
            counts[event] += 1
    marks = [
        _counted(Span(COMPACTED, "warn"), "began anew", counts["cut"]),
        _counted(Span(CACHE_BROKE, "over"), "cache broke", counts["broken"]),
        _counted(PERSISTED.mark, "spilled", counts["spilled"]),
        _counted(OVER.mark, "over budget", counts["over"]),
    ]
    inner = max(0, width - 2)
    rows = (spread(curves, [], inner), spread([Piece(4 - at, mark) for at, mark in enumerate(marks)], [], inner))
    return tuple((Span(" "), *row) for row in rows)


def _counted(mark: Span, name: str, count: int) -> Line:
    if not count:
        return line(Span(f"{mark.text} {name} 0", "faint"))
    return line(mark, Span(f" {name} ", "dim"), Span(f"{count:,}", "strong"))


def nothing_to_plot(picture: Picture, width: int) -> Sequence[Line]:
    """What the screen says before the first request."""
    facts = Facts(max(1, width - 4))
    facts.gap()
    if picture.live is None:
        name, rest = waiting_words(picture)
    elif picture.live.requests:
        name, rest = f"Looking through {plural(len(picture.live.requests), 'request')} …", []
    else:
        name, rest = (
            "No request has been answered yet.",
            [line("Each answered request becomes a bar: how full the context was.")],
        )
    facts.say(line(Span(name, "title")))
    for sentence in rest:
        facts.gap()
        facts.say(sentence)
    return [(Span("  "), *spans) for spans in facts.lines]
