"""Bytes as lines of text. A line of any length is cut into segments that are found without reading all of it."""

from __future__ import annotations

from spillscope_app.viewer.blob import Blob
from spillscope_app.viewer.body import Ranges, Segment, decoded

BLOCK = 16 << 10
"""A line is cut at each multiple of this that has a whole block of the line before it, and does not end there."""
_LONGEST_CHARACTER = 4


class Text:
    """Lines of a blob; `preview_end`: the offset behind what the model saw of it, 0 where that is not known."""

    def __init__(self, blob: Blob, preview_end: int = 0) -> None:
        self._blob = blob
        self._rule = self._whole(preview_end) if preview_end else 0

    @property
    def blob(self) -> Blob:
        return self._blob

    def floor(self, at: int) -> int:
        start = self._start(at)
        return self._rule if start < self._rule <= at else start

    def _start(self, at: int) -> int:
        """Where a line, or a piece of a long one, begins that holds offset `at`."""
        base = at - at % BLOCK
        data = self._blob.read(base - BLOCK, at - max(0, base - BLOCK))
        newline = data.rfind(b"\n")
        start = max(0, base - BLOCK) + newline + 1
        if newline < 0 and base:
            start = self._whole(base)
            if start > at or self._blob.read(start, 1) == b"\n":
                return self._start(base - 1)
        return start

    def segment(self, at: int, found: Ranges) -> Segment:
        first = at - at % BLOCK
        data = self._blob.read(first, min(2 * BLOCK + _LONGEST_CHARACTER, max(0, self._blob.size - first)))
        end, after = self._end(at, first, data)
        if at < self._rule < after:
            end = after = self._rule
        raw = data[at - first : end - first]
        if after > end:
            raw = raw.removesuffix(b"\r")
        starts = at == 0 or self._blob.read(at - 1, 1) == b"\n"
        return Segment(at, after, decoded(raw, at, found(at, end)), starts, ruled=0 < at == self._rule)

    def _end(self, at: int, first: int, data: bytes) -> tuple[int, int]:
        """Where the text of a segment ends, and where the next one begins: behind the line's end, if that is there."""
        newline = data.find(b"\n", at - first)
        borders = (1, 2) if data.rfind(b"\n", 0, max(0, at - first)) < 0 else (2,)
        for border in borders:
            end = self._whole(first + border * BLOCK)
            if border * BLOCK <= len(data) and not 0 <= newline <= end - first:
                return end, end
        if newline < 0:
            return self._blob.size, self._blob.size
        return first + newline, first + newline + 1

    def _whole(self, border: int) -> int:
        """A border moved behind the character that it would cut."""
        data = self._blob.read(border, _LONGEST_CHARACTER - 1)
        inside = next((at for at, byte in enumerate(data) if byte & 0xC0 != 0x80), len(data))
        return border + inside
