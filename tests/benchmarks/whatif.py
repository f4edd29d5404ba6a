"""What a what-if costs while a key is held, at sessions of many results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, pairwise
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.generate import MODEL, VERSIONS
from benchmarks.measure import Figure
from benchmarks.work import first_reading
from spillscope.limits_sources import LimitsBook
from spillscope.session.whatif.compare import WhatIf
from transcripts import lines

FRAME_MS = 1_000 / 60
TOOLS = ("Bash", "Glob", "Grep", "Read")
FEW, MANY, MOST = 1_000, 10_000, 100_000
TURN_RESULTS = 3
MOST_CHARS = 30_000
"""So no group is over the usual budget, which would be evidence that there is none."""
NUDGED = "nudged"
NUDGES = 10
"""So many are asked a round: a held key repeats."""


def write_results(path: Path, count: int) -> None:
    """A session of so many results, three a response, most of them small, compacted every few hundred."""
    random = Random(count)
    with path.open("wb") as file:
        parent = None
        for turn in range(count // TURN_RESULTS + 1):
            for record in _turn(turn, random, min(TURN_RESULTS, count - turn * TURN_RESULTS)):
                compacts = record["type"] == "system"
                file.write(lines([{**record, "parentUuid": None if compacts else parent}]))
                parent = record["uuid"]


def _turn(turn: int, random: Random, results: int) -> Iterator[dict[str, Any]]:
    common = {"isSidechain": False, "version": VERSIONS[-1], "sessionId": "s"}
    if turn and turn % 200 == 0:
        compacted = {"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto"}}
        yield {"type": "system", "uuid": f"c{turn}", **common, **compacted}
    calls = [{"type": "tool_use", "id": f"t{turn}.{at}", "name": random.choice(TOOLS), "input": {}} for at in range(results)]
    usage = {"input_tokens": 2, "cache_read_input_tokens": 20_000 + turn % 200 * 600, "output_tokens": 100}
    message = {"id": f"m{turn}", "role": "assistant", "model": MODEL, "content": calls, "usage": usage}
    yield {"type": "assistant", "uuid": f"a{turn}", **common, "message": message}
    if calls:
        blocks = [{"type": "tool_result", "tool_use_id": call["id"], "content": "x" * _size(random)} for call in calls]
        yield {"type": "user", "uuid": f"r{turn}", **common, "message": {"role": "user", "content": blocks}}


def _size(random: Random) -> int:
    return min(MOST_CHARS, int(random.lognormvariate(0, 1.6) * 250))


def what_if_figures(folder: Path, most: int, rounds: int) -> list[Figure]:
    """One question after the other, as a held key asks them: against a frame, and a result against one of fewer."""
    counts = [count for count in (FEW, MANY, MOST) if count <= most]
    asked = {count: _open(folder / f"{count}.jsonl", count) for count in counts}
    figures: list[Figure] = []
    for name, books in _questions().items():
        times = rounds * NUDGES if name.endswith(NUDGED) else rounds
        taken = {count: _held(asked[count], books, times) for count in counts}
        figures += [
            Figure(f"{name}, {count:,} results / a frame", taken[count], [FRAME_MS] * times, "ms", _aim(name, count))
            for count in counts
        ]
        for fewer, more in pairwise(counts):
            many, few = ([1_000 * cost / count for cost in taken[count]] for count in (more, fewer))
            figures.append(Figure(f"{name}, per result at {more:,} / at {fewer:,}", many, few, "µs", 1.25))
    return figures


def _aim(name: str, count: int) -> float | None:
    """What a held key does is to fit into a frame; what touches every result at once comes one at a time."""
    return 1.0 if name.endswith(NUDGED) and count <= MANY else None


def _open(path: Path, count: int) -> WhatIf:
    write_results(path, count)
    session = first_reading(path)
    return WhatIf(session, session.refresh())


def _questions() -> dict[str, list[Callable[[], LimitsBook]]]:
    """What is edited: a step at a time down and up again, or from one end to the other."""
    steps = [*range(200, 3_000, 100), *range(3_000, 200, -100)]
    return {
        f"a threshold {NUDGED}": [_edit(overrides={"Bash": chars}) for chars in steps],
        "the default threshold jumped": [_edit(default_threshold=chars) for chars in (100, 20_000)],
        f"the budget {NUDGED}": [_edit(aggregate=True, message_budget=chars) for chars in steps],
        "the budget jumped": [_edit(aggregate=True, message_budget=chars) for chars in (10, 20_000)],
        "the switch flipped": [_edit(aggregate=on, message_budget=1_000) for on in (True, False)],
    }


def _edit(**keys: object) -> Callable[[], LimitsBook]:
    return lambda: LimitsBook().with_layer(keys, "edited")


def _held(asked: WhatIf, books: Sequence[Callable[[], LimitsBook]], rounds: int) -> list[float]:
    """Milliseconds of this process for each question but the first, which only comes from elsewhere."""
    taken = []
    for number, make in zip(range(rounds + 1), cycle(books), strict=False):
        start = time.process_time()
        asked.compare(make())
        if number:
            taken.append(1_000 * (time.process_time() - start))
    return taken
