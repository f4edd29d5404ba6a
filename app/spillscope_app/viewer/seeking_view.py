"""The part of a viewer that searches: a line to type into, a worker that looks, and the way from match to match."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from textual import on
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Input
from textual.worker import Worker, get_current_worker

from spillscope_app.spans import Line
from spillscope_app.viewer.paged import PagedView
from spillscope_app.viewer.reader import Reader
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.viewer.search import Search
from spillscope_app.viewer.seeking import Finding, finding_line, seek
from spillscope_app.widgets.typed_line import TypedLine


class SeekingView(PagedView):
    """Finds a text in what is shown. A search goes on beside the loop until all matches are counted, or it is stopped."""

    @dataclass
    class Armed(Message):
        """A text is ready to be looked for."""

        search: Search | None

    @dataclass
    class Sought(Message):
        """How far a search is."""

        search: Search
        finding: Finding

    def __init__(self, request: ViewerRequest | None = None, *, id: str | None = None) -> None:
        super().__init__(request, id=id)
        self._finding: Finding | None = None
        self._seeker: Worker[None] | None = None

    def compose(self) -> ComposeResult:
        yield from super().compose()
        yield TypedLine(id="file-find", placeholder="find in this text: all in lower case finds any case")

    def _leave(self) -> None:
        super()._leave()
        self._finding = self._seeker = None

    def _news(self) -> Line:
        return finding_line(self._finding)

    @property
    def _typed(self) -> TypedLine:
        return self.query_one("#file-find", TypedLine)

    def action_find(self) -> None:
        """Type a text to look for."""
        self._typed.value = ""
        self.add_class("-finding")
        self._typed.focus()

    @on(Input.Submitted, "#file-find")
    def _typed_in(self, message: Input.Submitted) -> None:
        message.stop()
        self._stop_typing()
        self._forget_found()
        self._have(lambda reader: self._arm(reader, message.value))

    def _arm(self, reader: Reader, text: str) -> None:
        reader.look_for(text)
        self.post_message(self.Armed(reader.search))

    @on(Armed)
    def _armed(self, message: Armed) -> None:
        message.stop()
        if self._reader is not None and self._page is not None and message.search is self._reader.search:
            self._seek(self._page.start, 1)

    def action_match(self, step: int) -> None:
        """To the next match, or to the one before; past the end it goes on at the other."""
        reader, page = self._reader, self._page
        if reader is not None and page is not None:
            match = reader.match
            in_view = match is not None and page.start <= match < page.end
            self._seek(match + (step > 0) if match is not None and in_view else page.start, step)

    def _seek(self, start: int, step: int) -> None:
        search = self._reader.search if self._reader is not None else None
        self._stop_seeking()
        if search is not None:
            seeking = partial(self._seek_on, search, start, step)
            self._seeker = self.run_worker(seeking, name="seek", group="seek", thread=True, exit_on_error=False)

    def _seek_on(self, search: Search, start: int, step: int) -> None:
        worker = get_current_worker()

        def tell(finding: Finding) -> None:
            if not worker.is_cancelled or finding.stopped:
                self.post_message(self.Sought(search, finding))

        seek(search, start, step, lambda: worker.is_cancelled, tell)

    @on(Sought)
    def _sought(self, message: Sought) -> None:
        message.stop()
        if self._reader is None or message.search is not self._reader.search:
            return
        self._finding = message.finding
        if message.finding.at is not None:
            at = message.finding.at
            self._have(lambda reader: reader.arrive(at))
        else:
            self._draw()

    def _stop_seeking(self) -> bool:
        """Whether there was a search to be stopped."""
        seeker, self._seeker = self._seeker, None
        if seeker is None or seeker.is_finished:
            return False
        seeker.cancel()
        return True

    def _stop_typing(self) -> None:
        self.remove_class("-finding")
        self.focus()

    def _forget_found(self) -> None:
        self._stop_seeking()
        self._finding = None
