"""The content of one result, read from the files when somebody looks at it (spec S5, S6, S7).

What the model got of it, its original, and its record. Nothing is kept; no file is opened that a transcript merely names.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from json import JSONEncoder
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spillscope.blocks import CLEARED_PLACEHOLDER, content_size, empty_placeholder
from spillscope.session.reading import Result
from spillscope.session.session import Session
from spillscope.transcript.content import content_in, plain_text, read_record, records_at
from spillscope.transcript.entries import Replacement
from spillscope.transcript.originals import local_texts
from spillscope.transcript.parse import Record
from spillscope.transcript.rows import Notice, ResultRow
from spillscope.wrapper import build_large_tool_result_message, fits_header, parse_wrapper

LOOK_BYTES = 64 << 10
"""As much of a text as is looked at."""
MAX_RECORD_BYTES = 16 << 20
"""A longer line is not parsed only to look at it: parsing stops all other threads."""
MAX_SEARCHED_BYTES = 8 << 20
"""As much of a spill file as a search reads."""
LONGEST_STRING = 2_000
"""Characters of one string of a record that are shown."""

What = Literal["model", "original", "record"]
Source = Literal[
    "inline", "replacement", "would be", "cleared", "placeholder", "file", "local",
    "outside", "moved", "missing", "unreadable", "unknown", "gone", "too large",
]  # fmt: skip
"""Where a text comes from; from "outside" on: why there is none. "moved": the session was, without it."""


class Look(NamedTuple):
    """The beginning of a text; of an original that stands in the transcript, all of it.

    `shown` of `total` bytes; `path`: the spill file that it stands in, or should. `real`: that path with its links resolved,
    as it was when it was found inside (S6). `preview`: what the model saw of an original (P9).
    """

    source: Source
    text: str | None = None
    shown: int = 0
    total: int = 0
    path: str | None = None
    real: str | None = None
    preview: str | None = None


def look(session: Session, result: Result, what: What) -> Look:
    """Read one thing of a result. Safe beside a thread that refreshes the session: what it tears up is told as gone."""
    try:
        if what == "model":
            return _model_view(session, result)
        return _original(session, result) if what == "original" else _record(session, result.row)
    except IndexError:  # the file was rewritten meanwhile
        return Look("gone")


# --- what the model got -------------------------------------------------------------------------------------------------


def _model_view(session: Session, result: Result) -> Look:
    row = result.row
    replacement = session.index.replacements.get(row.tool_use_id)
    if result.observed == "replaced" and replacement is not None:
        text = replacement_text(session, row.tool_use_id, replacement)
        return Look("gone") if text is None else _excerpt(text, "replacement")
    if result.observed == "cleared" and row.content != "cleared":
        return _excerpt(CLEARED_PLACEHOLDER, "cleared")
    record = _read(session, row)
    if not isinstance(record, dict):
        return record
    text = plain_text(content_in(record, row))
    if row.content == "empty" and not text.strip():
        return _excerpt(empty_placeholder(row.tool or ""), "placeholder")
    if result.observed == "pending" and result.fate in ("persisted", "replaced"):
        path = session.place.tool_results / f"{Path(row.tool_use_id).name}.txt"
        return _excerpt(build_large_tool_result_message(text, str(path)), "would be")
    return _excerpt(text, "inline")


def replacement_text(session: Session, tool_use_id: str, replacement: Replacement) -> str | None:
    """A recorded replacement, read back; None where the file no longer holds it."""
    for record in records_at(session.place.path, replacement.offset, replacement.length):
        entries = record.get("replacements")
        for entry in reversed(entries) if isinstance(entries, list) else ():
            if isinstance(entry, dict) and entry.get("toolUseId") == tool_use_id and isinstance(entry.get("replacement"), str):
                return str(entry["replacement"])
    return None


# --- the original -------------------------------------------------------------------------------------------------------


def _original(session: Session, result: Result) -> Look:
    """S6, in order: the text itself where it stands in full, the spill file, the local copy, nothing."""
    row = result.row
    record = _read(session, row)
    if not isinstance(record, dict):
        return record
    content = plain_text(content_in(record, row))
    if row.content not in ("wrapper", "cleared"):
        replacement = session.index.replacements.get(row.tool_use_id) if result.observed == "replaced" else None
        seen = replacement_text(session, row.tool_use_id, replacement) if replacement is not None else None
        return _previewed(_excerpt(content, "inline", MAX_RECORD_BYTES), seen or "")
    found = _spill_file(session, row.notice.path) if row.notice is not None else Look("unknown")
    if found.text is None:
        local = _local(record.get("toolUseResult"), row.notice)
        found = found if local is None else _excerpt(local, "local", MAX_RECORD_BYTES)
    return _previewed(found, content)


def _previewed(found: Look, seen: str) -> Look:
    """An original beside what the model saw in its place."""
    wrapper = parse_wrapper(seen)
    return found if wrapper is None or found.text is None else found._replace(preview=wrapper.preview)


def _spill_file(session: Session, named: str) -> Look:
    file = session.files.find(named)
    if not file.inside:
        return Look("moved" if file.moved else "outside", path=file.path)
    if not file.exists:
        return Look("missing", path=file.path)
    real = os.path.realpath(file.path)
    data = _read_head(real, LOOK_BYTES)
    if data is None:
        return Look("unreadable", path=file.path)
    total = max(file.bytes or 0, len(data))
    return Look("file", _decode(data, whole=len(data) == total), len(data), total, file.path, real)


def _read_head(path: str, count: int) -> bytes | None:
    try:
        with Path(os.path.realpath(path)).open("rb") as opened:
            return opened.read(count)
    except OSError:
        return None


def _local(local_result: object, notice: Notice | None) -> str | None:
    """The local copy. Where a notice tells a size, only a copy of that size is the original."""
    for text in local_texts(local_result):
        if notice is None or not notice.size or fits_header(content_size(text), notice.size):
            return plain_text(text)
    return None


# --- the record ---------------------------------------------------------------------------------------------------------


def _record(session: Session, row: ResultRow) -> Look:
    record = _read(session, row)
    if not isinstance(record, dict):
        return record
    pieces: list[str] = []
    shown = 0
    for piece in _indented(record):
        pieces.append(piece)
        shown += len(piece.encode("utf-8", "surrogatepass"))
        if shown > LOOK_BYTES:
            pieces.append("\n… cut here")
            break
    return Look("inline", "".join(pieces), min(shown, LOOK_BYTES), max(session.index.lengths[row.record], 0))


def _indented(record: Record) -> Iterator[str]:
    """JSON piece by piece, so that what is not shown is not made; a long string is cut, and says by how much."""
    try:
        for piece in JSONEncoder(indent=2, ensure_ascii=False).iterencode(record):
            more = len(piece) - LONGEST_STRING
            yield f'{piece[:LONGEST_STRING]} …" ⟨{more:,} more characters⟩' if more > 0 else piece
    except RecursionError:
        yield "… nested too deep to be shown"


# --- searching ----------------------------------------------------------------------------------------------------------


def holds(session: Session, row: ResultRow, needle: str) -> bool:
    """Whether a result's content, or the beginning of its spill file, holds a text, which must be casefolded."""
    try:
        record = _read(session, row)
    except IndexError:
        return False
    if isinstance(record, dict) and needle in plain_text(content_in(record, row)).casefold():
        return True
    if row.notice is None:
        return False
    file = session.files.find(row.notice.path)
    data = _read_head(file.path, MAX_SEARCHED_BYTES) if file.inside and file.exists else None
    return data is not None and needle in data.decode(errors="replace").casefold()


