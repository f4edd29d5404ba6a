"""What the fitted estimate goes by: tiktoken's count of a text, and how many characters of which kind stand in it (T9).

Newer tokenizers cut capitals, punctuation and arrows finer than tiktoken does, and prose about alike: so prose, code and JSON
tell themselves apart without anybody having to say which is which.
"""

from __future__ import annotations

from operator import add
from string import ascii_lowercase, ascii_uppercase, punctuation
from typing import NamedTuple

from spillscope.tokens.bpe import count_slice, slices

_UPPER, _LOWER, _MARKS = (kind.encode() for kind in (ascii_uppercase, ascii_lowercase, punctuation))
_SYMBOLS = 0xE2
"""The first byte of U+2000 to U+2FFF in UTF-8: dashes, quotes, arrows, boxes; hardly a letter among them."""


class Weight(NamedTuple):
    """`bpe`: tokens of cl100k_base. The rest are characters: A-Z, a-z, ASCII punctuation, newlines, and U+2000 to U+2FFF."""

    bpe: int = 0
    upper: int = 0
    lower: int = 0
    marks: int = 0
    lines: int = 0
    symbols: int = 0

    def plus(self, other: Weight) -> Weight:
        return Weight(*map(add, self, other))


NOTHING = Weight()


def weigh(text: str) -> Weight:
    """The weight of a text, whatever its length."""
    weight = NOTHING
    for piece in slices(text):
        weight = weight.plus(weigh_slice(piece))
    return weight


def weigh_slice(text: str) -> Weight:
    """The weight of what is short enough to be counted at once."""
    data = text.encode("utf-8", "replace")
    upper, lower, marks = (_count(data, kind) for kind in (_UPPER, _LOWER, _MARKS))
    return Weight(count_slice(text), upper, lower, marks, data.count(b"\n"), data.count(_SYMBOLS))


def _count(data: bytes, kind: bytes) -> int:
    return len(data) - len(data.translate(None, kind))
