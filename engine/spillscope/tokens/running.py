"""T4 as a running count: one step a message, no list kept."""

from __future__ import annotations

from typing import NamedTuple


class RunningCount(NamedTuple):
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

    def user(self, tokens: int) -> RunningCount:
        """A message without an id: stepped over by the anchor correction."""
        return self._replace(tokens=self.tokens + tokens)

    def assistant(self, member: int, tokens: int, response: object, usage: int) -> RunningCount:
        """A record of a response (`response`: its identity, None without an id). `usage` 0: none that anchors."""
        count = self._replace(tokens=self.tokens + tokens)
        if response is None:
            if usage:
                return count._replace(usage=usage, anchor=member, anchor_tokens=count.tokens)
            return count
        if response != self.run_id:
            count = count._replace(run_id=response, run_member=member, run_tokens=count.tokens)
        if usage:
            count = count._replace(usage=usage, anchor=count.run_member, anchor_tokens=count.run_tokens)
        return count
