"""From spans to what a terminal is sent. The only place where text of a line becomes segments."""

from __future__ import annotations

from functools import lru_cache

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from spillscope.clean import clean
from spillscope_app.spans import INKS, Line, Span, fit

INK_CLASSES = frozenset(f"ink--{ink}" for ink in INKS)
"""Component classes of a widget that draws lines. Their colours stand in the app's style sheet."""
UNDERLINED = frozenset({"pick", "over"})
"""Inks whose blanks can be seen, in some theme."""


def draw(widget: Widget, spans: Line, cells: int, base: Style, known: dict[str, Style] | None = None) -> Strip:
    """A line as a strip of exactly `cells` cells on the ground of `base`, in as few segments as there are looks.

    Text is cleaned here even when it came clean: whatever a view forgot, no control character leaves the app. `known`: the
    inks that the widget has asked for since its styles last changed; the framework forgets them at each refresh.
    """
    inks = {} if known is None else known
    segments = [Segment(clean(span.text), _style(widget, span, base, inks)) for span in fit(spans, cells)]
    return Strip(segments).adjust_cell_length(cells, base).simplify()


def set_height(view: ScrollView, lines: int) -> None:
    """Tell a view that it has so many lines.

    The framework would lay out the whole screen again, which costs a frame; that is needed only where a scroll bar comes or
    goes. One that always stays is empty where there is nothing to scroll.
    """
    seen, stays = view.container_size.height, view.styles.overflow_y == "scroll"
    if seen and not stays and (lines > seen) != view.show_vertical_scrollbar:
        view.virtual_size = Size(0, lines)
        return
    view.set_reactive(Widget.virtual_size, Size(0, lines))
    if seen and (stays or lines > seen):
        view.vertical_scrollbar.window_virtual_size = max(lines, seen)
    view.scroll_y = min(view.scroll_y, view.max_scroll_y)


def _style(widget: Widget, span: Span, base: Style, known: dict[str, Style]) -> Style:
    if not span.ink or (span.text.isspace() and span.ink not in UNDERLINED):
        return base
    ink = known.get(span.ink)
    if ink is None:
        ink = known[span.ink] = widget.get_component_rich_style(f"ink--{span.ink}")
    return _inked(ink, base)


@lru_cache(maxsize=512)
def _inked(ink: Style, ground: Style) -> Style:
    """An ink on a ground, whose own background stays."""
    return ground + Style(color=ink.color, bold=ink.bold, italic=ink.italic, dim=ink.dim, underline=ink.underline)
