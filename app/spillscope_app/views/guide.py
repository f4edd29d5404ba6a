"""Help: what the words, marks and keys mean. Made from the same tables that the screens are made from."""

from __future__ import annotations

from collections.abc import Sequence

from spillscope_app.commands import PLACE_NAMES, in_place
from spillscope_app.spans import Line, Span, left, line
from spillscope_app.views.badges import BADGES, ORIGINS
from spillscope_app.views.facts import Facts
from spillscope_app.views.histogram import MARK, NO_MARK
from spillscope_app.views.top import AUTO_COMPACT, WARNING
from spillscope_app.views.words import WORDS
from spillscope_app.widgets.gauge import CACHE_BROKE, COMPACTED, ESTIMATE, RESIDUAL, WHAT_IF

_INTRO = (
    "A group is one message that carried tool results to the model; each is a row. Its size is that of the originals, beside "
    "it what the model sees of them. Its bar is frozen + fresh against the budget of one group."
)
_GAUGE: tuple[tuple[str, str], ...] = (
    ("█ exact", "The API's own count of the last response."),
    (f"{RESIDUAL} residual", "The part of it that stands in no transcript: system prompt, tools, memory."),
    (f"{ESTIMATE} estimate", "What came after it: at 4 chars a token, until calibration has fitted it to this session."),
    ("± band", "Where the truth lies four times in five, by how far estimates were off so far. Colours go by its upper end."),
    ("5–8 turns", "A forecast by the growth of the last requests. No growth, or fewer than three turns: no forecast."),
    (f"{WHAT_IF} what-if", "What other limits would free, or add."),
    (f"{WARNING} warning", "From here the agent warns; the second such mark is where it refuses to go on."),
    (f"{AUTO_COMPACT} auto-compact", "From here the agent compacts, if it does so by itself."),
    ("▁▃▅ ▆", "The context of each request, and apart from them what would go out now."),
    (f"{COMPACTED} {CACHE_BROKE}", "A compaction; a request that found the prompt cache broken, and paid for it anew."),
    (
        "input tokens",
        "The unit of costs: a token read from the cache costs 0.1 of them, one written to it 1.25, or 2 for an hour.",
    ),
    ("as of request", "All screens show the session as it stood when that request was about to go out, until End."),
)
_TOOLS: tuple[tuple[str, str], ...] = (
    (f"▂▅{MARK}█", "Sizes of a tool's results, from 100 to 1M chars. Right of the mark is what is over the threshold."),
    (NO_MARK, "Opts out: the tool declares no limit, and no override changes that."),
    ("8k*  1→5", "A value that you edited; results spilled before and after."),
    ("#61", "The request at which the context first reaches the auto-compact line."),
    ("net of reads", "What the spills that were read back saved: tokens times the requests that carry them, less the reads."),
    ("a guess from", "From this request on a compaction would have moved, so that the rest is a guess."),
    ("from now on", "Nothing that was sent changes: as if the edits were in force from the next request on."),
    ("newest limits", "Limits changed while the session ran. Before is what those in force now would have made of all of it."),
)
_NAMES = 17


def guide(width: int) -> Sequence[Line]:
    """The whole help in lines of `width` cells."""
    facts = Facts(width)
    facts.say(line(_INTRO))
    _part(facts, "Words")
    for word in WORDS:
        _entry(facts, word.told, word.meaning)
    _part(facts, "Gauge")
    for mark, meaning in _GAUGE:
        _entry(facts, line(Span(mark, "gauge")), meaning)
    for place, name in PLACE_NAMES.items():
        _part(facts, name)
        for command in in_place(place):
            _entry(facts, line(Span(command.shown, "strong")), command.help)
    _part(facts, "Tuning")
    for mark, meaning in _TOOLS:
        _entry(facts, line(Span(mark, "gauge")), meaning)
    _part(facts, "What is found of a spilled file")
    for badge in BADGES.values():
        _entry(facts, badge.told, badge.meaning)
    _part(facts, "Where a spilled file came from")
    for origin in ORIGINS.values():
        _entry(facts, origin.told, origin.meaning)
    return facts.lines


def _part(facts: Facts, name: str) -> None:
    facts.gap()
    facts.say(line(Span(name, "title")))


def _entry(facts: Facts, head: Line, meaning: str) -> None:
    indent = _NAMES + 2
    if facts.width >= indent + 20:
        facts.say((*left(head, _NAMES), Span("  "), Span(meaning)), indent)
    else:
        facts.say(head)
        facts.say((Span("  "), Span(meaning, "dim")), 2)
