"""Which spills to show, and in which order, as plain values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from spillscope.session.spills import FAULTS, BadgeName, Origin, Spill
from spillscope.transcript.spill_files import base_name
from spillscope_app.spans import Line, Span, foreign
from spillscope_app.views.badges import BADGES, ORIGINS, RANKS, in_rank

T = TypeVar("T")
Order = Literal["group", "size", "age", "faults"]
ORDERS: dict[Order, str] = {
    "group": "newest last",
    "size": "largest first",
    "age": "oldest first",
    "faults": "gravest first",
}
"""The orders of the list, in words."""


@dataclass(frozen=True, slots=True)
class SpillFilter:
    """Every part that is set must hold; `text` ignores case."""

    origin: Origin | None = None
    badge: BadgeName | None = None
    faults: bool = False
    text: str = ""

    def __bool__(self) -> bool:
        return self != SpillFilter()

    def admits(self, spill: Spill) -> bool:
        """Whether a spill passes."""
        if self.origin is not None and spill.origin != self.origin:
            return False
        if self.badge is not None and not spill.has(self.badge):
            return False
        if self.faults and not has_fault(spill):
            return False
        return not self.text or self._is_named(spill)

    def _is_named(self, spill: Spill) -> bool:
        texts = (spill.label, spill.tool or "", base_name(spill.file.path), spill.tool_use_id or "", spill.agent_id or "")
        return self.text.casefold() in "\n".join(texts).casefold()

    def next_origin(self, spills: Sequence[Spill]) -> SpillFilter:
        """One origin that there is after the other, then all again."""
        present = {spill.origin for spill in spills}
        steps: list[Origin | None] = [None, *(origin for origin in ORIGINS if origin in present)]
        return replace(self, origin=_after(self.origin, steps))

    def next_badge(self, spills: Sequence[Spill]) -> SpillFilter:
        """One badge that there is after the other, the gravest first, then all again."""
        steps: list[BadgeName | None] = [None, *in_rank({badge.name for spill in spills for badge in spill.badges})]
        return replace(self, badge=_after(self.badge, steps))


def _after(value: T | None, steps: Sequence[T | None]) -> T | None:
    return steps[(steps.index(value) + 1) % len(steps)] if value in steps else None


def has_fault(spill: Spill) -> bool:
    """Whether the file is not what the transcript takes it for."""
    return any(badge.name in FAULTS for badge in spill.badges)


def size_of(spill: Spill) -> int | None:
    """Bytes on disk, or units of the original where there is no file; None where neither is known."""
    return spill.chars if spill.file.bytes is None else spill.file.bytes


def sifted(spills: Sequence[Spill], chosen: SpillFilter, order: Order) -> list[Spill]:
    """What passes, in an order; what is alike there stands by group. Those of no group stand first, as if they were older."""
    passed = [spill for spill in spills if chosen.admits(spill)] if chosen else list(spills)
    keys: dict[Order, Callable[[Spill], float]] = {
        "group": lambda spill: -1 if spill.group is None else spill.group,
        "size": lambda spill: -(size_of(spill) or 0),
        "age": lambda spill: math.inf if spill.modified is None else spill.modified,
        "faults": lambda spill: min([RANKS[badge.name] for badge in spill.badges], default=len(BADGES)),
    }
    by_group = sorted(passed, key=keys["group"])
    return by_group if order == "group" else sorted(by_group, key=keys[order])


def told(chosen: SpillFilter) -> Line:
    """A filter in words, for a title."""
    parts: list[Line] = []
    if chosen.origin is not None:
        parts.append(ORIGINS[chosen.origin].told)
    if chosen.badge is not None:
        parts.append(BADGES[chosen.badge].told)
    if chosen.faults:
        parts.append((Span("! ", "over"), Span("faults")))
    if chosen.text:
        parts.append((foreign(f"“{chosen.text[:40]}”"),))
    return tuple(span for at, part in enumerate(parts) for span in ((Span(" · ", "dim"), *part) if at else part))
