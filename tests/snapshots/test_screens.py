"""What the screens show, as text: the main states at the sizes that matter."""

from __future__ import annotations

from dataclasses import replace

import pytest
from syrupy.assertion import SnapshotAssertion

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import SESSION, live, old_and_new, reading, troubled
from spillscope.errors import SessionNotFoundError
from spillscope.session.reading import Reading

OPEN = ("up", "enter", "down")
WAITING = replace(SESSION, exists=False, last_write=None, model=None, version=None, cwd=None)
STATES: dict[str, tuple[Reading | Exception, tuple[int, int], tuple[str, ...]]] = {
    "live-80x24": (live(), (80, 24), OPEN),
    "live-120x36": (live(), (120, 36), OPEN),
    "live-160x50": (live(), (160, 50), OPEN),
    "live-40x12": (live(), (40, 12), ()),
    "why-40x12": (live(), (40, 12), ("up", "tab")),
    "following": (live(40), (100, 24), ()),
    "empty": (reading(usage=0, estimate=0), (80, 24), ()),
    "waiting": (reading(session=WAITING), (80, 24), ()),
    "error": (SessionNotFoundError("no such session: /x/y.jsonl"), (80, 24), ()),
    "idle": (live(3, session=replace(SESSION, last_write=SESSION.last_write and SESSION.last_write - 840)), (80, 24), ()),
    "over-the-window": (live(usage=214_000), (100, 24), ()),
    "after-a-compaction": (old_and_new(), (120, 30), ("up",)),
    "troubled": (troubled(), (140, 30), ("g",)),
    "filtered": (live(20), (100, 24), ("slash", *"trace", "down", "n")),
    "no-match": (live(), (80, 24), ("slash", *"zzz", "enter")),
    "model-view": (live(), (120, 30), ("up", "enter", "down", "m")),
    "help": (live(), (100, 60), ("question_mark",)),
    "arithmetic": (live(), (100, 30), ("equals_sign",)),
}


@pytest.mark.parametrize("state", STATES)
async def test_screen(state: str, snapshot: SnapshotAssertion) -> None:
    what, size, keys = STATES[state]
    bench = Bench(what)
    async with bench.app.run_test(size=size) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press(*keys)
        await pilot.pause()
        assert screen_text(bench.app) == snapshot
