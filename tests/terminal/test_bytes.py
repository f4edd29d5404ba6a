"""What only the bytes tell: that nothing foreign takes effect, and how the terminal is left."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from terminal.driver import COMMAND, bare
from transcripts import Writer

HOSTILE = "\x1b]0;OWNED\x07\x1b[2J\x1b[?2004z\x9b31m\x90q\x9c\u202eevil\u2066\x07\x7f[red]x[/red] [/tmp/x] 🙂\u200d漢e\u0301"
FOREIGN = (
    b"OWNED\x07",
    b"\x1b]0;",
    b"\x1b[?2004z",
    b"\x1b[2J",
    b"\x7f",
    "\x9b".encode(),
    "\x90".encode(),
    "\u202e".encode(),
    "\u2066".encode(),
)
RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?1003l")


def session(folder: Path) -> Path:
    """A transcript in which every name and text is hostile."""
    writer = Writer(version=f"2.1.88{HOSTILE}", session=f"s{HOSTILE}".replace("/", ""))
    writer.prompt(cwd=f"/srv/tests-of-bytes{HOSTILE}")
    for number in range(3):
        writer.call(f"Bash{HOSTILE}", f"toolu_{number}{HOSTILE}", f"{HOSTILE}\n" * 3_000)
    return writer.save(folder)


def test_no_byte_of_a_session_takes_effect(tmp_path: Path) -> None:
    with bare([str(session(tmp_path))]) as terminal:
        terminal.wait_for(b"mustReapply")
        terminal.visit(("\r", "▾"), ("j", "original"), ("=", "arithmetic"), ("q", "Groups"), ("?", "Words"), ("q", "Groups"))
        terminal.write(b"q")
        assert terminal.wait_for_end() == 0
    for sequence in FOREIGN:
        assert sequence not in terminal.sent, sequence
    assert "␛]0;OWNED␇".encode() in terminal.sent


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_leaves_the_terminal_as_it_was(tmp_path: Path, number: signal.Signals) -> None:
    with bare([str(session(tmp_path))]) as terminal:
        terminal.wait_for(b"mustReapply")
        terminal.signal(number)
        assert terminal.wait_for_end() == 128 + number
    assert all(sequence in terminal.sent for sequence in RESTORED)


def test_no_color_means_no_colour(tmp_path: Path) -> None:
    with bare([str(session(tmp_path))], variables={"NO_COLOR": "1"}) as terminal:
        terminal.wait_for(b"mustReapply")
        terminal.visit(("k\r", "▾"))
        terminal.write(b"q")
        assert terminal.wait_for_end() == 0
    assert terminal.colours() <= {39, 49}
    assert re.search(rb"\x1b\[(\d+;)*7(;\d+)*m", terminal.sent), "the cursor's row is not to be seen"


def test_without_a_terminal_it_says_what_to_do_instead(tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, str(session(tmp_path))], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False
    )
    assert done.returncode == 2
    assert "spillscope report" in done.stderr
    assert len(done.stderr.strip().split("\n")) == 1
