"""Snapshots of a list that grows, shrinks and changes: none of that shows in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.session.column import Column, View

STEPS = st.lists(st.tuples(st.sampled_from(["view", "append", "extend", "cut", "set"]), st.integers(0, 12)))


@given(STEPS)
def test_views_never_change(steps: list[tuple[str, int]]) -> None:
    column: Column[int] = Column()
    plain: list[int] = []
    taken: list[tuple[View[int], list[int]]] = []
    for number, (step, at) in enumerate(steps):
        if step == "view":
            taken.append((column.view(), list(plain)))
        elif step == "append":
            column.append(number)
            plain.append(number)
        elif step == "extend":
            column.extend(range(at))
            plain.extend(range(at))
        elif step == "cut":
            assert column.truncate(at) == plain[at:]
            del plain[at:]
        elif at < len(plain):
            column.set(at, -number)
            plain[at] = -number
        assert [column[position] for position in range(len(column))] == plain
        assert all(list(view) == then for view, then in taken)


def test_an_append_copies_nothing() -> None:
    """S8: a thousand snapshots of a growing list share it."""
    column: Column[int] = Column()
    views = []
    for number in range(1_000):
        column.append(number)
        views.append(column.view())
    assert len({id(view._items) for view in views}) == 1


def test_a_view_is_a_sequence() -> None:
    column: Column[str] = Column()
    for word in "abcd":
        column.append(word)
    view = column.view()
    column.append("e")
    assert (view[0], view[-1], view[1:3], view[::-1]) == ("a", "d", ["b", "c"], ["d", "c", "b", "a"])
    assert (list(reversed(view)), "e" in view, column[4]) == (["d", "c", "b", "a"], False, "e")
    for at in (4, -5):
        with pytest.raises(IndexError):
            view[at]


def test_views_are_equal_by_what_they_hold() -> None:
    first: Column[int] = Column()
    second: Column[int] = Column()
    for column in (first, second):
        column.append(1)
    assert first.view() == second.view() == [1]
    assert hash(first.view()) == hash(second.view())
    second.append(2)
    assert first.view() != second.view()
    assert first.view() != 1
