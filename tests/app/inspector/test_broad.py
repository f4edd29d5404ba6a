"""The third column: the results of the selected group, from 150 columns on."""

from __future__ import annotations

from textual.pilot import Pilot

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import live
from spillscope_app.screens.results_pane import ResultsPane
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Key
from spillscope_app.widgets.text_view import TextView

SIZE = (160, 50)


async def ready(pilot: Pilot[None]) -> tuple[LineTable, LineTable]:
    """The list of groups, and that of results."""
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return pilot.app.screen.query_one("#list", LineTable), pilot.app.screen.query_one("#results", LineTable)


async def test_it_lists_the_results_of_the_selected_group() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        table, results = await ready(pilot)
        await pilot.press("up")
        await pilot.pause()
        assert len(results.items) == 5
        assert "─ Results of 12 ─" in screen_text(bench.app)
        assert "─ group 12 ─" in screen_text(bench.app)
        await pilot.press("tab", "down")
        await pilot.pause()
        assert (results.has_focus, results.selected) == (True, Key(1))
        assert "─ ■ mcp__atlas__list_harbours" in screen_text(bench.app)
        await bench.deliver(live(12, version=2), pilot)
        assert (table.selected, results.selected) == (Key(24), Key(1))
        await pilot.press("tab")
        assert bench.app.screen.query_one("#detail-text", TextView).has_focus


async def test_a_result_that_is_selected_in_its_group_is_selected_here() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        table, results = await ready(pilot)
        await pilot.press("up", "enter", "down", "down", "down")
        await pilot.pause()
        assert (table.selected, results.selected) == (Key(24, 2), Key(2))
        await pilot.click("#results", offset=(10, 4))
        await pilot.pause()
        assert "─ ■ Fetch https://docs.example.org/moon" in screen_text(bench.app)
        await pilot.press("escape")
        await pilot.pause()
        assert table.has_focus
        assert "─ ■ Grep" in screen_text(bench.app)


async def test_it_has_no_place_in_a_narrower_terminal() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=(149, 40)) as pilot:
        await ready(pilot)
        assert not bench.app.screen.query_one(ResultsPane).display
        await pilot.press("up", "tab")
        assert bench.app.screen.query_one("#detail-text", TextView).has_focus
