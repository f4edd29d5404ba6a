"""A list of any length, with rows that open, a cursor, and a follow mode. Draws only the rows in view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollDown, ScrollTo, ScrollUp
from textual.strip import Strip

from spillscope_app.commands import bindings
from spillscope_app.spans import Paint, Span
from spillscope_app.widgets.ink import INK_CLASSES, draw, set_height
from spillscope_app.widgets.outline import GUTTER, ITSELF, Empty, Items, Key, Outline

SCROLLBAR = 1
"""Cells that are kept free for the scroll bar at the right."""
_CACHED_ROWS = 512
_CURSOR = "line-table--cursor"


class LineTable(ScrollView, can_focus=True):
    """Shows `Items`. While it follows, the cursor is on the newest thing; any move by the user ends that.

    `enter_opens`: enter asks to look into a thing itself, even where it has children.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {*INK_CLASSES, _CURSOR}
    BINDINGS = bindings("list")
    ALLOW_SELECT = False
    DEFAULT_CSS = f"""
    LineTable {{ overflow-x: hidden; overflow-y: auto; scrollbar-size-vertical: {SCROLLBAR}; scrollbar-gutter: stable; }}
    """

    following: reactive[bool] = reactive(True, repaint=False)

    @dataclass
    class Selected(Message):
        """The cursor stands on something else now, or on nothing."""

        key: Key | None

    @dataclass
    class Opened(Message):
        """The user wants to look into a row that has no children."""

        key: Key

    @dataclass
    class Followed(Message):
        """Following has begun or ended."""

        following: bool

    def __init__(self, *, id: str | None = None, enter_opens: bool = False) -> None:
        super().__init__(id=id)
        self._enter_opens = enter_opens
        self._outline = Outline(Empty())
        self._expanded: frozenset[int] = frozenset()
        self._all_but = False
        self._cursor = 0
        self._announced: Key | None = None
        self._placeholder: Paint | None = None
        self._strips: LRUCache[tuple[object, ...], Strip] = LRUCache(_CACHED_ROWS)  # by place
        self._looks: LRUCache[tuple[object, ...], Strip] = LRUCache(_CACHED_ROWS)  # by content
        self._shown: dict[int, Strip] = {}  # by line in view, as it was last drawn
        self._ground_style: Style | None = None
        self._inks: dict[str, Style] = {}

    @property
    def selected(self) -> Key | None:
        """The key under the cursor; None in an empty table."""
        return self._outline.key(self._cursor) if self._outline.height else None

    @property
    def items(self) -> Items:
        """What is shown."""
        return self._outline.items

    @property
    def expanded(self) -> frozenset[int]:
        """Identities of the opened things; of the closed ones once all were opened."""
        return self._expanded

    def show(self, items: Items, placeholder: Paint | None = None) -> None:
        """Show these things; `placeholder` is what an empty table says. Selection, scroll and opened rows stay."""
        self._placeholder = placeholder
        self._rebuild(items, self._expanded)

    def forget(self) -> None:
        """Show nothing, as if nothing had ever been shown: what comes next is about something else."""
        self._all_but = False
        self._rebuild(Empty(), frozenset())
        self.following = True

    def select(self, key: Key) -> bool:
        """Put the cursor on a row, opening what it stands in; False where it is not there."""
        at = self._outline.items.find(key.ident)
        if at is None:
            return False
        self.following = False
        if key.child != ITSELF and not self._outline.is_opened(at):
            self._rebuild(self._outline.items, self._expanded ^ {key.ident})
        row = self._outline.row(key)
        if row is not None:
            self._move_to(row)
        return row is not None

    def _rebuild(self, items: Items, expanded: frozenset[int]) -> None:
        selected, above = self.selected, self._cursor - self.scroll_offset.y
        self._expanded = expanded
        self._outline = Outline.build(items, expanded, all_but=self._all_but)
        self._strips.clear()
        set_height(self, self._outline.height)
        if self.following:
            self._to_newest()
        else:
            row = self._outline.row(selected) if selected else None
            self._cursor = self._clamp(self._cursor if row is None else row)
            self.scroll_to(y=self._cursor - above, animate=False)
        self._refresh_changed()
        self._announce()

    def _refresh_changed(self) -> None:
        """Draw anew the lines in view that are others now."""
        width, height = self.size
        before = self._shown.copy()
        if changed := [Region(0, y, width, 1) for y in range(height) if self.render_line(y) != before.get(y)]:
            self.refresh(*changed)

    def _to_newest(self) -> None:
        last = len(self._outline.items) - 1
        self._cursor = self._outline.row(Key(self._outline.items.ident(last))) or 0 if last >= 0 else 0
        # Forced: where the list has just outgrown its view, the scroll bar is not there yet.
        self.scroll_to(y=min(self._cursor, self.max_scroll_y), animate=False, force=True)

    def _clamp(self, row: int) -> int:
        return max(0, min(row, self._outline.height - 1))

    def _announce(self) -> None:
        if (key := self.selected) != self._announced:
            self._announced = key
            self.post_message(self.Selected(key))

    def watch_following(self, following: bool) -> None:
        if following:
            self._move_to(self._cursor, follow=True)
        self.post_message(self.Followed(following))

    def _move_to(self, row: int, *, follow: bool = False) -> None:
        """Put the cursor in a row, scroll it into view, and stop following unless that is why it moves."""
        if not self._outline.height:
            return
        before = self._cursor
        if follow:
            self._to_newest()
        else:
            self.following = False
            self._cursor = self._clamp(row)
        self.refresh_line(before)
        self.refresh_line(self._cursor)
        self._reveal()
        self._announce()

    def _reveal(self) -> None:
        top, height = self.scroll_offset.y, max(1, self.scrollable_content_region.height)
        if self._cursor < top:
            self.scroll_to(y=self._cursor, animate=False)
        elif self._cursor >= top + height:
            self.scroll_to(y=self._cursor - height + 1, animate=False)

    def action_move(self, rows: int) -> None:
        """Move by rows, down where positive."""
        self._move_to(self._cursor + rows)

    def action_page(self, pages: int) -> None:
        """Move by screenfuls, down where positive."""
        self._move_to(self._cursor + pages * max(1, self.scrollable_content_region.height - 1))

    def action_edge(self, where: str) -> None:
        """Move to the `first` or the `last` row."""
        self._move_to(0 if where == "first" else self._outline.height - 1)

    def action_expand(self, opened: bool) -> None:
        """Open every row, or close every one."""
        self._all_but = opened
        self._rebuild(self._outline.items, frozenset())
        self._reveal()

    def action_match(self, step: int) -> None:
        """To the next row that is looked for, or to the one before; past the end it goes on at the other."""
        height = self._outline.height
        for away in range(1, height + 1):
            row = (self._cursor + step * away) % height
            at, child = self._outline.place(row)
            if (child == ITSELF) == self._outline.is_opened(at):
                continue
            if self._outline.items.matches(at, child):
                self._move_to(row)
                return

    def action_enter(self) -> None:
        """Open or close the row of a thing; ask to look into any other."""
        if (key := self.selected) is None:
            return
        self.following = False
        if self._enter_opens or not self._toggle(key):
            self.post_message(self.Opened(key))

    def _toggle(self, key: Key) -> bool:
        """Open or close the row of a thing; False where there is nothing to open."""
        if key.child != ITSELF or not self._outline.items.children(self._outline.place(self._cursor).at):
            return False
        self.following = False
        self._rebuild(self._outline.items, self._expanded ^ {key.ident})
        self._reveal()
        return True

    def action_fold(self, deeper: bool) -> None:
        """Open a row, or go into an opened one; close a row, or go from a child to its thing."""
        if (key := self.selected) is None:
            return
        itself = key.child == ITSELF
        if itself and deeper != self._outline.is_opened(self._outline.place(self._cursor).at):
            self._toggle(key)
        elif itself and deeper:
            self._move_to(self._cursor + 1)
        elif not itself and not deeper:
            self._move_to(self._outline.row(Key(key.ident)) or 0)

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows alone: around them there is no border and no padding that would have to be put to each of them."""
        colour, filters, ground = self.background_colors[1], self.get_line_filters(), self._ground
        strips = []
        for y in crop.line_range:
            strip = self.render_line(y)
            for one in filters:
                strip = strip.apply_filter(one, colour)
            strips.append(strip.crop_extend(*crop.column_span, ground))
        return strips

    @property
    def _ground(self) -> Style:
        """The style of what is not drawn on. The framework would go through all its ancestors each time."""
        if self._ground_style is None:
            self._ground_style = self.rich_style
        return self._ground_style

    def render_line(self, y: int) -> Strip:
        strip = self._shown[y] = self._line(y)
        return strip

    def _line(self, y: int) -> Strip:
        row, width = y + self.scroll_offset.y, self.scrollable_content_region.width  # the rest is the scroll bar's
        if not self._outline.height:
            lines = self._placeholder(width) if self._placeholder else ()
            return draw(self, lines[y] if y < len(lines) else (), width, self._ground, self._inks)
        if row >= self._outline.height:
            return Strip.blank(width, self._ground)
        here = row == self._cursor
        cached = (row, width, here, self.has_focus)
        strip = self._strips.get(cached)
        if strip is None:
            strip = self._strips[cached] = self._draw_row(row, width, here)
        return strip

    def _draw_row(self, row: int, width: int, here: bool) -> Strip:
        at, child = self._outline.place(row)
        can_open = child == ITSELF and self._outline.items.children(at)
        mark = ("▾ " if self._outline.is_opened(at) else "▸ ") if can_open else "  "
        base = self._cursor_style() if here else self._ground
        spans = (Span(mark, "dim"), *self._outline.items.line(at, child, max(0, width - GUTTER)))
        look = (spans, width, base)
        strip = self._looks.get(look)
        if strip is None:
            strip = self._looks[look] = draw(self, spans, width, base, self._inks)
        return strip

    def _cursor_style(self) -> Style:
        if (known := self._inks.get(_CURSOR)) is None:
            known = self._inks[_CURSOR] = self.get_component_rich_style(_CURSOR)
        return known

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._strips.clear()
        self._looks.clear()
        self._inks.clear()
        self._ground_style = None

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        set_height(self, self._outline.height)
        if self.following:
            self._to_newest()
        else:
            self._reveal()

    def on_click(self, event: events.Click) -> None:
        row = event.y + self.scroll_offset.y
        if row >= self._outline.height:
            return
        self._move_to(row)
        key = self.selected
        if event.x < GUTTER and key is not None:
            self._toggle(key)
        elif event.chain == 2:
            self.action_enter()

    def on_mouse_scroll_up(self) -> None:
        self.following = False

    def on_mouse_scroll_down(self) -> None:
        self.following = False

    def on_scroll_up(self, message: ScrollUp) -> None:
        self.following = False

    def on_scroll_down(self, message: ScrollDown) -> None:
        self.following = False

    def on_scroll_to(self, message: ScrollTo) -> None:
        self.following = False
