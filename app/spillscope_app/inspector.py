"""The inspector: the Textual app around the screens, its feed, its signals and its exit status."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import App, SystemCommand
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen
from textual.theme import Theme

from spillscope.errors import SessionNotFoundError, SpillscopeError
from spillscope.session.listing import newer_session
from spillscope.session.reading import Reading
from spillscope.session.spills import Spill
from spillscope_app.catalog import SCAN_SECONDS, Lister, NewCatalog
from spillscope_app.cli_limits import LimitsRequest
from spillscope_app.commands import bindings
from spillscope_app.feed import (
    Feed,
    FromFeed,
    LimitsTrouble,
    NewCalibration,
    NewReading,
    Progressed,
    Source,
    Trouble,
    WatchingBy,
)
from spillscope_app.finder import CommandFinder
from spillscope_app.journal import Journal
from spillscope_app.leaving import leave_if_hung_up, leave_on_signals
from spillscope_app.memory import Memory
from spillscope_app.opening import Start, find_start, open_source
from spillscope_app.palette import HIGH_CONTRAST, ink_variables
from spillscope_app.picture import Picture, Watching
from spillscope_app.screens.events import EventsScreen
from spillscope_app.screens.groups import GroupsScreen
from spillscope_app.screens.sessions import SessionsScreen
from spillscope_app.screens.sheet import SheetScreen
from spillscope_app.screens.spills import SpillsScreen
from spillscope_app.screens.timeline import TimelineScreen
from spillscope_app.screens.tools import ToolsScreen
from spillscope_app.source import FLIPPED
from spillscope_app.spans import foreign
from spillscope_app.telling import TellingApp
from spillscope_app.travelling import TravellingApp
from spillscope_app.tuning.app import TuningApp
from spillscope_app.views.events import NOTICED, key_of_result, subject_of, words_of
from spillscope_app.views.guide import guide
from spillscope_app.views.sums import sums
from spillscope_app.widgets.plain_glyphs import PlainGlyphs

_SYSTEM_COMMANDS = frozenset({"Theme", "Screenshot"})
"""What Textual offers of itself and our table does not."""
_WIDTHS: list[tuple[int, str]] = [(0, "-narrow"), (100, "-wide"), (150, "-broad")]
_HEIGHTS: list[tuple[int, str]] = [(0, "-flat"), (8, "-low"), (20, "-tall")]
"""Columns, and lines, from which on a screen has a class; the style sheets say what it means."""
HANGUP_SECONDS = 5.0
"""How often it is looked whether there is a terminal still."""

THREADS = 32
"""More than there is ever to be done at once: no page waits for a search or an audit to end."""
NEWER_SECONDS = 2.0
"""How often a newer session of the same project is looked for."""
MISSING_SECONDS = 10.0
"""How often it is looked whether the spill files are there still; never more than a twentieth of the time."""
NOTICES = 2
"""As many notices as one reading may bring: whoever was away for long wants the list of events, not a pile of notices."""
_WATCHING: dict[Watching, str] = {
    "events": "changes are told by the operating system",
    "polling": "no watcher: the files are looked at again and again",
}


Post = Callable[[Message], object]
FeedMaker = Callable[[str, Post], Feed]
"""A feed for a transcript. May raise SpillscopeError."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the inspector behaves, as the command line says it.

    `follow_project`: go to a newer live session by itself. `ascii`: draw with ASCII alone.
    """

    follow_project: bool = False
    ascii: bool = False


@dataclass
class NewerSession(Message):
    """The live session of `path`'s project that began later, or None."""

    path: str
    newer: str | None


@dataclass
class MissingSpills(Message):
    """How many spill files that the transcript of `path` names are gone."""

    path: str
    count: int
    seconds: float


def _itself(screen: Screen[None]) -> Screen[None]:
    return screen


