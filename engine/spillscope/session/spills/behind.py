"""What a transcript holds of one of its spills: what the model got in its place, and a copy of the original (spec S5, S6)."""

from __future__ import annotations

from collections.abc import Iterator

from spillscope.session.contents import look
from spillscope.session.reading import Reading, Result
from spillscope.session.session import Session
from spillscope.session.spills.evidence import notice_of
from spillscope.session.spills.listing import Found, Source
from spillscope.session.spills.model import Spill
from spillscope.transcript.spill_files import base_name


def result_behind(spill: Spill, reading: Reading) -> Result | None:
    """The result that was spilled, where it stands in a group of a reading of its own transcript."""
    waiting = reading.pending
    if spill.group is None:
        return None
    if waiting is not None and waiting.number == spill.group:
        group = waiting
    elif spill.group < len(reading.groups):
        group = reading.groups[spill.group]
    else:
        return None
    return next((result for result in group.results if result.row.tool_use_id == spill.tool_use_id), None)


def seen_of(session: Session, reading: Reading, spill: Spill) -> str | None:
    """All that the model got in a spill's place, of a result or of an attachment; None where nothing tells.

    Safe beside a thread that refreshes the session.
    """
    result = result_behind(spill, reading)
    if result is not None:
        return look(session, result, "model").text
    try:
        return next((text for found in _noticed(session, reading, spill) if (text := notice_of(found)) is not None), None)
    except LookupError:  # the file was rewritten meanwhile
        return None


def kept_of(session: Session, reading: Reading, spill: Spill) -> str | None:
    """The agent's local copy of the original in the transcript; None where it keeps none."""
    result = result_behind(spill, reading)
    kept = look(session, result, "original") if result is not None else None
    return kept.text if kept is not None and kept.source == "local" else None


def _noticed(session: Session, reading: Reading, spill: Spill) -> Iterator[Found]:
    """Where the notice of a spill stands that belongs to no group: on a branch that was left, or in an attachment."""
    source = Source(session, reading)
    if spill.row is not None:
        yield Found(spill, source, spill.row.notice, spill.row.record)
        return
    for attached in list(session.index.attached):
        if base_name(attached.notice.path) == base_name(spill.file.path):
            yield Found(spill, source, attached.notice, attached.member)
