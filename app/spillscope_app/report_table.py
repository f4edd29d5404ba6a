"""A reading as a compact table for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spillscope.clean import cell_width, clean, cut_cells
from spillscope.session.calibrated import Calibrated
from spillscope.session.reading import Group, Reading, Result
from spillscope.session.report import drifted
from spillscope.session.session import Session, iso_time
from spillscope.session.tools import all_results, tool_uses
from spillscope.tokens.calibration import Score
from spillscope.transcript.layout import Place

MAX_CELLS = 60
MARKS = {"mustReapply": "↻", "frozen": "■", "fresh": "+"}


def report_lines(session: Session, reading: Reading, calibrated: Calibrated) -> Iterator[str]:
    """The reading, line by line: the session, its context, its groups, its tools, and what differs."""
    yield from _head(session.place, reading, calibrated)
    yield from _accuracy(calibrated)
    rows = [_group_row(str(group.number), group) for group in reading.groups]
    if reading.pending is not None:
        rows.append(_group_row("next", reading.pending))
    if not rows:
        yield "no tool results yet"
        return
    yield ""
    yield from table([("group", "time", "results", "chars", "model saw", "of budget", "states"), *rows], "<<>>>><")
    yield ""
    yield from table(
        [("tool", "calls", "p50", "p90", "max", "threshold", "spilled", "saved", "from"), *_tool_rows(reading)], "<>>>>>>><"
    )
    differing = list(drifted(all_results(reading)))
    if differing:
        yield ""
        yield from table([("drift", "observed", "engine", "reason"), *map(_drift_row, differing)], "<<<<")


def _head(place: Place, reading: Reading, calibrated: Calibrated) -> Iterator[str]:
    info, context, window = reading.session, reading.context, reading.context.window
    who = [info.id, info.cwd or str(place.project), info.model or "model unknown", info.version or "version unknown"]
    yield "  ".join(map(clean, who))
    yield (
        f"context {context.tokens:,} of {window.size:,} tokens ({window.percent_used(context.tokens)} %): "
        f"{context.usage:,} exact + {context.estimate:,} estimated; auto-compact at {window.auto_compact:,}, "
        f"{window.percent_left(context.tokens)} % left; window: {clean(window.source)}"
    )
    yield from _estimates(calibrated)
    yield f"budget {clean(reading.evidence)}"
    totals = reading.totals
    yield (
        f"{totals.results:,} results, {totals.chars:,} chars: {totals.must_reapply} mustReapply, {totals.frozen} frozen, "
        f"{totals.fresh} fresh; {totals.persisted} persisted, {totals.replaced} replaced, {totals.tokens_saved:,} tokens saved"
    )
    if info.skipped_lines:
        first = info.skipped_lines[0]
        yield f"{len(info.skipped_lines)} skipped lines, the first at line {first.line}: {first.reason}"


def _estimates(calibrated: Calibrated) -> Iterator[str]:
    """T8, T9: what the estimated part comes to by each estimate, and how far each was off so far."""
    if calibrated.estimate:
        second = "not counted" if calibrated.estimate_bpe is None else f"{calibrated.estimate_bpe:,}"
        low, high = calibrated.band
        yield f"likely {low:,} to {high:,} tokens: the estimated part is {second} by tiktoken, {calibrated.estimate:,} fitted"
    if calibrated.residual is not None:
        tokens, (low, high) = calibrated.residual
        yield f"of it not in the transcript (system prompt, tools, memory): {tokens:,} tokens, {low:,} to {high:,}"


def _accuracy(calibrated: Calibrated) -> Iterator[str]:
    """T9: how far each estimate was off from what usage then proved."""
    judged = calibrated.scores.fitted.n
    if judged:
        names = (
            f"estimate, on {judged} of {calibrated.requests} requests",
            "off by",
            "half within",
            "9 of 10 within",
            "factor",
        )
        yield ""
        yield from table([names, *map(_accuracy_row, ("the agent's rule", "tiktoken", "fitted"), calibrated.scores)], "<>>>>")


def _accuracy_row(name: str, score: Score) -> tuple[str, ...]:
    return name, f"{score.median:+.1%}", f"{score.median_abs:.1%}", f"{score.p90_abs:.1%}", f"{score.factor:.2f}"


def _group_row(name: str, group: Group) -> tuple[str, ...]:
    shown = iso_time(group.timestamp)
    return (
        name,
        shown[11:19] if shown is not None else "",
        str(len(group.results)),
        f"{group.chars:,}",
        f"{group.model_chars:,}",
        f"{(group.frozen + group.fresh) / group.limit:.0%}{' !' if group.over_budget else ''}",
        _states(group.results),
    )


def _states(results: Sequence[Result]) -> str:
    counts = [(mark, sum(result.state == state for result in results)) for state, mark in MARKS.items()]
    counts += [("↓", sum(result.fate == "persisted" for result in results))]
    return " ".join(f"{mark}{count}" for mark, count in counts if count)


def _tool_rows(reading: Reading) -> Iterator[tuple[str, ...]]:
    for use in tool_uses(reading):
        chars = use.threshold.chars
        yield (
            clean(use.name),
            f"{use.calls:,}",
            f"{use.p50:,}",
            f"{use.p90:,}",
            f"{use.max:,}",
            "inf" if chars == float("inf") else f"{chars:,.0f}",
            str(use.spilled),
            f"{use.chars_saved:,}",
            clean(use.threshold.source),
        )


def _drift_row(result: Result) -> tuple[str, ...]:
    return clean(result.row.tool_use_id), result.observed, result.fate, clean(result.drift or "")


def table(rows: Sequence[Sequence[str]], alignment: str) -> Iterator[str]:
    """Rows of clean text in columns as wide as their widest cell; `alignment`: < or > for each column.

    No column but the last one is wider than `MAX_CELLS`.
    """
    widths = [max(cell_width(row[at]) for row in rows) for at in range(len(alignment))]
    widths[:-1] = [min(MAX_CELLS, width) for width in widths[:-1]]
    for row in rows:
        cells = [_pad(cut_cells(cell, width), width, way) for cell, width, way in zip(row, widths, alignment, strict=True)]
        yield "  ".join(cells).rstrip()


def _pad(cell: str, width: int, way: str) -> str:
    space = " " * (width - cell_width(cell))
    return space + cell if way == ">" else cell + space
