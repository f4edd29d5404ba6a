"""Candidates and groups (spec B1, B2)."""

from __future__ import annotations

from typing import Any

import pytest

from conversation import Json, answers, asks, plain, result
from spillscope.budget.decide import decide
from spillscope.budget.grouping import collect_candidates_by_message, is_candidate

WRAPPED = "<persisted-output>\nOutput too large"


def grouped(messages: list[Any]) -> list[list[str]]:
    return [[candidate.tool_use_id for candidate in group.candidates] for group in collect_candidates_by_message(messages)]


def talk(words: str) -> list[Json]:
    """Capital letters: assistant records of that response; small ones: user records with that result; "-": progress."""
    return [
        {
            "type": "progress",
            "data": {"message": answers(result("no", "x"))},
            "message": {"role": "user", "content": [result("no", "x")]},
        }
        if word == "-"
        else asks(word)
        if word.isupper()
        else answers(result(word, "text"))
        for word in words.split()
    ]


@pytest.mark.parametrize(
    ("words", "groups"),
    [
        ("X a b", [["a", "b"]]),
        ("X a Y b", [["a"], ["b"]]),
        ("X a X b", [["a", "b"]]),
        ("X a Y b X c", [["a"], ["b", "c"]]),
        ("X a Y X b", [["a"], ["b"]]),
        ("a b X c", [["a", "b"], ["c"]]),
        ("X Y Z a", [["a"]]),
        ("X Y Z", []),
        ("X - a - - b - X - c -", [["a", "b", "c"]]),
        ("X a - Y - b", [["a"], ["b"]]),
    ],
)
def test_only_a_response_not_met_before_closes_a_group(words: str, groups: list[list[str]]) -> None:
    assert grouped(talk(words)) == groups


def test_other_records_never_separate() -> None:
    apart = [
        {"type": "system", "subtype": "turn_duration"},
        {"type": "attachment", "message": {"role": "assistant", "id": "new"}},
        {"type": "summary"},
        None,
        4,
    ]
    assert grouped([asks("X"), answers(result("a", "t")), *apart, answers(result("b", "t"))]) == [["a", "b"]]


def test_plain_assistant_messages_are_each_a_new_response() -> None:
    messages = [plain(asks("X")), plain(answers(result("a", "t"))), plain(asks("X")), plain(answers(result("b", "t")))]
    assert grouped(messages) == [["a"], ["b"]]


def test_records_and_plain_messages_mix() -> None:
    assert grouped(
        [asks("X"), plain(answers(result("a", "t"))), answers(result("b", "t")), asks(None), answers(result("c", "t"))]
    ) == [["a", "b"], ["c"]]


def test_several_results_in_one_message() -> None:
    group = collect_candidates_by_message(
        [asks("X", ("a", "Grep"), ("b", "Read")), answers(result("a", "xx"), {"type": "text", "text": "hi"}, result("b", "😀"))]
    )[0]
    assert [(one.tool_use_id, one.tool, one.chars, one.writable) for one in group.candidates] == [
        ("a", "Grep", 2, True),
        ("b", "Read", 2, True),
    ]
    assert group.places == ((1, 0), (1, 2))


@pytest.mark.parametrize(
    "block",
    [{"type": "tool_use", "id": "a", "name": 5}, {"type": "tool_use", "id": ["a"], "name": "Grep"}, {"type": "text"}, "bare"],
)
def test_a_call_without_a_name_leaves_the_tool_unknown(block: Any) -> None:
    call = {"type": "assistant", "message": {"id": "X", "content": [block]}}
    assert collect_candidates_by_message([call, answers(result("a", "t"))])[0].candidates[0].tool is None


@pytest.mark.parametrize(
    "content",
    [
        "a",
        " \n",
        " " + WRAPPED,
        [{"type": "text", "text": ""}],
        [{"type": "text", "text": WRAPPED}],
        [{"type": "tool_reference"}],
        ["bare"],
    ],
)
def test_candidates(content: Any) -> None:
    assert is_candidate(result("a", content))


@pytest.mark.parametrize(
    "block",
    [
        result("a", ""),
        result("a", []),
        result("a", None),
        result("a", {"type": "text"}),
        result("a", WRAPPED),
        result("a", [{"type": "text", "text": "x"}, {"type": "image"}]),
        {"type": "tool_result", "content": "x"},
        {"type": "tool_result", "tool_use_id": 7, "content": "x"},
        {"type": "text", "text": "x", "tool_use_id": "a", "content": "x"},
        "bare",
        None,
    ],
)
def test_no_candidates(block: Any) -> None:
    assert not is_candidate(block)


@pytest.mark.parametrize("content", ["text", None, {"type": "tool_result", "tool_use_id": "a", "content": "x"}])
def test_content_that_is_no_list_holds_none(content: Any) -> None:
    assert grouped([{"type": "user", "message": {"role": "user", "content": content}}]) == []


def test_results_in_an_assistant_record_are_none() -> None:
    assert grouped([{"type": "assistant", "message": {"id": "X", "content": [result("a", "t")]}}]) == []


def test_a_list_with_another_block_counts_but_can_not_be_written() -> None:
    content = [{"type": "text", "text": "abc"}, {"type": "tool_reference", "text": "not counted"}]
    only = collect_candidates_by_message([answers(result("a", content))])[0].candidates[0]
    assert (only.chars, only.writable) == (3, False)


def test_inserted_records_do_not_change_a_decision() -> None:
    messages = [
        asks("X", ("a", "Grep"), ("b", "Grep")),
        answers(result("a", "x" * 60)),
        answers(result("b", "x" * 70)),
        asks("Y", ("c", "Grep")),
        answers(result("c", "x" * 90)),
    ]
    noise = [
        {"type": "progress", "data": {"message": answers(result("n", "x" * 500))}},
        {"type": "attachment", "attachment": {"type": "file"}},
    ]
    noisy = [record for message in messages for record in (*noise, message)] + noise

    def plan(records: list[Json]) -> Any:
        return decide([group.candidates for group in collect_candidates_by_message(records)], (), (), 100, lambda tool: False)

    assert plan(noisy) == plan(messages)
