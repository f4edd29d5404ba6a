"""A list of things that can be opened, as plain values: which row of the screen is which thing.

Building one costs only the opened things, so a list of 100,000 is as quick as one of ten.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, NamedTuple, Protocol, TypeVar

from spillscope_app.spans import Line

GUTTER = 2
"""Cells left of every row: the mark that tells whether it is opened."""
ITSELF = -1
"""The child number that means the thing itself."""


class Key(NamedTuple):
    """What a row is, whatever stands above it: the identity of a thing, and the number of its child or `ITSELF`."""

    ident: int
    child: int = ITSELF


class Items(Protocol):
    """What a table shows. `ident` is a thing's lasting number, growing with its position; the rest go by position.

    `counts`: the children of every thing at once. `matches`: whether it is what the user looks for.
    """

    def __len__(self) -> int: ...

    def ident(self, at: int) -> int: ...

    def find(self, ident: int) -> int | None: ...

    def children(self, at: int) -> int: ...

    def counts(self) -> list[int]: ...

    def matches(self, at: int, child: int) -> bool: ...

    def line(self, at: int, child: int, width: int) -> Line: ...


class Flat(ABC):
    """What `Items` say of things that have no children, and none of which is looked for."""

    @abstractmethod
    def __len__(self) -> int: ...

    def children(self, at: int) -> int:
        return 0

    def counts(self) -> list[int]:
        return [0] * len(self)

    def matches(self, at: int, child: int) -> bool:
        return False


class Empty:
    """No things at all."""

    def __len__(self) -> int:
        return 0

    def ident(self, at: int) -> int:
        raise IndexError(at)

    def find(self, ident: int) -> int | None:
        return None

    def children(self, at: int) -> int:
        raise IndexError(at)

    def counts(self) -> list[int]:
        return []

    def matches(self, at: int, child: int) -> bool:
        raise IndexError(at)

    def line(self, at: int, child: int, width: int) -> Line:
        raise IndexError(at)


T = TypeVar("T")


class Listed(Flat, Generic[T]):
    """Flat things, each known by its place."""

    def __init__(self, things: Sequence[T]) -> None:
        self.things = things

    def __len__(self) -> int:
        return len(self.things)

    def ident(self, at: int) -> int:
        return at

    def find(self, ident: int) -> int | None:
        return ident if 0 <= ident < len(self.things) else None


class Place(NamedTuple):
    """Position of a thing, and the number of its child or `ITSELF`."""

    at: int
    child: int = ITSELF


@dataclass(frozen=True, slots=True)
class Outline:
    """Things, some of them opened: `opened` their positions in order, `rows` the row that each of these stands in."""

    items: Items
    opened: tuple[int, ...] = ()
    rows: tuple[int, ...] = ()
    height: int = 0

    @classmethod
    def build(cls, items: Items, expanded: Iterable[int], *, all_but: bool = False) -> Outline:
        """An outline with the things of these identities opened, or all but these, as far as they have children."""
        found = {at for at in map(items.find, expanded) if at is not None}
        if all_but:
            pairs = [(at, count) for at, count in enumerate(items.counts()) if count and at not in found]
        else:
            pairs = [(at, count) for at in sorted(found) if (count := items.children(at))]
        opened, sizes = tuple(at for at, _ in pairs), [count for _, count in pairs]
        rows = tuple(at + hidden for at, hidden in zip(opened, accumulate(sizes, initial=0), strict=False))
        return cls(items, opened, rows, len(items) + sum(sizes))

    def place(self, row: int) -> Place:
        """What stands in a row."""
        nearest = bisect_right(self.rows, row) - 1
        if nearest < 0:
            return Place(row)
        at, below = self.opened[nearest], row - self.rows[nearest]
        children = self.items.children(at)
        return Place(at, below - 1) if below <= children else Place(at + below - children)

    def key(self, row: int) -> Key:
        """The lasting key of what stands in a row."""
        at, child = self.place(row)
        return Key(self.items.ident(at), child)

    def row(self, key: Key) -> int | None:
        """The row of a key; that of the thing itself where the child is not shown; None where the thing is gone."""
        at = self.items.find(key.ident)
        if at is None:
            return None
        nearest = bisect_right(self.opened, at) - 1
        if nearest < 0:
            return at
        start, opened = self.rows[nearest], self.opened[nearest]
        children = self.items.children(opened)
        if opened == at:
            return start + 1 + key.child if key.child < children else start
        return start + children + at - opened

    def is_opened(self, at: int) -> bool:
        """Whether the thing at a position shows its children."""
        nearest = bisect_right(self.opened, at) - 1
        return nearest >= 0 and self.opened[nearest] == at
