"""The inspector driven by keys and mouse, over hand-made readings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from textual.events import MouseScrollUp
from textual.pilot import Pilot
from textual.widgets import Input

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import SESSION, full_group, group, live, next_group, quiet_groups, reading, result
from spillscope.errors import SessionNotFoundError
from spillscope_app.feed import WatchingBy
from spillscope_app.screens.sheet import SheetScreen
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Key
from spillscope_app.widgets.text_view import TextView

SIZE = (120, 36)


async def ready(pilot: Pilot[None]) -> LineTable:
    """The list, once the first reading is on screen."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return pilot.app.screen.query_one("#list", LineTable)


def top_row(table: LineTable) -> str:
    return table.render_line(0).text[:8]


async def test_it_follows_the_newest_until_the_user_moves() -> None:
    bench = Bench(live(40))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        assert (table.selected, table.following) == (Key(82), True)
        await bench.deliver(live(41), pilot)
        assert table.selected == Key(84)
        await pilot.press("k")
        assert (table.selected, table.following) == (Key(82), False)
        await bench.deliver(live(45), pilot)
        assert table.selected == Key(82)
        await pilot.press("f")
        assert (table.selected, table.following) == (Key(92), True)


async def test_it_shows_the_newest_when_the_list_outgrows_its_view() -> None:
    bench = Bench(live(1))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        assert table.max_scroll_y == 0
        await bench.deliver(live(40), pilot)
        assert table.scroll_offset.y == table.max_scroll_y > 0


async def test_an_update_keeps_selection_scroll_and_opened_rows() -> None:
    bench = Bench(live(60))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("g", "down", "down", "enter", "pagedown", "up")
        selected, above = table.selected, top_row(table)
        await bench.deliver(live(75), pilot)
        assert (table.selected, top_row(table), table.expanded) == (selected, above, frozenset({4}))


async def test_the_pending_request_stays_selected_when_it_goes_out() -> None:
    bench = Bench(reading(quiet_groups(3), next_group(3)))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("enter", "down")
        assert table.selected == Key(6, 0)
        sent = next_group(3)._replace(assistant_id="msg_3")
        await bench.deliver(reading([*quiet_groups(3), sent], next_group(4)), pilot)
        assert table.selected == Key(6, 0)
        assert "─ + Bash cargo build" in screen_text(bench.app)


async def test_a_group_that_vanished_moves_the_cursor_to_what_is_there() -> None:
    bench = Bench(live(40))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("up", "enter", "down")
        await bench.deliver(live(3), pilot)
        assert table.selected == Key(8)
        await bench.deliver(reading(), pilot)
        assert table.selected is None
        await pilot.press("up", "down", "enter", "right", "left", "g", "G", "pageup", "f")
        assert "No tool results yet." in screen_text(bench.app)


async def test_keys_move_as_people_expect() -> None:
    bench = Bench(live(60))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        for keys, expected in [
            (("g",), Key(0)),
            (("j", "down"), Key(4)),
            (("k", "up"), Key(0)),
            (("G",), Key(122)),
            (("home",), Key(0)),
            (("end",), Key(122)),
            (("g", "right"), Key(0)),
            (("right",), Key(0, 0)),
            (("left",), Key(0)),
            (("left",), Key(0)),
        ]:
            await pilot.press(*keys)
            assert table.selected == expected, keys
        assert table.expanded == frozenset()
        await pilot.press("pagedown")
        assert table.selected is not None
        assert table.selected.ident > 30


async def test_mouse_selects_opens_and_scrolls() -> None:
    bench = Bench(live(60))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("g")
        await pilot.click("#list", offset=(20, 3))
        assert (table.selected, table.expanded) == (Key(6), frozenset())
        await pilot.click("#list", offset=(0, 3))
        assert table.expanded == {6}
        await pilot.click("#list", offset=(20, 6), times=2)
        assert table.expanded == {6, 10}
        await pilot.press("f")
        before = top_row(table)
        await pilot._post_mouse_events([MouseScrollUp], "#list", offset=(5, 5))
        assert not table.following
        assert top_row(table) != before


async def test_why_of_a_result_shows_the_chain_the_sums_and_the_selection() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=(120, 50)) as pilot:
        await ready(pilot)
        await pilot.press("up", "enter", "down")
        shown = screen_text(bench.app)
        for words in (
            "↻ replaced, the budget's pick 1 of 1  B7",
            "→ 50,000 = min(100,000 declared, 50,000)",
            "= counted     212,104  > 200,000",
            "162,492 left",
        ):
            assert words in shown
        await pilot.press("down", "down", "down")
        assert "60,000, as the override says" in screen_text(bench.app)
        assert "limits.toml" in screen_text(bench.app)


