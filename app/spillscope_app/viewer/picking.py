"""The line that is pointed at, and the lines that are picked to be copied."""

from __future__ import annotations

from spillscope_app.spans import printable
from spillscope_app.viewer.body import Body
from spillscope_app.viewer.hexdump import Hex
from spillscope_app.viewer.pager import Pager, nothing_found

MAX_COPY_BYTES = 100_000
"""More than this a terminal may refuse, or choke on."""


class Picked:
    """A cursor over segments, and an anchor while lines are selected."""

    def __init__(self, pager: Pager) -> None:
        self._pager = pager
        self._always = False
        self._anchor: int | None = None
        self.cursor: int | None = None

    @property
    def selecting(self) -> bool:
        """Whether lines are being picked to be copied."""
        return self._anchor is not None

    @property
    def range(self) -> tuple[int, int] | None:
        """The first and the last segment that are picked; None: none is."""
        if self.cursor is None:
            return None
        anchor = self.cursor if self._anchor is None else self._anchor
        return min(anchor, self.cursor), max(anchor, self.cursor)

    def put(self, at: int) -> None:
        """Have a cursor from now on, here."""
        self._always, self.cursor = True, at

    def follow(self, at: int) -> None:
        """Take the cursor, if there is one, to the segment that holds an offset."""
        if self.cursor is not None and self._pager.size:
            self.cursor = self._pager.body.floor(at)

    def begin(self) -> None:
        """Select from the cursor on, or from the first row in view."""
        if self._pager.size:
            self.cursor = self._pager.top.at if self.cursor is None else self.cursor
            self._anchor = self.cursor

    def select(self, anchor: int, cursor: int) -> None:
        """Select from one segment to another."""
        self._anchor, self.cursor = anchor, cursor

    def end(self) -> None:
        """Select nothing."""
        self._anchor = None
        if not self._always:
            self.cursor = None

    def move(self, segments: int) -> bool:
        """Take the cursor on, down where positive, and into view; False where there is none."""
        if self.cursor is None:
            return False
        at = self.cursor
        for _ in range(abs(segments)):
            after = self._pager.next_at(at) if segments > 0 else self._pager.body.floor(at - 1) if at > 0 else None
            if after is None:
                break
            at = after
        self.cursor = at
        self._pager.show(at)
        return True

    def text(self) -> str | None:
        """What is selected, printable: nothing in it can act where it is pasted. None where that is too much."""
        if self._anchor is None or self.range is None:
            return ""
        first, last = self.range
        end = self._pager.next_at(last) or self._pager.size
        body = self._pager.body
        if end - first > MAX_COPY_BYTES:
            return None
        if isinstance(body, Hex):
            return "\n".join(_drawn(body, at) for at in range(first, end, 16))
        text = body.blob.read(first, end - first).decode("utf-8", "backslashreplace").removesuffix("\n")
        return "\n".join("\t".join(map(printable, row.removesuffix("\r").split("\t"))) for row in text.split("\n"))


def _drawn(body: Body, at: int) -> str:
    return "".join(span.text for span in body.segment(at, nothing_found).pieces).rstrip()
