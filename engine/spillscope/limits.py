"""Thresholds, and where each of them came from (spec L).

`Limits` is one immutable value. Building it from profiles, settings files and options is the work of
`spillscope.limits_sources`; here are the questions that the engine asks of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

DEFAULT_MAX_RESULT_SIZE_CHARS = 50_000
"""L1, in units."""
MAX_TOOL_RESULTS_PER_MESSAGE_CHARS = 200_000
"""L2, in units."""
MAX_MCP_DECLARED_CHARS = 500_000
"""L6: the most that an MCP tool's own declaration counts for."""
DECLARED_OTHER_CHARS = 100_000
"""L6: what every built-in tool that is not named, and every MCP tool, declares."""

DECLARED_MAX_RESULT_SIZE_CHARS: Mapping[str, float] = MappingProxyType(
    {"Read": math.inf, "Grep": 20_000, "Bash": 30_000, "PowerShell": 30_000, "McpAuth": 10_000}
)
"""L6, in units. Every other tool that has a name: `DECLARED_OTHER_CHARS`; a tool without a name: L7."""


class Threshold(NamedTuple):
    """A tool's persistence threshold: units (or infinity), the L8 rule that gave it, and its source in words."""

    chars: float
    rule: str
    source: str


@dataclass(frozen=True, slots=True)
class Limits:
    """L11: everything that a decision depends on, and where each value came from.

    `declared` and `overrides` hold what was set beyond the built-in L6 table; junk in `overrides` is ignored when it is
    asked for (L8.2), not when it is read. `aggregate` None: not set, to be judged by evidence (L10). `persists` False: an
    agent of a version that wrote no spill files (L12). `sources` names the origin of each key, with dotted keys for the
    two maps (`overrides.Bash`).
    """

    default_threshold: int = DEFAULT_MAX_RESULT_SIZE_CHARS
    declared: Mapping[str, float] = field(default_factory=dict)
    overrides: Mapping[str, object] = field(default_factory=dict)
    message_budget: object = None
    aggregate: bool | None = None
    preview_chars: int = 2_000
    window: int | None = None
    auto_compact_pct: float | None = None
    auto_compact_window: int | None = None
    auto_compact: bool = True
    persists: bool = True
    profile: str = "built-in"
    sources: Mapping[str, str] = field(default_factory=dict)

    def source(self, key: str) -> str:
        """Where a value came from, in words; "built-in" where nothing set it."""
        return self.sources.get(key, "built-in")

    def get_declared(self, tool: str | None) -> float:
        """L6, L7: what a tool declares, in units; infinity where it opts out."""
        if tool is None:
            return self.default_threshold
        if tool in self.declared:
            return self.declared[tool]
        return DECLARED_MAX_RESULT_SIZE_CHARS.get(tool, DECLARED_OTHER_CHARS)

    def get_override(self, tool: str | None) -> float | None:
        """L8.2: the override in force for a tool, None where there is none or it is junk."""
        return usable_number(self.overrides.get(tool)) if tool is not None else None

    def get_persistence_threshold(self, tool: str | None) -> Threshold:
        """L8: the size, in units, that a result of `tool` must exceed to be persisted."""
        declared = self.get_declared(tool)
        if not self.persists:
            return Threshold(math.inf, "L8.1", f"profile {self.profile}: nothing was persisted")
        if not math.isfinite(declared):
            return Threshold(math.inf, "L8.1", self._declared_source(tool))
        override = self.get_override(tool)
        if override is not None:
            return Threshold(override, "L8.2", self.source(f"overrides.{tool}"))
        if tool is None:
            return Threshold(self.default_threshold, "L8.4", self.source("default_threshold"))
        if tool.startswith("mcp__") and tool in self.declared:
            return Threshold(min(declared, MAX_MCP_DECLARED_CHARS), "L8.3", self._declared_source(tool))
        if declared <= self.default_threshold:
            return Threshold(declared, "L8.3", self._declared_source(tool))
        return Threshold(self.default_threshold, "L8.3", self.source("default_threshold"))

    def get_per_message_budget_limit(self) -> float:
        """L9: the budget of one API-level user message, in units."""
        override = usable_number(self.message_budget)
        return MAX_TOOL_RESULTS_PER_MESSAGE_CHARS if override is None else override

    def is_exempt(self, tool: str | None) -> bool:
        """B6: whether the aggregate budget skips a tool, because what it declares is not finite."""
        return tool is not None and not math.isfinite(self.get_declared(tool))

    def _declared_source(self, tool: str | None) -> str:
        return self.sources.get(f"declared.{tool}", "declared by the tool")


def usable_number(value: object) -> float | None:
    """L8.2, L9: a finite number above 0, a whole one as int; booleans, strings, null and the rest are no override."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        usable = math.isfinite(value) and value > 0
    except OverflowError:  # A whole number that JavaScript reads as infinity.
        return None
    if not usable:
        return None
    return int(value) if value == int(value) else value
