"""The demo's agent: a loop with no model that drives the engine's façade, turn by turn, and writes its transcript."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from spillscope.agent import AgentContext
from spillscope.budget.store import Spilled
from spillscope.limits_sources import LimitsPlan, WatchedLimits
from spillscope.messages import Message
from spillscope.pipeline.run import Stages
from spillscope.transcript.writer import Author, TranscriptWriter
from spillscope_app.demo.home import Home
from spillscope_app.demo.meter import Meter
from spillscope_app.demo.pace import Pace
from spillscope_app.demo.story import CWD, PROMPT, TITLE, Call, Memory, Story, Turn, spill_of

MODEL = "claude-sonnet-4-5-20250929"
BASE_TOKENS = 18_300
AGENT_BASE_TOKENS = 9_100
THINKING, ANSWERING, BLOCK, COMPACTING, AFTER_ANSWER = 1.0, 0.7, 0.12, 2.5, 8.0
"""Pauses, in seconds."""
ROUNDS = 4
"""How often a session is told until a new one begins. The rounds before stay on the screen of whoever looks into them."""
_SUMMARY = (
    "This session is being continued from a previous conversation that ran out of context. The user asked why the nightly"
    " settlement takes forty minutes since the last release. Found so far: rates are asked again for every charge whose rate is"
    " missing; eleven callers, two of which already keep the miss. Changed: the miss is kept for the whole run. Open: show that"
    " the totals of February are the same."
)


class Names:
    """Ids as agents and APIs make them, the same for the same dice."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice

    def uuid(self) -> str:
        return str(uuid.UUID(int=self._dice.getrandbits(128), version=4))

    def of(self, kind: str) -> str:
        """An id that begins like `msg_`."""
        return f"{kind}{self._dice.getrandbits(96):024x}"


@dataclass(frozen=True, slots=True)
class Desk:
    """What an agent and its sub-agents share: their limits, names, dice and clock."""

    home: Home
    limits: WatchedLimits
    names: Names
    dice: Random
    pace: Pace


