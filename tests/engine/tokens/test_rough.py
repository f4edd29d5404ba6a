"""The agents' rough estimate (spec T2, T3, L5)."""

from __future__ import annotations

from typing import Any

import pytest

from spillscope.tokens.rough import (
    bytes_per_token_for_file_type,
    estimate_content,
    json_units,
    rough_token_count_estimation,
)


@pytest.mark.parametrize(
    ("length", "tokens"), [(0, 0), (1, 0), (2, 1), (4, 1), (5, 1), (6, 2), (10, 3), (14, 4), (200_000, 50_000)]
)
def test_four_units_a_token_rounded_half_up(length: int, tokens: int) -> None:
    assert rough_token_count_estimation("x" * length) == tokens


def test_units_not_characters_nor_bytes() -> None:
    assert rough_token_count_estimation("😀" * 4) == 2
    assert rough_token_count_estimation("漢" * 4) == 1


@pytest.mark.parametrize(("extension", "rate"), [("json", 2), ("JSONL", 2), (".jsonc", 2), ("py", 4), ("", 4), ("json5", 4)])
def test_dense_file_types(extension: str, rate: int) -> None:
    assert bytes_per_token_for_file_type(extension) == rate
    assert rough_token_count_estimation("x" * 8, rate) == 8 // rate


@pytest.mark.parametrize(
    ("content", "tokens"),
    [
        ("x" * 8, 2),
        ([{"type": "text", "text": "xx"}, {"type": "text", "text": "xx"}], 2),  # rounded per string: not 1
        ([{"type": "thinking", "thinking": "x" * 8, "signature": "s" * 4_000}], 2),
        ([{"type": "redacted_thinking", "data": "x" * 12}], 3),
        ([{"type": "tool_use", "id": "t" * 400, "name": "Bash", "input": {"a": 1}}], 3),  # Bash{"a":1}
        ([{"type": "tool_use", "name": "Read"}], 2),  # Read{}
        ([{"type": "tool_use", "name": "N", "input": {"a": 1e-7, "b": 2.0}}], 4),  # N{"a":1e-7,"b":2}
        ([{"type": "tool_result", "tool_use_id": "t", "content": "x" * 8}], 2),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "x" * 8}, {"type": "image"}]}], 2_002),
        ([{"type": "image", "source": {"data": "x" * 100_000}}, {"type": "document"}], 4_000),
        ([{"type": "tool_result", "content": None}, {"type": "tool_result"}], 0),
        ([{"type": "new", "a": "x"}], 6),  # {"type":"new","a":"x"}
        ([{"type": "text", "text": 5}, "bare", None], 0),
        (None, 0),
    ],
)
def test_blocks(content: Any, tokens: int) -> None:
    assert estimate_content(content) == tokens


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ({"a": 1.0, "b": [1e21, 1e-7, 0.00001]}, '{"a":1,"b":[1e+21,1e-7,0.00001]}'),
        ({"n": 2**53 + 1, "m": 2**70}, '{"n":9007199254740992,"m":1180591620717411300000}'),
        ({"k": "é😀\n", "l": None, "m": True}, '{"k":"é??\\n","l":null,"m":true}'),
        ({"k": "\ud800", "n": 1e16}, '{"k":"\\ud800","n":10000000000000000}'),
    ],
)
def test_json_is_measured_as_javascript_prints_it(value: Any, printed: str) -> None:
    assert json_units(value) == len(printed)
