"""Stopping, continuing, hanging up: the terminal is always left clean, and no process stays behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from terminal.driver import SECONDS, Bare, bare, needs_tmux, tmux
from transcripts import Writer

RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1003l")
DRAWN_AGAIN = b"\x1b[?1049h"


def session(folder: Path) -> Path:
    writer = Writer()
    writer.prompt()
    for number in range(3):
        writer.call("Grep", f"toolu_{number}", f"found {number}\n" * 100)
    writer.say()
    return writer.save(folder)


def wait_until_stopped(terminal: Bare) -> None:
    """Read on until the program has stopped itself."""
    end = time.monotonic() + SECONDS
    while os.waitpid(terminal.pid, os.WUNTRACED | os.WNOHANG) == (0, 0):
        terminal.read()
        assert time.monotonic() < end, "it does not stop"
    terminal.read()


@pytest.mark.parametrize("how", ["key", "signal"])
def test_stopped_and_continued(tmp_path: Path, how: str) -> None:
    with bare([str(session(tmp_path))]) as terminal:
        terminal.wait_for(b"mustReapply")
        before = len(terminal.sent)
        if how == "key":
            terminal.write(b"\x1a")
        else:
            terminal.signal(signal.SIGTSTP)
        wait_until_stopped(terminal)
        assert all(sequence in terminal.sent[before:] for sequence in RESTORED)
        terminal.signal(signal.SIGCONT)
        terminal.write(b"")
        terminal.wait_for(DRAWN_AGAIN)
        terminal.wait_for(b"mustReapply")
        terminal.visit(("?", "Words"), ("q", "Groups"))
        terminal.write(b"q")
        assert terminal.wait_for_end() == 0


def test_a_closed_terminal_ends_it(tmp_path: Path) -> None:
    with bare([str(session(tmp_path))]) as terminal:
        terminal.wait_for(b"mustReapply")
        terminal.close()
        assert ended_within(terminal.pid, SECONDS) == 128 + signal.SIGHUP


def ended_within(pid: int, seconds: float) -> int:
    """The exit status of a process that has to end by itself."""
    end = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        assert time.monotonic() < end, "it stays behind"
        time.sleep(0.02)


@needs_tmux
def test_a_closed_window_leaves_no_process(tmp_path: Path) -> None:
    with tmux([str(session(tmp_path))]) as terminal:
        terminal.wait_for("mustReapply")
        pids = terminal.run("list-panes", "-F", "#{pane_pid}").split()
        family = {child for pid in pids for child in descendants(int(pid))}
        assert family
        terminal.run("kill-session", "-t", "t")
        end = time.monotonic() + SECONDS
        while any(Path(f"/proc/{pid}").exists() for pid in family):
            assert time.monotonic() < end, f"{family} stay behind"
            time.sleep(0.02)


def descendants(pid: int) -> list[int]:
    """The processes below one, as Linux knows them."""
    children: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            children += [child, *descendants(child)]
    return children
