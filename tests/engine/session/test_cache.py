"""R6: where the prompt cache broke, and the likeliest cause."""

from __future__ import annotations

import pytest

from spillscope.session.cache import CacheBreak, cache_breaks
from spillscope.session.reading import Request
from spillscope.tokens.usage import Usage


def request(read: int, *, at: float | None = 0, model: str = "m", segment: int = 0, hour: int = 0, input: int = 10) -> Request:
    return Request("msg", at, Usage(input, hour, read, 1, 0, hour), 0, model, segment, 0)


def broke(*requests: Request) -> list[CacheBreak | None]:
    return list(cache_breaks(requests))


def test_a_read_that_grows_is_no_break() -> None:
    assert broke(request(0), request(50_000), request(60_000)) == [None] * 3


@pytest.mark.parametrize(
    ("before", "now", "lost"),
    [
        (100_000, 95_000, None),
        (100_000, 94_999, 5_001),
        (40_000, 38_000, None),
        (39_999, 37_999, 2_000),
        (10_000, 8_001, None),
        (10_000, 8_000, 2_000),
    ],
)
def test_both_the_share_and_the_tokens_count(before: int, now: int, lost: int | None) -> None:
    found = broke(request(before), request(now))[1]
    assert (None if found is None else found.lost) == lost


def test_nothing_read_means_the_head_changed() -> None:
    assert broke(request(50_000), request(0))[1] == CacheBreak(50_000, "head")


def test_a_part_read_is_not_explained() -> None:
    assert broke(request(50_000), request(20_000))[1] == CacheBreak(30_000, "unknown")


def test_another_model_explains_it_first() -> None:
    assert broke(request(50_000), request(0, model="n", at=9_999))[1] == CacheBreak(50_000, "model")


@pytest.mark.parametrize(
    ("seconds", "hour", "cause"), [(300, 0, "head"), (301, 0, "idle"), (301, 5, "head"), (3_600, 5, "head"), (3_601, 5, "idle")]
)
def test_a_pause_beyond_the_time_to_live_explains_it(seconds: float, hour: int, cause: str) -> None:
    found = broke(request(50_000, hour=hour), request(0, at=seconds))[1]
    assert found == CacheBreak(50_000, cause)  # type: ignore[arg-type]


def test_without_times_no_pause_is_known() -> None:
    assert broke(request(50_000, at=None), request(0, at=99_999))[1] == CacheBreak(50_000, "head")


def test_right_after_a_compaction_is_no_break() -> None:
    after = [request(9_000, segment=1), request(2_000, segment=1)]
    assert broke(request(50_000), *after) == [None, None, CacheBreak(7_000, "unknown")]


def test_a_request_without_usage_is_stepped_over() -> None:
    found = broke(request(50_000), request(0, input=0)._replace(usage=Usage()), request(20_000))
    assert found == [None, None, CacheBreak(30_000, "unknown")]
