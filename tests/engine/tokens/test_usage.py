"""Usage as the API gives it (spec T1, T7)."""

from __future__ import annotations

from typing import Any

import pytest

from spillscope.tokens.usage import Usage, get_token_count_from_usage, read_usage, response_usage


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        ({"input_tokens": 1, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 300, "output_tokens": 4_000}, 4_321),
        ({"input_tokens": 5, "output_tokens": None}, 5),
        ({}, 0),
        (None, 0),
        ("usage", 0),
        ({"input_tokens": "5", "output_tokens": True, "cache_read_input_tokens": 7}, 7),
        (
            {
                "input_tokens": 5,
                "iterations": [{"input_tokens": 5, "output_tokens": 9}],
                "server_tool_use": {"web_search_requests": 3},
            },
            5,
        ),
        (
            {
                "cache_creation_input_tokens": 0,
                "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4},
            },
            7,
        ),
        (
            {
                "cache_creation_input_tokens": 9,
                "cache_creation": {"ephemeral_5m_input_tokens": 3, "ephemeral_1h_input_tokens": 4},
            },
            9,
        ),
    ],
)
def test_a_total_adds_four_fields(usage: Any, total: int) -> None:
    assert get_token_count_from_usage(usage) == total


def test_the_prompt_is_without_the_output() -> None:
    assert read_usage({"input_tokens": 1, "cache_read_input_tokens": 2, "output_tokens": 40}).prompt == 3


def test_a_split_response_counts_the_largest_of_each_field() -> None:
    start = read_usage({"input_tokens": 3, "cache_read_input_tokens": 900, "output_tokens": 1})
    end = read_usage({"input_tokens": 3, "cache_read_input_tokens": 900, "output_tokens": 247})
    assert response_usage([start, end, start]) == Usage(3, 0, 900, 247)
    assert response_usage([]).total == 0
