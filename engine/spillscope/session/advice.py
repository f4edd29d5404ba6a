"""R7: what a reader can do about a finding. The sentences, and what they fit, are data: `advice.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from spillscope.session.compactions import judge_compactions, overdue, stopped, thrashing
from spillscope.session.reading import CacheBreak, Group, Reading, Result
from spillscope.session.tools import all_results
from spillscope.shipped import shipped_table

_STRAYED = ("early", "late")


class Advice(NamedTuple):
    """One sentence, and the ids it is about: of results, or of the response before a compaction."""

    text: str
    about: tuple[str, ...]


class _Entry(NamedTuple):
    finding: str
    text: str
    tools: frozenset[str]
    label: re.Pattern[str] | None
    min_chars: int

    def fits(self, finding: str, result: Result) -> bool:
        row = result.row
        return (
            self.finding == finding
            and (not self.tools or row.tool in self.tools)
            and row.chars >= self.min_chars
            and (self.label is None or self.label.search(row.label) is not None)
        )


def advice_on_result(result: Result) -> str | None:
    """What can be done about one result; None where nothing needs doing."""
    finding = "spilled" if result.fate in ("persisted", "replaced") else "large" if result.fate in ("full", "exempt") else ""
    return next((entry.text for entry in _entries() if entry.fits(finding, result)), None)


def advice_on_group(group: Group) -> str | None:
    """What can be done about a group; None where it is inside its budget."""
    return _text_on("group") if group.over_budget else None


def advice_on_compactions() -> str:
    """What there is to say about a compaction that came elsewhere than expected."""
    return _text_on("compaction")


def advice_on_break(broken: CacheBreak) -> str | None:
    """What can be done about a break of the prompt cache (R6); None where its cause is not known."""
    finding = f"cache {broken.cause}"
    return next((entry.text for entry in _entries() if entry.finding == finding), None)


def all_advice(reading: Reading) -> list[Advice]:
    """Every sentence that applies to a session, once, with all that it is about."""
    about: dict[str, dict[str, None]] = {}
    for text, ids in _found(reading):
        about.setdefault(text, {}).update(dict.fromkeys(ids))
    return [Advice(text, tuple(ids)) for text, ids in about.items()]


def _found(reading: Reading) -> Iterator[tuple[str, list[str]]]:
    for result in all_results(reading):
        text = advice_on_result(result)
        if text is not None:
            yield text, [result.row.tool_use_id]
    for group in (*reading.groups, *([reading.pending] if reading.pending is not None else [])):
        text = advice_on_group(group)
        if text is not None:
            yield text, [result.row.tool_use_id for result in group.results if result.state is not None]
    judged = judge_compactions(reading)
    newest = [reading.requests[-1].assistant_id] if reading.requests else []
    strayed, refilled = strayed_compactions(reading), [found.assistant_id for found in thrashing(judged) if found.assistant_id]
    if strayed:
        yield advice_on_compactions(), strayed
    if refilled:
        yield _text_on("thrashing"), refilled
    if overdue(reading):
        yield _text_on("overdue"), newest
    if stopped(reading):
        yield _text_on("stopped"), newest


def strayed_compactions(reading: Reading) -> list[str]:
    """The responses before automatic compactions that came earlier or later than at the window's mark."""
    return [found.assistant_id for found in judge_compactions(reading) if found.assistant_id and found.verdict in _STRAYED]


def _text_on(finding: str) -> str:
    return next(entry.text for entry in _entries() if entry.finding == finding)


@cache
def _entries() -> tuple[_Entry, ...]:
    data = shipped_table("spillscope.session", "advice.toml")
    return tuple(_entry(item) for item in data["advice"])


def _entry(item: dict[str, Any]) -> _Entry:
    label = item.get("label")
    pattern = re.compile(label) if label is not None else None
    return _Entry(item["finding"], item["text"], frozenset(item.get("tools", ())), pattern, item.get("min_chars", 0))
