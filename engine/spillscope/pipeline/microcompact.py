"""Stage 3, `microcompact`: old results of tools that can be run again make room (spec W5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from spillscope.blocks import CLEARED_PLACEHOLDER
from spillscope.budget.grouping import tool_names
from spillscope.messages import Message, field_of, message_kind, tool_results, with_results
from spillscope.tokens.rough import estimate_content

COMPACTABLE_TOOLS = frozenset({"Read", "Bash", "PowerShell", "Grep", "Glob", "WebSearch", "WebFetch", "Edit", "Write"})
BOUNDARY_SUBTYPE = "microcompact_boundary"
"""The transcript's record of cleared results."""


@dataclass(frozen=True, slots=True)
class Microcompact:
    """When results are cleared; both ways are off by default.

    `time_based`: once the last assistant message is `gap_minutes` old, when the prompt cache is gone anyway. `cached`: once
    more than `cached_above` results stand, as ids that the API is to delete from its cache. `keep_recent`: results that stay,
    at least one.
    """

    time_based: bool = False
    gap_minutes: float = 60.0
    keep_recent: int = 5
    cached: bool = False
    cached_above: int = 20
    tools: frozenset[str] = COMPACTABLE_TOOLS


@dataclass(slots=True)
class ClearedResults:
    """The stage's own memory: ids cleared in the messages, and ids handed out for deletion, in order."""

    cleared: dict[str, None] = field(default_factory=dict)
    deleted: dict[str, None] = field(default_factory=dict)

    def fork(self) -> ClearedResults:
        return ClearedResults(dict(self.cleared), dict(self.deleted))


@dataclass(frozen=True, slots=True)
class MicrocompactContext:
    """`now_seconds`: since the epoch."""

    settings: Microcompact
    memory: ClearedResults
    now_seconds: float


class MicrocompactReport(NamedTuple):
    """Ids newly cleared, ids newly to be deleted by the API, and the size of what they held (`sized`), in tokens."""

    cleared: tuple[str, ...] = ()
    delete_ids: tuple[str, ...] = ()
    tokens_saved: int = 0


class _Result(NamedTuple):
    tool_use_id: str
    content: object


def microcompact(messages: list[Message], context: MicrocompactContext) -> tuple[list[Message], MicrocompactReport]:
    """Old results as `CLEARED_PLACEHOLDER`, by `tool_use_id` alone: one that is a preview by now is cleared just the same.

    Ids once cleared are cleared in every later run, also when the stage is off by then: what was sent stays as it was sent.
    """
    settings, memory = context.settings, context.memory
    fresh: list[_Result] = []
    deleted: list[_Result] = []
    if settings.time_based and _is_idle(messages, context):
        fresh = [old for old in _old(messages, settings) if old.tool_use_id not in memory.cleared]
    if settings.cached:
        deleted = _to_delete(messages, settings, memory)
    memory.cleared.update(dict.fromkeys(old.tool_use_id for old in fresh))
    memory.deleted.update(dict.fromkeys(old.tool_use_id for old in deleted))
    report = MicrocompactReport(_ids(fresh), _ids(deleted), sum(sized(old.content) for old in (*fresh, *deleted)))
    return with_results(messages, dict.fromkeys(memory.cleared, CLEARED_PLACEHOLDER)), report


def cleared_in(records: Iterable[object]) -> list[str]:
    """The ids that a transcript's `microcompact_boundary` records name (S3: a foreign shape names none)."""
    found: list[str] = []
    for record in records:
        if field_of(record, "subtype") == BOUNDARY_SUBTYPE:
            ids = field_of(field_of(record, "microcompactMetadata"), "compactedToolIds")
            found += [one for one in ids if isinstance(one, str)] if isinstance(ids, list) else []
    return found


def sized(content: object) -> int:
    """W5: the stage's own measure of a content: T3 × 4/3, rounded up."""
    return -(-4 * estimate_content(content) // 3)


def _is_idle(messages: Sequence[Message], context: MicrocompactContext) -> bool:
    """Whether the last assistant message is old enough; one that tells no time tells nothing."""
    last = next((message for message in reversed(messages) if message_kind(message) == "assistant"), None)
    stamp = field_of(last, "timestamp")
    if not isinstance(stamp, str):
        return False
    try:
        then = datetime.fromisoformat(stamp).timestamp()
    except (ValueError, OverflowError, OSError):
        return False
    return context.now_seconds - then >= context.settings.gap_minutes * 60


def _to_delete(messages: Sequence[Message], settings: Microcompact, memory: ClearedResults) -> list[_Result]:
    gone = memory.cleared.keys() | memory.deleted.keys()
    standing = [result for result in _compactable(messages, settings) if result.tool_use_id not in gone]
    return _all_but_recent(standing, settings) if len(standing) > settings.cached_above else []


def _old(messages: Sequence[Message], settings: Microcompact) -> list[_Result]:
    return _all_but_recent(_compactable(messages, settings), settings)


def _all_but_recent(results: list[_Result], settings: Microcompact) -> list[_Result]:
    return results[: -max(1, settings.keep_recent)]


def _compactable(messages: Sequence[Message], settings: Microcompact) -> list[_Result]:
    """The results of compactable tools, in order, an id once."""
    names = tool_names(messages)
    found: dict[str, _Result] = {}
    for tool_use_id, block in tool_results(messages):
        if names.get(tool_use_id) in settings.tools:
            found.setdefault(tool_use_id, _Result(tool_use_id, block.get("content")))
    return list(found.values())


def _ids(results: Sequence[_Result]) -> tuple[str, ...]:
    return tuple(result.tool_use_id for result in results)
