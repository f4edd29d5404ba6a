"""The picker: all sessions of all projects, with how full each is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from spillscope_app.catalog import Catalog
from spillscope_app.commands import bindings
from spillscope_app.views import sessions as view
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import SCROLLBAR, LineTable
from spillscope_app.widgets.outline import Empty
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.typed_line import TypedLine

_SEARCH = "/ search: words of a directory, an id, a model"


class SessionsScreen(Screen[None]):
    """Lists the newest `Catalog`, and asks for the session that the user picks."""

    BINDINGS = bindings("sessions")
    AUTO_FOCUS = "#sessions"

    @dataclass
    class Picked(Message):
        """The user wants to see this session, and none of the others that were listed."""

        path: str
        listed: frozenset[str]

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._catalog: Catalog | None = None
        self._shown, self._awaited = "", ""
        self._numbers: dict[str, int] = {}
        self._count = count()
        self._items: view.SessionItems | None = None
        self._composed = False

    def compose(self) -> ComposeResult:
        yield Painted(id="sessions-header")
        yield Painted(id="sessions-waiting")
        yield TypedLine(id="search", placeholder=_SEARCH)
        yield Painted(id="sessions-heading")
        yield LineTable(id="sessions", enter_opens=True)
        yield KeyLine()

    def on_mount(self) -> None:
        self._composed = True
        self._table.following = False
        self._draw()

    def show_catalog(self, catalog: Catalog) -> None:
        """List these sessions from now on."""
        self._catalog = catalog
        for entry in catalog.entries:
            if entry.path not in self._numbers:
                self._numbers[entry.path] = next(self._count)
        self._draw()

    def show_open(self, path: str, awaited: str) -> None:
        """Mark the session that is open, and say which directory's first session is waited for."""
        self._shown, self._awaited = path, awaited
        self._draw()

    @property
    def _table(self) -> LineTable:
        return self.query_one("#sessions", LineTable)

    @property
    def _search(self) -> Input:
        return self.query_one("#search", Input)

    def _draw(self) -> None:
        if not self._composed:
            return
        catalog, query, now, awaited = self._catalog, self._search.value, self._now(), self._awaited
        entries = tuple(filter(view.finder(query), catalog.entries)) if catalog is not None else ()
        self._items = view.SessionItems(entries, self._numbers, now, self._shown)
        self._table.show(self._items if entries else Empty(), view.nothing_to_pick(catalog, query))
        self.set_class(not entries, "-empty")
        self.set_class(bool(awaited), "-awaits")
        shown = len(entries)
        self.query_one("#sessions-header", Painted).show(lambda width: view.header(catalog, shown, now, width))
        self.query_one("#sessions-waiting", Painted).show(lambda width: view.waiting(awaited, width))
        self.query_one("#sessions-heading", Painted).show(lambda width: (view.heading(width - SCROLLBAR),))

    @on(Input.Changed)
    def _typed(self) -> None:
        self._draw()

    @on(Input.Submitted)
    def _open_found(self) -> None:
        self.set_focus(self._table)
        self._table.action_enter()

    def action_into_list(self) -> None:
        """From the search to what it found."""
        self.set_focus(self._table)

    @on(LineTable.Opened)
    def _open(self, message: LineTable.Opened) -> None:
        at = self._items.find(message.key.ident) if self._items is not None else None
        if at is not None and self._items is not None and self._catalog is not None:
            listed = frozenset(entry.path for entry in self._catalog.entries)
            self.post_message(self.Picked(self._items.path(at, message.key.child), listed))

    def action_search(self) -> None:
        """Type what to look for. The focus moves at once: the next keys may already be waiting."""
        self.set_focus(self._search)

    def action_leave(self) -> None:
        """Out of the search first, then back to the groups."""
        if self._search.value or self._search.has_focus:
            self._search.value = ""
            self.set_focus(self._table)
        else:
            self.app.call_later(self.app.run_action, "show_mode('groups')")
