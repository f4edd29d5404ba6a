"""What there is to say of one spilled file, and of all of a session's (spec S6, S9, tui: Spills)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from spillscope.transcript.rows import ResultRow
from spillscope.transcript.spill_files import SpillFile

Origin = Literal["result", "budget", "hook", "mcp", "microcompact", "unknown"]

BadgeName = Literal[
    "missing", "unreadable", "orphan", "size", "preview", "content", "outside", "other session", "shared",
    "cascade", "hidden error", "never re-read", "re-read in part", "re-read whole", "kept in transcript",
]  # fmt: skip

FAULTS: frozenset[BadgeName] = frozenset(
    {"missing", "unreadable", "orphan", "size", "preview", "content", "outside", "shared"},
)
"""Badges that say that a file is not what the transcript takes it for; the others tell what became of it."""


class Badge(NamedTuple):
    """One finding. `text`: one sentence with its figures; it may hold foreign names: clean it where it is drawn."""

    name: BadgeName
    text: str


class Link(NamedTuple):
    """One file of a cascade: who made it, its name, its size in units as far as known."""

    tool_use_id: str | None
    name: str
    chars: int | None


class Spill(NamedTuple):
    """One spilled file. `reread`: later calls of its session that name it; None where it belongs to no result.

    `mismatch`: "size" where the notice's header fits neither the file's units nor its bytes, "preview" where its preview is
    not the file's beginning, None where nothing speaks against it. `agent_id`: of the sub-agent that spilled it.
    `group`: number of the result's group in the reading of its session; None where it stands in none. `chars`: units of
    the original as far as known. `tokens_preview`: T3 of what the model got in its place. `modified`: seconds.

    An inventory fills in what only the files tell: `badges`; `tokens_reread`, T3 of what later calls read of it; `chain`,
    where it is the spill of a read of a spill: from the first of them to this one.
    """

    tool_use_id: str | None
    tool: str | None
    file: SpillFile
    origin: Origin
    reread: int | None
    mismatch: str | None
    agent_id: str | None
    label: str = ""
    group: int | None = None
    chars: int | None = None
    tokens_preview: int = 0
    tokens_reread: int = 0
    modified: float | None = None
    badges: tuple[Badge, ...] = ()
    chain: tuple[Link, ...] = ()
    row: ResultRow | None = None

    def has(self, name: BadgeName) -> bool:
        return any(badge.name == name for badge in self.badges)


@dataclass(frozen=True, slots=True)
class Inventory:
    """All spills of a session, audited. `files`, `bytes`, `oldest` (seconds): of what is on disk, each file once.

    Files of other sessions are not among these sums: they are counted where they lie. `counts`: spills a badge.
    `complete` is False where the caller stopped it.
    """

    spills: tuple[Spill, ...] = ()
    files: int = 0
    bytes: int = 0
    oldest: float | None = None
    counts: Mapping[BadgeName, int] = field(default_factory=Counter)
    complete: bool = True
