"""An inspector over a real session, with its limits in files: for what edited limits do."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from app.inspector.driving import ByHand
from app.inspector.readings import NOW
from spillscope.limits_sources import Layer, LimitsPlan, WatchedLimits
from spillscope.session.calibrated import Calibrated
from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.transcript.layout import place_of
from spillscope_app.feed import Feed
from spillscope_app.inspector import Inspector, Options, Post
from spillscope_app.opening import Start
from spillscope_app.screens.tools import ToolsScreen
from spillscope_app.source import SessionSource
from spillscope_app.views.tool_rows import ToolRow
from spillscope_app.views.tools import ToolItems
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Key
from transcripts import Writer, use

WIDE = (160, 44)
TOOLS = ("Bash", "Grep", "Read", "mcp__docs__get", "Glob")


def varied(folder: Path, turns: int = 12) -> Path:
    """A session of several tools with results of all sizes, the last group of them over the budget."""
    writer = Writer()
    writer.prompt()
    for turn in range(turns):
        for at, tool in enumerate(TOOLS):
            words = {"command": f"call {turn}.{at}"}
            writer.say(use(tool, f"t{turn}.{at}", words), id=f"m{turn}.{at}", usage=20_000 + 700 * (5 * turn + at))
            writer.result(f"t{turn}.{at}", f"{tool} {turn}\n" * (50 * (turn + 1) * (at + 1)))
    names = [f"f{number}" for number in range(6)]
    writer.say(*(use("Fetch", name, {"url": f"https://tides.test/{name}"}) for name in names), id="fan", usage=70_000)
    for name in names:
        writer.result(name, name * 22_000)
    writer.say(usage=90_000)
    return writer.save(folder)


class Unhurried(SessionSource):
    """Counts all in one slice, so that what is shown does not hang on how fast the machine is."""

    def calibrate(self, seconds: float) -> tuple[Reading, Calibrated] | None:
        return super().calibrate(math.inf)


class Tuned:
    """An inspector with the Tools screen, and the folder that everything stands in."""

    def __init__(self, folder: Path, path: Path | None = None, options: Options | None = None, **command_line: object) -> None:
        self.folder, self.path = folder, varied(folder) if path is None else path
        self.user_file, self.project_file = folder / "limits.toml", folder / "project" / ".spillscope.toml"
        self.project_file.parent.mkdir(exist_ok=True)
        extra = (Layer(command_line, "command line"),) if command_line else ()
        self.plan = LimitsPlan(user_file=self.user_file, project_dir=self.project_file.parent, extra=extra)
        self.app = Inspector(Start(str(self.path), folder), self._make_feed, options, now=lambda: NOW)

    def _make_feed(self, session: str, post: Post) -> Feed:
        limits = WatchedLimits(self.plan)
        self.source = Unhurried(Session(place_of(Path(session)), limits.book), limits)
        self.feed = ByHand(self.source, (), post)
        return self.feed

    @property
    def screen(self) -> ToolsScreen:
        return self.app._tools

    @property
    def rows(self) -> dict[str, ToolRow]:
        """What is listed, by name."""
        items = self.screen.query_one("#tools", LineTable).items
        assert isinstance(items, ToolItems)
        return {row.name: row for row in items.things}

    def value(self, name: str) -> float | None:
        return self.rows[name].value

    async def choose(self, name: str, pilot: Pilot[None]) -> None:
        """Put the cursor on a row."""
        table = self.screen.query_one("#tools", LineTable)
        items = table.items
        assert isinstance(items, ToolItems)
        at = next(at for at, row in enumerate(items.things) if row.name == name)
        assert table.select(Key(items.ident(at)))
        await pilot.pause()

    @asynccontextmanager
    async def shown(self, *keys: str, on: str = "Bash", size: tuple[int, int] = WIDE) -> AsyncIterator[Pilot[None]]:
        """The Tools screen, at rest, with the cursor on a row, after some keys."""
        async with self.app.run_test(size=size, notifications=True) as pilot:
            await settle(pilot)
            self.feed.measure()
            await settle(pilot)
            await pilot.press("3")
            await settle(pilot)
            await self.choose(on, pilot)
            await pilot.press(*keys)
            await settle(pilot)
            yield pilot


async def settle(pilot: Pilot[None]) -> None:
    """Until no worker is at work and nothing is left to say."""
    for _ in range(2):  # what a worker brings may set another one to work
        await pilot.pause()


def notices(app: Inspector) -> list[str]:
    """What was told in notices."""
    return [str(note.message) for note in app._notifications]
