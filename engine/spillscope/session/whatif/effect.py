"""Why a value can have no effect (tui: Tools)."""

from __future__ import annotations

from spillscope.limits_sources import LimitsBook
from spillscope.session.session import Session


def no_effect(session: Session, book: LimitsBook, key: str) -> str | None:
    """Why the value that `book` gives a key does nothing in this session, in one sentence; None where it can.

    `key` is a dotted key of a limits file: `overrides.Bash`, `declared.Read`, `default_threshold`, `message_budget`, `window`.
    """
    raise NotImplementedError
