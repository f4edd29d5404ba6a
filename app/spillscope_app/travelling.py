"""The part of the inspector that goes back in time: the whole app shows the session as it stood at one of its requests."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.app import App
from textual.widgets import Input
from textual.worker import get_current_worker

from spillscope.errors import SpillscopeError
from spillscope.session.calibrated import Calibrated
from spillscope.session.reading import Reading
from spillscope_app.feed import SLICE_SECONDS, FromFeed, Source
from spillscope_app.picture import Picture
from spillscope_app.screens.timeline import TimelineScreen


@dataclass
class Past(FromFeed):
    """The session as it stood at a request; None where the conversation has no such request any more.

    `calibrated`: what was known of its size then; None while that is counted.
    """

    request: int
    reading: Reading | None
    calibrated: Calibrated | None = None


class TravellingApp(App[None]):
    """Keeps the moment that is shown apart from the newest reading, which goes on."""

    # --- what the inspector is to this part ------------------------------------------------------------------------------

    _picture: Picture
    _origin: int

    def _source(self) -> Source:
        raise NotImplementedError

    def _show(self, picture: Picture) -> None:
        raise NotImplementedError

    def _tell(self, text: str, *, is_trouble: bool = False) -> None:
        raise NotImplementedError

    # --- going there ----------------------------------------------------------------------------------------------------

    def _show_newest(self, live: Reading) -> None:
        """A new reading: it is shown, unless the user went back to a request; that is looked at again where it changed."""
        picture = self._picture
        asked, before = picture.asked, picture.live
        if asked is None or before is None:
            self._show(replace(picture, reading=live, live=live, calibrated=None))
            return
        self._show(replace(picture, live=live, calibrated=None))
        if asked >= len(live.requests) or live.requests[asked].assistant_id != before.requests[asked].assistant_id:
            self._go(None)
            self._tell("that request is no longer in the conversation: back to live")
        elif live.requests[asked] is not before.requests[asked] or live.limits != before.limits:
            self._go(asked)

    def _go(self, request: int | None) -> None:
        """Show the session as it stood at a request, or as it stands now."""
        picture = self._picture
        if picture.live is None:
            return
        if request is None:
            self.workers.cancel_group(self, "past")
            self._show(replace(picture, asked=None, reading=picture.live))
        else:
            self._show(replace(picture, asked=request))
            look_back = partial(self._look_back, self._source(), request, self._origin)
            self.run_worker(look_back, name="past", group="past", thread=True, exclusive=True, exit_on_error=False)
        self.screen.refresh_bindings()

    def _look_back(self, source: Source, request: int, origin: int) -> None:
        """Beside the loop. What little there is to count is counted before anything is shown; else it is shown first."""
        reading, worker = source.at(request), get_current_worker()
        slices = _calibrations(source, request) if reading is not None else iter(())
        found = next(slices, None)
        self._post_past(Past(request, reading, found), origin)
        while found is None and not worker.is_cancelled:
            try:
                found = next(slices)
            except StopIteration:
                return
            if found is not None:
                self._post_past(Past(request, reading, found), origin)

    def _post_past(self, past: Past, origin: int) -> None:
        past.origin = origin
        self.post_message(past)

    @on(Past)
    def _past_came(self, message: Past) -> None:
        if message.origin == self._origin and message.request == self._picture.asked:
            if message.reading is None:
                self._go(None)
            else:
                self._show(replace(self._picture, reading=message.reading, calibrated_then=message.calibrated))

    @on(TimelineScreen.Asked)
    def _request_asked(self, message: TimelineScreen.Asked) -> None:
        self._go(message.number)

    def action_step(self, requests: int) -> None:
        """Go on by so many requests, back where negative; past the newest one is live."""
        live, asked = self._picture.live, self._picture.asked
        if live is None or not live.requests:
            self._tell("no request has been answered yet")
            return
        total = len(live.requests)
        wanted = max(0, (total if asked is None else asked) + requests)
        self._go(wanted if wanted < total else None)

    def action_live(self) -> None:
        """From the past back to the session as it stands now."""
        self._go(None)

    def _may_go_live(self) -> bool:
        """There is a way back only from the past; while a text is typed the key is the text's."""
        return self._picture.asked is not None and not isinstance(self.focused, Input)


def _calibrations(source: Source, request: int) -> Iterator[Calibrated | None]:
    """What was known of a size, slice by slice: None until all is counted; nothing where it can't be."""
    try:
        while (found := source.calibrate_at(request, SLICE_SECONDS)) is None:
            yield None
            time.sleep(SLICE_SECONDS)
    except (SpillscopeError, OSError, IndexError):
        return
    yield found
