"""The part of a viewer that reads: it holds an opened document and makes pages of it. One thread at a time works it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from spillscope_app.viewer.blob import Blob, Fate, Memory, Reason, RefusedError, open_file
from spillscope_app.viewer.body import Body
from spillscope_app.viewer.hexdump import Hex, is_binary
from spillscope_app.viewer.lines import LineNumbers
from spillscope_app.viewer.pager import Pager, Row
from spillscope_app.viewer.request import ViewerRequest, preview_end
from spillscope_app.viewer.text import Text

Form = Literal["text", "hex", "folded"]
State = Literal["open", "empty", "missing", "unreadable", "not a file", "outside"]
_MIN_DIGITS = 3


class Page(NamedTuple):
    """What is in view. Offsets and sizes are in bytes of what is shown.

    `numbers`: of the line that begins in each row, None for the others or while they are counted. `end`: behind the last
    row. `lines`: in all, None while they are counted. `picked`: offsets from and to which rows are selected.
    """

    state: State
    form: Form = "text"
    rows: tuple[Row, ...] = ()
    numbers: tuple[int | None, ...] = ()
    digits: int = 0
    start: int = 0
    end: int = 0
    size: int = 0
    lines: int | None = 0
    counted: int = 0
    following: bool = False
    notice: str = ""
    picked: tuple[int, int] | None = None


class Reader:
    """An opened document, the place in it, and how it is shown."""

    def __init__(self, request: ViewerRequest) -> None:
        self.request = request
        self.blob: Blob = Memory(b"")
        self.numbers = LineNumbers(self.blob)
        self._state: State = "empty"
        self._form: Form = "text"
        self._pager = Pager(Text(self.blob))
        self._cells = (1, 1)
        self._following = False
        self._notice = ""

    # --- opening --------------------------------------------------------------------------------------------------------

    def open(self, confirmed: bool = False) -> None:
        """Open what was asked for; a file outside only when the user has `confirmed` it (spec S6)."""
        request = self.request
        if request.content is not None:
            self._take(Memory(request.content))
        elif request.path is None or (request.outside and not confirmed):
            self._state = "outside"
        else:
            try:
                self._take(open_file(request.path, anywhere=confirmed))
            except RefusedError as refused:
                self._refuse(refused.reason)

    def _take(self, blob: Blob) -> None:
        self.blob = blob
        self.numbers = LineNumbers(blob)
        self._state = "open" if blob.size else "empty"
        self._show_as("hex" if is_binary(blob) else "text")

    def _refuse(self, reason: Reason) -> None:
        self._state = reason

    # --- moving ---------------------------------------------------------------------------------------------------------

    def resize(self, width: int, height: int) -> None:
        """A window of so many cells, line numbers included."""
        self._cells = (width, height)
        self._fit()

    def move(self, rows: int) -> None:
        """Scroll by rows, down where positive."""
        self._following = False
        self._pager.move(rows)

    def page_on(self, pages: int) -> None:
        """Scroll by screenfuls, down where positive."""
        self.move(pages * max(1, self._pager.height - 1))

    def edge(self, first: bool) -> None:
        """To the first row or to the last one."""
        self._following = False
        if first:
            self._pager.jump(0)
        else:
            self._pager.to_end()

    def jump(self, at: int) -> None:
        """To an offset."""
        self._following = False
        self._pager.jump(at)

    def follow(self) -> None:
        """Stay at the end while the file grows."""
        self._following = True
        self._pager.to_end()

    def look(self) -> None:
        """Notice what happened to the file since the last look."""
        fate = self.blob.look()
        if fate == "deleted":
            self._notice = "deleted: what is shown was still open"
        elif fate == "replaced":
            self._notice = "replaced: this is the file that stands there now"
            self.open(confirmed=True)
        elif fate:
            self._changed(fate)

    def _changed(self, fate: Fate) -> None:
        if fate != "grown":
            self._notice = "truncated while it was shown" if fate == "truncated" else "rewritten while it was shown"
            self.numbers = LineNumbers(self.blob)
        self._state = "open" if self.blob.size else "empty"
        self._pager.stay()
        if self._following:
            self._pager.to_end()

    # --- showing --------------------------------------------------------------------------------------------------------

    def turn(self) -> None:
        """The next form: text, then hex."""
        self._show_as("hex" if self._form == "text" else "text")

    def _show_as(self, form: Form) -> None:
        at = self._pager.top.at
        self._form = form
        self._pager = Pager(self._body(form))
        self._fit()
        self._pager.jump(at)

    def _body(self, form: Form) -> Body:
        return Hex(self.blob) if form == "hex" else Text(self.blob, preview_end(self.blob, self.request))

    def _fit(self) -> None:
        width, height = self._cells
        self._pager.resize(max(1, width - self._gutter), height)

    @property
    def _gutter(self) -> int:
        """Cells before the text: the line number and a blank; nothing where there is little room."""
        return self._digits + 1 if self._digits else 0

    @property
    def _digits(self) -> int:
        if self._form == "hex" or self._cells[0] < 30:
            return 0
        return max(_MIN_DIGITS, len(str(self.numbers.total or 0)))

    def page(self) -> Page:
        """What is in view now."""
        if self._state != "open":
            return Page(self._state, notice=self._notice)
        self._fit()
        rows = tuple(self._pager.page())
        last = rows[-1].segment if rows else None
        return Page(
            self._state,
            self._form,
            rows,
            tuple(self._numbers(rows)),
            self._digits,
            self._pager.top.at,
            last.end if last is not None else 0,
            self.blob.size,
            self.numbers.total,
            self.numbers.counted,
            self._following,
            self._notice,
        )

    def _numbers(self, rows: Sequence[Row]) -> Iterator[int | None]:
        """The first number is looked up, the others are counted on from it: they are near."""
        at, number = 0, None
        for row in rows:
            if not self._digits or not row.segment.starts or row.place.row != int(row.segment.ruled):
                yield None
                continue
            if number is None:
                number = self.numbers.number(row.place.at)
            else:
                number += self.blob.read(at, row.place.at - at).count(b"\n")
            at = row.place.at
            yield number
