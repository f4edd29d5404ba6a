"""What a person feels: how soon a key is answered and an append is seen, and what the screen costs while nothing happens."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from benchmarks.measure import Figure, in_turn
from spillscope_app.feed import watch_hints
from terminal.driver import SECONDS, Bare, append, bare
from transcripts import Writer, lines, use

MANY, FEW = 100_000, 100
FRAME_MS = 10.0
IDLE_SECONDS = 10.0
_QUIET, _LONGEST = 0.15, 120.0
_OLD = 3_600.0
"""So long ago that the age in the header stands still."""
_IDLE_ROUNDS = 3


def screen_figures(home: Path, keys: int, appends: int) -> list[Figure]:
    """All of them, each against something of the same run."""
    many, few = (write_session(home / "-srv-app" / f"{count}.jsonl", count) for count in (MANY, FEW))
    open_one = partial(opened, home=home)
    figures = []
    with open_one(many[0]) as large, open_one(few[0]) as small:
        figures += key_to_frame(large, small, keys)
    figures += idle(few[0], home)
    for count, (path, writer) in ((FEW, few), (MANY, many)):
        with open_one(path) as terminal:
            figures.append(append_to_painted(f"append to painted, {count:,} results / event", terminal, path, writer, appends))
    return figures


def write_session(path: Path, results: int) -> tuple[Path, Writer]:
    """One short result a group; returns its writer too, who can go on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = Writer()
    writer.prompt()
    with path.open("wb") as file:
        for number in range(results):
            writer.call(("Bash", "Grep", "Read")[number % 3], f"toolu_{number}", f"line of result {number}\n" * 5)
            if number % 1_000 == 999:
                file.write(lines(writer.records))
                writer.records.clear()
        writer.say(usage=60_000)
        file.write(lines(writer.records))
        writer.records.clear()
    os.utime(path, (time.time() - _OLD,) * 2)
    return path, writer


@contextmanager
def opened(path: Path, home: Path) -> Iterator[Bare]:
    """The inspector on a session, or on a folder of them, drawn and at rest."""
    with bare([str(path)], variables={"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home)}) as terminal:
        terminal.wait_for_text("frozen" if path.is_file() else "sessions", _LONGEST)
        rest(terminal)
        yield terminal


def rest(terminal: Bare) -> None:
    """Read until nothing has come for a while."""
    last, length = time.perf_counter(), len(terminal.sent)
    while time.perf_counter() - last < _QUIET:
        assert terminal.read()
        if len(terminal.sent) != length:
            last, length = time.perf_counter(), len(terminal.sent)


def key_to_frame(large: Bare, small: Bare, keys: int) -> list[Figure]:
    """From `j` to the first bytes of what it changes, in two terminals in turn."""
    for terminal in (large, small):
        terminal.write(b"g")
        rest(terminal)

    def press(terminal: Bare) -> float:
        rest(terminal)
        start, length = time.perf_counter(), len(terminal.sent)
        terminal.write(b"j")
        while len(terminal.sent) == length:
            assert terminal.read()
        return 1_000 * (time.perf_counter() - start)

    many, few = in_turn(keys, partial(press, large), partial(press, small))
    return [
        Figure(f"key to frame, {MANY:,} results / {FRAME_MS:.0f} ms", many, [FRAME_MS] * keys, "ms", 1.0),
        Figure(f"key to frame, {MANY:,} results / {FEW}", many, few, "ms"),
    ]


def append_to_painted(name: str, terminal: Bare, path: Path, writer: Writer, appends: int) -> Figure:
    """From an append to its row on the screen, against the watcher's own event for the same append."""
    painted, told = [], []
    with events_below(path.parent) as events:
        for number in range(appends):
            rest(terminal)
            label = f"append-{number}-"
            writer.say(use("Bash", label, {"command": label}), usage=60_000)
            writer.result(label, f"output of {label}")
            data = lines(writer.records)
            writer.records.clear()
            while not events.empty():
                events.get()
            start, length = time.perf_counter(), len(terminal.sent)
            append(path, data)
            while label.encode() not in terminal.sent[length:]:
                assert terminal.read()
            painted.append(1_000 * (time.perf_counter() - start))
            told.append(1_000 * (events.get(timeout=SECONDS) - start))
    return Figure(name, painted, told, "ms", 2.0)


@contextmanager
def events_below(folder: Path) -> Iterator[SimpleQueue[float]]:
    """When the watcher told of a change, asked as the inspector asks it; it is awake when this begins."""
    stop, times = threading.Event(), SimpleQueue[float]()

    def listen() -> None:
        for _ in watch_hints([str(folder / "any")], stop):
            times.put(time.perf_counter())

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        while times.empty():
            (folder / "touched").touch()
            time.sleep(_QUIET)
        yield times
    finally:
        stop.set()
        thread.join()


def idle(session: Path, home: Path) -> list[Figure]:
    """Processor time of each screen beside a session in which nothing happens, as a share of one core."""
    if not Path("/proc/self/stat").exists():
        return []  # elsewhere another process's time takes more than a file to read
    figures = []
    with opened(session, home) as terminal:
        for key, name in ((b"1", "groups"), (b"5", "events"), (b"6", "sessions")):
            terminal.write(key)
            rest(terminal)
            spent, watched = zip(*(busy_seconds(terminal) for _ in range(_IDLE_ROUNDS)), strict=True)
            figures.append(Figure(f"idle, {name} screen / one core", list(spent), list(watched), "s", 0.01))
    return figures


def busy_seconds(terminal: Bare) -> tuple[float, float]:
    """Seconds of processor time, and of the clock that went by meanwhile."""
    start, before = time.perf_counter(), cpu_seconds(terminal.pid)
    while (watched := time.perf_counter() - start) < IDLE_SECONDS:
        assert terminal.read()
    return cpu_seconds(terminal.pid) - before, watched


def cpu_seconds(pid: int) -> float:
    """Processor time of a process, user and system."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
