"""The façade that an agent loop uses: admit a result, prepare a request, count, resume, fork.

    context = AgentContext("sessions/42")
    …after each tool:      content = context.admit("Bash", call_id, output).content
    …before each request:  request = context.prepare(messages).messages

The caller keeps its own messages, with every result as `admit` gave it, and hands all of them to each `prepare`: what must
recur is in the state, so that each request begins with the same bytes as the last one. Where snip or autocompact shortened the
history, `prepare(…).history` is the one to keep from then on.

Messages may be transcript records too (`transcript.writer`); `tokens.api_shape.api_messages` makes a request of them. With a
sink, each replacement is written before `prepare` hands it out: after a crash `resume` goes on with the same bytes.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from spillscope.budget.admit import Admitted, Log, maybe_persist_large_tool_result
from spillscope.budget.enforce import Enforced, apply_replacements
from spillscope.budget.grouping import collect_candidates_by_message
from spillscope.budget.sink import RecordSink
from spillscope.budget.state import ContentReplacementState, reconstruct
from spillscope.budget.store import DirectoryStore
from spillscope.limits import Limits
from spillscope.limits_sources import LimitsBook, WatchedLimits
from spillscope.messages import Message
from spillscope.pipeline.autocompact import AutocompactContext, AutocompactReport, Source, autocompact, compact, decide, failed
from spillscope.pipeline.budget import BudgetContext
from spillscope.pipeline.collapse import CollapseReport, Span
from spillscope.pipeline.microcompact import MicrocompactReport
from spillscope.pipeline.run import Memory, Stages, View, autocompact_context, history_after, project, without_deciding
from spillscope.pipeline.snip import SnipReport
from spillscope.tokens.hybrid import HybridCount, token_count_with_estimation

LimitsSource = Limits | LimitsBook | WatchedLimits
"""Limits that stand, or whose files are looked at before each run."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request: the messages as the model is to see them, what each stage did, and the history to keep.

    `messages` is the caller's own list where no stage had anything to do, and so is `history` unless snip or autocompact
    shortened it. Among transcript records both may hold a boundary, which has no `message` to be sent. `budget.groups` are
    those with a new result.
    """

    messages: list[Message]
    history: list[Message]
    budget: Enforced
    snip: SnipReport
    microcompact: MicrocompactReport
    collapse: CollapseReport
    autocompact: AutocompactReport


class AgentContext:
    """What one conversation keeps between its requests. Change `limits` and `stages` whenever you like: decided fates stay.

    `admit` may be called from several threads at once; two runs of the budget follow each other. `admit` and `prepare` block
    while files are written: async code calls `aadmit` and `aprepare`.
    """

    def __init__(
        self,
        session_dir: str | os.PathLike[str],
        limits: LimitsSource | None = None,
        *,
        sink: RecordSink | None = None,
        state: ContentReplacementState | None = None,
        log: Log | None = None,
        stages: Stages | None = None,
        memory: Memory | None = None,
    ) -> None:
        """`session_dir`: spills go to `tool-results/` in it, which is made with the first one.

        `limits`: the built-in ones where absent. `sink`: keeps the records of new replacements, so that the conversation can
        be resumed; None for an ephemeral one. `log`: told of results that could not be written, which stay in full. `stages`:
        what runs after the budget; by default nothing but snip. `state`, `memory`: of a conversation that goes on.
        """
        self.limits: LimitsSource = LimitsBook() if limits is None else limits
        self.stages = stages if stages is not None else Stages()
        self.state = ContentReplacementState() if state is None else state
        self.memory = Memory() if memory is None else memory
        self._session_dir, self._sink, self._log = session_dir, sink, log
        self._store = DirectoryStore(session_dir)

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
        stages: Stages | None = None,
    ) -> Self:
        """B12: goes on with a loaded conversation: its next request begins with the same bytes as its last one did.

        `messages` and `records`: as `load_conversation` reads them from a transcript; records are its lines, or those among
        them of replacements, cleared results and collapsed spans. `inherited`: for a sub-agent, its parent's replacements.
        What is malformed, or is about an absent id, is ignored; `reconstruct` counts it.
        """
        lines = list(records)
        state = reconstruct(messages, lines, inherited).state
        return cls(session_dir, limits, sink=sink, state=state, log=log, stages=stages, memory=Memory.of(lines))

    def fork(
        self,
        *,
        session_dir: str | os.PathLike[str] | None = None,
        sink: RecordSink | None = None,
        stages: Stages | None = None,
    ) -> Self:
        """B13: a sub-agent's or a fork's own context, which begins with a deep copy of what this one has decided.

        Without a `sink` of its own it records nothing. Spills go to the same directory unless another is given.
        """
        return type(self)(
            self._session_dir if session_dir is None else session_dir,
            self.limits,
            sink=sink,
            state=self.state.fork(),
            log=self._log,
            stages=self.stages if stages is None else stages,
            memory=self.memory.fork(),
        )

    def admit(self, tool: str, tool_use_id: str, content: Any) -> Admitted:
        """Layer one, after each tool: `.content` is what belongs into the `tool_result`, a preview where it was too large.

        Never raises for a result that can't be written: it stays in full, and the log is told.
        """
        return maybe_persist_large_tool_result(tool, tool_use_id, content, self._current(), self._store, self._log)

    async def aadmit(self, tool: str, tool_use_id: str, content: Any) -> Admitted:
        """`admit`, beside the event loop. Cancelled, it may still write the file, which harms nothing (P6)."""
        return await asyncio.to_thread(self.admit, tool, tool_use_id, content)

    def prepare(self, messages: list[Message], source: Source = "main") -> Prepared:
        """Before each request: the five stages in their order (W4). Changes nothing of the caller's.

        `messages`: transcript records or API messages after the last compaction, oldest first. `source`: whose request it is;
        a summariser's own is never compacted. Never raises for what a store, a sink or a summariser does.
        """
        limits = self._current()
        view = self._project(messages, limits)
        context = self._autocompact(view, limits, source)
        return _prepared(messages, view, *autocompact(view.messages, context))

    async def aprepare(self, messages: list[Message], source: Source = "main") -> Prepared:
        """`prepare`, beside the event loop; the summariser may be a coroutine function, and is awaited.

        Cancelled, it loses nothing: a run of the budget that has begun ends and is recorded in its thread, and the next one
        waits for it; a compaction happens as one step with its delivery, or not at all.
        """
        limits = self._current()
        view = await asyncio.to_thread(self._project, messages, limits)
        context = self._autocompact(view, limits, source)
        due = decide(view.messages, context)
        if due.status != "due" or context.summarise is None:
            return _prepared(messages, view, view.messages, due)
        try:
            made = await asyncio.to_thread(context.summarise, view.messages)
            if isinstance(made, Awaitable):
                made = await made
        except Exception as error:  # the summariser is the caller's
            return _prepared(messages, view, view.messages, failed(context, due, error))
        # No await from here on: who is told of the records that are made is told of the history that they begin.
        return _prepared(messages, view, *compact(view.messages, context, due, made))

    def commit_span(self, span: Span) -> None:
        """W6: from the next request on the model reads a span's summary in place of its messages."""
        self.memory.spans.append(span)

    def context_tokens(self, messages: list[Message]) -> HybridCount:
        """T4: tokens that these messages take as the model sees them: the caller's own, or prepared ones. Decides nothing."""
        groups = collect_candidates_by_message(messages)
        seen = apply_replacements(messages, groups, self.state.replacements)
        return token_count_with_estimation(without_deciding(seen, self.stages, self.memory))

    def _project(self, messages: list[Message], limits: Limits) -> View:
        budget = BudgetContext(self.state, limits, self._store, self._sink, self._log)
        return project(messages, budget, self.stages, self.memory)

    def _autocompact(self, view: View, limits: Limits, source: Source) -> AutocompactContext:
        return autocompact_context(view, limits, self.stages, self.memory, source)

    def _current(self) -> Limits:
        """The limits of one run (L9, L11)."""
        limits = self.limits
        if isinstance(limits, WatchedLimits):
            limits.poll()
            limits = limits.book
        return limits.newest if isinstance(limits, LimitsBook) else limits


def _prepared(history: list[Message], view: View, messages: list[Message], compacted: AutocompactReport) -> Prepared:
    kept = history_after(history, view, messages, compacted)
    return Prepared(messages, kept, view.budget, view.snip, view.microcompact, view.collapse, compacted)
