"""One spilled file in sentences: what is found of it, what it is, what it cost, and where it came from."""

from __future__ import annotations

from collections.abc import Sequence

from spillscope.session.spills import Link, Spill
from spillscope_app.format import age, compact, exact, moment, plural
from spillscope_app.spans import Line, Paint, Span, foreign, line
from spillscope_app.views.badges import BADGES, ORIGINS, in_rank
from spillscope_app.views.facts import Facts
from spillscope_app.views.spills import call_of, tool_of

_TITLE = 200


def title_of(spill: Spill) -> Line:
    """The tool and the call, for a rule."""
    tool = tool_of(spill)
    return (tool._replace(ink="title"), Span(" "), *call_of(spill, _TITLE))


def spill_lines(spill: Spill | None, now: float) -> Paint:
    """All that is known of a spill; nothing where none is selected."""

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(width)
        if spill is not None:
            _findings(facts, spill)
            _file(facts, spill, now)
            _cost(facts, spill)
            _chain(facts, spill.chain)
            _origin(facts, spill)
        return facts.lines

    return paint


def _findings(facts: Facts, spill: Spill) -> None:
    texts = {badge.name: badge.text for badge in spill.badges}
    for name in in_rank(texts):
        facts.say((*BADGES[name].told, Span("  "), foreign(texts[name])), 2)
    if not texts:
        facts.say(line(Span("Nothing speaks against it.", "dim")))


def _file(facts: Facts, spill: Spill, now: float) -> None:
    file = spill.file
    facts.gap()
    facts.say(line(foreign(file.path, "strong" if file.exists else "dim")), 2)
    if file.bytes is not None:
        facts.value("on disk", exact(file.bytes), line(Span("bytes", "dim")))
    else:
        facts.value(
            "on disk", "no file" if file.inside else "unknown", line(Span("" if file.inside else "not looked at", "dim"))
        )
    if spill.chars is not None:
        facts.value("original", exact(spill.chars), line(Span("chars", "dim")))
    notice = spill.row.notice if spill.row is not None else None
    if notice is not None and notice.size:
        facts.say(line(Span("the notice says ", "dim"), foreign(notice.size)), 2)
    if spill.modified is not None:
        facts.value("written", f"{age(now - spill.modified)} ago", line(Span(moment(spill.modified), "dim")))


def _cost(facts: Facts, spill: Spill) -> None:
    facts.gap()
    if not spill.tokens_preview and spill.reread is None:
        facts.say(line(Span("What the model saw of it, and whether it read it back, is unknown.", "dim")))
        return
    if spill.tokens_preview:
        facts.value("preview", compact(spill.tokens_preview), line(Span("tokens in its place", "dim")))
    if spill.reread is None:
        facts.say(line(Span("Whether the model read it back is unknown.", "dim")))
    elif not spill.reread:
        facts.value("read back", "never")
    else:
        calls = plural(spill.reread, "later call")
        facts.value("read back", compact(spill.tokens_reread), line(Span(f"tokens, by {calls}", "dim")))
        paid = spill.tokens_preview + spill.tokens_reread
        facts.value("paid", compact(paid), line(Span("tokens for both", "dim")), strong=True)


def _chain(facts: Facts, chain: Sequence[Link]) -> None:
    """Each file of a cascade with its growth over the one that was read."""
    if not chain:
        return
    facts.gap()
    facts.say(line(Span("Cascade", "title"), Span("  each a read of the one before, spilled again", "dim")))
    before: int | None = None
    for at, link in enumerate(chain):
        size = "?" if link.chars is None else compact(link.chars)
        growth = f"  {(link.chars - before) / before:+.0%}" if before and link.chars is not None else ""
        head = (Span("  " * at), Span("» " if at else "· ", "warn" if at else "dim"))
        facts.say((*head, foreign(link.name), Span(f"  {size} chars"), Span(growth, "warn")), 2 * at + 2)
        before = link.chars


def _origin(facts: Facts, spill: Spill) -> None:
    origin = ORIGINS[spill.origin]
    facts.gap()
    facts.say((*origin.told, Span("  "), Span(origin.meaning)), 2)
    if spill.agent_id is not None:
        facts.say(line(Span("by sub-agent ", "dim"), foreign(spill.agent_id), Span("  6 lists it below its session", "dim")), 2)
    if spill.group is not None:
        of = "" if spill.agent_id is None else " of its own"
        facts.say(line(Span(f"in group {spill.group}{of}", "strong"), Span(": d goes there", "dim")), 2)
    else:
        facts.say(line(Span("in no group that is in this conversation", "dim")), 2)
    if spill.tool_use_id is not None:
        facts.say(line(Span("id ", "dim"), foreign(spill.tool_use_id, "dim")), 2)
