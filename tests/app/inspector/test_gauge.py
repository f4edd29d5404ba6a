"""The gauge's bar, figures and sparkline."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spillscope_app.spans import Line, Span, width_of
from spillscope_app.widgets.gauge import Bounds, Gauge, Mark, Sample, bar, gauge_lines, sparkline


def text(spans: Line) -> str:
    return "".join(span.text for span in spans)


def test_exact_is_solid_estimate_hatched_and_marks_stand_where_they_belong() -> None:
    drawn = bar(Gauge(500, 100, 1_000, (Mark(700, "┊", "dim"), Mark(800, "│", "warn"))), 20)
    assert text(drawn) == "██████████▒▒░░┊░│░░░"


def test_a_small_estimate_is_seen_at_all() -> None:
    assert text(bar(Gauge(500, 1, 1_000), 10)) == "█████▒░░░░"


def test_over_the_window_goes_on_beyond_its_end() -> None:
    drawn = bar(Gauge(1_200, 50, 1_000), 20)
    assert text(drawn) == "████████████████┃██▒"
    assert drawn[0].ink == "gauge"
    assert drawn[-1].ink == "over"
    assert "125.0 %" in text(gauge_lines(Gauge(1_200, 50, 1_000), 80)[0])


@given(
    st.integers(min_value=0, max_value=3_000_000),
    st.integers(min_value=0, max_value=3_000_000),
    st.integers(min_value=0, max_value=1_000_000),
    st.integers(min_value=0, max_value=220),
    st.integers(min_value=0, max_value=30),
)
def test_any_figures_fit_any_width(exact: int, estimate: int, size: int, width: int, samples: int) -> None:
    history = [Sample(at * 1_000, at == 3, at == 5) for at in range(samples)]
    gauge = Gauge(exact, estimate, size, (Mark(size // 2, "│", "warn"),), "2s", history=history)
    assert width_of(bar(gauge, width)) == width
    assert all(width_of(spans) <= width for spans in gauge_lines(gauge, width, 2)[1:])


def spark(history: list[Sample], size: int, width: int, rows: int = 1, total: int = 0) -> list[str]:
    return [text(row) for row in sparkline(Gauge(total, 0, size, history=history), width, rows)]


def test_the_sparkline_is_scaled_to_the_window_and_sets_the_next_request_apart() -> None:
    history = [Sample(10), Sample(80), Sample(20, is_break=True), Sample(40, broke_cache=True)]
    assert spark(history, 100, 8, total=50) == ["▁▆╎▂╳▃ ▄"]
    assert spark(history, 100, 8, 2, total=50) == [" ▅╎     ", "▂█╎▃╳▆ █"]


def test_a_wide_sparkline_spreads_its_requests() -> None:
    assert spark([Sample(50), Sample(100)], 100, 8, total=100) == ["▄▄▄███ █"]


def test_a_sparkline_keeps_the_newest() -> None:
    assert spark([Sample(at) for at in range(0, 100, 10)], 100, 5, total=100) == ["▆▆▇ █"]


def test_growth_is_seen_in_a_window_that_is_nearly_empty() -> None:
    assert len(set(spark([Sample(at * 1_000) for at in range(1, 9)], 1_000_000, 10, total=8_000)[0])) > 4


def test_no_room_and_no_requests() -> None:
    assert spark([Sample(5)], 100, 3) == [""]
    assert spark([], 100, 6, total=100) == [" █"]


def test_what_no_transcript_holds_is_a_part_of_its_own_with_its_legend() -> None:
    gauge = Gauge(500, 100, 1_000, residual=200)
    assert text(bar(gauge, 20)) == "▓▓▓▓██████▒▒░░░░░░░░"
    assert "▓ residual 200" in text(gauge_lines(gauge, 80)[1])


def test_what_other_limits_would_free_or_add_is_outlined() -> None:
    assert text(bar(Gauge(500, 0, 1_000, what_if=300), 10)) == "███══░░░░░"
    assert text(bar(Gauge(500, 0, 1_000, what_if=800), 10)) == "█████═══░░"
    assert text(bar(Gauge(500, 1, 1_000, what_if=501), 10)) == "█████▒░░░░"  # no difference, though the estimate is seen
    assert {span.ink for span in bar(Gauge(500, 0, 1_000, what_if=300), 10) if span.text == "═"} == {"fresh"}
    assert {span.ink for span in bar(Gauge(500, 0, 1_000, what_if=800), 10) if span.text == "═"} == {"warn"}
    assert "═ what-if 300" in text(gauge_lines(Gauge(500, 0, 1_000, what_if=300), 80)[1])


def test_a_what_if_over_the_window_keeps_its_end_in_view() -> None:
    assert text(bar(Gauge(500, 0, 1_000, what_if=1_250), 10)) == "████════┃═"


def test_a_band_stands_beside_the_estimate_and_where_there_is_room_beside_the_total() -> None:
    gauge = Gauge(138_900, 4_300, 200_000, band=Bounds(142_700, 143_700))
    assert "exact 138.9k + 4.3k ±500" in text(gauge_lines(gauge, 80)[1])
    assert "143.2k of 200k" in text(gauge_lines(gauge, 80)[0])
    assert "143.2k ±500 of 200k" in text(gauge_lines(gauge, 120)[0])
    lopsided = Gauge(100_000, 4_300, 200_000, band=Bounds(103_800, 109_000))
    assert "+ 4.3k (3.8k–9.0k)" in text(gauge_lines(lopsided, 80)[1])


def test_the_percent_does_not_touch_the_edge() -> None:
    for width in (40, 80, 160):
        assert width_of(gauge_lines(Gauge(143_200, 0, 200_000), width)[0]) == width - 1


def test_the_longest_words_that_fit_stand_at_the_right() -> None:
    words = ((Span("auto-compact at 167k in 23.8k, 5–8 turns, if proactive"),), (Span("compacts in 5–8 turns"),))
    gauge = Gauge(138_900, 4_300, 200_000, limit_words=words)
    assert text(gauge_lines(gauge, 120)[1]).endswith("if proactive ")
    assert text(gauge_lines(gauge, 80)[1]).endswith("compacts in 5–8 turns ")
    assert "compacts in 5–8 turns" in text(gauge_lines(gauge, 30)[1])
