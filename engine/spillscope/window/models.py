"""W1: how large a model's context window is, and how that is known."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from spillscope.limits import Limits
from spillscope.shipped import shipped_table
from spillscope.window.thresholds import MAX_OUTPUT_RESERVE, Window, window_thresholds

DEFAULT_WINDOW = 200_000
EXTENDED_WINDOW = 1_000_000
EXTENDED_SUFFIX = "[1m]"
_FAMILY = "claude-"


class Model(NamedTuple):
    """One row of the table: a model's name, its window and its longest output, in tokens."""

    name: str
    window: int
    max_output: int


class _Size(NamedTuple):
    tokens: int
    source: str
    guessed: bool = False


@cache
def models() -> tuple[Model, ...]:
    """The whole table of known models."""
    return tuple(
        Model(row["name"], row["window"], row["max_output"])
        for row in shipped_table("spillscope.window", "models.toml")["model"]
    )


@lru_cache(maxsize=64)
def find_model(name: str) -> Model | None:
    """The row of the table for a model's name, with or without a cloud's prefix, a date and a suffix; None if unknown."""
    start = name.lower().find(_FAMILY)
    if start < 0:
        return None
    bare = name.lower()[start:]
    return max((model for model in models() if _is_called(bare, model.name)), key=lambda model: len(model.name), default=None)


def resolve_window(model: str | None, largest_usage: int, limits: Limits) -> Window:
    """W1, W2: the window of a session, in tokens, with its marks.

    `largest_usage` is the largest total of one response (T1) seen with this model. A window that was set stands even
    where a usage is above it. Otherwise the name or the table gives it, a usage above that proves 1,000,000, and the
    agent's own auto-compact window caps it, unless a usage shows that it did not.
    """
    known = find_model(model) if model else None
    size = _set_window(limits) or _capped(_proven(_named(model, known), largest_usage), largest_usage, limits)
    return window_thresholds(
        size.tokens,
        known.max_output if known else MAX_OUTPUT_RESERVE,
        source=size.source,
        guessed=size.guessed,
        auto_compact=limits.auto_compact,
        auto_compact_pct=limits.auto_compact_pct,
    )


def _set_window(limits: Limits) -> _Size | None:
    return _Size(limits.window, f"set: {limits.source('window')}") if limits.window is not None else None


def _named(model: str | None, known: Model | None) -> _Size:
    if model is not None and model.lower().rstrip().endswith(EXTENDED_SUFFIX):
        return _Size(EXTENDED_WINDOW, f"the model's name ends in {EXTENDED_SUFFIX}")
    if known is not None:
        return _Size(known.window, f"known model {known.name}")
    return _Size(DEFAULT_WINDOW, "a guess: the model is not known" if model else "a guess: no model is named", guessed=True)


def _proven(size: _Size, largest_usage: int) -> _Size:
    if largest_usage <= size.tokens or size.tokens >= EXTENDED_WINDOW:
        return size
    return _Size(EXTENDED_WINDOW, f"proven by a response of {largest_usage:,} tokens")


def _capped(size: _Size, largest_usage: int, limits: Limits) -> _Size:
    cap = limits.auto_compact_window
    if cap is None or cap >= size.tokens or largest_usage > cap:
        return size
    return _Size(cap, f"auto-compact window: {limits.source('auto_compact_window')}", size.guessed)


def _is_called(name: str, model: str) -> bool:
    return name.startswith(model) and not name[len(model) : len(model) + 1].isalnum()
