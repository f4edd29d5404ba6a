"""What can be tuned, a row a value: the settings of all tools first, then every tool of the session, the heaviest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from spillscope.limits import Limits
from spillscope.session.tools import UNKNOWN_TOOL, nearest_rank
from spillscope.session.whatif.by_tool import ToolSizes
from spillscope.session.whatif.effect import rules
from spillscope.session.whatif.flips import Change
from spillscope.window.thresholds import Window
from spillscope_app.tuning.answer import Answer

SETTINGS = {
    "default_threshold": "default",
    "message_budget": "message budget",
    "aggregate": "budget switch",
    "window": "window",
    "auto_compact_pct": "auto-compact %",
}
"""The settings of all tools, by key of a limits file."""


class ToolRow(NamedTuple):
    """One value that can be tuned. `key`: of a limits file; None where nothing can be set. `is_tool`: it is a tool's own.

    `sizes`: ascending units that it is held against. `value`: in force under the edits; None where it is no size. `words`:
    the value where it is no size. `source`: where the value came from. `spilled`, `saved`: before and after, in results and
    units. `edited`: by the user, here.
    """

    key: str | None
    name: str
    is_tool: bool
    sizes: Sequence[int]
    value: float | None
    source: str
    words: str = ""
    declared: float | None = None
    override: float | None = None
    spilled: Change | None = None
    saved: Change | None = None
    reread: int | None = None
    edited: bool = False

    def percentile(self, percent: int) -> int | None:
        """By nearest rank; None of nothing."""
        return nearest_rank(self.sizes, percent) if self.sizes else None


def rows_of(answer: Answer) -> list[ToolRow]:
    """All rows, as an answer has them."""
    tools = sorted(answer.tools, key=lambda tool: (-tool.chars, tool.tool or ""))
    return [*_settings(answer), *(_tool_row(answer, tool) for tool in tools)]


def limits_of(answer: Answer) -> Limits:
    """The edited limits, as the session's agent would have them."""
    return answer.edited.for_version(answer.reading.session.version)


def _settings(answer: Answer) -> Iterator[ToolRow]:
    limits, found = limits_of(answer), answer.comparison
    edited = answer.question.edits.values
    window: Window = found.windows[1]
    ruled = [tool for tool in answer.tools if rules(limits, tool.tool)]
    yield ToolRow(
        key="default_threshold",
        name=SETTINGS["default_threshold"],
        is_tool=False,
        sizes=sorted(chain.from_iterable(tool.sizes for tool in ruled)),
        value=limits.default_threshold,
        source=limits.source("default_threshold"),
        spilled=Change(sum(tool.before.results for tool in ruled), sum(tool.after.results for tool in ruled)),
        saved=Change(sum(tool.before.chars for tool in ruled), sum(tool.after.chars for tool in ruled)),
        edited="default_threshold" in edited,
    )
    yield ToolRow(
        key="message_budget",
        name=SETTINGS["message_budget"],
        is_tool=False,
        sizes=answer.groups,
        value=limits.get_per_message_budget_limit(),
        source=limits.source("message_budget"),
        spilled=found.replaced,
        edited="message_budget" in edited,
    )
    switch = limits.aggregate if limits.aggregate is not None else answer.reading.aggregate
    switch_source = limits.source("aggregate") if limits.aggregate is not None else "as the session shows"
    window_source = window.source if limits.window is None else limits.source("window")
    percent = limits.auto_compact_pct
    for key, words, source in (
        ("aggregate", "on" if switch else "off", switch_source),
        ("window", "", window_source),
        ("auto_compact_pct", "not set" if percent is None else f"{percent:g} %", limits.source("auto_compact_pct")),
    ):
        value = window.size if key == "window" else None
        yield ToolRow(key, SETTINGS[key], False, (), value, source, words, edited=key in edited)


def _tool_row(answer: Answer, tool: ToolSizes) -> ToolRow:
    limits, name = limits_of(answer), tool.tool
    threshold = limits.get_persistence_threshold(name)
    rereads = answer.rereads
    keys = {f"overrides.{name}", f"declared.{name}"}
    return ToolRow(
        key=None if name is None else f"overrides.{name}",
        name=UNKNOWN_TOOL if name is None else name,
        is_tool=True,
        sizes=tool.sizes,
        value=threshold.chars,
        source=threshold.source,
        declared=limits.get_declared(name),
        override=limits.get_override(name),
        spilled=Change(tool.before.results, tool.after.results),
        saved=Change(tool.before.chars, tool.after.chars),
        reread=None if rereads is None else rereads.get(name, 0),
        edited=name is not None and not keys.isdisjoint(answer.question.edits.values),
    )
