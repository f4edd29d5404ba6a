"""The Spills screen over real files: what happens to one shows in its row, whoever made it and whenever it is looked at."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import cycle
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.inspector.driving import ByHand, screen_text
from spill_folder import LONG, SpillFolder
from spillscope_app.cli_limits import LimitsRequest
from spillscope_app.feed import Feed
from spillscope_app.inspector import THREADS, Inspector, Post
from spillscope_app.opening import Start, open_source
from spillscope_app.screens import auditing
from spillscope_app.screens.spills import SpillsScreen
from spillscope_app.screens.viewer import ViewerScreen
from spillscope_app.viewer.view import FileView
from spillscope_app.widgets.line_table import LineTable
from transcripts import Writer, text, wrapper

WIDE = (160, 44)
OTHER = "line of another text\n" * 3_000


class OnDisk:
    """An inspector over a session on disk, the Spills screen open."""

    def __init__(self, app: Inspector, pilot: Pilot[None]) -> None:
        self.app, self.pilot = app, pilot

    @property
    def text(self) -> str:
        return screen_text(self.app)

    def row(self, words: str) -> str:
        """The line of the list that holds some words."""
        return next(line for line in self.text.split("\n")[4:] if words in line)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not holds():
                await asyncio.sleep(0.01)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()


@asynccontextmanager
async def opened(folder: SpillFolder, *keys: str, size: tuple[int, int] = WIDE) -> AsyncIterator[OnDisk]:
    folder.open()

    def make_feed(session: str, post: Post) -> Feed:
        return ByHand(open_source(session, LimitsRequest()).source, (), post)

    app = Inspector(Start(str(folder.path), folder.project.parent), make_feed)
    async with app.run_test(size=size, notifications=True) as pilot:
        disk = OnDisk(app, pilot)
        await disk.until(lambda: app.picture.reading is not None)
        await disk.press("2", *keys)
        yield disk


@pytest.fixture
def healthy(tmp_path: Path) -> SpillFolder:
    """Three spills of which nothing is to be said but that they were never read."""
    folder = SpillFolder(tmp_path)
    for name in ("first", "second", "third"):
        folder.call("Bash", name, wrapper(LONG, folder.spill(f"{name}.txt")))
        folder.writer.say(text("Seen."), usage=20_000)
    return folder


def delete(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    os.truncate(path, 1_000)


def begin_otherwise(path: Path) -> None:
    path.write_text("#" + LONG[1:])


def lead_out(path: Path) -> None:
    away = path.parents[4] / "away.txt"
    path.rename(away)
    path.symlink_to(away)


def put_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


FAULTS = [
    (delete, "✗ missing"),
    (cut, "≠ size"),
    (begin_otherwise, "≠ preview"),
    (lead_out, "↗ outside"),
    (put_a_folder, "✗ unreadable"),
]


@pytest.mark.parametrize(
    ("harm", "badge", "name"),
    [(harm, badge, name) for (harm, badge), name in zip(FAULTS, cycle(["first", "second", "third"]), strict=False)],
    ids=[harm.__name__ for harm, _ in FAULTS],
)
async def test_what_happens_to_a_file_shows_in_its_row_alone(
    healthy: SpillFolder, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None], badge: str, name: str
) -> None:
    monkeypatch.setattr(auditing, "LOOK_SECONDS", 0.1)
    names = {"first": 0, "second": 1, "third": 2}
    async with opened(healthy) as disk:
        rows = disk.app.screen.query_one("#spills", LineTable)
        assert badge not in disk.text
        harm(healthy.results / f"{name}.txt")
        await disk.until(lambda: badge in disk.text)
        lines = disk.text.split("\n")[rows.region.y : rows.region.y + 3]
        assert [badge in line for line in lines] == [at == names[name] for at in range(3)]
        assert lines.count(lines[names[name] - 1]) == 1


async def test_a_file_that_comes_back_is_healthy_again(healthy: SpillFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "LOOK_SECONDS", 0.1)
    async with opened(healthy) as disk:
        away = (healthy.results / "second.txt").rename(healthy.results.parent / "second.txt")
        await disk.until(lambda: "✗ missing" in disk.text)
        away.rename(healthy.results / "second.txt")
        await disk.until(lambda: "✗ missing" not in disk.text)


async def test_an_audit_that_finds_nothing_draws_no_list_anew(healthy: SpillFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(healthy) as disk:
        screen = disk.app.screen
        assert isinstance(screen, SpillsScreen)
        drawn: list[bool] = []
        monkeypatch.setattr(screen, "_draw", lambda: drawn.append(True))
        ended = screen._ended
        screen._took = 0.0
        screen._audit(again=True)
        await disk.until(lambda: screen._ended != ended)
        assert drawn == []


# --- a sub-agent's ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def with_agent(healthy: SpillFolder) -> SpillFolder:
    """A sub-agent spilled in its second group."""
    agent = Writer(session=healthy.writer.session)
    agent.prompt()
    agent.call("Grep", "short", "a line\n" * 20)
    agent.call("Bash", "agents", wrapper(OTHER, healthy.spill("agents.txt", OTHER)))
    agent.say(text("Seen."), usage=9_000)
    for record in agent.records:
        record.update(isSidechain=True, agentId="a1")
    healthy.agent("a1", agent)
    return healthy


async def test_a_sub_agents_spill_has_its_preview_and_what_it_saw(with_agent: SpillFolder) -> None:
    async with opened(with_agent, "slash", *"agents", "enter", "enter") as disk:
        assert isinstance(disk.app.screen, ViewerScreen)
        assert "line of another text" in disk.text
        assert "What the model saw" in disk.text
        assert "<persisted-output>" in disk.text
        request = disk.app.screen.query_one("#whole", FileView).request
        assert request is not None
        assert OTHER.startswith(request.preview_text or "?")


async def test_d_goes_to_the_group_of_the_sub_agent(with_agent: SpillFolder) -> None:
    async with opened(with_agent, "slash", *"agents", "enter", "d") as disk:
        await disk.until(lambda: disk.app.picture.reading is not None)
        await disk.pilot.pause()
        assert disk.app.current_mode == "groups"
        assert disk.app.picture.path.endswith("agent-a1.jsonl")
        groups = disk.app.screen.query_one("#list", LineTable)
        assert groups.selected is not None
        assert (groups.selected.ident // 2, groups.selected.child) == (1, 0)
        assert "now showing sub-agent a1" in disk.text
        await disk.press("2", "d")  # there the spill is of the session that is shown
        assert disk.app.current_mode == "groups"
        assert disk.app.picture.path.endswith("agent-a1.jsonl")


# --- moved ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("root", "asks"), [("/home/before/projects/-w", True), ("C:\\Users\\before\\-w", False)])
async def test_a_session_that_was_moved_without_a_file(tmp_path: Path, root: str, asks: bool) -> None:
    folder = SpillFolder(tmp_path)
    between = "\\" if "\\" in root else "/"
    named = between.join((root, folder.writer.session, "tool-results", "t1.txt"))
    folder.call("Bash", "t1", wrapper(LONG, named))
    folder.writer.say(text("Seen."), usage=20_000)
    async with opened(folder) as disk:
        assert "✗ missing" in disk.text
        assert "outside" not in disk.text
        await disk.press("enter")
        assert "It is missing here: the session was moved without it." in disk.text
        assert named[:40] in disk.text
        assert ("O opens it" in disk.text) == asks
        await disk.press("O")
        assert ("Open it nevertheless?" in disk.text) == asks


# --- the past ---------------------------------------------------------------------------------------------------------------


async def test_the_past_has_the_spills_that_there_were(healthy: SpillFolder) -> None:
    for name in ("first", "second", "third"):
        os.utime(healthy.results / f"{name}.txt", (2_000_000_000, 2_000_000_000))
    async with opened(healthy) as disk:
        assert "3 spills" in disk.text
        for _ in range(3):
            await disk.press("less_than_sign")
        assert "2 spills" in disk.text
        assert "as of that request, the files as they are now" in disk.text
        for _ in range(9):
            await disk.press("less_than_sign")
        assert "No tool result of this session was spilled yet." in disk.text
        disk.app.action_live()
        await disk.until(lambda: "3 spills" in disk.text)
        assert "as of that request" not in disk.text


# --- the viewer is one ------------------------------------------------------------------------------------------------------


async def test_the_viewer_stands_ready_and_shows_each_file_from_its_beginning(healthy: SpillFolder) -> None:
    healthy.spill("other.txt", OTHER)
    async with opened(healthy, "g", "enter") as disk:
        viewer = disk.app.screen
        assert isinstance(viewer, ViewerScreen)
        await disk.press("G", "slash", *"word", "enter", "escape", "q")
        assert viewer.query_one("#whole", FileView).request is None
        assert isinstance(disk.app.screen, SpillsScreen)
        await disk.press("slash", *"other", "enter", "enter")
        assert disk.app.screen_stack[-1] == viewer
        assert "line of another text" in disk.text
        assert "match" not in disk.text
        assert "line 1 of 3,000" in disk.text
        await disk.press("q", "x", "G", "enter")
        assert "line 1 of 12,000" in disk.text


async def test_the_viewer_follows_the_size_of_the_terminal(healthy: SpillFolder) -> None:
    async with opened(healthy, "enter", "q", size=(80, 24)) as disk:
        await disk.pilot.resize_terminal(160, 44)
        await disk.press("enter")
        assert "What the model saw" in disk.text
        await disk.press("q")
        await disk.pilot.resize_terminal(40, 12)
        await disk.press("enter")
        assert "What the model saw" not in disk.text
        assert max(map(len, disk.text.split("\n"))) <= 40


async def test_the_viewer_is_built_before_it_is_asked_for(healthy: SpillFolder) -> None:
    async with opened(healthy) as disk:
        assert any(isinstance(screen, ViewerScreen) for screen in disk.app._registry)
        assert isinstance(disk.app.screen, SpillsScreen)
        await disk.until(lambda: "auditing" not in disk.text and "3 spills" in disk.text)


@asynccontextmanager
async def long_work(disk: OnDisk, workers: int) -> AsyncIterator[None]:
    """So many threads at work meanwhile."""
    may_end = threading.Event()
    for number in range(workers):
        disk.app.run_worker(may_end.wait, name=f"long {number}", group="feed", thread=True)
    try:
        yield
    finally:
        may_end.set()


async def test_a_page_never_waits_for_what_takes_long(healthy: SpillFolder) -> None:
    async with opened(healthy) as disk, long_work(disk, 12):
        await disk.press("enter")
        assert "line 1 of 12,000" in disk.text


async def test_a_viewer_that_is_closed_before_its_worker_began_opens_the_next_file(healthy: SpillFolder) -> None:
    async with opened(healthy, "enter") as disk:
        viewer = disk.app.screen
        assert isinstance(viewer, ViewerScreen)
        async with long_work(disk, THREADS):
            viewer.query_one("#whole", FileView).look()
            viewer.action_close()
            await disk.until(lambda: isinstance(disk.app.screen, SpillsScreen))
        await disk.press("enter")
        assert "line 1 of 12,000" in disk.text
