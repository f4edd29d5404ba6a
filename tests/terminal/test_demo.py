"""`spillscope --demo` in a real terminal: everything within the first minute, and nothing left behind."""

from __future__ import annotations

import re
import signal
import time
from pathlib import Path

import pytest

from terminal.driver import SECONDS, bare, needs_tmux, tmux

pytestmark = needs_tmux


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the demo makes its folder; the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


def wait_until_empty(folder: Path) -> None:
    end = time.monotonic() + SECONDS
    while list(folder.iterdir()):
        assert time.monotonic() < end, f"left: {list(folder.iterdir())}"
        time.sleep(0.02)


def percent(screen: str) -> str:
    found = re.search(r"([\d.]+) %", screen)
    assert found is not None, screen
    return found[1]


def test_all_states_a_moving_gauge_and_a_spill_within_twenty_seconds(temporary: Path) -> None:
    begin = time.monotonic()
    with tmux(["--demo"]) as terminal:
        first = percent(terminal.wait_for(r"[\d.]+ %"))
        start = time.monotonic() - begin
        terminal.wait_for("persisted [1-9].*exempt [1-9].*over budget [1-9]")
        seen = terminal.wait_for("mustReapply [1-9].*frozen [1-9].*fresh [1-9]")
        # What a slow machine takes longer for the start, it takes for all else too.
        assert time.monotonic() - begin < 20.0 + start
        assert float(percent(seen)) > float(first) + 10
        assert "drift" not in seen
        terminal.press("5")
        terminal.wait_for("fresh .* replaced")
        terminal.press("1", "q")
        terminal.wait_for(r"\[exit 0\]")
        assert list(temporary.iterdir()) == []


def test_the_inspector_follows_to_the_next_session(temporary: Path) -> None:
    with tmux(["--demo", "--speed", "80", "--seed", "harbour"]) as terminal:
        first = re.search("harbour +([0-9a-f]{8}) ", terminal.wait_for("harbour +[0-9a-f]{8} "))
        assert first is not None
        terminal.wait_for(f"harbour +(?!{first[1]})[0-9a-f]{{8}} ", seconds=90.0)
        terminal.wait_for("mustReapply [1-9]")
        terminal.press("q")
        terminal.wait_for(r"\[exit 0\]")
        assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_of_an_inspector_that_a_signal_ends(temporary: Path, number: signal.Signals) -> None:
    with bare(["--demo", "--speed", "20"]) as terminal:
        terminal.wait_for(b"mustReapply")
        assert list(temporary.iterdir())
        terminal.signal(number)
        status = terminal.wait_for_end()
        assert status == (-signal.SIGKILL if number == signal.SIGKILL else 128 + number)
        wait_until_empty(temporary)


@pytest.mark.parametrize("words", [["some/path"], ["--override", "Bash=12k"]])
def test_the_demo_takes_no_path_and_no_limits(words: list[str], temporary: Path) -> None:
    with tmux(["--demo", *words]) as terminal:
        screen = terminal.wait_for(r"\[exit 2\]")
        assert "--demo brings its own session and limits" in screen
        assert list(temporary.iterdir()) == []
