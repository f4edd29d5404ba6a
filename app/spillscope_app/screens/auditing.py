"""The part of the Spills screen that has inventories taken: when, how often, and what they cost beside all else."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual import on
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from spillscope.session.reading import Reading
from spillscope.session.spills import Inventory
from spillscope.transcript.layout import place_of
from spillscope_app.disk import Disk, disk_of
from spillscope_app.feed import Source
from spillscope_app.picture import Picture
from spillscope_app.unswept import unswept

LOOK_SECONDS = 5.0
"""How often the files are looked at although the session did not change: anybody may delete one."""
RESTS = 10
"""Such a look waits for as many times what the last audit took; one for a new reading, for as long as it took."""
TELL_SECONDS = 0.3
"""An audit that takes longer than this is told of."""
DISK_SECONDS = 30.0
"""How often the folders of all sessions are looked at."""


class AuditingScreen(Screen[None]):
    """Takes the inventory of the newest reading while it is looked at; the one before stays until there is a newer one."""

    @dataclass
    class Audited(Message):
        """An inventory is there, or it failed in these words. `turn` tells which of them it is, `seconds` what it took."""

        turn: int
        reading: Reading
        seconds: float
        inventory: Inventory | None
        trouble: str = ""

    @dataclass
    class Weighed(Message):
        """What the sessions beside this one have on disk."""

        path: str
        disk: Disk

    def __init__(self, picture: Picture, source: Callable[[], Source]) -> None:
        super().__init__()
        self._picture, self._source = picture, source
        self._inventory: Inventory | None = None
        self._disk: Disk | None = None
        self._of: Reading | None = None  # the reading whose inventory is shown
        self._turn, self._auditing, self._note = 0, False, ""
        self._ended, self._took = 0.0, 0.0  # the last audit, in seconds of the monotonic clock
        self._composed = False

    # --- what the screen is to this part --------------------------------------------------------------------------------

    @abstractmethod
    def _changed(self, *, anew: bool) -> None:
        """An audit has ended, or is told of; `anew`: with another inventory than the one that is shown."""

    @abstractmethod
    def _show_ages(self) -> None:
        """Draw what changes with the clock alone, and with what lies on disk."""

    # --- the inventory --------------------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        self._composed = True
        self.set_interval(1.0, self._show_ages)
        self.set_interval(LOOK_SECONDS, partial(self._audit, again=True))
        self.set_interval(DISK_SECONDS, self._weigh)

    def on_screen_resume(self) -> None:
        self.call_after_refresh(self._audit, again=True)  # first what is known is drawn, with nobody in the way
        self._weigh()

    def on_screen_suspend(self) -> None:
        if not self.is_current:
            self._stop()

    def _audit(self, *, again: bool = False) -> None:
        """Take the inventory, where somebody looks at it and it may be another one. One at a time: the next waits for it."""
        reading = self._picture.reading
        if not self._composed or not self.is_current or self._auditing or reading is None or not reading.session.exists:
            return
        if not again and reading is self._of:
            return
        rest = self._ended + self._took * (RESTS if again else 1) - time.monotonic()
        if rest <= 0:
            self._auditing, self._turn = True, self._turn + 1
            work = partial(self._take, self._turn, reading, is_first=self._inventory is None)
            self.run_worker(work, name="audit", group="audit", thread=True, exclusive=True, exit_on_error=False)
            self.set_timer(TELL_SECONDS, partial(self._tell, self._turn))
        elif not again:
            self.set_timer(rest, self._audit)

    def _take(self, turn: int, reading: Reading, *, is_first: bool) -> None:
        worker, began = get_current_worker(), time.monotonic()
        inventory, trouble = None, ""
        try:
            with unswept() if is_first else nullcontext():
                inventory = self._source().inventory(reading, lambda: worker.is_cancelled)
        except Exception as error:  # told on the screen: an audit that fails must not look like one that goes on
            trouble = f"the audit failed with {type(error).__name__}: {error}"
        found = inventory if inventory is not None and inventory.complete else None
        self.post_message(self.Audited(turn, reading, time.monotonic() - began, found, trouble))

    def _tell(self, turn: int) -> None:
        if self._auditing and turn == self._turn:
            self._note = "auditing …"
            self._changed(anew=False)

    @on(Audited)
    def _audited(self, message: Audited) -> None:
        message.stop()
        if message.turn != self._turn:
            return
        self._auditing, self._note = False, message.trouble
        self._ended, self._took = time.monotonic(), message.seconds
        before = self._inventory
        if message.inventory is not None:
            self._inventory, self._of = message.inventory, message.reading
        self._changed(anew=self._inventory is not before)
        if message.reading is not self._picture.reading:
            self._audit()

    def _stop(self) -> None:
        self._turn, self._auditing, self._note, self._took = self._turn + 1, False, "", 0.0
        self.workers.cancel_group(self, "audit")
        self.workers.cancel_group(self, "disk")

    def _forget(self) -> None:
        """What comes next is about another session."""
        self._stop()
        self._inventory = self._disk = self._of = None
        self._weigh()

    # --- what lies on disk beside it ------------------------------------------------------------------------------------

    def _weigh(self) -> None:
        if self._composed and self.is_current and self._picture.path:
            work = partial(self._weigh_now, self._picture.path)
            self.run_worker(work, name="disk", group="disk", thread=True, exclusive=True, exit_on_error=False)

    def _weigh_now(self, path: str) -> None:
        worker = get_current_worker()
        disk = disk_of(place_of(Path(path)), lambda: worker.is_cancelled)
        if disk is not None:
            self.post_message(self.Weighed(path, disk))

    @on(Weighed)
    def _weighed(self, message: Weighed) -> None:
        message.stop()
        if message.path == self._picture.path:
            self._disk = message.disk
            self._show_ages()
