"""The main screen: how full the window is, the messages with their results, and why each is as it is."""

from __future__ import annotations

from collections.abc import Callable

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import Screen
from textual.widgets import Footer

from spillscope_app.commands import bindings
from spillscope_app.feed import Source
from spillscope_app.picture import Picture
from spillscope_app.screens.detail import Detail, Subject, Tab, rule
from spillscope_app.screens.sheet import SheetScreen
from spillscope_app.spans import Span
from spillscope_app.views import top
from spillscope_app.views.rows import GroupItems, heading
from spillscope_app.views.states import nothing_to_list
from spillscope_app.views.sums import sums
from spillscope_app.widgets.gauge import gauge_lines
from spillscope_app.widgets.line_table import SCROLLBAR, LineTable
from spillscope_app.widgets.outline import Empty, Key
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.text_view import TextView


class GroupsScreen(Screen[None]):
    """Draws the newest `Picture`. Holds no truth: selection, scroll and opened rows are the table's."""

    BINDINGS = bindings("groups")
    AUTO_FOCUS = "#list"

    def __init__(self, picture: Picture, now: Callable[[], float], source: Callable[[], Source]) -> None:
        super().__init__()
        self._picture, self._now, self._source = picture, now, source
        self._items: GroupItems | None = None
        self._composed = False

    def compose(self) -> ComposeResult:
        yield Painted(id="header")
        yield Painted(id="gauge")
        yield Painted(id="legend")
        with Container(id="body"):
            with Container(id="list-pane", classes="pane"):
                yield Painted(id="list-rule", classes="rule")
                yield Painted(id="heading")
                yield LineTable(id="list")
            yield Detail(self._source, id="detail")
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self._composed = True
        self.set_interval(1.0, self._show_ages)
        self.show_picture(self._picture)

    def show_picture(self, picture: Picture) -> None:
        """Draw this from now on."""
        before, self._picture = self._picture, picture
        if not self._composed:
            return
        reading = picture.reading
        if picture.path != before.path:
            self._table.forget()
        self._show_ages()
        if reading is not before.reading or self._items is None:
            self._items = GroupItems(reading) if reading else None
        self._table.show(self._items or Empty(), nothing_to_list(picture))
        self.query_one("#legend", Painted).show(lambda width: top.legend(reading, width) if reading else ())
        limit = reading.limits.get_per_message_budget_limit() if reading else 0.0
        has_rows = len(self._table.items) > 0
        self.set_class(not has_rows, "-empty")
        self.set_class(reading is None or not reading.session.exists, "-unread")
        self.query_one("#heading", Painted).show(lambda width: (heading(width - SCROLLBAR, limit),) if has_rows else ())
        self._show_rule()
        self._show_detail()

    def select(self, key: Key) -> None:
        """Put the cursor on a group, or on a result in it."""
        self.action_back()
        self._table.select(key)

    @property
    def _table(self) -> LineTable:
        return self.query_one("#list", LineTable)

    @property
    def _detail(self) -> Detail:
        return self.query_one("#detail", Detail)

    def _show_ages(self) -> None:
        """What changes with the clock alone."""
        picture, now = self._picture, self._now()
        reading = picture.reading
        self.query_one("#header", Painted).show(lambda width: top.header(picture, now, width))
        self.query_one("#gauge", Painted).show(
            lambda width: gauge_lines(top.gauge(reading, now), width) if reading and reading.session.exists else ()
        )

    def _show_rule(self) -> None:
        state = "following" if self._table.following else "f follows the newest"
        self.query_one("#list-rule", Painted).show(
            lambda width: (rule((Span("Groups", "title"),), (Span(state, "dim"),), width),)
        )

    def _show_detail(self) -> None:
        key, items = self._table.selected, self._items
        at = items.find(key.ident) if key is not None and items is not None else None
        if key is None or items is None or at is None:
            self._detail.show(None)
        else:
            self._detail.show(Subject(key, items.reading, items.group(at)))

    @on(LineTable.Selected)
    def _selection_moved(self) -> None:
        self._show_detail()

    @on(LineTable.Followed)
    def _following_changed(self) -> None:
        self._show_rule()

    @on(LineTable.Opened)
    def _open(self) -> None:
        self._to_detail()

    def _to_detail(self) -> None:
        self.add_class("-asked")
        self.query_one("#detail-text", TextView).focus()

    def action_detail(self) -> None:
        """To the detail, and back to the list."""
        if self.query_one("#detail-text", TextView).has_focus:
            self.action_back()
        else:
            self._to_detail()

    def action_tab(self, name: Tab) -> None:
        """Look at another side of what is selected."""
        self.add_class("-asked")
        self._detail.turn_to(name)

    def action_step_tab(self, tabs_on: int) -> None:
        """To the next tab of the detail, or to the one before."""
        self._detail.step(tabs_on)

    def action_back(self) -> None:
        """Back to the list."""
        self.remove_class("-asked")
        self._table.focus()

    def action_follow(self) -> None:
        """Follow the newest group."""
        self._table.following = True

    def action_sums(self) -> None:
        """The arithmetic of the gauge."""
        self.app.push_screen(SheetScreen("The arithmetic of the gauge", sums(self._picture.reading, self._now())))
