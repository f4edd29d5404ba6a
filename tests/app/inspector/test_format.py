"""Numbers, times and names in few cells."""

from __future__ import annotations

import math

import pytest

from spillscope_app.format import age, base_name, clock, compact, exact, liveness, model_name, moment, plural, short, tool_name


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0"),
        (950, "950"),
        (999, "999"),
        (1_000, "1.0k"),
        (12_449, "12.4k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
        (1_234_567, "1.2M"),
        (3.2e9, "3.2G"),
        (math.inf, "∞"),
    ],
)
def test_compact(number: float, words: str) -> None:
    assert compact(number) == words
    assert len(words) <= 6


def test_other_numbers() -> None:
    assert [short(200_000), short(12_449), short(1_000_000)] == ["200k", "12.4k", "1M"]
    assert [exact(212_104), exact(math.inf)] == ["212,104", "∞"]
    assert [plural(1, "line"), plural(2_000, "line")] == ["1 line", "2,000 lines"]


@pytest.mark.parametrize(
    ("seconds", "words"), [(-5, "0s"), (2.7, "3s"), (59, "59s"), (61, "1m"), (3_600, "1h"), (200_000, "2d")]
)
def test_age(seconds: float, words: str) -> None:
    assert age(seconds) == words


def test_liveness() -> None:
    assert [liveness(98, 100), liveness(100, 1_000), liveness(None, 1)] == ["live 2s", "idle 15m", "idle"]


def test_times_of_day() -> None:
    assert clock(1_767_276_131) == "14:02"
    assert moment(1_767_276_131) == "2026-01-01 14:02:11"
    assert [clock(None), clock(1e300), clock(math.inf)] == ["", "", ""]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("claude-opus-4-6-20260115", "opus-4-6"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "sonnet-4-5"),
        ("claude-haiku-4-5@20251001", "haiku-4-5"),
        ("gpt-x", "gpt-x"),
    ],
)
def test_model_name(model: str, words: str) -> None:
    assert model_name(model) == words


def test_names() -> None:
    assert [tool_name("mcp__atlas__list"), tool_name("Bash"), tool_name(None), tool_name("x__")] == ["list", "Bash", "?", "x__"]
    assert [base_name("/a/b/"), base_name("C:\\work\\tides"), base_name("/")] == ["b", "tides", "/"]
