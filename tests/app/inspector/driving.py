"""An inspector over hand-made readings, and its screen as text."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from textual.app import App
from textual.pilot import Pilot

from app.inspector.readings import NOW, SESSION, past_of
from app.inspector.spilled import inventory_of
from spillscope.errors import LimitsError
from spillscope.limits_sources import LimitsPlan
from spillscope.session.calibrated import Calibrated
from spillscope.session.contents import Look, What
from spillscope.session.reading import Reading, Result
from spillscope.session.session import Progress
from spillscope.session.spills import Inventory, Spill
from spillscope.transcript.rows import ResultRow
from spillscope.transcript.spill_files import SpillFile
from spillscope_app.feed import Feed, NewCalibration
from spillscope_app.inspector import Inspector, Options, Post
from spillscope_app.memory import Memory
from spillscope_app.opening import Start
from spillscope_app.tuning.answer import Answer, Question


class Shelf:
    """A source that hands out what was put on it."""

    def __init__(self, *readings: Reading | Exception) -> None:
        self._items = list(readings)
        self.refreshed = 0
        self.limits_error: str | None = None
        self.switch: bool | None = None
        self.looks: dict[tuple[str, What], Look] = {}
        self.looked: list[tuple[str, What]] = []
        self.contents: dict[str, str] = {}
        self.asked: list[int] = []
        self.agents: dict[str, Path] = {}  # the transcript of each sub-agent
        self.calibrated: Calibrated | None = None
        self.calibrated_then: Calibrated | Exception | None = IndexError()  # None: never counted
        self.slices = 0  # that the past is counted in
        self.spills: tuple[Spill, ...] | Exception = ()
        self.audits = self.stopped = 0
        self.audit_may_end = threading.Event()
        self.audit_may_end.set()

    def put(self, reading: Reading | Exception) -> None:
        """The next reading."""
        self._items.append(reading)

    def flip(self, switch: bool | None) -> None:
        self.switch = switch

    def look(self, result: Result, what: What) -> Look:
        key = (result.row.tool_use_id, what)
        self.looked.append(key)
        words = f"the {what} of {result.row.label}"
        return self.looks.get(key) or Look("inline", words, len(words), len(words))

    def at(self, request: int) -> Reading | None:
        self.asked.append(request)
        item = self._items[0]
        return past_of(item, request) if isinstance(item, Reading) and request < len(item.requests) else None

    def calibrate(self, seconds: float) -> tuple[Reading, Calibrated] | None:
        item = self._items[0]
        return (item, self.calibrated) if isinstance(item, Reading) and self.calibrated is not None else None

    def calibrate_at(self, request: int, seconds: float) -> Calibrated | None:
        self.slices -= 1
        if isinstance(self.calibrated_then, Exception):
            raise self.calibrated_then
        return self.calibrated_then if self.slices < 0 else None

    def holds(self, row: ResultRow, needle: str) -> bool:
        return needle in self.contents.get(row.tool_use_id, "").casefold()

    def find(self, path: str) -> SpillFile:
        known = self.spills if isinstance(self.spills, tuple) else ()
        return next(spill.file for spill in known if spill.file.path == path)

    def maker(self, spill: Spill) -> Path | None:
        return self.agents.get(spill.agent_id) if spill.agent_id else Path(SESSION.path)

    def seen(self, spill: Spill, reading: Reading) -> str | None:
        found = self.looks.get((spill.tool_use_id or "", "model"))
        return None if found is None else found.text

    def kept(self, spill: Spill, reading: Reading) -> str | None:
        found = self.looks.get((spill.tool_use_id or "", "original"))
        return None if found is None else found.text

    def missing(self, reading: Reading) -> int:
        return sum(spill.has("missing") for spill in self.spills) if isinstance(self.spills, tuple) else 0

    def inventory(self, reading: Reading, stop: Callable[[], bool]) -> Inventory:
        self.audits += 1
        spills = self.spills
        while not self.audit_may_end.wait(0.001):
            if stop():
                self.stopped += 1
                return Inventory(complete=False)
        if isinstance(spills, Exception):
            raise spills
        return inventory_of(spills)

    @property
    def plan(self) -> LimitsPlan:
        return LimitsPlan()

    def tune(self, question: Question) -> Answer | None:
        return None

    def why_not(self, question: Question) -> str | None:
        return None

    def note_rereads(self, spills: Sequence[Spill]) -> None:
        return

    def refresh(self, progress: Progress | None = None) -> Reading:
        self.refreshed += 1
        while len(self._items) > 1:
            self._items.pop(0)
        item = self._items[0]
        if isinstance(item, Exception):
            raise item
        return item


class ByHand(Feed):
    """A feed that looks only when told to."""

    def look(self) -> None:
        self.read_now()

    def listen(self) -> None:
        return

    def measure(self) -> None:
        if isinstance(measured := self._calibrate(), NewCalibration):
            self._post(measured)


def no_hints(paths: Sequence[str], stop: threading.Event) -> Iterator[Any]:
    """A watcher that never has anything to say."""
    yield from iter(stop.wait, True)


class Bench:
    """An inspector with its source and the feed that the test works by hand."""

    def __init__(
        self,
        *readings: Reading | Exception,
        path: str = SESSION.path,
        start: Start | None = None,
        options: Options | None = None,
        memory: Memory | None = None,
    ) -> None:
        self.shelf = Shelf(*readings)
        self.feeds: list[ByHand] = []
        self.refuses = ""  # why no more session can be opened
        start = start or Start(path, Path(path).parent)
        self.app = Inspector(start, self._make_feed, options, memory, now=lambda: NOW)

    def _make_feed(self, session: str, post: Post) -> Feed:
        if self.refuses:
            raise LimitsError(self.refuses)
        self.feed = ByHand(self.shelf, (), post)
        self.feeds.append(self.feed)
        return self.feed

    async def deliver(self, reading: Reading | Exception, pilot: Pilot[None]) -> None:
        """A change on disk, seen at once."""
        self.shelf.put(reading)
        self.feed.read_now()
        await pilot.pause()


def screen_text(app: App[Any]) -> str:
    """What the screen shows, line by line, without the blanks at the ends."""
    return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())
