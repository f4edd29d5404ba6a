"""The rows of a page, drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from spillscope_app.spans import Line, Paint, Span
from spillscope_app.viewer.page import Page
from spillscope_app.viewer.pager import Row
from spillscope_app.widgets.ink import INK_CLASSES, draw

RULE = "─ here the preview ended "


class Canvas(Widget):
    """Draws a page, or a few words where there is none. Tells of the mouse in rows."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*INK_CLASSES, "canvas--picked"}
    ALLOW_SELECT = False

    @dataclass
    class Pointed(Message):
        """A button went down over a row, or was moved on to it."""

        row: Row
        on_mark: bool
        dragged: bool

    class Resized(Message):
        """There is more room, or less."""

    def __init__(self) -> None:
        super().__init__(id="file-canvas")
        self._page = Page("empty")
        self._words: Paint | None = None
        self._dragging = False
        self._ground: Style | None = None

    def show_page(self, page: Page, words: Paint | None = None) -> None:
        """Draw this from now on; `words` stand in place of a page without rows."""
        self._page, self._words = page, words
        self.refresh()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self._ground is None:
            self._ground = self.rich_style  # goes through all ancestors each time
        ground = self._ground
        if self._words is not None:
            lines: Sequence[Line] = self._words(width)
            return draw(self, lines[y] if y < len(lines) else (), width, ground)
        if y >= len(self._page.rows):
            return Strip.blank(width, ground)
        row = self._page.rows[y]
        if row.ruled:
            return draw(self, (Span(RULE + "─" * max(0, width - len(RULE)), "persisted"),), width, ground)
        picked = self._page.picked
        here = picked is not None and picked[0] <= row.place.at <= picked[1]
        base = self.get_component_rich_style("canvas--picked") if here else ground
        return draw(self, (*self._number(self._page.numbers[y]), *_mark(row), *row.spans), width, base)

    def _number(self, number: int | None) -> Line:
        digits = self._page.digits
        return (Span(f"{number if number is not None else '':>{digits}} ", "faint"),) if digits else ()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._ground = None

    def on_resize(self, event: events.Resize) -> None:
        self.post_message(self.Resized())

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1:
            self._dragging = True
            self.capture_mouse()
            self._point(event, dragged=False)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._point(event, dragged=True)

    def on_mouse_up(self, event: events.MouseUp) -> None:
        self._dragging = False
        self.release_mouse()

    def _point(self, event: events.MouseEvent, *, dragged: bool) -> None:
        rows, digits = self._page.rows, self._page.digits
        if rows:
            row = rows[max(0, min(event.y, len(rows) - 1))]
            before_text = (digits + 1 if digits else 0) + len(row.segment.mark)
            self.post_message(self.Pointed(row, on_mark=event.x < before_text and row.place.row == 0, dragged=dragged))


def _mark(row: Row) -> Line:
    """What stands in front of the first row of a segment, and as many blanks in front of the others."""
    mark = row.segment.mark
    return (Span(mark if row.place.row == 0 else " " * len(mark), "dim"),) if mark else ()
