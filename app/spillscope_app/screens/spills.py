"""Every spilled file of the session, audited: what is wrong with it, what became of it, and what all of them take on disk."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message
from textual.screen import Screen
from textual.worker import get_current_worker

from spillscope.session.reading import Reading
from spillscope.session.spills import Inventory, Spill
from spillscope.transcript.layout import place_of
from spillscope_app.commands import bindings
from spillscope_app.disk import Disk, disk_of
from spillscope_app.feed import Source
from spillscope_app.picture import Picture
from spillscope_app.screens.detail import rule
from spillscope_app.screens.spill_list import SpillList
from spillscope_app.screens.viewer import ViewerScreen
from spillscope_app.spans import printable
from spillscope_app.viewer.handing import copy
from spillscope_app.viewer.request import ViewerRequest
from spillscope_app.views import top
from spillscope_app.views.badges import BADGES
from spillscope_app.views.spill_detail import spill_lines, title_of
from spillscope_app.views.spill_request import spill_request
from spillscope_app.views.spill_summary import badge_choices, nothing_spilled, sums_line
from spillscope_app.widgets.choices import Choices
from spillscope_app.widgets.key_line import KeyLine
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.painted import Painted
from spillscope_app.widgets.text_view import TextView

LOOK_SECONDS = 5.0
"""How often the files are looked at although the session did not change: anybody may delete one."""
RESTS = 10
"""Such a look waits for as many times what the last audit took; one for a new reading, for as long as it took."""
TELL_SECONDS = 0.3
"""An audit that takes longer than this is told of."""
DISK_SECONDS = 30.0
"""How often the folders of all sessions are looked at."""


class SpillsScreen(Screen[None]):
    """Takes the inventory of the newest reading while it is looked at; the one before stays until there is a newer one."""

    BINDINGS = bindings("spills")
    AUTO_FOCUS = "#spills"

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

    @dataclass
    class Opened(Message):
        """It is known what the viewer is to show."""

        request: ViewerRequest

    @dataclass
    class GroupAsked(Message):
        """The user wants to see which group made a spill."""

        spill: Spill

    def __init__(self, picture: Picture, now: Callable[[], float], source: Callable[[], Source]) -> None:
        super().__init__()
        self._picture, self._now, self._source = picture, now, source
        self._inventory: Inventory | None = None
        self._disk: Disk | None = None
        self._of: Reading | None = None  # the reading whose inventory is shown
        self._turn, self._auditing, self._note = 0, False, ""
        self._ended, self._took = 0.0, 0.0  # the last audit, in seconds of the monotonic clock
        self._wish: str | None = None  # the result whose spill is to be selected as soon as it is listed
        self._composed = False

    def compose(self) -> ComposeResult:
        yield Painted(id="spills-header")
        yield Painted(id="spills-sums")
        yield Choices(id="spills-badges")
        with Container(id="spills-body"):
            yield SpillList(self._now)
            with Container(id="spill-detail", classes="pane"):
                yield Painted(id="spill-rule", classes="rule")
                yield TextView(id="spill-text")
        yield KeyLine()

    def on_mount(self) -> None:
        self._composed = True
        self.set_interval(1.0, self._show_ages)
        self.set_interval(LOOK_SECONDS, partial(self._audit, again=True))
        self.set_interval(DISK_SECONDS, self._weigh)
        self._draw()

    def on_screen_resume(self) -> None:
        self._draw()
        self._audit(again=True)
        self._weigh()

    def on_screen_suspend(self) -> None:
        self._stop()

    def show_picture(self, picture: Picture) -> None:
        """Show the spills of this from now on; those of another session are a list of their own."""
        before, self._picture = self._picture, picture
        if picture.path != before.path:
            self._stop()
            self._inventory = self._disk = self._of = None
            if self._composed:
                self._list.forget()
                self._weigh()
        if self._inventory is None:
            self._draw()
        else:
            self._show_ages()
        self._audit()

    def wish(self, tool_use_id: str) -> None:
        """Select the spill of this result as soon as it is listed."""
        self._wish = tool_use_id
        self._grant()

    @property
    def _list(self) -> SpillList:
        return self.query_one(SpillList)

    @property
    def _text(self) -> TextView:
        return self.query_one("#spill-text", TextView)

    # --- the inventory --------------------------------------------------------------------------------------------------

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
            work = partial(self._take, self._turn, reading)
            self.run_worker(work, name="audit", group="audit", thread=True, exclusive=True, exit_on_error=False)
            self.set_timer(TELL_SECONDS, partial(self._tell, self._turn))
        elif not again:
            self.set_timer(rest, self._audit)

    def _take(self, turn: int, reading: Reading) -> None:
        worker, began = get_current_worker(), time.monotonic()
        inventory, trouble = None, ""
        try:
            inventory = self._source().inventory(reading, lambda: worker.is_cancelled)
        except Exception as error:  # told on the screen: an audit that fails must not look like one that goes on
            trouble = f"the audit failed with {type(error).__name__}: {error}"
        found = inventory if inventory is not None and inventory.complete else None
        self.post_message(self.Audited(turn, reading, time.monotonic() - began, found, trouble))

    def _tell(self, turn: int) -> None:
        if self._auditing and turn == self._turn:
            self._note = "auditing …"
            self._draw_list()

    @on(Audited)
    def _audited(self, message: Audited) -> None:
        message.stop()
        if message.turn != self._turn:
            return
        self._auditing, self._note = False, message.trouble
        self._ended, self._took = time.monotonic(), message.seconds
        if message.inventory is not None:
            self._inventory, self._of = message.inventory, message.reading
        self._draw()
        self._grant()
        if message.reading is not self._picture.reading:
            self._audit()

    def _stop(self) -> None:
        self._turn, self._auditing, self._note, self._took = self._turn + 1, False, "", 0.0
        self.workers.cancel_group(self, "audit")
        self.workers.cancel_group(self, "disk")

    def _grant(self) -> None:
        """Select what was wished for."""
        if self._wish is None or self._inventory is None or not self._composed:
            return
        found = next((spill for spill in self._inventory.spills if spill.tool_use_id == self._wish), None)
        if found is not None:
            self._list.select(found)
        if found is not None or self._of is self._picture.reading:
            self._wish = None

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

    # --- what is shown --------------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if not self._composed:
            return
        self._show_ages()
        self._draw_list()
        self._draw_badges()
        self._show_detail()

    def _show_ages(self) -> None:
        """What changes with the clock alone."""
        if self._composed and self.is_current:
            picture, inventory, disk, now = self._picture, self._inventory, self._disk, self._now()
            self.query_one("#spills-header", Painted).show(lambda width: top.header(picture, now, width))
            self.query_one("#spills-sums", Painted).show(lambda width: (sums_line(inventory, disk, now, width),))

    def _draw_list(self) -> None:
        inventory = self._inventory
        spills = inventory.spills if inventory is not None else ()
        self._list.show(spills, nothing_spilled(self._picture, inventory), self._note if spills else "")
        self.set_class(not spills, "-empty")

    def _draw_badges(self) -> None:
        chosen = self._list.chosen.badge
        choices = badge_choices(self._inventory, chosen, self.size.width)
        self.query_one("#spills-badges", Choices).offer(choices)
        self.set_class(not choices, "-unfound")

    def on_resize(self) -> None:
        if self._composed:
            self._draw_badges()

    @on(SpillList.Changed)
    def _selection_changed(self) -> None:
        self._draw_badges()
        self._show_detail()

    def _show_detail(self) -> None:
        spill = self._list.selected
        title = title_of(spill) if spill is not None else ()
        self.query_one("#spill-rule", Painted).show(lambda width: (rule(title, (), width),))
        self._text.show(spill_lines(spill, self._now()), self._list.table.selected)

    # --- what the user asks for -----------------------------------------------------------------------------------------

    @on(Choices.Chosen)
    def _badge_clicked(self, message: Choices.Chosen) -> None:
        message.stop()
        self._list.toggle_badge(next(name for name in BADGES if name == message.name))

    @on(LineTable.Opened)
    def _open(self, message: LineTable.Opened) -> None:
        message.stop()
        spill, reading = self._list.selected, self._of
        if spill is not None and reading is not None:
            work = partial(self._prepare, spill, reading)
            self.run_worker(work, name="open", group="open", thread=True, exclusive=True, exit_on_error=False)

    def _prepare(self, spill: Spill, reading: Reading) -> None:
        self.post_message(self.Opened(spill_request(spill, reading, self._source())))

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        message.stop()
        if self.is_current:
            self.app.push_screen(ViewerScreen(message.request))

    def action_copy(self) -> None:
        """The path of the selected file to the clipboard, made printable."""
        if (spill := self._list.selected) is not None:
            self.notify(copy(self.app, printable(spill.file.path), "path"), timeout=4, markup=False)

    def action_group(self) -> None:
        """To the group that made the selected spill."""
        if (spill := self._list.selected) is not None:
            self.post_message(self.GroupAsked(spill))

    def action_sort(self) -> None:
        """The next order."""
        self._list.sort()

    def action_filter(self, name: str) -> None:
        """Change one part of the filter."""
        self._list.filter_by(name)

    def action_follow(self) -> None:
        """The newest file last, and the cursor on it."""
        self._list.follow()

    def action_find(self) -> None:
        """Type a text to look for."""
        self.remove_class("-asked")
        self._list.find()

    def action_leave_find(self) -> None:
        """From the text to the list, which it goes on filtering."""
        self._list.leave_find(keep=True)

    def action_match(self, step: int) -> None:
        """To the next match of the filter, or to the one before."""
        self._list.table.action_match(step)

    def action_detail(self) -> None:
        """To the detail, and back to the list."""
        if self._text.has_focus:
            self.action_back()
        else:
            self.add_class("-asked")
            self._text.focus()

    def action_back(self) -> None:
        """One step back: stop typing, leave the detail, clear the filter, and at last to the groups."""
        if self._list.finding:
            self._list.leave_find(keep=False)
        elif self._text.has_focus or self.has_class("-asked"):
            self.remove_class("-asked")
            self._list.table.focus()
        elif self._list.chosen:
            self._list.clear()
        else:
            self.app.call_later(self.app.run_action, "show_mode('groups')")
