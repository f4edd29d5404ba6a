"""What the picker and the list of events show, as text: the main states at the sizes that matter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from app.inspector.driving import Bench, screen_text
from app.inspector.projects import several
from app.inspector.readings import live, old_and_new, quiet_groups, reading, troubled
from app.inspector.spilled import several as several_spills
from spillscope.errors import SessionNotFoundError
from spillscope.session.reading import Reading
from spillscope_app.inspector import Options
from spillscope_app.opening import Start

PICKER: dict[str, tuple[tuple[int, int], Sequence[str]]] = {
    "80x24": ((80, 24), ()),
    "120x36-agents": ((120, 36), ("right", "down")),
    "160x50": ((160, 50), ()),
    "40x12": ((40, 12), ()),
    "search": ((100, 24), ("slash", *"tide")),
    "nothing-found": ((80, 24), ("slash", *"zzz")),
}
EVENTS: dict[str, tuple[Reading, tuple[int, int]]] = {
    "80x24": (live(20), (80, 24)),
    "120x36": (live(40), (120, 36)),
    "40x12": (live(20), (40, 12)),
    "empty": (reading(quiet_groups(1)), (80, 24)),
    "after-a-compaction": (old_and_new(), (120, 24)),
    "troubled": (troubled(), (120, 24)),
}

SPILLS: dict[str, tuple[tuple[int, int], Sequence[str]]] = {
    "80x24": ((80, 24), ("home", "down")),
    "120x36": ((120, 36), ("s", "s", "s")),
    "160x50": ((160, 50), ("home", *("down",) * 5)),
    "40x12": ((40, 12), ("home",)),
    "detail-40x12": ((40, 12), ("s", "s", "s", "tab")),
    "filtered": ((100, 24), ("slash", *"trace", "enter")),
    "no-match": ((80, 24), ("slash", *"zzz")),
}


async def shown(bench: Bench, size: tuple[int, int], keys: Sequence[str]) -> str:
    async with bench.app.run_test(size=size) as pilot:
        for press in ((), keys):
            await pilot.press(*press)
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
        return screen_text(bench.app)


def rooted(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """A projects root whose path is as long on every machine."""
    several(folder / "projects")
    monkeypatch.chdir(folder)
    return Path("projects")


@pytest.mark.parametrize("state", PICKER)
async def test_picker(state: str, snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size, keys = PICKER[state]
    root = rooted(monkeypatch, tmp_path)
    assert await shown(Bench(live(), start=Start(None, root)), size, keys) == snapshot


async def test_picker_in_ascii(snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = rooted(monkeypatch, tmp_path)
    bench = Bench(live(), start=Start(None, root), options=Options(ascii=True))
    assert await shown(bench, (120, 24), ("right",)) == snapshot


async def test_picker_that_waits(snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = rooted(monkeypatch, tmp_path)
    bench = Bench(live(), start=Start(None, root, root / "-srv-app", "/srv/app"))
    assert await shown(bench, (80, 24), ()) == snapshot


async def test_picker_without_a_root(snapshot: SnapshotAssertion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert await shown(Bench(live(), start=Start(None, Path("projects"))), (80, 24), ()) == snapshot


@pytest.mark.parametrize("state", EVENTS)
async def test_events(state: str, snapshot: SnapshotAssertion) -> None:
    what, size = EVENTS[state]
    assert await shown(Bench(what), size, ("5",)) == snapshot


def spilled(what: Reading | Exception, options: Options | None = None) -> Bench:
    bench = Bench(what, options=options)
    bench.shelf.spills = several_spills()
    return bench


@pytest.mark.parametrize("state", SPILLS)
async def test_spills(state: str, snapshot: SnapshotAssertion) -> None:
    size, keys = SPILLS[state]
    assert await shown(spilled(live()), size, ("2", *keys)) == snapshot


async def test_spills_in_ascii(snapshot: SnapshotAssertion) -> None:
    assert await shown(spilled(live(), Options(ascii=True)), (120, 30), ("2", "home")) == snapshot


async def test_no_spills(snapshot: SnapshotAssertion) -> None:
    assert await shown(Bench(live()), (80, 24), ("2",)) == snapshot


async def test_spills_of_what_cant_be_read(snapshot: SnapshotAssertion) -> None:
    assert await shown(Bench(SessionNotFoundError("no such session: /x/y.jsonl")), (80, 24), ("2",)) == snapshot


async def test_events_in_ascii(snapshot: SnapshotAssertion) -> None:
    assert await shown(Bench(live(20), options=Options(ascii=True)), (100, 24), ("5",)) == snapshot


async def test_groups_in_ascii(snapshot: SnapshotAssertion) -> None:
    bench = Bench(live(), options=Options(ascii=True))
    assert await shown(bench, (120, 36), ("up", "enter", "down")) == snapshot
