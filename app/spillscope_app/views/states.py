"""What the list says when it has nothing to list: what it waits for, or what to do."""

from __future__ import annotations

from collections.abc import Sequence

from spillscope_app.format import compact
from spillscope_app.picture import Picture
from spillscope_app.spans import Line, Paint, Span, foreign, line
from spillscope_app.views.facts import Facts


def nothing_to_list(picture: Picture) -> Paint:
    """The empty, waiting, reading and error states."""
    title, rest = waiting_words(picture)

    def paint(width: int) -> Sequence[Line]:
        facts = Facts(max(1, width - 4))
        facts.gap()
        facts.say((Span(title, "over" if picture.trouble else "title"),))
        for sentence in rest:
            facts.gap()
            facts.say(sentence)
        return [(Span("  "), *spans) for spans in facts.lines]

    return paint


def waiting_words(picture: Picture) -> tuple[str, list[Line]]:
    """What is waited for, or what to do, as a title and sentences."""
    if not picture.path:
        return "No session is open.", [line(Span("6", "strong"), " lists all that there are; enter opens one.")]
    where = line(foreign(picture.path, "dim"))
    if picture.trouble is not None:
        again = line("It is tried again every two seconds. q leaves.")
        return "This session can't be read.", [line(foreign(picture.trouble)), where, again]
    if picture.reading is None:
        done, total = picture.progress
        far = f"{100 * done // total} % of {compact(total)} bytes" if total else ""
        return f"Reading the session … {far}", [where]
    if not picture.reading.session.exists:
        appears = line("It appears here as soon as an agent writes its first record. q leaves.")
        return "Waiting for a session that is not there yet.", [where, appears]
    begins = line("Each message that brings tool results becomes a row here, the newest last. ? explains the words.")
    return "No tool results yet.", [begins, where]
