"""What became of a spill: later calls that read it back, and what that cost (spec R3, T3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from spillscope.session.session import Session
from spillscope.session.spills.listing import Found, Source
from spillscope.session.spills.model import Badge
from spillscope.transcript.content import read_record
from spillscope.transcript.layout import is_helper
from spillscope.transcript.mentions import Mention
from spillscope.transcript.spill_files import base_name

WHOLE = 0.9
"""The share of a file's text from which on a result counts as all of it."""


class Reread(NamedTuple):
    """A call that names a spill file: units and tokens (T3) that the model got from it; 0 where it got nothing (yet)."""

    source: Source
    mention: Mention
    chars: int
    tokens: int


def rereads_of(found: Found, sources: Iterable[Source]) -> list[Reread]:
    """The later calls of the spill's own transcript, and all calls of the others, each once; a helper fork only repeats."""
    calls: dict[tuple[str, str] | int, Reread] = {}
    for source in sources:
        own = source is found.source
        if not own and is_helper(source.session.place.agent_id or ""):
            continue
        name = base_name(found.spill.file.path)
        for mention in source.later(found.spill.file, found.member) if own else source.mentions.get(name, ()):
            key = (mention.tool_use_id, name) if mention.tool_use_id else len(calls)
            calls.setdefault(key, Reread(source, mention, *_got(source.session, mention.tool_use_id)))
    return list(calls.values())


def _got(session: Session, tool_use_id: str) -> tuple[int, int]:
    """Units and tokens of what the model saw of a result."""
    index = session.index
    replacement = index.replacements.get(tool_use_id)
    if replacement is not None:
        return replacement.chars, replacement.tokens
    for member in index.results_of.get(tool_use_id, ()):
        if session.chain.position(member) is not None:
            for at in index.rows_of(member):
                if index.rows[at].tool_use_id == tool_use_id:
                    return index.rows[at].model_chars, index.rows[at].tokens
    return 0, 0


def reread_badge(found: Found, rereads: list[Reread]) -> Badge | None:
    """Never, in part or whole. None where the model could not have read it back, or got no preview that would have told it."""
    spill = found.spill
    if not rereads:
        words = f"No later call names the file: of {_size(spill.chars)} the model only saw {spill.tokens_preview:,} tokens."
        return Badge("never re-read", words) if found.notice is not None and found.sent else None
    tokens = sum(reread.tokens for reread in rereads)
    calls = f"{len(rereads)} later call{'' if len(rereads) == 1 else 's'}"
    paid = f"{spill.tokens_preview:,} tokens for the preview and {tokens:,} for reading"
    if _whole(found, rereads):
        return Badge("re-read whole", f"Read back whole, by {calls}, so paid for twice: {paid}.")
    return Badge("re-read in part", f"Read back in part, by {calls}: {paid}.")


def _size(chars: int | None) -> str:
    return "unknown size" if chars is None else f"{chars:,} chars"


def _whole(found: Found, rereads: list[Reread]) -> bool:
    """By what came back, where the file's size is known; else by what was asked for."""
    file = found.spill.file
    size = found.source.session.files.count_text(file) or found.spill.chars or file.bytes
    if not size:
        return any(_asks_for_all(reread) for reread in rereads)
    if max(reread.chars for reread in rereads) >= WHOLE * size:
        return True
    if sum(reread.chars for reread in rereads) < WHOLE * size:
        return False
    pieces = {ask: reread.chars for reread in rereads if (ask := _piece(reread)) is not None}
    return sum(pieces.values()) >= WHOLE * size


def _piece(reread: Reread) -> tuple[object, object] | None:
    """Which lines a Read asked for; None for any other call."""
    tool, arguments = _call(reread)
    ask = arguments.get("offset"), arguments.get("limit")
    return ask if tool == "Read" and all(isinstance(part, int | float | None) for part in ask) else None


def _asks_for_all(reread: Reread) -> bool:
    tool, arguments = _call(reread)
    if tool == "Read":
        return _piece(reread) == (None, None)
    command = arguments.get("command")
    return isinstance(command, str) and command.lstrip().startswith("cat ") and not set(command) & set("|;&><\n")


def _call(reread: Reread) -> tuple[object, dict[str, Any]]:
    """Name and input of a call, read back from its record."""
    session = reread.source.session
    record = read_record(session.place.path, session.index, reread.mention.member)
    for block in _blocks(record):
        if block.get("id") == reread.mention.tool_use_id and isinstance(block.get("input"), dict):
            return block.get("name"), block["input"]
    return None, {}


def _blocks(record: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    message = record.get("message") if record is not None else None
    content = message.get("content") if isinstance(message, dict) else None
    return (block for block in content if isinstance(block, dict)) if isinstance(content, list) else iter(())
