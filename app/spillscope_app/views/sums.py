"""The arithmetic of the gauge, line by line."""

from __future__ import annotations

from collections.abc import Sequence

from spillscope.session.reading import Reading
from spillscope_app.format import age, exact
from spillscope_app.spans import Line, Paint, Span, foreign, line
from spillscope_app.views.facts import Facts


def sums(reading: Reading | None, now: float) -> Paint:
    """How full the window is, each figure with where it comes from."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        if reading is None:
            facts.say(line("Nothing has been read yet."))
        else:
            _tokens(facts, reading, now)
            facts.gap()
            _window(facts, reading)
            facts.gap()
            _percentages(facts, reading)
        return facts.lines

    return paint


def _tokens(facts: Facts, reading: Reading, now: float) -> None:
    context = reading.context
    when = f", {age(now - context.exact_at)} ago" if context.exact_at is not None else ""
    told = f"the API's own count of the last response{when}" if context.usage else "no response has told its usage yet"
    facts.value("exact", exact(context.usage), line(Span(told, "dim")))
    facts.value("+ estimate", exact(context.estimate), line(Span("4 chars a token, for all that came after it", "dim")))
    facts.value("= context", exact(context.tokens), line(Span("tokens", "dim")), strong=True)
    note = "System prompt and tool definitions stand in no transcript; the exact part counts them, the estimate can't."
    facts.say(line(Span(note, "dim")))


def _window(facts: Facts, reading: Reading) -> None:
    window = reading.context.window
    guess = Span("a guess: ", "warn") if window.guessed else Span("")
    facts.value("window", exact(window.size), line(guess, foreign(window.source, "dim")), strong=True)
    facts.value("effective", exact(window.effective), line(Span("without what the answer is given room for", "dim")))
    compact_note = "compacts from here, if proactive" if window.auto_compact_enabled else "switched off"
    facts.value("│ compact", exact(window.auto_compact), line(Span(compact_note, "dim")))
    facts.value("┊ warning", exact(window.warning), line(Span("the agent begins to warn", "dim")))
    facts.value("┊ blocking", exact(window.blocking), line(Span("the agent refuses to go on", "dim")))


def _percentages(facts: Facts, reading: Reading) -> None:
    context, window = reading.context, reading.context.window
    of_effective = context.tokens / window.effective * 100 if window.effective > 0 else 0.0
    until = "auto-compact" if window.auto_compact_enabled else "the effective window is full"
    facts.value("of window", f"{window.percent_used(context.tokens):.1f} %", line(Span("used", "dim")))
    facts.value("effective", f"{of_effective:.1f} %", line(Span("used", "dim")))
    facts.value("left", f"{window.percent_left(context.tokens)} %", line(Span(f"until {until}, as the agent shows it", "dim")))
