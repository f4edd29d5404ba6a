"""How many files that a transcript names are gone (spec S6). Opens none, and reads no sub-agent."""

from __future__ import annotations

import os

from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.session.spills.listing import Source, named_spills
from spillscope.transcript.layout import TOOL_RESULTS
from spillscope.transcript.spill_files import SpillFile


def count_missing(session: Session, reading: Reading) -> int:
    """The spills of a transcript that an audit would call missing. Safe beside a thread that refreshes the session."""
    return sum(is_missing(found.spill.file, session) for found in named_spills(Source(session, reading)))


def is_missing(file: SpillFile, session: Session) -> bool:
    """Whether a file that a notice names should be here, and is not."""
    return not file.exists if file.inside else named_own(file.path, session)


def named_own(path: str, session: Session) -> bool:
    """Whether a path names this session's own folder in another place: the session was moved. A link out of it does not."""
    folder = session.place.tool_results
    parts = path.replace("\\", "/").split("/")
    here = os.path.dirname(path) in (os.path.abspath(folder), os.path.realpath(folder))  # noqa: PTH100, PTH120
    return not here and parts[-3:-1] == [session.place.directory.name, TOOL_RESULTS]
