"""What is remembered between requests (spec B8, B12, B13)."""

from __future__ import annotations

from typing import Any

import pytest

from conversation import answers, asks, result
from spillscope.budget.state import (
    ContentReplacementState,
    Replacement,
    content_replacement_record,
    reconstruct,
    records_for_fork,
)
from spillscope.errors import RequestError

MESSAGES = [asks("X"), answers(result("a", "aa"), result("b", "bb")), answers(result("", "cc"), result("d", ""))]


def entry(tool_use_id: Any, replacement: Any, kind: Any = "tool-result") -> dict[str, Any]:
    return {"kind": kind, "toolUseId": tool_use_id, "replacement": replacement}


def test_order_of_being_seen_is_kept() -> None:
    state = ContentReplacementState(["b", "a", "b"])
    state.freeze(["c", "a"])
    state.commit(Replacement("d", "text"))
    assert state.to_json() == {"seenIds": ["b", "a", "c", "d"], "replacements": {"d": "text"}}


def test_json_and_back() -> None:
    value = {"seenIds": ["b", "a"], "replacements": {"a": "text \ud800"}}
    assert ContentReplacementState.from_json(value).to_json() == value
    assert ContentReplacementState.from_json({}).to_json() == {"seenIds": [], "replacements": {}}


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "x",
        {"seenIds": "a"},
        {"seenIds": [1]},
        {"replacements": []},
        {"replacements": {"a": 1}},
        {"replacements": None},
    ],
)
def test_another_shape_is_refused(value: Any) -> None:
    with pytest.raises(RequestError):
        ContentReplacementState.from_json(value)


def test_a_fork_goes_its_own_way() -> None:
    state = ContentReplacementState(["a"], {"a": "text"})
    fork = state.fork()
    fork.commit(Replacement("b", "more"))
    state.freeze(["c"])
    assert fork.to_json() == {"seenIds": ["a", "b"], "replacements": {"a": "text", "b": "more"}}
    assert state.to_json() == {"seenIds": ["a", "c"], "replacements": {"a": "text"}}


def test_what_is_handed_out_is_a_copy() -> None:
    state = ContentReplacementState(["a"], {"a": "text"})
    state.replacements["a"] = "other"
    state.to_json()["seenIds"].append("z")
    assert state.to_json() == {"seenIds": ["a"], "replacements": {"a": "text"}}


def test_a_resume_sees_every_candidate_and_takes_its_records() -> None:
    resumed = reconstruct(MESSAGES, [entry("a", "A")])
    assert resumed.state.to_json() == {"seenIds": ["a", "b", ""], "replacements": {"a": "A"}}
    assert resumed[1:] == (0, 0, 0)


def test_records_may_come_as_transcript_lines() -> None:
    lines = [
        {"type": "user", "message": {"role": "user", "content": "hi"}},
        {
            "type": "content-replacement",
            "sessionId": "s",
            "new": 1,
            "replacements": [entry("a", "old"), entry("b", "B") | {"at": 5}],
        },
        {"type": "content-replacement", "replacements": [entry("a", "A")]},
    ]
    assert reconstruct(MESSAGES, lines).state.replacements == {"a": "A", "b": "B"}


def test_unusable_records_are_counted_not_believed() -> None:
    records = [
        None, "x", {}, entry("a", 5), entry(5, "A"), entry("a", "A", None), {"kind": "tool-result"},
        {"type": "content-replacement", "replacements": {}},
        entry("a", "A", "image"),
        entry("absent", "Z"), entry("d", "Z"),
    ]  # fmt: skip
    resumed = reconstruct(MESSAGES, records)
    assert resumed.state.replacements == {}
    assert (resumed.malformed, resumed.unknown, resumed.absent) == (8, 1, 2)


def test_records_win_over_what_is_inherited() -> None:
    resumed = reconstruct(MESSAGES, [entry("a", "mine")], {"a": "theirs", "b": "theirs", "gone": "theirs"})
    assert resumed.state.replacements == {"a": "mine", "b": "theirs"}
    assert "gone" not in resumed.state.seen_ids


def test_the_transcript_record() -> None:
    made = [Replacement("a", "A")]
    record = {"type": "content-replacement", "sessionId": "s", "replacements": [entry("a", "A")]}
    assert content_replacement_record(made, "s") == record
    assert content_replacement_record(made, "s", "a1")["agentId"] == "a1"


def test_a_forked_session_takes_its_records_along() -> None:
    line = {"type": "content-replacement", "sessionId": "old", "agentId": "x", "replacements": [entry("a", "A")]}
    assert records_for_fork([{"type": "user"}, line, None], "new") == [{**line, "sessionId": "new"}]
    assert line["sessionId"] == "old"
