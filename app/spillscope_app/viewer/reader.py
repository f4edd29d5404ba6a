"""The part of a viewer that reads: it holds an opened document and makes pages of it. One thread at a time works it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from spillscope_app.viewer.blob import Blob, Fate, Memory, RefusedError, open_file
from spillscope_app.viewer.body import Body
from spillscope_app.viewer.folding import Folded, NotFoldableError, foldable, lay_out
from spillscope_app.viewer.hexdump import Hex, is_binary
from spillscope_app.viewer.lines import LineNumbers
from spillscope_app.viewer.page import Form, Page, State, line_digits
from spillscope_app.viewer.pager import Pager, Row
from spillscope_app.viewer.picking import Picked
from spillscope_app.viewer.request import ViewerRequest, preview_end
from spillscope_app.viewer.search import Needle, Search
from spillscope_app.viewer.text import Text

_GONE = {
    "deleted": "deleted: what is shown was still open",
    "truncated": "truncated while it was shown",
    "changed": "rewritten while it was shown",
    "replaced": "replaced: this is the file that stands there now",
}


class Reader:
    """An opened document, the place in it, and how it is shown."""

    def __init__(self, request: ViewerRequest) -> None:
        self.request = request
        self.search: Search | None = None
        self.match: int | None = None
        """Where the match begins that was found last."""
        self._state: State = "empty"
        self._forms: tuple[Form, ...] = ("text", "hex")
        self._form: Form = "text"
        self._blob: Blob = Memory(b"")
        self.numbers = LineNumbers(self._blob)
        self._use(Text(self._blob))
        self._cells = (0, 0)
        self._following = self._confirmed = False
        self._notice = ""

    # --- opening --------------------------------------------------------------------------------------------------------

    def open(self, confirmed: bool = False) -> None:
        """Open what was asked for; a file outside only when the user has `confirmed` it (spec S6)."""
        request, self._confirmed = self.request, confirmed
        if request.content is not None:
            self._take(Memory(request.content))
        elif request.path is None or (request.outside and not confirmed):
            self._state = "missing" if request.moved else "outside"
        else:
            try:
                self._take(open_file(request.path, anywhere=confirmed))
            except RefusedError as refused:
                self._state = refused.reason

    @property
    def _asks(self) -> bool:
        """Whether to open it is up to the user: it lies outside, at a place of this machine (spec S6)."""
        path, lies_outside = self.request.path, self.request.outside or self._state == "outside"
        return lies_outside and not self._confirmed and path is not None and PurePath(path).is_absolute()

    def _take(self, blob: Blob) -> None:
        self._blob = blob
        self._state = "open" if blob.size else "empty"
        self._forms = ("folded", "text", "hex") if self.request.json else ("text", "hex")
        self._show_as("hex" if is_binary(blob) else self._forms[0])

    def look(self) -> None:
        """Notice what happened to the file since the last look."""
        fate = self._blob.look()
        self._notice = _GONE.get(fate, self._notice)
        if fate == "replaced":
            at, notice = self.pager.top.at, self._notice
            self.open(self._confirmed)
            self.pager.jump(at)
            self._notice = notice
        elif fate not in ("", "deleted"):
            self._changed(fate)

    def _changed(self, fate: Fate) -> None:
        self._state = "open" if self._blob.size else "empty"
        if self._form == "folded":
            self._show_as("folded")
        if fate != "grown":
            self.numbers = LineNumbers(self.pager.body.blob)
        if self.search is not None:
            self.search.changed(grown=fate == "grown")
        self.pager.stay()
        if self._following:
            self.pager.to_end()

    # --- how it is shown ------------------------------------------------------------------------------------------------

    def turn(self) -> None:
        """The next of the forms that it can be shown in."""
        self._show_as(self._forms[(self._forms.index(self._form) + 1) % len(self._forms)])

    def _show_as(self, form: Form) -> None:
        """At the same place, if that is a place of the same bytes."""
        at = self.pager.top.at if "folded" not in (form, self._form) else 0
        self._form = form
        self._use(self._body(form))
        self._fit()
        self.pager.jump(at)

    def _use(self, body: Body) -> None:
        self.pager = Pager(body)
        if self.numbers.blob is not body.blob:
            self.numbers = LineNumbers(body.blob)
        self.picked = Picked(self.pager)
        if isinstance(body, Folded):
            self.numbers.count(lambda: False)
            self.picked.put(0)
        if self.search is not None:
            self.look_for(self.search.needle.text)

    def _body(self, form: Form) -> Body:
        if form == "hex":
            return Hex(self._blob)
        if form == "folded":
            try:
                return Folded(lay_out(foldable(self._blob)))
            except NotFoldableError as error:
                self._notice, self._form = str(error), "text"
                self._forms = ("text", "hex")
        return Text(self._blob, preview_end(self._blob, self.request))

    def resize(self, width: int, height: int) -> None:
        """A window of so many cells, line numbers included."""
        self._cells = (width, height)
        self._fit()

    def _fit(self) -> None:
        width, height = self._cells
        digits = self._digits
        self.pager.resize(max(1, width - digits - (1 if digits else 0)), height)

    @property
    def _digits(self) -> int:
        return 0 if self._form == "hex" else line_digits(self.numbers.total, self._cells[0])

    # --- moving ---------------------------------------------------------------------------------------------------------

    def move(self, rows: int) -> None:
        """By rows, down where positive: the cursor where there is one, else the page."""
        self._following = False
        if not self.picked.move(rows):
            self.pager.move(rows)

    def page_on(self, pages: int) -> None:
        """By screenfuls, down where positive."""
        self.move(pages * max(1, self.pager.height - 1))

    def scroll(self, rows: int) -> None:
        """The page by rows, whatever the cursor."""
        self._following = False
        self.pager.move(rows)

    def edge(self, first: bool) -> None:
        """To the first row or to the last one."""
        self._following = False
        if first:
            self.pager.jump(0)
        else:
            self.pager.to_end()
        self.picked.follow(0 if first else max(0, self.pager.size - 1))

    def jump(self, at: int) -> None:
        """To an offset."""
        self._following = False
        self.pager.jump(at)

    def follow(self) -> None:
        """Stay at the end while the file grows."""
        self._following = True
        self.pager.to_end()

    def point(self, at: int, *, fold: bool) -> None:
        """Take the cursor, where there is one, to a segment; `fold`: open or close the part that begins there."""
        self.picked.end()
        if self._form == "folded":
            self.picked.put(at)
            if fold:
                self.fold(None)

    # --- folding --------------------------------------------------------------------------------------------------------

    def fold(self, opened: bool | None) -> None:
        """Open or close the part at the cursor, or with None whichever it is not; closing again goes to what it lies in."""
        body, at = self.pager.body, self.picked.cursor
        if not isinstance(body, Folded) or at is None:
            return
        is_open = body.is_open(at)
        if is_open is not None and is_open is not opened:
            body.toggle(at)
        elif opened is False and (head := body.around(at)) is not None:
            self.picked.put(head)
        self.pager.stay()
        self.pager.reveal(self.picked.cursor or 0)

    def fold_all(self, closed: bool) -> None:
        """Close every part but the outermost, or open all."""
        body = self.pager.body
        if isinstance(body, Folded):
            body.close_all(closed)
            self.pager.stay()
            self.picked.follow(body.floor(self.picked.cursor or 0))

    # --- searching ------------------------------------------------------------------------------------------------------

    def look_for(self, text: str) -> None:
        """Pick a text out from now on; none where it is empty."""
        blob = self.pager.body.blob
        self.search = Search(blob, Needle(text)) if text else None
        self.match = None
        self.pager.highlight(self.search.ranges if self.search is not None else None)

    def arrive(self, at: int) -> None:
        """At a match."""
        self._following, self.match = False, at
        body = self.pager.body
        if isinstance(body, Folded) and body.reveal(at):
            self.pager.stay()
        self.pager.reveal(at)
        self.picked.follow(body.floor(at))

    # --- the page -------------------------------------------------------------------------------------------------------

    def page(self) -> Page | None:
        """What is in view now; None while the window has no size."""
        if not self._cells[1]:
            return None
        if self._state != "open":
            return Page(self._state, notice=self._notice, asks=self._asks)
        self._fit()
        rows = tuple(self.pager.page())
        return Page(
            self._state,
            self._form,
            self._forms,
            rows,
            tuple(self._numbered(rows)),
            self._digits,
            self.pager.top.at,
            rows[-1].segment.end if rows else 0,
            self.pager.size,
            self.numbers.total,
            self.numbers.counted,
            self._following,
            self._notice,
            self.picked.range,
            self.picked.selecting,
        )

    def _numbered(self, rows: Sequence[Row]) -> Iterator[int | None]:
        """The number of the line that begins in each row."""
        heads = (self._digits > 0 and row.segment.starts and row.place.row == int(row.segment.ruled) for row in rows)
        return self.numbers.along(row.place.at if is_head else None for row, is_head in zip(rows, heads, strict=True))
