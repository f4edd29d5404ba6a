"""Every mark that the screens draw, as one ASCII character: for terminals and fonts that know no others."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

_SAME = {
    "-": "─╌╸╍▀▔−–—",
    "|": "│┃║╎╏┊▏▎▍▐▕",
    "+": "┌┏┐┓└┗┘┛╔╗╚╝╭╮╯╰",
    "#": "█▉▊▋▌■▇≠",
    ".": "┄·░▂",
    ":": "▒▙▛▜▟",
    "_": "▁▖▗▘▝",
    "=": "━═▃▄≡",
    "*": "▅▆∞",
    "@": "↻",
    "v": "↓▾",
    "^": "▲↑␛↗",
    ">": "→▸⟩≥»",
    "<": "←⟨≤",
    "o": "●○",
    "%": "◐▓",
    "~": "…≈±",
    '"': "“”",
    "'": "‘’",
    "?": "␀␇␈␍␡",
    "$": "⏎",
    "x": "×╳✗",
    "/ ": "🔎",
}
GLYPHS: dict[int, str] = {ord(glyph): plain for plain, glyphs in _SAME.items() for glyph in glyphs}
"""Each takes as many cells as what stands for it, so nothing moves."""


class PlainGlyphs(LineFilter):
    """Swaps the marks in whatever is about to be drawn, the framework's own borders and bars included.

    Text of a session keeps its letters; where it holds one of these marks, that is swapped too.
    """

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [
            segment if segment.text.isascii() else Segment(segment.text.translate(GLYPHS), segment.style, segment.control)
            for segment in segments
        ]
