"""Sizes, emptiness and what can be written, of foreign content (spec P2–P4)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.blocks import content_size, has_image, is_empty, is_writable, take_units, units

IMAGE = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}


@pytest.mark.parametrize(
    ("text", "length"),
    [("", 0), ("abc", 3), ("é", 1), ("漢字", 2), ("😀", 2), ("👩‍👩‍👧", 8), ("\ud83d", 1), ("\ude00\ud83d", 2), ("a\ud83db", 3)],
)
def test_units_are_what_javascript_measures(text: str, length: int) -> None:
    assert units(text) == length


@pytest.mark.parametrize(
    ("text", "limit", "head"),
    [
        ("abcd", 3, "abc"),
        ("ab😀c", 3, "ab"),
        ("ab😀c", 4, "ab😀"),
        ("ab😀", 4, "ab😀"),
        ("漢字漢", 2, "漢字"),
        ("ab", 5, "ab"),
        ("ab", 0, ""),
    ],
)
def test_a_prefix_splits_no_pair(text: str, limit: int, head: str) -> None:
    assert take_units(text, limit) == head


@given(st.text(), st.integers(0, 60))
def test_a_prefix_is_as_long_as_it_can_be(text: str, limit: int) -> None:
    head = take_units(text, limit)
    assert text.startswith(head)
    assert units(head) <= limit
    if head != text:
        assert units(text[: len(head) + 1]) > limit


@pytest.mark.parametrize(
    ("content", "size"),
    [
        ("a😀", 3),
        ([{"type": "text", "text": "ab"}, {"type": "text", "text": "漢"}], 3),
        ([{"type": "text", "text": "ab"}, IMAGE, {"type": "tool_reference", "text": "not counted"}], 2),
        ([{"type": "text"}, {"type": "text", "text": 7}, "bare", None], 0),
        (None, 0),
        ({"type": "text", "text": "abc"}, 0),
        (12, 0),
    ],
)
def test_only_text_counts(content: Any, size: int) -> None:
    assert content_size(content) == size


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        " \n\t",
        "\u00a0\ufeff\u2029",
        [],
        [{"type": "text", "text": ""}, {"type": "text", "text": "\n "}],
        [{"type": "text", "text": 3}],
    ],
)
def test_nothing_to_read_is_empty(content: Any) -> None:
    assert is_empty(content)


@pytest.mark.parametrize(
    "content",
    ["a", "\u200b", "\x1c", [IMAGE], [{"type": "text", "text": ""}, IMAGE], [{"type": "tool_reference"}], ["bare"], 0, {}],
)
def test_something_is_not_empty(content: Any) -> None:
    assert not is_empty(content)


def test_an_image_counts_only_as_a_block_of_the_list() -> None:
    assert has_image([{"type": "text", "text": "a"}, IMAGE])
    assert not has_image([{"type": "text", "text": "a"}, {"type": "document"}])
    assert not has_image("image")


def test_text_alone_can_be_written() -> None:
    assert is_writable("a")
    assert is_writable([{"type": "text", "text": "a"}])
    assert not is_writable([{"type": "text", "text": "a"}, {"type": "tool_reference"}])
    assert not is_writable({"type": "text"})
