"""Finding a text in a blob of any size: block by block, forward and back, each block looked at once."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence

from spillscope_app.viewer.blob import Blob

BLOCK = 64 << 10
"""Bytes that are looked at together: few enough to stay in the processor's cache while they are put into lower case."""
_UNKNOWN = -1
Stopped = Callable[[], bool]


class Needle:
    """What is looked for, in bytes. All in lower case, it finds any case.

    Matches may overlap: where one begins depends on nothing before it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._plain = text.encode("utf-8", "surrogatepass")
        folds = text == text.lower() and text != text.upper()
        self._folds_ascii = folds and text.isascii()
        variants = [_variants(char) if folds else [char.encode("utf-8", "surrogatepass")] for char in text]
        self.longest = sum(max(map(len, variant)) for variant in variants)
        pattern = b"".join(b"(?:" + b"|".join(map(re.escape, variant)) + b")" for variant in variants)
        self._pattern = re.compile(b"(?=(" + pattern + b"))", re.DOTALL)
        self._is_literal = self._folds_ascii or not folds
        self._overlaps = any(self._plain.startswith(self._plain[at:]) for at in range(1, len(self._plain)))

    def count(self, data: bytes) -> int:
        """How many matches `data` holds."""
        if self._is_literal and not self._overlaps:
            return self._cased(data).count(self._plain)
        return sum(1 for _ in self.ranges(data))

    def ranges(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Where matches begin and end, in order."""
        if not self._is_literal:
            yield from (match.span(1) for match in self._pattern.finditer(data))
            return
        cased = self._cased(data)
        at = cased.find(self._plain)
        while at >= 0:
            yield at, at + len(self._plain)
            at = cased.find(self._plain, at + 1)

    def _cased(self, data: bytes) -> bytes:
        return data.lower() if self._folds_ascii else data


def _variants(char: str) -> list[bytes]:
    """A character in every case that has one character of its own."""
    cases = {case for case in (char, char.lower(), char.upper(), char.title()) if len(case) == 1}
    return sorted((case.encode("utf-8", "surrogatepass") for case in cases), key=len, reverse=True)


class Search:
    """The matches of a needle in a blob. What was counted stays known; one thread searches, any may ask."""

    def __init__(self, blob: Blob, needle: Needle) -> None:
        self._blob, self.needle = blob, needle
        self._counts = array("q")  # matches that begin in each block
        self._fit()

    def _fit(self) -> None:
        """Room for each block of the blob as it stands now."""
        blocks = -(-self._blob.size // BLOCK)
        del self._counts[blocks:]
        self._counts.extend([_UNKNOWN] * (blocks - len(self._counts)))

    def changed(self, *, grown: bool) -> None:
        """The blob has grown, so that its last blocks are to be looked at again, or all of it has changed."""
        # A match that began in the last block may have ended behind it.
        del self._counts[max(0, len(self._counts) - 1 - self.needle.longest // BLOCK) if grown else 0 :]
        self._fit()

    def ranges(self, start: int, end: int) -> Sequence[tuple[int, int]]:
        """The matches that touch the bytes from `start` to `end`, in order."""
        begin = max(0, start - self.needle.longest + 1)
        data = self._blob.read(begin, end + self.needle.longest - 1 - begin)
        found = ((begin + at, begin + until) for at, until in self.needle.ranges(data))
        return [(at, until) for at, until in found if until > start and at < end]

    def find(self, start: int, step: int, stopped: Stopped) -> int | None:
        """The first match at or after `start`, or with `step` -1 the last one before it; past the end it goes on at the other.

        None where there is none, or it was stopped.
        """
        self._fit()
        blocks = len(self._counts)
        own = min(start // BLOCK, blocks - 1)
        for away in range(blocks + 1 if blocks else 0):
            block = (own + step * away) % blocks
            if stopped():
                return None
            if self._count(block):
                found = [at for at, _ in self._in_block(block)]
                if away == 0:
                    found = [at for at in found if (at >= start if step > 0 else at < start)]
                if found:
                    return found[0 if step > 0 else -1]
        return None

    def _in_block(self, block: int) -> Iterator[tuple[int, int]]:
        base = block * BLOCK
        data = self._blob.read(base, BLOCK + self.needle.longest - 1)
        return ((base + at, base + until) for at, until in self.needle.ranges(data) if at < BLOCK)

    def _count(self, block: int) -> int:
        if self._counts[block] == _UNKNOWN:
            data = self._blob.read(block * BLOCK, BLOCK + self.needle.longest - 1)
            count = self.needle.count(data)
            if count and len(data) > BLOCK:  # those that begin in the next block are its own
                count -= sum(1 for at, _ in self.needle.ranges(data[BLOCK:]))
            self._counts[block] = count
        return self._counts[block]

    def count(self, stopped: Stopped) -> None:
        """Look at every block that nobody has looked at yet, until stopped."""
        self._fit()
        for block, count in enumerate(self._counts):
            if stopped():
                return
            if count == _UNKNOWN:
                self._count(block)

    @property
    def complete(self) -> bool:
        """Whether all matches are counted."""
        return len(self._counts) == -(-self._blob.size // BLOCK) and _UNKNOWN not in self._counts

    @property
    def share(self) -> float:
        """How much of the blob was looked at."""
        return 1 - self._counts.count(_UNKNOWN) / len(self._counts) if self._counts else 1.0

    @property
    def total(self) -> int:
        """Matches that were counted so far."""
        return sum(count for count in self._counts if count != _UNKNOWN)

    def ordinal(self, at: int) -> int | None:
        """Which match, from 1, begins at an offset; None while what is before it is not counted."""
        block = at // BLOCK
        before = self._counts[:block]
        if _UNKNOWN in before:
            return None
        return sum(before) + sum(1 for start, _ in self._in_block(block) if start <= at)
