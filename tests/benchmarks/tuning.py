"""What a person feels who holds a key on a threshold: how often the screen shows what that would do."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.measure import Figure
from benchmarks.screen import opened, rest
from benchmarks.whatif import MANY, write_results
from terminal.driver import Bare

UPDATES = 30
"""Screen updates a second that a held key is to bring at least."""
REPEATS = 60
"""Key presses a second: more than a keyboard sends, so that it is not the keys that are waited for."""
HELD_SECONDS = 2.0
_EDITED = b"k*"
"""What stands in the row of an edited value and nowhere else: each time that it comes the row was drawn anew."""
_TOOL, _ROW, _STRETCH = "Grep", 5, 10


def tuning_figures(folder: Path, rounds: int) -> list[Figure]:
    """Seconds from update to update while a key is held, against what looks smooth."""
    path = folder / "-srv-app" / f"{MANY}.jsonl"
    path.parent.mkdir(parents=True)
    write_results(path, MANY)
    with opened(path, folder) as terminal:
        terminal.visit(("3", "default"))
        rest(terminal)
        for _ in range(_ROW):
            terminal.write(b"j")
            rest(terminal)
        terminal.visit(("-", f"{_TOOL}  declares"))
        taken = [1_000 * HELD_SECONDS / max(1, held(terminal)) for _ in range(rounds)]
    wanted = [1_000 / UPDATES] * len(taken)
    return [Figure(f"held key, {MANY:,} results: update to update / {UPDATES} a second", taken, wanted, "ms", 1.0)]


def held(terminal: Bare) -> int:
    """How often the edited row was drawn while one key and then the other was held, so that the value stays in between."""
    rest(terminal)
    start, pressed, before = time.perf_counter(), 0, len(terminal.sent)
    while (now := time.perf_counter() - start) < HELD_SECONDS:
        if now * REPEATS >= pressed:
            terminal.write(b"-" if pressed // _STRETCH % 2 == 0 else b"+")
            pressed += 1
        assert terminal.read()
    return terminal.sent[before:].count(_EDITED)
