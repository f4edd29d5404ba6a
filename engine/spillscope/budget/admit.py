"""Layer one: one tool result, as it comes from the tool (spec P1–P10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from spillscope.blocks import content_size, empty_placeholder, has_image, is_empty, is_writable
from spillscope.budget.store import Spilled, SpillFailure, SpillStore, persist
from spillscope.limits import Limits
from spillscope.wrapper import build_large_tool_result_message

Log = Callable[[SpillFailure], None]
"""P7: told of each result that could not be written. What it raises reaches the caller."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """What the model gets of a result. `content` is the caller's own object unless `fate` says otherwise.

    `spilled`: the file, where one was written or was there already. `failure`: why a result over its threshold stays in full.
    """

    content: Any
    fate: Literal["full", "placeholder", "persisted"] = "full"
    spilled: Spilled | None = None
    failure: SpillFailure | None = None


def maybe_persist_large_tool_result(
    tool: str,
    tool_use_id: str,
    content: Any,
    limits: Limits,
    store: SpillStore,
    log: Log | None = None,
) -> Admitted:
    """P1: empty → placeholder; an image, or a size within the tool's threshold (L8) → as it is; else spilled and wrapped.

    `content`: a string, a list of blocks, or null, as in a `tool_result`; sizes are UTF-16 units. Never raises for what the
    store does: such a result stays as it is (P7).
    """
    if is_empty(content):
        return Admitted(empty_placeholder(tool), "placeholder")
    if has_image(content) or content_size(content) <= limits.get_persistence_threshold(tool).chars or not is_writable(content):
        return Admitted(content)
    outcome = persist(store, tool_use_id, content)
    if isinstance(outcome, SpillFailure):
        if log is not None:
            log(outcome)
        return Admitted(content, failure=outcome)
    wrapper = build_large_tool_result_message(outcome.text, outcome.path, limits.preview_chars)
    return Admitted(wrapper, "persisted", outcome)
