"""Records as one request's messages: nothing in it that the API refuses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversation import Json, answers, asks, result
from spillscope.tokens.api_shape import ApiMessages, api_messages
from spillscope.tokens.exact import DUMMY_MESSAGE

HELLO = {"type": "user", "message": {"role": "user", "content": "Hello."}}


def text(words: str) -> Json:
    return {"type": "text", "text": words}


def says(response: str | None, *blocks: object) -> Json:
    return {"type": "assistant", "message": {"role": "assistant", "id": response, "content": list(blocks)}}


def roles(found: ApiMessages) -> list[str]:
    return [message["role"] for message in found.messages]


def test_the_records_of_a_response_are_one_message_and_so_are_its_results() -> None:
    records = [
        HELLO,
        says("m1", text("Look.")),
        asks("m1", ("a", "Grep")),
        answers(result("a", "1")),
        asks("m1", ("b", "Grep")),
        answers(result("b", "2")),
        says("m2", text("Well.")),
        {"type": "user", "message": {"role": "user", "content": "Thanks."}},
    ]
    found = api_messages(records)
    assert roles(found) == ["user", "assistant", "user", "assistant", "user"]
    assert [block["type"] for block in found.messages[1]["content"]] == ["text", "tool_use", "tool_use"]
    assert [block["tool_use_id"] for block in found.messages[2]["content"]] == ["a", "b"]
    assert found.left_out == 0


def test_results_come_first() -> None:
    blocks = [text("By the way."), result("a", "1")]
    found = api_messages([HELLO, asks("m1", ("a", "Grep")), answers(*blocks)])
    assert [block["type"] for block in found.messages[2]["content"]] == ["tool_result", "text"]


@pytest.mark.parametrize(
    "block",
    [
        text(" \n"),
        {"type": "thinking", "thinking": "Hm.", "signature": ""},
        {"type": "server_tool_use", "id": "x", "name": "web_search", "input": {}},
        {"type": 7},
        "no block",
        {"type": "tool_use", "id": "never answered", "name": "Bash", "input": {}},
    ],
)
def test_what_the_api_refuses_is_left_out_and_counted(block: object) -> None:
    found = api_messages([HELLO, says("m1", text("Well."), block)])
    assert found.messages[1] == {"role": "assistant", "content": [text("Well.")]}
    assert found.left_out == 1


def test_a_result_without_its_call_is_left_out() -> None:
    found = api_messages([HELLO, asks("m1", ("a", "Grep")), answers(result("a", "1"), result("z", "2"), result("a", "3"))])
    assert found.messages[2]["content"] == [result("a", "1")]
    assert found.left_out == 2


def test_fields_of_the_agents_own_are_left_out() -> None:
    call = {"type": "tool_use", "id": "a", "name": "X", "input": "no object", "caller": {"type": "direct"}}
    held = {**result("a", [text("1"), {"type": "tool_reference", "tool_name": "Y"}]), "cache_control": {"type": "ephemeral"}}
    found = api_messages([HELLO, says("m1", call), answers(held)])
    assert found.messages[1]["content"] == [{"type": "tool_use", "id": "a", "name": "X", "input": {}}]
    assert found.messages[2]["content"] == [result("a", [text("1")])]


def test_errors_of_the_api_and_other_records_were_never_sent() -> None:
    failed = {**says(None, text("API Error: 500")), "isApiErrorMessage": True}
    assert api_messages([HELLO, failed, {"type": "system", "content": "x"}, None]) == api_messages([HELLO])


def test_a_user_speaks_first_and_last() -> None:
    found = api_messages([says("m1", text("Well."))])
    assert found.messages == [DUMMY_MESSAGE, {"role": "assistant", "content": [text("Well.")]}, DUMMY_MESSAGE]


ids = st.sampled_from("abc")
blocks: st.SearchStrategy[Any] = st.one_of(
    st.builds(result, ids, st.sampled_from(["", "x", None])),
    st.builds(lambda name: {"type": "tool_use", "id": name, "name": "Bash", "input": {}}, ids),
    st.sampled_from(["", " ", "words"]).map(text),
    st.just({"type": "thinking", "thinking": "", "signature": "s"}),
    st.none(),
)
records = st.one_of(
    st.builds(lambda response, held: says(response, *held), st.sampled_from([None, "m1", "m2"]), st.lists(blocks, max_size=3)),
    st.lists(blocks, max_size=3).map(lambda held: answers(*held)),
    st.just(HELLO),
)


@given(st.lists(records, max_size=8))
def test_calls_and_results_always_pair(conversation: list[Json]) -> None:
    found = api_messages(conversation)
    before: list[str] = []
    called: list[str] = []
    for message in found.messages:
        held = [block for block in message["content"] if isinstance(block, dict)]
        answered = [block["tool_use_id"] for block in held if block["type"] == "tool_result"]
        assert sorted(answered) == sorted(before)
        before = [block["id"] for block in held if block["type"] == "tool_use"]
        called += before
    assert not before
    assert len(called) == len(set(called))
    assert not found.messages or (roles(found)[0], roles(found)[-1]) == ("user", "user")
    assert found.left_out >= 0
