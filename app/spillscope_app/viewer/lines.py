"""Line numbers of a blob, counted once from its beginning while somebody already reads in it."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator

from spillscope_app.viewer.blob import Blob

STEP = 1 << 20
"""Bytes between two places whose line number is kept: eight bytes a megabyte."""


class LineNumbers:
    """How many lines begin before an offset. One thread counts on, any may ask."""

    def __init__(self, blob: Blob) -> None:
        self.blob = blob
        self._ends = array("Q", [0])  # line ends before each multiple of STEP

    @property
    def counted(self) -> int:
        """Bytes behind the last place that was counted to; all beyond takes reading less than a step."""
        return (len(self._ends) - 1) * STEP

    @property
    def complete(self) -> bool:
        """Whether every number is known."""
        return self.blob.size - self.counted < STEP

    def count(self, stopped: Callable[[], bool]) -> None:
        """Count on to the end of the blob as it stands, or until stopped."""
        while not self.complete and not stopped():
            data = self.blob.read(self.counted, STEP)
            if len(data) < STEP:  # truncated meanwhile
                return
            self._ends.append(self._ends[-1] + data.count(b"\n"))

    def number(self, at: int) -> int | None:
        """The number, from 1, of the line that holds offset `at`; None where it was not counted that far."""
        step = at // STEP
        if step >= len(self._ends):
            return None
        return self._ends[step] + self.blob.read(step * STEP, at - step * STEP).count(b"\n") + 1

    def along(self, starts: Iterable[int | None]) -> Iterator[int | None]:
        """The number of the line that begins at each of some offsets, in order; None for None, and while it is not counted.

        The first is looked up, the others are counted on from it: they are near.
        """
        at, number = 0, None
        for start in starts:
            if start is None:
                yield None
                continue
            if number is None:
                number = self.number(start)
            else:
                number += self.blob.read(at, start - at).count(b"\n")
            at = start
            yield number

    @property
    def total(self) -> int | None:
        """Lines in all, the last one without an end included; None while they are counted."""
        size = self.blob.size
        if not self.complete:
            return None
        if size == 0:
            return 0
        number = self.number(size)
        ended = self.blob.read(size - 1, 1) == b"\n"
        return None if number is None else number - ended
