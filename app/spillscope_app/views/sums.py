"""The arithmetic of the gauge, line by line, each with the rule that it follows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from spillscope.session.calibrated import Calibrated
from spillscope.session.reading import Reading
from spillscope_app.format import age, exact, spread_of
from spillscope_app.picture import Picture
from spillscope_app.spans import Line, Paint, Span, foreign, line
from spillscope_app.views.facts import Facts
from spillscope_app.views.sums_checks import cache_sums, compaction_sums, error_sums, forecast_sums, ruled
from spillscope_app.widgets.gauge import ESTIMATE, EXACT, RESIDUAL


def sums(picture: Picture, now: float) -> Paint:
    """How full the window is, each figure with where it comes from, and how far such figures were off so far."""
    return partial(_paint, picture, now)


def _paint(picture: Picture, now: float, width: int) -> Sequence[Line]:
    facts, reading, found = Facts(width), picture.reading, picture.calibration
    if reading is None:
        facts.say(line("Nothing has been read yet."))
        return facts.lines
    if reading.at is not None:
        facts.say(line(Span(f"Before request {reading.at + 1:,} went out, by what was known then.", "pick")))
        facts.gap()
    _tokens(facts, reading, now)
    _truth(facts, reading, found)
    _proved(facts, picture, found)
    facts.gap()
    _window(facts, reading)
    facts.gap()
    _percentages(facts, reading, found)
    facts.gap()
    forecast_sums(facts, reading, found)
    if found is not None:
        facts.gap()
        error_sums(facts, found)
    compaction_sums(facts, reading)
    cache_sums(facts, reading)
    return facts.lines


def _tokens(facts: Facts, reading: Reading, now: float) -> None:
    context = reading.context
    when = f", {age(now - context.exact_at)} ago" if context.exact_at is not None else ""
    told = f"the API's own count of the last response{when}" if context.usage else "no response has told its usage yet"
    ruled(facts, f"{EXACT} exact", exact(context.usage), told, "T1")
    ruled(facts, "+ estimate", exact(context.estimate), "4 chars a token, for all that came after it", "T3")
    ruled(facts, "= believed", exact(context.tokens), "what the agent takes the context for", "T4", strong=True)


def _truth(facts: Facts, reading: Reading, found: Calibrated | None) -> None:
    """T8, T9: what the same text comes to by better estimates, and what no transcript holds."""
    if found is None:
        facts.say(line(Span("Calibrating …", "dim")))
        return
    facts.gap()
    second = "?" if found.estimate_bpe is None else exact(found.estimate_bpe)
    ruled(facts, "tiktoken", second, "the same text, counted by a tokeniser of other models", "T8")
    fitted = "the same text, by what the API told of this session"
    ruled(facts, f"{ESTIMATE} fitted", exact(found.estimate), fitted, "T9")
    low, high = found.band
    band = "nothing came after the last response"
    if low < high:
        band = f"four times in five between {exact(low)} and {exact(high)}; colours go by the upper end"
    ruled(facts, "= likely", exact(found.tokens), band, "T9", strong=True)
    if found.residual is not None:
        low, high = found.residual.band
        band = spread_of(found.residual.tokens, low, high)
        told = f"{band} of the exact part stand in no transcript: system prompt, tools, memory"
        ruled(facts, f"{RESIDUAL} residual", exact(found.residual.tokens), told, "T9")
    else:
        facts.say(line(Span("What stands in no transcript (system prompt, tools, memory) is not known yet.", "dim")))


def _proved(facts: Facts, picture: Picture, found: Calibrated | None) -> None:
    """What the response to a request of the past then told of it, beside what was likely."""
    reading, live = picture.reading, picture.live
    if reading is None or reading.at is None or live is None or found is None or reading.at >= len(live.requests):
        return
    proved = live.requests[reading.at].usage.prompt
    if proved and reading.context.usage:  # else it carried what no estimate knows of
        low, high = found.band
        told = "below the band" if proved < low else "above the band" if proved > high else "within the band"
        ruled(facts, "= proved", exact(proved), f"as its response then told: {told}", "T1", strong=True)


def _window(facts: Facts, reading: Reading) -> None:
    window = reading.context.window
    guess = Span("a guess: ", "warn") if window.guessed else Span("")
    source = line(guess, foreign(window.source, "dim"))
    ruled(facts, "window", exact(window.size), source, "W1", strong=True)
    ruled(facts, "− reserve", exact(window.size - window.effective), "room for the answer: its most, up to 20,000", "W2")
    ruled(facts, "= effective", exact(window.effective), "what the context may fill", "W2")
    ruled(facts, "− buffer", exact(window.effective - window.auto_compact), "kept free for compacting", "W2")
    compact_note = "compacts from here, if proactive" if window.auto_compact_enabled else "switched off"
    ruled(facts, "│ compact", exact(window.auto_compact), compact_note, "W2")
    ruled(facts, "┊ warning", exact(window.warning), "the agent begins to warn", "W2")
    ruled(facts, "┊ blocking", exact(window.blocking), "the agent refuses to go on", "W2")


def _percentages(facts: Facts, reading: Reading, found: Calibrated | None) -> None:
    context, window = reading.context, reading.context.window
    tokens = context.tokens if found is None else found.tokens
    of_effective = tokens / window.effective * 100 if window.effective > 0 else 0.0
    until = "auto-compact" if window.auto_compact_enabled else "the effective window is full"
    ruled(facts, "of window", f"{window.percent_used(tokens):.1f} %", "used", "W1")
    ruled(facts, "effective", f"{of_effective:.1f} %", "used", "W2")
    ruled(facts, "left", f"{window.percent_left(context.tokens)} %", f"until {until}, as the agent shows it", "W2")
