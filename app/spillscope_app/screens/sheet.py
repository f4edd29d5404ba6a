"""A sheet of text over the screen: help, and the arithmetic."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen

from spillscope_app.commands import bindings
from spillscope_app.spans import Paint, Span
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.text_view import TextView


class SheetScreen(ModalScreen[None]):
    """Shows a text until it is closed. Its title is ours, never foreign."""

    BINDINGS = bindings("sheet")
    AUTO_FOCUS = "#sheet-text"

    def __init__(self, title: str, paint: Paint) -> None:
        super().__init__()
        self._heading, self._text = title, paint

    def compose(self) -> ComposeResult:
        with Container(id="sheet"):
            yield Painted(id="sheet-title")
            yield TextView(id="sheet-text")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#sheet-title", Painted).show(lambda width: ((Span(self._heading, "title"),),))
        self.query_one("#sheet-text", TextView).show(self._text)

    def show(self, paint: Paint) -> None:
        """Show this text from now on, where the one before was read."""
        self._text = paint
        if self.is_mounted:
            self.query_one("#sheet-text", TextView).show(paint)

    def action_close(self) -> None:
        """Back to where it was opened."""
        self.dismiss()
