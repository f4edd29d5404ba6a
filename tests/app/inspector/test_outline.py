"""Rows of a list whose things open, against the plain list that they make."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spillscope_app.spans import Line, line
from spillscope_app.widgets.outline import ITSELF, Empty, Key, Outline, Place


class Sized:
    """Things with so many children each; their identities are ten times their position."""

    def __init__(self, sizes: list[int]) -> None:
        self.sizes = sizes

    def __len__(self) -> int:
        return len(self.sizes)

    def ident(self, at: int) -> int:
        return 10 * at

    def find(self, ident: int) -> int | None:
        at, rest = divmod(ident, 10)
        return at if rest == 0 and 0 <= at < len(self.sizes) else None

    def children(self, at: int) -> int:
        return self.sizes[at]

    def counts(self) -> list[int]:
        return self.sizes

    def matches(self, at: int, child: int) -> bool:
        return False

    def line(self, at: int, child: int, width: int) -> Line:
        return line(f"{at}.{child}")


@given(st.lists(st.integers(min_value=0, max_value=4), max_size=12), st.sets(st.integers(min_value=0, max_value=14)))
def test_rows_are_those_of_the_plain_list(sizes: list[int], opened: set[int]) -> None:
    outline = Outline.build(Sized(sizes), {10 * at for at in opened})
    plain = [Place(at, child) for at, size in enumerate(sizes) for child in (ITSELF, *(range(size) if at in opened else ()))]
    assert outline.height == len(plain)
    assert [outline.place(row) for row in range(outline.height)] == plain
    for row, (at, child) in enumerate(plain):
        assert outline.key(row) == Key(10 * at, child)
        assert outline.row(Key(10 * at, child)) == row
    assert [at for at in range(len(sizes)) if outline.is_opened(at)] == [
        at for at in sorted(opened) if at < len(sizes) and sizes[at]
    ]


@given(st.lists(st.integers(min_value=0, max_value=4), max_size=12), st.sets(st.integers(min_value=0, max_value=14)))
def test_all_but_some_are_the_others(sizes: list[int], closed: set[int]) -> None:
    others = {10 * at for at in range(len(sizes)) if at not in closed}
    assert (
        Outline.build(Sized(sizes), {10 * at for at in closed}, all_but=True).rows == Outline.build(Sized(sizes), others).rows
    )


def test_a_hidden_child_is_where_its_thing_is() -> None:
    outline = Outline.build(Sized([3, 2]), {10})
    assert outline.row(Key(0, 2)) == 0
    assert outline.row(Key(10, 7)) == 1
    assert outline.row(Key(90)) is None


def test_nothing_at_all() -> None:
    outline = Outline.build(Empty(), {1})
    assert outline.height == 0
    assert outline.row(Key(1)) is None
