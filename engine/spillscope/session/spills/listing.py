"""Which spilled files a session has: what names each, and where it came from (spec S6, S9). Opens none of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from spillscope.session.reading import Group, Reading
from spillscope.session.session import Session
from spillscope.session.sidechains import agent_sessions
from spillscope.session.spills.mismatch import mismatch_of
from spillscope.session.spills.model import Origin, Spill
from spillscope.transcript.entries import Replacement
from spillscope.transcript.layout import is_helper
from spillscope.transcript.mentions import Attached, Mention
from spillscope.transcript.rows import Notice, ResultRow
from spillscope.transcript.spill_files import SpillFile, base_name


class Source:
    """One transcript, and the calls on its chain that name spill files, by the file's name.

    `until`: the first member that was not there yet, where the past is looked at.
    """

    def __init__(self, session: Session, reading: Reading, until: int | None = None) -> None:
        self.session, self.reading, self.until = session, reading, until
        self.mentions: dict[str, list[Mention]] = {}
        position = session.chain.position
        for mention in list(session.index.mentions):
            if position(mention.member) is not None and self.has(mention.member):
                self.mentions.setdefault(mention.name, []).append(mention)

    def has(self, member: int) -> bool:
        """Whether a member was there."""
        return self.until is None or member < self.until

    @property
    def moment(self) -> float | None:
        """When the past is that is looked at, in seconds; None for the present, and where nothing tells."""
        stamp = None if self.until is None else self.session.index.stamps[self.until]
        return stamp if stamp == stamp else None

    @cached_property
    def groups_of(self) -> dict[ResultRow, int]:
        """The number of the group that a result stands in."""
        groups = [*self.reading.groups, *([self.reading.pending] if self.reading.pending is not None else [])]
        return {result.row: group.number for group in groups for result in group.results}

    def later(self, file: SpillFile, member: int) -> list[Mention]:
        """R3: the calls made after a member that name the file."""
        return [mention for mention in self.mentions.get(base_name(file.path), ()) if mention.member > member]


class Found(NamedTuple):
    """A spill and what named it: `member` of `source`, -1 where nothing did. `sent`: a later request could read it back."""

    spill: Spill
    source: Source
    notice: Notice | None = None
    member: int = -1
    sent: bool = False


def list_spills(session: Session, reading: Reading) -> Iterator[Spill]:
    """The spills that a transcript names, in its order, then those of its sub-agents, then the files that nothing names."""
    for found in find_spills(Source(session, reading), read_agents(session)):
        yield found.spill._replace(mismatch=mismatch_of(found.source.session, found.spill, found.notice))


def read_agents(session: Session) -> Iterator[Source]:
    """Each sub-agent that has a file of its own, read."""
    for agent in agent_sessions(session):
        try:
            yield Source(agent, agent.refresh())
        except OSError:  # not ours to read
            continue


def find_spills(main: Source, agents: Iterable[Source]) -> Iterator[Found]:
    """As `list_spills`, with what named each and nothing compared. What a helper fork only repeats (S10) is left out."""
    files = main.session.files
    names = files.names() if main.session.place.parent is None else []
    stems = {Path(name).stem for name in names}
    owners: dict[str, Source] = {}
    told: set[tuple[str, str | None]] = set()
    for source in _chained(main, agents):
        helper = is_helper(source.session.place.agent_id or "")
        for found in named_spills(source):
            mark = _key(found.spill.file), found.spill.tool_use_id
            if not (helper and mark in told):
                told.add(mark)
                yield found
        known = source.session.index.results_of
        for stem in stems:
            if stem in known:
                owners.setdefault(stem, source)
    keys = {key for key, _ in told}
    for file in files.listing(name for name in names if name not in keys):
        if _key(file) not in keys:
            found = _unnamed(file, owners.get(Path(file.path).stem), main)
            if _was_there(found, main.moment):
                yield found


def _chained(first: Source, others: Iterable[Source]) -> Iterator[Source]:
    yield first
    yield from others


def named_spills(source: Source) -> Iterator[Found]:
    """Those that one transcript names. Safe beside a thread that refreshes its session."""
    index, reading = source.session.index, source.reading
    for attached in list(index.attached):
        if source.has(attached.member):
            yield _of_attachment(source, attached)
    listed: set[tuple[int, int]] = set()
    for group in [*reading.groups, *([reading.pending] if reading.pending is not None else [])]:
        for result in group.results:
            row = result.row
            if not source.has(row.record):  # a sub-agent's reading is that of now
                continue
            replacement = index.replacements.get(row.tool_use_id)
            if row.notice is not None:
                listed.add((row.record, row.block))
                yield _of_row(source, row, row.notice, group)
            if replacement is not None and replacement.notice is not None:
                yield _of_replacement(source, row, replacement, replacement.notice, group)
    for row in list(index.rows):
        if row.notice is not None and source.has(row.record) and (row.record, row.block) not in listed:
            # on a branch that was left
            yield _of_row(source, row, row.notice, None)


def _of_attachment(source: Source, attached: Attached) -> Found:
    session, member = source.session, attached.member
    file = session.files.find(attached.notice.path)
    origin: Origin = "hook" if attached.of_hook else "unknown"
    spill = Spill(
        None, None, file, origin, len(source.later(file, -1)), None, session.place.agent_id,
        label=attached.name or attached.kind, tokens_preview=attached.tokens,
    )  # fmt: skip
    return Found(spill, source, attached.notice, member, _was_sent(source, member))


def _was_sent(source: Source, member: int) -> bool:
    """Whether a response has come after a member."""
    answered = (response.members for response in reversed(source.session.index.responses) if response.members)
    return next((members[-1] > member for members in answered if source.has(members[0])), False)


def _of_row(source: Source, row: ResultRow, notice: Notice, group: Group | None) -> Found:
    origin: Origin = "hook" if row.by_hook else "mcp" if notice.size.endswith("characters") else "result"
    return _of_result(source, row, notice, group, origin, row.tokens)


def _of_replacement(source: Source, row: ResultRow, replacement: Replacement, notice: Notice, group: Group) -> Found:
    return _of_result(source, row, notice, group, "budget", replacement.tokens)


def _of_result(
    source: Source, row: ResultRow, notice: Notice, group: Group | None, origin: Origin, tokens_preview: int
) -> Found:
    session = source.session
    file = session.files.find(notice.path)
    spill = Spill(
        row.tool_use_id, row.tool, file, origin, len(source.later(file, row.record)), None, session.place.agent_id,
        label=row.label,
        group=None if group is None else group.number,
        chars=None if row.chars_source == "unknown" else row.chars,
        tokens_preview=tokens_preview,
        row=row,
    )  # fmt: skip
    return Found(spill, source, notice, row.record, group is not None and group.assistant_id is not None)


def _unnamed(file: SpillFile, owner: Source | None, main: Source) -> Found:
    """S9: a file that no notice names; a microcompaction's where a boundary named the id, else nobody can say."""
    if owner is None:
        return Found(Spill(None, None, file, "unknown", len(main.later(file, -1)), None, None), main)
    session, tool_use_id = owner.session, Path(file.path).stem
    index = session.index
    origin: Origin = "microcompact" if tool_use_id in index.cleared else "unknown"
    member = index.results_of[tool_use_id][0]
    row = next(index.rows[at] for at in index.rows_of(member) if index.rows[at].tool_use_id == tool_use_id)
    group = owner.groups_of.get(row)
    spill = Spill(
        tool_use_id, row.tool, file, origin, len(owner.later(file, member)), None, session.place.agent_id,
        label=row.label, group=group, chars=row.chars, row=row,
    )  # fmt: skip
    return Found(spill, owner, None, member, group is not None and group < len(owner.reading.groups))


def _was_there(found: Found, moment: float | None) -> bool:
    """Whether a file that no notice names had been written: the result that it is called like tells, else its own time."""
    if found.member >= 0 or moment is None:
        return found.source.has(found.member)
    try:
        return not found.spill.file.exists or Path(found.spill.file.path).stat().st_mtime <= moment
    except OSError:
        return True


def _key(file: SpillFile) -> str:
    """What tells files apart: their names inside, for a session may have been moved; whole paths outside."""
    return base_name(file.path) if file.inside and not file.other_session else file.path
