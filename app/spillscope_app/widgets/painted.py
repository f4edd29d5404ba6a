"""A widget of a few lines that somebody else computes for its width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.strip import Strip
from textual.widget import Widget

from spillscope_app.spans import Line, Paint
from spillscope_app.widgets.ink import INK_CLASSES, draw


class Painted(Widget):
    """Draws what its paint gives, and redraws only when that has changed. Its height is the style sheet's."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(INK_CLASSES)
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._paint: Paint | None = None
        self._painted: Sequence[Line] = ()
        self._painted_width = -1

    def show(self, paint: Paint) -> None:
        """Draw this from now on."""
        self._paint = paint
        if self._repaint(self.size.width):
            self.refresh()

    def _repaint(self, width: int) -> bool:
        painted = tuple(self._paint(width)) if self._paint and width > 0 else ()
        changed = painted != self._painted
        self._painted, self._painted_width = painted, width
        return changed

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if width != self._painted_width:
            self._repaint(width)
        spans = self._painted[y] if y < len(self._painted) else ()
        return draw(self, spans, width, self.rich_style)
