"""Tuning in a real terminal: a held key, and an agent of its own process that takes a saved limit up (spec L11, R3)."""

from __future__ import annotations

import json
import re
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spillscope.wrapper import PERSISTED_TAG
from terminal.driver import ESCAPE, SECONDS, Tmux, bare, needs_tmux, tmux
from transcripts import Writer

EDITED = 300
"""Units; every listing of the demo's Bash is longer."""


def bash_results(transcript: Path) -> Iterator[tuple[str, str, Any]]:
    """Id, what the model got, and the tool's own output object, of each result of Bash."""
    calls: dict[str, str] = {}
    for line in transcript.read_text("utf-8").splitlines():
        record = json.loads(line)
        content = record.get("message", {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_use":
                calls[block["id"]] = block["name"]
            elif block.get("type") == "tool_result" and calls.get(block["tool_use_id"]) == "Bash":
                yield block["tool_use_id"], block["content"], record.get("toolUseResult")


def newly_spilled(transcript: Path, known: set[str]) -> str | None:
    """A result of Bash that came lately and went to a file although Bash declares more."""
    for tool_use_id, content, local in bash_results(transcript):
        if tool_use_id not in known and content.startswith(PERSISTED_TAG) and len(local["stdout"]) <= 30_000:
            return tool_use_id
    return None


def wait_for_row(terminal: Tmux, name: str) -> None:
    """Go down until the panel tells of this row."""
    terminal.wait_for(rf"\b{name}\b")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        terminal.press("g")
        for _ in range(20):
            if re.search(rf"\b{name}  declares", terminal.screen()):
                return
            terminal.press("Down")
            time.sleep(0.1)
    raise AssertionError(f"no row {name}:\n{terminal.screen()}")


@needs_tmux
def test_the_demos_agent_spills_at_the_saved_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with tmux(["--demo", "--speed", "4"], columns=120, lines=40) as terminal:
        terminal.wait_for("frozen [1-9]")
        terminal.press("3")
        wait_for_row(terminal, "Bash")
        (limits_file,) = tmp_path.glob("spillscope-demo-*/limits.toml")
        (transcript,) = tmp_path.glob("spillscope-demo-*/projects/*/*.jsonl")
        terminal.press("Enter")
        terminal.press(*str(EDITED), "Enter")
        terminal.wait_for(r"Bash .* 300\*")
        terminal.wait_for("what-if on")
        terminal.press("s")
        terminal.wait_for("given with --limits")
        known = {tool_use_id for tool_use_id, _, _ in bash_results(transcript)}
        terminal.press("Enter")
        terminal.wait_for("saved to")
        assert "# The demo's agent" in limits_file.read_text()
        assert tomllib.loads(limits_file.read_text())["overrides"] == {"Bash": EDITED}
        end = time.monotonic() + SECONDS
        while (spilled := newly_spilled(transcript, known)) is None:
            assert time.monotonic() < end, terminal.screen()
            time.sleep(0.05)
        terminal.press("2")
        terminal.wait_for(r"↓ Bash ")
        terminal.press("/")
        terminal.wait_for("a file's name, an id")
        terminal.press(*spilled[-8:])
        shown = terminal.wait_for("1 of ")
        assert "drift" not in shown
        assert "what-if on" not in shown


@needs_tmux
def test_a_journey_with_a_held_key(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    for number in range(40):
        writer.call("Bash", f"t{number}", "x" * (500 * number), id=f"m{number}")
    writer.say(usage=60_000)
    path = writer.save(tmp_path)
    with tmux([str(path), "--set", "window=200000"], columns=80, lines=24) as terminal:
        terminal.wait_for("frozen")
        terminal.press("3")
        wait_for_row(terminal, "Bash")
        terminal.run("send-keys", "-t", "t", "-N", "60", "-")
        terminal.wait_for(r"Bash .* [0-9.]+k?\*")
        terminal.wait_for("results flip")
        terminal.press("t")
        terminal.wait_for("from now on")
        terminal.press("Tab", ESCAPE, "z", "z")
        terminal.wait_until_gone("what-if on")
        terminal.press("Z")
        terminal.wait_for("what-if on")
        terminal.press("x")
        terminal.wait_for("BASH_MAX_OUTPUT_LENGTH")
        terminal.press("Right", "Right", "Right")
        terminal.wait_for(r"\[overrides\]")
        terminal.press("q")
        terminal.wait_until_gone(r"\[overrides\]")
        terminal.resize(160, 50)
        terminal.wait_for("thresh. from")
        terminal.press("0")
        terminal.wait_until_gone("what-if on")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")


def test_a_name_of_a_tool_is_data(tmp_path: Path) -> None:
    """Content is data wherever it is shown: no sequence of a tool's name reaches the terminal."""
    writer = Writer()
    writer.prompt()
    writer.call("\x1b]0;owned\x07[bold]x", "t1", "y" * 60_000)
    writer.say(usage=9_000)
    with bare([str(writer.save(tmp_path))]) as terminal:
        terminal.wait_for_text("frozen")
        terminal.visit(("3", "default"), ("G", "declares"))
        assert b"\x1b]0;owned" not in terminal.sent
