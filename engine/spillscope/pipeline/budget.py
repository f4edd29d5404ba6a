"""Stage 1, `tool_result_budget` (spec B, L10, L11)."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace

from spillscope.budget.admit import Log
from spillscope.budget.enforce import Enforced, enforce_tool_result_budget
from spillscope.budget.sink import RecordSink
from spillscope.budget.state import ContentReplacementState
from spillscope.budget.store import SpillStore
from spillscope.limits import Limits
from spillscope.messages import Message

_NO_BUDGET = sys.maxsize
"""Units that no message has."""


@dataclass(frozen=True, slots=True)
class BudgetContext:
    """What the budget of one run works with. `state` None: the stage is off."""

    state: ContentReplacementState | None
    limits: Limits
    store: SpillStore
    sink: RecordSink | None = None
    log: Log | None = None


def tool_result_budget(messages: list[Message], context: BudgetContext) -> tuple[list[Message], Enforced]:
    """Every group of new results inside its budget, and what was replaced before put back (B4–B11).

    The report's groups are those with a new result. With the switch of L10 off nothing new is replaced, but what was replaced
    before it was turned stays so.
    """
    limits = context.limits
    if limits.aggregate is False:
        limits = replace(limits, aggregate=True, message_budget=_NO_BUDGET)
    enforced = enforce_tool_result_budget(
        messages, context.state, limits, context.store, context.sink, log=context.log, only_new_groups=True
    )
    return enforced.messages, enforced
