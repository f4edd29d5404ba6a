"""How full a context is, from the tail of its transcript alone: for a status line, which has no time to read a session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from spillscope.tokens.calibration import highest
from spillscope.tokens.running import RunningCount
from spillscope.tokens.synthetic import is_synthetic
from spillscope.tokens.usage import NO_USAGE, Usage, read_usage
from spillscope.transcript.ends import Tail, read_tail
from spillscope.transcript.layout import Place
from spillscope.transcript.parse import Record
from spillscope.transcript.sidechains import count_record, model_of
from spillscope.window.forecast import FEWEST_TURNS, Sent

_TAILS = ((256 << 10, 40), (1 << 20, FEWEST_TURNS), (4 << 20, 0))
"""As many bytes are read, and it is enough if they hold so many turns: with fewer a forecast is vague, or there is none."""
MOST_SPILLS = 10_000
"""As many files are counted."""


class Glimpse(NamedTuple):
    """What a tail says, in tokens: `usage` is exact, `estimate` T4's of what came after it, `highest` their sum at most (T9).

    `model`: that of the newest response; None where the tail has none. `sent`: the turns since the context was last cut.
    `largest_usage`: of the responses in the tail (W1).
    """

    usage: int = 0
    estimate: int = 0
    highest: int = 0
    model: str | None = None
    sent: tuple[Sent, ...] = ()
    largest_usage: int = 0


def glimpse(path: Path, stated: object = None) -> Glimpse:
    """The end of a transcript; one that is not there yet is empty. Raises OSError for one that can't be read.

    `stated`: the usage object of the newest response as the agent gives it, for a tail that shows none.
    """
    for most, enough in _TAILS:
        try:
            tail = read_tail(path, most)
        except FileNotFoundError:
            tail = Tail([], whole=True)
        found = _Walk()
        for record in tail.records:
            found.take(record)
        if tail.whole or len(found.sent) >= enough:
            break
    return found.told(read_usage(stated), whole=tail.whole)


def count_spills(place: Place) -> int:
    """How many files lie in a session's `tool-results/`, those that are still being written apart; at most `MOST_SPILLS`."""
    count = 0
    try:
        with os.scandir(place.tool_results) as entries:
            for entry in entries:
                count += not entry.name.startswith(".") and entry.is_file(follow_symlinks=False)
                if count == MOST_SPILLS:
                    break
    except OSError:  # none was made, or it is not ours to read
        pass
    return count


class _Walk:
    """The records of a tail, taken one after the other."""

    def __init__(self) -> None:
        self.count = RunningCount()
        self.sent: dict[object, int] = {}  # of each response, by its id, what its request carried
        self.model: str | None = None
        self.largest = 0

    def take(self, record: Record) -> None:
        if record.get("isSidechain") is True:
            return
        if record.get("subtype") == "compact_boundary":
            self.count, self.sent = RunningCount(), {}
        count_record(self.count, record)
        self.model = model_of(record) or self.model
        usage = _usage_of(record)
        if usage.total:
            response = record["message"].get("id") or record.get("uuid")
            key = response if isinstance(response, str) else None
            self.sent[key] = max(self.sent.get(key, 0), usage.prompt)
            self.largest = max(self.largest, usage.total)

    def told(self, stated: Usage, *, whole: bool) -> Glimpse:
        usage, estimate = self.count.usage, self.count.estimate
        if self.count.anchor is None and stated.total:
            usage, estimate = stated.total, 0
        elif self.count.anchor is None and not whole:  # of a context whose beginning was not read nothing can be said
            estimate = 0
        sent = tuple(Sent(tokens, None) for tokens in self.sent.values())
        return Glimpse(usage, estimate, highest(usage, estimate, self.model), self.model, sent, max(self.largest, stated.total))


def _usage_of(record: Record) -> Usage:
    message = record.get("message")
    if record.get("type") != "assistant" or not isinstance(message, dict) or is_synthetic(record):
        return NO_USAGE
    return read_usage(message.get("usage"))
