"""T6: exact counts, over HTTP, with the SDK that the client's shape is taken from."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from anthropic import Anthropic

from api_server import Answer, ApiServer, Asked, counted, failed, message, serving
from spillscope.tokens.exact import (
    DUMMY_MESSAGE,
    ApiClient,
    Platform,
    count_exactly,
    count_messages_tokens_with_api,
    count_tokens_via_small_model,
    counting_model,
)

HELLO: list[dict[str, Any]] = [{"role": "user", "content": "Hello."}]
THOUGHT: list[dict[str, Any]] = [
    *HELLO,
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "s"}]},
    {"role": "user", "content": "And?"},
]
TOOLS = [{"name": "Bash", "input_schema": {"type": "object"}}]
COUNT, CREATE = "/v1/messages/count_tokens", "/v1/messages"


def ask(
    answer: Callable[[Asked], Answer], question: Callable[[ApiClient], object], timeout: float = 30.0
) -> tuple[object, ApiServer]:
    """What a question put to a server gives, and the server that was asked."""
    with serving(answer) as server, Anthropic(api_key="k", base_url=server.url, max_retries=1, timeout=timeout) as client:
        return question(client), server


class TestCountTokens:
    def test_is_the_apis_number(self) -> None:
        found, server = ask(lambda _: counted(12), lambda api: count_messages_tokens_with_api(HELLO, TOOLS, api, "m"))
        assert found == 12
        assert server.asked == [Asked(COUNT, {"model": "m", "messages": HELLO, "tools": TOOLS})]

    @pytest.mark.parametrize("messages", [[], [{"role": "user", "content": ""}], [{"role": "user", "content": []}]])
    def test_nothing_is_0_without_a_call(self, messages: list[dict[str, Any]]) -> None:
        found, server = ask(lambda _: counted(12), lambda api: count_messages_tokens_with_api(messages, [], api, "m"))
        assert (found, server.asked) == (0, [])

    def test_tools_alone_are_counted_with_one_dummy_message(self) -> None:
        found, server = ask(lambda _: counted(9), lambda api: count_messages_tokens_with_api([], TOOLS, api, "m"))
        assert found == 9
        assert server.asked[0].body["messages"] == [DUMMY_MESSAGE]

    def test_thinking_is_counted_by_a_request_that_thinks(self) -> None:
        _, server = ask(lambda _: counted(9), lambda api: count_messages_tokens_with_api(THOUGHT, [], api, "m"))
        assert server.asked[0].body["thinking"] == {"type": "enabled", "budget_tokens": 1_024}

    @pytest.mark.parametrize(
        "answer",
        [failed(400), failed(429, "rate_limit_error"), failed(500), Answer(b'{"input_tok'), Answer(b"[1, 2]"), Answer({})],
    )
    def test_any_error_is_none(self, answer: Answer) -> None:
        found, _ = ask(lambda _: answer, lambda api: count_messages_tokens_with_api(HELLO, [], api, "m"))
        assert found is None

    @pytest.mark.parametrize("value", ["12", None, True, [12], 1.5])
    def test_a_value_that_is_no_number_is_none(self, value: object) -> None:
        found, _ = ask(lambda _: counted(value), lambda api: count_messages_tokens_with_api(HELLO, [], api, "m"))
        assert found is None

    def test_a_server_that_does_not_answer_in_time_is_none(self) -> None:
        never = threading.Event()
        try:
            found, server = ask(
                lambda _: Answer({}, hang=never),
                lambda api: count_messages_tokens_with_api(HELLO, [], api, "m"),
                timeout=0.2,
            )
        finally:
            never.set()
        assert found is None
        assert len(server.asked) <= 2


class TestSmallModel:
    def test_its_input_usage_is_the_count(self) -> None:
        usage = {
            "input_tokens": 5,
            "cache_creation_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 1},
            "cache_read_input_tokens": 300,
            "output_tokens": 7_000,
        }
        found, server = ask(lambda _: message(usage), lambda api: count_tokens_via_small_model(HELLO, TOOLS, api))
        assert found == 326
        body = {"model": "claude-haiku-4-5", "max_tokens": 1, "messages": HELLO, "tools": TOOLS}
        assert server.asked == [Asked(CREATE, body)]

    def test_it_may_think(self) -> None:
        _, server = ask(lambda _: message({"input_tokens": 5}), lambda api: count_tokens_via_small_model(THOUGHT, [], api))
        assert server.asked[0].body["max_tokens"] == 2_048
        assert server.asked[0].body["thinking"] == {"type": "enabled", "budget_tokens": 1_024}

    @pytest.mark.parametrize("answer", [failed(529, "overloaded_error"), message(None), message({"input_tokens": "5"})])
    def test_any_error_is_none(self, answer: Answer) -> None:
        found, _ = ask(lambda _: answer, lambda api: count_tokens_via_small_model(HELLO, [], api))
        assert found is None

    @pytest.mark.parametrize(
        ("platform", "thinks", "size"),
        [
            (Platform(), False, "haiku"),
            (Platform(), True, "haiku"),
            (Platform("bedrock"), False, "haiku"),
            (Platform("bedrock"), True, "sonnet"),
            (Platform("vertex", "us-east5"), False, "haiku"),
            (Platform("vertex", "us-east5"), True, "sonnet"),
            (Platform("vertex", "global"), False, "sonnet"),
            (Platform("anthropic", "global"), False, "haiku"),
        ],
    )
    def test_the_platform_decides_which(self, platform: Platform, thinks: bool, size: str) -> None:
        assert size in counting_model(platform, thinks)


class TestBoth:
    def test_the_small_model_steps_in(self) -> None:
        def answer(asked: Asked) -> Answer:
            return failed(404) if asked.path == COUNT else message({"input_tokens": 31})

        found, server = ask(answer, lambda api: count_exactly(HELLO, [], api, "m"))
        assert found == (31, "small model", None)
        assert [asked.path for asked in server.asked] == [COUNT, CREATE]

    def test_is_not_asked_where_the_count_came(self) -> None:
        found, server = ask(lambda _: counted(4), lambda api: count_exactly(HELLO, [], api, "m"))
        assert found == (4, "count_tokens", None)
        assert len(server.asked) == 1

    def test_says_why_neither_told(self) -> None:
        found, _ = ask(lambda _: failed(400), lambda api: count_exactly(HELLO, [], api, "m"))
        assert isinstance(found, tuple)
        assert found[:2] == (None, None)
        assert found[2].count("BadRequestError") == 2
        assert "\n" not in found[2]
