"""`report --json`: the limits in force, and where each came from (spec cli)."""

from __future__ import annotations

import math
from typing import Any

from spillscope.limits import DECLARED_MAX_RESULT_SIZE_CHARS, Limits, usable_number
from spillscope.session.reading import Reading

Json = dict[str, Any]


def number(value: float | None) -> int | float | str | None:
    """A limit as JSON: integers where they are whole, "inf" for infinity."""
    if value is None or isinstance(value, int):
        return value
    if math.isinf(value):
        return "inf"
    return int(value) if value.is_integer() else value


def limits_values(limits: Limits) -> Json:
    """The keys of the limits file with the values in force."""
    return {
        "default_threshold": limits.default_threshold,
        "message_budget": number(limits.get_per_message_budget_limit()),
        "aggregate": limits.aggregate,
        "preview_chars": limits.preview_chars,
        "window": limits.window,
        "auto_compact_pct": limits.auto_compact_pct,
        "declared": {tool: number(chars) for tool, chars in {**DECLARED_MAX_RESULT_SIZE_CHARS, **limits.declared}.items()},
        "overrides": {tool: number(usable_number(value)) for tool, value in limits.overrides.items() if usable_number(value)},
    }


def limits_section(reading: Reading) -> Json:
    limits = reading.limits
    values = limits_values(limits)
    values["aggregate"] = reading.aggregate
    values["profile"] = limits.profile
    values["sources"] = {key: limits.source(key) for key in values if key not in ("declared", "overrides", "profile")}
    values["sources"] |= dict(limits.sources)
    values["aggregateEvidence"] = reading.evidence
    return values
