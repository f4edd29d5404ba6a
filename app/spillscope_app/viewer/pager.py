"""Where a viewer stands in a body, and the rows that it shows from there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from textual.cache import LRUCache

from spillscope_app.spans import Line
from spillscope_app.viewer.body import Body, Ranges, Segment, rows_of

_CACHED = 256


class Place(NamedTuple):
    """A row: the segment that begins at `at`, and which of its rows."""

    at: int
    row: int = 0


class Row(NamedTuple):
    """One row of a page. `ruled`: nothing but the rule where the preview ended."""

    place: Place
    segment: Segment
    spans: Line
    ruled: bool = False


def nothing_found(start: int, end: int) -> tuple[()]:
    """No search is on."""
    return ()


class Pager:
    """A window of `height` rows of `width` cells over a body. `width` is that of the text, without line numbers."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.top = Place(0)
        self._width, self._height = 1, 1
        self._found: Ranges = nothing_found
        self._rows: LRUCache[int, list[Row]] = LRUCache(_CACHED)  # by offset

    @property
    def size(self) -> int:
        return self.body.blob.size

    @property
    def height(self) -> int:
        return self._height

    def resize(self, width: int, height: int) -> None:
        """Another window over the same place."""
        if width != self._width:
            self.forget()
            self.top = Place(self.top.at)
        self._width, self._height = width, max(1, height)
        self._settle()

    def highlight(self, found: Ranges | None) -> None:
        """Pick these out from now on."""
        self._found = found or nothing_found
        self.forget()

    def forget(self) -> None:
        """The bytes, or how they are drawn, have changed."""
        self._rows.clear()

    def stay(self) -> None:
        """Stand on a row that there is, after the bytes have changed."""
        self.forget()
        self.top = Place(self.body.floor(min(self.top.at, max(0, self.size - 1))), self.top.row) if self.size else Place(0)
        self._settle()

    def move(self, rows: int) -> None:
        """Scroll by rows, down where positive, as far as there are any."""
        if self.size:
            self.top = self._stepped(self.top, rows)
            self._settle()

    def jump(self, at: int) -> None:
        """The segment that holds an offset to the top."""
        if self.size:
            self.top = Place(self.body.floor(max(0, min(at, self.size - 1))))
            self._settle()

    def to_end(self) -> None:
        """The last row to the bottom."""
        if self.size:
            self.top = self._last_top()

    def reveal(self, at: int) -> None:
        """Scroll so that the row that holds an offset is in view; one that is not comes to the upper third."""
        if not self.size:
            return
        row = self._row_of(at)
        page = [shown.place for shown in self.page()]
        if row not in page:
            self.top = self._stepped(row, -(self._height // 3))
            self._settle()

    def show(self, at: int) -> None:
        """Scroll as little as is needed for the segment at `at` to be in view."""
        page, first = self.page(), Place(at)
        last = Place(at, len(self._rows_at(at)) - 1)
        if first < page[0].place:
            self.top = first
        elif last > page[-1].place:
            self.top = min(first, self._stepped(last, 1 - self._height))
        self._settle()

    def page(self) -> list[Row]:
        """The rows in view."""
        page: list[Row] = []
        for row in self._from(self.top):
            page.append(row)
            if len(page) == self._height:
                break
        return page

    def next_at(self, at: int) -> int | None:
        """Where the segment after that at `at` begins; None behind the last one."""
        end = self._rows_at(at)[0].segment.end
        return end if at < end < self.size else None

    def _from(self, place: Place) -> Iterator[Row]:
        at: int | None = place.at if place.at < self.size else None
        skip = place.row
        while at is not None:
            yield from self._rows_at(at)[skip:]
            at, skip = self.next_at(at), 0

    def _rows_at(self, at: int) -> list[Row]:
        rows = self._rows.get(at)
        if rows is None:
            segment = self.body.segment(at, self._found)
            lines = rows_of(segment.pieces, self._width - len(segment.mark))
            rule = [Row(Place(at), segment, (), ruled=True)] if segment.ruled else []
            rows = rule + [Row(Place(at, row + len(rule)), segment, line) for row, line in enumerate(lines)]
            self._rows[at] = rows
        return rows

    def _stepped(self, place: Place, rows: int) -> Place:
        at, row = place.at, place.row + rows
        while row < 0 and at > 0:
            at = self.body.floor(at - 1)
            row += len(self._rows_at(at))
        while row >= (count := len(self._rows_at(at))):
            after = self.next_at(at)
            if after is None:
                return Place(at, count - 1)
            at, row = after, row - count
        return Place(at, max(0, row))

    def _last_top(self) -> Place:
        last = self.body.floor(self.size - 1)
        return self._stepped(Place(last, len(self._rows_at(last)) - 1), 1 - self._height)

    def _settle(self) -> None:
        """Show no emptiness below the last row where there are rows to fill it."""
        if self.size and len(self.page()) < self._height:
            self.top = self._last_top()

    def _row_of(self, at: int) -> Place:
        """The row that an offset is drawn in: the text before it is counted off."""
        start = self.body.floor(min(at, self.size - 1))
        rows = [row for row in self._rows_at(start) if not row.ruled]
        left = 0
        for span in self.body.segment(start, lambda start, end: [(at, at + 1)]).pieces:
            if span.ink == "pick":
                break
            left += len(span.text)
        for row in rows:
            left -= sum(len(span.text) for span in row.spans)
            if left < 0:
                return row.place
        return rows[-1].place
