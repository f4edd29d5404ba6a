"""The context of the session request by request, and what is known of the one that the user went back to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.screen import Screen

from spillscope.session.reading import Reading
from spillscope_app.commands import bindings
from spillscope_app.picture import Picture
from spillscope_app.screens.detail import rule
from spillscope_app.spans import Span
from spillscope_app.views import timeline, top
from spillscope_app.views.request import request_facts
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.plot import PlotPoint
from spillscope_app.widgets.plot_view import PlotView
from spillscope_app.widgets.text_view import TextView

_AT_ONCE = 1_000
"""As many points are made while somebody waits: a few milliseconds."""


class TimelineScreen(Screen[None]):
    """Draws all requests of the newest reading, whatever moment is shown, and asks to be taken to one."""

    BINDINGS = bindings("timeline")
    AUTO_FOCUS = ""

    @dataclass
    class Asked(Message):
        """The user wants to see the session as it stood at a request, or as it stands now."""

        number: int | None

    @dataclass
    class Taken(Message):
        """All points of a reading that has many."""

        reading: Reading
        points: Sequence[PlotPoint]

    def __init__(self, picture: Picture, now: Callable[[], float]) -> None:
        super().__init__()
        self._picture, self._now = picture, now
        self._points: Sequence[PlotPoint] = ()
        self._plotted: Reading | None = None
        self._facts_lines = 0  # the most that the facts of a request have needed
        self._composed = False

    def compose(self) -> ComposeResult:
        yield Painted(id="timeline-header")
        yield Painted(id="plot-rule", classes="rule")
        yield PlotView(id="plot")
        yield Painted(id="plot-legend")
        yield Painted(id="request-rule", classes="rule")
        yield TextView(id="request-facts")
        yield KeyLine()

    def on_mount(self) -> None:
        self._composed = True
        self.set_interval(1.0, self._show_ages)
        self.show_picture(self._picture)

    def show_picture(self, picture: Picture) -> None:
        """Draw this from now on."""
        if picture.path != self._picture.path:
            self._facts_lines = 0
        self._picture = picture
        if not self._composed:
            return
        live = picture.live
        if live is not self._plotted:
            self._take(live)
        points = self._points
        plot = timeline.plot_of(picture, live, points) if live is not None and points else None
        self.query_one("#plot", PlotView).show_plot(plot, partial(timeline.nothing_to_plot, picture))
        self.query_one("#plot-legend", Painted).show(partial(timeline.legend, picture, points))
        at_left, at_right = timeline.title(picture)
        self.query_one("#plot-rule", Painted).show(lambda width: (rule(at_left, at_right, width),))
        heading = (Span("Request", "title"),) if points else ()
        self.query_one("#request-rule", Painted).show(lambda width: (rule(heading, (), width),) if heading else ())
        self.query_one("#request-facts", TextView).show(request_facts(picture), subject=picture.asked)
        self._fit_facts()
        self._show_ages()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fit_facts)

    def _fit_facts(self) -> None:
        """The plot has what the facts leave; it does not jump about as they change from request to request."""
        facts = self.query_one("#request-facts")
        if facts.virtual_size.height > self._facts_lines:
            facts.styles.height = self._facts_lines = facts.virtual_size.height

    def _take(self, live: Reading | None) -> None:
        """The points of a reading: at once where few are new, else beside the loop."""
        same = timeline.kept(self._plotted, live) if live is not None else 0
        known = self._points[:same]
        if live is None or len(live.requests) - same <= _AT_ONCE:
            self._points, self._plotted = timeline.points_of(live, known) if live is not None else (), live
        else:
            if not known:
                self._points, self._plotted = (), None
            work = partial(self._take_beside, live, known)
            self.run_worker(work, name="points", group="points", thread=True, exclusive=True, exit_on_error=False)

    def _take_beside(self, live: Reading, known: Sequence[PlotPoint]) -> None:
        self.post_message(self.Taken(live, timeline.points_of(live, known)))

    @on(Taken)
    def _taken(self, message: Taken) -> None:
        live = self._picture.live
        if live is not None and live.session.path == message.reading.session.path:
            self._points, self._plotted = message.points, message.reading
            self.show_picture(self._picture)

    def _show_ages(self) -> None:
        if self.is_current:
            picture, now = self._picture, self._now()
            self.query_one("#timeline-header", Painted).show(lambda width: top.header(picture, now, width))

    @on(PlotView.Chosen)
    def _clicked(self, message: PlotView.Chosen) -> None:
        self.post_message(self.Asked(message.number))

    def action_jump(self, where: timeline.Jump) -> None:
        """To one of the requests that stand out."""
        number = timeline.jump(self._points, self._picture.asked, where)
        if number is None:
            self.notify(f"no request to go to: {timeline.MISSED[where]}", timeout=4, markup=False)
        else:
            self.post_message(self.Asked(number))

    def action_zoom(self, steps: int) -> None:
        """Closer, or wider."""
        self.query_one("#plot", PlotView).zoom(steps)

    def action_scroll_facts(self, lines: int) -> None:
        """Scroll what is known of the request."""
        self.query_one("#request-facts", TextView).action_scroll(lines)

    async def action_back(self) -> None:
        """Back to live; then back to the groups."""
        if self._picture.asked is not None:
            self.post_message(self.Asked(None))
        else:
            await self.run_action("app.show_mode('groups')")
