"""How many files that a transcript names are gone (spec S6). Opens none, and reads no sub-agent."""

from __future__ import annotations

from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.session.spills.listing import Source, named_spills
from spillscope.transcript.spill_files import SpillFile


def count_missing(session: Session, reading: Reading) -> int:
    """The spills of a transcript that an audit would call missing. Safe beside a thread that refreshes the session."""
    return sum(is_missing(found.spill.file) for found in named_spills(Source(session, reading)))


def is_missing(file: SpillFile) -> bool:
    """Whether a file that a notice names should be here, and is not."""
    return not file.exists if file.inside else file.moved
