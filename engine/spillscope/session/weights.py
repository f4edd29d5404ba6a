"""The weight of each member of an index, counted when somebody wants it, slice by slice (spec T8, S7)."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from spillscope.session.contents import MAX_RECORD_BYTES, replacement_text
from spillscope.session.session import Session
from spillscope.tokens.bpe import slices
from spillscope.tokens.texts import attachment_texts, leaves, texts
from spillscope.tokens.weight import NOTHING, Weight, weigh_slice
from spillscope.transcript.content import read_record
from spillscope.transcript.index import OTHER, PROGRESS
from spillscope.transcript.parse import Record
from spillscope.transcript.plain import plain_records, read_plain

COUNTED, ODD, ATTACHMENT, EDIT, PROMPT, UNREAD, LOOKED = (1 << bit for bit in range(7))
"""What is known of a member: that it was counted, or only looked at (`LOOKED`); that it holds an image, a reference or another
block that is no text; that it is an attachment; that it tells of a microcompaction; that a user typed it; that it is too large,
or not there to be read."""

_PLAIN_BLOCKS = frozenset({"text", "thinking", "redacted_thinking", "tool_use"})


class Want(NamedTuple):
    """What is wanted of a member: its flags, and with `text` its weight too."""

    member: int
    text: bool = True


class Weights:
    """Columns beside those of an index. Belongs to the thread that refreshes the session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._index = session.index
        self.clear()

    def clear(self) -> None:
        """Forget everything: the file is another one."""
        self._uuids = self._index.uuids
        self._state = bytearray()
        self._columns = tuple(array("i") for _ in NOTHING)
        self._flat: dict[int, int] = {}  # tokens of images
        self._replaced: dict[int, tuple[int, ...]] = {}  # where the replacements stood that were counted

    @property
    def stale(self) -> bool:
        """Whether the index has forgotten what this counted."""
        return self._index.uuids is not self._uuids

    def state(self, member: int) -> int:
        """Flags; 0 where nothing is known of the member."""
        return self._state[member] if member < len(self._state) else 0

    def of(self, member: int) -> Weight:
        """The weight of a member that was counted."""
        return Weight(*(column[member] for column in self._columns))

    def flat(self, member: int) -> int:
        """Tokens of its images, by L5."""
        return self._flat.get(member, 0)

    def wants(self, member: int) -> bool:
        """Whether it is to be counted, or counted anew: its result has got a replacement since, or it could not be read."""
        return self.state(member) & (COUNTED | UNREAD) != COUNTED or self._replaced.get(member, ()) != self._replacements(
            member
        )

    def wants_look(self, member: int) -> bool:
        """Whether its flags are not known, or it could not be read."""
        state = self.state(member)
        return not state or bool(state & UNREAD)

    def count(self, wanted: Iterable[Want]) -> Iterator[int]:
        """Count what is not yet counted, in its order, each before the next is asked for.

        Yields after each slice, so that the caller may stop: characters done.
        """
        missing = len(self._index) - len(self._state)
        self._state.extend(bytes(missing))
        for column in self._columns:
            column.extend(array("i", bytes(column.itemsize)) * missing)
        plain: dict[str, Record] | None = None
        for member, text in wanted:
            if not (self.wants(member) if text else self.wants_look(member)):
                continue
            if self._index.lengths[member]:
                record = self._read(member)
            else:  # plain messages have no place of their own in their file
                plain = self._read_plain() if plain is None else plain
                record = plain.get(self._index.uuids[member])
            if text or record is None:
                yield from self._count(member, record)
            else:
                self._state[member] = LOOKED | _flags(record)
                yield 0

    def _count(self, member: int, record: Record | None) -> Iterator[int]:
        replaced = self._replacements(member)
        weight, flat = NOTHING, 0
        if record is None:
            self._state[member] = COUNTED | UNREAD
            return
        for text in self._texts(member, record):
            if isinstance(text, int):
                flat += text
                continue
            for piece in slices(text):
                weight = weight.plus(weigh_slice(piece))
                yield len(piece)
        for column, value in zip(self._columns, weight, strict=True):
            column[member] = value
        self._flat[member] = flat  # perhaps none any more: a replacement may have come in the place of an image
        if not flat:
            del self._flat[member]
        if replaced:
            self._replaced[member] = replaced
        self._state[member] = COUNTED | _flags(record)

    def _replacements(self, member: int) -> tuple[int, ...]:
        """Where the recorded replacements of its results stand."""
        known = self._index.replacements
        if not known:
            return ()
        ids = (self._index.rows[at].tool_use_id for at in self._index.rows_of(member))
        return tuple(known[tool_use_id].offset for tool_use_id in ids if tool_use_id in known)

    def _read(self, member: int) -> Record | None:
        if self._index.kinds[member] == PROGRESS or self._index.lengths[member] > MAX_RECORD_BYTES:
            return None
        return read_record(self._session.place.path, self._index, member)

    def _read_plain(self) -> dict[str, Record]:
        plain = read_plain(self._session.place.path)
        return {record["uuid"]: record for record in plain_records(plain.messages if plain is not None else ())}

    def _texts(self, member: int, record: Record) -> Iterator[str | int]:
        if self._index.kinds[member] == OTHER:
            return attachment_texts(record.get("attachment"))
        content = _content(record)
        if self._index.replacements and isinstance(content, list):
            content = [self._as_seen(block) for block in content]
        return texts(content)

    def _as_seen(self, block: object) -> object:
        """S5: a result with its replacement in place of its content."""
        tool_use_id = block.get("tool_use_id") if isinstance(block, dict) else None
        known = self._index.replacements.get(tool_use_id) if isinstance(tool_use_id, str) else None
        if known is None or not isinstance(tool_use_id, str):
            return block
        text = replacement_text(self._session, tool_use_id, known)
        return block if text is None else {"type": "text", "text": text}


def _content(record: Record) -> object:
    message = record.get("message")
    return message.get("content") if isinstance(message, dict) else None


def _flags(record: Record) -> int:
    kind = record.get("type")
    if kind == "attachment":
        return ATTACHMENT
    if kind == "system":
        return EDIT if record.get("subtype") == "microcompact_boundary" else 0
    content = _content(record)
    flags = ODD if any(_is_odd(block) for block in leaves(content)) else 0
    if kind == "user" and not _holds_result(content) and not record.get("isMeta"):
        flags |= PROMPT
    return flags


def _is_odd(block: str | Mapping[str, Any]) -> bool:
    if isinstance(block, str):
        return False
    kind = block.get("type")
    return not isinstance(kind, str) or kind not in _PLAIN_BLOCKS


def _holds_result(content: object) -> bool:
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content
    )
