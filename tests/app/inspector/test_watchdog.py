"""Nothing blocks: a heartbeat in the loop that draws, beside all that a large session can ask of it."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.inspector.driving import no_hints
from spillscope.limits_sources import LimitsPlan, WatchedLimits
from spillscope.session.session import Session
from spillscope.transcript.layout import place_of
from spillscope_app.feed import Feed
from spillscope_app.inspector import Inspector
from spillscope_app.opening import Start
from spillscope_app.screens.list_pane import ListPane
from spillscope_app.source import SessionSource
from transcripts import Writer, lines, use

RESULTS = 20_000
BEAT = 0.01
LONGEST_GAP = 0.1
"""What a person does not yet feel."""
SLOWER = {"opening": 0.4, "travelling": 0.3}
"""Where the framework styles whole screens anew, and a session of ten thousand requests is drawn request by request."""
SLACK = 8
"""So many gaps may be longer, up to three times: a shared machine stops any process now and then."""


class Heart:
    """Beats in the loop, and notes by how much each beat came late, as far as that is our own doing.

    A machine that is busy with others makes every beat late. So what counts is what this process did meanwhile: the time for
    which it computed, and how often a thread beside the loop, which the machine treats alike, has beaten.
    """

    def __init__(self) -> None:
        self.late: list[tuple[str, float]] = []
        self.doing = "opening"
        self._beside = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat_beside)

    def _beat_beside(self) -> None:
        while not self._stop.wait(BEAT):
            self._beside += 1

    async def beat(self) -> None:
        self._thread.start()
        last = time.perf_counter(), time.process_time(), self._beside
        while True:
            await asyncio.sleep(BEAT)
            now = time.perf_counter(), time.process_time(), self._beside
            late, computed, beaten = (new - old for new, old in zip(now, last, strict=True))
            self.late.append((self.doing, min(late, max(computed, beaten * BEAT)) - BEAT))
            last = now

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()


@asynccontextmanager
async def heart() -> AsyncIterator[Heart]:
    beating = Heart()
    task = asyncio.create_task(beating.beat())
    try:
        yield beating
    finally:
        task.cancel()
        beating.stop()


def write_many(path: Path) -> Writer:
    """Calls of three tools, one to three at a time, with a compaction now and then."""
    writer = Writer()
    writer.prompt()
    made = 0
    with path.open("wb") as file:
        while made < RESULTS:
            names = [f"toolu_{made + at}" for at in range(1 + made % 3)]
            tools = ("Bash", "Grep", "Read")
            writer.say(
                *(use(tools[at], name, {"command": name, "pattern": name}) for at, name in enumerate(names)),
                usage=made % 90_000,
            )
            for name in names:
                writer.result(name, f"line of {name}\n" * 20)
            made += len(names)
            if made % 9_000 < 3:
                writer.boundary(preTokens=160_000)
            file.write(lines(writer.records))
            writer.records.clear()
    return writer


async def until(condition: object, pilot: Pilot[None]) -> None:
    assert callable(condition)
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(BEAT)
    await pilot.pause()


@pytest.mark.timeout(300)
async def test_the_loop_never_stalls_beside_a_large_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quiet.SOON", 0.0)  # a heart that beats is no sign of unrest
    path = tmp_path / "11111111-2222-4333-8444-555555555555.jsonl"
    writer = write_many(path)
    limits = WatchedLimits(LimitsPlan())
    source = SessionSource(Session(place_of(path), limits.book), limits)
    app = Inspector(Start(str(path), tmp_path), lambda session, post: Feed(source, (session,), post, no_hints))
    async with app.run_test(size=(120, 36)) as pilot, heart() as beating:
        pane = app.screen.query_one(ListPane)
        await until(lambda: len(pane.table.items) > RESULTS // 3, pilot)
        groups = len(pane.table.items)
        for doing, keys in [
            ("moving", ("g", "j", "pagedown", "G", "k", "pageup")),
            ("opening all", ("e", "j", "pageup", "g", "G", "E")),
            ("filtering", ("s", "s", "x", "p", "x")),
            ("travelling", ("4", "left", "left", "home", "right", "plus", "plus", "n", "5", "1", "j", "end")),
            ("typing", ("slash", *"oolu_1999", "down", "n")),
        ]:
            beating.doing = doing
            await pilot.press(*keys)
            await pilot.pause()
        beating.doing = "searching"
        await pilot.press("x", "slash", *"line of toolu_77", "enter")
        await until(lambda: not pane.searching, pilot)
        assert len(pane.table.items) > 50
        beating.doing = "appending"
        writer.call("Bash", "toolu_77_new", "line of toolu_77 again")
        writer.say(usage=5_000)
        with path.open("ab") as file:
            file.write(lines(writer.records))
        found = len(pane.table.items)
        await until(lambda: len(pane.table.items) == found + 1, pilot)
        await pilot.press("x")
        assert len(pane.table.items) == groups + 1
    late = sorted((gap, doing) for doing, gap in beating.late if gap > SLOWER.get(doing, LONGEST_GAP))
    assert len(late) <= SLACK, late
    assert all(gap < 3 * SLOWER.get(doing, LONGEST_GAP) for gap, doing in late), late
