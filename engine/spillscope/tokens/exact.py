"""T6: exact counts, by a client of the API that the caller hands in.

The client has the shape of the `anthropic` SDK, which is never imported here. Every function makes at most one request, or two
where it says so, and only when it is called; retries and time-outs are the client's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol

from spillscope.errors import one_line
from spillscope.messages import Message, content_blocks, message_body
from spillscope.shipped import shipped_table
from spillscope.tokens.usage import read_usage

THINKING_BUDGET_TOKENS = 1_024
THINKING_MAX_TOKENS = 2_048
DUMMY_MESSAGE: Message = {"role": "user", "content": "."}
"""What stands in for a message where the API insists on one; about a token."""

_USAGE_FIELDS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_SPLIT_FIELDS = ("ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")

How = Literal["count_tokens", "small model"]


class MessagesApi(Protocol):
    """The `messages` of a client."""

    @property
    def count_tokens(self) -> Callable[..., Any]:
        """Takes `model`, `messages`, `tools` and `thinking` by name; what it returns has an `input_tokens`."""

    @property
    def create(self) -> Callable[..., Any]:
        """Takes the same and `max_tokens`; what it returns has a `usage`."""


class ApiClient(Protocol):
    """An `anthropic.Anthropic`, or what has its shape."""

    @property
    def messages(self) -> MessagesApi: ...


class Platform(NamedTuple):
    """Whose API the client speaks to. `region`: Vertex' own word, "global" for its global endpoint."""

    name: Literal["anthropic", "bedrock", "vertex"] = "anthropic"
    region: str | None = None


class ExactCount(NamedTuple):
    """Tokens of a request, and which request told; None with the reason, in one line, where none did."""

    tokens: int | None
    how: How | None = None
    why: str | None = None


def count_messages_tokens_with_api(
    messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], client: ApiClient, model: str
) -> int | None:
    """T6: what the API counts for these messages and tools, in tokens; None for any error, or an answer that is no number.

    `messages`: API messages. Nothing but empty text, and no tools: 0 without a call; tools alone are counted with one dummy
    message. Where a message holds thinking, the request thinks.
    """
    return _count_with_api(messages, tools, client, model).tokens


def count_tokens_via_small_model(
    messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], client: ApiClient, platform: Platform | None = None
) -> int | None:
    """T6: what a small model's answer says that its request took: input, cache creation and cache read; None for any error.

    It answers with one token, or thinks within `THINKING_MAX_TOKENS`: this is a request that is billed.
    """
    return _count_via_small_model(messages, tools, client, platform or Platform()).tokens


def count_exactly(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]],
    client: ApiClient,
    model: str,
    platform: Platform | None = None,
) -> ExactCount:
    """T6: the API's own count, or else the small model's. Makes two requests at most."""
    first = _count_with_api(messages, tools, client, model)
    if first.tokens is not None:
        return first
    second = _count_via_small_model(messages, tools, client, platform or Platform())
    return second if second.tokens is not None else ExactCount(None, None, f"{first.why}; small model: {second.why}")


def counting_model(platform: Platform, thinks: bool) -> str:
    """T6: the small model, or the mid-size one on Vertex' global endpoint, and on Bedrock and Vertex with thinking."""
    on_global = platform.name == "vertex" and platform.region == "global"
    mid = on_global or (thinks and platform.name in ("bedrock", "vertex"))
    return _models()[platform.name]["mid" if mid else "small"]


@cache
def _models() -> dict[str, dict[str, str]]:
    return shipped_table("spillscope.tokens", "exact.toml")


def _count_with_api(
    messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], client: ApiClient, model: str
) -> ExactCount:
    if not tools and _is_nothing(messages):
        return ExactCount(0, "count_tokens")
    try:
        answer = client.messages.count_tokens(model=model, **_request(messages, tools))
        tokens = answer.input_tokens
    except Exception as error:  # whatever the client raises: there is no count
        return ExactCount(None, None, one_line(error))
    if isinstance(tokens, bool) or not isinstance(tokens, int):
        return ExactCount(None, None, "the answer holds no number of tokens")
    return ExactCount(tokens, "count_tokens")


def _count_via_small_model(
    messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], client: ApiClient, platform: Platform
) -> ExactCount:
    if not tools and _is_nothing(messages):
        return ExactCount(0, "small model")
    thinks = _thinks(messages)
    try:
        answer = client.messages.create(
            model=counting_model(platform, thinks),
            max_tokens=THINKING_MAX_TOKENS if thinks else 1,
            **_request(messages, tools),
        )
        tokens = read_usage(_usage_fields(answer.usage)).prompt
    except Exception as error:  # as above
        return ExactCount(None, None, one_line(error))
    return ExactCount(tokens, "small model") if tokens else ExactCount(None, None, "the answer holds no usage")


def _request(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The fields that both requests share."""
    request: dict[str, Any] = {"messages": list(messages) or [DUMMY_MESSAGE]}
    if tools:
        request["tools"] = list(tools)
    if _thinks(messages):
        request["thinking"] = {"type": "enabled", "budget_tokens": THINKING_BUDGET_TOKENS}
    return request


def _is_nothing(messages: Sequence[Message]) -> bool:
    return all(message_body(message).get("content") in ("", []) for message in messages)


def _thinks(messages: Sequence[Message]) -> bool:
    return any(
        isinstance(block, dict) and block.get("type") in ("thinking", "redacted_thinking")
        for message in messages
        for block in content_blocks(message)
    )


def _usage_fields(usage: object) -> dict[str, Any]:
    """An SDK's usage object as the JSON that it came from."""
    fields: dict[str, Any] = {name: getattr(usage, name, None) for name in _USAGE_FIELDS}
    split = getattr(usage, "cache_creation", None)
    if split is not None:
        fields["cache_creation"] = {name: getattr(split, name, None) for name in _SPLIT_FIELDS}
    return fields
