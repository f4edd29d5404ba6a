"""A pane of lines that scrolls, whatever their number: only those in view are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.scroll_view import ScrollView
from textual.strip import Strip

from spillscope_app.commands import bindings
from spillscope_app.spans import Line, Paint
from spillscope_app.widgets.ink import INK_CLASSES, draw, set_height


class TextView(ScrollView, can_focus=True):
    """Shows lines computed for its width. A paint with the same `subject` as before keeps the scroll position."""

    COMPONENT_CLASSES: ClassVar[set[str]] = set(INK_CLASSES)
    BINDINGS = bindings("text")
    ALLOW_SELECT = False
    DEFAULT_CSS = """
    TextView { overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: 1; scrollbar-gutter: stable; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._paint: Paint | None = None
        self._subject: object = None
        self._painted: Sequence[Line] = ()
        self._ground: Style | None = None

    @property
    def subject(self) -> object:
        """What is shown."""
        return self._subject

    def show(self, paint: Paint, subject: object = None) -> None:
        """Draw this from now on."""
        fresh_subject = subject != self._subject
        self._paint, self._subject = paint, subject
        self._repaint()
        if fresh_subject:
            self.scroll_to(y=0, animate=False)

    def _repaint(self) -> None:
        width = self.scrollable_content_region.width
        self._painted = self._paint(width) if self._paint and width > 0 else ()
        set_height(self, len(self._painted))
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        self._repaint()

    def render_line(self, y: int) -> Strip:
        at = y + self.scroll_offset.y
        spans = self._painted[at] if at < len(self._painted) else ()
        if self._ground is None:
            self._ground = self.rich_style
        return draw(self, spans, self.size.width, self._ground)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._ground = None

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines, down where positive."""
        self.scroll_to(y=self.scroll_offset.y + lines, animate=False)

    def action_scroll_page(self, pages: int) -> None:
        """Scroll by screenfuls, down where positive."""
        self.action_scroll(pages * max(1, self.size.height - 1))

    def action_scroll_edge(self, where: str) -> None:
        """Scroll to the `first` or the `last` line."""
        self.scroll_to(y=0 if where == "first" else self.max_scroll_y, animate=False)
