"""The detail's tabs: what they show, how they are reached, and that nothing stale or live ever comes through them."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import pytest
from textual.pilot import Pilot

from app.inspector.driving import Bench, screen_text
from app.inspector.readings import full_group, group, live, quiet_groups, reading, result
from spillscope.session.contents import Look, What
from spillscope.session.reading import Result
from spillscope.wrapper import build_large_tool_result_message
from spillscope_app.screens.detail import Detail
from spillscope_app.spans import Line, width_of
from spillscope_app.views.contents import content_lines, original_request, text_lines

SIZE = (120, 36)


def text(lines: list[Line]) -> str:
    return "\n".join("".join(span.text for span in spans) for spans in lines)


def drawn(what: What, look: Look, shown: Result, width: int = 60) -> str:
    lines = list(content_lines(what, look, shown)(width))
    assert all(width_of(spans) <= width for spans in lines)
    return text(lines)


BASH = result("Bash", "cat big.log", 60_000, "persisted", None, "L8.3", "persisted")


def test_a_preview_is_marked_as_such() -> None:
    wrapped = build_large_tool_result_message("line of a log\n" * 4_000, "/p/s/tool-results/x.txt")
    lines = content_lines("model", Look("inline", wrapped, len(wrapped), len(wrapped)), BASH)(80)
    inks = {span.text: span.ink for spans in lines for span in spans}
    assert inks["<persisted-output>"] == inks["</persisted-output>"] == inks["..."] == "persisted"
    assert inks["/p/s/tool-results/x.txt"] == "strong"
    assert inks["line of a log"] == ""


@pytest.mark.parametrize(
    ("look", "words"),
    [
        (Look("missing", path="/p/x\x1b[2J"), "not there any more:\n/p/x␛[2J"),
        (Look("unknown"), "only the preview is left"),
        (Look("gone"), "the file was rewritten"),
        (Look("too large", total=17_000_000), "one line of 17.0M \nbytes."),
    ],
)
def test_an_original_that_is_not_there_says_why(look: Look, words: str) -> None:
    assert words in drawn("original", look, BASH)


@pytest.mark.parametrize(
    ("look", "words"),
    [
        (Look("file", "abc", 65_536, 120_000, "/p/x\x1b", "/p/x"), "In its spill file: 60,000 chars.\n/p/x␛"),
        (Look("local", "abc", 3, 3), "local copy in the transcript: 60,000 chars."),
        (Look("inline", "abc", 3, 9), "In full in the transcript: 60,000 chars.\nIts first 3 bytes, of 9 bytes."),
    ],
)
def test_an_original_is_shown_whole_under_what_it_is(look: Look, words: str) -> None:
    request = original_request(look, BASH)
    assert text(list(request.facts)).endswith(words)
    assert (request.path, request.content) == (("/p/x", None) if look.real else (None, b"abc"))


def test_long_lines_are_cut_and_broken_and_nothing_acts() -> None:
    lines = text_lines("x" * 5_000 + "\r\n\ttab\x1b]0;t\x07\n漢字" * 2, 50)
    assert "… 904 more characters on this line" in text(lines)
    assert "    tab␛]0;t␇" in text(lines)
    assert all(width_of(spans) <= 50 for spans in lines)
    assert text_lines("", 10) == [()]


async def ready(pilot: Pilot[None]) -> Detail:
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return pilot.app.screen.query_one("#detail", Detail)


async def settled(pilot: Pilot[None]) -> str:
    """The screen once the content that is looked at has been read."""
    await pilot.pause(0.1)
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
    return screen_text(pilot.app)


async def test_keys_and_mouse_reach_every_tab() -> None:
    bench = Bench(live())
    async with bench.app.run_test(size=SIZE) as pilot:
        detail = await ready(pilot)
        await pilot.press("up", "enter", "down")
        for key, tab in [("m", "model"), ("o", "original"), ("r", "record")]:
            await pilot.press(key)
            assert detail.tab == tab
            assert f"the {tab} of **/*.rs" in await settled(pilot)
        await pilot.press("w")
        assert "the budget's pick 1 of 1" in await settled(pilot)
        seen = []
        for key in ("full_stop", "full_stop", "comma"):
            await pilot.press(key)
            seen.append(detail.tab)
        assert seen == ["record", "model", "record"]
        row = next(line for line in screen_text(bench.app).split("\n") if "Original" in line)
        start = row.index(" Model view")
        await pilot.click("#tabs", offset=(row.index("Original") - start, 0))
        assert detail.tab == "original"


async def test_a_group_with_one_result_stands_for_it_and_one_of_many_asks() -> None:
    bench = Bench(reading([group(0, [BASH]), full_group(1)]))
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("m")
        assert "5 results: open the group" in await settled(pilot)
        await pilot.press("up")
        assert "the model of cat big.log" in await settled(pilot)


async def test_an_update_reads_nothing_again_and_keeps_the_place() -> None:
    bench = Bench(live(20))
    label = full_group(20).results[0]
    lines = "\n".join(f"row {number}" for number in range(300))
    bench.shelf.looks[label.row.tool_use_id, "original"] = Look("inline", lines, 9, 9)
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("up", "enter", "down", "o")
        await settled(pilot)
        await pilot.press("tab", "pagedown", "pagedown")
        before = bench.shelf.looked.copy()
        shown = await settled(pilot)
        await bench.deliver(live(20, version=2), pilot)
        assert bench.shelf.looked == before
        assert screen_text(bench.app) == shown


async def test_a_slow_look_never_shows_under_another_selection(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(reading(quiet_groups(9)))
    gate = threading.Event()
    look = bench.shelf.look

    def slow(shown: Result, what: What) -> Look:
        if shown.row.label.startswith("fn open_6"):
            gate.wait(60)
        return look(shown, what)

    monkeypatch.setattr(bench.shelf, "look", slow)
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        monkeypatch.setattr("quiet.LEFT_ALONE", {"feed", "content"})
        await pilot.press("up", "up", "enter", "down", "m")
        assert "Reading …" in screen_text(bench.app)
        await pilot.press("down")
        gate.set()
        shown = await settled(pilot)
        assert "the model of cat target/trace.log" in shown
        assert "the model of fn open_6" not in shown


HOSTILE = [
    "\x1b]0;owned\x07\x1b[2J",
    "\x9b31m\x90q\x9c",
    "\u202eevil\u2066\u200b",
    "[red]x[/red]",
    "\ud800\x00\r\n\t",
    "👨\u200d👩 漢\u0301 ❤\ufe0f",
]


@pytest.mark.parametrize("evil", HOSTILE, ids=["esc", "c1", "bidi", "markup", "surrogate", "emoji"])
async def test_hostile_content_is_only_text(evil: str) -> None:
    shown = result("Bash", evil, 60_000, "persisted", None, "L8.3", "persisted", tool_use_id="id")
    bench = Bench(reading([group(0, [shown])]))
    wrapped = (
        f"<persisted-output>\nOutput too large (58.6KB). Full output saved to: /p/{evil}\n\nPreview (first 2KB):\n{evil}\n"
    )
    for what, look in (
        ("model", Look("inline", wrapped, 10, 20)),
        ("original", Look("file", evil * 900, 10, 20, f"/p/{evil}")),
        ("record", Look("inline", f'{{"a": "{evil}"}}', 10, 20)),
    ):
        bench.shelf.looks["id", what] = look  # type: ignore[index]
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        for key in "mor":
            await pilot.press(key)
            screen = await settled(pilot)
            assert not {char for char in screen if char != "\n" and not char.isprintable()}
            assert all(strip.cell_length == SIZE[0] for strip in bench.app.screen._compositor.render_strips())


async def test_the_original_of_a_spill_is_its_whole_file_and_the_preview_ends_in_it(tmp_path: Path) -> None:
    path = (tmp_path / "a.txt").resolve()
    path.write_text("".join(f"row {number}\n" for number in range(90_000)))
    shown = result("Bash", "cat big", 990_000, "persisted", None, "L8.3", "persisted", tool_use_id="id")
    bench = Bench(reading([group(0, [shown])]))
    preview = "".join(f"row {number}\n" for number in range(3)).rstrip("\n")
    bench.shelf.looks["id", "original"] = Look("file", "row 0", 5, 9, str(path), str(path), preview)
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("o")
        screen = await settled(pilot)
        assert re.search(r"3 row 2\n.*here the preview ended.*\n.* 4 row 3", screen)
        await pilot.press("tab", "G")
        assert "90000 row 89999" in await settled(pilot)
        await pilot.press("w")
        assert bench.app.screen.query_one("#detail", Detail).content.has_focus
        await pilot.press("escape")
        assert bench.app.screen.query_one("#list").has_focus


async def test_an_original_that_stayed_behind_is_missing_and_may_be_asked_for() -> None:
    shown = result("Bash", "cat big", 990_000, "persisted", None, "L8.3", "persisted", tool_use_id="id")
    bench = Bench(reading([group(0, [shown])]))
    bench.shelf.looks["id", "original"] = Look("moved", path="/home/before/t1.txt")
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("o", "tab")
        screen = await settled(pilot)
        assert "It is missing here" in screen
        assert "/home/before/t1.txt" in screen
        assert "O opens it nevertheless" in screen
        assert "outside" not in screen.replace("open outside", "")


async def test_an_original_outside_is_opened_only_after_two_keys(tmp_path: Path) -> None:
    path = tmp_path / "b\x1b[2J.txt"
    path.write_text("a secret")
    shown = result("Bash", "cat big", 990_000, "persisted", None, "L8.3", "persisted", tool_use_id="id")
    bench = Bench(reading([group(0, [shown])]))
    bench.shelf.looks["id", "original"] = Look("outside", path=str(path))
    async with bench.app.run_test(size=SIZE) as pilot:
        await ready(pilot)
        await pilot.press("o", "tab")
        assert "It is not opened" in await settled(pilot)
        await pilot.press("O")
        assert "Open it nevertheless?" in await settled(pilot)
        await pilot.press("n")
        assert "a secret" not in await settled(pilot)
        await pilot.press("O", "y")
        assert "a secret" in await settled(pilot)
