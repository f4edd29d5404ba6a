"""The Tools screen: what it lists, how values are edited, and what the edits do at once (tui: Tools, spec R3, R4)."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from app.inspector.driving import screen_text
from app.inspector.tuned import Tuned, notices, settle
from spillscope.session.whatif.comparison import Comparison
from spillscope_app.screens.groups import GroupsScreen
from spillscope_app.screens.tools import ToolsScreen
from spillscope_app.tuning.answer import Answer, Question
from spillscope_app.views.flips import FlipItems
from spillscope_app.widgets.line_table import LineTable
from transcripts import Writer, lines


def comparison(tuned: Tuned) -> Comparison:
    found = tuned.app.picture.comparison
    assert found is not None
    return found


# --- what is listed ---------------------------------------------------------------------------------------------------------


async def test_every_tool_and_setting_is_a_row(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown():
        names = list(tuned.rows)
        assert names[:5] == ["default", "message budget", "budget switch", "window", "auto-compact %"]
        assert sorted(names[5:]) == sorted(["Bash", "Grep", "Read", "mcp__docs__get", "Glob", "Fetch"])
        bash, read, fetch = tuned.rows["Bash"], tuned.rows["Read"], tuned.rows["Fetch"]
        assert (len(bash.sizes), bash.declared, bash.override, bash.value) == (12, 30_000, None, 30_000)
        assert read.value == math.inf
        assert (len(fetch.sizes), fetch.value, fetch.source) == (6, 50_000, "built-in")
        assert tuned.app.picture.comparison is None
        assert "+ and - nudge the selected value" in screen_text(tuned.app)


async def test_the_heaviest_tool_comes_first(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown():
        tools = [sum(row.sizes) for row in tuned.rows.values() if row.is_tool]
        assert tools == sorted(tools, reverse=True)


async def test_a_session_that_grows_is_followed_with_the_cursor_where_it_was(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus", on="Grep") as pilot:
        writer = Writer()
        writer.prompt()
        writer.call("Grep", "late", "x" * 19_500, id="late")
        with tuned.path.open("ab") as file:
            file.write(lines([{**record, "uuid": f"late{at}"} for at, record in enumerate(writer.records)]))
        tuned.feed.read_now()
        await settle(pilot)
        assert tuned.screen.selected is not None
        assert tuned.screen.selected.name == "Grep"
        assert tuned.screen.selected.edited
        assert comparison(tuned).results == tuned.app.picture.live.totals.results  # type: ignore[union-attr]


async def test_nothing_is_asked_while_nobody_looks_and_nothing_is_edited(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.app.run_test() as pilot:
        await settle(pilot)
        assert tuned.app._desk.answer is None


# --- editing ----------------------------------------------------------------------------------------------------------------


async def test_nudges_go_from_round_number_to_round_number(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus") as pilot:
        assert tuned.value("Bash") == 29_000
        await pilot.press("plus", "plus")
        await settle(pilot)
        assert tuned.value("Bash") == 31_000
        await pilot.press("minus")
        await settle(pilot)
        # What is as it is in force is an edit all the same, as long as it is an override that nobody had set.
        assert tuned.value("Bash") == 30_000


@pytest.mark.parametrize(
    ("text", "value"), [("12k", 12_000), ("1.5M", 1_500_000), ("inf", math.inf), ("4_000", 4_000), (" 9.5K ", 9_500)]
)
async def test_a_value_is_typed(tmp_path: Path, text: str, value: float) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown(
        "enter", *("space" if char == " " else "underscore" if char == "_" else char for char in text)
    ) as pilot:
        await pilot.press("enter")
        await settle(pilot)
        assert tuned.value("Bash") == value


async def test_inf_is_what_the_tool_declares(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"inf", "enter") as pilot:
        assert dict(tuned.app._desk.edits.values) == {"declared.Bash": math.inf}
        await pilot.press("minus")
        await settle(pilot)
        assert dict(tuned.app._desk.edits.values) == {"overrides.Bash": 49_000}


@pytest.mark.parametrize(
    ("row", "text", "wrong"),
    [
        ("Bash", "zk", "give a number such as 12k"),
        ("Bash", "0", "give a number above 0"),
        ("Bash", "9" * 20, "to opt a tool out give inf"),
        ("message budget", "inf", "switch the budget off instead"),
        ("budget switch", "7", "give on or off"),
        ("auto-compact %", "120", "a percentage from 1 to 100"),
        ("window", "1.5", "a whole number"),
    ],
)
async def test_a_bad_text_says_why_and_stays_open(tmp_path: Path, row: str, text: str, wrong: str) -> None:
    tuned = Tuned(tmp_path)
    keys = ["full_stop" if char == "." else char for char in text]
    async with tuned.shown("enter", *keys, "enter", on=row) as pilot:
        assert wrong in screen_text(tuned.app)
        assert tuned.screen.has_class("-typing")
        assert not tuned.app._desk.is_on
        await pilot.press("escape")
        assert not tuned.screen.has_class("-typing")
        assert isinstance(tuned.app.focused, LineTable)


async def test_a_percentage_a_switch_and_a_window(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus", on="auto-compact %") as pilot:
        assert tuned.rows["auto-compact %"].words == "90 %"
        await tuned.choose("budget switch", pilot)
        before = tuned.rows["budget switch"].words
        await pilot.press("plus")
        await settle(pilot)
        assert {before, tuned.rows["budget switch"].words} == {"on", "off"}
        await tuned.choose("window", pilot)
        await pilot.press("enter", *"1M", "enter")
        await settle(pilot)
        assert tuned.value("window") == 1_000_000
        assert comparison(tuned).windows[1].size == 1_000_000


async def test_u_takes_away_what_is_set(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    tuned.user_file.write_text("[overrides]\nBash = 12000\n")
    async with tuned.shown() as pilot:
        assert tuned.rows["Bash"].source == str(tuned.user_file)
        await pilot.press("u")
        await settle(pilot)
        assert (tuned.value("Bash"), tuned.rows["Bash"].edited) == (30_000, True)
        await pilot.press("u")
        await settle(pilot)
        assert notices(tuned.app)[-1] == "nothing is set here"


async def test_undo_and_redo_the_held_key_as_one(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus", "minus", "minus") as pilot:
        desk = tuned.app._desk
        desk.tuning = desk.tuning.to(desk.edits.put({"overrides.Bash": 5_000}, desk.answer.base))  # type: ignore[union-attr]
        await pilot.press("z")
        await settle(pilot)
        lowered = tuned.value("Bash")
        await pilot.press("z")
        await settle(pilot)
        assert tuned.value("Bash") == 30_000
        await pilot.press("Z", "Z")
        await settle(pilot)
        assert (lowered, tuned.value("Bash")) == (27_000, 5_000)
        await pilot.press("Z")
        assert notices(tuned.app)[-1] == "no change to make again"


async def test_from_now_on_leaves_what_was_sent(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter") as pilot:
        assert len(comparison(tuned).flips) > 5
        await pilot.press("t")
        await settle(pilot)
        assert (comparison(tuned).mode, len(comparison(tuned).flips)) == ("now", 0)
        assert "from now on" in screen_text(tuned.app)
        await pilot.press("t")
        await settle(pilot)
        assert comparison(tuned).mode == "start"


async def test_a_value_that_does_nothing_says_why(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus", on="Read") as pilot:
        assert "no effect: Read opts out" in screen_text(tuned.app)
        await tuned.choose("Bash", pilot)
        await pilot.press("enter", *"90k", "enter")
        await settle(pilot)
        assert "no effect: no result of Bash is that large" in screen_text(tuned.app)
        await pilot.press("enter", *"2k", "enter")
        await settle(pilot)
        assert "no effect" not in screen_text(tuned.app)


async def test_a_policy_of_another_agent_takes_the_place_of_all_edits(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus", "p", "down", "down", "enter") as pilot:
        assert {tuned.value(name) for name in ("Bash", "Read", "Glob", "default")} == {40_000}
        await pilot.press("z")
        await settle(pilot)
        assert tuned.value("Bash") == 29_000


# --- what the edits do ------------------------------------------------------------------------------------------------------


async def test_everybody_is_told_that_limits_are_edited_and_how_to_end_it(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter") as pilot:
        for key in ("3", "1", "4"):
            await pilot.press(key)
            await settle(pilot)
            shown = screen_text(tuned.app)
            assert "what-if on" in shown
            assert "0 end what-if" in shown
            assert "═" in shown
        await pilot.press("0")
        await settle(pilot)
        assert "what-if on" not in screen_text(tuned.app)
        assert tuned.app.picture.comparison is None
        await pilot.press("3", "z")
        await settle(pilot)
        assert tuned.value("Bash") == 2_000


async def test_the_groups_are_as_the_edits_have_them_and_nothing_is_drift(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter", "1", "p") as pilot:
        await settle(pilot)
        shown = screen_text(tuned.app)
        assert "drift" not in shown
        found = comparison(tuned)
        assert f"persisted {found.spilled.after - found.replaced.after}" in shown
        await pilot.press("w")
        await settle(pilot)
        assert "under your edits" in screen_text(tuned.app)
        assert tuned.app.picture.live.totals.drift == 0  # type: ignore[union-attr]


async def test_enter_goes_to_a_result_that_flips(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter", "tab", "enter") as pilot:
        await settle(pilot)
        assert isinstance(tuned.app.screen, GroupsScreen)
        assert tuned.screen.query_one("#flips", LineTable).items
        items = tuned.screen.query_one("#flips", LineTable).items
        assert isinstance(items, FlipItems)
        selected = tuned.app.screen.query_one("#list", LineTable).selected
        assert selected is not None
        assert selected.ident == 2 * items.things[0].group


async def test_an_answer_that_fails_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown() as pilot:
        monkeypatch.setattr(tuned.source, "tune", lambda question: 1 / 0)
        await pilot.press("minus")
        await settle(pilot)
        assert "the edits can't be tried: the what-if failed with ZeroDivisionError" in notices(tuned.app)[-1]


async def test_a_question_that_waits_gives_way_to_a_newer_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown() as pilot:
        asked: list[object] = []
        tune = tuned.source.tune

        def counted(question: Question) -> Answer | None:
            asked.append(question.edits.values.get("overrides.Bash"))
            return tune(question)

        monkeypatch.setattr(tuned.source, "tune", counted)
        with tuned.source._still:  # nobody can answer meanwhile
            for _ in range(20):
                tuned.screen.action_nudge(-1)
                await asyncio.sleep(0)
            await pilot._wait_for_screen()
        await settle(pilot)
        assert len(asked) <= 3
        assert asked[-1] == tuned.value("Bash")


async def test_esc_goes_back_and_the_edits_stay(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("minus", "tab", "escape") as pilot:
        assert isinstance(tuned.app.screen, ToolsScreen)
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(tuned.app.screen, GroupsScreen)
        assert tuned.app._desk.is_on


async def test_the_edits_go_along_to_another_session(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    writer = Writer(session="22222222-2222-4333-8444-555555555555")
    writer.prompt()
    writer.call("Bash", "only", "x" * 9_000)
    writer.say(usage=1_000)
    other = writer.save(tmp_path)
    async with tuned.shown("enter", *"2k", "enter", "t") as pilot:
        tuned.app.open_session(str(other))
        await settle(pilot)
        assert [row.name for row in tuned.rows.values() if row.is_tool] == ["Bash"]
        assert (tuned.value("Bash"), comparison(tuned).mode) == (2_000, "now")
        assert comparison(tuned).since == len(tuned.app.picture.live.requests)  # type: ignore[union-attr]


async def test_it_is_whole_at_any_size(tmp_path: Path) -> None:
    tuned = Tuned(tmp_path)
    async with tuned.shown("enter", *"2k", "enter") as pilot:
        for width, height in ((1, 1), (12, 5), (40, 12), (80, 24), (79, 19), (100, 30), (149, 33), (150, 34), (220, 60)):
            await pilot.resize_terminal(width, height)
            await pilot.pause()
            strips = tuned.app.screen._compositor.render_strips()
            assert len(strips) == height
            assert all(strip.cell_length == width for strip in strips)
        await pilot.resize_terminal(80, 24)
        await settle(pilot)
        assert "results flip" in screen_text(tuned.app)
