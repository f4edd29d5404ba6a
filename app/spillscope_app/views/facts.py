"""Lines under way: the shapes that every explanation is made of."""

from __future__ import annotations

from spillscope_app.spans import Line, Span, fit, left, right, width_of, wrap

NAME, FIGURE = 12, 9
"""Cells of a value's name and of its figure."""


class Facts:
    """Lines under way for a width, with the few shapes that all of them have."""

    def __init__(self, width: int) -> None:
        self.width = max(1, width)
        self.lines: list[Line] = []

    def say(self, spans: Line, indent: int = 0) -> None:
        """A sentence, broken between words."""
        self.lines += wrap(spans, self.width, indent)

    def gap(self) -> None:
        self.lines.append(())

    def value(self, name: str, figure: str, note: Line = (), strong: bool = False, hang: int = 0) -> None:
        """A named figure in its columns, and a note about it; the note goes below where there is no room beside.

        `hang`: cells by which all lines of the note but the first are set in.
        """
        head = (
            *left(Span(name, "title" if strong else "dim"), NAME),
            *right(Span(figure, "strong" if strong else ""), FIGURE),
        )
        indent = NAME + FIGURE + 2
        if note and self.width - indent >= min(12, width_of(note)):
            self.lines += wrap((*head, Span("  "), *note), self.width, indent + hang)
            return
        self.lines.append(fit(head, self.width))
        if note:
            self.say((Span("  "), *note), 2 + hang)
