"""W6: what a snip boundary names leaves the history, and is not counted as if it were still there."""

from __future__ import annotations

from typing import Any

import pytest

from conversation import Json
from spillscope.pipeline.snip import SnipContext, SnipReport, history_snip


def user(uuid: str, words: str = "x" * 400) -> Json:
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": words}}


def reply(uuid: str, tokens: int) -> Json:
    usage = {"input_tokens": tokens}
    return {"type": "assistant", "uuid": uuid, "message": {"role": "assistant", "id": uuid, "content": [], "usage": usage}}


def boundary(*uuids: Any, uuid: str = "s") -> Json:
    return {"type": "system", "subtype": "snip_boundary", "uuid": uuid, "snipMetadata": {"removedUuids": list(uuids)}}


def test_what_is_named_leaves_and_the_rest_is_the_same() -> None:
    messages = [user("a"), user("b"), reply("r", 900), boundary("a", "nowhere", 7)]
    left, report = history_snip(messages, SnipContext())
    assert left == messages[1:]
    assert all(found is kept for found, kept in zip(left, messages[1:], strict=True))
    assert report == SnipReport(("a",), 100)


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [user("a"), reply("r", 900)],
        [user("a"), boundary("b")],
        [user("a"), {"type": "system", "subtype": "snip_boundary", "snipMetadata": [1]}],
        [{"role": "user", "content": "plain"}],
    ],
)
def test_nothing_to_remove_is_the_same_list(messages: list[Json]) -> None:
    assert history_snip(messages, SnipContext()) == (messages, SnipReport())
    assert history_snip(messages, SnipContext())[0] is messages


def test_the_stage_can_be_off() -> None:
    messages = [user("a"), boundary("a")]
    assert history_snip(messages, SnipContext(enabled=False))[0] is messages


def test_what_the_usage_does_not_count_frees_nothing() -> None:
    messages = [reply("r", 900), user("a"), boundary("a")]
    assert history_snip(messages, SnipContext())[1] == SnipReport(("a",), 0)
    assert history_snip([user("a"), boundary("a")], SnipContext())[1].freed_tokens == 0


def test_it_stays_freed_until_a_response_counts_without_it() -> None:
    context = SnipContext()
    messages = [user("a"), user("b"), reply("r", 900), boundary("a"), user("c")]
    kept, first = history_snip(messages, context)
    again, second = history_snip(kept, context)
    assert again is kept
    assert (first.freed_tokens, second.freed_tokens) == (100, 100)
    assert history_snip(messages, context)[1].freed_tokens == 100
    assert history_snip([*kept, reply("s", 800)], context)[1].freed_tokens == 0
    assert history_snip([*messages, reply("s", 800)], context)[1].freed_tokens == 0
