"""What is found of a spilled file, and where it came from: each with its one glyph, its one ink and its words."""

from __future__ import annotations

from collections.abc import Iterable

from spillscope.session.spills import BadgeName, Origin, Spill
from spillscope_app.spans import Line, Span, left, width_of
from spillscope_app.views.words import Word

BADGES: dict[BadgeName, Word] = {
    "missing": Word("✗", "over", "missing", "The model was told of a file that is not there any more."),
    "unreadable": Word("✗", "over", "unreadable", "The file is there, but it can't be read."),
    "outside": Word("↗", "over", "outside", "It lies in no tool-results folder of this project, so it is not opened."),
    "size": Word("≠", "over", "size", "The file is not as large as the notice says."),
    "content": Word("≠", "over", "content", "The file does not hold what the transcript holds of it."),
    "preview": Word("≠", "over", "preview", "The file does not begin with the preview that the model got."),
    "orphan": Word("?", "warn", "orphan", "No notice and no call names the file, and no result is called like it."),
    "shared": Word("&", "warn", "shared", "More than one result names this one file."),
    "hidden error": Word("!", "warn", "hidden error", "The end of the file tells of an error that the preview does not show."),
    "cascade": Word("»", "warn", "cascade", "A read of a spill was spilled again."),
    "re-read whole": Word("●", "warn", "read whole", "The model read all of it later: paid for twice."),
    "re-read in part": Word("◐", "gauge", "read in part", "The model read a part of it later."),
    "other session": Word("←", "dim", "elsewhere", "It lies in the folder of another session of this project."),
    "kept in transcript": Word("≡", "dim", "kept", "The transcript holds its full text as well."),
    "never re-read": Word("○", "dim", "never read", "The model saw the preview alone."),
}
"""The gravest first; a list shows them in this order."""
RANKS = {name: rank for rank, name in enumerate(BADGES)}
"""The place of each, from the gravest on."""


ORIGINS: dict[Origin, Word] = {
    "result": Word("↓", "persisted", "result", "Written at the source: the result was over its tool's threshold."),
    "budget": Word("↻", "reapply", "budget", "Written by the budget: the results of one message were too much together."),
    "hook": Word("↓", "persisted", "hook", "What a hook printed, or spilled of a result: too long for the context."),
    "mcp": Word("↓", "persisted", "mcp", "The result of an MCP server that had more tokens than are allowed."),
    "microcompact": Word("╎", "warn", "microcompact", "Written when the agent cleared old results out of the context."),
    "unknown": Word("·", "dim", "unknown", "Unknown: nothing in the transcript says what wrote it."),
}
"""In the order in which a filter goes through them."""


def in_rank(names: Iterable[BadgeName]) -> list[BadgeName]:
    """Badges, the gravest first."""
    return sorted(names, key=RANKS.__getitem__)


def words_of(spill: Spill) -> list[Word]:
    """What is found of a spill, the gravest first."""
    return [BADGES[name] for name in in_rank([badge.name for badge in spill.badges])]


def badges_line(spill: Spill) -> Line:
    """All that is found of a spill, in words."""
    return tuple(span for at, word in enumerate(words_of(spill)) for span in ((Span("  "), *word.told) if at else word.told))


def badge_cell(spill: Spill, cells: int) -> Line:
    """All badges of a spill in exactly so many cells: the gravest in words as far as there is room, the others as glyphs."""
    words = words_of(spill)
    for told in range(len(words), -1, -1):
        spans: list[Span] = []
        for at, word in enumerate(words):
            gap = (Span("  " if at <= told and at < len(words) and told else " "),) if at else ()
            spans += (*gap, *(word.told if at < told else (word.mark,)))
        if width_of(spans) <= cells:
            break
    return left(tuple(spans) if words else (Span(""),), cells)
