"""What edited limits do: the figures before and after, and the results that flip."""

from __future__ import annotations

from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from spillscope.session.whatif.comparison import Mode
from spillscope.session.whatif.flips import Flip
from spillscope_app.spans import Line, Span, line, wrap
from spillscope_app.tuning.answer import Answer
from spillscope_app.views.effects import about, effects_lines, effects_title
from spillscope_app.views.flips import FlipItems
from spillscope_app.views.tool_rows import ToolRow
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Empty
from spillscope_app.widgets.painted import Painted


class EffectsPane(Container):
    """Shows an answer, and a sentence about the row that is selected beside it."""

    @dataclass
    class FlipAsked(Message):
        """The user wants to see a result that flips."""

        flip: Flip

    def __init__(self) -> None:
        super().__init__(id="effects-pane", classes="pane")
        self._edited = False

    def compose(self) -> ComposeResult:
        yield Painted(id="effects-rule", classes="rule")
        yield Painted(id="effects")
        yield Painted(id="about")
        yield LineTable(id="flips")

    @property
    def table(self) -> LineTable:
        """The results that flip."""
        return self.query_one("#flips", LineTable)

    def forget(self) -> None:
        """What comes next is about another session."""
        self.table.forget()
        self.table.following = False

    def show(self, answer: Answer | None, mode: Mode, *, edited: bool) -> None:
        """Show this from now on. `edited`: limits are, whatever the answer still says."""
        self._edited = edited
        self.query_one("#effects-rule", Painted).show(lambda width: (effects_title(answer, mode, width),))
        self.query_one("#effects", Painted).show(lambda width: [(Span(" "), *one) for one in effects_lines(answer, width - 2)])
        self.table.show(FlipItems(answer.comparison.flips) if answer is not None else Empty(), self._no_flips)

    def show_about(self, row: ToolRow | None, reason: str | None) -> None:
        """Tell of a row, and why its value does nothing, if it does nothing."""
        told = about(row, reason)
        self.query_one("#about", Painted).show(lambda width: [(Span(" "), *one) for one in wrap(told, width - 2)])

    def _no_flips(self, width: int) -> list[Line]:
        words = "No result would have another fate." if self._edited else "+ and - nudge the selected value, enter types one."
        return [line(Span(f" {words}", "dim"))]

    @on(LineTable.Selected)
    @on(LineTable.Followed)
    def _moved(self, message: Message) -> None:
        message.stop()

    @on(LineTable.Opened)
    def _opened(self, message: LineTable.Opened) -> None:
        message.stop()
        items = self.table.items
        if isinstance(items, FlipItems):
            self.post_message(self.FlipAsked(items.things[message.key.ident]))
