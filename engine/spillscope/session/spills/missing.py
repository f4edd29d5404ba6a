"""How many files that a transcript names are gone (spec S6). Opens none, and reads no sub-agent."""

from __future__ import annotations

from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.session.spills.listing import Source, find_spills
from spillscope.transcript.layout import TOOL_RESULTS
from spillscope.transcript.spill_files import SpillFile


def count_missing(session: Session, reading: Reading) -> int:
    """The spills of a transcript that an audit would call missing. Safe beside a thread that refreshes the session."""
    founds = find_spills(Source(session, reading), ())
    return sum(found.notice is not None and is_missing(found.spill.file, session) for found in founds)


def is_missing(file: SpillFile, session: Session) -> bool:
    """Whether a file that a notice names should be here, and is not."""
    return not file.exists if file.inside else named_own(file.path, session)


def named_own(path: str, session: Session) -> bool:
    """Whether a path names this session's own folder, in another place: the session was moved."""
    parts = path.replace("\\", "/").split("/")
    return parts[-3:-1] == [session.place.directory.name, TOOL_RESULTS]
