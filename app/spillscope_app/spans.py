"""Styled text as plain values, and its layout in terminal cells.

A `Line` is a tuple of spans; a span's `ink` names what it means, never a colour. Nothing here reads markup, so a bracket is
a bracket. Foreign text enters through `foreign`, which makes it printable before it is measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from rich.cells import cell_len, chop_cells, set_cell_size

from spillscope.clean import clean

Ink = Literal[
    "", "strong", "dim", "faint", "title", "pick", "gauge", "reapply", "frozen", "fresh", "persisted", "exempt", "over", "warn"
]
INKS: tuple[Ink, ...] = tuple(ink for ink in get_args(Ink) if ink)

LONGEST_FOREIGN = 4_096
"""Characters of foreign text that are looked at for one line: no terminal shows more."""

_VARIATION = re.compile("[\ufe00-\ufe0f]")


class Span(NamedTuple):
    text: str
    ink: Ink = ""


Line = tuple[Span, ...]
Paint = Callable[[int], Sequence[Line]]
"""Lines for a width in cells. What it returns may be computed on access."""


def foreign(text: str, ink: Ink = "") -> Span:
    """As much text as one line shows of what somebody else wrote, made printable."""
    return Span(printable(text[:LONGEST_FOREIGN]), ink)


def printable(text: str) -> str:
    """Foreign text of any length, made printable.

    Variation selectors go: terminals disagree about the width that they give a character.
    """
    return _VARIATION.sub("", clean(text))


def line(*parts: Span | str) -> Line:
    """A line of spans; a bare string is our own plain text."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def width_of(spans: Iterable[Span]) -> int:
    """Cells that spans take."""
    return sum(cell_len(span.text) for span in spans)


def cut(text: str, cells: int) -> str:
    """Clean `text` in at most `cells` cells, ending in … where something was cut."""
    if cell_len(text) <= cells:
        return text
    if cells <= 1:
        return "…" if cells == 1 else ""
    return set_cell_size(text, cells - 1).rstrip() + "…"


def cut_start(text: str, cells: int) -> str:
    """Clean `text` in at most `cells` cells, beginning with … where something was cut: of a path the end tells most."""
    if cell_len(text) <= cells:
        return text
    if cells <= 0:
        return ""
    tail = text[len(text) - cells + 1 :]
    while cell_len(tail) > cells - 1:
        tail = tail[1:]
    return f"…{tail}"


def left(content: Span | Line, cells: int) -> Line:
    """Exactly `cells` of content, cut or filled, at the left; nothing at all for no cells."""
    spans = fit(_as_line(content), cells)
    return (*spans, Span(" " * (cells - width_of(spans)))) if cells > 0 else ()


def right(content: Span | Line, cells: int) -> Line:
    """Exactly `cells` of content, cut or filled, at the right; nothing at all for no cells."""
    spans = fit(_as_line(content), cells)
    return (Span(" " * (cells - width_of(spans))), *spans) if cells > 0 else ()


def _as_line(content: Span | Line) -> Line:
    return (content,) if isinstance(content, Span) else content


def beside(*cells: Line) -> Line:
    """Cells of a row with one blank between them; cells of no width are left out."""
    spans: list[Span] = []
    for cell in filter(None, cells):
        spans += [Span(" "), *cell] if spans else cell
    return tuple(spans)


def fit(spans: Line, cells: int) -> Line:
    """A line cut to at most `cells`, ending in … where something was cut."""
    room = cells
    kept: list[Span] = []
    for at, span in enumerate(spans):
        size = cell_len(span.text)
        if size > room or (size == room and width_of(spans[at + 1 :])):
            kept.append(Span(cut(span.text + " " * (size == room), room), span.ink))
            return tuple(kept)
        kept.append(span)
        room -= size
    return tuple(kept)


def wrap(spans: Line, cells: int, indent: int = 0) -> list[Line]:
    """A line broken between words into lines of at most `cells`; all but the first begin with `indent` blanks.

    A word that is longer than a line is broken where the line ends.
    """
    cells, indent = max(1, cells), min(indent, max(0, cells - 8))
    margin = (Span(" " * indent),) if indent else ()
    lines: list[Line] = []
    row: list[Span] = []
    used = start = 0
    for word in _words(spans):
        text = word.text
        if used > start and used + cell_len(text.rstrip()) > cells:
            lines.append(tuple(row))
            row, used, start, text = [*margin], indent, indent, text.lstrip()
        while cell_len(text.rstrip()) > cells - used:
            head = chop_cells(text, max(1, cells - used))[0]
            lines.append((*row, Span(head, word.ink)))
            row, used, start, text = [*margin], indent, indent, text[max(1, len(head)) :]
        row.append(Span(text.rstrip() if cell_len(text) > cells - used else text, word.ink))
        used += cell_len(row[-1].text)
    return [*lines, tuple(row)]


def _words(spans: Line) -> Iterable[Span]:
    for span in spans:
        for word in re.findall(r"\S+\s*|^\s+", span.text):
            yield Span(word, span.ink)


class Piece(NamedTuple):
    """A part of a line that may be left out: the lowest `rank` goes first when there is no room."""

    rank: int
    spans: Line


def spread(at_left: Sequence[Piece], at_right: Sequence[Piece], cells: int, gap: str = "  ") -> Line:
    """Pieces at both ends of one line, as many as there is room for, the most important ones cut last."""
    kept = [*at_left, *at_right]
    while len(kept) > 1 and _extent(kept, gap) > cells:
        kept.remove(min(reversed(kept), key=lambda piece: piece.rank))
    start = _join([piece for piece in at_left if piece in kept], gap)
    end = _join([piece for piece in at_right if piece in kept], gap)
    filler = max(0, cells - width_of(start) - width_of(end))
    return fit((*start, Span(" " * filler), *end), cells)


def _extent(pieces: Sequence[Piece], gap: str) -> int:
    return sum(width_of(piece.spans) for piece in pieces) + cell_len(gap) * (len(pieces) - 1)


def _join(pieces: Sequence[Piece], gap: str) -> Line:
    spans: list[Span] = []
    for piece in pieces:
        spans += [Span(gap), *piece.spans] if spans else piece.spans
    return tuple(spans)
