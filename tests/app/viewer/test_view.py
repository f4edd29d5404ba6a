"""The viewer as a person has it: opening and paging, searching, folding, selecting, and what happens to a file meanwhile."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.viewer.stand import Stand, of_file, of_text, standing
from spillscope_app.viewer import search as search_module

HOSTILE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202eevil\u2066 [red]x[/red]\x00"


def numbered(path: Path, count: int = 2_000) -> Path:
    path.write_text("".join(f"row {number}\n" for number in range(1, count + 1)))
    return path


async def test_a_file_opens_pages_and_knows_its_lines(tmp_path: Path) -> None:
    async with standing(of_file(numbered(tmp_path / "a.log"))) as stand:
        assert stand.rows[0] == "row 1"
        assert "   1 row 1" in stand.text
        assert "line 1 of 2,000" in stand.text
        await stand.press("pagedown")
        assert stand.rows[0] == "row 21"
        await stand.press("G")
        assert stand.rows[-1] == "row 2000"
        assert "100 %" in stand.text
        await stand.press("k", "k")
        assert stand.rows[-1] == "row 1998"
        await stand.press("g")
        assert stand.rows[0] == "row 1"


async def test_the_wheel_and_the_bar_move_it_too(tmp_path: Path) -> None:
    async with standing(of_file(numbered(tmp_path / "a.log"))) as stand:
        await stand.pilot._post_mouse_events([stand.scroll_down], stand.canvas, offset=(5, 5))
        await stand.pilot.pause()
        assert stand.rows[0] == "row 4"
        await stand.pilot.mouse_down(stand.bar, offset=(0, 0))
        await stand.pilot.hover(stand.bar, offset=(0, 10))
        await stand.pilot.mouse_up(stand.bar, offset=(0, 10))
        await stand.pilot.pause()
        assert 900 < int(stand.rows[0].split()[1]) < 1_200


async def test_a_long_line_is_broken_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_text("head\n" + "漢字👩x" * 25_000 + "\ntail\n")
    async with standing(of_file(path)) as stand:
        assert "".join(stand.rows[1:4]).startswith("漢字👩x" * 10)
        await stand.press("G")
        assert stand.rows[-1] == "tail"
        assert "3 tail" in stand.text
        assert all(strip.cell_length == 80 for strip in stand.app.screen._compositor.render_strips())


async def test_twelve_megabytes_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_bytes(b"0123456789" * 1_200_000)
    async with standing(of_file(path)) as stand:
        await stand.press("G", "pageup", "j")
        assert "line 1 of 1" in stand.text or "1 line" in stand.text
        assert set("".join(stand.rows)) == set("0123456789")


async def test_what_could_act_is_only_text(tmp_path: Path) -> None:
    path = tmp_path / "evil"
    path.write_bytes((HOSTILE.replace("\x00", "") * 300 + "\r\n").encode() + b"\xff\xfe")
    async with standing(of_file(path)) as stand:
        for key in ("v", "v"):
            assert not {char for char in stand.text if char != "\n" and not char.isprintable()}
            await stand.press(key)
        assert "␛]0;owned␇" in stand.text
        await stand.press("G")
        assert "\\xff\\xfe" in stand.text


async def test_a_binary_is_hex_and_can_be_text(tmp_path: Path) -> None:
    path = tmp_path / "bin"
    path.write_bytes(bytes(range(256)) * 100)
    async with standing(of_file(path)) as stand:
        assert "0000000010  10 11 12 13 14 15 16 17  18 19 1a 1b" in stand.text
        await stand.press("pagedown", "v")
        assert "␀" in stand.text or "ABCDEF" in stand.text
        await stand.press("v")
        assert "00000000" in stand.text


async def type_in(stand: Stand, text: str) -> None:
    await stand.press("slash", *text, "enter")


async def test_searching_forward_back_and_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_module, "BLOCK", 64)
    path = tmp_path / "a"
    path.write_text("".join(f"row {number} {'Needle' if number in (3, 500, 1_999) else ''}\n" for number in range(2_000)))
    async with standing(of_file(path)) as stand:
        await type_in(stand, "needle")
        assert "/needle  match 1 of 3" in stand.text
        await stand.press("n")
        assert "match 2 of 3" in stand.text
        assert "row 500 Needle" in stand.rows
        await stand.press("n", "n")
        assert "match 1 of 3" in stand.text
        await stand.press("N")
        assert "match 3 of 3" in stand.text
        assert "row 1999 Needle" in stand.rows
        await stand.press("escape")
        assert "match" not in stand.text
        await type_in(stand, "NEEDLE")
        assert "no match" in stand.text


async def test_a_search_can_be_left_while_typing_and_keys_are_text(tmp_path: Path) -> None:
    async with standing(of_file(numbered(tmp_path / "a"))) as stand:
        await stand.press("slash", "q", "v", "escape")
        assert stand.view.has_focus
        assert stand.rows[0] == "row 1"


async def test_a_search_over_gigabytes_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    path.touch()
    os.truncate(path, 3 << 30)
    async with standing(of_file(path), at_rest=False) as stand:
        await type_in(stand, "zebra")
        await stand.until("esc stops")
        await stand.press("escape")
        await stand.until("stopped: no match so far")


async def test_json_is_folded_by_keys_and_mouse(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"type": "text", "text": "one\ntwo\nthree"}, {"type": "text", "text": "short"}]))
    async with standing(of_file(path, json=True)) as stand:
        assert stand.rows[4:7] == ["      one", "      two", "      three"]
        await stand.press("down", "enter")
        assert "▸   { … 6 lines" in stand.text
        await type_in(stand, "three")
        assert "      three" in stand.rows
        await stand.press("minus")
        assert len(stand.rows) == 4
        await stand.pilot.click(stand.canvas, offset=(5, 1))
        assert stand.rows[:3] == ["[", "  {", '    "type": "text",']
        await stand.press("plus")
        assert len(stand.rows) == 13
        await stand.press("v")
        assert stand.rows[0].startswith('[{"type": "text", "text": "one\\ntwo')


async def test_json_that_is_none_is_text_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"cut')
    async with standing(of_file(path, json=True)) as stand:
        assert "no valid JSON: shown as it is" in stand.text
        assert stand.rows == ['[{"cut']


async def test_the_rule_stands_where_the_preview_ended(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("one\ntwo\nthree and more\n")
    for more, before in (
        ({"preview_text": "one\ntwo"}, ["one", "two"]),
        ({"preview_text": "one\ntwo\nthree"}, ["one", "two", "three"]),
        ({"preview_chars": 5}, ["one", "t"]),
    ):
        async with standing(of_file(path, **more)) as stand:
            assert stand.rows[: len(before) + 1] == [*before, ""]
            assert "here the preview ended" in stand.text
    async with standing(of_file(path, preview_text="another")) as stand:
        assert "preview" not in stand.text


async def test_lines_are_selected_and_copied_clean(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text(f"one\ntwo\t{HOSTILE}\r\nthree\nfour\n".replace("\x00", ""))
    async with standing(of_file(path)) as stand:
        await stand.press("y")
        assert stand.copied == ""
        await stand.press("V", "down", "down", "y")
        assert stand.copied.split("\n")[0] == "one"
        assert stand.copied.split("\n")[2] == "three"
        assert "two\t␛]0;owned␇␛[2J\\x9b31m\\u202eevil" in stand.copied
        await stand.press("escape")
        await stand.pilot.mouse_down(stand.canvas, offset=(9, 3))
        await stand.pilot.hover(stand.canvas, offset=(9, 2))
        await stand.pilot.mouse_up(stand.canvas, offset=(9, 2))
        await stand.press("y")
        assert stand.copied == "three\nfour"
        await stand.press("Y")
        assert stand.copied == str(path.resolve())


async def test_too_much_is_not_copied(tmp_path: Path) -> None:
    async with standing(of_file(numbered(tmp_path / "a", 20_000))) as stand:
        await stand.press("V", "G", "y")
        assert stand.copied == ""
        assert "not copied" in stand.text


async def test_what_the_model_saw_beside_and_in_place(tmp_path: Path) -> None:
    request = of_file(numbered(tmp_path / "a"), model_view="<persisted-output>")
    async with standing(request, (160, 40)) as stand:
        assert "What the model saw" in stand.text
        assert stand.rows[0] == "row 1"
        await stand.press("m")
        assert "What the model saw" not in stand.text
    async with standing(request) as stand:
        assert "What the model saw" not in stand.text
        await stand.press("m")
        assert "<persisted-output>" in stand.text
        assert "row 1" not in stand.text
        await stand.press("m", "j")
        assert stand.rows[0] == "row 2"


async def test_a_text_in_memory() -> None:
    async with standing(of_text("one\ntwo")) as stand:
        assert stand.rows == ["one", "two"]
        await stand.press("Y", "L")
        assert stand.copied == ""
