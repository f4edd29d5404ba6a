"""The part of the inspector that says what happened: worked out beside the loop where there is much to look through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import App
from textual.message import Message

from spillscope.session.events import Event, events_between
from spillscope.session.reading import Reading
from spillscope_app.journal import Item, Journal, Note
from spillscope_app.picture import Picture
from spillscope_app.screens.events import EventsScreen

AT_ONCE = 1_000
"""As many groups and requests are looked through while somebody waits: a few milliseconds."""


@dataclass
class Recalled(Message):
    """All that a reading shows to have happened."""

    reading: Reading
    events: Sequence[Event]


class TellingApp(App[None]):
    """Keeps the journal of the open session, and what had happened by a moment of the past."""

    _journal: Journal
    _by_then: tuple[Reading, Sequence[Item]] | None = None  # of the moment that was last looked at
    _recalling: Reading | None = None

    # --- what the inspector is to this part ------------------------------------------------------------------------------

    _picture: Picture
    _events: EventsScreen

    # --- telling --------------------------------------------------------------------------------------------------------

    def _note(self, at: float, text: str, *, is_trouble: bool) -> None:
        self._journal.note(Note(at, text, is_trouble))

    def _show_events(self) -> None:
        self._events.show_items(self._picture, self._told())

    def _told(self) -> Sequence[Item] | None:
        """What had happened by the moment that is shown; None while that is looked for."""
        reading = self._picture.reading
        is_past = reading is not None and reading.at is not None
        wanted = reading if is_past else self._journal.unwritten
        if self._by_then is not None and self._by_then[0] is wanted:
            return self._by_then[1]
        if wanted is None:
            return self._journal.items()
        if len(wanted.groups) + len(wanted.requests) <= AT_ONCE:
            return self._take(wanted, events_between(None, wanted))
        if self._recalling is not wanted:
            self._recalling = wanted
            work = partial(self._recall, wanted)
            self.run_worker(work, name="recall", group="recall", thread=True, exclusive=True, exit_on_error=False)
        return None

    def _recall(self, reading: Reading) -> None:
        self.post_message(Recalled(reading, events_between(None, reading)))

    @on(Recalled)
    def _recalled(self, message: Recalled) -> None:
        if message.reading is self._recalling:
            self._recalling = None
            self._take(message.reading, message.events)
            if self.current_mode == "events":
                self._show_events()

    def _take(self, reading: Reading, events: Sequence[Event]) -> Sequence[Item]:
        if reading.at is None:
            self._journal.write_down(reading, events)
            return self._journal.items()
        self._by_then = reading, events
        return events
