"""What the Spills screen says above its list, and in the list's place where there is nothing to list."""

from __future__ import annotations

from collections.abc import Sequence

from spillscope.session.spills import BadgeName, Inventory
from spillscope_app.disk import Disk, Heap
from spillscope_app.format import age, compact, plural
from spillscope_app.picture import Picture
from spillscope_app.spans import Line, Paint, Piece, Span, foreign, line, spread, width_of
from spillscope_app.views.badges import BADGES
from spillscope_app.views.facts import Facts
from spillscope_app.views.states import nothing_to_list
from spillscope_app.widgets.choices import Choice


def sums_line(inventory: Inventory | None, disk: Disk | None, now: float, width: int) -> Line:
    """How many spills, and what they take on disk: of this session, of its project, of all."""
    at_left: list[Piece] = []
    if inventory is not None:
        at_left.append(Piece(9, (Span(plural(len(inventory.spills), "spill"), "strong"),)))
        on_disk = f"{plural(inventory.files, 'file')}, {compact(inventory.bytes)} bytes on disk"
        at_left.append(Piece(8, (Span(on_disk),)))
        if inventory.oldest is not None:
            at_left.append(Piece(6, (Span(f"oldest {age(now - inventory.oldest)}", "dim"),)))
    at_right: list[Piece] = []
    if disk is not None:
        if disk.project.files:
            at_right.append(Piece(5, _heap("project", disk.project)))
        if disk.every is not None and disk.every.files:
            at_right.append(Piece(4, _heap("all projects", disk.every)))
    return (Span(" "), *spread(at_left, at_right, max(0, width - 2)), Span(" "))


def _heap(name: str, heap: Heap) -> Line:
    return line(Span(f"{name} {compact(heap.bytes)} bytes in {plural(heap.files, 'file')}", "dim"))


def badge_choices(inventory: Inventory | None, chosen: BadgeName | None, width: int) -> list[Choice]:
    """How often each badge was given, the gravest first; a click shows those alone. The last names give way to the width."""
    counts = [(name, inventory.counts[name]) for name in BADGES if inventory and inventory.counts.get(name)]
    for named in range(len(counts), -1, -1):
        choices = [
            _badge_choice(name, count, is_chosen=name == chosen, is_named=at < named) for at, (name, count) in enumerate(counts)
        ]
        if sum(width_of(choice.words) for choice in choices) <= width:
            break
    return choices


def _badge_choice(name: BadgeName, count: int, *, is_chosen: bool, is_named: bool) -> Choice:
    word = BADGES[name]
    text = f" {word.name}" if is_named or is_chosen else ""
    if is_chosen:
        return Choice(name, (Span("[", "faint"), word.mark, Span(f"{text} {count:,}", "pick"), Span("]", "faint")))
    return Choice(name, (Span(" "), word.mark, Span(text, word.ink), Span(f" {count:,} ", "strong")))


def nothing_spilled(picture: Picture, inventory: Inventory | None) -> Paint:
    """Waiting, auditing, and empty."""
    if picture.reading is None or not picture.path or not picture.reading.session.exists:
        return nothing_to_list(picture)
    if inventory is None:
        return _sentences([line(Span("Looking at the spilled files …", "title"))])
    where = line(foreign(picture.path, "dim"))
    return _sentences(
        [
            line(Span("No tool result of this session was spilled yet.", "title")),
            line(
                "A result over its tool's threshold goes to a file, and so do the largest of a message that is over its "
                "budget; each such file becomes a row here."
            ),
            where,
        ]
    )


def nothing_passes(width: int) -> Sequence[Line]:
    """A filter that hides all."""
    return [(), line(Span("  No spill passes this filter. ", "title"), Span("x clears it.", "dim"))]


def _sentences(sentences: Sequence[Line]) -> Paint:
    def paint(width: int) -> Sequence[Line]:
        facts = Facts(max(1, width - 4))
        for sentence in sentences:
            facts.gap()
            facts.say(sentence)
        return [(Span("  "), *spans) for spans in facts.lines]

    return paint
