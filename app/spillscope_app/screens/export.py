"""The edited limits in the words of those who are to obey them: to look at, to copy, to write to a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.screen import ModalScreen
from textual.widgets import Input

from spillscope.limits_export import FORMATS, Format
from spillscope_app.commands import bindings
from spillscope_app.spans import Line, foreign, line, wrap
from spillscope_app.tuning.saving import write_new
from spillscope_app.viewer.handing import copy
from spillscope_app.widgets.choices import Choices, tabs
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.text_view import TextView
from spillscope_app.widgets.typed_line import TypedLine

_NAMES: dict[Format, str] = {
    "claude-env": "Claude Code env",
    "mcp-meta": "MCP _meta",
    "flags": "flag payloads",
    "toml": "limits file",
}


def _wrapped(rows: Sequence[Line], width: int) -> list[Line]:
    return [part for row in rows for part in wrap(row, width, 8)]


class FileLine(TypedLine):
    """The name of a file to write to."""

    BINDINGS = bindings("file name")

    def __init__(self) -> None:
        super().__init__(id="file-name", placeholder="write to: a path; ~ is your home")


class ExportScreen(ModalScreen[None]):
    """Shows an export in one form after the other. `exported` gives the text of a form."""

    BINDINGS = bindings("export")
    AUTO_FOCUS = "#export-text"

    def __init__(self, exported: Callable[[Format], str]) -> None:
        super().__init__()
        self._exported = exported
        self._form: Format = FORMATS[0]
        self._text = ""
        self._refused = ""  # a path that is there already: entered again it is overwritten

    def compose(self) -> ComposeResult:
        with Container(id="export"):
            yield Choices(id="export-tabs")
            yield TextView(id="export-text")
            yield FileLine()
            yield Painted(id="export-note")
        yield KeyLine()

    def on_mount(self) -> None:
        self._turn_to(self._form)

    def _turn_to(self, form: Format) -> None:
        self._form, self._text = form, self._exported(form)
        rows = [(foreign(one),) for one in self._text.split("\n")]
        self.query_one("#export-text", TextView).show(lambda width: _wrapped(rows, width), form)
        self.query_one("#export-tabs", Choices).offer(tabs([(one, _NAMES[one]) for one in FORMATS], form))
        self._note("")

    def _note(self, words: str) -> None:
        self.query_one("#export-note", Painted).show(lambda width: (line(foreign(words, "warn")),))

    @on(Choices.Chosen)
    def _tab_clicked(self, message: Choices.Chosen) -> None:
        message.stop()
        self._turn_to(next(form for form in FORMATS if form == message.name))

    def action_turn(self, step: int) -> None:
        """The next form, or the one before."""
        self._turn_to(FORMATS[(FORMATS.index(self._form) + step) % len(FORMATS)])

    def action_copy(self) -> None:
        """The text to the clipboard."""
        self._note(copy(self.app, self._text, _NAMES[self._form]))

    def action_write(self) -> None:
        """Name a file to write the text to."""
        self.add_class("-writing")
        self.set_focus(self.query_one(FileLine))

    def action_leave_name(self) -> None:
        """Write no file."""
        self.remove_class("-writing")
        self.set_focus(self.query_one("#export-text", TextView))

    @on(Input.Submitted)
    def _named(self, message: Input.Submitted) -> None:
        message.stop()
        name = message.value.strip()
        if not name:
            self.action_leave_name()
            return
        path = Path(name).expanduser()
        if path.exists() and name != self._refused:
            self._refused = name
            self._note(f"{path} is there already: enter again overwrites it")
            return
        try:
            write_new(path, self._text)
        except OSError as error:
            self._note(f"not written: {path}: {error.strerror or error}")
        else:
            self._note(f"written to {path}")
            self.action_leave_name()

    def action_close(self) -> None:
        """Back to the tools."""
        self.dismiss()
