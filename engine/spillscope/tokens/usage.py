"""T1, T5, T7: what the API said that a response cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Usage(NamedTuple):
    """Tokens of one response, by field. `cache_5m` and `cache_1h` are the nested split of `cache_creation`."""

    input: int = 0
    cache_creation: int = 0
    cache_read: int = 0
    output: int = 0
    cache_5m: int = 0
    cache_1h: int = 0

    @property
    def total(self) -> int:
        """T1."""
        return self.input + self.cache_creation + self.cache_read + self.output

    @property
    def prompt(self) -> int:
        """T1 without the output: what the request carried."""
        return self.input + self.cache_creation + self.cache_read


NO_USAGE = Usage()
_TOO_MANY = 10**15


def _count(value: object) -> int:
    if type(value) is int:  # a bool is none
        return value if 0 <= value < _TOO_MANY else 0
    return int(value) if type(value) is float and 0 <= value < _TOO_MANY else 0


def read_usage(value: object) -> Usage:
    """A response's `usage` object as numbers. Missing, null or foreign fields count 0 (spec T1, S3).

    Where `cache_creation_input_tokens` is 0 but the nested split is not, the split's sum counts. `iterations` and other
    nested details are never added.
    """
    if not isinstance(value, dict):
        return NO_USAGE
    get = value.get
    created = _count(get("cache_creation_input_tokens"))
    split = get("cache_creation")
    five = hour = 0
    if isinstance(split, dict):
        five, hour = (
            _count(split.get("ephemeral_5m_input_tokens")),
            _count(split.get("ephemeral_1h_input_tokens")),
        )
        created = created or sum(map(_count, split.values()))
    return Usage(
        _count(get("input_tokens")),
        created,
        _count(get("cache_read_input_tokens")),
        _count(get("output_tokens")),
        five,
        hour,
    )


def get_token_count_from_usage(usage: object) -> int:
    """T1: input + cache creation + cache read + output of a `usage` object."""
    return read_usage(usage).total


def largest(first: Usage, second: Usage) -> Usage:
    """T7: one usage of a split response, the larger of each field."""
    if first is NO_USAGE:
        return second
    if second is NO_USAGE or first == second:
        return first
    return Usage(*map(max, first, second))


def response_usage(usages: Iterable[Usage]) -> Usage:
    """T7: the usage of a response that stands in several records."""
    merged = NO_USAGE
    for usage in usages:
        merged = largest(merged, usage)
    return merged
