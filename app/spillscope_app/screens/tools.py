"""Every tool with its sizes and its threshold; edits, and at once what they would have done (tui: Tools)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen

from spillscope_app.commands import bindings
from spillscope_app.picture import Picture
from spillscope_app.screens.detail import rule
from spillscope_app.screens.effects_pane import EffectsPane
from spillscope_app.screens.value_pane import ValuePane
from spillscope_app.spans import Line, Span, foreign, line
from spillscope_app.tuning.desk import Desk
from spillscope_app.tuning.edits import Edits, Value
from spillscope_app.tuning.nudge import Pace
from spillscope_app.tuning.turn import keys_of, turned
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


class ToolsScreen(Screen[None]):
    """Shows the newest answer of a desk, and edits what lies on it. Whoever is told of an edit asks anew."""

    BINDINGS = bindings("tools")
    AUTO_FOCUS = "#tools"

    @dataclass
    class Edited(Message):
        """The edits are others now."""

    FlipAsked: TypeAlias = EffectsPane.FlipAsked

    @dataclass
    class PresetsAsked(Message):
        """The user wants to begin from somebody's policy."""

    @dataclass
    class SavingAsked(Message):
        """The user wants the edits to be in force."""

    @dataclass
    class ExportAsked(Message):
        """The user wants to take the limits home."""

    def __init__(self, picture: Picture, now: Callable[[], float], desk: Desk) -> None:
        super().__init__()
        self._picture, self._now, self._desk = picture, now, desk
        self._pace = Pace()
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

    # --- editing --------------------------------------------------------------------------------------------------------

    def _change(self, changes: Mapping[str, Value | None], *, goes_on: bool = False) -> None:
        """Edit some keys. Raises LimitsError for a value that a key can't have."""
        if self._desk.change(changes, goes_on=goes_on):
            self.post_message(self.Edited())

    def _tell(self, text: str) -> None:
        self.notify(foreign(text).text, timeout=4, markup=False)

    def action_nudge(self, direction: int) -> None:
        """The next round number up or down, further the longer the key is held; a switch is turned."""
        row, limits, answer = self.selected, self._desk.limits, self._desk.answer
        if row is not None and limits is not None and answer is not None:
            marks, goes_on = self._pace.press(f"{row.key}{direction}", monotonic())
            self._change(turned(row, limits, answer.comparison.windows[1], direction, marks), goes_on=goes_on)

    def action_unset(self) -> None:
        """Nothing set for the selected value any more: what is declared, or the usual, holds."""
        row = self.selected
        if set_there := [key for key in keys_of(row) if self._desk.is_set(key)] if row is not None else []:
            self._change(dict.fromkeys(set_there))
        else:
            self._tell("nothing is set here")

    def action_turn_mode(self) -> None:
        """As if the edits had held from the start, or from now on."""
        edits, reading = self._desk.edits, self._picture.live
        if edits.mode == "now" or reading is None:
            self._desk.tuning = self._desk.tuning.to(Edits(edits.values))
        else:
            self._desk.tuning = self._desk.tuning.to(Edits(edits.values, "now", len(reading.requests)))
        self._show_effects()
        self.post_message(self.Edited())

    def action_undo(self, steps: int) -> None:
        """One change back, or on again where negative."""
        tuning = self._desk.tuning
        self._desk.tuning = tuning.undo() if steps > 0 else tuning.redo()
        if self._desk.tuning is tuning:
            self._tell("no change to take back" if steps > 0 else "no change to make again")
        else:
            self.post_message(self.Edited())

    # --- typing a value -------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A value is typed for a row of the list; while one is typed, enter is the text's."""
        return action != "type" or (self.focused is not None and self.focused.id == "tools")

    def action_type(self, table: str) -> None:
        """Type a value for the selected row: its threshold, or what it declares."""
        row, limits = self.selected, self._desk.limits
        if row is None or row.key is None or limits is None:
            return
        what = "declares" if table == "declared" and row.is_tool else "at"
        name = line(Span(" "), foreign(row.name, "title"), Span(f" {what} ", "dim"))
        pane = self.query_one(ValuePane)
        pane.begin(row.key.replace("overrides.", f"{table}.", 1), name, limits)
        self.add_class("-typing")
        self.set_focus(pane.line)

    @on(ValuePane.Left)
    def action_leave_value(self) -> None:
        """Back to the list, with the value as it was."""
        self.remove_class("-typing")
        self.set_focus(self._table)

    # --- elsewhere ------------------------------------------------------------------------------------------------------

    @on(LineTable.Opened)
    def _opened(self, message: LineTable.Opened) -> None:
        message.stop()
        self.action_type("overrides")

    def action_detail(self) -> None:
        """To the results that flip, and back to the list."""
        if self._table.has_focus:
            self.add_class("-asked")
            flips = self._effects.table
            self.set_focus(flips if flips.display and len(flips.items) else self._table)
        else:
            self.action_back()

    def action_back(self) -> None:
        """One step back: from the results that flip to the list, then to the groups. The edits stay."""
        if self._table.has_focus and not self.has_class("-asked"):
            self.app.call_later(self.app.run_action, "show_mode('groups')")
        self.remove_class("-asked")
        self.set_focus(self._table)

    def action_presets(self) -> None:
        """Begin from somebody's policy."""
        self.post_message(self.PresetsAsked())

    def action_save(self) -> None:
        """Write the edits to a file of limits."""
        if self._desk.is_on:
            self.post_message(self.SavingAsked())
        else:
            self._tell("nothing is edited: there is nothing to save")

    def action_export(self) -> None:
        """The limits in the words of those who are to obey them."""
        self.post_message(self.ExportAsked())
