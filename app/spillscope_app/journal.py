"""What happened in the open session, newest last: what the engine decided, and how the inspector itself got on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    """Grows with each reading. What came before the first one is written down when somebody first asks for it."""

    def __init__(self) -> None:
        self._first: Reading | None = None
        self._newest: Reading | None = None
        self._early: list[Item] = []  # what came since, before anybody asked
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

    @property
    def unwritten(self) -> Reading | None:
        """The first reading, as long as what it shows is not written down."""
        return self._first

    def write_down(self, first: Reading, events: Iterable[Event]) -> None:
        """What the first reading shows to have happened; what an earlier session's shows is not wanted any more."""
        if first is self._first:
            self._all, self._first = Column(), None
            self._all.extend(events)
            self._all.extend(self._early)
            self._early.clear()

    def items(self) -> Sequence[Item]:
        """Everything that is written down, as it will stand for good."""
        return tuple(self._early) if self._all is None else self._all.view()