async def test_tab_and_enter_reach_the_why_and_escape_leaves_it() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        table, why = await ready(pilot), bench.app.screen.query_one("#detail-text", TextView)
        await pilot.press("tab")
        assert why.has_focus
        await pilot.press("tab")
        assert table.has_focus
        await pilot.press("up", "enter", "down", "enter")
        assert why.has_focus
        await pilot.press("escape")
        assert table.has_focus


async def test_in_a_low_narrow_terminal_the_why_takes_the_place_of_the_list() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=(40, 12)) as pilot:
        table, why = await ready(pilot), bench.app.screen.query_one("#detail-text", TextView)
        assert (table.display and table.size.height > 0, why.size.height) == (True, 0)
        await pilot.press("tab")
        await pilot.pause()
        assert "Not sent yet" in screen_text(bench.app)
        await pilot.press("escape")
        await pilot.pause()
        assert "next" in screen_text(bench.app)


async def test_help_and_arithmetic_open_and_close() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("question_mark")
        assert "Sent in full once" in screen_text(bench.app)
        await pilot.press("question_mark")
        assert not isinstance(bench.app.screen, SheetScreen)
        await pilot.press("equals_sign")
        shown = screen_text(bench.app)
        assert "= believed    143,200  T4" in shown
        assert "14 %  W2  until auto-compact" in shown
        await pilot.press("q")
        assert not isinstance(bench.app.screen, SheetScreen)


async def test_an_update_under_a_sheet_is_there_when_it_closes() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("question_mark")
        await bench.deliver(live(20), pilot)
        await pilot.press("escape")
        assert table.selected == Key(42)


async def test_the_palette_knows_our_commands() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("up", "ctrl+p")
        bench.app.screen.query_one(Input).value = "follow the newest"
        await pilot.pause()
        await bench.app.workers.wait_for_complete()
        await pilot.press("enter")
        await pilot.pause()
        assert table.following


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_quit(key: str) -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press(key)
    assert (bench.app.return_code or 0) == 0
    assert not bench.app.is_running


async def test_trouble_keeps_the_last_reading_and_says_so() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await bench.deliver(SessionNotFoundError("gone"), pilot)
        assert "! not up to date" in screen_text(bench.app)
        assert "next" in screen_text(bench.app)
        await bench.deliver(live(3), pilot)
        assert "! not up to date" not in screen_text(bench.app)


async def test_the_header_says_how_it_watches() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        for how in ("events", "polling"):
            bench.app.post_message(WatchingBy(how))
            await pilot.pause()
            assert f"live 2s  {how}" in screen_text(bench.app)


HOSTILE = [
    "\x1b]0;owned\x07\x1b[2J\x1b[31mred",
    "\x9b31m\x90q\x9c C1",
    "\u202eevil\u2066bidi\u200b\u061c",
    "[/tmp/x] [red]not red[/red] [link=x]",
    "x" * 200_000,
    "🙂👨\u200d👩\u200d👧 漢字 e\u0301 ❤\ufe0f",
    "\ud800 lone \x00 \r\n\t",
]


@pytest.mark.parametrize("text", HOSTILE, ids=["esc", "c1", "bidi", "markup", "long", "emoji", "surrogate"])
async def test_hostile_text_is_only_text(text: str) -> None:
    session = replace(SESSION, id=text, path=f"/x/{text}", version=text, model=f"claude-{text}", cwd=f"/y/{text}")
    evil = [
        result(text, text, 60_000, "replaced", "mustReapply", "B7", "replaced", text),
        result(f"mcp__{text}", text, 180_000, rule="B7"),
    ]
    bench = Bench(reading([group(0, evil)], session=session, evidence=text, aggregate=False), path=f"/x/{text}")
    async with bench.app.run_test(size=(160, 40)) as pilot:
        await ready(pilot)
        for key in ("enter", "down", "down", "equals_sign", "escape", "question_mark", "escape"):
            await pilot.press(key)
            shown = screen_text(bench.app)
            assert not {char for char in shown if char != "\n" and not char.isprintable()}
            assert all(strip.cell_length == 160 for strip in bench.app.screen._compositor.render_strips())
        await bench.deliver(PermissionError(13, text, f"/x/{text}"), pilot)
        assert "not up to date" in screen_text(bench.app)


SIZES = [(1, 1), (7, 60), (39, 8), (61, 19), (99, 24), (100, 7), (200, 1), (200, 60)]


async def test_every_size_is_drawn() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=(80, 24)) as pilot:
        await ready(pilot)
        await pilot.press("up", "enter", "down")
        for width, height in SIZES:
            await pilot.resize_terminal(width, height)
            for key in ("tab", "escape"):
                await pilot.press(key)
                lines = screen_text(bench.app).split("\n")
                assert len(lines) == height
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert full_group(12).results[0].row.label in screen_text(bench.app)
