"""The events as lines: when, what it is about, what was decided."""

from __future__ import annotations

import math
from collections.abc import Sequence

from spillscope.session.events import Event
from spillscope.session.reading import Group, Reading, Result
from spillscope_app.format import clock_seconds, moment, plural, short, tool_name
from spillscope_app.journal import Item, Note
from spillscope_app.spans import Line, Span, fit, foreign, left, line
from spillscope_app.views.facts import Facts
from spillscope_app.views.words import CAUSES, OVER, PERSISTED, REAPPLY, broke
from spillscope_app.widgets.gauge import CACHE_BROKE
from spillscope_app.widgets.outline import Flat, Key

_MOMENT, _CLOCK = 19, 8
"""Cells of a time with its date, and without."""
_NEAR = 4
"""A request that waited in several groups shows them as one: their later numbers are this near."""
NOTICED = frozenset({"cache", "compaction", "cleared", "rewound", "rewritten", "gone", "evidence"})
"""Kinds that are worth a notice on every screen."""


class EventItems(Flat):
    """`Items` over events, each known by its place: events are only ever added."""

    def __init__(self, items: Sequence[Item]) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def ident(self, at: int) -> int:
        return range(len(self))[at]

    def find(self, ident: int) -> int | None:
        return ident if 0 <= ident < len(self) else None

    def line(self, at: int, child: int, width: int) -> Line:
        item = self.items[at]
        dated = width >= 90
        cells = _MOMENT if dated else _CLOCK if width >= 36 else 0
        when = left(Span(moment(item.at) if dated else clock_seconds(item.at), "dim"), cells)
        gap = (Span("  "),) if cells else ()
        return fit((*when, *gap, *words_of(item)), width)


def words_of(item: Item) -> Line:
    """What an event says, its mark first."""
    if isinstance(item, Note):
        mark = Span("! " if item.is_trouble else "· ", "over" if item.is_trouble else "dim")
        return line(mark, foreign(item.text, "" if item.is_trouble else "dim"))
    match item.kind:
        case "budget":
            return _budget(item)
        case "persisted" | "drift":
            return _about_result(item)
        case "cache":
            return _cache(item)
        case "compaction":
            return _compaction(item)
        case "skipped":
            number, offset = (*item.figures, None, None)[:2]
            where = f"line {number:,} skipped" if number is not None else "a line skipped"
            at = Span(f"  at byte {offset:,}" if offset is not None else "", "dim")
            return line(OVER.mark, f" {where}: ", foreign(item.text), at)
        case "evidence":
            return line(OVER.mark, " the budget is believed to be ", foreign(item.text))
        case _:
            return _conversation(item)


def _conversation(event: Event) -> Line:
    match event.kind:
        case "cleared":
            return line(Span("╎ ", "warn"), "a new conversation: nothing before it is in the context")
        case "rewound":
            return line(Span("← ", "warn"), f"gone back: what came from group {event.figures[0]} on was left")
        case "rewritten":
            return line(Span("! ", "over"), "the file was rewritten and read anew from its start")
        case _:
            return line(Span("! ", "over"), "the file is gone; it is waited for")


def _compaction(event: Event) -> Line:
    before, after = (*event.figures, None, None)[:2]
    if before is not None and after is not None:
        told = f": {short(before)} → {short(after)} tokens"
    elif before is not None:
        told = f": of {short(before)} tokens"
    else:
        told = f": {short(after)} tokens left" if after is not None else ""
    cause = (Span(" ("), foreign(event.text), Span(")")) if event.text else ()
    return line(Span("╎ ", "warn"), "compaction", *cause, told)


def _cache(event: Event) -> Line:
    """`request 37: cache broke, idle for longer than the cache lives: 45.2k tokens lost, …`."""
    broken, (number, *_) = event.broken, event.figures
    assert broken is not None
    assert number is not None
    about = (Span(" "), foreign(", ".join(broken.about), "dim")) if broken.about else ()
    head = line(Span(f"{CACHE_BROKE} ", "over"), Span(f"request {number + 1}", "strong"), ": cache broke, ")
    return (*head, *line(Span(CAUSES[broken.cause], "warn")), *about, *line(f": {broke(broken)}"))


