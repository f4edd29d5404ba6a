"""The façade with all five stages: their order, the history to keep, forks, async, and a resume from the transcript."""

from __future__ import annotations

import asyncio
import json
import threading
from copy import deepcopy
from pathlib import Path

import pytest

from conversation import Json, answers, asks, content_of, plain, result
from spillscope.agent import AgentContext
from spillscope.blocks import CLEARED_PLACEHOLDER
from spillscope.limits import Limits
from spillscope.messages import Message
from spillscope.pipeline.autocompact import Summary
from spillscope.pipeline.collapse import Span
from spillscope.pipeline.microcompact import Microcompact
from spillscope.pipeline.run import Stages
from spillscope.transcript.load import load_conversation
from spillscope.transcript.writer import Author, TranscriptWriter
from spillscope.wrapper import PERSISTED_TAG

SMALL = Limits(message_budget=100, preview_chars=20)
WINDOW = 50_000  # auto-compact at 17,000
FULL = 17_000


def turn(number: int, *sizes: int, usage: int = 10) -> list[Json]:
    """A response with a call for each size, and their results, as records."""
    calls = asks(f"m{number}", *((f"t{number}_{at}", "Grep") for at in range(len(sizes))))
    calls["message"]["usage"] = {"input_tokens": usage}
    results = [answers(result(f"t{number}_{at}", f"{at}".ljust(size, "x"))) for at, size in enumerate(sizes)]
    return [
        {**record, "uuid": f"u{number}_{at}", "timestamp": "2026-01-02T03:00:00.000Z"}
        for at, record in enumerate([calls, *results])
    ]


def sent(messages: list[Json]) -> list[str]:
    return [json.dumps(plain(message)) for message in messages if "message" in message]


def test_each_stage_sees_what_the_one_before_it_left(tmp_path: Path) -> None:
    seen: list[list[Message]] = []

    def summarise(messages: list[Message]) -> Summary:
        seen.append(messages)
        return Summary("So far.", keep=2)

    def now() -> float:
        return 1_800_000_000.0

    settings = Microcompact(time_based=True, keep_recent=2)
    stages = Stages(microcompact=settings, summarise=summarise, now=now)
    context = AgentContext(tmp_path, Limits(message_budget=100, preview_chars=20, window=WINDOW), stages=stages)
    context.commit_span(Span("u2_0", "u2_1", "S", "collapsed"))
    snip = {"type": "system", "subtype": "snip_boundary", "uuid": "s", "snipMetadata": {"removedUuids": ["u0_0", "u0_1"]}}
    messages = [*turn(0, 5), *turn(1, 150), *turn(2, 5), snip, *turn(3, 150, usage=FULL), *turn(4, 5, usage=FULL)]
    before = deepcopy(messages)
    prepared = context.prepare(messages)
    assert messages == before
    assert set(context.state.replacements) == {"t1_0", "t3_0"}
    assert prepared.snip.removed == ("u0_0", "u0_1")
    assert prepared.microcompact.cleared == ("t1_0", "t2_0")
    assert prepared.collapse.collapsed == ("S",)
    (view,) = seen
    assert [message["uuid"] for message in view] == ["u1_0", "u1_1", "S", "s", "u3_0", "u3_1", "u4_0", "u4_1"]
    assert content_of(view[:2], "t1_0") == CLEARED_PLACEHOLDER
    assert content_of(view[4:], "t3_0").startswith(PERSISTED_TAG)
    assert prepared.autocompact.status == "compacted"
    assert [message["uuid"] for message in prepared.messages[2:]] == ["u4_0", "u4_1"]
    assert prepared.history[2:] == messages[-2:]


def test_without_stages_the_history_is_the_callers_own(tmp_path: Path) -> None:
    messages = turn(0, 60, 70)
    prepared = AgentContext(tmp_path, SMALL).prepare(messages)
    assert prepared.history is messages
    assert prepared.messages is not messages
    assert prepared.autocompact.status == "off"


def test_the_history_after_a_compaction_holds_originals(tmp_path: Path) -> None:
    stages = Stages(summarise=lambda _: Summary("So far.", keep=3))
    context = AgentContext(tmp_path, Limits(message_budget=100, preview_chars=20, window=WINDOW), stages=stages)
    messages = [*turn(0, 5), *turn(1, 60, 70, usage=FULL)]
    prepared = context.prepare(messages)
    assert content_of(prepared.messages[2:], "t1_1").startswith(PERSISTED_TAG)
    assert prepared.history[2:] == messages[2:]
    again = context.prepare(prepared.history)
    assert again.messages == prepared.messages
    assert again.history is prepared.history
    assert again.autocompact.status == "below"


