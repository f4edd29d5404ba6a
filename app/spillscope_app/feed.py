"""The one bridge between a session on disk and the screens.

Events are hints, stat is the truth: a watcher only says "look now", a timer looks anyway, and both go through the same
scan and diff. Three threads: one looks and reads, one waits for hints, one calibrates what was read. What they find leaves
as messages; none touches a widget.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from textual.message import Message

from spillscope.errors import SpillscopeError
from spillscope.limits_sources import LimitsPlan
from spillscope.session.calibrated import Calibrated
from spillscope.session.contents import Look, What
from spillscope.session.reading import Reading, Result
from spillscope.session.session import Progress
from spillscope.session.spills import Inventory, Spill
from spillscope.transcript.rows import ResultRow
from spillscope.transcript.scan import Snapshot, diff, scan
from spillscope.transcript.spill_files import SpillFile
from spillscope_app.picture import Watching
from spillscope_app.tuning.answer import Answer, Question
from spillscope_app.unswept import unswept

LOOK_SECONDS = 0.25
"""How often the files are looked at without any hint."""
REREAD_SECONDS = 2.0
"""How often the source is asked although its files look the same: what else it depends on may have changed."""
REST_SECONDS = 0.1
"""The shortest time between two readings: a person sees no difference, and a burst costs one reading."""
RETRY_SECONDS = 2.0
"""How long a failed watcher, or an unreadable session, is left alone."""
SLICE_SECONDS = 0.02
"""How long calibration goes on at a time, and how long it then leaves the session to others."""
PROGRESS_SECONDS = 0.1
"""How often a long reading tells how far it is."""


class Source(Protocol):
    """A session that can be read again. Cheap when nothing changed: then the same object comes back.

    All but `refresh` may be called from any thread.
    """

    @property
    def limits_error(self) -> str | None: ...

    def refresh(self, progress: Progress | None = None) -> Reading: ...

    def flip(self, switch: bool | None) -> None: ...

    def at(self, request: int) -> Reading | None: ...

    def calibrate(self, seconds: float) -> tuple[Reading, Calibrated] | None: ...

    def calibrate_at(self, request: int, seconds: float) -> Calibrated | None: ...

    def look(self, result: Result, what: What) -> Look: ...

    def holds(self, row: ResultRow, needle: str) -> bool: ...

    def find(self, path: str) -> SpillFile: ...

    def missing(self, reading: Reading) -> int: ...

    def maker(self, spill: Spill) -> Path | None: ...

    def seen(self, spill: Spill, reading: Reading) -> str | None: ...

    def kept(self, spill: Spill, reading: Reading) -> str | None: ...

    @property
    def plan(self) -> LimitsPlan: ...

    def tune(self, question: Question) -> Answer | None: ...

    def why_not(self, question: Question) -> str | None: ...

    def note_rereads(self, spills: Sequence[Spill]) -> None: ...

    def inventory(self, reading: Reading, stop: Callable[[], bool]) -> Inventory: ...


class FromFeed(Message):
    """What a feed says; `origin` tells which of the feeds that one inspector has had."""

    origin = 0


@dataclass
class NewReading(FromFeed):
    """The session has changed. Only the newest one of a queue matters."""

    reading: Reading

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, NewReading) and message.origin == self.origin


@dataclass
class NewCalibration(FromFeed):
    """What calibration says of a reading."""

    reading: Reading
    calibrated: Calibrated

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, NewCalibration) and message.origin == self.origin


@dataclass
class Trouble(FromFeed):
    """The session can't be read now, in words; None: it can again."""

    words: str | None

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Trouble) and message.origin == self.origin


@dataclass
class LimitsTrouble(FromFeed):
    """The newest limits can't be used, in words, and the last good ones hold; None: they are in use."""

    words: str | None


@dataclass
class Progressed(FromFeed):
    """How far a reading that takes long is, in bytes."""

    done: int
    total: int

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, Progressed) and message.origin == self.origin


@dataclass
class WatchingBy(FromFeed):
    """How changes are noticed from now on."""

    how: Watching


Hints = Callable[[Sequence[str], threading.Event], Any]
"""Yields, for some paths until an event is set, whenever something may have changed; raises when it can't."""


def watch_hints(paths: Sequence[str], stop: threading.Event) -> Any:
    """Hints from the operating system about the folders of `paths`: a watched file would go deaf when it is replaced."""
    from watchfiles import watch  # late: 90 ms that the first frame need not wait for

    folders = sorted({Path(path).absolute().parent for path in paths})
    return watch(
        *folders,
        watch_filter=None,
        step=20,
        debounce=200,
        rust_timeout=1_000,
        recursive=False,
        raise_interrupt=False,
        stop_event=stop,
    )


