"""Usage plus an estimate of the rest (spec T4, T5)."""

from __future__ import annotations

from typing import Any

import pytest

from spillscope.tokens.hybrid import (
    HybridCount,
    message_token_count_from_last_api_response,
    token_count_from_last_api_response,
    token_count_with_estimation,
)
from spillscope.tokens.synthetic import is_synthetic

Json = dict[str, Any]


def said(response: str | None, text: str, total: int = 0, **fields: Any) -> Json:
    """An assistant record; `total`: its usage, 10 of which are output."""
    message: Json = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": text}]}
    if response is not None:
        message["id"] = response
    if total:
        message["usage"] = {"input_tokens": total - 10, "output_tokens": 10}
    message.update(fields.pop("message", {}))
    return {"type": "assistant", "message": message, **fields}


def user(text: str, **fields: Any) -> Json:
    return {"type": "user", "message": {"role": "user", "content": text}, **fields}


def boundary(**metadata: Any) -> Json:
    return {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "compactMetadata": metadata}


FOUR, EIGHT = "x" * 16, "x" * 32
"""Texts of 4 and 8 tokens."""


def test_no_usage_means_an_estimate_of_everything() -> None:
    assert token_count_with_estimation([user(FOUR), said("a", EIGHT), {"role": "user", "content": FOUR}]) == HybridCount(
        16, 0, 16, None
    )
    assert token_count_with_estimation([]) == HybridCount(0, 0, 0, None)


def test_usage_covers_what_came_before_it() -> None:
    messages = [
        user(EIGHT),
        said("a", FOUR, 100),
        user(FOUR),
        {"type": "progress", "data": EIGHT},
        said("b", EIGHT, 500),
        user(FOUR),
    ]
    assert token_count_with_estimation(messages) == HybridCount(504, 500, 4, 4)


def test_results_between_the_records_of_one_response_are_estimated() -> None:
    messages = [user(EIGHT), said("a", FOUR, 100), user(EIGHT), {"type": "progress"}, said("a", FOUR, 120), user(FOUR)]
    assert token_count_with_estimation(messages) == HybridCount(120 + 16, 120, 16, 1)


def test_another_response_stops_the_walk() -> None:
    messages = [said("a", FOUR, 100), user(EIGHT), said("b", FOUR, 200), user(EIGHT), said("a", FOUR, 300)]
    assert token_count_with_estimation(messages).anchor_index == 4


def test_a_record_without_an_id_is_stepped_over() -> None:
    messages = [said("a", FOUR, 100), said(None, FOUR), said("a", FOUR, 300)]
    assert token_count_with_estimation(messages) == HybridCount(308, 300, 8, 0)


def test_the_usage_is_that_of_the_record_found_first() -> None:
    assert token_count_with_estimation([said("a", FOUR, 900), said("a", FOUR, 300)]).usage == 300


@pytest.mark.parametrize(
    "last",
    [
        said("s", FOUR, 700, message={"model": "<synthetic>"}),
        said("s", FOUR, 700, isApiErrorMessage=True),
        said("s", "[Request interrupted by user]", 700),
        said("s", "[Request interrupted by user for tool use]", 700),
        said("s", FOUR),
        said("s", FOUR, message={"usage": {"input_tokens": 0, "output_tokens": 0}}),
        said("s", FOUR, message={"usage": "many"}),
    ],
)
def test_what_never_anchors(last: Json) -> None:
    counted = token_count_with_estimation([said("a", FOUR, 100), last])
    assert (counted.usage, counted.anchor_index) == (100, 0)
    assert counted.estimate > 0


def test_usage_from_before_a_compaction_does_not_count() -> None:
    old = [user(EIGHT), said("a", EIGHT, 9_000), boundary(), user(FOUR)]
    assert token_count_with_estimation(old) == HybridCount(4, 0, 4, None)
    assert token_count_with_estimation([*old, said("b", FOUR, 50), user(EIGHT)]) == HybridCount(58, 50, 8, 4)
    assert token_count_from_last_api_response(old) == 0


@pytest.mark.parametrize(
    "metadata",
    [
        {"preservedMessages": {"uuids": ["k1", "k2"]}},
        {"preservedSegment": {"headUuid": "k1", "anchorUuid": "s", "tailUuid": "k2"}},
    ],
)
def test_a_kept_message_counts_but_its_usage_does_not(metadata: Json) -> None:
    summary = user(FOUR, uuid="s", isCompactSummary=True)
    kept = [said("a", EIGHT, 9_000, uuid="k1"), user(EIGHT, uuid="k2")]
    model_order = [boundary(**metadata), summary, *kept]
    file_order = [user(EIGHT), *kept, boundary(**metadata), summary]
    for messages in (model_order, file_order):
        assert token_count_with_estimation(messages) == HybridCount(20, 0, 20, None)
    after = [*model_order, said("b", FOUR, 60), user(FOUR)]
    assert token_count_with_estimation(after) == HybridCount(64, 60, 4, 4)


def test_a_microcompaction_is_no_compaction() -> None:
    messages = [said("a", FOUR, 100), {"type": "system", "subtype": "microcompact_boundary"}, user(FOUR)]
    assert token_count_with_estimation(messages) == HybridCount(104, 100, 4, 0)


def test_the_last_response_alone() -> None:
    messages = [said("a", FOUR, 100), said("b", FOUR, 200), user(EIGHT)]
    assert token_count_from_last_api_response(messages) == 200
    assert message_token_count_from_last_api_response(messages) == 10
    assert message_token_count_from_last_api_response([user(EIGHT)]) == 0


def test_foreign_records_are_harmless() -> None:
    messages: list[Any] = [
        None,
        7,
        "x",
        {},
        {"type": "assistant"},
        {"type": "assistant", "message": []},
        {"type": "user", "message": None},
    ]
    assert token_count_with_estimation(messages) == HybridCount(0, 0, 0, None)


@pytest.mark.parametrize(
    ("record", "synthetic"),
    [
        (said("a", "No response requested."), True),
        (said("a", "I saw [Request interrupted by user]"), False),
        (said("a", FOUR, isApiErrorMessage=False), False),
        ({"role": "assistant", "content": "[Request interrupted by user]"}, True),
        ({"role": "assistant", "content": "hello"}, False),
        ({"type": "assistant", "message": {"content": [{"type": "tool_use"}]}}, False),
        ({"type": "assistant", "message": {"content": [], "model": ["<synthetic>"]}}, False),
        ({"type": "assistant", "message": {"content": [{"type": "text", "text": {}}]}}, False),
        ({"type": "assistant", "message": "gone"}, False),
    ],
)
def test_synthetic_records(record: Json, synthetic: bool) -> None:
    assert is_synthetic(record) is synthetic
