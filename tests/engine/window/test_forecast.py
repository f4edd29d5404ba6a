"""W8: turns and time left, as ranges."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.window.forecast import Forecast, Range, Sent, forecast, since_shrink
from spillscope.window.thresholds import window_thresholds

WINDOW = window_thresholds(200_000, 32_000, source="test")
GROWTHS = st.lists(st.integers(0, 30_000), min_size=2, max_size=60)


def sent(*tokens: int, every: float = 20.0) -> list[Sent]:
    return [Sent(count, at * every) for at, count in enumerate(tokens)]


def steady(turns: int, growth: int, start: int = 30_000) -> list[Sent]:
    return sent(*(start + growth * at for at in range(turns)))


def foretell(turns: list[Sent], tokens: int | None = None, tokens_hi: int | None = None) -> Forecast:
    found = forecast(turns, turns[-1].tokens if tokens is None else tokens, WINDOW, tokens_hi)
    assert found is not None
    return found


@pytest.mark.parametrize(("turns", "known"), [(0, False), (2, False), (3, True)])
def test_fewer_than_three_turns_foretell_nothing(turns: int, known: bool) -> None:
    assert (forecast(steady(turns, 2_000), 40_000, WINDOW) is not None) == known


def test_after_a_shrink_three_new_turns_are_waited_for() -> None:
    turns = sent(100_000, 110_000, 120_000, 90_000, 92_000)
    assert forecast(turns, 92_000, WINDOW) is None
    found = forecast([*turns, Sent(94_000, 200.0)], 94_000, WINDOW)
    assert found is not None
    assert found.turns == 3


@pytest.mark.parametrize(("fell", "kept"), [(2_000, 4), (2_001, 1)])
def test_what_is_a_shrink(fell: int, kept: int) -> None:
    assert len(since_shrink(sent(50_000, 60_000, 70_000, 70_000 - fell))) == kept


def test_steady_growth_is_foretold_where_it_leads() -> None:
    """50 turns of 2,000 tokens: 37,000 more are 18 or 19 turns away."""
    found = foretell(steady(50, 2_000, start=32_000))
    assert found.tokens_per_turn == pytest.approx(2_000)
    assert found.auto_compact.lo < 18.5 < found.auto_compact.hi
    assert abs(found.auto_compact.mid - 18.5) <= 3


def test_more_turns_narrow_the_range() -> None:
    few, many = (foretell(steady(turns, 2_000), tokens=100_000).auto_compact for turns in (3, 50))
    assert few.lo < many.lo <= many.hi < few.hi


def test_one_burst_does_not_carry_the_mean() -> None:
    calm, burst = steady(30, 1_000), steady(30, 1_000)
    burst[15:] = [turn._replace(tokens=turn.tokens + 60_000) for turn in burst[15:]]
    assert foretell(burst).tokens_per_turn < 1.5 * foretell(calm).tokens_per_turn


def test_the_low_end_reckons_with_a_burst_like_the_last() -> None:
    calm, burst = steady(30, 1_000), steady(30, 1_000)
    burst[20:] = [turn._replace(tokens=turn.tokens + 40_000) for turn in burst[20:]]
    at_130k = (foretell(turns, 130_000).auto_compact for turns in (calm, burst))
    (calm_lo, _, calm_hi), (burst_lo, _, burst_hi) = at_130k
    assert burst_lo < calm_lo / 2
    assert burst_hi > calm_hi / 2


def test_a_mark_that_is_reached_is_no_turns_away() -> None:
    found = foretell(steady(5, 2_000), tokens=167_000)
    assert (found.warning, found.auto_compact) == (Range(0, 0, 0), Range(0, 0, 0))
    assert found.window.lo > 0


def test_only_the_low_end_takes_the_bands_upper_end() -> None:
    turns = steady(10, 2_000)
    alone, banded = foretell(turns, 100_000), foretell(turns, 100_000, 130_000)
    assert banded.auto_compact.lo < alone.auto_compact.lo
    assert banded.auto_compact[1:] == alone.auto_compact[1:]
    assert foretell(turns, 100_000, 170_000).auto_compact.lo == 0


def test_the_pace_leaves_pauses_out() -> None:
    turns = [Sent(30_000 + 1_000 * at, stamp) for at, stamp in enumerate((0.0, 30.0, 90.0, 4_000.0, 4_030.0))]
    found = foretell(turns)
    assert found.seconds_per_turn == 40
    assert found.minutes(Range(3, 6, 9)) == (2, 4, 6)


def test_without_times_there_is_no_pace() -> None:
    found = foretell([Sent(tokens, None) for tokens in (1_000, 2_000, 3_000)])
    assert found.seconds_per_turn is None
    assert found.minutes(found.window) is None


@given(growths=GROWTHS, now=st.integers(0, 250_000), more=st.integers(0, 50_000))
def test_ranges_are_in_order_and_so_are_the_marks(growths: list[int], now: int, more: int) -> None:
    tokens = [10_000]
    for growth in growths:
        tokens.append(tokens[-1] + growth)
    found = foretell(sent(*tokens), now, now + more)
    marks = (found.warning, found.auto_compact, found.window)
    assert all(0 <= lo <= mid <= hi for lo, mid, hi in marks)
    assert all(near <= far for one, other in pairwise(marks) for near, far in zip(one, other, strict=True))
