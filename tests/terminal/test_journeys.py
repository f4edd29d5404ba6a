"""Whole journeys in a real terminal, beside a session that grows."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from terminal.driver import append, needs_tmux, tmux
from transcripts import Writer, lines

pytestmark = needs_tmux


def session(folder: Path, groups: int = 3) -> tuple[Writer, Path]:
    """A transcript of some groups; the writer can go on with it."""
    writer = Writer()
    writer.prompt()
    for number in range(groups):
        writer.call("Grep", f"toolu_{number}", f"found {number}\n" * 100)
    writer.say()
    return writer, writer.save(folder)


def more_of(writer: Writer, tool_use_id: str, content: object) -> bytes:
    """The lines that one more call adds."""
    before = len(writer.records)
    writer.call("Bash", tool_use_id, content)
    return lines(writer.records[before:])


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (160, 50)])
def test_watch_a_session_grow(tmp_path: Path, columns: int, rows: int) -> None:
    writer, path = session(tmp_path)
    begun = time.monotonic()
    with tmux([str(path)], columns, rows) as terminal:
        terminal.wait_for("events")
        terminal.wait_for(r"2 .*1 +■ +Grep")
        start = time.monotonic() - begun
        append(path, more_of(writer, "toolu_new", "all is well\n" * 2_000))
        written = time.monotonic()
        terminal.wait_for(r"next .* 24\.0k")
        # Within a second; a machine that is slow now took its time for the start too.
        assert time.monotonic() - written < 1.0 + start
        terminal.press("Enter", "Down")
        terminal.wait_for(r"(?s)▾ +next .*\+ Bash")
        terminal.wait_for("─ . Bash")
        terminal.press("k", "k", "Enter")
        opened = r"(?s)f follows the newest.*▾ +2 .*■ Grep"
        terminal.wait_for(opened)
        append(path, more_of(writer, "toolu_newer", "and again\n" * 50))
        assert re.search(opened, terminal.wait_for(r"▸ +next .* 500 "))
        terminal.press("f")
        terminal.wait_for("following")
        terminal.press("=")
        terminal.wait_for("arithmetic of the gauge")
        terminal.press("Escape")
        terminal.wait_until_gone("arithmetic of the gauge")
        terminal.resize(60, 18)
        terminal.wait_for("next")
        terminal.resize(columns, rows)
        terminal.wait_for("mustReapply")
        terminal.press("?")
        terminal.wait_for("What the words, marks and keys mean")
        terminal.press("q")
        terminal.wait_until_gone("What the words, marks and keys mean")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (160, 50)])
def test_filter_look_into_and_flip(tmp_path: Path, columns: int, rows: int) -> None:
    writer, path = session(tmp_path, groups=9)
    writer.call("Fetch", "toolu_page", "the tides of \x1b]0;owned\x07 the north\n" * 40)
    writer.say()
    writer.save(tmp_path)
    with tmux([str(path)], columns, rows) as terminal:
        terminal.wait_for(r"■ +Fetch")
        terminal.press("/")
        terminal.wait_for("a call, a tool, an id")
        terminal.press(*"grep")
        terminal.wait_for("“grep”  9 of 10")
        terminal.press("Escape")
        terminal.wait_until_gone("9 of 10")
        terminal.press("/")
        terminal.wait_for("a call, a tool, an id")
        terminal.press(*"north", "Enter")
        terminal.wait_for("“north”  1 of 10")
        terminal.press("m")
        screen = terminal.wait_for(r"the tides of ␛]0;owned␇ the north")
        assert "[Model view]" in screen
        line = next(at for at, text in enumerate(screen.split("\n")) if "[Model view]" in text)
        terminal.click(screen.split("\n")[line].index("Record") + 1, line)
        terminal.wait_for('"toolUseId"|"type": "user"')
        terminal.press("x")
        terminal.wait_until_gone("1 of 10")
        terminal.press("e")
        terminal.wait_for(r"▾ +9 ")
        terminal.press("E")
        terminal.wait_for(r"▸ +9 ")
        terminal.press("b")
        terminal.wait_for("what-if: budget off")
        terminal.press("b")
        terminal.wait_until_gone("what-if: budget off")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")


def test_the_mouse_opens_a_group(tmp_path: Path) -> None:
    _, path = session(tmp_path)
    with tmux([str(path)]) as terminal:
        screen = terminal.wait_for(r"▸ +1 ").split("\n")
        row = next(at for at, text in enumerate(screen) if text.startswith("▸     1"))
        terminal.click(0, row)
        terminal.wait_for(r"▾ +1 (.|\n)*■ Grep")


def test_a_session_that_is_not_there_yet_is_waited_for(tmp_path: Path) -> None:
    writer, _ = session(tmp_path)
    awaited = tmp_path / "later.jsonl"
    with tmux([str(awaited)]) as terminal:
        terminal.wait_for("Waiting for a session that is not there yet")
        append(awaited, lines(writer.records))
        terminal.wait_for(r"▸ +2 ")


def test_a_rewritten_and_a_removed_file(tmp_path: Path) -> None:
    _, path = session(tmp_path, groups=5)
    (tmp_path / "other").mkdir()
    _, elsewhere = session(tmp_path / "other", groups=2)
    with tmux([str(path)]) as terminal:
        terminal.wait_for(r"▸ +4 ")
        elsewhere.replace(path)
        terminal.wait_until_gone(r"▸ +4 ")
        terminal.wait_for(r"▸ +1 ")
        path.unlink()
        terminal.wait_for("waiting|not up to date|unreadable")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01\xff\xfe" * 5_000, b'{"type":"user"', b"[]\n"], ids=["empty", "binary", "torn", "list"]
)
def test_a_file_that_is_no_session_gives_no_traceback(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    with tmux([str(path)]) as terminal:
        screen = terminal.wait_for("No tool results yet")
        assert "Traceback" not in screen
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")


def test_a_path_that_leads_nowhere_is_one_line(tmp_path: Path) -> None:
    with tmux([str(tmp_path / "nowhere")]) as terminal:
        screen = terminal.wait_for(r"\[exit 2\]")
        assert "no such session" in screen
        assert "Traceback" not in screen


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (160, 50)])
def test_go_back_in_time_and_return(tmp_path: Path, columns: int, rows: int) -> None:
    writer, path = session(tmp_path, groups=12)
    with tmux([str(path)], columns, rows) as terminal:
        terminal.wait_for(r"11 .*1 +■ +Grep")
        terminal.press("4")
        terminal.wait_for("Context per request  13 requests")
        terminal.press("Left", "Left", "Left")
        terminal.wait_for("as of request 11 · End: live")
        terminal.wait_for("request 11 of 13")
        terminal.press("1")
        terminal.wait_for(r"next .*1 +\+ +Grep")
        append(path, more_of(writer, "toolu_new", "all is well\n" * 2_000))
        terminal.press("4")
        screen = terminal.wait_for("Context per request  14 requests")
        assert "as of request 11" in screen
        terminal.press("5")
        terminal.wait_for("─ Events")
        assert "as of request 11" in terminal.wait_for("End live")
        terminal.press("End")
        terminal.wait_until_gone("as of request")
        terminal.press("1")
        terminal.wait_for(r"next .* 24\.0k")
        terminal.press("=")
        terminal.wait_for("= likely")
        terminal.press("Escape")
        terminal.wait_until_gone("= likely")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")
