"""JSON as JavaScript prints it. The expected texts are what node prints for them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.javascript import escape_lone_surrogates, js_number, stringify


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (1e16, "10000000000000000"),
        (1e20, "100000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e21, "1e+21"),
        (1.25e21, "1.25e+21"),
        (1e-6, "0.000001"),
        (1.5e-6, "0.0000015"),
        (1e-7, "1e-7"),
        (-1.25e-7, "-1.25e-7"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (2**53 + 1, "9007199254740992"),
        (2**63, "9223372036854776000"),
        (10**400, "null"),
        (float("inf"), "null"),
        (float("nan"), "null"),
    ],
)
def test_numbers(value: float, printed: str) -> None:
    assert js_number(value) == printed


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        ([], "[]"),
        ({}, "{}"),
        ([{"type": "text", "text": 'a"\n'}], '[\n  {\n    "type": "text",\n    "text": "a\\"\\n"\n  }\n]'),
        ([[], {}], "[\n  [],\n  {}\n]"),
        ({"a": [1.0, None, True]}, '{\n  "a": [\n    1,\n    null,\n    true\n  ]\n}'),
        ("é漢\u2028\x7f", '"é漢\u2028\x7f"'),
        ("\x00\x1f\b\f\t\\/", '"\\u0000\\u001f\\b\\f\\t\\\\/"'),
        ("a\ud800b", '"a\\ud800b"'),
        ({"\udfff": 1}, '{\n  "\\udfff": 1\n}'),
    ],
)
def test_indented(value: Any, printed: str) -> None:
    assert stringify(value, "  ") == printed


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_what_both_languages_print_alike(value: Any) -> None:
    assert stringify(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    assert stringify(value, "  ") == json.dumps(value, ensure_ascii=False, indent=2)


def test_depth_is_no_obstacle() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert stringify(deep) == "[" * 5_001 + "]" * 5_001


def test_escapes_make_any_text_encodable() -> None:
    assert escape_lone_surrogates("a\udc00😀\ud83d") == "a\\udc00😀\\ud83d"
