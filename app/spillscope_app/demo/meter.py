"""What the demo's API says that requests cost: numbers that grow by what was added, as a real model's do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from spillscope.messages import Message, message_body, message_kind
from spillscope.tokens.rough import UNITS_PER_TOKEN, estimate_content

REAL_UNITS_PER_TOKEN = (2.45, 2.75)
"""What real sessions were found to take, against the 4 of the agents' own estimate: that one errs on the low side."""


class Meter:
    """The tokens of one conversation. `base`: system prompt and tools, which are in the cache from the start."""

    def __init__(self, dice: Random, base: int) -> None:
        self._dice, self._base = dice, base
        self.restart()

    def restart(self) -> None:
        """The conversation begins anew, after a compaction or at first: only the base is in the cache."""
        self._prompt = self._cached = self._base
        self._counted = 0

    @property
    def prompt(self) -> int:
        """Tokens of the last request that was counted."""
        return self._prompt

    def take(self, messages: Sequence[Message]) -> None:
        """Count a request: what is new in it, for the rest stays as it was."""
        self._cached = self._prompt
        self._prompt += sum(self._cost(message) for message in messages[self._counted :])
        self._counted = len(messages)

    def usage(self, blocks: Sequence[Mapping[str, Any]], thinks: bool) -> dict[str, Any]:
        """The usage of the response to that request."""
        output = self._tokens(list(blocks)) + (self._dice.randint(80, 420) if thinks else 0)
        created = max(0, self._prompt - self._cached - 3)
        return {
            "input_tokens": min(3, self._prompt - self._cached),
            "cache_creation_input_tokens": created,
            "cache_read_input_tokens": self._cached,
            "output_tokens": max(1, output),
            "cache_creation": {"ephemeral_5m_input_tokens": created, "ephemeral_1h_input_tokens": 0},
            "service_tier": "standard",
        }

    def _cost(self, message: Message) -> int:
        return self._tokens(message_body(message).get("content")) if message_kind(message) is not None else 0

    def _tokens(self, content: object) -> int:
        return round(estimate_content(content) * UNITS_PER_TOKEN / self._dice.uniform(*REAL_UNITS_PER_TOKEN))
