"""The widget that looks into a text or a file of any size. It draws pages; a worker reads them."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.scrollbar import ScrollBar, ScrollDown, ScrollTo, ScrollUp
from textual.widget import Widget
from textual.worker import Worker, get_current_worker

from spillscope_app.commands import bindings
from spillscope_app.feed import PROGRESS_SECONDS
from spillscope_app.viewer.canvas import Canvas
from spillscope_app.viewer.reader import Page, Reader
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.status import absent_lines, nothing, opening_lines, status_line, trouble_lines
from spillscope_app.widgets.painted import Painted

LOOK_SECONDS = 0.5
"""How often it is looked whether a shown file has grown, or is there still."""
WHEEL_ROWS = 3


class FileView(Widget, can_focus=True):
    """Shows a `ViewerRequest`. All reading is done by workers, in the order in which it was asked for."""

    BINDINGS = bindings("text", "file")
    DEFAULT_CSS = """
    FileView { layout: vertical; overflow: hidden; }
    FileView #file-facts { height: auto; }
    FileView #file-body { layout: horizontal; height: 1fr; overflow: hidden; }
    FileView #file-canvas { width: 1fr; height: 1fr; }
    FileView ScrollBar { width: 1; height: 1fr; }
    FileView #file-status { height: 1; }
    """
    ALLOW_SELECT = False

    @dataclass
    class Shown(Message):
        """A page is ready, or the reader has failed in these words."""

        reader: Reader
        page: Page | None
        trouble: str = ""

    @dataclass
    class Counted(Message):
        """More lines have been counted."""

        reader: Reader

        def can_replace(self, message: Message) -> bool:
            return isinstance(message, FileView.Counted)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._reader: Reader | None = None
        self._page: Page | None = None
        self._trouble = ""
        self._asked: deque[Callable[[], object]] = deque()
        self._busy = False

    def compose(self) -> ComposeResult:
        yield Painted(id="file-facts")
        with Container(id="file-body"):
            yield Canvas()
            yield ScrollBar(vertical=True)
        yield Painted(id="file-status")

    def on_mount(self) -> None:
        self.set_interval(LOOK_SECONDS, self._look)

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
        self.workers.cancel_group(self, "lines")
        self._asked.clear()
        self._page, self._trouble = None, ""
        self._reader = Reader(request) if request is not None else None
        facts = request.facts if request is not None else ()
        self._part("facts").styles.height = len(facts)
        self._part("facts").show(lambda width: facts)
        self._draw()
        if self._reader is not None:
            self._fit()
            self._ask(self._reader.open)

    def _part(self, name: str) -> Painted:
        return self.query_one(f"#file-{name}", Painted)

    def _ask(self, *wanted: Callable[[], object]) -> None:
        """Have a worker do this, and then make a page."""
        self._asked += wanted
        if not self._busy and self._reader is not None:
            self._busy = True
            work = partial(self._read, self._reader)
            self.run_worker(work, name="page", group="page", thread=True, exit_on_error=False)

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
        if message.reader is self._reader:
            self._page, self._trouble = message.page, message.trouble
            self._draw()
            self._count(message.reader)
            self.refresh_bindings()
        if self._asked:
            self._ask()

    def _draw(self) -> None:
        page, request, canvas, status = self._page, self.request, self.query_one(Canvas), self._part("status")
        bar = self.query_one(ScrollBar)
        bar.display = page is not None and page.state == "open"
        status.show(nothing if page is None or page.state != "open" else status_line(page, ()))
        if request is None or page is None:
            trouble = self._trouble
            canvas.show_page(
                Page("empty"), nothing if request is None else trouble_lines(trouble) if trouble else opening_lines
            )
            return
        canvas.show_page(page, absent_lines(page, request) if page.state != "open" else None)
        self._place_bar(bar, page, max(1, canvas.size.height))

    @staticmethod
    def _place_bar(bar: ScrollBar, page: Page, height: int) -> None:
        """The bar knows bytes only: a page of long lines is a larger part of a file than one of short lines."""
        seen = max(1, page.end - page.start)
        bar.window_size = height
        bar.window_virtual_size = max(height, height * page.size // seen)
        bar.position = height * page.start / seen

    # --- while it is shown ----------------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Notice what happens to the file, while somebody can see it."""
        if self._reader is not None and self._page is not None and not self._busy and self.is_on_screen:
            self._ask(self._reader.look)

    def _count(self, reader: Reader) -> None:
        """Count lines; each part of the file once."""
        if not reader.numbers.complete and not any(worker.group == "lines" for worker in self._workers_on()):
            work = partial(self._count_on, reader)
            self.run_worker(work, name="lines", group="lines", thread=True, exit_on_error=False)

    def _workers_on(self) -> list[Worker[object]]:
        return [worker for worker in self.workers if worker.node is self and worker.is_running and not worker.is_cancelled]

    def _count_on(self, reader: Reader) -> None:
        worker = get_current_worker()
        until = 0.0

        def stopped() -> bool:
            nonlocal until
            if (now := time.monotonic()) >= until:
                until = now + PROGRESS_SECONDS
                self.post_message(self.Counted(reader))
            return worker.is_cancelled

        reader.numbers.count(stopped)
        self.post_message(self.Counted(reader))

    @on(Counted)
    def _counted(self, message: Counted) -> None:
        message.stop()
        if message.reader is self._reader:
            self._ask()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        size = self.query_one(Canvas).size
        if self._reader is not None and size.height:
            self._ask(partial(self._reader.resize, size.width, size.height))

    # --- moving ---------------------------------------------------------------------------------------------------------

    def _move(self, wanted: Callable[[Reader], object]) -> None:
        if self._reader is not None:
            self._ask(partial(wanted, self._reader))

    def action_scroll(self, lines: int) -> None:
        """Scroll by lines, down where positive."""
        self._move(lambda reader: reader.move(lines))

    def action_scroll_page(self, pages: int) -> None:
        """Scroll by screenfuls, down where positive."""
        self._move(lambda reader: reader.page_on(pages))

    def action_scroll_edge(self, where: str) -> None:
        """Scroll to the `first` or the `last` line."""
        self._move(lambda reader: reader.edge(first=where == "first"))

    def action_follow(self) -> None:
        """Stay at the end while the file grows, until the user moves."""
        self._move(Reader.follow)

    def action_turn(self) -> None:
        """The next form: text, hex, or folded."""
        self._move(Reader.turn)

    def on_mouse_scroll_up(self) -> None:
        self.action_scroll(-WHEEL_ROWS)

    def on_mouse_scroll_down(self) -> None:
        self.action_scroll(WHEEL_ROWS)

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
            self._move(lambda reader: reader.jump(at))
