"""A window over a text or a file of any size: it draws pages, and workers read them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.scrollbar import ScrollBar, ScrollDown, ScrollTo, ScrollUp
from textual.widget import Widget
from textual.worker import get_current_worker

from spillscope_app.commands import bindings
from spillscope_app.feed import PROGRESS_SECONDS
from spillscope_app.spans import Line
from spillscope_app.viewer.canvas import Canvas
from spillscope_app.viewer.page import Page
from spillscope_app.viewer.reader import Reader
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.status import absent_lines, nothing, opening_lines, status_line, trouble_lines
from spillscope_app.widgets.painted import Painted

LOOK_SECONDS = 0.5
"""How often it is looked whether a shown file has grown, or is there still."""
WHEEL_ROWS = 3
LONG_WORK = ("lines", "seek")
"""What goes on for as long as a document is shown."""


class PagedView(Widget, can_focus=True):
    """Shows a `ViewerRequest`. All reading is done by workers, in the order in which it was asked for."""

    BINDINGS = bindings("text")
    ALLOW_SELECT = False

    @dataclass
    class Shown(Message):
        """A page is ready, or the reader has failed in these words."""

        reader: Reader
        page: Page | None
        trouble: str = ""

    @dataclass
    class Counted(Message):
        """More lines have been counted; `ended`: nobody counts any more."""

        reader: Reader
        ended: bool = False

    def __init__(self, request: ViewerRequest | None = None, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._first = request
        self._reader: Reader | None = None
        self._page: Page | None = None
        self._trouble = ""
        self._asked: deque[Callable[[], object]] = deque()
        self._busy = self._counting = False

    def compose(self) -> ComposeResult:
        yield Painted(id="file-facts")
        with Container(id="file-body"):
            yield Canvas()
            yield ScrollBar(vertical=True)
        yield Painted(id="file-status")

    def on_mount(self) -> None:
        self.set_interval(LOOK_SECONDS, self.look)
        self.show(self._first)

    # --- what is shown --------------------------------------------------------------------------------------------------

    @property
    def request(self) -> ViewerRequest | None:
        """What is shown."""
        return self._reader.request if self._reader is not None else None

    @property
    def page(self) -> Page | None:
        """What is in view; None while it is opened."""
        return self._page

    def show(self, request: ViewerRequest | None) -> None:
        """Show this from now on, from its beginning; the same as before keeps its place. None: nothing."""
        if request == self.request:
            return
        self._leave()
        self._reader = Reader(request) if request is not None else None
        facts = request.facts if request is not None else ()
        self._part("facts").styles.height = len(facts)
        self._part("facts").show(lambda width: facts)
        self._draw()
        if self._reader is not None:
            self._fit()
            self._ask(self._reader.open)

    def _leave(self) -> None:
        """What belonged to the document before ends."""
        for group in LONG_WORK:  # never a page that is under way: it would not say that it has ended
            self.workers.cancel_group(self, group)
        self._asked.clear()
        self._page, self._trouble, self._counting = None, "", False

    def _part(self, name: str) -> Painted:
        return self.query_one(f"#file-{name}", Painted)

    def _ask(self, *wanted: Callable[[], object]) -> None:
        """Have a worker do this, and then make a page."""
        self._asked += wanted
        if not self._busy and self._reader is not None:
            self._busy = True
            self.run_worker(partial(self._read, self._reader), name="page", group="page", thread=True, exit_on_error=False)

    def _read(self, reader: Reader) -> None:
        page, trouble = None, ""
        try:
            while self._asked:
                self._asked.popleft()()
            page = reader.page()
        except Exception as error:  # told on the screen: a reader that failed must not look like one that still reads
            trouble = f"the viewer failed with {type(error).__name__}: {error}"
        self.post_message(self.Shown(reader, page, trouble))

    @on(Shown)
    def _shown(self, message: Shown) -> None:
        message.stop()
        self._busy = False
        is_current = message.reader is self._reader
        if self._asked or not is_current:
            self._ask()
        if is_current:
            self._page, self._trouble = message.page, message.trouble
            self._draw()
            self._count(message.reader)

    def _draw(self) -> None:
        page, canvas, bar = self._page, self.query_one(Canvas), self.query_one(ScrollBar)
        is_open = page is not None and page.state == "open"
        bar.visible = is_open
        self._part("status").show(status_line(page, self._news()) if page is not None and is_open else nothing)
        if page is None or self._reader is None:
            words = trouble_lines(self._trouble) if self._trouble else opening_lines
            canvas.show_page(Page("empty"), words if self._reader is not None else nothing)
            return
        canvas.show_page(page, None if is_open else absent_lines(page, self._reader.request))
        # The bar knows bytes only: a page of long lines is a larger part of a file than one of short lines.
        height, seen = max(1, canvas.size.height), max(1, page.end - page.start)
        bar.window_size = height
        bar.window_virtual_size = max(height, height * page.size // seen)
        bar.position = height * page.start / seen

    def _news(self) -> Line:
        """What else the line below the text says."""
        return ()

    # --- while it is shown ----------------------------------------------------------------------------------------------

    def look(self) -> None:
        """Notice what happened to the file, while somebody can see it."""
        if self._reader is not None and self._page is not None and not self._busy and self.is_on_screen:
            self._ask(self._reader.look)

    def _count(self, reader: Reader) -> None:
        """Have lines counted: those that nobody has counted yet."""
        has_numbers = self._page is not None and self._page.form != "hex"
        if has_numbers and not self._counting and not reader.numbers.complete:
            self._counting = True
            self.run_worker(partial(self._count_on, reader), name="lines", group="lines", thread=True, exit_on_error=False)

    def _count_on(self, reader: Reader) -> None:
        worker, until = get_current_worker(), 0.0

        def stopped() -> bool:
            nonlocal until
            if (now := time.monotonic()) >= until:
                until = now + PROGRESS_SECONDS
                self.post_message(self.Counted(reader))
            return worker.is_cancelled

        reader.numbers.count(stopped)
        self.post_message(self.Counted(reader, ended=True))

    @on(Counted)
    def _counted(self, message: Counted) -> None:
        message.stop()
        if message.reader is self._reader:
            self._counting = self._counting and not message.ended
            self._ask()

    @on(Canvas.Resized)
    def _resized(self, message: Canvas.Resized) -> None:
        message.stop()
        self._fit()

    def _fit(self) -> None:
        size = self.query_one(Canvas).size
        if size.height:
            self._have(lambda reader: reader.resize(size.width, size.height))

    # --- moving ---------------------------------------------------------------------------------------------------------

    def _have(self, wanted: Callable[[Reader], object]) -> None:
        """Have the reader do something, if there is one."""
        if self._reader is not None:
            self._ask(partial(wanted, self._reader))

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines, down where positive."""
        self._have(lambda reader: reader.move(lines))

    def action_scroll_page(self, pages: int) -> None:
        """Scroll by screenfuls, down where positive."""
        self._have(lambda reader: reader.page_on(pages))

    def action_scroll_edge(self, where: str) -> None:
        """Scroll to the `first` or the `last` line."""
        self._have(lambda reader: reader.edge(first=where == "first"))

    def on_mouse_scroll_up(self) -> None:
        self._have(lambda reader: reader.scroll(-WHEEL_ROWS))

    def on_mouse_scroll_down(self) -> None:
        self._have(lambda reader: reader.scroll(WHEEL_ROWS))

    def on_scroll_up(self, message: ScrollUp) -> None:
        message.stop()
        self.action_scroll_page(-1)

    def on_scroll_down(self, message: ScrollDown) -> None:
        message.stop()
        self.action_scroll_page(1)

    def on_scroll_to(self, message: ScrollTo) -> None:
        message.stop()
        page, bar = self._page, self.query_one(ScrollBar)
        if page is not None and message.y is not None:
            at = int(message.y * page.size / max(1, bar.window_virtual_size))
            self._have(lambda reader: reader.jump(at))
