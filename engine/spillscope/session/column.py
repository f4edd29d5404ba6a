"""An append-only list whose snapshots never change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class View(Sequence[T]):
    """The first `length` items of a list that only grows."""

    __slots__ = ("_items", "_length")

    def __init__(self, items: list[T], length: int) -> None:
        self._items, self._length = items, length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return [self._items[position] for position in range(self._length)[at]]
        return self._items[range(self._length)[at]]

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._length)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    def __hash__(self) -> int:
        return hash((View, self._length))


def _same(mine: object, theirs: object) -> bool:
    return mine == theirs


class Column(Generic[T]):
    """Items with cheap snapshots: appending never disturbs one, changing what one may hold starts a new list."""

    __slots__ = ("_items", "_shown")

    def __init__(self) -> None:
        self._items: list[T] = []
        self._shown = 0  # the longest view of the present list

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, at: int) -> T:
        return self._items[at]

    def append(self, item: T) -> None:
        self._items.append(item)

    def extend(self, items: Iterable[T]) -> None:
        self._items.extend(items)

    def set(self, at: int, item: T) -> None:
        """Put another item in a place."""
        if at < self._shown:
            self._detach(len(self._items))
        self._items[at] = item

    def truncate(self, length: int) -> list[T]:
        """Drop what stands from `length` on, and return it."""
        gone = self._items[length:]
        if length < self._shown:
            self._detach(length)
        else:
            del self._items[length:]
        return gone

    def view(self, length: int | None = None) -> View[T]:
        """What stands now, or the first `length` items of it, for good."""
        length = len(self._items) if length is None else length
        self._shown = max(self._shown, length)
        return View(self._items, length)

    def _detach(self, length: int) -> None:
        self._items = self._items[:length]
        self._shown = 0
