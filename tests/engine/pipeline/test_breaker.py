"""W3: failures in a row, and refills that come too quickly."""

from __future__ import annotations

from spillscope.pipeline.breaker import Breaker


def refill(breaker: Breaker, turns: int) -> None:
    """Compacted, and full again after so many requests."""
    breaker.compacted()
    for _ in range(turns):
        breaker.request()
    breaker.filled()


def test_three_failures_in_a_row_stop_and_a_success_resets() -> None:
    breaker = Breaker()
    breaker.failed()
    breaker.failed()
    assert not breaker.stopped
    breaker.compacted()
    breaker.failed()
    breaker.failed()
    assert not breaker.stopped
    breaker.failed()
    assert breaker.stopped


def test_three_quick_refills_are_thrashing() -> None:
    breaker = Breaker()
    breaker.filled()  # the first time is no refill
    for turns in (3, 1):
        refill(breaker, turns)
        breaker.filled()
        assert not breaker.thrashing
    refill(breaker, 3)
    assert breaker.thrashing
    breaker.roomy()
    assert not breaker.thrashing


def test_a_slow_refill_begins_anew() -> None:
    breaker = Breaker()
    for turns in (1, 1, 4, 1, 1):
        refill(breaker, turns)
    assert (breaker.refills, breaker.thrashing) == (2, False)
    breaker.roomy()
    assert breaker.refills == 2
