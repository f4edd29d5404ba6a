"""Journeys among many sessions in a real terminal: pick, search, open, look at events, jump, switch, quit."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from terminal.driver import Tmux, append, bare, needs_tmux, tmux
from transcripts import Writer, lines

pytestmark = needs_tmux


def write(path: Path, cwd: str, hour: int, age: float = 3_600.0) -> Writer:
    """A session whose last group is over its budget, with one of its results replaced."""
    writer = Writer()
    writer.prompt(cwd=cwd, timestamp=f"2026-01-02T{hour:02d}:00:00.000Z")
    for number in range(30):
        writer.call("Grep", f"toolu_{hour}_{number}", f"found {number}\n" * 40)
    calls = [f"toolu_{hour}_big{at}" for at in range(5)]
    writer.say(*({"type": "tool_use", "id": one, "name": "Glob", "input": {"pattern": "**/*.rs"}} for one in calls))
    for one in calls:
        writer.result(one, "x" * 48_000)
    writer.say(usage=60_000)
    writer.replace(calls[0], "<persisted-output>\nOutput too large\n</persisted-output>")
    for record in writer.records:
        record["cwd"] = cwd
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(writer.records))
    os.utime(path, (time.time() - age, time.time() - age))
    return writer


def projects(root: Path) -> Path:
    write(root / "-srv-harbour" / "aaaa1111.jsonl", "/srv/harbour", 1)
    write(root / "-srv-tides" / "bbbb2222.jsonl", "/srv/tides", 2)
    write(root / "-srv-moon" / "cccc3333.jsonl", "/srv/moon", 3, age=5)
    return root


def row_of(terminal: Tmux, text: str) -> int:
    return next(at for at, line in enumerate(terminal.screen().split("\n")) if text in line)


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (160, 50)])
def test_from_the_picker_to_an_event_and_to_a_newer_session(tmp_path: Path, columns: int, rows: int) -> None:
    root = projects(tmp_path / "projects")
    with tmux([str(root)], columns, rows) as terminal:
        terminal.wait_for(r"● live \d+s +/srv/moon")
        terminal.press("/")
        terminal.wait_until_gone("q quit")
        terminal.press(*"tide")
        terminal.wait_for("1 of 3")
        terminal.press("Enter")
        terminal.wait_for("bbbb2222.*idle 1h")
        terminal.press("5")
        terminal.wait_for("group 30: 5 fresh 240k > 200k → Glob 48k replaced")
        terminal.press("g", "Enter")
        terminal.wait_for(r"(?s)f follows the newest.*▸ +30 ")
        terminal.resize(60, 18)
        terminal.wait_for("30 ")
        terminal.resize(columns, rows)
        append(root / "-srv-tides" / "dddd4444.jsonl", lines(write(tmp_path / "x.jsonl", "/srv/tides", 9).records))
        terminal.wait_for("newer session: ] goes to it|] newer")
        terminal.press("]")
        terminal.wait_for("dddd4444.*live")
        terminal.press("6")
        terminal.wait_for("▸ /srv/tides")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")


def test_with_the_mouse_alone(tmp_path: Path) -> None:
    root = projects(tmp_path / "projects")
    with tmux([str(root)], 130, 30) as terminal:
        terminal.wait_for("/srv/tides")
        row = row_of(terminal, "/srv/tides")
        terminal.click(20, row)
        terminal.click(20, row)
        terminal.wait_for("bbbb2222.*idle 1h")
        terminal.click(terminal.screen().split("\n")[29].index("5 events"), 29)
        terminal.wait_for("240k > 200k")
        row = row_of(terminal, "240k > 200k")
        terminal.click(20, row)
        terminal.click(20, row)
        terminal.wait_for("(?s)mustReapply.*▸ +30 ")
        terminal.click(terminal.screen().split("\n")[29].index("6 sessions"), 29)
        terminal.wait_for("/srv/moon")
        terminal.click(terminal.screen().split("\n")[29].index("q quit"), 29)
        terminal.wait_for(r"\[exit 0\]")


def test_a_newer_session_is_followed_by_itself(tmp_path: Path) -> None:
    root = projects(tmp_path / "projects")
    with tmux(["--follow-project", str(root / "-srv-tides" / "bbbb2222.jsonl")]) as terminal:
        terminal.wait_for("bbbb2222")
        append(root / "-srv-tides" / "eeee5555.jsonl", lines(write(tmp_path / "x.jsonl", "/srv/tides", 9).records))
        terminal.wait_for("eeee5555.*live")


def test_without_a_session_of_this_directory_the_picker_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(os.environ["CLAUDE_CONFIG_DIR"]) / "projects"
    here = tmp_path / "work"
    here.mkdir()
    monkeypatch.chdir(here)
    with tmux([], 100, 30) as terminal:
        terminal.wait_for("Waiting for a session of .*work")
        terminal.wait_for("There are no sessions to list yet")
        name = "".join(char if char.isalnum() else "-" for char in str(here))
        write(root / name / "ffff6666.jsonl", str(here), 4, age=0)
        terminal.wait_for("ffff6666.*live")


def test_the_new_screens_need_no_colour_and_no_glyphs(tmp_path: Path) -> None:
    root = projects(tmp_path / "projects")
    with bare(["--ascii", str(root)], variables={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for_text("o live")
        terminal.visit(("\r", "Groups"), ("5", "240k > 200k > Glob 48k replaced"))
        terminal.write(b"q")
        assert terminal.wait_for_end() == 0
    assert terminal.sent.isascii()
    assert terminal.colours() <= {39, 49}
