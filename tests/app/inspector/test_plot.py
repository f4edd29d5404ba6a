"""The plot of the timeline: which points stand where, and what stands for what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope_app.spans import Line, width_of
from spillscope_app.widgets.plot import (
    FEET,
    WIDEST_POINT,
    Event,
    Plot,
    PlotPoint,
    axis_width,
    lay_out,
    most_zoom,
    plot_lines,
)

LINES = (200, 160, 140)


def point(tokens: int, estimate: int = 0, *, exact: bool = True, events: tuple[Event, ...] = ()) -> PlotPoint:
    return PlotPoint(tokens, estimate, exact, LINES, events=frozenset(events))


def drawn(
    points: list[PlotPoint],
    columns: int = 12,
    rows: int = 5,
    *,
    selected: int | None = None,
    what_if: list[int] | None = None,
    following: PlotPoint | None = None,
) -> list[Line]:
    plot = Plot(points, following or point(200), selected, what_if)
    layout = lay_out(len(points), columns, 0, selected, 0)
    return plot_lines(plot, layout, rows + FEET, 0)


def text(lines: list[Line]) -> list[str]:
    return ["".join(span.text for span in spans) for spans in lines]


def test_bars_are_scaled_to_the_window_and_stand_before_its_lines() -> None:
    assert text(drawn([point(40), point(100), point(180)], 8))[:-FEET] == [
        "━━━━▄▄ █",
        "┄┄┄┄██ █",
        "  ▄▄██ █",
        "  ████ █",
        "██████ █",
    ]


def test_a_window_that_is_hardly_used_is_drawn_as_high_as_what_is_in_it() -> None:
    quiet = [PlotPoint(at, at, True, (1_000, 900, 800)) for at in (10, 20, 40)]
    lines = text(drawn(quiet, 5, 4, following=quiet[-1]))
    assert "━" not in "".join(lines)
    assert lines[1] == "  ▅ ▅"


def test_a_context_over_its_window_is_drawn_as_over() -> None:
    lines = drawn([point(300)._replace(ink="over")], 3, 3, following=point(300))
    assert text(lines)[:-FEET] == ["█ █", "█ █", "█ █"]
    assert lines[0][0].ink == "over"


def test_an_estimate_is_marked_where_it_was_off_and_fills_the_bar_where_nothing_else_is_known() -> None:
    lines = text(drawn([point(180, 60), point(60, 180), point(90, 90, exact=False), point(100, 99)], 6))
    assert lines[:-FEET] == ["▄╌━━ █", "█┄┄┄ █", "█ ▒▄ █", "╌▄▒█ █", "██▒█ █"]


def test_what_other_limits_free_or_add_is_outlined() -> None:
    lines = drawn([point(180), point(60)], 4, 5, what_if=[60, 140, 200])
    assert text(lines)[:-FEET] == ["═━ █", "══ █", "══ █", "█▄ █", "██ █"]
    inks = {span.ink for spans in lines[:-FEET] for span in spans if "═" in span.text}
    assert inks == {"warn", "fresh"}


def test_marks_stand_below_their_request_the_gravest_first() -> None:
    events: list[tuple[Event, ...]] = [("cut",), ("cut", "broken"), ("spilled",), ("over", "spilled"), ()]
    lines = text(drawn([point(50, events=each) for each in events], 7))
    assert lines[-FEET:-1] == ["╎╳   ", "  ↓! "]


def test_a_column_of_several_shows_the_highest_and_all_their_marks() -> None:
    points = [point(at, events=("cut",) if at == 7 else ("over",) if at == 8 else ()) for at in range(20)]
    lines = text(drawn(points, 7, 5, selected=7))
    assert lines[-FEET:-1] == [" ╎   ", "  !  "]
    assert lines[-1].index("▲") == 1


def test_numbers_are_round_and_give_way_to_the_selected_one() -> None:
    points = [point(50) for _ in range(60)]
    assert text(drawn(points, 62))[-1].rstrip() == "1                  20                  40                    ▲"
    assert "▲19" in text(drawn(points, 62, selected=18))[-1]
    assert " 20 " not in text(drawn(points, 62, selected=18))[-1]
    assert text(drawn(points, 62, selected=59))[-1].endswith("▲60")


def test_the_axis_names_the_lines_where_there_is_room_for_it() -> None:
    assert (axis_width(40), axis_width(80)) == (0, 7)
    plot = Plot([point(150)], point(150))
    lines = text(plot_lines(plot, lay_out(1, 20, 0, None, 0), 10 + FEET, 7))
    assert [spans[:7] for spans in lines] == [
        *("   200 ", "   160 ", "   140 ", *["       "] * 6, "     0 "),
        *["       "] * FEET,
    ]


@pytest.mark.parametrize(
    ("total", "columns", "widths", "sizes"),
    [
        (0, 0, set(), set()),
        (1, 6, {6}, {1}),
        (13, 78, {6}, {1}),
        (20, 80, {4}, {1}),
        (30, 80, {2, 3}, {1}),
        (80, 80, {1}, {1}),
        (81, 80, {1}, {1, 2}),
        (159, 80, {1}, {1, 2}),
        (1_000, 80, {1}, {12, 13}),
    ],
)
def test_all_requests_fill_the_width_unless_they_are_few(total: int, columns: int, widths: set[int], sizes: set[int]) -> None:
    layout = lay_out(total, 82, 0, None, 0)
    bars = range(layout.bars)
    assert (layout.shown, layout.columns) == (total, columns)
    assert {len(layout.cells(bar)) for bar in bars} == widths
    assert {len(layout.points(bar)) for bar in bars} == sizes
    assert [number for bar in bars for number in layout.points(bar)] == list(range(total))
    assert [cell for bar in bars for cell in layout.cells(bar)] == list(range(columns))


@given(
    st.integers(min_value=0, max_value=6_000),
    st.integers(min_value=0, max_value=220),
    st.integers(min_value=0, max_value=20),
    st.floats(min_value=0, max_value=1),
    st.integers(min_value=0, max_value=6_000),
)
def test_any_number_of_requests_fits_any_width(total: int, width: int, zoom: int, share: float, first: int) -> None:
    selected = int(share * (total - 1)) if total and share < 1 else None
    layout = lay_out(total, width, zoom, selected, first)
    assert layout.first >= 0
    assert layout.first + layout.shown <= total
    if width >= 9:
        assert layout.column_of(None) < width
    if selected is not None:
        assert layout.first <= selected < layout.first + layout.shown
        column = layout.column_of(selected)
        number = layout.number_at(column)
        assert number is not None
        assert number <= selected
        assert layout.column_of(number) == column
    assert layout.number_at(layout.column_of(None)) is None
    points = [point(at % 210, at % 190) for at in range(total)]
    lines = plot_lines(Plot(points, point(1), selected), layout, 9, axis_width(width + 7))
    assert len(lines) == 9
    if width >= 9:
        assert all(width_of(spans) <= width + axis_width(width + 7) for spans in lines)


@given(st.integers(min_value=0, max_value=6_000), st.integers(min_value=9, max_value=200))
def test_zoom_goes_from_all_requests_to_the_widest_ones(total: int, width: int) -> None:
    assert lay_out(total, width, 0, None, 0).shown == total
    most = most_zoom(total, width)
    layouts = [lay_out(total, width, zoom, None, 0) for zoom in range(most + 1)]
    assert [one.shown for one in layouts] == sorted({one.shown for one in layouts}, reverse=True)
    assert layouts[-1].columns == min(width - 2, layouts[-1].shown * WIDEST_POINT)
    assert layouts[-1].shown == min(total, max(1, (width - 2) // WIDEST_POINT))
    assert lay_out(total, width, most + 5, None, 0) == layouts[-1]


def test_stepping_does_not_move_the_plot_until_it_has_to() -> None:
    layout = lay_out(1_000, 102, 3, 500, 0)
    assert lay_out(1_000, 102, 3, 501, layout.first) == layout
    beyond = layout.first + layout.shown
    assert lay_out(1_000, 102, 3, beyond, layout.first).first > layout.first
