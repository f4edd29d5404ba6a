"""What each tool of a session did and saved, under the limits in force (spec cli: `tools`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from spillscope.limits import Limits, Threshold
from spillscope.session.reading import Reading, Result

UNKNOWN_TOOL = "unknown"
"""The name shown for results whose call is not in the transcript, or has no name."""


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One tool's results. Sizes are units of originals; percentiles are nearest-rank. `chars_saved`: originals − model view."""

    name: str
    calls: int
    chars: int
    p50: int
    p90: int
    max: int
    declared: float
    override: float | None
    threshold: Threshold
    spilled: int
    chars_saved: int
    tool_use_ids: tuple[str, ...]


def tool_uses(reading: Reading) -> list[ToolUse]:
    """Every tool with a result, by name."""
    by_tool: dict[str | None, list[Result]] = {}
    for result in all_results(reading):
        by_tool.setdefault(result.row.tool, []).append(result)
    found = [_tool_use(tool, results, reading.limits) for tool, results in by_tool.items()]
    return sorted(found, key=lambda use: use.name)


def all_results(reading: Reading) -> Iterable[Result]:
    """All results of a reading, those of the pending request last."""
    for group in reading.groups:
        yield from group.results
    if reading.pending is not None:
        yield from reading.pending.results


def nearest_rank(ordered: Sequence[int], percent: int) -> int:
    """The nearest-rank percentile of ascending values; 0 of none."""
    if not ordered:
        return 0
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]


def _tool_use(tool: str | None, results: Sequence[Result], limits: Limits) -> ToolUse:
    sizes = sorted(result.row.chars for result in results)
    spilled = [result for result in results if result.fate in ("persisted", "replaced")]
    return ToolUse(
        name=UNKNOWN_TOOL if tool is None else tool,
        calls=len(results),
        chars=sum(sizes),
        p50=nearest_rank(sizes, 50),
        p90=nearest_rank(sizes, 90),
        max=sizes[-1],
        declared=limits.get_declared(tool),
        override=limits.get_override(tool),
        threshold=limits.get_persistence_threshold(tool),
        spilled=len(spilled),
        chars_saved=sum(result.row.chars - result.model_chars for result in spilled),
        tool_use_ids=tuple(result.row.tool_use_id for result in results),
    )
