"""What happened in the session, one line each, newest last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from spillscope_app.commands import bindings
from spillscope_app.format import plural
from spillscope_app.journal import Item
from spillscope_app.picture import Picture
from spillscope_app.screens.detail import rule
from spillscope_app.spans import Span
from spillscope_app.views import top
from spillscope_app.views.events import EventItems, looking, nothing_happened
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.painted import Painted


class EventsScreen(Screen[None]):
    """Lists the journal, and asks to be taken to the subject of a line."""

    BINDINGS = bindings("events")
    AUTO_FOCUS = "#events"

    @dataclass
    class Asked(Message):
        """The user wants to see what an event is about."""

        item: Item

    def __init__(self, picture: Picture, now: Callable[[], float]) -> None:
        super().__init__()
        self._picture, self._now = picture, now
        self._items, self._looking = EventItems(()), False
        self._composed = False

    def compose(self) -> ComposeResult:
        yield Painted(id="events-header")
        yield Painted(id="events-rule")
        yield LineTable(id="events")
        yield KeyLine()

    def on_mount(self) -> None:
        self._composed = True
        self.set_interval(1.0, self._show_ages)
        self._draw()

    def show_items(self, picture: Picture, items: Sequence[Item] | None) -> None:
        """List these from now on; those of another session are a list of their own. None: they are looked for."""
        is_other = picture.path != self._picture.path
        if self._composed and is_other:
            self._table.forget()
        self._picture, self._looking = picture, items is None
        if items is not None or is_other:
            self._items = EventItems(items or ())
        self._draw()

    @property
    def _table(self) -> LineTable:
        return self.query_one("#events", LineTable)

    def _draw(self) -> None:
        if self._composed:
            self._show_ages()
            self._table.show(self._items, looking if self._looking else nothing_happened)
            self._show_rule()

    def _show_ages(self) -> None:
        if self.is_current:
            picture, now = self._picture, self._now()
            self.query_one("#events-header", Painted).show(lambda width: top.header(picture, now, width))

    @on(LineTable.Followed)
    def _show_rule(self) -> None:
        state = "following" if self._table.following else "f follows the newest"
        count = len(self._items)
        title = (Span("Events", "title"), Span(f"  {plural(count, 'event')}" if count else "", "dim"))
        self.query_one("#events-rule", Painted).show(lambda width: (rule(title, (Span(state, "dim"),), width),))

    @on(LineTable.Opened)
    def _open(self, message: LineTable.Opened) -> None:
        self.post_message(self.Asked(self._items.items[message.key.ident]))

    def action_follow(self) -> None:
        """Follow the newest event."""
        self._table.following = True
