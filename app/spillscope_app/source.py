"""A session as the feed sees it: with limits whose files are watched, and a budget switch that the user may flip."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from spillscope.limits_sources import Earlier, LimitsBook, LimitsPlan, WatchedLimits
from spillscope.session.calibrated import Calibrated
from spillscope.session.calibration import Calibrator
from spillscope.session.contents import Look, What, holds, look
from spillscope.session.reading import Reading, Result
from spillscope.session.session import Progress, Session
from spillscope.session.spills import Inventory, Spill
from spillscope.session.spills.behind import kept_of, seen_of
from spillscope.session.spills.inventory import take_inventory
from spillscope.session.spills.memory import Memory
from spillscope.session.spills.missing import count_missing
from spillscope.session.travel import reading_at
from spillscope.transcript.rows import ResultRow
from spillscope.transcript.spill_files import SpillFile
from spillscope_app.tuning.answer import Answer, Question, Tuner

FLIPPED = "flipped by you"
"""The source of the switch in limits that the user has flipped it in."""


class SessionSource:
    """Reads a session under the newest good limits. What came before they changed stays decided by those before (L11).

    `refresh` belongs to one thread; the rest may be called from any. What needs the session to hold still waits for it.
    """

    def __init__(self, session: Session, limits: WatchedLimits) -> None:
        self._session, self._limits = session, limits
        self._switch: bool | None = None
        self._memory, self._auditing = Memory(), threading.Lock()
        self._in_use: tuple[LimitsBook, bool | None] = (session.book, None)
        self._earlier: tuple[Earlier, ...] = ()  # the limits that held before those in use
        self._still = threading.Lock()  # whoever holds it has the session as it was last read
        self._newest: Reading | None = None
        self._calibrator = Calibrator(session)
        self._back: tuple[int, Calibrator] | None = None  # of the request that was last gone back to
        self._tuner = Tuner(session)

    @property
    def limits_error(self) -> str | None:
        """Why the newest limits are not in use, in words; None where they are."""
        return self._limits.error

    def flip(self, switch: bool | None) -> None:
        """From the next reading on take the budget to be on or off; None: as the evidence has it (L10)."""
        self._switch = switch

    def refresh(self, progress: Progress | None = None) -> Reading:
        """The session as it stands, under the limits as they stand."""
        self._limits.poll()
        book, switch = wanted = self._limits.book, self._switch
        with self._still:
            before = self._in_use
            if book is not before[0]:
                self._earlier = (*self._earlier, Earlier(self._limits.changed_at, before[0]))
            if book is not before[0] or switch != before[1]:
                self._in_use = wanted
                earlier = [change._replace(book=_flipped(change.book, switch)) for change in self._earlier]
                self._session.use(_flipped(book, switch), earlier)
            self._newest = self._session.refresh(progress)
            return self._newest

    def at(self, request: int) -> Reading | None:
        """The newest reading as it stood when a request was about to go out; None where there is no such request."""
        with self._still:
            newest = self._newest
            return None if newest is None or request >= len(newest.requests) else reading_at(self._session, newest, request)

    def calibrate(self, seconds: float) -> tuple[Reading, Calibrated] | None:
        """Calibrate the newest reading for about so long (T9); None until all is counted. Raises OSError."""
        with self._still:
            if self._newest is None or self._calibrator.step(seconds):
                return None
            found = self._calibrator.value
            return None if found is None else (self._newest, found)

    def calibrate_at(self, request: int, seconds: float) -> Calibrated | None:
        """The same of the session as it stood when a request was about to go out. Raises IndexError where there is none."""
        with self._still:
            if self._back is None or self._back[0] != request:
                self._back = request, self._calibrator.at(request)
            back = self._back[1]
            return None if back.step(seconds) else back.value

    @property
    def plan(self) -> LimitsPlan:
        """Where the limits are read from."""
        return self._limits.plan

    def tune(self, question: Question) -> Answer | None:
        """What edited limits would do to the newest reading; None while there is none. Raises LimitsError."""
        with self._still:
            return None if self._newest is None else self._tuner.ask(question, self._newest)

    def why_not(self, question: Question) -> str | None:
        """Why an edited value does nothing to the newest reading; None where it does something."""
        with self._still:
            return None if self._newest is None else self._tuner.why_not(question, self._newest)

    def note_rereads(self, spills: Sequence[Spill]) -> None:
        """What an inventory found of spills that were read back, for the questions to come."""
        with self._still:
            self._tuner.note_rereads(spills)

    def look(self, result: Result, what: What) -> Look:
        """One thing of a result, read from the files."""
        return look(self._session, result, what)

    def find(self, path: str) -> SpillFile:
        """A path that the transcript names, and whether it may be opened now (S6)."""
        return self._session.files.find(path)

    def maker(self, spill: Spill) -> Path | None:
        """The transcript that a listed spill was made in: this one, or a sub-agent's; None where that is not known any more."""
        session, _ = self._behind(spill, None)
        return None if session is None else session.place.path

    def seen(self, spill: Spill, reading: Reading) -> str | None:
        """All that the model, or a sub-agent's, got in a spill's place."""
        session, own = self._behind(spill, reading)
        return None if session is None or own is None else seen_of(session, own, spill)

    def kept(self, spill: Spill, reading: Reading) -> str | None:
        """The copy of a spill's original that its transcript keeps."""
        session, own = self._behind(spill, reading)
        return None if session is None or own is None else kept_of(session, own, spill)

    def _behind(self, spill: Spill, reading: Reading | None) -> tuple[Session | None, Reading | None]:
        """The transcript of a spill as the newest inventory had it; of this session the `reading` that was asked for."""
        if spill.agent_id == self._session.place.agent_id:
            return self._session, reading
        latest = self._memory.latest
        agents = () if latest is None else latest.sources[1:]
        made = (agent for agent in agents if agent.session.place.agent_id == spill.agent_id)
        return next(((agent.session, agent.reading) for agent in made), (None, None))

    def missing(self, reading: Reading) -> int:
        """How many spill files that the transcript names are gone."""
        return count_missing(self._session, reading)

    def inventory(self, reading: Reading, stop: Callable[[], bool]) -> Inventory:
        """All spills of a reading, audited; not complete once `stop` says True. One at a time: the next one waits."""
        with self._auditing:
            return take_inventory(self._session, reading, stop, self._memory)

    def holds(self, row: ResultRow, needle: str) -> bool:
        """Whether a result's content holds a casefolded text."""
        return holds(self._session, row, needle)


def _flipped(book: LimitsBook, switch: bool | None) -> LimitsBook:
    """A book with the budget's switch as the user has it; None: as it is."""
    return book if switch is None else book.with_layer({"aggregate": switch}, FLIPPED)
