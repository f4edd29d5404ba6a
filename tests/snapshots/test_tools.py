"""What the Tools screen and the choices over it show, as text: the main states at the sizes that matter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from app.inspector.driving import Bench, screen_text
from app.inspector.tuned import Tuned
from spillscope.errors import SessionNotFoundError
from spillscope_app.inspector import Options

LOWERED = ("enter", *"6k", "enter")
STATES: dict[str, tuple[tuple[int, int], Sequence[str]]] = {
    "80x24": ((80, 24), LOWERED),
    "120x36": ((120, 36), LOWERED),
    "160x50": ((160, 50), LOWERED),
    "40x12": ((40, 12), LOWERED),
    "40x12-effects": ((40, 12), (*LOWERED, "tab")),
    "nothing-edited": ((80, 24), ()),
    "from-now-on": ((100, 30), (*LOWERED, "t")),
    "no-effect": ((100, 30), ("enter", *"90k", "enter")),
    "a-bad-text": ((80, 24), ("enter", *"zk", "enter")),
    "policies": ((80, 24), ("p", "down", "down")),
    "export": ((100, 30), (*LOWERED, "x", "left")),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose path is as long on every machine: it stands in every preview."""
    monkeypatch.chdir(tmp_path)
    return Path()


@pytest.mark.parametrize("state", STATES)
async def test_tools(state: str, snapshot: SnapshotAssertion, folder: Path) -> None:
    size, keys = STATES[state]
    tuned = Tuned(folder)
    async with tuned.shown(*keys, size=size, on="Glob"):
        assert screen_text(tuned.app) == snapshot


async def test_tools_in_ascii(snapshot: SnapshotAssertion, folder: Path) -> None:
    tuned = Tuned(folder, options=Options(ascii=True))
    async with tuned.shown(*LOWERED, size=(120, 36), on="Glob"):
        assert screen_text(tuned.app) == snapshot


async def test_tools_of_what_cant_be_read(snapshot: SnapshotAssertion) -> None:
    bench = Bench(SessionNotFoundError("no such session: /x/y.jsonl"))
    async with bench.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("3")
        await pilot.pause()
        assert screen_text(bench.app) == snapshot
