"""The main screen: how full the window is, the messages with their results, and why each is as it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen

from spillscope_app.commands import bindings
from spillscope_app.feed import Source
from spillscope_app.picture import Picture
from spillscope_app.screens.detail import Detail, Tab
from spillscope_app.screens.list_pane import ListPane
from spillscope_app.screens.results_pane import ResultsPane
from spillscope_app.views import top
from spillscope_app.widgets.gauge import gauge_lines
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Key
from spillscope_app.widgets.painted import Painted

_SPARK_ROWS = ((40, 2), (24, 1), (0, 0))
"""Rows of sparkline from so many lines of terminal on."""


class GroupsScreen(Screen[None]):
    """Draws the newest `Picture`. Holds no truth: selection, scroll and opened rows are the table's."""

    BINDINGS = bindings("groups")
    AUTO_FOCUS = "#list"

    @dataclass
    class SpillAsked(Message):
        """The user wants to see what is known of the file of a result."""

        tool_use_id: str

    def __init__(self, picture: Picture, now: Callable[[], float], source: Callable[[], Source]) -> None:
        super().__init__()
        self._picture, self._now, self._source = picture, now, source
        self._composed = False

    def compose(self) -> ComposeResult:
        yield Painted(id="header")
        yield Painted(id="gauge")
        yield Painted(id="legend")
        with Container(id="body"):
            yield ListPane(self._picture, self._source)
            yield ResultsPane()
            yield Detail(self._source, id="detail")
        yield KeyLine()

    def on_mount(self) -> None:
        self._composed = True
        self.set_interval(1.0, self._show_ages)
        self.show_picture(self._picture)

    def show_picture(self, picture: Picture) -> None:
        """Draw this from now on."""
        self._picture = picture
        if not self._composed:
            return
        reading = picture.reading
        self._show_ages()
        self._list.show(picture)
        self.query_one("#legend", Painted).show(lambda width: top.legend(reading, width) if reading else ())
        self.set_class(reading is None or not (reading.groups or reading.pending), "-empty")
        self.set_class(reading is None or not reading.session.exists, "-unread")
        self._show_detail()

    def select(self, key: Key) -> None:
        """Put the cursor on a group, or on a result in it."""
        self.remove_class("-asked")
        self._list.table.focus()
        self._list.select(key)

    @property
    def _list(self) -> ListPane:
        return self.query_one(ListPane)

    @property
    def _detail(self) -> Detail:
        return self.query_one("#detail", Detail)

    def _show_ages(self) -> None:
        """What changes with the clock alone."""
        picture, now = self._picture, self._now()
        reading = picture.reading
        self.query_one("#header", Painted).show(lambda width: top.header(picture, now, width))
        rows = next(rows for height, rows in _SPARK_ROWS if self.size.height >= height)
        gauge = self.query_one("#gauge", Painted)
        gauge.styles.height = 2 + rows
        gauge.show(
            lambda width: (
                gauge_lines(top.gauge(picture, reading, now), width, rows) if reading and reading.session.exists else ()
            )
        )

    def on_resize(self) -> None:
        if self._composed:
            self._show_ages()

    @on(ListPane.SubjectChanged)
    def _show_detail(self) -> None:
        subject, results = self._list.subject, self.query_one(ResultsPane)
        results.show(subject)
        self._detail.show(results.narrow(subject))

    @on(ResultsPane.Chosen)
    @on(events.DescendantFocus)
    def _narrow_detail(self) -> None:
        if self._composed:
            self._detail.show(self.query_one(ResultsPane).narrow(self._list.subject))

    @on(LineTable.Opened)
    def _open(self) -> None:
        self._to_detail()

    def _to_detail(self) -> None:
        self.add_class("-asked")
        self._detail.content.focus()

    async def action_detail(self) -> None:
        """To the results where they have a column, to the detail, and back to the list."""
        results = self.query_one(ResultsPane)
        if self._detail.content.has_focus_within:
            await self.action_back()
        elif results.display and self._list.table.has_focus and len(results.table.items) > 1:
            results.table.focus()
        else:
            self._to_detail()

    def action_tab(self, name: Tab) -> None:
        """Look at another side of what is selected."""
        self.add_class("-asked")
        self._detail.turn_to(name)

    def action_step_tab(self, tabs_on: int) -> None:
        """To the next tab of the detail, or to the one before."""
        self._detail.step(tabs_on)

    async def action_back(self) -> None:
        """One step back: stop typing or searching, leave the detail for the list, clear the filter, and at last go live."""
        if self._list.finding:
            self._list.leave_find(keep=False)
        elif self._list.searching:
            self._list.stop_search()
        elif self._list.table.has_focus and not self.has_class("-asked"):
            if self._list.chosen:
                self._list.filter_by("clear")
            else:
                await self.run_action("app.live")
        self.remove_class("-asked")
        self._list.table.focus()

    def action_find(self) -> None:
        """Type a text to look for."""
        self.remove_class("-asked")
        self._list.find()

    def action_leave_find(self) -> None:
        """From the text to the list, which it goes on filtering."""
        self._list.leave_find(keep=True)

    def action_filter(self, name: str) -> None:
        """Change one part of the filter."""
        self._list.filter_by(name)

    def action_match(self, step: int) -> None:
        """To the next match of the filter, or to the one before."""
        if self._list.chosen:
            self._list.table.action_match(step)

    def action_spill(self) -> None:
        """To the file of the selected result among the spills."""
        subject = self.query_one(ResultsPane).narrow(self._list.subject)
        results = () if subject is None or subject.group is None else subject.group.results
        chosen = subject.result if subject is not None else None
        spilled = [result for result in ([chosen] if chosen else results) if result.observed in ("persisted", "replaced")]
        if spilled:
            self.post_message(self.SpillAsked(spilled[0].row.tool_use_id))
        else:
            self.notify("nothing of what is selected was spilled", timeout=4, markup=False)

    def action_follow(self) -> None:
        """Follow the newest group."""
        self._list.table.following = True
