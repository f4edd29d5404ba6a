"""Every spilled file of a session: what names it, whether it is there, and whether the model read it back (spec S6, S9)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.session.sidechains import agent_sessions
from spillscope.session.spills.model import Origin, Spill
from spillscope.transcript.content import read_content
from spillscope.transcript.rows import Notice, ResultRow
from spillscope.transcript.spill_files import MAX_COUNTED_BYTES, SpillFile, base_name
from spillscope.wrapper import fits_header, parse_wrapper


def list_spills(session: Session, reading: Reading) -> Iterator[Spill]:
    """The spills that a transcript names, in its order, then those of its sub-agents, then the files that nothing names."""
    named: set[str] = set()
    for spill in _named(session, reading):
        named.add(_key(spill.file))
        yield spill
    for agent in agent_sessions(session):
        try:
            agent_reading = agent.refresh()
        except OSError:  # not ours to read
            continue
        for spill in _named(agent, agent_reading):
            named.add(_key(spill.file))
            yield spill
    if session.place.parent is None:
        yield from _unnamed(session, named)


def _named(session: Session, reading: Reading) -> Iterator[Spill]:
    index, agent = session.index, session.place.agent_id
    for notice in index.hook_notices:
        file = session.files.find(notice.path)
        yield Spill(None, None, file, "hook", _reread(session, file, -1), _size_mismatch(session, notice, file), agent)
    groups = [*reading.groups, *([reading.pending] if reading.pending is not None else [])]
    for group in groups:
        for result in group.results:
            row = result.row
            replacement = index.replacements.get(row.tool_use_id)
            if row.notice is not None:
                yield _spill_of(session, row, row.notice, _origin(row.notice), _mismatch(session, row, row.notice))
            if replacement is not None and replacement.notice is not None:
                file = session.files.find(replacement.notice.path)
                mismatch = _size_mismatch(session, replacement.notice, file)
                yield _spill_of(session, row, replacement.notice, "budget", mismatch)


def _spill_of(session: Session, row: ResultRow, notice: Notice, origin: Origin, mismatch: str | None) -> Spill:
    file = session.files.find(notice.path)
    reread = _reread(session, file, row.record)
    return Spill(row.tool_use_id, row.tool, file, origin, reread, mismatch, session.place.agent_id)


def _origin(notice: Notice) -> Origin:
    return "mcp" if notice.size.endswith("characters") else "result"


def _unnamed(session: Session, named: set[str]) -> Iterator[Spill]:
    """S9: files that no notice names; a microcompaction's where a boundary named the id, else nobody can say."""
    index = session.index
    rows = {row.tool_use_id: row for row in index.rows}
    for file in session.files.listing():
        if _key(file) in named:
            continue
        tool_use_id = Path(file.path).stem
        row = rows.get(tool_use_id)
        origin: Origin = "microcompact" if tool_use_id in index.cleared else "unknown"
        reread = _reread(session, file, -1 if row is None else row.record)
        tool = None if row is None else row.tool
        yield Spill(None if row is None else tool_use_id, tool, file, origin, reread, None, None)


def _key(file: SpillFile) -> str:
    """What tells files apart: their names inside, for a session may have been moved; whole paths outside."""
    return base_name(file.path) if file.inside and not file.other_session else file.path


def _reread(session: Session, file: SpillFile, after: int) -> int:
    """R3: calls made later that name the file."""
    name = base_name(file.path)
    chain = session.chain
    return sum(
        mention.name == name and mention.member > after and chain.position(mention.member) is not None
        for mention in session.index.mentions
    )


def _mismatch(session: Session, row: ResultRow, notice: Notice) -> str | None:
    file = session.files.find(notice.path)
    wrong_size = _size_mismatch(session, notice, file)
    if wrong_size is not None or not file.inside or not file.exists:
        return wrong_size
    content = read_content(session.place.path, session.index, row)
    wrapper = parse_wrapper(content) if isinstance(content, str) else None
    if wrapper is None or not wrapper.preview:
        return None
    head = _head(file, 4 * len(wrapper.preview) + 8)
    return "preview" if head is not None and not head.startswith(wrapper.preview) else None


def _head(file: SpillFile, count: int) -> str | None:
    try:
        with Path(file.path).open("rb") as opened:
            return opened.read(count).decode(errors="replace")
    except OSError:
        return None


def _size_mismatch(session: Session, notice: Notice, file: SpillFile) -> str | None:
    """ "size" where the header fits neither units nor bytes; unknown where the file can't be measured."""
    if not file.inside or not file.exists or file.bytes is None or not notice.size:
        return None
    if fits_header(file.bytes, notice.size) or file.bytes > MAX_COUNTED_BYTES:
        return None
    counted = session.files.count(file)
    text_units = session.files.count_text(file)
    return None if any(count is not None and fits_header(count, notice.size) for count in (counted, text_units)) else "size"
