"""Filters: what they let pass, how they keep up with a session that grows, and how the user sets them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.pilot import Pilot

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import full_group, group, live, next_group, quiet_groups, reading, result, troubled
from spillscope.session.column import Column
from spillscope.session.reading import Group
from spillscope_app.screens.list_pane import ListPane
from spillscope_app.views.sieve import Filter, Sieve, common_start, told
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Key
from spillscope_app.widgets.typed_line import FindLine

SIZE = (120, 36)


def sifted(chosen: Filter, groups: Sequence[Group], pending: Group | None = None) -> list[int]:
    """The numbers of the groups that pass."""
    sieve = Sieve(chosen)
    sieve.take(groups)
    while not sieve.step(3):
        pass
    items = sieve.items(reading(groups, pending))
    assert [items.find(items.ident(at)) for at in range(len(items))] == list(range(len(items)))
    assert items.counts() == [items.children(at) for at in range(len(items))]
    return [items.ident(at) // 2 for at in range(len(items))]


@pytest.mark.parametrize(
    ("chosen", "numbers"),
    [
        (Filter(), list(range(14))),
        (Filter(state="mustReapply"), [12]),
        (Filter(state="persisted"), [6]),
        (Filter(state="fresh"), [13]),
        (Filter(tool="Fetch"), [12]),
        (Filter(spilled=True), [6, 12]),
        (Filter(over=True), [12]),
        (Filter(text="HARBOUR_4"), [4]),
        (Filter(text="toolu_glob"), [12]),
        (Filter(text="glob", state="frozen"), []),
        (Filter(tool="Bash", spilled=True), [6]),
    ],
)
def test_what_passes(chosen: Filter, numbers: list[int]) -> None:
    assert sifted(chosen, [*quiet_groups(12), full_group(12)], next_group(13)) == numbers


def test_what_was_found_in_the_contents_passes_with_the_rest_of_the_filter() -> None:
    groups = quiet_groups(9)
    sieve = Sieve(Filter(text="needle", tool="Bash"))
    sieve.take(groups)
    sieve.step(5)
    for number, position in ((6, 1), (2, 0), (2, 2), (2, 2)):
        sieve.add(number, groups[number].results[position].row)
    sieve.step(99)
    items = sieve.items(reading(groups))
    assert [items.ident(at) for at in range(len(items))] == [4, 12]
    assert [items.matches(0, child) for child in range(-1, 3)] == [True, False, False, True]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8), st.integers(1, 4))
def test_a_growing_and_shrinking_session_is_sifted_as_a_cold_one(changes: list[tuple[int, int]], step: int) -> None:
    pool = [*quiet_groups(20), full_group(20)]
    column: Column[Group] = Column()
    sieve = Sieve(Filter(spilled=True))
    for drop, add in changes:
        column.truncate(max(0, len(column) - drop))
        for _ in range(add):
            made = pool[(len(column) * 7 + drop) % len(pool)]
            column.append(made._replace(number=len(column)))
        sieve.take(column.view())
        sieve.step(step)
    while not sieve.step(step):
        pass
    items = sieve.items(reading(column.view()))
    assert [items.ident(at) // 2 for at in range(len(items))] == sifted(Filter(spilled=True), list(column.view()))


def test_common_start() -> None:
    groups = quiet_groups(6)
    assert common_start(groups, [*groups[:4], *quiet_groups(8)[4:]]) == 4
    assert common_start([], groups) == common_start(groups, []) == 0
    assert common_start(groups, groups[:3]) == 3


def test_a_filter_in_words() -> None:
    words = "".join(span.text for span in told(Filter("frozen", "a\x1b[31m[b]", True, True, "x\x07")))
    assert words == "■ frozen · a␛[31m[b] · spilled · ! over budget · “x␇”"


async def ready(pilot: Pilot[None]) -> LineTable:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return pilot.app.screen.query_one("#list", LineTable)


def idents(table: LineTable) -> list[int]:
    return [table.items.ident(at) // 2 for at in range(len(table.items))]


async def test_typing_filters_at_once_and_the_detail_follows() -> None:
    bench = Bench(live(20))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("slash", *"trace")
        await pilot.pause()
        assert idents(table) == [6, 13]
        shown = screen_text(bench.app)
        assert "“trace”  2 of 22" in shown
        assert "─ group 13 ─" in shown
        await pilot.press("down", "n")
        assert table.has_focus
        assert table.selected == Key(12)
        await pilot.press("n", "e")
        assert table.expanded == frozenset()
        await pilot.press("n")
        assert table.selected == Key(26, 2)
        await pilot.press("N")
        assert table.selected == Key(12, 1)
        await pilot.press("E", "x")
        assert len(idents(table)) == 22
        assert bench.app.screen.query_one("#find", FindLine).value == ""


async def test_keys_filter_by_state_tool_spills_and_budget() -> None:
    bench = Bench(live(20))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        for keys, numbers in [
            ("s", [20]),
            ("x", None),
            ("p", [6, 13, 20]),
            ("v", [20]),
            ("p", [20]),
            ("v", None),
        ]:
            await pilot.press(keys)
            assert idents(table) == (numbers or list(range(22))), keys
        await pilot.press("up", "t")
        assert idents(table) == [20]
        assert "─ Groups · Glob  1 of 22" in screen_text(bench.app)
        await pilot.press("escape")
        assert len(idents(table)) == 22


async def test_filter_text_selection_and_opened_rows_survive_an_update() -> None:
    bench = Bench(live(20))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("p", "up", "enter", "down", "slash", "t", "r")
        await pilot.pause()
        selected, expanded = table.selected, table.expanded
        await bench.deliver(live(28), pilot)
        find = bench.app.screen.query_one("#find", FindLine)
        assert (find.value, find.has_focus) == ("tr", True)
        assert idents(table) == [6, 13, 20, 27]
        assert (table.selected, table.expanded) == (selected, expanded)


async def test_nothing_passes() -> None:
    bench = Bench(live(5))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("slash", *"qqq", "enter", "n")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert "No result passes this filter." in screen_text(bench.app)
        assert table.selected is None
        await pilot.press("x")
        assert len(idents(table)) == 7


async def test_enter_searches_the_contents_and_goes_on_with_new_groups() -> None:
    bench = Bench(live(20))
    groups = quiet_groups(30)
    for number in (3, 17, 22):
        bench.shelf.contents[groups[number].results[0].row.tool_use_id] = "some NEEDLE here"
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("slash", *"needle")
        assert idents(table) == []
        await pilot.press("enter")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert idents(table) == [3, 17]
        await bench.deliver(live(25), pilot)
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert idents(table) == [3, 17, 22]
        assert "“needle”  3 of 27" in screen_text(bench.app)


async def test_escape_stops_a_search() -> None:
    bench = Bench(live(20))
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        pane = bench.app.screen.query_one(ListPane)
        await pilot.press("slash", *"trace", "enter")
        pane._search_state = (3, 21)
        assert pane.searching
        await pilot.press("escape")
        assert not pane.searching
        assert pane.chosen == Filter(text="trace")
        await pilot.press("escape")
        assert pane.chosen == Filter()


async def test_chips_filter_by_mouse() -> None:
    bench = Bench(live(20))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("slash")
        await pilot.pause()
        await pilot.click("#chips", offset=(1, 0))
        assert idents(table) == [20]
        row = next(row for row in screen_text(bench.app).split("\n") if row.startswith("[↻]"))
        await pilot.click("#chips", offset=(row.index("clear"), 0))
        assert len(idents(table)) == 22


async def test_what_is_pasted_becomes_printable() -> None:
    bench = Bench(troubled())
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("slash")
        find = bench.app.screen.query_one("#find", FindLine)
        find.insert_text_at_cursor("\x1b]0;x\x07\u202e[red]")
        await pilot.pause()
        assert find.value.isprintable()
        assert all(char.isprintable() for char in screen_text(bench.app) if char != "\n")


async def test_a_group_that_a_filter_hides_can_be_gone_to() -> None:
    bench = Bench(reading([group(0, [result("Bash", "ls", 30)]), group(1, [result("Grep", "x", 40)])]))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = await ready(pilot)
        await pilot.press("slash", *"grep", "down")
        bench.app.screen.query_one(ListPane).select(Key(0))
        assert table.selected == Key(0)
        assert len(idents(table)) == 2
