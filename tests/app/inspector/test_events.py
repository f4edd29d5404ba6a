"""The list of events: its lines, where they lead, and how they come."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import NOW, SESSION, full_group, group, live, quiet_groups, reading, requests_of, result, troubled
from spillscope.session.events import Event, events_between
from spillscope.session.reading import CacheBreak, Compaction, Reading
from spillscope_app.feed import WatchingBy
from spillscope_app.journal import Item, Journal, Note
from spillscope_app.picture import Picture
from spillscope_app.screens.events import EventsScreen
from spillscope_app.spans import width_of
from spillscope_app.views.events import EventItems, subject_of, words_of
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Key

SIZE = (120, 30)
LOOSE = group(3, [result("Glob", "**/*", 212_000, state="frozen")], over_budget=True, picks=(), frozen=50_000, fresh=162_000)
MANY = group(
    4,
    [
        result("mcp__atlas__list_harbours", "", 90_000, "replaced", "mustReapply", "B7", "replaced"),
        result("Bash", "", 80_000, "replaced", "mustReapply", "B7", "replaced"),
        result("Bash", "", 70_000, "full", "frozen", "B7"),
    ],
)
SPILLED = group(5, [result("Bash", "cat trace.log", 184_300, "persisted", None, "L8.3", "persisted")])
LINES: list[tuple[Item, str]] = [
    (Event("budget", NOW, full_group(12)), "↻ group 12: 5 fresh 212.1k > 200k → Glob 49.6k replaced"),
    (Event("budget", NOW, LOOSE), "! group 3: 50k frozen + 1 fresh 162k > 200k → nothing replaced"),
    (Event("budget", NOW, MANY), "↻ group 4: 3 fresh 240k > 200k → list_harbours 90k replaced, 1 other"),
    (Event("persisted", NOW, SPILLED, 0), "↓ group 5: Bash 184.3k > 30k → persisted  cat trace.log"),
    (Event("drift", NOW, SPILLED, 0, "kept"), "! group 5: Bash 184.3k drift: kept"),
    (Event("compaction", NOW, text="auto", figures=(168_400, 12_300)), "╎ compaction (auto): 168.4k → 12.3k tokens"),
    (Event("compaction", NOW, figures=(None, 9_000)), "╎ compaction: 9k tokens left"),
    (Event("compaction", NOW, figures=(9_000, None)), "╎ compaction: of 9k tokens"),
    (Event("compaction"), "╎ compaction"),
    (
        Event("cache", NOW, figures=(36,), broken=CacheBreak(45_200, "idle", 51_000, 58_650.0)),
        "╳ request 37: cache broke, idle for longer than the cache lives: 45.2k tokens lost, "
        "51k rewritten at a cost of 58.6k input tokens",
    ),
    (
        Event("cache", NOW, figures=(36,), broken=CacheBreak(45_200, "replacement", about=("toolu_[b]",))),
        "╳ request 37: cache broke, a replacement that had been sent was changed toolu_[b]: 45.2k tokens lost",
    ),
    (Event("cleared"), "╎ a new conversation: nothing before it is in the context"),
    (Event("rewound", figures=(7,)), "← gone back: what came from group 7 on was left"),
    (Event("rewritten"), "! the file was rewritten and read anew from its start"),
    (Event("gone"), "! the file is gone; it is waited for"),
    (Event("skipped", text="no JSON", figures=(1_203, 88_000)), "! line 1,203 skipped: no JSON  at byte 88,000"),
    (Event("evidence", text="off: group 3 went out"), "! the budget is believed to be off: group 3 went out"),
    (Note(NOW, "no watcher", is_trouble=True), "! no watcher"),
    (Note(NOW, "watched"), "· watched"),
]


@pytest.mark.parametrize(("item", "words"), LINES, ids=[words[:24] for _, words in LINES])
def test_lines(item: Item, words: str) -> None:
    assert "".join(span.text for span in words_of(item)) == words
    items = EventItems([item])
    for width in (0, 1, 10, 36, 90, 200):
        assert width_of(items.line(0, -1, width)) <= width
    assert "".join(span.text for span in items.line(0, -1, 60)).startswith("14:02:11" if item.at else "        ")


def test_the_past_is_worked_out_once_and_only_when_asked_for() -> None:
    journal = Journal()
    first, second = live(12), live(20)
    assert journal.items() == ()
    journal.note(Note(NOW, "watched"))
    assert journal.take(first) == ()
    came = journal.take(second)
    assert came == events_between(first, second)
    past = events_between(None, first)
    assert journal.unwritten is first
    journal.write_down(second, ())  # some other session's
    assert journal.items() == (Note(NOW, "watched"), *came)
    journal.write_down(first, past)
    assert journal.unwritten is None
    seen = journal.items()
    assert list(seen) == [*past, Note(NOW, "watched"), *came]
    journal.take(live(28))
    assert len(seen) < len(journal.items())
    assert list(journal.items())[: len(seen)] == list(seen)


async def test_thousands_of_groups_are_looked_through_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[threading.Thread] = []

    def noted(old: Reading | None, new: Reading) -> tuple[Event, ...]:
        if old is None:
            threads.append(threading.current_thread())
        return events_between(old, new)

    monkeypatch.setattr("spillscope_app.telling.events_between", noted)
    first = live(1_200)
    bench = Bench(first)
    async with bench.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("5")
        assert "group 1200: 5 fresh" in screen_text(bench.app)
        await bench.deliver(replace(live(1_203), version=2, groups=(*first.groups, *live(1_203).groups[1_201:])), pilot)
        assert "group 1203: 5 fresh" in screen_text(bench.app)
        assert "group 1200: 5 fresh" in screen_text(bench.app)
        await pilot.press("less_than_sign", "less_than_sign")
        assert "as of request 1,203" in screen_text(bench.app)
        assert "group 1203: 5 fresh" not in screen_text(bench.app)
        await pilot.press("end")
        assert "group 1203: 5 fresh" in screen_text(bench.app)
    assert len(threads) == 3
    assert threading.main_thread() not in threads


async def test_a_list_says_that_its_lines_are_looked_for() -> None:
    bench = Bench(live(3))
    async with bench.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("5")
        screen = bench.app.screen
        assert isinstance(screen, EventsScreen)
        screen.show_items(Picture("/elsewhere/other.jsonl"), None)
        await pilot.pause()
        assert "Looking through the session …" in screen_text(bench.app)
        screen.show_items(Picture("/elsewhere/other.jsonl"), [Note(NOW, "watched")])
        screen.show_items(Picture("/elsewhere/other.jsonl"), None)  # what is known stays until there is more
        await pilot.pause()
        assert "watched" in screen_text(bench.app)


def test_where_a_line_leads() -> None:
    shown = live(12)
    events = {event.kind: event for event in events_between(None, shown)}
    assert subject_of(events["budget"], shown) == Key(24)
    persisted = events["persisted"]
    assert persisted.group is not None
    assert subject_of(persisted, shown) == Key(2 * persisted.group.number, persisted.result or 0)
    assert subject_of(persisted, reading(quiet_groups(2))) is None
    assert subject_of(persisted, None) is None
    assert subject_of(Note(NOW, ""), shown) is None


def test_a_result_of_a_waiting_request_is_found_where_it_went_out() -> None:
    waiting = group(3, [result("Bash", "a", 90_000, "persisted", None, "L8.3", "persisted")], sent=False)
    event = Event("persisted", NOW, waiting, 0)
    assert subject_of(event, reading(quiet_groups(3), waiting)) == Key(6, 0)
    assert subject_of(event, reading([*quiet_groups(4), waiting._replace(number=4)])) == Key(8, 0)


async def test_events_come_as_they_happen_and_lead_to_their_subject() -> None:
    bench = Bench(live(12))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await pilot.press("5")
        await pilot.pause()
        shown = screen_text(bench.app)
        assert "group 12: 5 fresh 212.1k > 200k → Glob 49.6k replaced" in shown
        table = bench.app.screen.query_one("#events", LineTable)
        assert (table.has_focus, table.following) == (True, True)
        before = len(table.items)
        await bench.deliver(live(20), pilot)
        assert len(table.items) > before
        items = table.items
        assert isinstance(items, EventItems)
        table.select(
            Key(next(at for at, item in enumerate(items.items) if isinstance(item, Event) and item.kind == "persisted"))
        )
        await pilot.press("enter")
        await pilot.pause()
        assert bench.app.current_mode == "groups"
        groups = bench.app.screen.query_one("#list", LineTable)
        assert groups.selected == Key(12, 1)
        assert "Bash cat target/trace.log" in screen_text(bench.app)


async def test_a_line_about_the_whole_session_says_so() -> None:
    bench = Bench(troubled())
    async with bench.app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("5", "g", "enter")
        await pilot.pause()
        assert bench.app.current_mode == "events"
        assert "no group to go to" in screen_text(bench.app)


async def test_the_watcher_and_trouble_are_events_too() -> None:
    bench = Bench(live(3))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("5")
        bench.app.post_message(WatchingBy("polling"))
        await pilot.pause()
        assert "! no watcher: the files are looked at again and again" in screen_text(bench.app)
        await bench.deliver(PermissionError(13, "Permission denied", "/x/y"), pilot)
        assert "! Permission denied: /x/y" in screen_text(bench.app)
        await bench.deliver(live(4), pilot)
        assert "· the session can be read again" in screen_text(bench.app)


async def test_what_happens_to_the_conversation_is_told_on_every_screen() -> None:
    first = live(6)
    compacted = replace(
        live(6), version=2, session=replace(SESSION, compactions=(Compaction(NOW, "auto", 168_400, 12_300),)), live_from=6
    )
    bench = Bench(first)
    async with bench.app.run_test(size=SIZE, notifications=True) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        await bench.deliver(compacted, pilot)
        assert "compaction (auto): 168.4k → 12.3k tokens" in screen_text(bench.app)
        back = replace(compacted, version=3, requests=requests_of(2), groups=compacted.groups[:2])
        await bench.deliver(back, pilot)
        assert "gone back: what came from group 2 on was left" in screen_text(bench.app)


async def test_a_session_without_decisions_says_what_to_expect() -> None:
    bench = Bench(reading(quiet_groups(1)))
    async with bench.app.run_test(size=SIZE) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("5")
        await pilot.pause()
        assert "Nothing was decided yet." in screen_text(bench.app)
        await pilot.press("enter", "f", "escape")
        await pilot.pause()
        assert bench.app.current_mode == "groups"
