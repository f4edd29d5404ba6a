"""What is known of one request: what it carried, what it cost, and what happened right before it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from spillscope.session.advice import advice_on_break
from spillscope.session.compactions import judge_compactions
from spillscope.session.history import History, Point
from spillscope.session.reading import Group, Reading, Request
from spillscope_app.format import clock_seconds, exact, model_name, plural, short, spread_of, tool_name
from spillscope_app.picture import Picture
from spillscope_app.spans import Line, Paint, Span, foreign, line
from spillscope_app.views.facts import Facts
from spillscope_app.views.words import CAUSES, OVER, PERSISTED, REAPPLY, VERDICTS, broke
from spillscope_app.widgets.gauge import CACHE_BROKE, COMPACTED

_MOST_NAMED = 4
"""As many spilled results are named."""


def request_facts(picture: Picture) -> Paint:
    """The request that the user went back to; at live, the newest one and what would go out now."""
    return partial(_paint, picture)


def _paint(picture: Picture, width: int) -> Sequence[Line]:
    live = picture.live
    if live is None or not live.requests:
        return ()
    facts = Facts(width)
    total = len(live.requests)
    number = total - 1 if picture.asked is None else min(picture.asked, total - 1)
    point = History(live)[number]
    _head(facts, point, total, newest=picture.asked is None)
    _cut(facts, live, point)
    _break(facts, point.request)
    _usage(facts, live, point)
    _estimate(facts, picture, point.request)
    _results(facts, live.groups[point.request.first_group : point.request.end_group])
    return facts.lines


def _head(facts: Facts, point: Point, total: int, newest: bool) -> None:
    request = point.request
    name = f"request {point.number + 1:,}" + (", the newest" if newest else f" of {total:,}")
    when = Span(f"  {clock_seconds(request.timestamp)}") if request.timestamp is not None else Span("")
    model = (Span("  "), foreign(model_name(request.model), "dim")) if request.model else ()
    facts.say(line(Span(name, "title"), when, *model, Span(f"  window {short(point.window.size)}", "dim")))


def _cut(facts: Facts, live: Reading, point: Point) -> None:
    cut = point.cut
    if cut is None:
        return
    if cut.compaction is None:
        facts.say(line(Span(f"{COMPACTED} ", "warn"), "the context began anew before it: nothing older is in it"))
        return
    compaction = live.session.compactions[cut.compaction]
    cause = (Span(" ("), foreign(compaction.trigger), Span(")")) if compaction.trigger else ()
    before = f" of {short(compaction.pre_tokens)} tokens" if compaction.pre_tokens is not None else ""
    told, ink = VERDICTS[judge_compactions(live)[cut.compaction].verdict]
    head = line(Span(f"{COMPACTED} ", "warn"), "the first after a compaction", *cause, f"{before}, ")
    facts.say((*head, Span(told, ink or "dim")), 2)


def _usage(facts: Facts, live: Reading, point: Point) -> None:
    usage = point.request.usage
    if not usage.total:
        facts.value("carried", "?", line(Span("its response told no usage", "dim")))
        return
    parts = f"cache read {short(usage.cache_read)} + written {short(usage.cache_creation)} + input {short(usage.input)}"
    share = f"{point.window.percent_used(usage.prompt):.1f} %: "
    facts.value("carried", exact(usage.prompt), line(Span(share), Span(parts, "dim")), strong=True)
    facts.value("answered", exact(usage.output), line(Span("tokens put out", "dim")))
    before = _before(live, point)
    if before is not None:
        grown = usage.prompt - before.usage.prompt
        figure = f"{'+' if grown >= 0 else '−'}{exact(abs(grown))}"
        facts.value("growth", figure, line(Span("since the request before", "dim")))


def _before(live: Reading, point: Point) -> Request | None:
    """The request before, where it told its usage in the same context."""
    if not point.number:
        return None
    before = live.requests[point.number - 1]
    return before if before.segment == point.request.segment and before.usage.total else None


def _estimate(facts: Facts, picture: Picture, request: Request) -> None:
    if not request.usage.prompt:
        facts.value("estimate", exact(request.estimate_before), line(Span("before it went out", "dim")))
        return
    _off(facts, "estimate", request.estimate_before, request, "by the agent's rule before it")
    reading, found = picture.reading, picture.calibrated_then
    if found is not None and reading is not None and reading.at is not None and reading.at == picture.asked:
        spread = spread_of(found.tokens, *found.band)
        _off(facts, "likely", found.tokens, request, f"{spread} as known then")


def _off(facts: Facts, name: str, estimate: int, request: Request, told: str) -> None:
    """An estimate made before a request, held against what its response told."""
    off = estimate / request.usage.prompt - 1
    by = "right" if not round(off, 3) else f"{abs(off):.1%} too {'much' if off > 0 else 'little'}".replace("%", " %")
    facts.value(name, exact(estimate), line(Span(by), Span(f", {told}", "dim")))


def _break(facts: Facts, request: Request) -> None:
    broken = request.broken
    if broken is None:
        return
    about = (Span(" "), foreign(", ".join(broken.about), "dim")) if broken.about else ()
    cause = Span(CAUSES[broken.cause], "warn")
    facts.say(line(Span(f"{CACHE_BROKE} ", "over"), "cache broke, ", cause, *about, f": {broke(broken)}"), 2)
    advice = advice_on_break(broken)
    if advice is not None:
        facts.say(line(Span(advice, "dim")), 2)


def _results(facts: Facts, groups: Sequence[Group]) -> None:
    results = [result for group in groups for result in group.results]
    if not results:
        return
    chars = sum(group.chars for group in groups)
    seen = sum(group.model_chars for group in groups)
    facts.value("results", str(len(results)), line(Span(f"{short(chars)} chars, of which the model got {short(seen)}", "dim")))
    for group in groups:
        if group.over_budget:
            told = f" group {group.number}: {short(group.frozen + group.fresh)} > {short(group.limit)}"
            facts.say(line(Span("  "), OVER.mark, told), 4)
    spilled = [result for result in results if result.fate in ("persisted", "replaced")]
    for result in spilled[:_MOST_NAMED]:
        mark = PERSISTED.mark if result.fate == "persisted" else REAPPLY.mark
        named = foreign(f"{tool_name(result.row.tool)} {short(result.row.chars)}")
        facts.say(line(Span("  "), mark, " ", named, "  ", foreign(result.row.label, "dim")), 4)
    if len(spilled) > _MOST_NAMED:
        facts.say(line(Span(f"    and {plural(len(spilled) - _MOST_NAMED, 'other')}", "dim")), 4)
