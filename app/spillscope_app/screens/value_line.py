"""The line into which a value is typed, and what is wrong with it."""

from __future__ import annotations

from spillscope_app.commands import bindings
from spillscope_app.widgets.typed_line import TypedLine


class ValueLine(TypedLine):
    """A new value for the selected row."""

    BINDINGS = bindings("value")

    def __init__(self) -> None:
        super().__init__(id="value", placeholder="12k, 1.5M, inf; empty: unset")
