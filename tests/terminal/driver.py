"""Real terminals for tests: a tmux server of its own, and a bare pty whose bytes can be read."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fcntl import ioctl
from pathlib import Path

import pytest

SECONDS = 45.0
"""How long a test waits for what has to come: a loaded machine is slow, a broken program never gets there."""
ESCAPE = "\x1b[27u"
"""The escape key as a sequence of its own: a bare ESC and a key that comes soon after it are alt and that key."""
_POLL = 0.02
_QUIET = 0.15
COMMAND = [sys.executable, "-c", "from spillscope_app.cli import main; main()"]

needs_tmux = pytest.mark.skipif(
    shutil.which("tmux") is None and "CI" not in os.environ, reason="tmux is not installed: apt-get install tmux"
)


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "COLORTERM": "truecolor", "LANG": "C.UTF-8", "TEXTUAL_ANIMATIONS": "none", **more}


class Tmux:
    """A program in a terminal window that can be typed into, resized and read."""

    def __init__(self, socket: str) -> None:
        self._socket = socket

    def run(self, *arguments: str) -> str:
        """One tmux command on this test's own server."""
        done = subprocess.run(["tmux", "-L", self._socket, *arguments], capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def press(self, *keys: str) -> None:
        """Keys by tmux's names."""
        self.run("send-keys", "-t", "t", *keys)

    def click(self, column: int, row: int) -> None:
        """Press and release the left button; cells count from 0."""
        for end in "Mm":
            self.run("send-keys", "-t", "t", "-l", f"\x1b[<0;{column + 1};{row + 1}{end}")

    def find(self, text: str) -> tuple[int, int]:
        """The cell in which a text begins: its column and its row."""
        for row, line in enumerate(self.wait_for(re.escape(text)).split("\n")):
            if text in line:
                return line.index(text), row
        raise LookupError(text)

    def resize(self, columns: int, lines: int) -> None:
        self.run("resize-window", "-t", "t", "-x", str(columns), "-y", str(lines))

    def screen(self) -> str:
        """What is to be seen."""
        return self.run("capture-pane", "-p", "-t", "t")

    def wait_for(self, pattern: str, seconds: float = SECONDS) -> str:
        """The screen as soon as it shows a pattern."""
        return self._wait(lambda screen: re.search(pattern, screen) is not None, pattern, seconds)

    def wait_until_gone(self, pattern: str, seconds: float = SECONDS) -> str:
        """The screen as soon as it no longer shows a pattern."""
        return self._wait(lambda screen: re.search(pattern, screen) is None, f"no {pattern}", seconds)

    def _wait(self, test: object, what: str, seconds: float) -> str:
        assert callable(test)
        end = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if test(screen):
                return screen
            assert time.monotonic() < end, f"waited {seconds} s for {what!r}; the screen:\n{screen}"
            time.sleep(_POLL)


@contextmanager
def tmux(arguments: list[str], columns: int = 120, lines: int = 36) -> Iterator[Tmux]:
    """The program in a window of this size; `[exit N]` is shown when it has ended."""
    terminal = Tmux(f"spillscope-{uuid.uuid4().hex[:12]}")
    command = f"{shlex.join([*COMMAND, *arguments])}; printf '\\n[exit %s]\\n' $?; sleep 600"
    variables = [f"{name}={value}" for name, value in _environment(TERM="tmux-256color").items()]
    size = ["-x", str(columns), "-y", str(lines)]
    try:
        subprocess.run(
            [
                "tmux",
                "-L",
                terminal._socket,
                "-f",
                "/dev/null",
                "new-session",
                "-d",
                "-s",
                "t",
                *size,
                shlex.join(["env", "-i", *variables, "sh", "-c", command]),
            ],
            check=True,
            capture_output=True,
            timeout=SECONDS,
        )
        terminal.run("set", "-sg", "escape-time", "0", ";", "set", "-g", "status", "off")
        yield terminal
    finally:
        subprocess.run(["tmux", "-L", terminal._socket, "kill-server"], capture_output=True, timeout=SECONDS, check=False)


class Bare:
    """A program on a pty, and every byte that it sent."""

    def __init__(self, pid: int, handle: int) -> None:
        self.pid, self._handle = pid, handle
        self.sent = b""
        self._answer = 0  # where what came after the last write begins

    def write(self, data: bytes) -> None:
        self._answer = len(self.sent)
        os.write(self._handle, data)

    def visit(self, *steps: tuple[str, str]) -> None:
        """Press keys, each when all that the one before brought has been drawn, waiting for what each brings."""
        for key, answer in steps:
            self.settle()
            self.write(key.encode())
            self.wait_for_text(answer)
        self.settle()

    def settle(self) -> None:
        """Read until nothing more comes for a moment, so that what is next waited for is not what was under way."""
        end = time.monotonic() + SECONDS
        heard, last = len(self.sent), time.monotonic()
        while time.monotonic() - last < _QUIET and self.read():
            assert time.monotonic() < end, "it draws and draws"
            if len(self.sent) != heard:
                heard, last = len(self.sent), time.monotonic()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def wait_for(self, needle: bytes, seconds: float = SECONDS) -> None:
        """Read until the program has sent these bytes after what was last written to it."""
        end = time.monotonic() + seconds
        while needle not in self.sent[self._answer :]:
            assert time.monotonic() < end, f"waited for {needle!r}; got {self.sent[-2000:]!r}"
            assert self.read() or needle in self.sent, f"it ended before {needle!r}; got {self.sent[-2000:]!r}"

    def wait_for_text(self, text: str, seconds: float = SECONDS) -> None:
        """Read until the program has drawn this text, whatever its colours, after what was last written to it."""
        end = time.monotonic() + seconds
        while text not in self.drawn():
            assert time.monotonic() < end, f"waited for {text!r}; got {self.drawn()[-3000:]!r}"
            assert self.read() or text in self.drawn(), f"it ended before {text!r}; got {self.drawn()[-3000:]!r}"

    def drawn(self) -> str:
        """What was drawn after what was last written, without colours and moves."""
        return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", self.sent[self._answer :].decode("utf-8", "replace"))

    def colours(self) -> set[int]:
        """The codes of colours that were sent; 39 and 49 are the terminal's own."""
        codes = {int(code or 0) for found in re.findall(rb"\x1b\[([\d;]*)m", self.sent) for code in found.split(b";")}
        return {code for code in codes if 30 <= code <= 49 or 90 <= code <= 107}

    def wait_for_end(self) -> int:
        """Read to the end; the program's exit status, or minus the signal that ended it."""
        end = time.monotonic() + SECONDS
        while self.read():
            assert time.monotonic() < end, "it does not end"
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def close(self) -> None:
        """Hang up."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1

    def read(self) -> bool:
        """Take what there is; False when the other end is closed."""
        if select.select([self._handle], [], [], _POLL)[0]:
            try:
                data = os.read(self._handle, 65_536)
            except OSError:  # how Linux says that the other end is closed
                return False
            self.sent += data
            return bool(data)
        return True


@contextmanager
def bare(
    arguments: list[str], columns: int = 120, lines: int = 36, variables: Mapping[str, str] | None = None
) -> Iterator[Bare]:
    """The program on a bare pty of this size."""
    environment = _environment(TERM="xterm-256color", **(variables or {}))
    pid, handle = pty.fork()
    if pid == 0:
        os.execve(COMMAND[0], [*COMMAND, *arguments], environment)
    ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    terminal = Bare(pid, handle)
    try:
        yield terminal
    finally:
        terminal.close()
        _end(pid)


def _end(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):  # it has ended by itself
        pass


def append(path: Path, data: bytes) -> None:
    """Add bytes to a live file, as an agent does."""
    with path.open("ab") as file:
        file.write(data)