# --- small parts --------------------------------------------------------------------------------------------------------


def _read(session: Session, row: ResultRow) -> Record | Look:
    if session.index.lengths[row.record] > MAX_RECORD_BYTES:
        return Look("too large", total=session.index.lengths[row.record])
    record = read_record(session.place.path, session.index, row.record)
    if record is None or not _is_of(record, row):
        return Look("gone")
    return record


def _is_of(record: dict[str, Any], row: ResultRow) -> bool:
    """Whether it is still that result's record: a rewritten file may hold another in its place."""
    message = record.get("message")
    blocks = message.get("content") if isinstance(message, dict) else None
    if not isinstance(blocks, list) or row.block >= len(blocks):
        return False
    block = blocks[row.block]
    return isinstance(block, dict) and block.get("tool_use_id") == row.tool_use_id


def _excerpt(text: str, source: Source, limit: int = LOOK_BYTES) -> Look:
    data = text[:limit].encode("utf-8", "surrogatepass")[:limit]
    total = len(text.encode("utf-8", "surrogatepass"))
    head = codecs.getincrementaldecoder("utf-8")("surrogatepass").decode(data)
    return Look(source, head, len(data), total)


def _decode(data: bytes, *, whole: bool) -> str:
    """Bytes as text; those that are none as escapes, but for a character that the cut went through."""
    return codecs.getincrementaldecoder("utf-8")("backslashreplace").decode(data, final=whole)
