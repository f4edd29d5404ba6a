"""The line into which a value is typed, whose it is, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.widgets import Input

from spillscope.errors import LimitsError
from spillscope.limits import Limits
from spillscope_app.commands import bindings
from spillscope_app.spans import Line, Span, line, width_of
from spillscope_app.tuning.edits import Value
from spillscope_app.tuning.typed import typed
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.typed_line import TypedLine

Change = Callable[[Mapping[str, Value | None]], object]
"""Makes edits. Raises LimitsError for a value that a key can't have."""


class ValueLine(TypedLine):
    """A new value for the selected row."""

    BINDINGS = bindings("value")

    def __init__(self) -> None:
        super().__init__(id="value", placeholder="12k, 1.5M, inf")


class ValuePane(Container):
    """Lets the user type until the text is a value; a bad one says why and stays."""

    @dataclass
    class Left(Message):
        """There is nothing more to type."""

    def __init__(self, change: Change) -> None:
        super().__init__(id="value-pane")
        self._change = change
        self._key, self._limits = "", Limits()

    def compose(self) -> ComposeResult:
        yield Painted(id="value-name")
        yield ValueLine()
        yield Painted(id="value-wrong")

    @property
    def line(self) -> ValueLine:
        """What is typed into."""
        return self.query_one(ValueLine)

    def begin(self, key: str, name: Line, limits: Limits) -> None:
        """A value for this key of a limits file is typed from now on. `limits`: as they are."""
        self._key, self._limits = key, limits
        painted = self.query_one("#value-name", Painted)
        painted.show(lambda width: (name,))
        painted.styles.width = width_of(name)
        self._say("")
        self.line.value = ""

    def _say(self, words: str) -> None:
        wrong = line(Span(" give ", "over"), Span(words)) if words else ()
        self.query_one("#value-wrong", Painted).show(lambda width: (wrong,))

    @on(Input.Changed)
    def _typed_on(self, message: Input.Changed) -> None:
        message.stop()
        self._say("")

    @on(Input.Submitted)
    def _submitted(self, message: Input.Submitted) -> None:
        message.stop()
        try:
            if message.value.strip():
                self._change(typed(self._key, message.value, self._limits))
        except LimitsError as error:
            self._say(str(error))
        else:
            self.post_message(self.Left())
