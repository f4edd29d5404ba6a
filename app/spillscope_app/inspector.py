"""The inspector: the Textual app around the screens, its feed, its signals and its exit status."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import ClassVar, NamedTuple

from textual import on
from textual.app import App, SystemCommand
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.message import Message
from textual.screen import Screen

from spillscope.errors import SessionNotFoundError
from spillscope.limits_sources import WatchedLimits
from spillscope.session.session import Session
from spillscope.transcript.layout import Place, default_config_dir, place_of, resolve, slug_of, transcripts_in
from spillscope_app.cli_limits import LimitsRequest
from spillscope_app.commands import COMMANDS, Command, bindings
from spillscope_app.feed import Feed, LimitsTrouble, NewReading, Progressed, Source, Trouble, WatchingBy
from spillscope_app.palette import ink_variables
from spillscope_app.picture import Picture
from spillscope_app.screens.groups import GroupsScreen
from spillscope_app.screens.sheet import SheetScreen
from spillscope_app.source import FLIPPED, SessionSource
from spillscope_app.views.guide import guide

_SYSTEM_COMMANDS = frozenset({"Theme", "Screenshot"})
"""What Textual offers of itself and our table does not."""
_WIDTHS: list[tuple[int, str]] = [(0, "-narrow"), (100, "-wide")]
_HEIGHTS: list[tuple[int, str]] = [(0, "-flat"), (8, "-low"), (20, "-tall")]
"""Columns, and lines, from which on a screen has a class; the style sheets say what it means."""
SIGNAL_STATUS = 128
"""A process that a signal ended has this plus its number as its status."""

FeedMaker = Callable[[Callable[[Message], object]], Feed]


class CommandFinder(Provider):
    """The command table in the palette."""

    async def discover(self) -> Hits:
        for command in _findable():
            yield DiscoveryHit(_title(command), self._runner(command), help=command.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for command in _findable():
            score = matcher.match(f"{_title(command)} {command.help}")
            if score > 0:
                yield Hit(score, matcher.highlight(_title(command)), self._runner(command), help=command.help)

    def _runner(self, command: Command) -> Callable[[], object]:
        return partial(self.app.run_action, command.action, self.screen)


def _findable() -> Iterable[Command]:
    return (command for command in COMMANDS if command.in_palette)


def _title(command: Command) -> str:
    return f"{command.description.capitalize()} ({command.shown})"


class Inspector(App[None]):
    """Shows one session as it grows. Holds the newest `Picture` and hands it to the screen."""

    TITLE = "spillscope"
    CSS_PATH: ClassVar = ["inspector.tcss", "screens/groups.tcss", "screens/sheet.tcss"]
    COMMANDS = App.COMMANDS | {CommandFinder}
    BINDINGS = bindings("anywhere")
    HORIZONTAL_BREAKPOINTS = _WIDTHS
    VERTICAL_BREAKPOINTS = _HEIGHTS

    def __init__(self, path: str, make_feed: FeedMaker, now: Callable[[], float] = time.time) -> None:
        # Without ansi_color, NO_COLOR would still paint shades of grey.
        super().__init__(ansi_color=True if "NO_COLOR" in os.environ else None)
        self.animation_level = "none"
        self._picture = Picture(path)
        self._now = now
        self._feed = make_feed(self.post_message)
        self._main = GroupsScreen(self._picture, now, lambda: self._feed.source)

    @property
    def picture(self) -> Picture:
        """What is shown now."""
        return self._picture

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return ink_variables(self.current_theme)

    def get_default_screen(self) -> Screen[None]:
        return self._main

    def on_mount(self) -> None:
        if not self.is_headless:
            self._leave_clean_on_signals()
        self.run_worker(self._feed.look, name="look", group="feed", thread=True, exit_on_error=False)
        self.run_worker(self._feed.listen, name="listen", group="feed", thread=True, exit_on_error=False)

    def on_unmount(self) -> None:
        self._feed.stop()

    def _leave_clean_on_signals(self) -> None:
        """By default these two would leave the terminal in the alternate screen with the mouse reporting."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, partial(self.exit, return_code=SIGNAL_STATUS + number))

    @on(NewReading)
    def _reading_came(self, message: NewReading) -> None:
        self._show(replace(self._picture, reading=message.reading))

    @on(Trouble)
    def _trouble_came(self, message: Trouble) -> None:
        self._show(replace(self._picture, trouble=message.words))

    @on(WatchingBy)
    def _watching_changed(self, message: WatchingBy) -> None:
        self._show(replace(self._picture, watching=message.how))

    @on(LimitsTrouble)
    def _limits_trouble_came(self, message: LimitsTrouble) -> None:
        self._show(replace(self._picture, limits_error=message.words))

    @on(Progressed)
    def _progress_came(self, message: Progressed) -> None:
        if self._picture.reading is None:
            self._show(replace(self._picture, progress=(message.done, message.total)))

    def _show(self, picture: Picture) -> None:
        self._picture = picture
        self._main.show_picture(picture)

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        for command in super().get_system_commands(screen):
            if command.title in _SYSTEM_COMMANDS:
                yield command

    def action_flip(self) -> None:
        """Take the budget to be on where it is off, and the other way round; back to the evidence the second time."""
        reading = self._picture.reading
        if reading is not None:
            flipped = reading.limits.source("aggregate") == FLIPPED
            self._feed.flip(None if flipped else not reading.aggregate)

    def action_help(self) -> None:
        """What the words, marks and keys mean."""
        self.push_screen(SheetScreen("What the words, marks and keys mean", guide))


class Opened(NamedTuple):
    """A session to show: what reads it, and the files whose change means that it has changed."""

    path: str
    source: Source
    watched: tuple[str, ...]


def open_source(path: Path | None, request: LimitsRequest) -> Opened:
    """The session that a path means; without one the newest of this directory's project. A transcript may still be to come.

    Raises SessionNotFoundError and LimitsError, in words for the user.
    """
    place = _place(path)
    limits = WatchedLimits(request.plan(place.config_dir or default_config_dir(os.environ)))
    return Opened(str(place.path), SessionSource(Session(place, limits.book), limits), (str(place.path),))


def _place(path: Path | None) -> Place:
    if path is None:
        project = default_config_dir(os.environ) / "projects" / slug_of(str(Path.cwd()))
        found = transcripts_in(project) if project.is_dir() else []
        if not found:
            raise SessionNotFoundError(f"no session of this directory yet: {Path.cwd()}: give a transcript or a folder")
        return place_of(found[0])
    if not path.exists() and path.suffix == ".jsonl" and path.parent.is_dir():
        return place_of(path)
    target = resolve(path)
    if target.place is None:
        raise SessionNotFoundError(f"more than one project in: {target.path}: give one of its folders or transcripts")
    return target.place


def run(path: Path | None, request: LimitsRequest) -> int:
    """Show a session until the user leaves; the process's exit status. The screen is drawn on stderr."""
    if sys.__stderr__ is None or not sys.__stderr__.isatty():
        raise SessionNotFoundError("stderr is no terminal to show the inspector on: for text use spillscope report PATH")
    opened = open_source(path, request)
    app = Inspector(opened.path, lambda post: Feed(opened.source, opened.watched, post))
    app.run()
    return app.return_code or 0
