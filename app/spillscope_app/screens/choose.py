"""One of several things, chosen over the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen

from spillscope_app.commands import bindings
from spillscope_app.spans import Line, Paint, Span, fit
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Listed
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.text_view import TextView


class Option(NamedTuple):
    """A row, and what there is to say of it while the cursor stands on it."""

    words: Line
    about: Paint


class OptionItems(Listed[Option]):
    """`Items` over options."""

    def line(self, at: int, child: int, width: int) -> Line:
        return fit(self.things[at].words, width)


class ChooseScreen(ModalScreen[int | None]):
    """Gives the number of the option that was chosen; None where none was."""

    BINDINGS = bindings("choice")
    AUTO_FOCUS = "#options"

    def __init__(self, title: str, options: Sequence[Option]) -> None:
        super().__init__()
        self._heading, self._options = title, options

    def compose(self) -> ComposeResult:
        with Container(id="choose"):
            yield Painted(id="choose-title")
            yield LineTable(id="options")
            yield TextView(id="choose-about")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#choose-title", Painted).show(lambda width: ((Span(self._heading, "title"),),))
        table = self.query_one("#options", LineTable)
        table.following = False
        table.show(OptionItems(self._options))

    @on(LineTable.Selected)
    def _moved(self, message: LineTable.Selected) -> None:
        message.stop()
        if message.key is not None:
            self.query_one("#choose-about", TextView).show(self._options[message.key.ident].about)

    @on(LineTable.Followed)
    def _followed(self, message: LineTable.Followed) -> None:
        message.stop()

    @on(LineTable.Opened)
    def _opened(self, message: LineTable.Opened) -> None:
        message.stop()
        self.dismiss(message.key.ident)

    def action_close(self) -> None:
        """None of them."""
        self.dismiss(None)
