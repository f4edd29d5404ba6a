"""A question that has to be answered with a key of its own."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen

from spillscope_app.commands import bindings
from spillscope_app.spans import Line, Span, foreign, line, wrap
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.painted import Painted


class AskScreen(ModalScreen[bool]):
    """Whether to open a file that lies outside (spec S6): only `y` says yes."""

    BINDINGS = bindings("question")

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def compose(self) -> ComposeResult:
        with Container(id="question"):
            yield Painted(id="question-words")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#question-words", Painted).show(self._words)

    def _words(self, width: int) -> list[Line]:
        return [
            line(Span("Open it nevertheless?", "title")),
            (),
            *wrap(line("A transcript names this file, and it lies outside this project's tool-results folders."), width),
            (),
            *wrap(line(foreign(self._path, "strong")), width),
        ]

    def action_answer(self, yes: bool) -> None:
        """Yes or no."""
        self.dismiss(yes)
