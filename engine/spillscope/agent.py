"""The façade that an agent loop uses: admit a result, prepare a request, count, resume.

    context = AgentContext("sessions/42")
    …after each tool:      content = context.admit("Bash", call_id, output).content
    …before each request:  request = context.prepare(messages).messages

The caller keeps its own messages, with every result as `admit` gave it, and hands all of them to each `prepare`: what must
recur is in the state, so that each request begins with the same bytes as the last one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from spillscope.budget.admit import Admitted, Log, maybe_persist_large_tool_result
from spillscope.budget.enforce import Enforced, apply_replacements, enforce_tool_result_budget
from spillscope.budget.grouping import collect_candidates_by_message
from spillscope.budget.sink import RecordSink
from spillscope.budget.state import ContentReplacementState, reconstruct
from spillscope.budget.store import DirectoryStore
from spillscope.limits import Limits
from spillscope.limits_sources import LimitsBook, WatchedLimits
from spillscope.messages import Message
from spillscope.tokens.hybrid import HybridCount, token_count_with_estimation

LimitsSource = Limits | LimitsBook | WatchedLimits
"""Limits that stand, or whose files are looked at before each run."""

_NO_BUDGET = sys.maxsize
"""Units that no message has."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request: the messages as the model is to see them, and what the budget did for that.

    `messages` is the caller's own list where nothing is replaced.
    """

    messages: list[Message]
    budget: Enforced


class AgentContext:
    """What one conversation keeps between its requests. Change `limits` whenever you like: decided fates stay.

    `admit` may be called from several threads at once; two `prepare` follow each other. Both block while files are written:
    call them from a worker thread in async code.
    """

    def __init__(
        self,
        session_dir: str | os.PathLike[str],
        limits: LimitsSource | None = None,
        *,
        sink: RecordSink | None = None,
        state: ContentReplacementState | None = None,
        log: Log | None = None,
    ) -> None:
        """`session_dir`: spills go to `tool-results/` in it, which is made with the first one.

        `limits`: the built-in ones where absent. `sink`: keeps the records of new replacements, so that the conversation can
        be resumed; None for an ephemeral one. `state`: a fork of a parent's (B13). `log`: told of results that could not be
        written, which stay in full.
        """
        self.limits: LimitsSource = LimitsBook() if limits is None else limits
        self.state = ContentReplacementState() if state is None else state
        self._store, self._sink, self._log = DirectoryStore(session_dir), sink, log

    @classmethod
    def resume(
        cls,
        session_dir: str | os.PathLike[str],
        messages: list[Message],
        records: Iterable[object],
        limits: LimitsSource | None = None,
        *,
        inherited: Mapping[str, str] | None = None,
        sink: RecordSink | None = None,
        log: Log | None = None,
    ) -> Self:
        """B12: goes on with a loaded conversation: its next request begins with the same bytes as its last one did.

        `records`: the lines of its transcript, or the replacement records among them. `inherited`: for a sub-agent, its
        parent's replacements. What is malformed, or is about an absent id, is ignored; `reconstruct` counts it.
        """
        state = reconstruct(messages, records, inherited).state
        return cls(session_dir, limits, sink=sink, state=state, log=log)

    def admit(self, tool: str, tool_use_id: str, content: Any) -> Admitted:
        """Layer one, after each tool: `.content` is what belongs into the `tool_result`, a preview where it was too large.

        Never raises for a result that can't be written: it stays in full, and the log is told.
        """
        return maybe_persist_large_tool_result(tool, tool_use_id, content, self._current(), self._store, self._log)

    def prepare(self, messages: list[Message]) -> Prepared:
        """Before each request: its messages, every group of new results inside its budget. Changes nothing of the caller's.

        `messages`: transcript records or API messages after the last compaction, oldest first.
        """
        limits = self._current()
        if limits.aggregate is False:
            # L10, L11: nothing new is replaced, but what was replaced before the switch was turned stays so.
            limits = replace(limits, aggregate=True, message_budget=_NO_BUDGET)
        enforced = enforce_tool_result_budget(messages, self.state, limits, self._store, self._sink, log=self._log)
        return Prepared(enforced.messages, enforced)

    def context_tokens(self, messages: list[Message]) -> HybridCount:
        """T4: tokens that these messages take as the model sees them: the caller's own, or prepared ones."""
        groups = collect_candidates_by_message(messages)
        return token_count_with_estimation(apply_replacements(messages, groups, self.state.replacements))

    def _current(self) -> Limits:
        """The limits of one run (L9, L11)."""
        limits = self.limits
        if isinstance(limits, WatchedLimits):
            limits.poll()
            limits = limits.book
        return limits.newest if isinstance(limits, LimitsBook) else limits
