"""T8, the second estimate: tiktoken's cl100k_base over a text, from a vocabulary that ships with us."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from spillscope.shipped import shipped_bytes

if TYPE_CHECKING:
    from tiktoken import Encoding

SLICE_CHARS = 16_384
"""As much as is counted at once."""
VOCABULARY = "cl100k_base.zlib"
_TOKENS = 100_256
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


def count(text: str) -> int:
    """Tokens of a text. Special tokens in it are ordinary text; a lone surrogate counts as U+FFFD.

    Counted slice by slice: the time grows with the length alone, whatever stands in it.
    """
    return sum(map(count_slice, slices(text)))


def count_slice(text: str) -> int:
    """Tokens of what is short enough to be counted at once."""
    return len(_encoding().encode_ordinary(text))


def slices(text: str) -> Iterator[str]:
    """A text in pieces of at most `SLICE_CHARS`, cut where hardly a token spans: behind a line, else before a space."""
    at = 0
    while len(text) - at > SLICE_CHARS:
        end = _cut(text, at + SLICE_CHARS // 2, at + SLICE_CHARS)
        yield text[at:end]
        at = end
    yield text[at:] if at else text


def _cut(text: str, low: int, high: int) -> int:
    """Where a slice ends that ends between two places."""
    line = text.rfind("\n", low, high)
    if line >= 0:
        return line + 1
    space = text.rfind(" ", low, high)
    return space if space > low else high


def vocabulary() -> dict[bytes, int]:
    """Each token's rank."""
    data = zlib.decompress(shipped_bytes("spillscope.tokens", VOCABULARY))
    ends = accumulate(data[:_TOKENS], initial=_TOKENS)
    return {data[start:end]: rank for rank, (start, end) in enumerate(pairwise(ends))}


@cache
def _encoding() -> Encoding:
    from tiktoken import Encoding  # late: 45 ms that only those pay who want this estimate

    return Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=vocabulary(), special_tokens={})
