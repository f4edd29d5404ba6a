"""A widget of a few lines that somebody else computes for its width."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar

from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from spillscope_app.spans import Line, Paint
from spillscope_app.widgets.ink import INK_CLASSES, draw


class Painted(Widget):
    """Draws what its paint gives, and redraws only the lines that have changed. Its height is the style sheet's."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(INK_CLASSES)
    ALLOW_SELECT = False

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._paint: Paint | None = None
        self._painted: Sequence[Line] = ()
        self._painted_width = -1
        self._ground: Style | None = None
        self._inks: dict[str, Style] = {}

    def show(self, paint: Paint) -> None:
        """Draw this from now on."""
        self._paint = paint
        before, width = self._painted, self.size.width
        self._repaint(width)
        lines = enumerate(zip_longest(before, self._painted))
        if changed := [Region(0, y, width, 1) for y, (then, now) in lines if then != now]:
            self.refresh(*changed)

    def _repaint(self, width: int) -> None:
        self._painted = tuple(self._paint(width)) if self._paint and width > 0 else ()
        self._painted_width = width

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if width != self._painted_width:
            self._repaint(width)
        spans = self._painted[y] if y < len(self._painted) else ()
        if self._ground is None:
            self._ground = self.rich_style  # the framework would go through all ancestors for each line
        return draw(self, spans, width, self._ground, self._inks)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._ground = None
        self._inks.clear()