class Feed:
    """Reads a source when its files change and posts what it finds. `look`, `listen` and `measure` each want a thread."""

    def __init__(
        self,
        source: Source,
        paths: Sequence[str],
        post: Callable[[Message], object],
        hints: Hints = watch_hints,
    ) -> None:
        self._source, self._paths, self._post, self._hints = source, tuple(paths), post, hints
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._unmeasured = threading.Event()
        self._reading: Reading | None = None
        self._trouble: str | None = None
        self._limits_error: str | None = None
        self._seen: Snapshot = {}
        self._next_progress = 0.0

    @property
    def source(self) -> Source:
        """What is read."""
        return self._source

    def flip(self, switch: bool | None) -> None:
        """Read anew with the budget taken to be on or off; None: as the evidence has it."""
        self._source.flip(switch)
        self._wake.set()

    def read_soon(self) -> None:
        """Something that the files do not show has changed, or they surely have."""
        self._wake.set()

    def stop(self) -> None:
        """End all loops soon."""
        self._stop.set()
        self._wake.set()
        self._unmeasured.set()

    def look(self) -> None:
        """Read now, and again whenever the files look different, until stopped."""
        unread, rest = 0.0, REST_SECONDS
        self.read_now()
        while not self._stop.wait(rest):
            hinted = self._wake.wait(LOOK_SECONDS)
            self._wake.clear()
            unread += LOOK_SECONDS
            overdue = unread >= (RETRY_SECONDS if self._trouble else REREAD_SECONDS)
            rest = 0.0
            if not self._stop.is_set() and (diff(self._seen, scan(self._paths)) or hinted or overdue):
                unread, rest = 0.0, REST_SECONDS
                self.read_now()

    def read_now(self) -> None:
        """One look and one reading; posts what is new about it."""
        self._seen = scan(self._paths)
        try:
            reading = self._refresh()
        except (SpillscopeError, OSError) as error:
            self._tell(_in_words(error))
            return
        except Exception as error:
            self._tell(f"the reader failed with {type(error).__name__}: {error}")
            return
        self._tell(None)
        if (error_in_words := self._source.limits_error) != self._limits_error:
            self._limits_error = error_in_words
            self._post(LimitsTrouble(error_in_words))
        if reading is not self._reading:
            # What little an append brings is counted at once, so that the two are shown together.
            measured = self._reading is not None and self._calibrate()
            self._reading = reading
            self._post(NewReading(reading))
            if isinstance(measured, NewCalibration):
                self._post(measured)
            else:
                self._unmeasured.set()

    def _refresh(self) -> Reading:
        with unswept() if self._reading is None else nullcontext():
            return self._source.refresh(self._progress)

    def _progress(self, done: int, total: int) -> bool:
        if (now := time.monotonic()) >= self._next_progress:
            self._next_progress = now + PROGRESS_SECONDS
            self._post(Progressed(done, total))
        return not self._stop.is_set()

    def measure(self) -> None:
        """Calibrate what was read and not yet measured, slice by slice, until stopped."""
        while not self._stop.is_set():
            self._unmeasured.wait()
            self._unmeasured.clear()
            measured: NewCalibration | bool = True
            while measured is True and not self._stop.wait(SLICE_SECONDS):
                measured = self._calibrate()
            if isinstance(measured, NewCalibration):
                self._post(measured)

    def _calibrate(self) -> NewCalibration | bool:
        """One slice: what it came to; True where more is to be done, False where it can't be."""
        try:
            found = self._source.calibrate(SLICE_SECONDS)
        except (SpillscopeError, OSError):
            return False
        return NewCalibration(*found) if found is not None else True

    def _tell(self, trouble: str | None) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._post(Trouble(trouble))

    def listen(self) -> None:
        """Pass hints on until stopped. A watcher that fails is told of, left alone for a while, and tried again."""
        while not self._stop.is_set():
            try:
                hints = self._hints(self._paths, self._stop)
                self._post(WatchingBy("events"))
                for _ in hints:
                    self._wake.set()
            except Exception:
                pass
            if not self._stop.is_set():
                self._post(WatchingBy("polling"))
                self._stop.wait(RETRY_SECONDS)


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {os.fsdecode(error.filename)}" if error.filename else error.strerror
    return str(error)
