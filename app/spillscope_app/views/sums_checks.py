"""The arithmetic behind the gauge's promises: the forecast, and how estimates, compactions and the cache turned out."""

from __future__ import annotations

from spillscope.session.calibrated import Calibrated
from spillscope.session.compactions import JudgedCompaction, judge_compactions, overdue, stopped, thrashing
from spillscope.session.history import forecast_of
from spillscope.session.reading import Reading
from spillscope.tokens.calibration import Score, Scores
from spillscope.window.forecast import FEWEST_TURNS, Forecast, Range
from spillscope_app.format import clock, exact, model_name, plural, short, turns
from spillscope_app.spans import Line, Span, fit, foreign, left, line, right
from spillscope_app.views.facts import NAME, Facts
from spillscope_app.views.words import VERDICTS
from spillscope_app.widgets.gauge import CACHE_BROKE

_ESTIMATES = ("believed", "tiktoken", "fitted")
_COLUMNS = (("median", 9), ("size", 8), ("p90", 8), ("factor", 8))
_NEWEST_COMPACTIONS = 5
_LEFT_OUT = {
    "compaction": "after a compaction",
    "no usage": "without usage",
    "model": "after a change of the model",
    "placeholder": "with a placeholder for the output count",
    "local": "with records that no model wrote",
    "prompt": "that begin a turn",
    "image": "with images",
    "attachment": "with attachments",
    "microcompaction": "after a microcompaction",
    "unread": "too large to be read",
    "small": "with next to no text",
    "shrunk": "that carried less than the one before",
}


def ruled(facts: Facts, name: str, figure: str, told: str | Line, rule: str, strong: bool = False) -> None:
    """A figure with a note about it, behind the rule that it follows."""
    note = line(Span(told, "dim")) if isinstance(told, str) else told
    facts.value(name, figure, (Span(f"{rule}  ", "faint"), *note), strong, hang=len(rule) + 2)


def forecast_sums(facts: Facts, reading: Reading, found: Calibrated | None) -> None:
    """W8: the growth that is expected, and how far it is to each mark."""
    to_come = forecast_of(reading, None if found is None else found.band.high)
    if to_come is None:
        told = f"fewer than {FEWEST_TURNS} turns have grown since the context was last cut"
        ruled(facts, "forecast", "none", told, "W8", strong=True)
        return
    growth = f"tokens a turn, by the last {plural(to_come.turns, 'turn')}"
    ruled(facts, "growth", exact(to_come.tokens_per_turn), growth, "W8", strong=True)
    window = reading.context.window
    tokens = reading.context.tokens if found is None else found.tokens
    marks = [("warning", window.warning, to_come.warning)]
    if window.auto_compact_enabled:
        marks.append(("compact", window.auto_compact, to_come.auto_compact))
    for name, mark, ahead in (*marks, ("window", window.size, to_come.window)):
        ruled(facts, f"to {name}", exact(max(0, mark - tokens)), _ahead(to_come, ahead), "W8")


def _ahead(to_come: Forecast, ahead: Range) -> str:
    if not ahead.hi:
        return "reached"
    minutes = to_come.minutes(ahead)
    how_long = ""
    if minutes is not None:
        low, _, high = minutes
        how_long = f"; {low:.0f}–{high:.0f} min at this pace" if high >= 1 else "; less than a minute at this pace"
    return f"{turns(ahead.lo, ahead.hi)}, most likely {ahead.mid:,}{how_long}"


def error_sums(facts: Facts, found: Calibrated) -> None:
    """T9: how each estimate turned out on the requests before, over all models and for each of several."""
    judged = found.scores.fitted.n
    facts.say(line(Span("off so far", "title"), Span(f"  on {judged} of {plural(found.requests, 'request')}", "dim")))
    if judged:
        heads = tuple(span for name, cells in _COLUMNS for span in right(Span(name, "dim"), cells))
        facts.lines.append(fit((Span(" " * NAME), *heads), facts.width))
        _scores(facts, found.scores)
        for model, scores in found.models if len(found.models) > 1 else ():
            facts.say(line(foreign(model_name(model or "?"), "dim"), Span(f"  on {scores.fitted.n}", "dim")))
            _scores(facts, scores)
        told = "median: too much or too little; size: without its sign; factor: what would set it right"
        facts.say(line(Span("T9  ", "faint"), Span(told, "dim")), 4)
    if found.left_out:
        told = ", ".join(f"{count} {_LEFT_OUT.get(reason, reason)}" for reason, count in found.left_out)
        facts.say(line(Span(f"left out, as they prove nothing: {told}", "dim")))


def _scores(facts: Facts, scores: Scores) -> None:
    for name, score in zip(_ESTIMATES, scores, strict=True):
        cells = tuple(
            span for (_, width), words in zip(_COLUMNS, _figures(score), strict=True) for span in right(Span(words), width)
        )
        facts.lines.append(fit((*left(Span(name, "dim"), NAME), *cells), facts.width))


def _figures(score: Score) -> tuple[str, ...]:
    if score.median is None or score.median_abs is None or score.p90_abs is None:
        return "–", "–", "–", f"× {score.factor:.2f}"
    sizes = (f"{share * 100:.1f} %" for share in (score.median_abs, score.p90_abs))
    return f"{score.median * 100:+.1f} %", *sizes, f"× {score.factor:.2f}"


def compaction_sums(facts: Facts, reading: Reading) -> None:
    """W2, W3: observed compactions against the rule, and those that never came."""
    judged = judge_compactions(reading)
    waited = overdue(reading)
    if not (judged or waited or stopped(reading)):
        return
    facts.gap()
    facts.say(line(Span("compactions", "title"), Span(f"  {len(judged)}", "dim"), Span("  W2, W3", "faint")))
    for compaction in judged[-_NEWEST_COMPACTIONS:]:
        _judged(facts, reading, compaction)
    if refills := thrashing(judged):
        facts.say(line(Span(f"! thrashing: {len(refills)} in a row came within three turns of the one before", "over")), 2)
    if waited:
        facts.say(line(Span(f"! never though crossed: {plural(waited, 'request')} went out at or over the mark", "over")), 2)
    if stopped(reading):
        facts.say(line(Span(f"! {reading.refusals} refusals in a row: automatic compaction has likely stopped", "over")), 2)


def _judged(facts: Facts, reading: Reading, compaction: JudgedCompaction) -> None:
    at = clock(reading.session.compactions[compaction.number].at)
    told, ink = VERDICTS[compaction.verdict]
    figure = "?" if compaction.tokens is None else exact(compaction.tokens)
    refill = Span("; a refill", "warn") if compaction.refill else Span("")
    expected = f" ({short(compaction.expected)})" if compaction.verdict in ("expected", "early", "late") else ""
    note = line(Span(told, ink), Span(f"{expected}, after {plural(compaction.turns, 'turn')}", "dim"), refill)
    facts.value(f"  {at}" if at else "", figure, note)


def cache_sums(facts: Facts, reading: Reading) -> None:
    """R5, R6: what all breaks of the prompt cache came to."""
    broken = [request.broken for request in reading.requests if request.broken is not None]
    if not broken:
        return
    facts.gap()
    lost, rewritten = sum(one.lost for one in broken), sum(one.rewritten for one in broken)
    told = f"tokens lost, {short(rewritten)} rewritten at a cost of {short(sum(one.cost for one in broken))} input tokens"
    ruled(facts, f"{CACHE_BROKE} {plural(len(broken), 'break')}", exact(lost), f"{told}; 5 lists them", "R6", strong=True)
