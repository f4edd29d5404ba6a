"""A line to type into."""

from __future__ import annotations

from textual.widgets import Input

from spillscope.clean import clean
from spillscope_app.commands import bindings


class TypedLine(Input):
    """One line high, without a blinking cursor. Whatever is pasted into it becomes printable."""

    def __init__(self, *, id: str, placeholder: str) -> None:
        super().__init__(id=id, compact=True, placeholder=placeholder, select_on_focus=False)
        self.cursor_blink = False

    def insert(self, text: str, index: int) -> None:
        super().insert(clean(text), index)


class FindLine(TypedLine):
    """The text that a list is filtered by."""

    BINDINGS = bindings("find")
