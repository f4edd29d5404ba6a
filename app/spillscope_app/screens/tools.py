"""The keys of the Tools screen: edits, and at once what they would have done (tui: Tools)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import TypeAlias

from textual import on
from textual.message import Message

from spillscope_app.commands import bindings
from spillscope_app.picture import Picture
from spillscope_app.screens.answer import AnswerScreen
from spillscope_app.screens.effects_pane import EffectsPane
from spillscope_app.screens.value_pane import ValuePane
from spillscope_app.spans import Span, foreign, line
from spillscope_app.tuning.desk import Desk
from spillscope_app.tuning.edits import Edits, Value
from spillscope_app.tuning.nudge import Pace
from spillscope_app.tuning.turn import keys_of, turned
from spillscope_app.widgets.line_table import LineTable


class ToolsScreen(AnswerScreen):
    """Edits what lies on a desk. Whoever is told of an edit asks anew."""

    BINDINGS = bindings("tools")

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
        super().__init__(picture, now, desk)
        self._pace = Pace()

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
