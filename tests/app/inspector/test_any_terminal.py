"""Every screen in any terminal: all sizes, ASCII alone, wide characters."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.pilot import Pilot

from app.inspector.driving import Bench, screen_text
from app.inspector.projects import save, session, several
from app.inspector.readings import SESSION, group, live, old_and_new, reading, result, troubled
from app.inspector.spilled import several as spilled
from spillscope.session.reading import Reading
from spillscope_app.inspector import Options
from spillscope_app.opening import Start
from spillscope_app.widgets.plain_glyphs import GLYPHS

SCREENS: dict[str, tuple[str, ...]] = {
    "groups": ("up", "enter", "down"),
    "detail": ("up", "enter", "down", "tab"),
    "find": ("slash", "g", "r"),
    "spills": ("2", "g", "down"),
    "a-spill": ("2", "g", "tab"),
    "timeline": ("4", "left", "plus"),
    "events": ("5", "g"),
    "sessions": ("6", "right", "down"),
    "search": ("6", "slash", "t", "i"),
    "help": ("question_mark",),
    "arithmetic": ("equals_sign",),
    "palette": ("ctrl+p",),
}


async def settled(pilot: Pilot[None]) -> None:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


def bench_with(shown: Reading, root: Path, options: Options | None = None) -> Bench:
    bench = Bench(shown, start=Start(SESSION.path, several(root)), options=options)
    bench.shelf.spills = spilled()
    return bench


@pytest.mark.parametrize("screen", SCREENS)
async def test_a_storm_of_resizes_breaks_nothing(tmp_path: Path, screen: str) -> None:
    bench = bench_with(live(), tmp_path)
    dice = random.Random(screen)
    sizes = [(1, 1), (200, 60), (2, 50), (200, 1), *((dice.randint(1, 200), dice.randint(1, 60)) for _ in range(4)), (40, 12)]
    async with bench.app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await pilot.press(*SCREENS[screen])
        bench.app.notify("a notice of some length", timeout=60)
        await settled(pilot)
        for width, height in sizes:
            await pilot.resize_terminal(width, height)
            strips = bench.app.screen._compositor.render_strips()
            assert len(strips) == height
            assert all(strip.cell_length == width for strip in strips)
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        first = screen_text(bench.app)
        await pilot.resize_terminal(80, 24)
        assert screen_text(bench.app) == first
        assert len(first.strip()) > 200


READINGS = {"live": live, "old": old_and_new, "troubled": troubled, "empty": reading}
OF_A_READING = ("groups", "spills", "timeline", "events", "arithmetic")
"""The screens that differ with what was read."""


@pytest.mark.parametrize(
    ("screen", "name"),
    [*((screen, "live") for screen in SCREENS), *((screen, name) for screen in OF_A_READING for name in list(READINGS)[1:])],
)
async def test_ascii_alone(tmp_path: Path, screen: str, name: str) -> None:
    shown, root = READINGS[name](), several(tmp_path)
    save(root / "-home-user-moon" / "c0ffee00-1234.jsonl", session("/home/user/moon", 80_000, "glm-5"), 10)
    bench = Bench(shown, start=Start(SESSION.path, root), options=Options(ascii=True))
    bench.shelf.spills = spilled()
    async with bench.app.run_test(size=(160, 50), notifications=True) as pilot:
        await settled(pilot)
        await pilot.press(*SCREENS[screen])
        await settled(pilot)
        bench.app.notify("a notice", severity="warning", timeout=60)
        await pilot.pause()
        drawn = screen_text(bench.app)
        assert not {char for char in drawn if not char.isascii()}
        assert "a notice" in drawn


async def test_ascii_leaves_foreign_letters_alone() -> None:
    written = replace(SESSION, cwd="/home/user/潮位-Übersicht")
    bench = Bench(reading([group(0, [result("Bash", "ls 漢字", 900)])], session=written), options=Options(ascii=True))
    async with bench.app.run_test(size=(120, 30)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        assert "潮位-Übersicht" in screen_text(bench.app)
        assert "漢字" in screen_text(bench.app)


def test_each_plain_glyph_takes_the_same_cells() -> None:
    for glyph, plain in GLYPHS.items():
        assert plain.isascii()
        assert cell_len(chr(glyph)) == len(plain), chr(glyph)


@pytest.mark.parametrize("width", [40, 80, 120, 160])
async def test_wide_and_combining_characters_keep_the_columns(width: int) -> None:
    labels = (
        "plain",
        "漢字の長い名前" * 4,
        "e\u0301\u0302 combining",
        "👨\u200d👩\u200d👧 family ❤\ufe0f",
        "ｆｕｌｌ　ｗｉｄｔｈ",
    )
    bench = Bench(reading([group(0, [result("Bash", label, 12_345) for label in labels])]))
    async with bench.app.run_test(size=(width, 40)) as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await pilot.pause()
        strips = bench.app.screen._compositor.render_strips()
        rows = [strip for strip in strips if "12.3k" in strip.text and "Bash" in strip.text]
        assert len(rows) >= len(labels)
        columns = {_column(row.text, "12.3k") for row in rows[-len(labels) :]}
        assert len(columns) == 1


def _column(text: str, what: str) -> int:
    return cell_len(text[: text.index(what)])
