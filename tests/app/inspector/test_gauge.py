"""The gauge's bar, figures and sparkline."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spillscope_app.spans import Line, width_of
from spillscope_app.widgets.gauge import Gauge, Mark, Sample, bar, gauge_lines, sparkline


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
    history = [Sample(at * 1_000, at == 3) for at in range(samples)]
    gauge = Gauge(exact, estimate, size, (Mark(size // 2, "│", "warn"),), "2s", history=history)
    assert width_of(bar(gauge, width)) == width
    assert width_of(gauge_lines(gauge, width)[1]) <= width


def test_sparkline_shows_the_newest_and_marks_a_break() -> None:
    history = [Sample(10), Sample(80), Sample(20, is_break=True), Sample(40)]
    assert text(sparkline(history, 10)) == "▁█╎▂▄"
    assert text(sparkline([], 5)) == ""
