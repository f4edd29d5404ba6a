"""From spans to what a terminal is sent. The only place where text of a line becomes segments."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

from spillscope.clean import clean
from spillscope_app.spans import INKS, Line, fit

INK_CLASSES = frozenset(f"ink--{ink}" for ink in INKS)
"""Component classes of a widget that draws lines. Their colours stand in the app's style sheet."""


def draw(widget: Widget, spans: Line, cells: int, base: Style) -> Strip:
    """A line as a strip of exactly `cells` cells on the ground of `base`.

    Text is cleaned here even when it came clean: whatever a view forgot, no control character leaves the app.
    """
    segments = [Segment(clean(span.text), _style(widget, span.ink, base)) for span in fit(spans, cells)]
    return Strip(segments).adjust_cell_length(cells, base)


def scrolled_size(view: ScrollView, lines: int) -> Size:
    """The virtual size of a view of so many lines.

    It changes only where there is something to scroll: each change lays out the whole screen again, which costs a frame.
    """
    return Size(0, max(lines, view.container_size.height))


def _style(widget: Widget, ink: str, base: Style) -> Style:
    if not ink:
        return base
    style = widget.get_component_rich_style(f"ink--{ink}")
    return base + Style(color=style.color, bold=style.bold, italic=style.italic, dim=style.dim, underline=style.underline)
