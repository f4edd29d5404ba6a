"""The three lines above the list: who and where, how full, and the legend with its counts."""

from __future__ import annotations

from collections.abc import Sequence

from spillscope.session.history import forecast_of
from spillscope.session.reading import Reading, Totals
from spillscope.window.forecast import Forecast
from spillscope.window.thresholds import Window
from spillscope_app.format import age, base_name, compact, liveness, model_name, plural, short, turns
from spillscope_app.picture import Picture
from spillscope_app.source import FLIPPED
from spillscope_app.spans import Ink, Line, Piece, Span, cut, foreign, line, spread
from spillscope_app.views.words import EXEMPT, FRESH, FROZEN, OVER, PERSISTED, REAPPLY, Word, count_of
from spillscope_app.widgets.gauge import Bounds, Gauge, Mark, Sample

_NEWEST_REQUESTS = 400
"""As many requests as a sparkline ever shows."""
_LONGEST_BADGE = 44
WARNING, AUTO_COMPACT, BLOCKING = "┊", "│", "┊"


def header(picture: Picture, now: float, width: int) -> tuple[Line, ...]:
    """Project, session, model and window, version; at the right how live it is, how it is watched, and badges."""
    at_left = [Piece(1, (Span("spillscope", "title"),))]
    at_right = [Piece(8, (Span(_state(picture, now), "strong"),))]
    reading = picture.reading
    if reading is not None:
        at_left += _identity(reading)
        at_right += [Piece(9, (badge,)) for badge in badges(picture, with_evidence=width >= 150)]
    if picture.asked is not None:
        at_right.append(Piece(11, (Span(f"as of request {picture.asked + 1:,} · End: live", "pick"),)))
    if picture.newer is not None:
        roomy = width >= 100
        at_right.append(Piece(10, (Span("newer session: ] goes to it" if roomy else "] newer", "warn"),)))
    if picture.watching != "starting":
        at_right.insert(1, Piece(3, (Span(picture.watching, "dim"),)))
    inner = spread(at_left, at_right, max(0, width - 2))
    return ((Span(" "), *inner, Span(" ")),)


def _identity(reading: Reading) -> list[Piece]:
    session, window = reading.session, reading.context.window
    place = session.cwd or session.path.rpartition("/")[0] or session.path
    pieces = [
        Piece(7, (foreign(base_name(place), "strong"),)),
        Piece(5, (foreign(session.id[: 14 if session.id.startswith("agent-") else 8], "dim"),)),
    ]
    if session.model:
        pieces.append(Piece(6, (foreign(model_name(session.model)), Span(f" {short(window.size)}", "dim"))))
    if session.version:
        pieces.append(Piece(2, (foreign(session.version, "dim"),)))
    return pieces


def _state(picture: Picture, now: float) -> str:
    if not picture.path:
        return "no session"
    if picture.reading is None:
        return "…" if picture.trouble is None else "unreadable"
    session = picture.reading.session
    return liveness(session.last_write, now) if session.exists else "waiting"


def badges(picture: Picture, with_evidence: bool) -> list[Span]:
    """What is out of the ordinary, each in a few words; nothing when nothing is."""
    reading = picture.reading
    if reading is None:
        return []
    found = []
    if picture.comparison is not None:
        found.append("what-if on")
    if picture.trouble is not None:
        found.append("! not up to date")
    if reading.session.skipped_lines:
        found.append(f"! {plural(len(reading.session.skipped_lines), 'line')} skipped")
    if reading.totals.drift:
        found.append(f"! drift {reading.totals.drift}")
    if picture.missing:
        found.append(f"! {plural(picture.missing, 'spill')} missing")
    if picture.limits_error is not None:
        found.append(f"! limits {picture.limits_error}" if with_evidence else "! limits not in use")
    if reading.limits.source("aggregate") == FLIPPED:
        found.append(f"what-if: budget {'on' if reading.aggregate else 'off'}")
    elif not reading.aggregate:
        found.append(f"! budget {reading.evidence}" if with_evidence else "! budget off")
    return [Span(cut(foreign(badge).text, _LONGEST_BADGE), "over") for badge in found]


