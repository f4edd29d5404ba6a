"""The timeline, and the whole app as it stood at one of its requests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import SESSION, calibrated, eventful, live, next_group, past_of, quiet_groups, reading, requests_of
from spillscope.session.reading import CacheBreak, Reading
from spillscope.session.whatif.comparison import Comparison, Curve
from spillscope.tokens.usage import Usage
from spillscope_app.picture import Picture
from spillscope_app.screens.list_pane import ListPane
from spillscope_app.views.request import request_facts
from spillscope_app.views.timeline import Jump, jump, kept, plot_of, points_of
from spillscope_app.widgets.outline import Key
from spillscope_app.widgets.plot_view import PlotView

SIZE = (100, 30)


def facts(picture: Picture, width: int = 100) -> str:
    return "\n".join("".join(span.text for span in spans) for spans in request_facts(picture)(width))


def at(number: int | None, seen: Reading | None = None) -> Picture:
    seen = seen or eventful()
    return Picture(SESSION.path, seen, live=seen, asked=number)


# --- what it shows ----------------------------------------------------------------------------------------------------------


async def test_it_shows_all_requests_and_the_facts_of_the_newest() -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("4")
        shown = screen_text(bench.app)
        assert "Context per request  41 requests" in shown
        assert "╎ began anew 1  ╳ cache broke 2  ↓ spilled 6  ! over budget 1" in shown
        assert "request 41, the newest  14:01:11  opus-4-6  window 200k" in shown


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (30, 6), (20, 3), (200, 60)])
async def test_it_holds_at_every_size(size: tuple[int, int]) -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=size) as pilot:
        await pilot.press("4", "left", "plus", "plus", "minus")
        assert screen_text(bench.app).strip()


async def test_before_the_first_request_it_says_what_it_waits_for() -> None:
    bench = Bench(reading(usage=0, estimate=0))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("4", "left", "n", "v", "home", "plus")
        assert "No request has been answered yet." in screen_text(bench.app)
        assert bench.app.picture.asked is None


async def test_without_a_session_it_says_so() -> None:
    bench = Bench(FileNotFoundError(2, "No such file", "/x"))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("4", "left")
        assert "This session can't be read." in screen_text(bench.app)


async def test_one_request_can_be_gone_back_to() -> None:
    bench = Bench(reading(quiet_groups(1)))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("4", "left", "left", "left")
        assert "request 1 of 1" in screen_text(bench.app)
        assert bench.app.picture.asked == 0
        await pilot.press("right")
        assert bench.app.picture.asked is None


def test_facts_tell_what_a_request_carried_and_how_it_grew() -> None:
    told = facts(at(20))
    assert "request 21 of 41  13:41:11  opus-4-6  window 200k" in told
    assert "carried        52,004  26.0 %: cache read 52k + written 0 + input 4" in told
    assert "growth         +2,400" in told
    assert "estimate       51,104  1.7 % too little, by the agent's rule before it" in told
    assert "↓ Bash 184.3k  cat target/trace.log" in told


def test_facts_tell_of_a_compaction_and_show_no_growth_over_it() -> None:
    told = facts(at(15))
    assert "╎ the first after a compaction (auto) of 168.4k tokens, where it was expected" in told
    assert "growth" not in told
    assert "the context began anew before it" in facts(
        at(15, replace(eventful(), cuts=(eventful().cuts[0]._replace(compaction=None),)))
    )


def test_facts_tell_why_the_cache_broke_what_it_cost_and_what_can_be_done() -> None:
    told = facts(at(30), 160)
    assert "╳ cache broke, a replacement that had been sent was changed toolu_[red]: 52k tokens lost, 52.5k rewritten" in told
    assert "at a cost of 60.4k input tokens" in told
    assert "byte for byte" in told


def test_facts_without_usage_say_so() -> None:
    told = facts(at(33))
    assert "its response told no usage" in told
    assert "growth" not in facts(at(34))


def test_facts_name_the_groups_over_budget_and_only_the_first_spills() -> None:
    told = facts(at(40))
    assert "! group 40: 212.1k > 200k" in told
    spilled = eventful()
    many = spilled.groups[6]._replace(results=spilled.groups[6].results[-1:] * 7)
    told = facts(at(6, replace(spilled, groups=(*spilled.groups[:6], many, *spilled.groups[7:]))))
    assert told.count("↓ Bash") == 4
    assert "and 3 others" in told


def test_points_of_requests_that_stayed_are_taken_over() -> None:
    before = live(20)
    known = points_of(before)
    more = live(24, version=2)
    grown = replace(more, requests=(*before.requests[:15], *more.requests[15:]))
    assert kept(before, grown) == 15
    points = points_of(grown, known[:15])
    assert points == points_of(grown)
    assert all(one is other for one, other in zip(points[:15], known[:15], strict=True))
    assert points[15] is not known[15]
    assert kept(before, replace(grown, limits=replace(grown.limits, window=1_000_000))) == 0
    assert kept(None, grown) == 0


async def test_thousands_of_requests_are_looked_through_beside_the_loop() -> None:
    first = live(1_500)
    bench = Bench(first)
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("4")
        assert "request 1,501, the newest" in screen_text(bench.app)
        assert "█" in screen_text(bench.app)
        grown = live(1_501)
        await bench.deliver(replace(grown, version=2, requests=(*first.requests, grown.requests[-1])), pilot)
        assert "Context per request  1,502 requests" in screen_text(bench.app)
        bench.app.open_session("/elsewhere/other.jsonl")
        await bench.deliver(live(3, session=replace(SESSION, path="/elsewhere/other.jsonl")), pilot)
        assert "Context per request  4 requests" in screen_text(bench.app)


def test_a_what_if_comes_on_top_of_what_is_known() -> None:
    seen = eventful()
    before = [request.usage.prompt for request in seen.requests]
    edited = comparison([*before, 143_200], [*(max(0, tokens - 700) for tokens in before), 140_000])
    picture = Picture(SESSION.path, seen, live=seen, calibrated=calibrated(), comparison=edited)
    assert picture.what_if == 144_000 - 3_200
    plot = plot_of(picture, seen, points_of(seen))
    assert plot.what_if is not None
    assert (plot.what_if[12], plot.what_if[-1]) == (seen.requests[12].usage.prompt - 700, 144_000 - 3_200)
    past = replace(picture, reading=past_of(seen, 12), asked=12)
    assert past.what_if == seen.requests[12].usage.prompt - 700
    assert plot_of(replace(picture, comparison=comparison([1], [2])), seen, points_of(seen)).what_if is None
    assert replace(picture, comparison=comparison([1], [2])).what_if is None


def comparison(before: Sequence[int], after: Sequence[int]) -> Comparison:
    return cast(Comparison, SimpleNamespace(before=Curve(before, (), ()), after=Curve(after, (), ())))


# --- going back in time -----------------------------------------------------------------------------------------------------


async def test_stepping_shows_the_session_as_it_stood_on_every_screen() -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=(120, 36)) as pilot:
        await pilot.press("4", *["left"] * 4)
        assert bench.app.picture.asked == 37
        assert "as of request 38 · End: live" in screen_text(bench.app)
        await pilot.press("1")
        shown = screen_text(bench.app)
        assert "as of request 38 · End: live" in shown
        assert "exact 92.8k" in shown
        items = bench.app.screen.query_one(ListPane).table.items
        assert len(items) == 37 + 1 + 1  # a compaction between, and what was about to go out
        await pilot.press("5")
        assert "as of request 38" in screen_text(bench.app)
        assert "group 40" not in screen_text(bench.app)
        await pilot.press("2")
        assert "as of request 38" in screen_text(bench.app)


async def test_an_append_does_not_move_the_past() -> None:
    bench = Bench(live(20))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("less_than_sign", "less_than_sign")
        past = bench.app.picture.reading
        assert past is not None
        assert past.at == 19
        asked = list(bench.shelf.asked)
        await bench.deliver(live(24, version=2), pilot)
        assert bench.app.picture.asked == 19
        await pilot.press("4")
        assert "Context per request  25 requests" in screen_text(bench.app)
        await pilot.press("end")
        assert bench.app.picture.reading is bench.app.picture.live
        assert asked == [20, 19]


async def test_other_limits_are_held_against_the_past_too() -> None:
    first = live(20)
    bench = Bench(first)
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("less_than_sign")
        await bench.deliver(replace(first, version=2, limits=replace(first.limits, message_budget=1_000)), pilot)
        assert bench.shelf.asked == [20, 20]
        assert bench.app.picture.reading is not None
        assert bench.app.picture.reading.limits.message_budget == 1_000


async def test_a_request_that_is_gone_leads_back_to_live() -> None:
    bench = Bench(live(20))
    async with bench.app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press("less_than_sign")
        await bench.deliver(live(8, version=2), pilot)
        assert bench.app.picture.asked is None
        assert bench.app.picture.reading is bench.app.picture.live
        assert "that request is no longer in the conversation" in screen_text(bench.app)


@pytest.mark.parametrize("mode", ["1", "2", "4", "5"])
async def test_end_returns_to_live_from_every_screen(mode: str) -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("less_than_sign", mode)
        assert "End live" in screen_text(bench.app)
        await pilot.press("end")
        assert bench.app.picture.asked is None
        assert "End: live" not in screen_text(bench.app)


async def test_end_is_the_lists_own_key_at_live_and_the_texts_while_one_is_typed() -> None:
    bench = Bench(live(40))
    async with bench.app.run_test(size=SIZE) as pilot:
        table = bench.app.screen.query_one(ListPane).table
        await pilot.press("home", "end")
        assert table.selected == Key(table.items.ident(len(table.items) - 1))
        assert bench.app.picture.asked is None
        await pilot.press("less_than_sign", "slash", "a", "end")
        assert bench.app.picture.asked == 40


async def test_escape_returns_to_live_before_it_leaves() -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("4", "left", "escape")
        assert (bench.app.picture.asked, bench.app.current_mode) == (None, "timeline")
        await pilot.press("escape")
        assert bench.app.current_mode == "groups"
        await pilot.press("less_than_sign", "escape")
        assert bench.app.picture.asked is None


async def test_another_session_is_shown_live() -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("less_than_sign")
        bench.app.open_session("/elsewhere/other.jsonl")
        await pilot.pause()
        assert bench.app.picture.asked is None


@pytest.mark.parametrize("slices", [0, 3], ids=["at once", "slice by slice"])
async def test_the_past_has_the_band_that_was_known_then(slices: int) -> None:
    bench = Bench(eventful())
    bench.shelf.calibrated = calibrated()
    bench.shelf.calibrated_then, bench.shelf.slices = calibrated(100_004, 2_100), slices
    async with bench.app.run_test(size=(100, 50)) as pilot:
        await pilot.pause()
        assert "+ 5.1k ±500" in screen_text(bench.app)
        await pilot.press("less_than_sign")
        assert bench.shelf.slices == -1
        assert "102.1k ±500 of 200k" in screen_text(bench.app)
        assert "+ 2.1k ±500" in screen_text(bench.app)
        await pilot.press("equals_sign")
        shown = screen_text(bench.app)
        assert "Before request 41 went out, by what was known then." in shown
        assert "= likely      102,104" in shown
        assert "= proved      100,004  T1  as its response then told: below the band" in shown
        await pilot.press("escape", "4")
        assert "likely        102,104  2.1 % too much, ±500 as known then" in screen_text(bench.app)
        await pilot.press("end", "1")
        assert "+ 5.1k ±500" in screen_text(bench.app)


async def test_a_past_that_cant_be_counted_is_shown_without_a_band() -> None:
    bench = Bench(eventful())
    bench.shelf.calibrated, bench.shelf.calibrated_then = calibrated(), OSError(5, "Input/output error")
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("less_than_sign")
        assert "exact 100.0k" in screen_text(bench.app)
        assert "±" not in screen_text(bench.app)


async def test_the_next_moment_is_not_shown_with_the_band_of_the_last() -> None:
    bench = Bench(eventful())
    bench.shelf.calibrated_then = calibrated(100_004, 2_100)
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("less_than_sign")
        assert bench.app.picture.calibration == calibrated(100_004, 2_100)
        bench.shelf.calibrated_then = None
        bench.app.action_step(-1)
        while bench.app.picture.reading is None or bench.app.picture.reading.at != 39:
            await asyncio.sleep(0.001)
        assert bench.app.picture.calibration is None
        bench.app.action_live()


async def test_the_arithmetic_goes_on_with_the_session() -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=(100, 50)) as pilot:
        await pilot.press("equals_sign")
        assert "Calibrating …" in screen_text(bench.app)
        bench.shelf.calibrated = calibrated()
        await bench.deliver(replace(eventful(), version=2), pilot)
        assert "= likely      144,000" in screen_text(bench.app)


# --- jumping, zooming, clicking ----------------------------------------------------------------------------------------------

JUMPS: list[tuple[int | None, Jump, int]] = [
    (None, "first", 0),
    (3, "over", 40),
    (3, "largest", 40),
    (None, "next break", 9),
    (9, "next break", 30),
    (30, "next break", 9),
    (None, "last break", 30),
    (30, "last break", 9),
    (9, "last break", 30),
    (20, "next cut", 15),
    (15, "last cut", 15),
]


@pytest.mark.parametrize(("asked", "where", "found"), JUMPS)
def test_jumps_go_round(asked: int | None, where: Jump, found: int) -> None:
    assert jump(points_of(eventful()), asked, where) == found


def test_the_largest_is_the_first_of_the_largest() -> None:
    same = [request._replace(usage=Usage(cache_read=5)) for request in requests_of(4)]
    assert jump(points_of(reading(quiet_groups(4), requests=tuple(same))), None, "largest") == 0


async def test_keys_jump_and_say_when_there_is_nowhere_to_go() -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.press("4")
        for key, number in (("n", 9), ("n", 30), ("N", 9), ("c", 15), ("v", 40), ("m", 40), ("home", 0), ("pagedown", 10)):
            await pilot.press(key)
            assert bench.app.picture.asked == number, key
        await pilot.press("G")
        assert bench.app.picture.asked is None
        await bench.deliver(reading(quiet_groups(3), next_group(3), version=2), pilot)
        await pilot.press("n")
        assert "no request to go to: the cache never broke" in screen_text(bench.app)


async def test_plus_and_minus_zoom_around_the_selected_request() -> None:
    bench = Bench(live(500))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("4", "home")
        whole = screen_text(bench.app)
        await pilot.press(*["plus"] * 20)
        close = screen_text(bench.app)
        assert close != whole
        assert "▲1" in close
        await pilot.press(*["minus"] * 20)
        assert screen_text(bench.app) == whole


async def test_a_click_on_a_bar_goes_to_its_request_and_on_the_last_one_to_live() -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.press("4")
        plot = bench.app.screen.query_one(PlotView)
        columns = plot.content_size.width - 7 - 2
        await pilot.click(plot, offset=(1 + 7 + columns * 12 // 41, 4))
        assert bench.app.picture.asked == 12
        await pilot.click(plot, offset=(1 + 7 + columns + 1, 4))
        assert bench.app.picture.asked is None
        await pilot.click(plot, offset=(2, 4))
        assert bench.app.picture.asked is None


async def test_the_plot_has_what_the_facts_leave_and_stays_as_it_is_while_one_steps() -> None:
    bench = Bench(eventful())
    async with bench.app.run_test(size=(160, 50)) as pilot:
        await pilot.press("4")
        told, plot = bench.app.screen.query_one("#request-facts"), bench.app.screen.query_one(PlotView)
        most, height = told.size.height, plot.size.height
        assert most == told.virtual_size.height
        assert plot.size.height == 50 - 1 - 1 - 2 - 1 - 1 - most
        await pilot.press("left", "left", "left")
        assert told.virtual_size.height < most
        assert (told.size.height, plot.size.height) == (most, height)


async def test_hostile_text_is_only_text() -> None:
    hostile = "\x1b]0;owned\x07[red]\u202e\x9b2J"
    made = eventful()
    broken = CacheBreak(41_000, "replacement", 1, 1.0, (hostile,))
    requests = (*made.requests[:-1], made.requests[-1]._replace(model=f"claude-{hostile}", broken=broken))
    session = replace(SESSION, compactions=(made.session.compactions[0]._replace(trigger=hostile),))
    bench = Bench(replace(made, requests=requests, session=session))
    async with bench.app.run_test(size=(160, 50)) as pilot:
        await pilot.press("4")
        shown = screen_text(bench.app)
        assert "[red]" in shown
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(shown)
        await pilot.press("c", "5")
        assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(screen_text(bench.app))
