"""Every tool with its sizes and its threshold, and what edits would have done (tui: Tools): what is shown of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen

from spillscope_app.picture import Picture
from spillscope_app.screens.detail import rule
from spillscope_app.screens.effects_pane import EffectsPane
from spillscope_app.screens.value_pane import ValuePane
from spillscope_app.spans import Line, Span, line
from spillscope_app.tuning.desk import Desk
from spillscope_app.tuning.edits import Value
from spillscope_app.views import top
from spillscope_app.views.effects import brief, no_answer
from spillscope_app.views.tool_rows import ToolRow, limits_of, rows_of
from spillscope_app.views.tools import ToolItems, distribution_lines, heading
from spillscope_app.widgets.gauge import Gauge, gauge_lines
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import SCROLLBAR, LineTable
from spillscope_app.widgets.painted import Painted

HIGH = 34
"""Lines from which on there is room for a histogram of its own."""


class AnswerScreen(Screen[None]):
    """Shows the newest answer of a desk."""

    AUTO_FOCUS = "#tools"

    @dataclass
    class Edited(Message):
        """The edits are others now, or something else is to be asked about them."""

    def __init__(self, picture: Picture, now: Callable[[], float], desk: Desk) -> None:
        super().__init__()
        self._picture, self._now, self._desk = picture, now, desk
        self._numbers: dict[str, int] = {}
        self._items = ToolItems((), ())
        self._gauge: Gauge | None = None
        self._is_badged = False
        self._composed = False

    def compose(self) -> ComposeResult:
        yield Painted(id="tools-header")
        yield Painted(id="tools-gauge")
        with Container(id="tools-body"):
            with Container(id="tools-pane", classes="pane"):
                yield Painted(id="tools-rule", classes="rule")
                yield Painted(id="tools-heading")
                yield LineTable(id="tools", enter_opens=True)
                yield Painted(id="distribution")
            yield EffectsPane()
        yield Painted(id="tools-brief")
        yield ValuePane(self._change)
        yield KeyLine()

    def on_mount(self) -> None:
        self._composed = True
        self._table.following = self._effects.table.following = False
        self.set_interval(1.0, self._show_ages)
        self._draw()

    def on_resize(self) -> None:
        self.set_class(self.size.height >= HIGH, "-high")
        if self._composed:
            self._show_effects()

    @property
    def _table(self) -> LineTable:
        return self.query_one("#tools", LineTable)

    @property
    def _effects(self) -> EffectsPane:
        return self.query_one(EffectsPane)

    @property
    def selected(self) -> ToolRow | None:
        """The row under the cursor."""
        table = self.query_one_optional("#tools", LineTable)  # before the first look, and at the end, there is none
        key = table.selected if table is not None else None
        at = self._items.find(key.ident) if key is not None else None
        return self._items.things[at] if at is not None else None

    @property
    def asked_key(self) -> str | None:
        """The key of which it is worth knowing why its value does nothing."""
        row, values = self.selected, self._desk.edits.values
        if row is None or row.key is None:
            return None
        return next((key for key in (row.key, row.key.replace("overrides.", "declared.", 1)) if key in values), None)

    # --- what is shown --------------------------------------------------------------------------------------------------

    def show_picture(self, picture: Picture) -> None:
        """Show the limits of this session, and what the newest answer says of them."""
        before, self._picture = self._picture, picture
        if self._composed and picture.path != before.path:
            self._numbers.clear()
            self._items = ToolItems((), ())
            self._table.forget()
            self._table.following = False
            self._effects.forget()
        self._draw()

    def show_answer(self, picture: Picture) -> None:
        """The newest answer has come; of the picture only what it says of the context has changed."""
        self._picture = picture
        if self._composed and self.is_current:
            self._draw_rows()
            self._show_gauge()
            self._show_effects()
            if self._is_badged != (self._picture.comparison is not None):
                self._show_ages()

    def show_reason(self) -> None:
        """It is known why the selected value does nothing, or that it does something."""
        if self._composed:
            self._show_about()

    def _draw(self) -> None:
        if self._composed and self.is_current:
            self._draw_rows()
            self._show_ages()
            self._show_effects()

    def _draw_rows(self) -> None:
        answer, reading = self._desk.answer, self._picture.reading
        # As they first came, the heaviest first: while a session grows rows stay where they are.
        rows = sorted(rows_of(answer), key=self._number) if answer is not None else []
        self._items = ToolItems(rows, [self._number(row) for row in rows], self._items)
        self._table.show(self._items, self._nothing)
        self.set_class(answer is None, "-empty")
        self.query_one("#tools-heading", Painted).show(lambda width: (heading(width - SCROLLBAR),) if rows else ())
        title: Line = (Span("Tools", "title"), Span(f"  {len(rows):,} values" if rows else "", "dim"))
        profile = limits_of(answer).profile if answer is not None and reading is not None else ""
        self.query_one("#tools-rule", Painted).show(lambda width: (rule(title, (Span(profile, "dim"),), width),))

    def _number(self, row: ToolRow) -> int:
        """A row's lasting number."""
        return self._numbers.setdefault(row.key or row.name, len(self._numbers))

    def _nothing(self, width: int) -> list[Line]:
        return [(), line(Span(f"  {no_answer(self._picture.reading)}", "dim"))]

    def _show_ages(self) -> None:
        """What changes with the clock alone."""
        if not self._composed or not self.is_current:
            return
        picture, now = self._picture, self._now()
        self._is_badged = picture.comparison is not None
        reading = picture.reading
        self.query_one("#tools-header", Painted).show(lambda width: top.header(picture, now, width))
        self._gauge = top.gauge(picture, reading, now) if reading is not None and reading.session.exists else None
        self._show_gauge()

    def _show_gauge(self) -> None:
        """What the gauge shows of the session stays for a second; what the edits do to it does not."""
        gauge = replace(self._gauge, what_if=self._picture.what_if) if self._gauge is not None else None
        self.query_one("#tools-gauge", Painted).show(lambda width: gauge_lines(gauge, width) if gauge is not None else ())

    def _show_effects(self) -> None:
        answer, desk = self._desk.answer, self._desk
        self._effects.show(answer, desk.edits.mode, edited=desk.is_on)
        self.query_one("#tools-brief", Painted).show(lambda width: (brief(answer, width),))
        self._show_about()

    def _show_about(self) -> None:
        row = self.selected
        self._effects.show_about(row, self._desk.reason(self.asked_key))
        self.query_one("#distribution", Painted).show(lambda width: distribution_lines(row, width))

    @on(LineTable.Selected)
    def _selection_moved(self, message: LineTable.Selected) -> None:
        message.stop()
        self._show_about()
        if self.asked_key is not None:
            self.post_message(self.Edited())

    @on(LineTable.Followed)
    def _following_changed(self, message: LineTable.Followed) -> None:
        message.stop()

    def _change(self, changes: Mapping[str, Value | None], *, goes_on: bool = False) -> None:
        """Edit some keys. Raises LimitsError for a value that a key can't have."""
        raise NotImplementedError
