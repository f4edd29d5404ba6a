"""An agent on the `anthropic` SDK: streamed responses, parallel tools, sub-agents, and a context that stays in its budget.

    python engine/examples/anthropic_agent.py FOLDER "Why is the nightly run so slow?"
    python engine/examples/anthropic_agent.py FOLDER --resume SESSION "And since when?"

It works in FOLDER, where it also keeps its sessions: `spillscope FOLDER/.sessions` in the next pane shows what it does.
Limits come from FOLDER/.spillscope.toml, which may change meanwhile. The key is taken from the environment, as the SDK does.
The shell begins in FOLDER but is a shell: give it a sandbox if you don't trust the model.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from anthropic import AnthropicError, AsyncAnthropic
from anthropic.types import Message as Response
from anthropic.types import ToolParam, ToolUseBlock

from spillscope.agent import AgentContext
from spillscope.budget.grouping import tool_names
from spillscope.errors import SpillscopeError
from spillscope.limits_sources import LimitsPlan, WatchedLimits
from spillscope.messages import Message, tool_results
from spillscope.pipeline.autocompact import Summary
from spillscope.pipeline.run import Stages
from spillscope.tokens.api_shape import api_messages
from spillscope.transcript.load import load_conversation
from spillscope.transcript.writer import Author, TranscriptWriter

MODEL = "claude-sonnet-4-6"
SYSTEM = (
    "You work in one folder. Call several tools at once where you can. A large output is on disk: read what you need of it."
)
SUMMARISE = "Summarise this conversation for yourself: the task, what was found and done, what is open. It goes on from there."
INTERRUPTED = "Interrupted before it ended: it may have done its work, in part or not at all."
KEPT_MESSAGES = 4
SHELL_SECONDS = 120
MOST_BYTES = 10_000_000


def tool(name: str, description: str, /, *required: str, **types: str) -> ToolParam:
    """A tool as the API is told of it; `types`: the JSON type of each of its arguments."""
    properties = {argument: {"type": kind} for argument, kind in types.items()}
    schema: dict[str, object] = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": description, "input_schema": schema}


# The names under which the engine knows what each tool declares: Bash 30,000 units, Read no limit, for it limits itself.
TOOLS = [
    tool("Bash", "Run a shell command in the folder.", "command", command="string"),
    tool("Read", "Read 1,000 lines of a file in the folder.", "path", path="string", first_line="integer"),
    tool("Agent", "Let a sub-agent, which knows only this prompt, find something out.", "prompt", prompt="string"),
]


async def run_shell(folder: Path, command: str) -> str:
    """Output and errors of a command, and its exit status where it failed. Raises TimeoutError."""
    words, output = ("sh", "-c", f"exec 2>&1\n{command}"), bytearray()
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*words, cwd=folder, stdin=nothing, stdout=pipe, start_new_session=True)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(SHELL_SECONDS):
            while len(output) < MOST_BYTES and (more := await process.stdout.read(MOST_BYTES)):
                output += more
            if len(output) < MOST_BYTES:
                await process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # with all that it left running
    status = f"\nexit status {process.returncode}" if process.returncode else ""
    return output.decode(errors="replace") + status


def read_lines(folder: Path, path: str, first_line: int = 1) -> str:
    """Raises OSError or PermissionError for what can't, or must not, be read."""
    wanted = (folder / path).resolve()
    if not wanted.is_relative_to(folder):
        raise PermissionError(f"{path} is not in the folder")
    with wanted.open(encoding="utf-8", errors="replace") as file:
        return "".join(islice(file, max(0, first_line - 1), max(0, first_line - 1) + 1_000))


@dataclass(frozen=True, slots=True)
class Desk:
    """What an agent and its sub-agents share."""

    client: AsyncAnthropic
    model: str
    folder: Path

    def request(self, messages: Sequence[Message]) -> dict[str, Any]:
        """What all requests have in common, byte for byte: the API caches the beginning that they share."""
        request: dict[str, Any] = {"model": self.model, "max_tokens": 8_192, "system": SYSTEM, "tools": TOOLS}
        return {**request, "messages": list(messages), "cache_control": {"type": "ephemeral"}}


