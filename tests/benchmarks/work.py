"""What is measured: the steps of the engine.

Run as a program, `python -m benchmarks.work PATH [MODULE]` prints the megabytes that a process holds after it read a session:
now, and at most. It loads MODULE before that.
"""

from __future__ import annotations

import resource
import sys
from importlib import import_module
from pathlib import Path

import orjson

from spillscope.limits_sources import LimitsBook
from spillscope.session.report import sections
from spillscope.session.session import Session
from spillscope.session.write import write_sections
from spillscope.transcript.index import Index
from spillscope.transcript.layout import place_of
from spillscope.transcript.spill_files import SpillFiles
from spillscope.transcript.tail import Tail


def open_index(path: Path) -> Index:
    """Tail and index alone, fed as a session feeds them."""
    index, tail = Index(SpillFiles(place_of(path))), Tail(path)
    loads, add = orjson.loads, index.add
    while True:
        batch = tail.read()
        offset = batch.first_offset
        for line in batch.lines:
            add(loads(line), offset, len(line))
            offset += len(line) + 1
        if not batch.more:
            return index


def first_reading(path: Path) -> Session:
    """A cold open: index, model order, replay."""
    session = Session(place_of(path), LimitsBook())
    session.refresh()
    return session


def report(path: Path) -> int:
    """A cold open and its whole report, counted and thrown away."""
    session = Session(place_of(path), LimitsBook())
    return sum(map(len, write_sections(sections(session, session.refresh()))))


def memory() -> tuple[float, float]:
    """Megabytes of this process: resident now, and at most."""
    try:
        status = Path("/proc/self/status").read_text()
    except FileNotFoundError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 if sys.platform == "darwin" else 1 / 1024) / 2**20
        return most, most
    fields = dict(line.split(":", 1) for line in status.splitlines())
    now, most = (int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))
    return now, most


if __name__ == "__main__":
    for name in sys.argv[2:]:
        import_module(name)
    held = first_reading(Path(sys.argv[1]))
    print(*memory())
