"""W1: the window of a model, and how it is known."""

from __future__ import annotations

import pytest

from spillscope.limits import Limits
from spillscope.window.models import find_model, models, resolve_window


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("claude-3-opus-20240229", "claude-3"),
        ("claude-3-5-sonnet-20241022", "claude-3-5"),
        ("claude-3-7-sonnet-latest", "claude-3-7"),
        ("claude-sonnet-4", "claude-sonnet-4"),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4"),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4"),
        ("claude-opus-4-8", "claude-opus-4"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4"),
        ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5"),
        ("claude-opus-4@20250514", "claude-opus-4"),
        ("Claude-Opus-5", "claude-opus-5"),
        ("claude-opus-45", None),
        ("claude-35", None),
        ("glm-4.7", None),
        ("", None),
    ],
)
def test_the_longest_row_that_fits_is_found(name: str, row: str | None) -> None:
    model = find_model(name)
    assert (model.name if model else None) == row


def test_the_table_makes_sense() -> None:
    assert len({model.name for model in models()}) == len(models())
    assert all(model.window in (200_000, 1_000_000) and 0 < model.max_output < model.window for model in models())


def test_a_known_model() -> None:
    window = resolve_window("claude-sonnet-4-5-20250929", 150_000, Limits())
    assert (window.size, window.effective, window.auto_compact, window.warning, window.blocking) == (
        *(200_000, 180_000, 167_000),
        *(147_000, 177_000),
    )
    assert (window.guessed, window.source) == (False, "known model claude-sonnet-4")


def test_the_suffix_and_a_percentage() -> None:
    window = resolve_window("claude-sonnet-4-5-20250929[1m]", 0, Limits(auto_compact_pct=40))
    assert (window.size, window.effective, window.auto_compact, window.warning, window.blocking) == (
        *(1_000_000, 980_000, 392_000),
        *(372_000, 977_000),
    )
    assert "[1m]" in window.source


def test_a_short_output_reserves_less() -> None:
    assert resolve_window("claude-3-5-sonnet-20241022", 0, Limits()).effective == 200_000 - 8_192


@pytest.mark.parametrize("name", ["glm-4.7", None, "<synthetic>"])
def test_an_unknown_model_is_a_guess(name: str | None) -> None:
    window = resolve_window(name, 200_000, Limits())
    assert (window.size, window.guessed) == (200_000, True)
    assert "guess" in window.source


@pytest.mark.parametrize("name", ["claude-sonnet-4-5", "glm-4.7", None])
def test_a_usage_above_the_window_proves_a_million(name: str | None) -> None:
    assert resolve_window(name, 200_000, Limits()).size == 200_000
    window = resolve_window(name, 200_001, Limits())
    assert (window.size, window.guessed, window.source) == (1_000_000, False, "proven by a response of 200,001 tokens")


def test_a_window_that_was_set_stands_and_is_shown_as_exceeded() -> None:
    limits = Limits(window=150_000, auto_compact_window=100_000, sources={"window": "command line"})
    window = resolve_window("claude-opus-5", 300_000, limits)
    assert (window.size, window.guessed, window.source) == (150_000, False, "set: command line")
    assert window.percent_used(300_000) == 200.0


@pytest.mark.parametrize(
    ("name", "cap", "usage", "size"),
    [
        ("claude-opus-5", 400_000, 399_000, 400_000),
        ("claude-opus-5", 400_000, 400_000, 400_000),
        ("claude-opus-5", 400_000, 400_001, 1_000_000),
        ("claude-sonnet-4", 400_000, 100_000, 200_000),
        ("claude-sonnet-4", 400_000, 250_000, 400_000),
        ("claude-sonnet-4", 150_000, 160_000, 200_000),
        ("claude-sonnet-4", 150_000, 250_000, 1_000_000),
    ],
)
def test_the_agents_own_setting_caps_unless_a_usage_contradicts_it(name: str, cap: int, usage: int, size: int) -> None:
    limits = Limits(auto_compact_window=cap, sources={"auto_compact_window": "settings.json"})
    window = resolve_window(name, usage, limits)
    assert window.size == size
    assert (window.source == "auto-compact window: settings.json") is (size == cap)


def test_auto_compact_off_is_passed_on() -> None:
    assert not resolve_window("claude-opus-5", 0, Limits(auto_compact=False)).auto_compact_enabled
