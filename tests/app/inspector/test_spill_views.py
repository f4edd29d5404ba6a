"""The spills as lines: badges in the room that there is, columns at every width, orders and filters as plain values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inspector.readings import NOW
from app.inspector.spilled import inventory_of, several, spill
from spillscope.session.spills import BadgeName, Link
from spillscope_app.spans import Line, width_of
from spillscope_app.views.badges import BADGES, ORIGINS, badge_cell
from spillscope_app.views.spill_detail import spill_lines
from spillscope_app.views.spill_sieve import ORDERS, SpillFilter, sifted
from spillscope_app.views.spill_summary import badge_choices
from spillscope_app.views.spills import SpillItems, heading
from spillscope_app.widgets.outline import GUTTER, ITSELF

NAMES = st.lists(st.sampled_from(sorted(BADGES)), unique=True)


def words(spans: Line) -> str:
    return "".join(span.text for span in spans)


@given(NAMES, st.integers(0, 120))
def test_badges_fill_their_cells_and_every_one_has_its_glyph_where_there_is_room(names: list[BadgeName], cells: int) -> None:
    cell = badge_cell(spill("a.txt", *names), cells)
    assert width_of(cell) == cells
    if cells >= 2 * len(names):
        assert all(words(cell).count(BADGES[name].glyph) >= 1 for name in names)


@pytest.mark.parametrize(
    ("cells", "told"),
    [(5, "✗ ≡ ○"), (13, "✗ ≡ ○"), (14, "✗ missing  ≡ ○"), (40, "✗ missing  ≡ kept  ○ never read")],
)
def test_the_gravest_is_told_in_words_first(cells: int, told: str) -> None:
    cell = badge_cell(spill("a.txt", "never re-read", "kept in transcript", "missing"), cells)
    assert words(cell).rstrip() == told


@pytest.mark.parametrize("width", [38, 44, 50, 66, 70, 84, 86, 110, 120, 200])
def test_columns_fill_a_line_at_every_width(width: int) -> None:
    items = SpillItems(several(), range(len(several())), NOW)
    assert {width_of(items.line(at, ITSELF, width)) for at in range(len(items))} == {width}
    assert width_of(heading(width + GUTTER)) == width + GUTTER


def test_every_badge_and_origin_is_counted_once() -> None:
    spills = several()
    for order in ORDERS:
        assert sorted(map(id, sifted(spills, SpillFilter(), order))) == sorted(map(id, spills))
    assert set(ORIGINS) == {one.origin for one in spills}


def test_what_is_alike_stands_by_group() -> None:
    spills = [spill(f"{group}.txt", group=group, hours=1.0) for group in (7, 3, 11)]
    for order in ORDERS:
        assert [one.group for one in sifted(spills, SpillFilter(), order)] == [3, 7, 11]


def test_filters_go_through_what_there_is_and_come_round() -> None:
    spills = several()
    chosen, seen = SpillFilter(), []
    while (chosen := chosen.next_badge(spills)).badge is not None:
        seen.append(chosen.badge)
    assert seen == [name for name in BADGES if any(one.has(name) for one in spills)]
    chosen = SpillFilter(origin="hook")
    assert [one.origin for one in sifted(spills, chosen, "size")] == ["hook"]
    assert SpillFilter(badge="orphan").next_badge(spills).badge is None


@pytest.mark.parametrize("text", ["TRACE.LOG", "agent.txt", "a3f29c", "mcp__atlas"])
def test_a_text_is_looked_for_in_call_file_ids_and_tool(text: str) -> None:
    assert sifted(several(), SpillFilter(text=text), "group")
    assert not sifted(several(), SpillFilter(text="tool-results/trace"), "group")


@given(st.integers(1, 200))
def test_counts_fit_their_line_and_lose_their_names_for_it(width: int) -> None:
    choices = badge_choices(inventory_of(several()), None, width)
    named = [any(word.name in words(choice.words) for word in BADGES.values()) for choice in choices]
    assert len(choices) == 10
    assert sum(width_of(choice.words) for choice in choices) <= width or not any(named)
    assert named == sorted(named, reverse=True)


def test_a_chain_grows_and_may_be_unknown() -> None:
    chain = (Link("a", "a.txt", None), Link(None, "b.txt", 1_000), Link("c", "c.txt", 1_500))
    told = [words(line).strip() for line in spill_lines(spill("c.txt", chain=chain), NOW)(80)]
    assert "· a.txt  ? chars" in told
    assert "» b.txt  1.0k chars" in told
    assert "» c.txt  1.5k chars  +50%" in told


@given(st.integers(1, 100))
def test_the_detail_fits_any_width(width: int) -> None:
    for one in several():
        assert all(width_of(line) <= width for line in spill_lines(one, NOW)(width))
