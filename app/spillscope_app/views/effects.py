"""What edited limits do, in lines: before → after (spec R3, R4, R5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from spillscope.session.reading import Reading
from spillscope.session.whatif.comparison import Comparison, Mode
from spillscope_app.format import compact, plural
from spillscope_app.spans import Ink, Line, Piece, Span, fit, foreign, left, line, right, spread
from spillscope_app.tuning.answer import Answer
from spillscope_app.views.tool_rows import ToolRow

MODES: dict[Mode, str] = {"start": "had it been so from the start", "now": "from now on"}
MIXED: dict[Mode, str] = {"start": "from the start, before = newest limits", "now": "from now on, before = newest limits"}
"""The same where other limits decided a part of the session, which are in neither."""
_NAME, _BEFORE, _AFTER = 14, 7, 6
_WIDE, _BROAD = 76, 150
"""Cells from which on effects stand in two and in three columns."""
_GAP = 3


class Effect(NamedTuple):
    """One figure: its name, before, after, and what there is to say of it. `better`: None where neither is."""

    name: str
    before: str
    after: str
    note: str = ""
    better: bool | None = None


def effects_lines(answer: Answer | None, width: int) -> Sequence[Line]:
    """All effects in as many columns as there is room for."""
    if answer is None:
        return (line(Span("asking …", "dim")),)
    found = list(effects(answer.comparison, audited=answer.rereads is not None))
    count = 3 if width >= _BROAD else 2 if width >= _WIDE else 1
    rows = -(-len(found) // count)
    cells = (width - _GAP * (count - 1)) // count
    drawn = [_effect_line(effect, cells) for effect in found]
    blocks = [drawn[start : start + rows] for start in range(0, len(drawn), rows)]
    return [_beside([block[at] if at < len(block) else () for block in blocks], cells) for at in range(rows)]


def _beside(cells: Sequence[Line], size: int) -> Line:
    spans: list[Span] = []
    for at, cell in enumerate(cells):
        spans += [*([Span(" " * _GAP)] if at else []), *left(cell, size)]
    return tuple(spans)


@lru_cache(maxsize=256)
def _effect_line(effect: Effect, cells: int) -> Line:
    same = effect.before == effect.after
    ink: Ink = "dim" if same else "strong" if effect.better is None else "fresh" if effect.better else "over"
    head = (*left(Span(effect.name, "dim"), _NAME), *right(Span(effect.before), _BEFORE))
    change = (Span(" → ", "faint"), *left(Span("=" if same else effect.after, ink), _AFTER))
    return fit((*head, *change, Span(f" {effect.note}", "dim")), cells)


def effects(found: Comparison, *, audited: bool) -> Iterator[Effect]:
    """Every figure of a comparison. `audited`: it is known which spills were read back."""
    yield Effect("spilled", f"{found.spilled.before:,}", f"{found.spilled.after:,}", f"{len(found.flips):,} flip")
    yield Effect("by the budget", f"{found.replaced.before:,}", f"{found.replaced.after:,}")
    now = (found.before.tokens_kept_out[-1], found.after.tokens_kept_out[-1])
    yield _figure("kept out now", now[0], now[1], "tokens", more_is_better=True)
    peak = found.kept_out_at_peak
    yield _figure("kept out, peak", peak.before, peak.after, "tokens", more_is_better=True)
    chars = found.chars_kept_out
    yield _figure("chars kept out", chars.before, chars.after, "in all", more_is_better=True)
    yield _figure("context now", found.context.before, found.context.after, "tokens")
    yield _figure("peak context", found.peak.before, found.peak.after, "tokens")
    yield _figure("over budget", found.over_budget.before, found.over_budget.after, "groups")
    yield _auto_compact(found)
    if audited:
        yield from _rereads(found)
    cost = found.cost
    yield _figure("cost", round(cost.before), round(cost.after), _percent(cost.difference, cost.before))
    if found.unknown:
        yield Effect("left out", f"{len(found.unknown):,}", f"{len(found.unknown):,}", "originals gone")
    if found.hypothetical_from is not None:
        first = _short_request(found.hypothetical_from)
        yield Effect("a guess from", first, first, "on: a compaction would have moved")


def _figure(name: str, before: int, after: int, note: str = "", *, more_is_better: bool = False) -> Effect:
    better = None if before == after else (after > before) == more_is_better
    return Effect(name, compact(before), compact(after), note, better)


def _percent(difference: float, before: float) -> str:
    return f"{difference / before:+.1%}" if before and difference else "input tk"


def _short_request(number: int) -> str:
    return f"#{number + 1:,}"


def _auto_compact(found: Comparison) -> Effect:
    before, after = found.auto_compact
    later = found.auto_compact.later
    note, better = "", None
    if later:
        note, better = f"{abs(later):,} {'later' if later > 0 else 'sooner'}", later > 0
    elif before != after:
        better = after is None
    return Effect("auto-compact", _crossed(before), _crossed(after), note, better)


def _crossed(number: int | None) -> str:
    return "never" if number is None else _short_request(number)


def _rereads(found: Comparison) -> Iterator[Effect]:
    before, after = found.rereads
    yield Effect("read back", f"{before.results:,}", f"{after.results:,}", "spills")
    better = None if before.net == after.net else after.net > before.net
    yield Effect("net of reads", compact(before.net), compact(after.net), "tk × req", better)


def effects_title(answer: Answer | None, mode: Mode, width: int) -> Line:
    """The rule above the effects: that limits are edited, which time the edits are about, and what they are held against."""
    edited = answer is not None and bool(answer.question.edits)
    modes = MIXED if answer is not None and answer.mixed else MODES
    title = line(Span("What-if", "title"), Span(f"  {modes[mode]}", "strong" if edited else "dim"))
    flips = len(answer.comparison.flips) if answer is not None else 0
    told = f"{plural(flips, 'result')} flip{'s' if flips == 1 else ''}" if edited else "nothing is edited"
    return spread(
        [Piece(2, (Span("─ ", "faint"), *title, Span(" ")))], [Piece(1, line(Span(f" {told} ", "dim")))], max(0, width)
    )


def brief(answer: Answer | None, width: int) -> Line:
    """All of it in one line, for a terminal with no room for more."""
    if answer is None or not answer.question.edits:
        return line(Span(" nothing is edited", "dim"))
    found = answer.comparison
    change = found.after.tokens_kept_out[-1] - found.before.tokens_kept_out[-1]
    word = "less" if change >= 0 else "more"
    return fit(line(Span(" what-if ", "warn"), f"{len(found.flips):,} flip, {compact(abs(change))} tokens {word}"), width)


def about(row: ToolRow | None, reason: str | None) -> Line:
    """The selected row in words, and why its value does nothing, if it does nothing."""
    if row is None:
        return ()
    if reason is not None:
        return line(Span("no effect: ", "warn"), foreign(reason))
    if not row.is_tool:
        return line(foreign(row.name, "title"), Span("  from ", "dim"), foreign(row.source))
    if row.key is None:
        return line(foreign(row.name, "title"), Span("  a result whose call is unknown has the default threshold", "dim"))
    parts = line(foreign(row.name, "title"), Span("  declares ", "dim"), compact(row.declared or 0))
    if row.override is not None:
        parts = (*parts, Span("  override ", "dim"), Span(compact(row.override)))
    return (*parts, Span("  threshold from ", "dim"), foreign(row.source))


def no_answer(reading: Reading | None) -> str:
    """What the list says where there is nothing to tune."""
    return "No session to tune the limits on yet." if reading is None else "Working out what each tool did …"
