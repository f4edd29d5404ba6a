"""What a nudge, or taking away, means for a row, as edits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from spillscope.limits import Limits
from spillscope.window.thresholds import Window
from spillscope_app.tuning.edits import Value, for_tool, in_force
from spillscope_app.tuning.nudge import nudged, percent_nudged
from spillscope_app.views.tool_rows import ToolRow


def turned(row: ToolRow, limits: Limits, window: Window, direction: int, marks: int) -> Mapping[str, Value | None]:
    """The edits of a nudge, so many marks on. `limits`: as edited now, which the row may not yet know; `window`: its window."""
    key = row.key
    if key is None:
        return {}
    if key == "aggregate":
        return {key: row.words != "on"}
    if key == "auto_compact_pct":
        usual = 100 * window.auto_compact / max(1, window.effective)
        return {key: percent_nudged(usual if limits.auto_compact_pct is None else limits.auto_compact_pct, direction)}
    if row.is_tool:
        return for_tool(row.name, nudged(_threshold(row.name, limits), direction, marks), limits)
    set_to = in_force(limits, key)
    return {key: nudged(set_to if set_to is not None else row.value or 0, direction, marks)}


def _threshold(tool: str, limits: Limits) -> float:
    """What a tool's override is nudged from: itself, else the threshold; for a tool that opts out the default."""
    override = limits.get_override(tool)
    value = limits.get_persistence_threshold(tool).chars if override is None else override
    return limits.default_threshold if math.isinf(value) else value


def keys_of(row: ToolRow) -> Sequence[str]:
    """The keys of a limits file that give a row its value."""
    if row.key is None:
        return ()
    return (f"overrides.{row.name}", f"declared.{row.name}") if row.is_tool else (row.key,)
