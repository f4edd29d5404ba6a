"""A model that follows a script, and insists that every request begins with the bytes of the one before it."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from api_server import Answer, Asked, Json, failed, streamed
from transcripts import text, use

SUMMARY = "What was done so far."


class Turn(NamedTuple):
    """One response. `calls`: tool and arguments of each; none: it is the last. `tokens`: of its request, by its usage.

    `instead`: done when the request comes, and the answer is that the API is overloaded.
    """

    calls: Sequence[tuple[str, Json]] = ()
    tokens: int = 1_000
    instead: Callable[[], None] | None = None


class Prefixes:
    """What each conversation was sent, as bytes: the head (model, system prompt, tools), and each message.

    A conversation goes by its first message. A request that forbids tools is an aside: the next one need not repeat its end.
    """

    def __init__(self) -> None:
        self.sent: dict[bytes, list[bytes]] = {}
        self.heads: set[bytes] = set()
        self.broken: list[str] = []
        self.held = 0

    def check(self, body: Json) -> bool:
        """Whether a request begins with all that the one before it was; notes where not."""
        messages = [as_bytes(message) for message in body["messages"]]
        before = self.sent.get(messages[0], [])
        self.heads.add(as_bytes([body.get(name) for name in ("model", "system", "tools")]))
        if len(self.heads) > 1:
            self.broken.append("the head changed")
        if messages[: len(before)] != before:
            same = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(before, messages, strict=False)))
            self.broken.append(f"message {same} was {before[same]!r}, and is {messages[same : same + 1]!r}")
        self.held += len(before)
        if body.get("tool_choice") is None:
            self.sent[messages[0]] = messages
        return not self.broken


class ScriptedModel:
    """Answers from `scripts`: the turns of each conversation, by a word of its first message.

    `asked_last`: the last request's body, of no aside.
    """

    def __init__(self, scripts: Mapping[str, Sequence[Turn]]) -> None:
        self.prefixes = Prefixes()
        self.left = {word: list(turns) for word, turns in scripts.items()}
        self.summaries = 0
        self.asked_last: Json = {}
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def __call__(self, asked: Asked) -> Answer:
        with self._lock:
            if not self.prefixes.check(asked.body):
                return failed(400, "invalid_request_error")
            if asked.body.get("tool_choice") is not None:
                self.summaries += 1
                return self._answer(asked.body, [text(SUMMARY)])
            self.asked_last = asked.body
            first = json.dumps(asked.body["messages"][0])
            turn = next(turns for word, turns in self.left.items() if word in first).pop(0)
            number = next(self._numbers)
        if turn.instead is not None:
            turn.instead()
            return failed(529, "overloaded_error")
        calls = [use(tool, f"toolu_{number}_{at}", arguments) for at, (tool, arguments) in enumerate(turn.calls)]
        return self._answer(asked.body, [text(f"Step {number}."), *calls], turn.tokens)

    def _answer(self, body: Json, content: list[Json], tokens: int = 1_000) -> Answer:
        message = {
            "id": f"msg_{next(self._numbers)}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": "tool_use" if len(content) > 1 else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": tokens, "output_tokens": 10},
        }
        return streamed(message) if body.get("stream") else Answer(message)


def as_bytes(value: Any) -> bytes:
    """As it came: the order of keys counts."""
    return json.dumps(value, ensure_ascii=False).encode()
