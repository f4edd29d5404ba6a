"""The plot as a widget: as large as its place, with a zoom, and a bar that can be clicked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from spillscope_app.spans import Line, Paint
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.plot import Layout, Plot, axis_width, lay_out, most_zoom, plot_lines


class PlotView(Painted):
    """Shows a plot; without a point what it is told to say instead."""

    @dataclass
    class Chosen(Message):
        """The user clicked on a bar; None: on the last one, which is no point."""

        number: int | None

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._plot: Plot | None = None
        self._zoom = self._first = 0

    def show_plot(self, plot: Plot | None, otherwise: Paint) -> None:
        """Draw this from now on."""
        self._plot = plot
        self.show(self._lines if plot is not None else otherwise)

    def zoom(self, steps: int) -> None:
        """Closer by so many steps, or wider."""
        if self._plot is not None:
            width = self.size.width
            most = most_zoom(len(self._plot.points), width - axis_width(width))
            self._zoom = max(0, min(self._zoom + steps, most))
            self.show(self._lines)

    def _lay_out(self, plot: Plot, width: int) -> Layout:
        layout = lay_out(len(plot.points), width - axis_width(width), self._zoom, plot.selected, self._first)
        self._first = layout.first
        return layout

    def _lines(self, width: int) -> Sequence[Line]:
        plot = self._plot
        assert plot is not None  # whoever has none shows something else
        return plot_lines(plot, self._lay_out(plot, width), self.size.height, axis_width(width))

    def on_resize(self, event: events.Resize) -> None:
        if self._plot is not None:
            self.show(self._lines)

    def on_click(self, event: events.Click) -> None:
        column = event.x - axis_width(self.size.width)
        if self._plot is not None and column >= 0:
            self.post_message(self.Chosen(self._lay_out(self._plot, self.size.width).number_at(column)))
