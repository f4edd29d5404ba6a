"""A loop on a plain `messages` list, with no SDK and no transcript: what a builder's own agent has anyway, and the engine.

    python engine/examples/plain_loop.py FOLDER "How many lines of Python are here?"
    python engine/examples/plain_loop.py FOLDER                                     # goes on where it was killed

Its one tool runs shell commands in FOLDER. All that it knows is FOLDER/.conversation.jsonl: a line a message, and among them
the lines of what was replaced. That is enough to go on after a crash with the same bytes. Needs ANTHROPIC_API_KEY.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

from spillscope.agent import AgentContext
from spillscope.budget.sink import TranscriptSink, append_record
from spillscope.limits_sources import LimitsPlan, WatchedLimits
from spillscope.messages import Message
from spillscope.transcript.parse import parse_line

SHELL_SECONDS = 120
SHELL = {
    "name": "Bash",
    "description": "Run a shell command.",
    "input_schema": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
}


def ask_model(model: str, messages: list[Message]) -> Any:
    """The content of a response. Raises OSError where there is none."""
    url = os.environ.get("ANTHROPIC_BASE_URL", "https://api.anthropic.com") + "/v1/messages"
    body = {"model": model, "max_tokens": 4_096, "tools": [SHELL], "messages": messages, "cache_control": {"type": "ephemeral"}}
    key = os.environ["ANTHROPIC_API_KEY"]
    headers = {"content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01"}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)["content"]


def run_shell(folder: Path, command: str) -> str:
    words = ["sh", "-c", 'sh -c "$1" 2>&1 | head -c 10000000', "sh", command]
    try:
        done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=SHELL_SECONDS)
    except subprocess.TimeoutExpired:
        return f"It did not end within {SHELL_SECONDS} seconds."
    return done.stdout.decode(errors="replace")


def converse(folder: Path, prompt: str | None, model: str) -> None:
    path = folder / ".conversation.jsonl"
    lines = path.read_bytes().splitlines() if path.exists() else []
    records: list[Any] = [record for line in lines for record in parse_line(line).records]
    messages: list[Message] = [record for record in records if "role" in record]
    limits, sink = WatchedLimits(LimitsPlan(project_dir=folder)), TranscriptSink(path, "plain")
    context = AgentContext.resume(folder / ".spills", messages, records, limits, sink=sink)

    def keep(role: str, content: Any) -> None:
        messages.append({"role": role, "content": content})
        append_record(path, messages[-1])

    calls = calls_in(messages[-1]) if messages else []
    if calls:  # a crash took their results
        keep("user", [result_of(call, "Interrupted: it may have done its work, in part or not at all.") for call in calls])
    if prompt is not None:
        keep("user", prompt)
    while messages and messages[-1]["role"] == "user":
        keep("assistant", ask_model(model, context.prepare(messages).messages))
        print(*(block["text"] for block in messages[-1]["content"] if block["type"] == "text"), sep="\n")
        calls = calls_in(messages[-1])
        if calls:
            outputs = [run_shell(folder, call["input"]["command"]) for call in calls]
            admitted = [context.admit("Bash", call["id"], output) for call, output in zip(calls, outputs, strict=True)]
            keep("user", [result_of(call, given.content) for call, given in zip(calls, admitted, strict=True)])


def calls_in(message: Message) -> list[dict[str, Any]]:
    content = message["content"]
    return [block for block in content if block["type"] == "tool_use"] if isinstance(content, list) else []


def result_of(call: dict[str, Any], content: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call["id"], "content": content}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="where it works, and keeps its conversation")
    parser.add_argument("prompt", nargs="?", help="what you want; by default what it was about to do")
    parser.add_argument("--model", default="claude-sonnet-4-6", help="by default %(default)s")
    given = parser.parse_args()
    if not os.environ.get("ANTHROPIC_API_KEY"):
        parser.error("it needs a key of the API: set ANTHROPIC_API_KEY")
    try:
        converse(given.folder.resolve(strict=True), given.prompt, given.model)
    except OSError as error:
        print(f"it broke off: {error}; call it again without a prompt to go on", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