def gauge(picture: Picture, reading: Reading, now: float) -> Gauge:
    """W2, T4 and T9 as the gauge's figures. Where one number decides, it is the band's upper end (T9)."""
    context, window = reading.context, reading.context.window
    marks = [Mark(window.warning, WARNING, "dim"), Mark(window.blocking, BLOCKING, "strong")]
    if window.auto_compact_enabled:
        marks.append(Mark(window.auto_compact, AUTO_COMPACT, "warn"))
    found = picture.calibration
    estimate = context.estimate if found is None else found.estimate
    band = None if found is None else Bounds(*found.band)
    highest = context.tokens if band is None else band.high
    return Gauge(
        exact=context.usage,
        estimate=estimate,
        size=window.size,
        marks=tuple(mark for mark in marks if mark.at > 0),
        exact_age=age(now - context.exact_at) if context.exact_at is not None and reading.at is None else "",
        guessed=window.guessed,
        limit_words=_until_compact(context.usage + estimate, window, forecast_of(reading, highest)),
        history=_history(reading),
        residual=found.residual.tokens if found is not None and found.residual is not None else 0,
        band=band,
        level=level_of(highest, window),
        what_if=picture.what_if,
    )


def level_of(tokens: int, window: Window) -> Ink:
    """The ink of a context of so many tokens: all tests are ≥ (W2)."""
    if tokens >= window.blocking or tokens > window.size:
        return "over"
    return "warn" if tokens >= window.warning else "gauge"


def _until_compact(tokens: int, window: Window, to_come: Forecast | None) -> tuple[Line, ...]:
    """How far auto-compact is off, the longest words first (W8)."""
    if not window.auto_compact_enabled:
        return (line(Span("auto-compact is off", "dim")),)
    gap = window.auto_compact - tokens
    proactive = Span(", if proactive", "dim")
    if gap <= 0:
        past = line(Span(f"{short(-gap)} past auto-compact", "warn"))
        return ((*past, proactive), past)
    left = Span(compact(gap), "strong")
    if to_come is None or not to_come.auto_compact.hi:
        return line("auto-compact in ", left, proactive), line("auto-compact in ", left)
    low, _, high = to_come.auto_compact
    when = Span(turns(low, high), "strong")
    at = short(window.auto_compact)
    return (
        line(f"auto-compact at {at} in ", left, ", ", when, proactive),
        line("auto-compact in ", left, ", ", when, proactive),
        line("auto-compact in ", left, ", ", when),
        line("compacts in ", when),
    )


def _history(reading: Reading) -> Sequence[Sample]:
    requests = reading.requests[max(0, len(reading.requests) - _NEWEST_REQUESTS) :]
    samples: list[Sample] = []
    segment: int | None = None
    for request in requests:
        is_break = segment is not None and request.segment != segment
        tokens = request.usage.prompt or request.estimate_before
        samples.append(Sample(tokens, is_break, request.broken is not None))
        segment = request.segment
    return samples


def legend(reading: Reading, width: int) -> tuple[Line, ...]:
    """The words of the field with their marks and their counts in this session; shortened where there is no room."""
    roomy = width >= 100
    at_left = [Piece(9 - place, _entry(word, reading.totals, roomy)) for place, word in enumerate((REAPPLY, FROZEN, FRESH))]
    at_right = [Piece(5 - place, _entry(word, reading.totals, roomy)) for place, word in enumerate((PERSISTED, EXEMPT))]
    at_right.append(Piece(10 if reading.totals.over_budget else 2, _entry(OVER, reading.totals, roomy)))
    inner = spread(at_left, at_right, max(0, width - 2), "   " if roomy else "  ")
    return ((Span(" "), *inner, Span(" ")),)


def _entry(word: Word, totals: Totals, roomy: bool) -> Line:
    count = count_of(word, totals)
    name = word.name if roomy else word.name.split()[0]
    inks: tuple[Ink, Ink, Ink] = (word.ink, "", "strong") if count else ("faint", "faint", "faint")
    return line(Span(word.glyph, inks[0]), Span(f" {name} ", inks[1]), Span(f"{count:,}", inks[2]))
