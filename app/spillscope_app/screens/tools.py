"""Every tool with its sizes and its threshold; edits, and at once what they would have done (tui: Tools)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import monotonic

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Input

from spillscope.errors import LimitsError
from spillscope.limits import Limits
from spillscope.session.whatif.flips import Flip
from spillscope_app.commands import bindings
from spillscope_app.picture import Picture
from spillscope_app.screens.detail import rule
from spillscope_app.screens.value_line import ValueLine
from spillscope_app.spans import Line, Span, foreign, line, width_of, wrap
from spillscope_app.tuning.desk import Desk
from spillscope_app.tuning.edits import Edits, Value, for_tool, in_force
from spillscope_app.tuning.nudge import Pace, nudged, percent_nudged
from spillscope_app.tuning.typed import typed
from spillscope_app.views import top
from spillscope_app.views.effects import about, brief, effects_lines, effects_title, no_answer
from spillscope_app.views.flips import FlipItems
from spillscope_app.views.tool_rows import ToolRow, limits_of, rows_of
from spillscope_app.views.tools import ToolItems, distribution_lines, heading
from spillscope_app.widgets.gauge import Gauge, gauge_lines
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import SCROLLBAR, LineTable
from spillscope_app.widgets.outline import Empty
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

    @dataclass
    class FlipAsked(Message):
        """The user wants to see a result that flips."""

        flip: Flip

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
        self._typing = ""  # the key that a value is typed for
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
            with Container(id="effects-pane", classes="pane"):
                yield Painted(id="effects-rule", classes="rule")
                yield Painted(id="effects")
                yield Painted(id="about")
                yield LineTable(id="flips")
        yield Painted(id="tools-brief")
        with Container(id="value-pane"):
            yield Painted(id="value-name")
            yield ValueLine()
            yield Painted(id="value-wrong")
        yield KeyLine()

    def on_mount(self) -> None:
        self._composed = True
        for table in (self._table, self._flips):
            table.following = False
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
    def _flips(self) -> LineTable:
        return self.query_one("#flips", LineTable)

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
            self._table.forget()
            self._flips.forget()
            for table in (self._table, self._flips):
                table.following = False
        self._draw()

    def show_answer(self, picture: Picture) -> None:
        """The newest answer has come; of the picture only what it says of the context has changed."""
        badge_stays = (picture.comparison is None) == (self._picture.comparison is None)
        self._picture = picture
        if self._composed and self.is_current:
            self._draw_rows()
            self._show_gauge()
            self._show_effects()
            if not badge_stays:
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
        self._items = ToolItems(rows, [self._number(row) for row in rows])
        self._table.show(self._items, self._nothing)
        self.set_class(answer is None, "-empty")
        self.query_one("#tools-heading", Painted).show(lambda width: (heading(width - SCROLLBAR),) if rows else ())
        title: Line = (Span("Tools", "title"), Span(f"  {len(rows):,} values" if rows else "", "dim"))
        profile = limits_of(answer).profile if answer is not None and reading is not None else ""
        self.query_one("#tools-rule", Painted).show(lambda width: (rule(title, (Span(profile, "dim"),), width),))
        self._flips.show(FlipItems(answer.comparison.flips) if answer is not None else Empty(), self._no_flips)

    def _number(self, row: ToolRow) -> int:
        """A row's lasting number."""
        return self._numbers.setdefault(row.key or row.name, len(self._numbers))

    def _nothing(self, width: int) -> list[Line]:
        return [(), line(Span(f"  {no_answer(self._picture.reading)}", "dim"))]

    def _no_flips(self, width: int) -> list[Line]:
        words = (
            "No result would have another fate." if self._desk.is_on else "+ and - nudge the selected value, enter types one."
        )
        return [line(Span(f" {words}", "dim"))]

    def _show_ages(self) -> None:
        """What changes with the clock alone."""
        if not self._composed or not self.is_current:
            return
        picture, now = self._picture, self._now()
        reading = picture.reading
        self.query_one("#tools-header", Painted).show(lambda width: top.header(picture, now, width))
        self._gauge = top.gauge(picture, reading, now) if reading is not None and reading.session.exists else None
        self._show_gauge()

    def _show_gauge(self) -> None:
        """What the gauge shows of the session stays for a second; what the edits do to it does not."""
        gauge = replace(self._gauge, what_if=self._picture.what_if) if self._gauge is not None else None
        self.query_one("#tools-gauge", Painted).show(lambda width: gauge_lines(gauge, width) if gauge is not None else ())

    def _show_effects(self) -> None:
        answer, mode = self._desk.answer, self._desk.edits.mode
        self.query_one("#effects-rule", Painted).show(lambda width: (effects_title(answer, mode, width),))
        self.query_one("#effects", Painted).show(lambda width: [(Span(" "), *one) for one in effects_lines(answer, width - 2)])
        self.query_one("#tools-brief", Painted).show(lambda width: (brief(answer, width),))
        self._show_about()

    def _show_about(self) -> None:
        row = self.selected
        told = about(row, self._desk.reason(self.asked_key))
        self.query_one("#distribution", Painted).show(lambda width: distribution_lines(row, width))
        self.query_one("#about", Painted).show(lambda width: [(Span(" "), *one) for one in wrap(told, width - 2)])

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
        try:
            changed = self._desk.change(changes, goes_on=goes_on)
        except LimitsError as error:
            self._tell(str(error))
            return
        if changed:
            self.post_message(self.Edited())

    def _tell(self, text: str) -> None:
        self.notify(foreign(text).text, timeout=4, markup=False)

    def action_nudge(self, direction: int) -> None:
        """The next round number up or down, further the longer the key is held; a switch is turned."""
        row, limits = self.selected, self._desk.limits
        if row is None or row.key is None or limits is None:
            return
        key = row.key
        if key == "aggregate":
            self._change({key: row.words != "on"})
            return
        marks, goes_on = self._pace.press(f"{key}{direction}", monotonic())
        if key == "auto_compact_pct":
            self._change({key: percent_nudged(self._percent(limits), direction)}, goes_on=goes_on)
            return
        new = nudged(self._value(row, limits), direction, marks)
        self._change(for_tool(row.name, new, limits) if row.is_tool else {key: new}, goes_on=goes_on)

    def _value(self, row: ToolRow, limits: Limits) -> float:
        """What the selected row is worth now, which its answer may not yet know."""
        if row.is_tool:
            override = limits.get_override(row.name)
            value = limits.get_persistence_threshold(row.name).chars if override is None else override
            return limits.default_threshold if math.isinf(value) else value
        set_to = in_force(limits, row.key or "")
        return set_to if set_to is not None else row.value or 0

    def _percent(self, limits: Limits) -> float:
        if limits.auto_compact_pct is not None or self._desk.answer is None:
            return limits.auto_compact_pct or 100
        window = self._desk.answer.comparison.windows[1]
        return 100 * window.auto_compact / max(1, window.effective)

    def action_unset(self) -> None:
        """Nothing set for the selected value any more: what is declared, or the usual, holds."""
        row = self.selected
        if row is None or row.key is None:
            return
        keys = [f"overrides.{row.name}", f"declared.{row.name}"] if row.is_tool else [row.key]
        if set_there := [key for key in keys if self._desk.is_set(key)]:
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

    @property
    def _line(self) -> ValueLine:
        return self.query_one(ValueLine)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A value is typed for a row of the list; while one is typed, enter is the text's."""
        return action != "type" or (self.focused is not None and self.focused.id == "tools")

    def action_type(self, table: str) -> None:
        """Type a value for the selected row: its threshold, or what it declares."""
        row, limits = self.selected, self._desk.limits
        if row is None or row.key is None or limits is None:
            return
        self._typing = row.key.replace("overrides.", f"{table}.", 1)
        what = "declares" if table == "declared" and row.is_tool else "at"
        name = line(Span(" "), foreign(row.name, "title"), Span(f" {what} ", "dim"))
        self.query_one("#value-name", Painted).show(lambda width: (name,))
        self.query_one("#value-name", Painted).styles.width = width_of(name)
        self._wrong("")
        self.add_class("-typing")
        self._line.value = ""
        self.set_focus(self._line)

    def _wrong(self, words: str) -> None:
        self.query_one("#value-wrong", Painted).show(
            lambda width: (line(Span(" give ", "over"), Span(words)) if words else (),)
        )

    @on(Input.Changed)
    def _typed_on(self, message: Input.Changed) -> None:
        message.stop()
        self._wrong("")

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        limits = self._desk.limits
        if limits is None or not message.value.strip():
            self.action_leave_value()
            return
        try:
            changes = typed(self._typing, message.value, limits)
            changed = self._desk.change(changes)
        except LimitsError as error:
            self._wrong(str(error))
            return
        self.action_leave_value()
        if changed:
            self.post_message(self.Edited())

    def action_leave_value(self) -> None:
        """Back to the list, with the value as it was."""
        self.remove_class("-typing")
        self.set_focus(self._table)

    # --- elsewhere ------------------------------------------------------------------------------------------------------

    @on(LineTable.Opened)
    def _opened(self, message: LineTable.Opened) -> None:
        message.stop()
        items = self._flips.items
        if self._flips.has_focus and isinstance(items, FlipItems):
            self.post_message(self.FlipAsked(items.things[message.key.ident]))
        elif self._table.has_focus:
            self.action_type("overrides")

    def action_detail(self) -> None:
        """To the results that flip, and back to the list."""
        if self._table.has_focus:
            self.add_class("-asked")
            self.set_focus(self._flips if self._flips.display and len(self._flips.items) else self._table)
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
