"""W4: the five stages in their order. Nothing earlier reads what a later stage does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from spillscope.budget.enforce import Enforced
from spillscope.limits import Limits
from spillscope.messages import Message, field_of, message_body, message_kind
from spillscope.pipeline.autocompact import AutocompactContext, AutocompactReport, Source, SummariseLater
from spillscope.pipeline.breaker import Breaker
from spillscope.pipeline.budget import BudgetContext, tool_result_budget
from spillscope.pipeline.collapse import CollapseContext, CollapseReport, Span, context_collapse, spans_of
from spillscope.pipeline.microcompact import (
    ClearedResults,
    Microcompact,
    MicrocompactContext,
    MicrocompactReport,
    cleared_in,
    microcompact,
)
from spillscope.pipeline.records import CompactionRecords, new_records, without_usage
from spillscope.pipeline.snip import SnipContext, SnipReport, history_snip, without
from spillscope.tokens.hybrid import token_count_with_estimation
from spillscope.window.models import resolve_window


@dataclass(frozen=True, slots=True)
class Stages:
    """What runs after the budget. Nothing of it does anything unless it is asked to, or finds its records.

    `summarise` None: autocompact is off. `records`: makes a compaction's records; `TranscriptWriter.compaction` also keeps
    them. `model`: whose window counts (W1); the last response's own where None. `now`: seconds since the epoch.
    """

    snip: bool = True
    microcompact: Microcompact = field(default_factory=Microcompact)
    summarise: SummariseLater | None = None
    records: CompactionRecords = new_records
    model: str | None = None
    now: Callable[[], float] = time.time


@dataclass(slots=True)
class Memory:
    """What the later stages remember of one conversation. The budget's own memory is its `ContentReplacementState`."""

    freed: dict[str, int] = field(default_factory=dict)
    cleared: ClearedResults = field(default_factory=ClearedResults)
    spans: list[Span] = field(default_factory=list)
    breaker: Breaker = field(default_factory=Breaker)
    largest_usage: int = 0

    def fork(self) -> Memory:
        """B13: a deep copy, but for the breaker: a fork's compactions are its own."""
        return Memory(dict(self.freed), self.cleared.fork(), list(self.spans), Breaker(), self.largest_usage)

    @classmethod
    def of(cls, records: Sequence[object]) -> Memory:
        """What a transcript's records tell of it: results that were cleared, and spans that were collapsed."""
        return cls(cleared=ClearedResults(dict.fromkeys(cleared_in(records))), spans=spans_of(records))


class View(NamedTuple):
    """The messages after the first four stages, and what each of them did."""

    messages: list[Message]
    budget: Enforced
    snip: SnipReport
    microcompact: MicrocompactReport
    collapse: CollapseReport


def project(messages: list[Message], budget: BudgetContext, stages: Stages, memory: Memory) -> View:
    """Stages 1 to 4. The caller's own list where none of them has anything to do."""
    seen, enforced = tool_result_budget(messages, budget)
    seen, snipped = history_snip(seen, SnipContext(stages.snip, memory.freed))
    seen, cleared = microcompact(seen, MicrocompactContext(stages.microcompact, memory.cleared, stages.now()))
    seen, collapsed = context_collapse(seen, CollapseContext(memory.spans))
    return View(seen, enforced, snipped, cleared, collapsed)


def without_deciding(messages: list[Message], stages: Stages, memory: Memory) -> list[Message]:
    """Stages 2 to 4 as they stand: what was snipped, cleared and collapsed, and nothing new."""
    seen, _ = history_snip(messages, SnipContext(stages.snip, dict(memory.freed)))
    seen, _ = microcompact(seen, MicrocompactContext(Microcompact(), memory.cleared, 0.0))
    seen, _ = context_collapse(seen, CollapseContext(memory.spans))
    return seen


def autocompact_context(view: View, limits: Limits, stages: Stages, memory: Memory, source: Source) -> AutocompactContext:
    """What stage 5 works with: the window of the model that answered last, in what is left of the context."""
    count, model = None, stages.model
    if stages.summarise is not None:
        count = token_count_with_estimation(view.messages)
        memory.largest_usage = max(memory.largest_usage, count.usage)
        model = model or _last_model(view.messages)
    window = resolve_window(model, memory.largest_usage, limits)
    freed = view.snip.freed_tokens
    return AutocompactContext(stages.summarise, window, memory.breaker, source, freed, stages.records, count)


def history_after(history: list[Message], view: View, messages: list[Message], compacted: AutocompactReport) -> list[Message]:
    """The history to keep: the caller's own list, unless snip or autocompact changed it. What stays of it stays as it was.

    `messages`: what stage 5 gave.
    """
    left = without(history, frozenset(view.snip.removed)) if view.snip.removed else history
    if compacted.status != "compacted":
        return left
    widths = view.collapse.widths
    kept = compacted.kept
    if widths is not None:
        kept = sum(widths[len(widths) - kept :])
    begins = messages[: len(messages) - compacted.kept]
    return [*begins, *map(without_usage, left[len(left) - kept :])]


def _last_model(messages: Sequence[Message]) -> str | None:
    for message in reversed(messages):
        if message_kind(message) == "assistant":
            model = field_of(message_body(message), "model")
            if isinstance(model, str):
                return model
    return None
