"""`report --json`: a reading as the JSON of the contract, section by section (spec cli)."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

from spillscope.session.advice import all_advice
from spillscope.session.calibrated import Calibrated
from spillscope.session.calibration import Calibrator
from spillscope.session.history import forecast_of
from spillscope.session.reading import Group, Reading, Result
from spillscope.session.report_calibration import calibrated_fields, calibration_section
from spillscope.session.report_context import break_entry, compacting_entry, compactions_section, forecast_entry
from spillscope.session.report_limits import limits_section, number
from spillscope.session.session import Session, iso_time
from spillscope.session.sidechains import SubAgent, sub_agents
from spillscope.session.spills import Spill, list_spills
from spillscope.session.tools import all_results, tool_uses
from spillscope.transcript.spill_files import SpillFile

SCHEMA = "spillscope.report/1"
Json = dict[str, Any]
Section = Json | list[Any] | str | None | Iterator[Any]


def sections(
    session: Session, reading: Reading, only: Container[str] | None = None, calibrator: Calibrator | None = None
) -> Iterator[tuple[str, Section]]:
    """The sections of a report in the order of the contract; a section that may be long is an iterator of its items.

    `only`: names of the sections wanted. What is left out costs nothing. `calibrator`: of the same session; absent: a new one.
    """
    calibrator = Calibrator(session) if calibrator is None else calibrator
    yield "schema", SCHEMA
    makers: dict[str, Callable[[], Section]] = {
        "session": lambda: session_section(session, reading),
        "limits": lambda: limits_section(reading),
        "context": lambda: context_section(reading, calibrator.run()),
        "groups": lambda: (group_entry(session, reading, group) for group in reading.groups),
        "pending": lambda: None if reading.pending is None else group_entry(session, reading, reading.pending),
        "tools": lambda: tools_section(session, reading),
        "spills": lambda: spills_section(session, reading),
        "requests": lambda: requests_section(reading),
        "calibration": lambda: calibration_section(calibrator.run()),
        "drift": lambda: drift_section(reading),
        "advice": lambda: [{"text": advice.text, "about": list(advice.about)} for advice in all_advice(reading)],
        "totals": lambda: totals_section(reading),
    }
    for name, make in makers.items():
        if only is None or name in only:
            yield name, make()


SECTIONS = (
    *("session", "limits", "context", "groups", "pending", "tools", "spills", "requests", "calibration", "drift"),
    *("advice", "totals"),
)
CALIBRATED = frozenset({"context", "calibration"})
"""The sections that want a calibration."""


def session_section(session: Session, reading: Reading) -> Json:
    info = reading.session
    return {
        "id": info.id,
        "path": info.path,
        "agent": info.agent,
        "version": info.version,
        "model": info.model,
        "cwd": info.cwd,
        "started": iso_time(info.started),
        "lastWrite": iso_time(info.last_write),
        "records": info.records,
        "bytes": info.bytes,
        "skippedLines": [{"line": line.line, "offset": line.offset, "reason": line.reason} for line in info.skipped_lines],
        "unknownTypes": dict(info.unknown_types),
        "bridged": list(info.bridged),
        "compactions": compactions_section(reading),
        "sidechains": list(map(_agent_row, sub_agents(session))),
    }


def _agent_row(agent: SubAgent) -> Json:
    window = agent.window
    return {
        "agentId": agent.agent_id,
        "path": agent.path,
        "records": agent.records,
        "contextTokens": agent.context_tokens,
        "window": None if window is None else window.size,
        "percentUsed": None if window is None else window.percent_used(agent.context_tokens),
        "helper": agent.helper,
    }


def context_section(reading: Reading, calibrated: Calibrated) -> Json:
    context, window = reading.context, reading.context.window
    return {
        "tokens": context.tokens,
        "usage": context.usage,
        "estimate": context.estimate,
        **calibrated_fields(calibrated),
        "anchorUuid": context.anchor_uuid if reading.session.agent == "claude-code" else None,
        "window": window.size,
        "windowSource": window.source,
        "effective": window.effective,
        "warning": window.warning,
        "autoCompact": window.auto_compact,
        "blocking": window.blocking,
        "percentUsed": window.percent_used(context.tokens),
        "percentLeft": window.percent_left(context.tokens),
        "forecast": forecast_entry(forecast_of(reading, calibrated.band[1])),
        "compacting": compacting_entry(reading),
    }


def group_entry(session: Session, reading: Reading, group: Group) -> Json:
    return {
        "index": group.number,
        "assistantId": group.assistant_id,
        "timestamp": iso_time(group.timestamp),
        "limit": number(group.limit),
        "frozen": group.frozen,
        "fresh": group.fresh,
        "reapplied": group.reapplied,
        "exempt": group.exempt,
        "visible": group.visible,
        "overBudget": group.over_budget,
        "live": reading.is_live(group),
        "chars": group.chars,
        "modelChars": group.model_chars,
        "results": [result_entry(session, result) for result in group.results],
    }


def result_entry(session: Session, result: Result) -> Json:
    row = result.row
    replacement = session.index.replacements.get(row.tool_use_id)
    notice = row.notice if replacement is None or replacement.notice is None else replacement.notice
    return {
        "toolUseId": row.tool_use_id,
        "tool": row.tool,
        "label": row.label,
        "chars": row.chars,
        "charsSource": row.chars_source,
        "tokens": result.saw_tokens,
        "state": result.state,
        "fate": result.fate,
        "layer": result.layer,
        "rule": result.rule,
        "threshold": number(result.threshold.chars),
        "observed": result.observed,
        "spill": None if notice is None else spill_entry(session.files.find(notice.path)),
        "drift": result.drift,
    }


def spill_entry(file: SpillFile) -> Json:
    return {"path": file.path, "exists": file.exists, "bytes": file.bytes, "inside": file.inside}


def tools_section(session: Session, reading: Reading) -> list[Json]:
    reread: dict[str, int] = {}
    for spill in list_spills(session, reading):
        if spill.tool_use_id is not None and spill.reread:
            reread[spill.tool_use_id] = spill.reread
    return [
        {
            "name": use.name,
            "calls": use.calls,
            "chars": use.chars,
            "p50": use.p50,
            "p90": use.p90,
            "max": use.max,
            "declared": number(use.declared),
            "override": number(use.override),
            "threshold": number(use.threshold.chars),
            "source": use.threshold.source,
            "spilled": use.spilled,
            "charsSaved": use.chars_saved,
            "reread": sum(reread.get(tool_use_id, 0) for tool_use_id in dict.fromkeys(use.tool_use_ids)),
        }
        for use in tool_uses(reading)
    ]


def spills_section(session: Session, reading: Reading) -> Iterator[Json]:
    return map(spill_row, list_spills(session, reading))


def spill_row(spill: Spill) -> Json:
    """One entry of `spills`."""
    row: Json = {
        "toolUseId": spill.tool_use_id,
        "path": spill.file.path,
        "tool": spill.tool,
        "bytes": spill.file.bytes,
        "origin": spill.origin,
        "exists": spill.file.exists,
        "inside": spill.file.inside,
        "reread": spill.reread,
        "mismatch": spill.mismatch,
    }
    return row if spill.agent_id is None else row | {"agentId": spill.agent_id}


def requests_section(reading: Reading) -> Iterator[Json]:
    for request in reading.requests:
        yield {
            "assistantId": request.assistant_id,
            "timestamp": iso_time(request.timestamp),
            "usage": request.usage.total,
            "input": request.usage.prompt,
            "estimateBefore": request.estimate_before,
            "cacheBreak": break_entry(request.broken),
        }


def drift_section(reading: Reading) -> list[Json]:
    return [
        {"toolUseId": result.row.tool_use_id, "observed": result.observed, "engine": result.fate, "reason": result.drift}
        for result in drifted(all_results(reading))
    ]


def drifted(results: Iterable[Result]) -> Iterator[Result]:
    """The results on which transcript and engine differ."""
    return (result for result in results if result.drift is not None)


def totals_section(reading: Reading) -> Json:
    totals = reading.totals
    return {
        "results": totals.results,
        "chars": totals.chars,
        "visibleChars": totals.visible_chars,
        "spilled": totals.persisted + totals.replaced,
        "replaced": totals.replaced,
        "tokensSaved": totals.tokens_saved,
    }
