"""The sub-agents of a session, each with its own gauge (spec S1, S10)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from spillscope.session.session import Session
from spillscope.transcript.layout import beside_agents, is_helper, place_of, sidechain_files
from spillscope.transcript.parse import parse_line
from spillscope.window.models import resolve_window
from spillscope.window.thresholds import Window


class SubAgent(NamedTuple):
    """`records`: JSON objects in its file, or its records in the main one. `context_tokens`: T4 over them alone.

    `helper`: a fork that repeats its parent's context, never summed as work of the session. `window`: its own gauge's (W1);
    None where it can't be read.
    """

    agent_id: str | None
    path: str
    records: int
    context_tokens: int
    helper: bool
    window: Window | None = None


def agent_sessions(session: Session) -> Iterator[Session]:
    """A session for each sub-agent that has a file of its own, not yet read."""
    own = session.place
    for path in sidechain_files(own):
        yield Session(place_of(path), session.book)
    for path in beside_agents(own):
        if session_of(path) == own.id:
            yield Session(place_of(path), session.book)


def sub_agents(session: Session) -> Iterator[SubAgent]:
    """Every sub-agent of a session that was read: those with files, then those inside the main file."""
    for agent in agent_sessions(session):
        name = agent.place.agent_id
        helper = name is not None and is_helper(name)
        try:
            reading = agent.refresh()
        except OSError:  # not ours to read: it is there, and the rest is still shown
            yield SubAgent(name, str(agent.place.path), 0, 0, helper)
        else:
            context = reading.context
            yield SubAgent(name, str(agent.place.path), reading.session.records, context.tokens, helper, context.window)
    limits = session.book.for_version(session.index.version)
    for chain in session.index.sidechains.found:
        window = resolve_window(chain.model, chain.largest_usage, limits)
        yield SubAgent(chain.agent_id, str(session.place.path), chain.records, chain.count.total, False, window)


def session_of(path: Path) -> str | None:
    """The session that a sub-agent's file names in its first line."""
    try:
        with path.open("rb") as file:
            records = parse_line(file.readline(1 << 20)).records
    except OSError:
        return None
    named = records[0].get("sessionId") if records else None
    return named if isinstance(named, str) else None
