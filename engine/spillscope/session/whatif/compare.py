"""The what-if of one session: ask as often as a key repeats (spec R3, R4)."""

from __future__ import annotations

from collections.abc import Iterable

from spillscope.limits_sources import LimitsBook
from spillscope.session.session import Session
from spillscope.session.spills.model import Spill
from spillscope.session.whatif.comparison import Comparison, Mode


class WhatIf:
    """A session's results in columns, decided twice. A new question costs what it changes, an append what was appended.

    Like its session not safe for two threads at once: call it where the session is refreshed, or hold a lock around both.
    """

    def __init__(self, session: Session, base: LimitsBook | None = None) -> None:
        """`base`: the limits in force; by default the session's own."""
        raise NotImplementedError

    def follow(self) -> None:
        """Take in what the session got since; call it after `session.refresh()`."""
        raise NotImplementedError

    def note_rereads(self, spills: Iterable[Spill]) -> None:
        """What is known of spills that were read back (`reread`, `tokens_reread`)."""
        raise NotImplementedError

    def compare(self, edited: LimitsBook, mode: Mode = "start", *, since: int | None = None, factor: float = 1.0) -> Comparison:
        """What the edit does. `since`: for "now": the first request decided under it; None: the one that is to go out next.

        `factor`: tokens that the session's model makes of one T3 token (T9).
        """
        raise NotImplementedError


def what_if(
    session: Session,
    base: LimitsBook,
    edited: LimitsBook,
    mode: Mode = "start",
    *,
    since: int | None = None,
    factor: float = 1.0,
) -> Comparison:
    """One question asked once of a session that was refreshed."""
    return WhatIf(session, base).compare(edited, mode, since=since, factor=factor)
