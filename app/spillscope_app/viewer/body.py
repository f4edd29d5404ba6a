"""What a viewer pages through: bytes cut into segments, each drawn as one or more rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from rich.cells import chop_cells

from spillscope_app.spans import Line, Span, printable
from spillscope_app.viewer.blob import Blob

TAB = 4
Ranges = Callable[[int, int], Sequence[tuple[int, int]]]
"""What was searched for between two offsets: where each match begins and ends."""


class Segment(NamedTuple):
    """What stands at offset `at` up to `end`, printable.

    `starts`: a line begins here. `ruled`: the preview ended before it. `mark`: what stands in front of its first row.
    """

    at: int
    end: int
    pieces: Line
    starts: bool = True
    ruled: bool = False
    mark: str = ""


class Body(Protocol):
    """Segments of a blob. A segment depends on the bytes near it alone, so that any of them is found at once."""

    @property
    def blob(self) -> Blob: ...

    def floor(self, at: int) -> int:
        """Where the segment begins that holds offset `at`."""
        ...

    def segment(self, at: int, found: Ranges) -> Segment:
        """The segment that begins at `at`."""
        ...


def decoded(raw: bytes, at: int, ranges: Iterable[tuple[int, int]]) -> Line:
    """UTF-8 in spans, with what was found picked out; broken bytes and all that could act stand as escapes.

    `at`: the offset of `raw` in its blob, which `ranges` count from.
    """
    pieces: list[Span] = []
    column = done = 0
    for start, end in [*((start - at, end - at) for start, end in ranges), (len(raw), len(raw))]:
        for part, picked in ((raw[done : max(done, start)], False), (raw[max(done, start) : max(0, end)], True)):
            if part:
                text = part.decode("utf-8", "backslashreplace")
                if "\t" in text:
                    lead = column % TAB
                    text = (" " * lead + text).expandtabs(TAB)[lead:]
                text = printable(text)
                column += len(text)
                pieces.append(Span(text, "pick" if picked else ""))
        done = max(done, end)
    return tuple(pieces)


def rows_of(pieces: Line, width: int) -> list[Line]:
    """Printable spans broken where the row ends; at least one row."""
    text = "".join(piece.text for piece in pieces)
    width = max(1, width)
    if text.isascii():
        ends = [*range(width, len(text), width), len(text)]
    else:
        ends, end = [], 0
        for row in chop_cells(text, width):
            end += len(row)
            ends.append(end)
    if len(ends) < 2:
        return [pieces]
    return list(_sliced(pieces, ends))


def _sliced(pieces: Line, ends: Sequence[int]) -> Iterable[Line]:
    """Spans cut at characters of their joined text."""
    at, rest = 0, list(reversed(pieces))
    for end in ends:
        row: list[Span] = []
        while at < end and rest:
            text, ink = rest.pop()
            room = end - at
            if len(text) > room:
                rest.append(Span(text[room:], ink))
            row.append(Span(text[:room], ink))
            at += len(row[-1].text)
        yield tuple(row)
