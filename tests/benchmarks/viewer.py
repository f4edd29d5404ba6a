"""The viewer against the tools that people would take instead: `less` on the same file, and `grep -c`."""

from __future__ import annotations

import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import ioctl
from functools import partial
from pathlib import Path

from benchmarks.measure import Figure, in_turn, timed
from benchmarks.screen import opened, rest
from spillscope_app.viewer.blob import open_file
from spillscope_app.viewer.search import Needle, Search
from terminal.driver import SECONDS, Bare
from transcripts import Writer, wrapper

SPARSE_BYTES = 3 << 30
OPEN_MS, GROWTH_MB = 100.0, 50.0
SLOWEST_SEARCH = 3.3
"""At least 0.3 of the throughput of `grep -c`."""
_COLUMNS, _LINES = 120, 36
_ABSENT, _COMMON = "Zebra", "value 11"


def viewer_figures(home: Path, megabytes: int, rounds: int) -> list[Figure]:
    """Searching, opening, paging, and three gigabytes."""
    session, text, _ = write_session(home / "-srv-app", megabytes)
    figures = searching(text, rounds)
    with opened(session, home) as terminal:
        terminal.visit(("2", "on disk"), ("g", "a.txt"))
        figures += against_less(terminal, text, rounds) if shutil.which("less") else []
        figures += sparse(terminal, rounds) if Path("/proc/self/status").exists() else []
    return figures


def write_session(folder: Path, megabytes: int) -> tuple[Path, Path, Path]:
    """A session with two spills: a log of so many megabytes, and nothing but a hole of three gigabytes."""
    writer = Writer()
    spills = folder / writer.session / "tool-results"
    spills.mkdir(parents=True)
    text, hole = spills / "a.txt", spills / "b.txt"
    with text.open("w") as file:
        for row in range(megabytes * 12_500):  # of 80 bytes
            file.write(f"row {row:09d} INFO module.{row % 10} something happened with value {row % 100:09d} {'-' * 6}\n")
    hole.touch()
    os.truncate(hole, SPARSE_BYTES)
    writer.prompt()
    for name, path in (("a", text), ("b", hole)):
        writer.call("Bash", name, wrapper("x" * 60_000, str(path)))
    writer.say(usage=60_000)
    return writer.save(folder), text, hole


def searching(path: Path, rounds: int) -> list[Figure]:
    """All matches counted, in this process against a process of `grep`."""

    def count(needle: str) -> None:
        Search(open_file(os.path.realpath(path)), Needle(needle)).count(lambda: False)

    def grep(*arguments: str) -> None:
        subprocess.run(["grep", "-cF", *arguments, str(path)], stdout=subprocess.DEVNULL, check=False)

    figures = []
    for name, needle, flags in (
        ("nothing found", _ABSENT, ()),
        ("any case, nothing found", _ABSENT.lower(), ("-i",)),
        ("any case, in every hundredth line", _COMMON, ("-i",)),
    ):
        ours, theirs = in_turn(rounds, partial(timed, partial(count, needle)), partial(timed, partial(grep, *flags, needle)))
        figures.append(Figure(f"search, {name} / grep -c", ours, theirs, "s", SLOWEST_SEARCH))
    return figures


def against_less(terminal: Bare, path: Path, rounds: int) -> list[Figure]:
    """From a key, or from the start of `less`, to the rows that it brings."""

    def open_ours() -> float:
        taken = until(terminal, b"\r", rb"row 000000000")
        back(terminal)
        return taken

    def open_less() -> float:
        start = time.perf_counter()
        with less(path) as other:
            read_until(other, 0, rb"row 000000000")
            return 1_000 * (time.perf_counter() - start)

    ours, theirs = in_turn(rounds, open_ours, open_less)
    figures = [Figure("open a file, key to first row / start of less", ours, theirs, "ms")]
    until(terminal, b"\r", rb"row 000000000")
    with less(path) as other:
        read_until(other, 0, rb"row 000000000")
        ours, theirs = in_turn(10 * rounds, partial(paged, terminal), partial(paged, other))
    back(terminal)
    return [*figures, Figure("a page on, key to first row / less", ours, theirs, "ms")]


def sparse(terminal: Bare, rounds: int) -> list[Figure]:
    """Three gigabytes of which nothing was written: NULs, shown as hex."""
    terminal.visit(("j", "b.txt"))
    before = memory_of(terminal.pid)
    taken = []
    for _ in range(rounds):
        taken.append(until(terminal, b"\r", rb"0000000000"))
        back(terminal)
    terminal.visit(("\r", "0000000000  00"), ("G", "00bffffff0"), ("/", "find in this text"), ("zebra\r", "no match"))
    grown = memory_of(terminal.pid) - before
    return [
        Figure(f"open 3 GB / {OPEN_MS:.0f} ms", taken, [OPEN_MS] * rounds, "ms", 1.0),
        Figure(f"resident growth, 3 GB opened and searched / {GROWTH_MB:.0f} MB", [grown], [GROWTH_MB], "MB", 1.0),
    ]


def memory_of(pid: int) -> float:
    """Megabytes that a process holds now."""
    found = re.search(r"VmRSS:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


def back(terminal: Bare) -> None:
    """Close the viewer."""
    terminal.visit(("q", "on disk"))


def paged(terminal: Bare) -> float:
    """Milliseconds from a space to a row that was not there before."""
    return until(terminal, b" ", rb"row \d{9}")


def until(terminal: Bare, key: bytes, pattern: bytes) -> float:
    """Milliseconds from a key to what it brings."""
    rest(terminal)
    start, length = time.perf_counter(), len(terminal.sent)
    terminal.write(key)
    read_until(terminal, length, pattern)
    return 1_000 * (time.perf_counter() - start)


def read_until(terminal: Bare, start: int, pattern: bytes) -> None:
    end = time.perf_counter() + SECONDS
    while re.search(pattern, terminal.sent[start:]) is None:
        assert terminal.read(), f"it ended before {pattern!r}"
        assert time.perf_counter() < end, f"waited for {pattern!r}"


@contextmanager
def less(path: Path) -> Iterator[Bare]:
    """`less` with line numbers on a pty of the size that ours has."""
    pid, handle = pty.fork()
    if pid == 0:
        os.execvpe("less", ["less", "-N", str(path)], {**os.environ, "TERM": "xterm-256color"})
    ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", _LINES, _COLUMNS, 0, 0))
    terminal = Bare(pid, handle)
    try:
        yield terminal
    finally:
        terminal.write(b"q")
        terminal.close()
        os.waitpid(pid, 0)
