"""The columns of a ledger, and what is told of their rows."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import NamedTuple

from spillscope.session.judge import engine_size
from spillscope.session.reading import Fate
from spillscope.tokens.rough import rough_token_count
from spillscope.transcript.entries import Replacement
from spillscope.transcript.rows import ResultRow

KEPT, PERSISTED, REPLACED = range(3)
"""What a fate means for the size of a result: as it is, a preview from layer one, a preview from the budget."""
SAW = 3
"""Behind them, what the transcript shows that the model got."""
SIZED: tuple[Fate, ...] = ("full", "persisted", "replaced")


class Kind(NamedTuple):
    """Results that share every limit: those of one tool under one profile. `version` is one of that profile."""

    profile: str
    version: str | None
    tool: str | None


class Sizes:
    """By row and way, what the model gets of it: T3 against what it got (`saw`), and tokens and units that are kept out."""

    __slots__ = ("chars", "saved", "saw", "tokens")

    def __init__(self) -> None:
        self.saw = array("q")
        self.tokens = tuple(array("q") for _ in SIZED)
        self.saved = tuple(array("q") for _ in SIZED)
        self.chars = tuple(array("q") for _ in SIZED)

    def add(self, row: ResultRow, fixed: Fate | None, replacement: Replacement | None, path_chars: int) -> None:
        """One more row. `fixed`: its fate where limits decide nothing. `replacement`: the recorded one."""
        saw = row.tokens if replacement is None else replacement.tokens
        self.saw.append(saw)
        whole = rough_token_count(row.chars)
        for way, fate in enumerate(SIZED):
            chars, tokens = engine_size(row, fixed or fate, replacement, path_chars)
            spilled = (way != KEPT or fixed == "persisted") and row.chars_source != "unknown"
            self.tokens[way].append(tokens - saw)
            self.saved[way].append(max(0, whole - tokens) if spilled else 0)
            self.chars[way].append(row.chars - chars if spilled else 0)

    def truncate(self, length: int) -> None:
        for column in (self.saw, *self.tokens, *self.saved, *self.chars):
            del column[length:]


class Facts(NamedTuple):
    """Of every row what can be told of it, as it stood: its group, its kind, and T3 of what the model gets, by way."""

    rows: Sequence[ResultRow]
    groups: Sequence[int]
    kinds: Sequence[int]
    tokens: tuple[Sequence[int], ...]

    def tokens_of(self, row: int, way: int) -> int:
        """T3 of what the model gets of a row that ends up in a way."""
        return self.tokens[SAW][row] + self.tokens[way][row]
