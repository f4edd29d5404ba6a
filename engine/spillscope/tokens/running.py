"""T4 as a running count: one step a message, no list kept."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class RunningCount:
    """T4 after the messages taken so far. `anchor`: the caller's name for the anchor message, None without usage.

    `run_id`, `run_member`, `run_tokens`: the response that the newest messages belong to, its first message, and the estimate
    up to and with it: where the anchor moves when that response states its usage.
    """

    tokens: int = 0
    usage: int = 0
    anchor: int | None = None
    anchor_tokens: int = 0
    run_id: object = None
    run_member: int | None = None
    run_tokens: int = 0

    @property
    def estimate(self) -> int:
        """Rough tokens of everything after the anchor; of all, where there is none."""
        return self.tokens - self.anchor_tokens

    @property
    def total(self) -> int:
        return self.usage + self.estimate

    def copy(self) -> RunningCount:
        return RunningCount(
            self.tokens, self.usage, self.anchor, self.anchor_tokens, self.run_id, self.run_member, self.run_tokens
        )

    def user(self, tokens: int) -> None:
        """A message without an id: stepped over by the anchor correction."""
        self.tokens += tokens

    def assistant(self, member: int, tokens: int, response: object, usage: int) -> None:
        """A record of a response (`response`: its identity, None without an id). `usage` 0: none that anchors."""
        self.tokens += tokens
        if response is None:
            if usage:
                self.usage, self.anchor, self.anchor_tokens = usage, member, self.tokens
            return
        if response != self.run_id:
            self.run_id, self.run_member, self.run_tokens = response, member, self.tokens
        if usage:
            self.usage, self.anchor, self.anchor_tokens = usage, self.run_member, self.run_tokens
