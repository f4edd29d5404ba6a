"""The context of a session, request after request, and what is to come of it (spec W1, W8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple, overload

from spillscope.session.reading import Cut, Reading, Request
from spillscope.window.forecast import MOST_TURNS, Forecast, Sent, forecast
from spillscope.window.models import resolve_window
from spillscope.window.thresholds import Window


class Point(NamedTuple):
    """One request of a session's history.

    `window`: the window that it went to, with its marks. `cut`: what began the context anew right before it, if anything did.
    """

    number: int
    request: Request
    window: Window
    cut: Cut | None


class History(Sequence[Point]):
    """The points of a reading, made as they are asked for. A model's window is found once."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._windows: dict[str | None, Window] = {reading.session.model: reading.context.window}

    def __len__(self) -> int:
        return len(self._reading.requests)

    @overload
    def __getitem__(self, at: int) -> Point: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Point]: ...
    def __getitem__(self, at: int | slice) -> Point | Sequence[Point]:
        places = range(len(self))[at]
        return self._point(places) if isinstance(places, int) else [self._point(place) for place in places]

    def _point(self, number: int) -> Point:
        reading, requests = self._reading, self._reading.requests
        request = requests[number]
        began = number > 0 and requests[number - 1].segment != request.segment
        return Point(number, request, self._window(request.model), reading.cuts[request.segment - 1] if began else None)

    def _window(self, model: str | None) -> Window:
        found = self._windows.get(model)
        if found is None:
            found = self._windows[model] = resolve_window(model, self._reading.largest_usage, self._reading.limits)
        return found


def forecast_of(reading: Reading, tokens_hi: int | None = None) -> Forecast | None:
    """W8 for a reading, by the requests of its current segment. `tokens_hi`: the upper end of the gauge's band (T9)."""
    turns = list(islice(_newest_first(reading), MOST_TURNS))[::-1]
    return forecast(turns, reading.context.tokens, reading.context.window, tokens_hi)


def _newest_first(reading: Reading) -> Iterator[Sent]:
    segment = len(reading.cuts)
    for request in reversed(reading.requests):
        if request.segment != segment:
            return
        if request.usage.total:
            yield Sent(request.usage.prompt, request.timestamp)
