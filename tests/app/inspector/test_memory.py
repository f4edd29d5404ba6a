"""What is remembered of the user's choices."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.inspector.driving import Bench
from app.inspector.readings import live
from spillscope_app.memory import Memory


def test_a_theme_is_remembered(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "a" / "b")
    assert memory.theme() is None
    assert memory.keep_theme("nord")
    assert memory.keep_theme('odd "name"\\\n')
    assert Memory(tmp_path / "a" / "b").theme() == 'odd "name"\\\n'
    assert [path.name for path in memory.path.parent.iterdir()] == [memory.path.name]


@pytest.mark.parametrize("content", [b"", b"theme = ", b"theme = 7", b"\xff\xfe\x00", b"[theme]\nx = 1", b"theme = 'nord'\n["])
def test_a_file_that_makes_no_sense_is_as_good_as_none(tmp_path: Path, content: bytes) -> None:
    memory = Memory(tmp_path)
    memory.path.write_bytes(content)
    assert memory.theme() is None
    assert memory.keep_theme("nord")
    assert memory.theme() == "nord"


def test_what_cannot_be_written_is_said_and_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert not Memory(tmp_path / "file").keep_theme("nord")
    memory = Memory(tmp_path / "folder")
    memory.path.mkdir(parents=True)
    assert memory.theme() is None
    assert not memory.keep_theme("nord")
    assert [path.name for path in memory.path.parent.iterdir()] == [memory.path.name]


async def test_the_inspector_comes_back_in_its_theme(tmp_path: Path) -> None:
    memory = Memory(tmp_path)
    bench = Bench(live(), memory=memory)
    async with bench.app.run_test() as pilot:
        await pilot.pause()
        assert not memory.path.exists()
        bench.app.theme = "high-contrast"
        await pilot.pause()
    assert memory.theme() == "high-contrast"
    again = Bench(live(), memory=memory)
    async with again.app.run_test() as pilot:
        await pilot.pause()
        assert again.app.theme == "high-contrast"


@pytest.mark.parametrize("theme", ["gone-for-good", ""])
async def test_a_theme_that_is_no_more_is_passed_over(tmp_path: Path, theme: str) -> None:
    memory = Memory(tmp_path)
    memory.keep_theme(theme)
    bench = Bench(live(), memory=memory)
    async with bench.app.run_test() as pilot:
        await pilot.pause()
        assert bench.app.theme == "textual-dark"


async def test_a_theme_that_cannot_be_remembered_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    bench = Bench(live(), memory=Memory(tmp_path / "file"))
    async with bench.app.run_test(notifications=True) as pilot:
        await pilot.pause()
        bench.app.theme = "nord"
        await pilot.pause()
        assert [note.message for note in bench.app._notifications if "can't be remembered" in note.message]
