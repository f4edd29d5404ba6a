"""Bytes as hex: offset, sixteen bytes, and what of them is ASCII."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

from spillscope_app.spans import Ink, Span
from spillscope_app.viewer.blob import Blob
from spillscope_app.viewer.body import Ranges, Segment

ROW = 16
HEAD_BYTES = 16 << 10
"""As much of a file as is looked at to tell what it is."""
_BROKEN = 1 / 10
"""From this share of bytes that are no UTF-8 on, a file is no text."""
_PRINTABLE = range(0x20, 0x7F)


def is_binary(blob: Blob) -> bool:
    """Whether the head of a blob is no text: it holds a NUL, as UTF-16 does too, or much that is no UTF-8."""
    head = blob.read(0, HEAD_BYTES)
    if b"\0" in head:
        return True
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(head)
    return text.count("\ufffd") > len(head) * _BROKEN


class Hex:
    """Rows of sixteen bytes."""

    def __init__(self, blob: Blob) -> None:
        self._blob = blob

    @property
    def blob(self) -> Blob:
        return self._blob

    def floor(self, at: int) -> int:
        return at - at % ROW

    def segment(self, at: int, found: Ranges) -> Segment:
        data = self._blob.read(at, ROW)
        picked = {byte for start, end in found(at, at + ROW) for byte in range(start - at, end - at)}
        pieces = (Span(f"{at:010x}  ", "dim"), *_joined(_cells(data, picked)))
        return Segment(at, min(at + ROW, self._blob.size), pieces)


def _cells(data: bytes, picked: set[int]) -> Iterator[Span]:
    def ink(at: int) -> Ink:
        return "pick" if at in picked else ""

    for at in range(ROW):
        yield Span(f"{data[at]:02x}" if at < len(data) else "  ", ink(at))
        yield Span("  " if at % 8 == 7 else " ")
    for at, byte in enumerate(data):
        yield Span(chr(byte), ink(at)) if byte in _PRINTABLE else Span("·", "pick" if at in picked else "faint")


def _joined(spans: Iterator[Span]) -> Sequence[Span]:
    joined: list[Span] = []
    for text, ink in spans:
        if joined and joined[-1].ink == ink:
            joined[-1] = Span(joined[-1].text + text, ink)
        else:
            joined.append(Span(text, ink))
    return joined
