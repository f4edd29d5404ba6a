"""JSON as an indented text whose parts can be closed. A string of several lines stands there as those lines."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from spillscope_app.format import plural
from spillscope_app.spans import Span
from spillscope_app.viewer.blob import Blob, Memory
from spillscope_app.viewer.body import Ranges, Segment
from spillscope_app.viewer.text import Text

MAX_BYTES = 4 << 20
"""A larger file is shown as it is: parsing it would stop every other thread for too long."""
_DEEPEST = 64
_INDENT = 2
_OPEN, _CLOSED, _LEAF = "▾ ", "▸ ", "  "


class Fold(NamedTuple):
    """A part that can be closed: the line at offset `head`, and what it then hides: `lines` from `start` to `end`."""

    head: int
    start: int
    end: int
    lines: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A value written out, and its parts in the order of their heads."""

    text: bytes
    folds: tuple[Fold, ...]


class NotFoldableError(Exception):
    """Why a text is shown as it is, in words."""


def foldable(blob: Blob) -> bytes:
    """All of a blob; raises NotFoldableError where that is too much."""
    if blob.size > MAX_BYTES:
        raise NotFoldableError("too large to be folded: shown as it is")
    return blob.read(0, MAX_BYTES)


def lay_out(data: bytes) -> Layout:
    """Write JSON out; raises NotFoldableError where it is none, or too deep."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise NotFoldableError("no valid JSON: shown as it is") from None
    writer = _Writer()
    writer.value(value, "", "", 0)
    return Layout(b"".join(writer.pieces), tuple(sorted(writer.folds)))


class _Writer:
    """Lines under way."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.folds: list[Fold] = []
        self._at = 0

    def value(self, value: Any, name: str, end: str, depth: int) -> None:
        """A value after the `name` of its field, with the comma that ends it."""
        if depth > _DEEPEST:
            raise NotFoldableError("nested too deep to be folded: shown as it is")
        if isinstance(value, (dict, list)) and value:
            self._container(value, name, end, depth)
        elif isinstance(value, str) and "\n" in value:
            head, first = self._at, len(self.pieces)
            start = self._line(f"{name}{end}", depth)
            for row in value.removesuffix("\n").split("\n"):
                self._line(row, depth + 1)
            self._fold(head, start, first)
        else:
            self._line(f"{name}{orjson.dumps(value).decode()}{end}", depth)

    def _container(self, value: dict[str, Any] | list[Any], name: str, end: str, depth: int) -> None:
        opened, closed = "{}" if isinstance(value, dict) else "[]"
        head, first = self._at, len(self.pieces)
        start = self._line(f"{name}{opened}", depth)
        fields = value.items() if isinstance(value, dict) else (("", item) for item in value)
        for number, (key, item) in enumerate(fields, 1):
            label = f"{orjson.dumps(key).decode()}: " if isinstance(value, dict) else ""
            self.value(item, label, "," if number < len(value) else "", depth + 1)
        self._line(f"{closed}{end}", depth)
        self._fold(head, start, first)

    def _line(self, text: str, depth: int) -> int:
        """Write a line; the offset behind it."""
        self.pieces.append(f"{' ' * _INDENT * depth}{text}\n".encode("utf-8", "surrogatepass"))
        self._at += len(self.pieces[-1])
        return self._at

    def _fold(self, head: int, start: int, first: int) -> None:
        self.folds.append(Fold(head, start, self._at, len(self.pieces) - first - 1))


class Folded:
    """A text that was laid out, with the parts that are closed now."""

    def __init__(self, layout: Layout) -> None:
        self._text = Text(Memory(layout.text))
        self._folds = {fold.head: fold for fold in layout.folds}
        self._closed: frozenset[int] = frozenset()
        self._hidden: list[Fold] = []  # the outermost closed ones, in order
        self._starts: list[int] = []

    @property
    def blob(self) -> Blob:
        return self._text.blob

    def floor(self, at: int) -> int:
        start = self._text.floor(at)
        fold = self._hiding(start)
        return start if fold is None else self._text.floor(fold.start - 1)

    def segment(self, at: int, found: Ranges) -> Segment:
        segment = self._text.segment(at, found)
        fold = self._folds.get(at)
        mark = _LEAF if fold is None else _CLOSED if at in self._closed else _OPEN
        hidden = self._hiding(segment.end)
        if hidden is None or segment.end != hidden.start:
            return segment._replace(mark=mark)
        words = Span(f" … {plural(hidden.lines, 'line')}", "dim")
        return segment._replace(mark=mark, end=hidden.end, pieces=(*segment.pieces, words))

    def toggle(self, at: int) -> bool:
        """Close or open the part whose head begins at `at`; False where none does."""
        if at not in self._folds:
            return False
        self._close(self._closed ^ {at})
        return True

    def is_open(self, at: int) -> bool | None:
        """Whether the part whose head begins at `at` is open; None where none does."""
        return at not in self._closed if at in self._folds else None

    def around(self, at: int) -> int | None:
        """The head of the innermost part that offset `at` lies in."""
        heads = [fold.head for fold in self._folds.values() if fold.start <= at < fold.end]
        return max(heads, default=None)

    def close_all(self, closed: bool) -> None:
        """Close every part but the outermost, or open all."""
        self._close(frozenset(list(self._folds)[1:]) if closed else frozenset())

    def reveal(self, at: int) -> bool:
        """Open what hides an offset; False where nothing did."""
        hiding = {head for head in self._closed if self._folds[head].start <= at < self._folds[head].end}
        self._close(self._closed - hiding)
        return bool(hiding)

    def _close(self, closed: frozenset[int]) -> None:
        self._closed, end = closed, 0
        self._hidden = []
        for head, fold in self._folds.items():
            if head in closed and head >= end:
                self._hidden.append(fold)
                end = fold.end
        self._starts = [fold.start for fold in self._hidden]

    def _hiding(self, at: int) -> Fold | None:
        place = bisect_right(self._starts, at) - 1
        return self._hidden[place] if place >= 0 and at < self._hidden[place].end else None