class Conversation:
    """One agent and its messages: the main one, or a sub-agent."""

    def __init__(self, desk: Desk, writer: TranscriptWriter, context: AgentContext, base: int) -> None:
        self.desk, self.writer, self.context, self.memory = desk, writer, context, Memory()
        context.stages = Stages(summarise=self._summarise, records=self._record_compaction, model=MODEL)
        self.meter = Meter(Random(desk.dice.random()), base)
        self.messages: list[Message] = []
        self._waiting: dict[str, Call] = {}  # calls whose results no request has carried yet

    def prompt(self, text: str) -> None:
        self.messages.append(self.writer.prompt(text))

    def clear(self) -> None:
        """A `/clear`: nothing said so far is in the context any more."""
        self.writer.clear()
        self.messages, self.memory = [], Memory()
        self.meter.restart()

    def take(self, turns: Iterator[Turn]) -> None:
        """One request and its response after the other, until a response calls nothing."""
        calls = True
        while calls:
            self._request()
            turn = next(turns)  # asked for now: what was just spilled may be read back
            self.desk.pace.wait(THINKING if turn.thinks else ANSWERING)
            self._respond(turn)
            calls = bool(turn.calls)

    def _request(self) -> None:
        prepared = self.context.prepare(self.messages)
        self.messages = prepared.history
        for spilled in prepared.budget.spilled:
            self.memory.spills.append(spill_of(spilled.path, self._waiting[spilled.tool_use_id].content))
        self._waiting.clear()
        self.meter.take(prepared.messages)

    def _respond(self, turn: Turn) -> None:
        """The response block by block, and the results: each after its call, or all at the end."""
        names, pace = self.desk.names, self.desk.pace
        calls = {names.of("toolu_"): call for call in turn.calls}
        blocks: list[dict[str, Any]] = [{"type": "text", "text": turn.words}]
        if turn.thinks:
            blocks.insert(0, {"type": "thinking", "thinking": "", "signature": names.of("sig")})
        blocks += [
            {"type": "tool_use", "id": tool_use_id, "name": call.tool, "input": call.arguments}
            for tool_use_id, call in calls.items()
        ]
        message = {
            "id": names.of("msg_"),
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "content": blocks,
            "stop_reason": "tool_use" if calls else "end_turn",
            "stop_sequence": None,
            "usage": self.meter.usage(blocks, turn.thinks),
        }
        request_id = names.of("req_")
        for block in blocks:
            self.messages.append(self.writer.block(message, block, request_id))
            pace.wait(BLOCK)
            if turn.in_line and block["type"] == "tool_use":
                self._finish(block["id"], calls.pop(block["id"]))
        for tool_use_id, call in calls.items():
            self._finish(tool_use_id, call)

    def _finish(self, tool_use_id: str, call: Call) -> None:
        """Runs a tool to its end."""
        if call.agent is not None:
            self._delegate(call, call.agent)
        self.desk.pace.wait(call.seconds)
        admitted = self.context.admit(call.tool, tool_use_id, call.content)
        if admitted.spilled is not None:
            self.memory.spills.append(spill_of(admitted.spilled.path, call.content))
        is_error = False if call.tool == "Bash" else None
        local = _local_of(call, admitted.spilled)
        self.messages.append(self.writer.result(tool_use_id, admitted.content, is_error=is_error, local=local))
        self._waiting[tool_use_id] = call

    def _delegate(self, call: Call, turns: Callable[[Memory], Iterator[Turn]]) -> None:
        """B13: a sub-agent starts from a copy of the state, and keeps its records in a file of its own."""
        writer = self.writer.sidechain(f"a{self.desk.dice.getrandbits(64):016x}")
        agent = Conversation(self.desk, writer, self.context.fork(sink=writer.sink()), AGENT_BASE_TOKENS)
        agent.prompt(call.arguments["prompt"])
        agent.take(turns(agent.memory))

    # --- compaction -------------------------------------------------------------------------------------------------------

    def _summarise(self, _: list[Message]) -> str:
        self.desk.pace.wait(COMPACTING)
        return _SUMMARY

    def _record_compaction(
        self, summary: str, pre_tokens: int, post_tokens: int | None = None, trigger: str = "auto", *, kept: Sequence[Message]
    ) -> tuple[Message, Message]:
        """The summary joins what every request of this conversation holds anyway."""
        self.memory.compactions += 1
        self.meter.restart()
        return self.writer.compaction(summary, pre_tokens, self.meter.prompt + (post_tokens or 0), trigger, kept=kept)


def _local_of(call: Call, spilled: Spilled | None) -> object:
    """The tool's own output object; of a spilled text it names the file."""
    if spilled is None or not isinstance(call.local, dict):
        return call.local
    return {**call.local, "persistedOutputPath": spilled.path, "persistedOutputSize": len(spilled.text.encode())}


def open_conversation(home: Home, dice: Random, pace: Pace) -> Conversation:
    """A new session of the demo, which has a file as soon as something is said."""
    names = Names(dice)
    desk = Desk(home, WatchedLimits(LimitsPlan(extra=(home.limits_file,))), names, dice, pace)
    session_id = names.uuid()
    author = Author(session_id, CWD, git_branch="main")
    writer = TranscriptWriter(home.transcript(session_id), author, new_uuid=names.uuid, now=pace.now)
    context = AgentContext(home.project / session_id, desk.limits, sink=writer.sink())
    return Conversation(desk, writer, context, BASE_TOKENS)


def play_round(main: Conversation) -> None:
    """From what the user asks to the answer."""
    main.prompt(PROMPT)
    main.writer.aside("ai-title", aiTitle=TITLE)
    main.take(Story(main.desk.dice, main.memory).turns())


def play(home: Home, seed: str, pace: Pace, announce: Callable[[Path], None]) -> None:
    """Session after session, until `pace` raises Stopped. `announce`: told where the first one is going to be."""
    for number in itertools.count():
        main = open_conversation(home, Random(f"{seed}/{number}"), pace)
        if number == 0:
            announce(main.writer.path)
        for _ in range(ROUNDS):
            play_round(main)
            pace.wait(AFTER_ANSWER)
            main.clear()
        home.forget_old_sessions()
