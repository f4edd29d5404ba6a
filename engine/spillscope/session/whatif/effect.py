"""Why a value can have no effect on a session (tui: Tools)."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import replace

from spillscope.limits import MAX_MCP_DECLARED_CHARS, MAX_TOOL_RESULTS_PER_MESSAGE_CHARS, Limits, usable_number
from spillscope.limits_sources import LimitsBook
from spillscope.profiles import profile_for
from spillscope.session.whatif.compare import WhatIf
from spillscope.session.whatif.terms import is_on

ALIKE = 0.01
"""Results that differ by less than this share are taken to be cut to one length."""
CUTS = 3
"""So many results of one length were cut, fewer may be chance."""


def no_effect(asked: WhatIf, book: LimitsBook, key: str) -> str | None:
    """Why the session would be the same without the value that `book` gives a key, in one sentence; None where it differs.

    `key`: a key of a limits file, dotted for the two tables: `overrides.Bash`, `declared.Read`, `message_budget`. The sentence
    may hold a foreign tool's name: clean it where it is drawn.
    """
    limits = book.for_version(asked.session.index.version)
    table, dot, tool = key.partition(".")
    if dot:
        return _of_override(asked, limits, tool) if table == "overrides" else _of_declared(asked, limits, tool)
    match key:
        case "default_threshold":
            return _of_default(asked, limits)
        case "message_budget" | "aggregate":
            return _of_budget(asked, book, key)
        case "auto_compact_pct" | "auto_compact_window":
            return _of_window(limits, key)
        case "preview_chars":
            return "previews are measured as the transcript holds them"
    return None


def _of_override(asked: WhatIf, limits: Limits, tool: str) -> str | None:
    if not limits.persists:
        return _writes_none(limits)
    if not math.isfinite(limits.get_declared(tool)):
        return f"{tool} opts out: what it declares is infinite, and no override changes that (L8.1)"
    if tool in limits.overrides and limits.get_override(tool) is None:
        return "ignored: an override is a number above 0; to opt a tool out set what it declares"
    overrides = {name: chars for name, chars in limits.overrides.items() if name != tool}
    return _of_threshold(asked, limits, replace(limits, overrides=overrides), tool)


def _of_declared(asked: WhatIf, limits: Limits, tool: str) -> str | None:
    if not limits.persists:
        return _writes_none(limits)
    declared = limits.get_declared(tool)
    override = limits.get_override(tool)
    if math.isfinite(declared) and override is not None:
        return f"the override of {override:,.0f} wins over what {tool} declares"
    if tool.startswith("mcp__") and MAX_MCP_DECLARED_CHARS < declared < math.inf:
        return f"capped: what an MCP tool declares counts for at most {MAX_MCP_DECLARED_CHARS:,}"
    if limits.get_persistence_threshold(tool).chars < declared < math.inf:
        return f"capped at the default threshold of {limits.default_threshold:,}"
    others = {name: chars for name, chars in limits.declared.items() if name != tool}
    return _of_threshold(asked, limits, replace(limits, declared=others), tool)


def _of_threshold(asked: WhatIf, limits: Limits, without: Limits, tool: str) -> str | None:
    """A threshold that matters where some results of the tool lie between it and the one that holds without it."""
    sizes = _sizes(asked, [tool])
    threshold, other = (each.get_persistence_threshold(tool).chars for each in (limits, without))
    if not sizes:
        return f"no result of {tool} in this session"
    if bisect_right(sizes, threshold) != bisect_right(sizes, other) or limits.is_exempt(tool) != without.is_exempt(tool):
        return None
    if sizes[-1] > threshold:
        return f"the same results are over the threshold of {other:,.0f} that holds without it"
    if len(sizes) - bisect_left(sizes, sizes[-1] * (1 - ALIKE)) >= CUTS:
        return f"{tool} seems to cut its own output at about {sizes[-1]:,}, below this threshold"
    return f"no result of {tool} is that large: the largest has {sizes[-1]:,}"


def _of_default(asked: WhatIf, limits: Limits) -> str | None:
    if not limits.persists:
        return _writes_none(limits)
    usual = profile_for(asked.session.index.version).cap
    without = replace(limits, default_threshold=usual)
    tools = {kind.tool for kind in asked.ledger.kinds}
    ruled = [tool for tool in tools if rules(limits, tool) or rules(without, tool)]
    if not ruled:
        return "every tool of this session has a threshold of its own, below this one"
    for tool in ruled:
        sizes = _sizes(asked, [tool])
        now, then = (each.get_persistence_threshold(tool).chars for each in (limits, without))
        if bisect_right(sizes, now) != bisect_right(sizes, then):
            return None
    largest = max(_sizes(asked, ruled), default=0)
    if largest > limits.default_threshold:
        return f"the same results are over the usual {usual:,}"
    return f"no result that it rules is that large: the largest has {largest:,}"


def rules(limits: Limits, tool: str | None) -> bool:
    """Whether the default threshold is that of a tool (L8.3, L8.4)."""
    return limits.get_override(tool) is None and limits.default_threshold <= limits.get_declared(tool) < math.inf


def _of_budget(asked: WhatIf, book: LimitsBook, key: str) -> str | None:
    if key == "message_budget":
        if not is_on(asked.session, book):
            return "the budget is off"
        value = book.newest.message_budget
        if value is not None and usable_number(value) is None:
            return "ignored: the budget is a number above 0"
    if not asked.ledger.runs:
        return "no tool results yet"
    largest = asked.largest_group(book)
    budget = book.newest.get_per_message_budget_limit()
    usual = budget if key == "aggregate" else MAX_TOOL_RESULTS_PER_MESSAGE_CHARS
    return None if largest > min(budget, usual) else f"no group is that large: the largest has {largest:,} of {budget:,.0f}"


def _of_window(limits: Limits, key: str) -> str | None:
    if not limits.auto_compact:
        return "auto-compact is off"
    if limits.window is not None and key == "auto_compact_window":
        return f"the window is set to {limits.window:,}"
    return None


def _writes_none(limits: Limits) -> str:
    return f"this agent's version wrote no spill files (profile {limits.profile})"


def _sizes(asked: WhatIf, tools: Iterable[str | None]) -> list[int]:
    """Units of the results of some tools that a threshold decides, smallest first."""
    wanted = set(tools)
    ledger = asked.ledger
    kinds = [number for number, kind in enumerate(ledger.kinds) if kind.tool in wanted]
    return sorted(size for number in kinds for size, _ in ledger.ordered[number])
