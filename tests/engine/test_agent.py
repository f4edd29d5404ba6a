"""The façade: what an agent loop gets of it, and that a request always begins as the last one did."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path

from conversation import Json, answers, asks, content_of, plain, result
from spillscope.agent import AgentContext
from spillscope.budget.sink import TranscriptSink
from spillscope.budget.state import ContentReplacementState
from spillscope.budget.store import SpillFailure
from spillscope.limits import Limits
from spillscope.limits_sources import LimitsBook, LimitsPlan, WatchedLimits
from spillscope.wrapper import PERSISTED_TAG

SMALL = Limits(message_budget=100, preview_chars=20)


def turn(number: int, *sizes: int) -> list[Json]:
    """A response with a call for each size, and their results."""
    ids = [f"toolu_{number}_{at}" for at in range(len(sizes))]
    calls = asks(f"msg_{number}", *((tool_use_id, "Grep") for tool_use_id in ids))
    texts = [f"{tool_use_id} ".ljust(size, "x") for tool_use_id, size in zip(ids, sizes, strict=True)]
    return [calls, *(answers(result(tool_use_id, text)) for tool_use_id, text in zip(ids, texts, strict=True))]


def sent(messages: list[Json]) -> list[str]:
    """A request's messages as bytes would leave."""
    return [json.dumps(plain(message)) for message in messages]


def test_admit_is_layer_one(tmp_path: Path) -> None:
    context = AgentContext(tmp_path, Limits(overrides={"Bash": 30}))
    assert context.admit("Bash", "toolu_1", "x" * 30).fate == "full"
    assert context.admit("Bash", "toolu_2", "").content == "(Bash completed with no output)"
    spilled = context.admit("Bash", "toolu_3", "x" * 31)
    assert spilled.fate == "persisted"
    assert (tmp_path / "tool-results/toolu_3.txt").read_text() == "x" * 31


def test_every_request_begins_as_the_last_one_did(tmp_path: Path) -> None:
    context = AgentContext(tmp_path, SMALL)
    messages: list[Json] = []
    before: list[str] = []
    for number, sizes in enumerate([(40,), (60, 80), (50,), (120,), (99, 1, 1)]):
        messages += turn(number, *sizes)
        original = deepcopy(messages)
        prepared = context.prepare(messages)
        assert messages == original
        request = sent(prepared.messages)
        assert request[: len(before)] == before
        before = request
    assert set(context.state.replacements) == {"toolu_1_1", "toolu_3_0", "toolu_4_0"}


def test_nothing_to_do_is_the_same_list(tmp_path: Path) -> None:
    messages = turn(0, 10, 20)
    context = AgentContext(tmp_path, SMALL)
    assert context.prepare(messages).messages is messages
    assert not (tmp_path / "tool-results").exists()


def test_a_resumed_conversation_goes_on_with_the_same_bytes(tmp_path: Path) -> None:
    transcript = tmp_path / "session.jsonl"
    context = AgentContext(tmp_path / "session", SMALL, sink=TranscriptSink(transcript, "session"))
    messages = turn(0, 60, 70) + turn(1, 30)
    before = sent(context.prepare(messages).messages)
    records = [json.loads(line) for line in transcript.read_bytes().splitlines()]
    resumed = AgentContext.resume(tmp_path / "session", messages, records, Limits(message_budget=1))
    after = sent(resumed.prepare([*messages, *turn(2, 80)]).messages)
    assert after[: len(before)] == before
    assert set(resumed.state.seen_ids) == {*context.state.seen_ids, "toolu_2_0"}
    assert "toolu_2_0" in resumed.state.replacements


def test_a_sub_agent_inherits_what_its_parent_replaced(tmp_path: Path) -> None:
    messages = turn(0, 60, 70)
    parent = AgentContext(tmp_path, SMALL)
    parent.prepare(messages)
    resumed = AgentContext.resume(tmp_path, messages, [], SMALL, inherited=parent.state.replacements)
    assert sent(resumed.prepare(messages).messages) == sent(parent.prepare(messages).messages)
    fork = AgentContext(tmp_path, SMALL, state=parent.state.fork())
    fork.prepare([*messages, *turn(1, 120)])
    assert "toolu_1_0" not in parent.state.seen_ids


def test_other_limits_alter_no_decided_fate(tmp_path: Path) -> None:
    context = AgentContext(tmp_path, SMALL)
    messages = turn(0, 60, 70)
    before = sent(context.prepare(messages).messages)
    for limits in (Limits(message_budget=1), Limits(message_budget=10_000), LimitsBook(), Limits(aggregate=False)):
        context.limits = limits
        assert sent(context.prepare(messages).messages) == before


def test_the_switch_off_passes_everything_through(tmp_path: Path) -> None:
    context = AgentContext(tmp_path, Limits(message_budget=100, aggregate=False))
    messages = turn(0, 60, 70)
    assert context.prepare(messages).messages is messages
    context.limits = SMALL
    messages += turn(1, 60, 70)
    request = context.prepare(messages).messages
    assert content_of(request, "toolu_0_1").startswith("toolu_0_1")  # sent in full while it was off
    assert content_of(request, "toolu_1_1").startswith(PERSISTED_TAG)


def test_a_changed_limits_file_counts_from_the_next_run(tmp_path: Path) -> None:
    file = tmp_path / "limits.toml"
    file.write_text("message_budget = 1000\n")
    context = AgentContext(tmp_path, WatchedLimits(LimitsPlan(extra=(file,))))
    messages = turn(0, 60, 70)
    assert context.prepare(messages).messages is messages
    file.write_text("message_budget = 100\npreview_chars = 20\n[overrides]\nBash = 5\n")
    messages += turn(1, 60, 70)
    assert set(context.state.replacements) == set()
    context.prepare(messages)
    assert set(context.state.replacements) == {"toolu_1_1"}
    assert context.admit("Bash", "toolu_9", "123456").fate == "persisted"
    file.write_text("nonsense")
    context.prepare(messages)
    assert context.admit("Bash", "toolu_10", "123456").fate == "persisted"


def test_the_count_is_that_of_the_models_view(tmp_path: Path) -> None:
    context = AgentContext(tmp_path, Limits(message_budget=1_000, preview_chars=20))
    messages = turn(0, 900, 8_000)
    before = context.context_tokens(messages)
    prepared = context.prepare(messages).messages
    after = context.context_tokens(messages)
    assert before.total - after.total > 1_500
    assert after == context.context_tokens(prepared)
    messages.append(
        {"type": "assistant", "message": {"role": "assistant", "id": "m", "content": [], "usage": {"input_tokens": 777}}}
    )
    assert context.context_tokens(messages).total == 777


def test_a_store_that_fails_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")
    told: list[SpillFailure] = []
    context = AgentContext(tmp_path, Limits(message_budget=100, overrides={"Bash": 5}), log=told.append)
    assert context.admit("Bash", "toolu_1", "123456").content == "123456"
    messages = turn(0, 60, 70)
    assert context.prepare(messages).messages is messages
    assert [failure.tool_use_id for failure in told] == ["toolu_1", "toolu_0_1"]


def test_a_given_state_is_used_as_it_is(tmp_path: Path) -> None:
    state = ContentReplacementState(["toolu_0_0"], {"toolu_0_0": "said before"})
    context = AgentContext(tmp_path, SMALL, state=state)
    assert content_of(context.prepare(turn(0, 60)).messages, "toolu_0_0") == "said before"
    assert context.state is state