class Inspector(TuningApp, TravellingApp, TellingApp):
    """Shows one session as it grows. Holds the newest `Picture` and hands it to the screens."""

    TITLE = "spillscope"
    CSS_PATH: ClassVar = [
        "inspector.tcss",
        "screens/groups.tcss",
        "screens/spills.tcss",
        "screens/tools.tcss",
        "screens/timeline.tcss",
        "screens/sessions.tcss",
        "screens/sheet.tcss",
        "screens/viewer.tcss",
    ]
    DEFAULT_MODE = "groups"
    COMMANDS = App.COMMANDS | {CommandFinder}
    BINDINGS = bindings("anywhere")
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    def __init__(
        self,
        start: Start,
        make_feed: FeedMaker,
        options: Options | None = None,
        memory: Memory | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        # Without ansi_color, NO_COLOR would still paint shades of grey.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.animation_level = "none"
        self._make_feed, self._options, self._memory, self._now = make_feed, options or Options(), memory, now
        self._plain_glyphs, self._kept_theme = PlainGlyphs(), ""
        self._start, self._awaiting = start, start.session is None and start.awaited is not None
        self._feed: Feed | None = None
        self._origin = -1  # of the present feed
        self._picture, self._journal = Picture(start.session or ""), Journal()
        self._sought: Spill | None = None  # whose group is to be shown as soon as the session is read
        self._rested = 0.0  # when the spill files may be looked for again, on the monotonic clock
        self._passed_over: frozenset[str] = frozenset()  # sessions that the user saw when choosing another one
        self._lister = Lister(start.root, self.post_message, now)
        self._main = GroupsScreen(self._picture, now, self._source)
        self._spills = SpillsScreen(self._picture, now, self._source)
        self._tools = ToolsScreen(self._picture, now, self._desk)
        self._timeline = TimelineScreen(self._picture, now)
        self._events = EventsScreen(self._picture, now)
        self._sessions = SessionsScreen(now)
        self._sums: SheetScreen | None = None
        screens = {
            "groups": self._main,
            "spills": self._spills,
            "tools": self._tools,
            "timeline": self._timeline,
            "events": self._events,
            "sessions": self._sessions,
        }
        for mode, screen in screens.items():
            self.add_mode(mode, partial(_itself, screen))

    @property
    def picture(self) -> Picture:
        """What is shown now."""
        return self._picture

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return ink_variables(self.current_theme)

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = super().get_line_filters()
        return [*filters, self._plain_glyphs] if self._options.ascii else filters

    def get_default_screen(self) -> Screen[None]:
        return self._main

    def on_mount(self) -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS))
        if not self.is_headless:
            leave_on_signals(asyncio.get_running_loop(), lambda status: self.exit(return_code=status))
            self.set_interval(HANGUP_SECONDS, leave_if_hung_up)
        self._recall_theme()
        self.set_interval(SCAN_SECONDS, self._list)
        self.set_interval(NEWER_SECONDS, self._look_for_newer)
        self.set_interval(MISSING_SECONDS, self._look_for_missing)
        if self._start.session is not None:
            self.open_session(self._start.session)
        else:
            self._show(self._picture)
            self.action_show_mode("sessions")

    def on_unmount(self) -> None:
        self._lister.stop()
        if self._feed is not None:
            self._feed.stop()

    def _recall_theme(self) -> None:
        """The theme that was chosen last. Without colours there is nothing to choose."""
        self.register_theme(HIGH_CONTRAST)
        remembered = self._memory.theme() if self._memory is not None and not self.no_color else None
        if remembered in self.available_themes and remembered is not None:
            self.theme = remembered
        self._kept_theme = self.theme
        self.theme_changed_signal.subscribe(self, self._keep_theme)

    def _keep_theme(self, theme: Theme) -> None:
        if self._memory is None or self.no_color or theme.name == self._kept_theme:
            return
        self._kept_theme = theme.name
        if not self._memory.keep_theme(theme.name):
            self._tell(f"the theme can't be remembered: {self._memory.path} can't be written", is_trouble=True)

    # --- the open session -----------------------------------------------------------------------------------------------

    def open_session(self, path: str) -> None:
        """Show this session from now on. What belonged to the one before ends."""
        try:
            feed = self._make_feed(path, partial(self._post_from, self._origin + 1))
        except SpillscopeError as error:
            self._tell(str(error), is_trouble=True)
            return
        if self._feed is not None:
            self._feed.stop()
        self._feed, self._origin = feed, self._origin + 1
        self._awaiting = False
        self._sought = None
        self._journal = Journal()
        self._begin_tuning()
        self._show(Picture(path))
        for name, loop in (("look", feed.look), ("listen", feed.listen), ("measure", feed.measure)):
            self.run_worker(loop, name=name, group="feed", thread=True, exit_on_error=False)
        self._look_for_newer()

    def _source(self) -> Source:
        assert self._feed is not None  # only what was read can be looked into
        return self._feed.source

    def _read_soon(self) -> None:
        if self._feed is not None:
            self._feed.read_soon()

    def _post_from(self, origin: int, message: Message) -> None:
        if isinstance(message, FromFeed):
            message.origin = origin
        self.post_message(message)

    def _show(self, picture: Picture) -> None:
        self._picture = picture
        self._main.show_picture(self._under_edit(picture))
        self._sessions.show_open(picture.path, self._start.awaited_name if self._awaiting else "")
        self._show_rest()

    def _show_rest(self) -> None:
        """What is worked out only for somebody who looks at it."""
        if self._sums is not None and self._sums.is_current:
            self._sums.show(sums(self._picture, self._now()))
        if self.current_mode == "events":
            self._show_events()
        elif self.current_mode == "timeline":
            self._timeline.show_picture(self._picture)
        elif self.current_mode == "spills":
            self._spills.show_picture(self._picture)
        elif self.current_mode == "tools":
            self._tools.show_picture(self._picture)

    @on(NewReading)
    def _reading_came(self, message: NewReading) -> None:
        if message.origin == self._origin:
            is_first = self._picture.reading is None
            events = self._journal.take(message.reading)
            self._show_newest(message.reading)
            self._ask()
            for event in [event for event in events if event.kind in NOTICED][-NOTICES:]:
                self._tell("".join(span.text for span in words_of(event)))
            if is_first:
                self._look_for_missing()
                if self._sought is not None:
                    self._go_to_group(self._sought)
                    self._sought = None

    @on(NewCalibration)
    def _calibration_came(self, message: NewCalibration) -> None:
        if message.origin == self._origin and message.reading is self._picture.live:
            self._show(replace(self._picture, calibrated=message.calibrated))

    @on(Trouble)
    def _trouble_came(self, message: Trouble) -> None:
        if message.origin == self._origin:
            self._note(self._now(), message.words or "the session can be read again", is_trouble=message.words is not None)
            self._show(replace(self._picture, trouble=message.words))

    @on(WatchingBy)
    def _watching_changed(self, message: WatchingBy) -> None:
        if message.origin == self._origin:
            self._note(self._now(), _WATCHING.get(message.how, ""), is_trouble=message.how == "polling")
            self._show(replace(self._picture, watching=message.how))

    @on(LimitsTrouble)
    def _limits_trouble_came(self, message: LimitsTrouble) -> None:
        if message.origin == self._origin:
            told = f"the newest limits are not in use: {message.words}" if message.words else "the newest limits are in use"
            self._note(self._now(), told, is_trouble=message.words is not None)
            self._show(replace(self._picture, limits_error=message.words))

    @on(Progressed)
    def _progress_came(self, message: Progressed) -> None:
        if message.origin == self._origin and self._picture.reading is None:
            self._show(replace(self._picture, progress=(message.done, message.total)))

    def _tell(self, text: str, *, is_trouble: bool = False) -> None:
        """A short notice on whatever screen there is."""
        self.notify(foreign(text).text, severity="warning" if is_trouble else "information", timeout=4, markup=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is a way back to live only from the past, and an end of the what-if only while it is on."""
        if action == "end_what_if":
            return self._desk.is_on
        return action != "live" or self._may_go_live()

    # --- other sessions -------------------------------------------------------------------------------------------------

    def _list(self, at_once: bool = False) -> None:
        """Look at all sessions, while somebody looks at the list or waits for the first one of a project."""
        if at_once or self._awaiting or self.current_mode == "sessions":
            self.run_worker(self._lister.list_now, name="list", group="list", thread=True, exit_on_error=False)

    @on(NewCatalog)
    def _catalog_came(self, message: NewCatalog) -> None:
        self._sessions.show_catalog(message.catalog)
        if self._awaiting:
            awaited = [entry.path for entry in message.catalog.entries if entry.folder == str(self._start.awaited)]
            if awaited:
                self.open_session(awaited[0])
                self.action_show_mode("groups")

    @on(SessionsScreen.Picked)
    def _session_picked(self, message: SessionsScreen.Picked) -> None:
        self._passed_over = message.listed
        if message.path != self._picture.path:
            self.open_session(message.path)
        self.action_show_mode("groups")

    def _look_for_newer(self) -> None:
        if self._picture.path:
            work = partial(self._find_newer, self._picture.path)
            self.run_worker(work, name="newer", group="newer", thread=True, exclusive=True, exit_on_error=False)

    def _find_newer(self, path: str) -> None:
        newer = newer_session(Path(path), self._now())
        self.post_message(NewerSession(path, str(newer) if newer is not None else None))

    @on(NewerSession)
    def _newer_came(self, message: NewerSession) -> None:
        if message.path != self._picture.path or message.newer == self._picture.newer:
            return
        self._show(replace(self._picture, newer=message.newer))
        if message.newer is not None and self._options.follow_project and message.newer not in self._passed_over:
            self.action_go_to_newer()

    # --- spills ---------------------------------------------------------------------------------------------------------

    def _look_for_missing(self) -> None:
        reading = self._picture.reading
        if reading is not None and time.monotonic() >= self._rested:
            work = partial(self._count_missing, self._picture.path, reading, self._source())
            self.run_worker(work, name="missing", group="missing", thread=True, exclusive=True, exit_on_error=False)

    def _count_missing(self, path: str, reading: Reading, source: Source) -> None:
        began = time.monotonic()
        self.post_message(MissingSpills(path, source.missing(reading), time.monotonic() - began))

    @on(MissingSpills)
    def _missing_counted(self, message: MissingSpills) -> None:
        self._rested = time.monotonic() + 20 * message.seconds
        if message.path == self._picture.path and message.count != self._picture.missing:
            self._show(replace(self._picture, missing=message.count))

    # --- what the user asks for -----------------------------------------------------------------------------------------

    def action_go_to_newer(self) -> None:
        """To the newer live session of this project."""
        newer = self._picture.newer
        if newer is None:
            self._tell("no newer live session of this project")
        else:
            self._passed_over = frozenset()
            self.open_session(newer)
            self._tell(f"now showing {Path(newer).stem}")

    def action_show_mode(self, mode: str) -> None:
        """To one of the screens."""
        self.switch_mode(mode)
        self._show_rest()
        if mode == "groups" and self._desk.is_on:
            self._ask()
        if mode == "sessions":
            self._list(at_once=True)
        elif mode == "tools":
            self._ask()

    @on(EventsScreen.Asked)
    def _event_asked(self, message: EventsScreen.Asked) -> None:
        key = subject_of(message.item, self._picture.reading)
        if key is None:
            self._tell("no group to go to: this line is about the session as a whole, or its group is gone")
        else:
            self.action_show_mode("groups")
            self._main.select(key)

    @on(ToolsScreen.FlipAsked)
    def _flip_asked(self, message: ToolsScreen.FlipAsked) -> None:
        reading, flip = self._picture.reading, message.flip
        key = key_of_result(reading, flip.group, flip.tool_use_id) if reading is not None else None
        if key is None:
            self._tell("no group to go to: the result is not in what is shown")
        else:
            self.action_show_mode("groups")
            self._main.select(key)

    @on(SpillsScreen.GroupAsked)
    def _group_asked(self, message: SpillsScreen.GroupAsked) -> None:
        spill = message.spill
        maker = self._source().maker(spill)
        if maker is None:
            self._tell("a sub-agent made it whose file is gone")
        elif maker == Path(self._picture.path):
            self._go_to_group(spill)
        else:
            self.open_session(str(maker))
            if maker == Path(self._picture.path):
                self._sought = spill
                self.action_show_mode("groups")
                self._tell(f"now showing sub-agent {spill.agent_id}: 6 lists it below its session")

    def _go_to_group(self, spill: Spill) -> None:
        """To the group of a spill, in the session that is shown."""
        reading = self._picture.reading
        key = None if reading is None or spill.group is None else key_of_result(reading, spill.group, spill.tool_use_id)
        if key is None:
            self._tell("no group to go to: the file belongs to no result of this conversation")
        else:
            self.action_show_mode("groups")
            self._main.select(key)

    @on(GroupsScreen.SpillAsked)
    def _spill_asked(self, message: GroupsScreen.SpillAsked) -> None:
        self.action_show_mode("spills")
        self._spills.wish(message.tool_use_id)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for command in super().get_system_commands(screen):
            if command.title in _SYSTEM_COMMANDS:
                yield command

    def action_flip(self) -> None:
        """Take the budget to be on where it is off, and the other way round; back to the evidence the second time."""
        reading = self._picture.reading
        if reading is not None and self._feed is not None:
            flipped = reading.limits.source("aggregate") == FLIPPED
            self._feed.flip(None if flipped else not reading.aggregate)

    def action_sums(self) -> None:
        """The arithmetic of the gauge."""
        self._sums = SheetScreen("The arithmetic of the gauge", sums(self._picture, self._now()))
        self.push_screen(self._sums)

    def action_help(self) -> None:
        """What the words, marks and keys mean."""
        self.push_screen(SheetScreen("What the words, marks and keys mean", guide))


def run(path: Path | None, request: LimitsRequest, options: Options) -> int:
    """Show a session, or the picker, until the user leaves; the process's exit status. The screen is drawn on stderr."""
    if sys.__stderr__ is None or not sys.__stderr__.isatty():
        raise SessionNotFoundError("stderr is no terminal to show the inspector on: for text use spillscope report PATH")
    start = find_start(path)
    if start.session is not None:
        open_source(start.session, request)  # what is wrong with the limits is told before there is a screen

    def make_feed(session: str, post: Post) -> Feed:
        opened = open_source(session, request)
        return Feed(opened.source, opened.watched, post)

    app = Inspector(start, make_feed, options, Memory.of_user())
    app.run()
    return app.return_code or 0
