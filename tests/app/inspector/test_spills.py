"""The Spills screen: when its inventory is taken, what it lists, what it tells of one, and where it leads."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from textual.pilot import Pilot

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import SESSION, live, reading
from app.inspector.spilled import several, spill
from spillscope.session.contents import Look
from spillscope.session.spills import Spill
from spillscope.wrapper import build_large_tool_result_message
from spillscope_app.screens.spills import SpillsScreen
from spillscope_app.screens.viewer import ViewerScreen
from spillscope_app.viewer.view import FileView
from spillscope_app.views.spills import SpillItems
from spillscope_app.widgets.choices import Choices
from spillscope_app.widgets.line_table import LineTable
from spillscope_app.widgets.outline import Key

WIDE = (160, 44)


@asynccontextmanager
async def shown(
    spills: Sequence[Spill] | Exception, *keys: str, size: tuple[int, int] = WIDE, bench: Bench | None = None
) -> AsyncIterator[tuple[Bench, Pilot[None]]]:
    """An inspector with the Spills screen open, at rest, after some keys."""
    bench = bench or Bench(live())
    bench.shelf.spills = spills if isinstance(spills, Exception) else tuple(spills)
    async with bench.app.run_test(size=size, notifications=True) as pilot:
        await pilot.app.workers.wait_for_complete()
        await pilot.press("2", *keys)
        await pilot.pause()
        yield bench, pilot


def table(bench: Bench) -> LineTable:
    return bench.app.screen.query_one("#spills", LineTable)


def names(bench: Bench) -> list[str]:
    """The files in the order in which they are listed."""
    items = table(bench).items
    assert isinstance(items, SpillItems)
    return [one.file.path.rpartition("/")[2] for one in items.spills]


def chosen(bench: Bench) -> str:
    """The file under the cursor."""
    items, key = table(bench).items, table(bench).selected
    assert isinstance(items, SpillItems)
    assert key is not None
    at = items.find(key.ident)
    assert at is not None
    return items.spills[at].file.path.rpartition("/")[2]


# --- when the inventory is taken --------------------------------------------------------------------------------------------


async def test_it_is_taken_only_for_somebody_who_looks_at_it() -> None:
    bench = Bench(live(12))
    async with bench.app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        await bench.deliver(live(13), pilot)
        assert bench.shelf.audits == 0
        await pilot.press("2")
        await pilot.pause()
        assert bench.shelf.audits >= 1
        taken = bench.shelf.audits
        await bench.deliver(live(14), pilot)
        assert bench.shelf.audits == taken + 1
        await pilot.press("1")
        await bench.deliver(live(15), pilot)
        assert bench.shelf.audits == taken + 1


async def until(holds: Callable[[], bool]) -> None:
    """Waits while something is held back, when an app never comes to rest."""
    async with asyncio.timeout(20):
        while not holds():
            await asyncio.sleep(0.005)


async def test_leaving_cancels_it_and_coming_back_takes_it_again() -> None:
    bench = Bench(live())
    bench.shelf.spills = several()
    async with bench.app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        bench.shelf.audit_may_end.clear()
        bench.app.action_show_mode("spills")
        await until(lambda: bench.shelf.audits > 0 and "Looking at the spilled files …" in screen_text(bench.app))
        bench.app.action_show_mode("groups")
        await pilot.pause()
        assert bench.shelf.stopped == 1
        bench.shelf.audit_may_end.set()
        await pilot.press("2")
        await pilot.pause()
        assert len(table(bench).items) == len(several())


async def test_the_list_stays_while_a_new_inventory_is_taken_and_bursts_cost_one() -> None:
    async with shown(several(), "home") as (bench, pilot):
        bench.shelf.audit_may_end.clear()
        audits = bench.shelf.audits
        bench.shelf.put(live(13))
        bench.feed.read_now()
        await until(lambda: "auditing …" in screen_text(bench.app))
        assert len(table(bench).items) == len(several())
        bench.shelf.spills = several()[:4]
        for count in (14, 15, 16):
            bench.shelf.put(live(count))
            bench.feed.read_now()
        await until(lambda: bench.app.picture.reading is not None and len(bench.app.picture.reading.groups) == 17)
        bench.shelf.audit_may_end.set()
        await until(lambda: len(table(bench).items) == 4)  # after a rest as long as the audit before
        await pilot.pause()
        assert bench.shelf.audits == audits + 2
        assert "auditing" not in screen_text(bench.app)


async def test_a_failed_audit_is_told_of_and_the_list_stays() -> None:
    async with shown(several()) as (bench, pilot):
        bench.shelf.spills = PermissionError("no \x1b[2J way")
        await bench.deliver(live(13), pilot)
        assert len(table(bench).items) == len(several())
        assert "the audit failed with PermissionError: no ␛[2J way" in screen_text(bench.app)


async def test_another_session_has_a_list_of_its_own() -> None:
    async with shown(several(), "b", "home") as (bench, pilot):
        bench.shelf.spills = several()[1:3]
        bench.app.open_session("/home/user/.claude/projects/-moon/other.jsonl")
        await pilot.pause()
        assert names(bench) == ["trace.txt", "glob.txt"]
        assert table(bench).following


# --- the list ---------------------------------------------------------------------------------------------------------------


async def test_selection_order_filter_and_typed_text_stay_while_the_session_grows() -> None:
    async with shown(several(), "s", "slash", *"trace", "down", "down") as (bench, pilot):
        before = (chosen(bench), names(bench))
        more = (spill("new.txt", label="cat trace.txt", size=999_999, group=14), *several())
        bench.shelf.spills = more
        await bench.deliver(live(14), pilot)
        assert chosen(bench) == before[0]
        assert names(bench) == ["new.txt", *before[1]]
        assert "“trace”" in screen_text(bench.app)


async def test_the_newest_is_followed_until_somebody_moves() -> None:
    newest = spill("newest.txt", group=14)
    async with shown(several()) as (bench, pilot):
        assert table(bench).following
        bench.shelf.spills = (*several(), newest)
        await bench.deliver(live(14), pilot)
        assert chosen(bench) == "newest.txt"
        await pilot.press("g")
        bench.shelf.spills = (*several(), newest, spill("newer.txt", group=15))
        await bench.deliver(live(15), pilot)
        assert chosen(bench) == names(bench)[0]
        await pilot.press("f")
        assert chosen(bench) == "newer.txt"


async def test_the_orders() -> None:
    async with shown(several()) as (bench, pilot):
        assert names(bench)[-1] == "glob.txt"
        await pilot.press("s")
        assert (names(bench)[0], chosen(bench)) == ("trace.txt", "trace.txt")
        assert "largest first" in screen_text(bench.app)
        await pilot.press("s")
        assert names(bench)[0] == "old.txt"
        assert "oldest first" in screen_text(bench.app)
        await pilot.press("s")
        assert names(bench)[:3] == ["gone.txt", "far.txt", "shrunk.json"]
        assert "gravest first" in screen_text(bench.app)
        await pilot.press("s")
        assert names(bench)[-1] == "glob.txt"


async def test_the_filters() -> None:
    async with shown(several()) as (bench, pilot):
        await pilot.press("v")
        assert set(names(bench)) == {"gone.txt", "shrunk.json", "far.txt"}
        assert "3 of 10" in screen_text(bench.app)
        await pilot.press("x", "o")
        assert "↓ result" in screen_text(bench.app)
        await pilot.press("o")
        assert names(bench) == ["glob.txt"]
        await pilot.press("x", "b")
        assert names(bench) == ["gone.txt"]
        await pilot.press("b", "b", "escape")
        assert len(names(bench)) == len(several())
        assert bench.app.current_mode == "spills"
        await pilot.press("escape")
        assert bench.app.current_mode == "groups"


async def test_a_text_and_its_matches() -> None:
    async with shown(several(), "slash", *"TRACE") as (bench, pilot):
        found = names(bench)
        assert "trace.txt" in found
        assert "hook-1.txt" not in found
        await pilot.press("enter", "n", "n", "N")
        assert table(bench).has_focus
        await pilot.press("slash", *"zzz")
        assert "No spill passes this filter." in screen_text(bench.app)
        await pilot.press("escape")
        assert len(names(bench)) == len(several())


async def test_a_click_on_a_count_shows_those_alone() -> None:
    async with shown(several()) as (bench, pilot):
        line = screen_text(bench.app).split("\n")[2]
        counts = bench.app.screen.query_one("#spills-badges", Choices)
        at = line.index("missing")
        await pilot.click(counts, offset=(at, 0))
        assert names(bench) == ["gone.txt"]
        assert "[✗ missing 1]" in screen_text(bench.app)
        await pilot.click(counts, offset=(at, 0))
        assert len(names(bench)) == len(several())


async def test_the_sums() -> None:
    async with shown(several()) as (bench, _):
        line = screen_text(bench.app).split("\n")[1]
        assert "10 spills  8 files, 743.3k bytes on disk  oldest 3d" in line


async def test_ten_thousand_at_once() -> None:
    many = [spill(f"{at}.txt", "never re-read", group=at) for at in range(10_000)]
    async with shown(many) as (bench, pilot):
        assert len(names(bench)) == 10_000
        assert len(list(bench.app.screen.walk_children())) < 30
        await pilot.press("s", "s", "G")
        assert "9,999" not in screen_text(bench.app)
        assert "10,000 spills" in screen_text(bench.app)


# --- the detail -------------------------------------------------------------------------------------------------------------


async def test_what_is_told_of_one() -> None:
    async with shown(several()) as (bench, pilot):
        table(bench).select(Key(names(bench).index("b.txt")))
        items = table(bench).items
        table(bench).select(Key(items.ident(names(bench).index("b.txt"))))
        await pilot.pause()
        shown_text = screen_text(bench.app)
        for words in (
            "» cascade  What is found: cascade.",
            "● read whole  What is found: re-read whole.",
            "1.2k  tokens, by 1 later call",
            "1.7k  tokens for both",
            "a.txt  61.0k chars",
            "b.txt  71.5k chars  +17%",
            "in group 6",
        ):
            assert words in shown_text, words


async def test_what_is_not_known_is_said() -> None:
    async with shown(several(), "home") as (bench, _):
        assert chosen(bench) == "old.txt"
        text = screen_text(bench.app)
        assert "Nothing speaks against it." in text
        assert "What the model saw of it, and whether it" in text
        assert "nothing in the transcript says what" in text


async def test_hostile_names_paths_and_findings_are_shown_as_escapes() -> None:
    nasty = "\x1b]0;x\x07[bold]\u202e\x9b2J"
    one = spill(
        f"{nasty}.txt", "missing", size=None, tool=nasty, label=nasty, texts=(nasty,), agent_id=nasty, tool_use_id=nasty
    )
    async with shown([one]) as (bench, pilot):
        text = screen_text(bench.app)
        assert not {char for char in text if char in nasty and char not in "[bold]0;x2J"}
        assert "␛]0;x␇[bold]" in text
        await pilot.press("Y")
        assert bench.app.clipboard.startswith("/home/user")
        assert "\x1b" not in bench.app.clipboard
        await pilot.press("enter")
        await pilot.pause()
        assert not {char for char in screen_text(bench.app) if char in nasty and char not in "[bold]0;x2J"}


async def test_tab_goes_to_the_detail_in_a_small_terminal() -> None:
    async with shown(several(), size=(40, 12)) as (bench, pilot):
        assert "tokens" not in screen_text(bench.app)
        await pilot.press("tab")
        assert "What is found" in screen_text(bench.app)
        await pilot.press("tab")
        assert table(bench).has_focus


# --- where it leads ---------------------------------------------------------------------------------------------------------


async def test_enter_opens_the_viewer_and_escape_comes_back_to_the_same_row() -> None:
    text = "word\n" * 9_000
    bench = Bench(live())
    trace = "toolu_Bash_cat target/trace.log_184300"
    bench.shelf.looks[(trace, "model")] = Look("inline", build_large_tool_result_message(text, "/x.txt"))
    async with shown(several(), bench=bench) as (_, pilot):
        items = table(bench).items
        table(bench).select(Key(items.ident(names(bench).index("trace.txt"))))
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(bench.app.screen, ViewerScreen)
        request = bench.app.screen.query_one("#whole", FileView).request
        assert request is not None
        assert (request.path or "").endswith("trace.txt")
        assert request.preview_text is not None
        assert text.startswith(request.preview_text)
        assert "<persisted-output>" in (request.model_view or "")
        assert (request.json, request.outside) == (False, False)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(bench.app.screen, SpillsScreen)
        assert chosen(bench) == "trace.txt"


async def test_what_lies_outside_is_not_opened_by_enter() -> None:
    async with shown(several(), "slash", *"far.txt", "enter", "enter") as (bench, _):
        request = bench.app.screen.query_one("#whole", FileView).request
        assert request is not None
        assert (request.path, request.outside) == ("/srv/elsewhere/far.txt", True)
        assert "It is not opened" in screen_text(bench.app)


async def test_of_a_file_that_is_gone_the_copy_in_the_transcript_is_shown() -> None:
    bench = Bench(live())
    trace = "toolu_Bash_cat target/trace.log_184300"
    bench.shelf.looks[(trace, "original")] = Look("local", "all of it", 9, 9)
    gone = spill("trace.txt", "missing", "kept in transcript", size=None, tool_use_id=trace, group=6)
    async with shown([gone], "enter", bench=bench):
        text = screen_text(bench.app)
        assert "all of it" in text
        assert "this is the agent's local copy in the transcript" in text
        assert "✗ missing  ≡ kept" in text


async def test_blocks_are_opened_as_json() -> None:
    async with shown(several(), "slash", *"shrunk", "enter", "enter") as (bench, _):
        request = bench.app.screen.query_one("#whole", FileView).request
        assert request is not None
        assert request.json


async def test_there_and_back_between_a_result_and_its_spill() -> None:
    async with shown(several(), "slash", *"trace.txt", "enter", "d") as (bench, pilot):
        await pilot.pause()
        assert bench.app.current_mode == "groups"
        groups = bench.app.screen.query_one("#list", LineTable)
        assert groups.selected == Key(12, 1)
        groups.select(Key(24, 0))
        await pilot.press("d")
        await pilot.pause()
        assert bench.app.current_mode == "spills"
        assert chosen(bench) == "glob.txt"


async def test_a_spill_without_a_group_says_so() -> None:
    async with shown(several(), "home", "d") as (bench, pilot):
        assert "no group to go to" in screen_text(bench.app)
        await pilot.press("slash", *"a3f29", "enter", "d")
        assert "a sub-agent made it" in screen_text(bench.app)
        assert bench.app.current_mode == "spills"


async def test_a_group_without_a_spill_says_so() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=WIDE, notifications=True) as pilot:
        await pilot.pause()
        await pilot.press("g", "d")
        assert "nothing of what is selected was spilled" in screen_text(bench.app)


async def test_the_main_screen_says_how_many_are_missing() -> None:
    bench = Bench(live())
    bench.shelf.spills = several()
    async with bench.app.run_test(size=WIDE) as pilot:
        await pilot.pause()
        assert "! 1 spill missing" in screen_text(bench.app).split("\n")[0]


# --- states -----------------------------------------------------------------------------------------------------------------


async def test_nothing_spilled_says_what_to_expect() -> None:
    async with shown(()) as (bench, pilot):
        assert "No tool result of this session was spilled yet." in screen_text(bench.app)
        await pilot.press("enter", "d", "Y", "s", "n", "tab", "tab", "x", "b", "o", "f")
        assert "No tool result of this session was spilled yet." in screen_text(bench.app)


async def test_a_session_that_is_not_there_is_waited_for() -> None:
    bench = Bench(reading(session=replace(SESSION, exists=False)))
    async with shown((), bench=bench):
        assert "Waiting for a session that is not there yet." in screen_text(bench.app)
        assert bench.shelf.audits == 0