def _budget(event: Event) -> Line:
    """`group 12: 5 fresh 212k > 200k → Grep 64k replaced`."""
    group = event.group
    assert group is not None
    picked = [group.results[pick.position] for pick in group.picks]
    replaced = [result for result in picked if result.fate == "replaced"]
    mark = REAPPLY.mark if replaced else OVER.mark
    counted = sum(result.fate != "exempt" and result.state is not None for result in group.results)
    parts = [f"{short(group.frozen)} frozen"] if group.frozen else []
    parts.append(f"{counted} fresh {short(group.fresh)}")
    head = line(mark, Span(f" group {group.number}", "strong"), f": {' + '.join(parts)} ")
    limit = Span(f"> {short(group.limit)}", "over")
    if not replaced:
        return (*head, limit, Span(" → nothing replaced", "dim"))
    return (*head, limit, Span(" → "), *_named(replaced[0]), Span(" replaced", "reapply"), *_others(replaced))


def _others(replaced: Sequence[Result]) -> Line:
    return (Span(f", {plural(len(replaced) - 1, 'other')}", "reapply"),) if len(replaced) > 1 else ()


def _about_result(event: Event) -> Line:
    group, position = event.group, event.result
    assert group is not None
    assert position is not None
    result = group.results[position]
    head = (Span(f" group {group.number}", "strong"), Span(": "))
    if event.kind == "drift":
        return (OVER.mark, *head, *_named(result), Span(" drift: ", "over"), foreign(event.text))
    threshold = result.threshold.chars
    over = f" > {short(threshold)}" if math.isfinite(threshold) and result.row.chars > threshold else ""
    label = foreign(f"  {result.row.label}", "dim")
    return (PERSISTED.mark, *head, *_named(result), Span(over), Span(" → "), Span("persisted", "persisted"), label)


def _named(result: Result) -> Line:
    return (foreign(tool_name(result.row.tool)), Span(f" {short(result.row.chars)}"))


def subject_of(item: Item, reading: Reading | None) -> Key | None:
    """The row of the list that an event is about, as far as it is still there."""
    if isinstance(item, Note) or item.group is None or reading is None:
        return None
    if item.result is None:
        groups = _groups_from(reading, item.group.number, 1)
        return Key(2 * groups[0].number) if groups else None
    return key_of_result(reading, item.group.number, item.group.results[item.result].row.tool_use_id)


def key_of_result(reading: Reading, number: int, tool_use_id: str | None) -> Key | None:
    """The row of a result that stood in the group of a number when that was told."""
    for group in _groups_from(reading, number, _NEAR):
        for position, result in enumerate(group.results):
            if result.row.tool_use_id == tool_use_id:
                return Key(2 * group.number, position)
    return None


def _groups_from(reading: Reading, number: int, count: int) -> list[Group]:
    groups = list(reading.groups[number : number + count])
    return [*groups, reading.pending] if reading.pending is not None and len(groups) < count else groups


def nothing_happened(width: int) -> Sequence[Line]:
    """What an empty list says."""
    told = "Each result that is persisted or replaced, each compaction, and what is out of the ordinary, becomes a line."
    return _said(width, "Nothing was decided yet.", told)


def looking(width: int) -> Sequence[Line]:
    """What an empty list says while its lines are looked for."""
    return _said(width, "Looking through the session …")


def _said(width: int, *sentences: str) -> Sequence[Line]:
    facts = Facts(max(1, width - 4))
    for at, sentence in enumerate(sentences):
        facts.gap()
        facts.say(line(Span(sentence, "" if at else "title")))
    return [(Span("  "), *spans) for spans in facts.lines]