class Agent:
    """One conversation. Every record is written before anything follows from it."""

    aloud = False

    def __init__(self, desk: Desk, writer: TranscriptWriter, context: AgentContext, history: Sequence[Message] = ()) -> None:
        self.desk, self.writer, self.context, self.history = desk, writer, context, list(history)
        context.stages = Stages(summarise=self.summarise, records=writer.compaction, model=desk.model)

    def finish_interrupted(self) -> None:
        """Every call has a result, also where a crash came between."""
        answered = {tool_use_id for tool_use_id, _ in tool_results(self.history)}
        for call in tool_names(self.history):
            if call not in answered:
                self.history.append(self.writer.result(call, INTERRUPTED, is_error=True))

    async def answer(self, prompt: str | None) -> str:
        """From a prompt, or from where the transcript breaks off, to a response that calls no tool."""
        if prompt is not None:
            self.history.append(self.writer.prompt(prompt))
        while True:
            response = await self.respond()
            calls = [block for block in response.content if block.type == "tool_use"]
            if not calls:
                return said(response)
            for done in asyncio.as_completed(map(self.run, calls)):
                tool_use_id, content, is_error = await done
                self.history.append(self.writer.result(tool_use_id, content, is_error=is_error))

    async def respond(self) -> Response:
        """One request. `prepare` gives what the model is to see of the history, and the history to keep."""
        prepared = await self.context.aprepare(self.history)
        self.history = prepared.history
        async with self.desk.client.messages.stream(**self.desk.request(api_messages(prepared.messages).messages)) as stream:
            async for words in stream.text_stream:
                if self.aloud:
                    print(words, end="", flush=True)
            response: Response = await stream.get_final_message()
        if self.aloud:
            print()
        self.history += self.writer.response(response.to_dict())
        return response

    async def run(self, call: ToolUseBlock) -> tuple[str, Any, bool]:
        """A call's id, what the model gets of its result, and whether it failed."""
        try:
            output, failed = await self.use(call.name, call.input), False
        except Exception as error:  # the model reads it, and may try something else
            output, failed = f"{type(error).__name__}: {error}", True
        return call.id, (await self.context.aadmit(call.name, call.id, output)).content, failed

    async def use(self, name: str, arguments: dict[str, Any]) -> str:
        match name:
            case "Bash":
                return await run_shell(self.desk.folder, **arguments)
            case "Read":
                return await asyncio.to_thread(read_lines, self.desk.folder, **arguments)
            case "Agent":
                return await self.delegate(**arguments)
        raise LookupError(f"there is no tool {name}")

    async def delegate(self, prompt: str) -> str:
        """A sub-agent begins with a copy of what is decided here, and keeps its records in a file of its own."""
        writer = self.writer.sidechain(uuid.uuid4().hex[:17])
        return await Agent(self.desk, writer, self.context.fork(sink=writer.sink())).answer(prompt)

    async def summarise(self, messages: list[Message]) -> Summary:
        """Called by `prepare` when the context is full. The request begins like the last one, so that it finds its cache."""
        asked = [*api_messages(messages).messages, {"role": "user", "content": SUMMARISE}]
        response = await self.desk.client.messages.create(**self.desk.request(asked), tool_choice={"type": "none"})
        return Summary(said(response), keep=KEPT_MESSAGES)


def said(response: Response) -> str:
    return "".join(block.text for block in response.content if block.type == "text")


def open_agent(desk: Desk, session_id: str, resume: bool) -> Agent:
    """A new session, or one that goes on: its next request begins with the same bytes as its last one did."""
    session_dir = desk.folder / ".sessions" / session_id
    path = session_dir.with_suffix(".jsonl")
    author, limits = Author(session_id, str(desk.folder)), WatchedLimits(LimitsPlan(project_dir=desk.folder))
    if not resume:
        writer = TranscriptWriter(path, author)
        return Agent(desk, writer, AgentContext(session_dir, limits, sink=writer.sink()))
    loaded = load_conversation(path)
    writer = TranscriptWriter(path, author, last=loaded.last)
    context = AgentContext.resume(session_dir, loaded.messages, loaded.records, limits, sink=writer.sink())
    agent = Agent(desk, writer, context, loaded.messages)
    agent.finish_interrupted()
    return agent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where it works, and keeps its sessions")
    parser.add_argument("prompt", nargs="?", help="what you want; with --resume, by default what it was about to do")
    parser.add_argument("--resume", metavar="SESSION", help="go on with a session")
    parser.add_argument("--model", default=MODEL, help="by default %(default)s")
    given = parser.parse_intermixed_args()
    session_id = given.resume or str(uuid.uuid4())
    try:
        client = AsyncAnthropic()
        if not (client.api_key or client.auth_token or client.credentials):
            parser.error("it needs a key of the API: set ANTHROPIC_API_KEY")
        desk = Desk(client, given.model, given.folder.resolve(strict=True))
        agent = open_agent(desk, session_id, given.resume is not None)
        if given.prompt is None and (not agent.history or agent.history[-1]["type"] == "assistant"):
            parser.error("nothing is open: say what you want")
        print(f"session {session_id}", file=sys.stderr)
        agent.aloud = True
        asyncio.run(agent.answer(given.prompt))
    except (AnthropicError, SpillscopeError, OSError) as error:
        print(f"it broke off: {error}; go on with --resume {session_id}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
