"""A line of words to choose from, by mouse; their keys stand in the command table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from textual import events
from textual.message import Message

from spillscope_app.spans import Line, Span, width_of
from spillscope_app.widgets.painted import Painted


class Choice(NamedTuple):
    """A word, or a few, that stands for `name`."""

    name: str
    words: Line


class Choices(Painted):
    """Draws choices one after the other, and tells which one was clicked."""

    @dataclass
    class Chosen(Message):
        """The user clicked on a choice."""

        name: str

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._offered: tuple[Choice, ...] = ()

    def offer(self, choices: Sequence[Choice]) -> None:
        """Show these from now on."""
        self._offered = tuple(choices)
        spans = tuple(span for choice in self._offered for span in choice.words)
        self.show(lambda width: (spans,))

    def on_click(self, event: events.Click) -> None:
        start = 0
        for choice in self._offered:
            start += width_of(choice.words)
            if event.x < start:
                self.post_message(self.Chosen(choice.name))
                return


def tabs(names: Sequence[tuple[str, str]], active: str) -> list[Choice]:
    """Names and words of tabs, the active one in brackets."""
    return [
        Choice(name, (Span("[", "faint"), Span(word, "pick"), Span("]", "faint")))
        if name == active
        else Choice(name, (Span(f" {word} ", "dim"),))
        for name, word in names
    ]
