"""Small conversations for tests of the acting side, in both shapes that messages come in."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def asks(response: str | None, *calls: tuple[str, str]) -> Json:
    """An assistant record that calls tools; `calls`: (tool_use id, tool)."""
    content = [{"type": "tool_use", "id": tool_use_id, "name": tool, "input": {}} for tool_use_id, tool in calls]
    message: Json = {"role": "assistant", "content": content}
    if response is not None:
        message["id"] = response
    return {"type": "assistant", "uuid": f"uuid-{response}", "message": message}


def result(tool_use_id: str, content: Any) -> Json:
    return {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}


def answers(*results: Json) -> Json:
    """A user record that holds tool results."""
    return {"type": "user", "message": {"role": "user", "content": list(results)}}


def plain(record: Json) -> Json:
    """A record as a plain API message."""
    return {"role": record["message"]["role"], "content": record["message"]["content"]}


def content_of(messages: list[Json], tool_use_id: str) -> Any:
    """What stands in the first result of that id."""
    for message in messages:
        body = message.get("message", message)
        for block in body["content"] if isinstance(body.get("content"), list) else ():
            if block.get("tool_use_id") == tool_use_id:
                return block["content"]
    raise KeyError(tool_use_id)


class MemoryStore:
    """A store without a disk. `fail`: ids it refuses; `on_write`: called within each write, in the writer's thread."""

    def __init__(self, fail: tuple[str, ...] = (), on_write: Callable[[str], None] | None = None) -> None:
        self.files: dict[str, str] = {}
        self.writes: list[str] = []
        self._fail, self._on_write = fail, on_write
        self._lock = threading.Lock()

    def write(self, tool_use_id: str, text: str, suffix: str) -> str:
        if self._on_write is not None:
            self._on_write(tool_use_id)
        with self._lock:
            self.writes.append(tool_use_id)
            if tool_use_id in self._fail:
                raise OSError(28, "No space left on device")
            self.files[tool_use_id] = text
        return str(Path("/spills") / (tool_use_id + suffix))
