"""W2: the marks inside a window."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.window.thresholds import Window, window_thresholds

sizes = st.integers(1, 2_000_000)
percents = st.one_of(st.none(), st.integers(-5, 120), st.floats(0.5, 101))


def marks(size: int, max_output: int = 32_000, **options: float | bool | None) -> tuple[int, int, int, int]:
    window = window_thresholds(size, max_output, source="", **options)  # type: ignore[arg-type]
    return window.effective, window.auto_compact, window.warning, window.blocking


def test_the_marks_of_both_known_sizes() -> None:
    assert marks(200_000) == (180_000, 167_000, 147_000, 177_000)
    assert marks(1_000_000) == (980_000, 967_000, 947_000, 977_000)


@pytest.mark.parametrize(("output", "effective"), [(4_096, 195_904), (19_999, 180_001), (20_000, 180_000), (20_001, 180_000)])
def test_the_reserve_is_the_longest_output_up_to_20k(output: int, effective: int) -> None:
    assert marks(200_000, output)[0] == effective


@pytest.mark.parametrize(
    ("percent", "auto_compact"),
    [(1, 1_800), (40, 72_000), (92, 165_600), (93, 167_000), (100, 167_000), (0, 167_000), (101, 167_000), (62.5, 112_500)],
)
def test_a_percentage_only_lowers_auto_compact(percent: float, auto_compact: int) -> None:
    assert marks(200_000, auto_compact_pct=percent) == (180_000, auto_compact, auto_compact - 20_000, 177_000)


def test_a_percentage_is_rounded_down() -> None:
    assert marks(200_002, auto_compact_pct=33)[1] == 59_400


def test_with_auto_compact_off_warning_and_threshold_are_of_the_effective_window() -> None:
    window = window_thresholds(200_000, 32_000, source="", auto_compact=False)
    assert (window.warning, window.threshold, window.auto_compact) == (160_000, 180_000, 167_000)


@pytest.mark.parametrize(
    ("used", "left"), [(0, 100), (167_000, 0), (500_000, 0), (83_500, 50), (166_165, 1), (166_164, 1), (166_166, 0)]
)
def test_percent_left_counts_against_auto_compact_and_rounds_half_up(used: int, left: int) -> None:
    assert window_thresholds(200_000, 32_000, source="").percent_left(used) == left


def test_percent_used_is_of_the_whole_window_and_may_exceed_it() -> None:
    window = window_thresholds(200_000, 32_000, source="")
    assert [window.percent_used(used) for used in (0, 100, 99, 100_000, 250_000)] == [0.0, 0.1, 0.0, 50.0, 125.0]


@given(sizes, st.integers(0, 64_000), percents, st.booleans())
def test_the_marks_keep_their_order(size: int, output: int, percent: float | None, on: bool) -> None:
    window = window_thresholds(size, output, source="", auto_compact=on, auto_compact_pct=percent)
    assert window.auto_compact <= window.effective - 13_000 < window.blocking < window.effective <= window.size
    assert window.warning == window.threshold - 20_000


@given(sizes, sizes, percents)
def test_a_larger_window_lowers_no_mark(one: int, other: int, percent: float | None) -> None:
    small, large = (marks(size, auto_compact_pct=percent) for size in sorted((one, other)))
    assert all(a <= b for a, b in zip(small, large, strict=True))


@given(sizes, st.integers(0, 3_000_000), st.integers(0, 3_000_000))
def test_more_use_never_leaves_more(size: int, one: int, other: int) -> None:
    window: Window = window_thresholds(size, 32_000, source="")
    less, more = sorted((one, other))
    assert 0 <= window.percent_left(more) <= window.percent_left(less) <= 100
    assert window.percent_used(less) <= window.percent_used(more)
