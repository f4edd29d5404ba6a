"""The façade in a loop that crashes, resumes, forks and compacts at random: what was sent once is sent again, byte for byte."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from conversation import Json, plain
from spillscope.agent import AgentContext, Prepared
from spillscope.budget.sink import TranscriptSink
from spillscope.budget.state import Replacement
from spillscope.budget.store import DirectoryStore
from spillscope.limits import Limits
from spillscope.messages import Message
from spillscope.pipeline.autocompact import Summary
from spillscope.pipeline.run import Stages
from spillscope.transcript.load import load_conversation
from spillscope.transcript.writer import Author, TranscriptWriter
from spillscope.wrapper import PERSISTED_TAG

SESSION = "s"
BUDGETS = [60, 120, 120, 10_000]
OVER = [("Grep", 90), ("Grep", 80)]
"""A turn that is over all of them but the last."""
STEPS = ["before the write", "after the write", "before the record", "within the record", "after the record"]


class Crash(BaseException):
    """The process ends here: nothing in it catches this."""


class Trap:
    """Where the next crash is to happen; None: nowhere."""

    step: str | None = None

    def passes(self, step: str) -> None:
        if self.step == step:
            raise Crash(step)


class TrappedStore(DirectoryStore):
    def __init__(self, session_dir: Path, trap: Trap) -> None:
        super().__init__(session_dir)
        self.trap = trap

    def write(self, tool_use_id: str, text: str, suffix: str) -> str:
        self.trap.passes("before the write")
        path = super().write(tool_use_id, text, suffix)
        self.trap.passes("after the write")
        return path


class TrappedSink(TranscriptSink):
    trap = Trap()

    def __call__(self, replacements: Sequence[Replacement]) -> None:
        self.trap.passes("before the record")
        before = self.path.read_bytes()
        super().__call__(replacements)
        if self.trap.step == "within the record":
            self.path.write_bytes(before + self.path.read_bytes()[len(before) : -7])
        self.trap.passes("within the record")
        self.trap.passes("after the record")


def sent(messages: list[Message]) -> list[str]:
    return [json.dumps(plain(message)) for message in messages if "message" in message]


def contents(messages: list[Message]) -> dict[str, Any]:
    """The content of every result, by id."""
    return {
        block["tool_use_id"]: block["content"]
        for message in messages
        if message["type"] == "user" and isinstance(message["message"]["content"], list)
        for block in message["message"]["content"]
    }


class Loop(RuleBasedStateMachine):
    """One agent, its transcript on disk, and what the model was sent last."""

    @initialize(budget=st.sampled_from(BUDGETS))
    def begin(self, budget: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.path = self.folder / f"{SESSION}.jsonl"
        self.trap = Trap()
        self.limits = Limits(message_budget=budget, overrides={"Bash": 100}, preview_chars=10, window=50_000)
        self.writer = TranscriptWriter(self.path, Author(SESSION, "/srv"))
        self.history: list[Message] = [self.writer.prompt("Go.")]
        self.originals: dict[str, str] = {}
        self.admitted: dict[str, str] = {}
        self.last: list[str] = []
        self.turns = 0
        self.context = self.equip(AgentContext(self.folder / SESSION, self.limits, sink=self.sink()))

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)

    def sink(self) -> TrappedSink:
        sink = TrappedSink(self.path, SESSION)
        sink.trap = self.trap
        return sink

    def equip(self, context: AgentContext) -> AgentContext:
        context._store = TrappedStore(self.folder / SESSION, self.trap)
        return context

    # --- what the agent does ----------------------------------------------------------------------------------------------

    @rule(sizes=st.lists(st.tuples(st.sampled_from(["Bash", "Grep", "Read"]), st.integers(0, 130)), max_size=4))
    def respond(self, sizes: list[tuple[str, int]]) -> None:
        calls: list[Json] = []
        for at, (tool, _) in enumerate(sizes):
            calls.append({"type": "tool_use", "id": f"t{self.turns}_{at}", "name": tool, "input": {}})
        answer = {"id": f"m{self.turns}", "role": "assistant", "content": [{"type": "text", "text": "Well."}, *calls]}
        self.history += self.writer.response(answer)
        for call, (tool, size) in zip(calls, sizes, strict=True):
            text = call["id"].ljust(size, "x")[:size]
            self.originals[call["id"]] = text
            self.admitted[call["id"]] = self.context.admit(tool, call["id"], text).content
            self.history.append(self.writer.result(call["id"], self.admitted[call["id"]]))
        self.turns += 1

    @rule(over=st.booleans())
    def request(self, over: bool = False) -> None:
        if over:
            self.respond(OVER)
        self.went_out(self.context.prepare(self.history))

    @rule(budget=st.sampled_from(BUDGETS), on=st.booleans())
    def change_limits(self, budget: int, on: bool) -> None:
        self.context.limits = Limits(
            message_budget=budget, overrides={"Bash": 100}, preview_chars=10, window=50_000, aggregate=on
        )

    @rule(keep=st.integers(0, 4))
    def compact(self, keep: int) -> None:
        self.history.append(self.writer.prompt("x" * 70_000))  # 17,500 tokens: over the mark of this window
        summarise = Stages(summarise=lambda _: Summary("So far.", keep), records=self.writer.compaction)
        self.context.stages = summarise
        prepared = self.context.prepare(self.history)
        self.context.stages = Stages()
        assert prepared.autocompact.status in ("compacted", "thrashing")
        if prepared.autocompact.status == "compacted":
            self.last = []
        self.went_out(prepared)

    # --- what happens to it -----------------------------------------------------------------------------------------------

    @rule()
    def crash_and_resume(self) -> None:
        loaded = load_conversation(self.path)
        assert [message["uuid"] for message in loaded.messages] == [message["uuid"] for message in self.history]
        self.writer = TranscriptWriter(self.path, Author(SESSION, "/srv"), last=loaded.last)
        self.history = loaded.messages
        resumed = AgentContext.resume(
            self.folder / SESSION, loaded.messages, loaded.records, self.context.limits, sink=self.sink()
        )
        assert resumed.state.replacements.items() <= self.context.state.replacements.items()
        self.context = self.equip(resumed)
        self.request()

    @rule(step=st.sampled_from(STEPS))
    def crash_within_a_request(self, step: str) -> None:
        self.respond(OVER)
        self.trap.step = step
        crashed = False
        try:
            prepared = self.context.prepare(self.history)
        except Crash:
            crashed = True
        self.trap.step = None
        if crashed:
            largest = f"t{self.turns - 1}_0"
            assert (largest in self.context.state.seen_ids) == (largest in self.context.state.replacements)
            self.check_state()
            self.crash_and_resume()
        else:
            self.went_out(prepared)

    @rule(size=st.integers(0, 130))
    def fork(self, size: int) -> None:
        before = self.context.state.to_json()
        branch = [
            *self.history,
            {"type": "assistant", "message": {"role": "assistant", "id": "fork", "content": []}},
            {
                "type": "user",
                "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "fork", "content": "x" * size}]},
            },
        ]
        fork = self.context.fork()
        lines = self.path.read_bytes()
        assert sent(fork.prepare(branch).messages)[: len(self.last)] == self.last
        assert self.context.state.to_json() == before
        assert self.path.read_bytes() == lines

    # --- what must hold ---------------------------------------------------------------------------------------------------

    def went_out(self, prepared: Prepared) -> None:
        request = sent(prepared.messages)
        assert request[: len(self.last)] == self.last
        self.last, self.history = request, prepared.history
        self.check_results(prepared.messages)

    def check_results(self, messages: list[Message]) -> None:
        """B4: what is replaced is its replacement, and everything else, as in the whole history, what `admit` gave."""
        replacements = self.context.state.replacements
        for tool_use_id, content in contents(messages).items():
            assert content == replacements.get(tool_use_id, self.admitted[tool_use_id])
        for tool_use_id, content in contents(self.history).items():
            assert content == self.admitted[tool_use_id]

    @invariant()
    @precondition(lambda self: hasattr(self, "context"))
    def check_state(self) -> None:
        """B8: nothing has a replacement that was not seen; and no file is there but whole ones."""
        state = self.context.state
        assert state.replacements.keys() <= set(state.seen_ids)
        assert all(text.startswith(PERSISTED_TAG) for text in state.replacements.values())
        folder = self.folder / SESSION / "tool-results"
        for file in folder.glob("*.txt") if folder.exists() else ():
            assert file.read_text() == self.originals.get(file.stem, "x" * file.stat().st_size)


TestLoop = Loop.TestCase
TestLoop.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
