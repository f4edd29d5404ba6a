"""What happened in the open session, newest last: what the engine decided, and how the inspector itself got on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from spillscope.session.column import Column
from spillscope.session.events import Event, events_between
from spillscope.session.reading import Reading


class Note(NamedTuple):
    """Something that the inspector says of itself. `is_trouble`: it needs somebody's eye."""

    at: float
    text: str
    is_trouble: bool = False


Item = Event | Note


class Journal:
    """Grows with each reading. The past of a session is written down when somebody first asks for it."""

    def __init__(self) -> None:
        self._first: Reading | None = None
        self._newest: Reading | None = None
        self._early: list[Item] = []  # what came before anybody asked
        self._all: Column[Item] | None = None

    def take(self, reading: Reading) -> tuple[Event, ...]:
        """Write down what a reading brings; returns what happened since the last one, nothing for the first."""
        before, self._newest = self._newest, reading
        if before is None:
            self._first = reading
            return ()
        events = events_between(before, reading)
        for event in events:
            self._add(event)
        return events

    def note(self, note: Note) -> None:
        """Write down something of the inspector's own."""
        self._add(note)

    def _add(self, item: Item) -> None:
        if self._all is None:
            self._early.append(item)
        else:
            self._all.append(item)

    def items(self) -> Sequence[Item]:
        """Everything until now, as it will stand for good."""
        if self._all is None:
            if self._first is None:
                return tuple(self._early)
            self._all = Column()
            for item in (*events_between(None, self._first), *self._early):
                self._all.append(item)
            self._first, self._early = None, []
        return self._all.view()
