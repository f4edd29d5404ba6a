"""Sub-agents whose records stand inside the main file, as in 1.0.x (spec S10): counted, never part of the chain."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spillscope.tokens.rough import estimate_content
from spillscope.tokens.running import RunningCount
from spillscope.tokens.synthetic import is_synthetic
from spillscope.tokens.usage import get_token_count_from_usage


@dataclass(slots=True)
class Sidechain:
    """One sub-agent: its id (None in old versions, which give none), its records, T4 over them, and what tells its window."""

    agent_id: str | None
    records: int = 0
    model: str | None = None
    largest_usage: int = 0
    count: RunningCount = field(default_factory=RunningCount)


class Sidechains:
    """The sidechains of a file, told apart by agent id, or else by the record that started them."""

    def __init__(self) -> None:
        self.found: list[Sidechain] = []
        self._of: dict[str, int] = {}  # agent id, or uuid of a record, → position in `found`

    def add(self, record: dict[str, Any], uuid: str, parent: str | None) -> None:
        agent_id = record.get("agentId")
        key = agent_id if isinstance(agent_id, str) else None
        at = self._of.get(key if key is not None else parent or "", -1)
        if at < 0:
            at = len(self.found)
            self.found.append(Sidechain(key))
            if key is not None:
                self._of[key] = at
        if key is None:
            self._of[uuid] = at
        chain = self.found[at]
        chain.records += 1
        count_record(chain.count, record)
        chain.largest_usage = max(chain.largest_usage, chain.count.usage)
        chain.model = model_of(record) or chain.model


def count_record(count: RunningCount, record: dict[str, Any]) -> None:
    """T4 with one more record, in file order."""
    message = record.get("message")
    if not isinstance(message, dict):
        return
    tokens = estimate_content(message.get("content"))
    if record.get("type") == "user":
        count.user(tokens)
    elif record.get("type") == "assistant":
        message_id = message.get("id")
        usage = 0 if is_synthetic(record) else get_token_count_from_usage(message.get("usage"))
        count.assistant(0, tokens, message_id if isinstance(message_id, str) else None, usage)


def model_of(record: dict[str, Any]) -> str | None:
    """The model that wrote an assistant record; None where none did, or none is named."""
    message = record.get("message")
    if record.get("type") != "assistant" or not isinstance(message, dict) or is_synthetic(record):
        return None
    model = message.get("model")
    return model if isinstance(model, str) else None