def test_what_a_collapsed_span_stands_for_is_kept_whole(tmp_path: Path) -> None:
    stages = Stages(summarise=lambda _: Summary("So far.", keep=1))
    context = AgentContext(tmp_path, Limits(window=WINDOW), stages=stages)
    context.commit_span(Span("u1_0", "u1_1", "S", "collapsed"))
    messages = [*turn(0, 5, usage=FULL), *turn(1, 5, usage=FULL)]
    prepared = context.prepare(messages)
    assert [message.get("uuid") for message in prepared.messages[2:]] == ["S"]
    assert prepared.history[2:] == messages[2:]


def test_limits_may_change_between_runs(tmp_path: Path) -> None:
    context = AgentContext(tmp_path, Limits(window=WINDOW), stages=Stages(summarise=lambda _: "So far."))
    messages = turn(0, 5, usage=FULL)
    context.limits = Limits(window=200_000)
    assert context.prepare(messages).autocompact.status == "below"
    context.limits = Limits(window=WINDOW)
    assert context.prepare(messages, "compact").autocompact.status == "compaction"
    assert context.prepare(messages).autocompact.status == "compacted"


def test_a_usage_above_the_window_proves_a_larger_one(tmp_path: Path) -> None:
    context = AgentContext(tmp_path, stages=Stages(summarise=lambda _: "So far."))
    assert context.prepare(turn(0, 5, usage=300_000)).autocompact.status == "below"


def test_the_count_decides_nothing(tmp_path: Path) -> None:
    settings = Microcompact(time_based=True, keep_recent=1)
    context = AgentContext(tmp_path, SMALL, stages=Stages(microcompact=settings, now=lambda: 1_800_000_000.0))
    messages = [plain(message) for message in (*turn(0, 8_000), *turn(1, 5))]
    before = context.context_tokens(messages).total
    assert context.state.seen_ids == ()
    assert not context.memory.cleared.cleared
    prepared = context.prepare([*turn(0, 8_000), *turn(1, 5)])
    assert context.context_tokens(messages).total < before - 1_900
    assert context.context_tokens(messages).total == context.context_tokens([plain(m) for m in prepared.messages]).total


def test_a_fork_begins_as_its_parent_stands_and_goes_its_own_way(tmp_path: Path) -> None:
    kept: list[object] = []
    parent = AgentContext(tmp_path, SMALL, sink=kept.append)
    parent.memory.cleared.cleared["t9"] = None
    messages = turn(0, 60, 70)
    before = sent(parent.prepare(messages).messages)
    recorded = len(kept)
    fork = parent.fork()
    request = fork.prepare([*messages, *turn(1, 120)]).messages
    assert sent(request)[: len(before)] == before
    assert "t1_0" in fork.state.replacements
    assert "t1_0" not in parent.state.seen_ids
    assert len(kept) == recorded
    fork.memory.cleared.cleared["t1_0"] = None
    assert list(parent.memory.cleared.cleared) == ["t9"]
    assert (tmp_path / "tool-results/t1_0.txt").exists()


class TestTranscript:
    def write(self, writer: TranscriptWriter, number: int, *sizes: int, usage: int = 10) -> list[Message]:
        calls = [{"type": "tool_use", "id": f"t{number}_{at}", "name": "Grep", "input": {}} for at in range(len(sizes))]
        answer = {"id": f"m{number}", "role": "assistant", "content": calls, "usage": {"input_tokens": usage}}
        written = writer.response(answer)
        return [*written, *(writer.result(f"t{number}_{at}", f"{at}".ljust(size, "x")) for at, size in enumerate(sizes))]

    def test_a_conversation_goes_on_from_its_transcript(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        writer = TranscriptWriter(path, Author("s", "/srv"))
        limits = Limits(message_budget=100, preview_chars=20, window=WINDOW)
        stages = Stages(summarise=lambda _: Summary("So far.", keep=3), records=writer.compaction)
        context = AgentContext(tmp_path / "s", limits, sink=writer.sink(), stages=stages)
        history = [writer.prompt("Go."), *self.write(writer, 0, 60, 70)]
        history = context.prepare(history).history
        history += self.write(writer, 1, 80, 90, usage=FULL)
        prepared = context.prepare(history)
        assert prepared.autocompact.status == "compacted"
        history = [*prepared.history, *self.write(writer, 2, 120)]
        before = context.prepare(history)

        loaded = load_conversation(path)
        assert [m["uuid"] for m in loaded.messages] == [m["uuid"] for m in history]
        assert loaded.last == writer.last
        resumed = AgentContext.resume(tmp_path / "s", loaded.messages, loaded.records, limits)
        assert sent(resumed.prepare(loaded.messages).messages) == sent(before.messages)

    def test_cleared_results_stay_cleared(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        writer = TranscriptWriter(path, Author("s", "/srv"))
        stages = Stages(microcompact=Microcompact(time_based=True, keep_recent=1), now=lambda: 9e9)
        context = AgentContext(tmp_path / "s", stages=stages)
        history = [writer.prompt("Go."), *self.write(writer, 0, 60, 70)]
        prepared = context.prepare(history)
        writer.microcompaction(prepared.microcompact.cleared, 100, prepared.microcompact.tokens_saved)
        loaded = load_conversation(path)
        resumed = AgentContext.resume(tmp_path / "s", loaded.messages, loaded.records)
        assert sent(resumed.prepare(loaded.messages).messages) == sent(prepared.messages)
        assert content_of(prepared.messages, "t0_0") == CLEARED_PLACEHOLDER


class TestAsync:
    async def test_it_does_the_same(self, tmp_path: Path) -> None:
        context = AgentContext(tmp_path, SMALL)
        messages = turn(0, 60, 70)
        admitted = await context.aadmit("Bash", "t", "")
        prepared = await context.aprepare(messages)
        assert admitted.fate == "placeholder"
        assert content_of(prepared.messages, "t0_1").startswith(PERSISTED_TAG)
        assert (await context.aprepare(messages)).messages == prepared.messages

    async def test_a_summariser_may_be_a_coroutine(self, tmp_path: Path) -> None:
        async def later(messages: list[Message]) -> str:
            await asyncio.sleep(0)
            return "So far."

        context = AgentContext(tmp_path, Limits(window=WINDOW), stages=Stages(summarise=later))
        prepared = await context.aprepare(turn(0, 5, usage=FULL))
        assert prepared.autocompact.status == "compacted"

    async def test_one_that_fails_leaves_the_history(self, tmp_path: Path) -> None:
        async def later(messages: list[Message]) -> str:
            raise RuntimeError("no model")

        context = AgentContext(tmp_path, Limits(window=WINDOW), stages=Stages(summarise=later))
        messages = turn(0, 5, usage=FULL)
        prepared = await context.aprepare(messages)
        assert (prepared.history is messages, prepared.autocompact.status) == (True, "failed")

    async def test_a_task_cancelled_while_it_writes_loses_nothing(self, tmp_path: Path) -> None:
        writing, go_on = threading.Event(), threading.Event()
        kept: list[object] = []

        class SlowStore:
            def write(self, tool_use_id: str, text: str, suffix: str) -> str:
                writing.set()
                go_on.wait(60)
                return f"/spills/{tool_use_id}{suffix}"

        context = AgentContext(tmp_path, SMALL, sink=kept.extend)
        context._store = SlowStore()  # type: ignore[assignment]
        messages = turn(0, 60, 70)
        task = asyncio.create_task(context.aprepare(messages))
        await asyncio.to_thread(writing.wait, 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert "t0_1" not in context.state.seen_ids  # B8: not without its replacement
        following = asyncio.create_task(context.aprepare(messages))
        go_on.set()
        prepared = await following
        assert content_of(prepared.messages, "t0_1") == context.state.replacements["t0_1"]
        assert len(kept) == 1

    async def test_a_task_cancelled_while_it_summarises_compacts_nothing(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        writer = TranscriptWriter(path, Author("s", "/srv"))
        started = asyncio.Event()

        async def never(messages: list[Message]) -> str:
            started.set()
            await asyncio.Event().wait()
            return ""

        stages = Stages(summarise=never, records=writer.compaction)
        context = AgentContext(tmp_path / "s", Limits(window=WINDOW), stages=stages)
        messages = turn(0, 5, usage=FULL)
        task = asyncio.create_task(context.aprepare(messages))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not path.exists()
        assert context.memory.breaker.failures == 0
        context.stages = Stages(summarise=lambda _: "So far.", records=writer.compaction)
        assert (await context.aprepare(messages)).autocompact.status == "compacted"
