"""What a spill's file and record say of each other: one badge a fault (spec S6, S9). Opens only what is inside."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from spillscope.blocks import units
from spillscope.budget.store import spill_text
from spillscope.clean import clean, cut_cells
from spillscope.session.contents import MAX_RECORD_BYTES, replacement_text
from spillscope.session.session import Session
from spillscope.session.spills.hidden_errors import TAIL_BYTES, hidden_error, may_hide_errors
from spillscope.session.spills.listing import Found
from spillscope.session.spills.mismatch import head_bytes, wrong_head, wrong_size
from spillscope.session.spills.model import Badge
from spillscope.transcript.content import content_in, plain_text, read_record
from spillscope.transcript.mentions import attached_texts
from spillscope.transcript.originals import full_copy
from spillscope.transcript.parse import Record
from spillscope.transcript.rows import Notice
from spillscope.transcript.spill_files import MAX_COUNTED_BYTES, SpillFile, base_name, read_spill
from spillscope.wrapper import Wrapper, parse_wrapper, wrapper_text

_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
ERROR_CELLS = 80


class Evidence(NamedTuple):
    """What comparing found. `mismatch` as in `Spill`."""

    mismatch: str | None = None
    badges: tuple[Badge, ...] = ()


def examine(found: Found) -> Evidence:
    """Compare a spill's file with all that the transcript holds of it."""
    record = _record(found)
    copy = _copy(found, record)
    kept = _kept_badge(found, copy)
    file, wrapper = found.spill.file, _wrapper(found, record)
    if not file.exists:
        return Evidence(None, kept)
    try:
        head = read_spill(file, head_bytes(wrapper) if wrapper is not None else 1)
        tail = _tail(found, wrapper)
    except FileNotFoundError:
        return Evidence(None, kept)
    except OSError as error:
        text = f"The file can't be read: {error.strerror or 'unknown error'}."
        return Evidence(None, (Badge("unreadable", text), *kept))
    wrong = _compared(found, head, wrapper, record, copy)
    mismatch = wrong.name if wrong is not None and wrong.name in ("size", "preview") else None
    badges = (wrong, _hidden_error(found, tail, wrapper))
    return Evidence(mismatch, (*(badge for badge in badges if badge is not None), *kept))


def no_file(file: SpillFile) -> Badge | None:
    """Why what stands in a place inside is no file that can be read; None where nothing stands there."""
    try:
        mode = os.lstat(file.path).st_mode
    except OSError:
        return None
    kind = _KINDS.get(stat.S_IFMT(mode))
    if kind is None and not stat.S_ISLNK(mode):
        kind = "no regular file"
    return Badge("unreadable", f"In its place stands {kind}, which is never opened.") if kind is not None else None


# --- what the transcript holds --------------------------------------------------------------------------------------------


def _record(found: Found) -> Record | None:
    session, member = found.source.session, found.member
    if member < 0 or session.index.lengths[member] > MAX_RECORD_BYTES:
        return None
    return read_record(session.place.path, session.index, member)


def _wrapper(found: Found, record: Record | None) -> Wrapper | None:
    """The notice in full, with its preview."""
    return next((wrapper for _, wrapper in _notices(found, record)), None)


def notice_of(found: Found) -> str | None:
    """All that the model got in a spill's place, read back; None where the transcript no longer holds it."""
    return next((text for text, _ in _notices(found, _record(found))), None)


def _notices(found: Found, record: Record | None) -> Iterator[tuple[str, Wrapper]]:
    if found.notice is None or record is None:
        return
    for text in _notice_texts(found.source.session, found, record):
        wrapper = parse_wrapper(text)
        if wrapper is not None and wrapper.path == found.notice.path:
            yield text, wrapper


def _notice_texts(session: Session, found: Found, record: Record) -> Iterator[str]:
    row = found.spill.row
    if row is None:
        attachment = record.get("attachment")
        yield from attached_texts(attachment) if isinstance(attachment, dict) else ()
    elif found.spill.origin == "budget":
        replacement = session.index.replacements.get(row.tool_use_id)
        text = None if replacement is None else replacement_text(session, row.tool_use_id, replacement)
        if text is not None:
            yield text
    else:
        content = content_in(record, row)
        text = content if isinstance(content, str) else wrapper_text(content)
        if text is not None:
            yield text


def _copy(found: Found, record: Record | None) -> object:
    """The original as the transcript holds it: in the result itself, or beside a wrapper in `toolUseResult`; else None."""
    row = found.spill.row
    if row is None or record is None:
        return None
    if row.content == "wrapper":
        return full_copy(record.get("toolUseResult"), found.notice) if found.notice is not None else None
    named_only = found.notice is not None and found.spill.origin != "budget"  # a path beside what the model saw
    return None if named_only or row.content != "text" else content_in(record, row)


def _kept_badge(found: Found, copy: object) -> tuple[Badge, ...]:
    row = found.spill.row
    if copy is None or row is None or row.content != "wrapper":
        return ()
    chars = units(copy) if isinstance(copy, str) else row.chars
    return (Badge("kept in transcript", f"The whole text, {chars:,} chars, also stands in the transcript, as toolUseResult."),)


# --- comparing ------------------------------------------------------------------------------------------------------------


def _compared(found: Found, head: bytes, wrapper: Wrapper | None, record: Record | None, copy: object) -> Badge | None:
    """The first of size, beginning and content that is not what the transcript says."""
    session, file, notice = found.source.session, found.spill.file, found.notice
    stated = _stated_bytes(record, notice) if notice is not None else None
    if notice is not None and wrong_size(session, notice, file):
        return Badge("size", f"Its notice says {notice.size}; the file has {_measured(session, file)}.")
    if stated is not None and stated != file.bytes:
        return Badge("size", f"The transcript says {stated:,} bytes; the file has {file.bytes:,} bytes.")
    if wrapper is not None and wrong_head(head, wrapper):
        return Badge("preview", f"It does not begin with the {units(wrapper.preview):,} chars that the model saw of it.")
    if copy is None:
        return None
    return _other_content(file, copy, exact=found.spill.row is not None and found.spill.row.content != "wrapper")


def _measured(session: Session, file: SpillFile) -> str:
    count = session.files.count_text(file)
    return f"{file.bytes:,} bytes" if count is None else f"{count:,} chars in {file.bytes:,} bytes"


def _stated_bytes(record: Record | None, notice: Notice) -> int | None:
    """`persistedOutputSize`, which counts bytes (S9), where it speaks of this file."""
    local = record.get("toolUseResult") if record is not None else None
    if not isinstance(local, dict):
        return None
    path, size = local.get("persistedOutputPath"), local.get("persistedOutputSize")
    named = isinstance(path, str) and base_name(path) == base_name(notice.path)
    return size if named and isinstance(size, int) and not isinstance(size, bool) else None


def _other_content(file: SpillFile, copy: object, *, exact: bool) -> Badge | None:
    """P4: the file holds the result's text. A copy that is not `exact` is only held against a file of its size."""
    if file.bytes is None or file.bytes > MAX_COUNTED_BYTES:
        return None
    try:
        text = read_spill(file, MAX_COUNTED_BYTES).decode(errors="replace")
    except OSError:
        return None
    wanted = spill_text(copy)[0]
    if text == wanted or (isinstance(copy, list) and text == plain_text(copy)):
        return None
    if not exact and len(text) != len(wanted):
        return None
    differing = (at for at, (one, other) in enumerate(zip(text, wanted, strict=False)) if one != other)
    at = next(differing, min(len(text), len(wanted)))
    return Badge("content", f"It differs from the copy in the transcript from character {at + 1:,} on.")


def _tail(found: Found, wrapper: Wrapper | None) -> bytes:
    """The end of an output of which the model saw the beginning."""
    file = found.spill.file
    if wrapper is None or not wrapper.has_more or not may_hide_errors(found.spill.tool, found.spill.origin):
        return b""
    return read_spill(file, TAIL_BYTES, max(0, (file.bytes or 0) - TAIL_BYTES))


def _hidden_error(found: Found, tail: bytes, wrapper: Wrapper | None) -> Badge | None:
    whole = (found.spill.file.bytes or 0) <= TAIL_BYTES
    line = hidden_error(tail, wrapper.preview, whole=whole) if wrapper is not None and tail else None
    if line is None:
        return None
    return Badge("hidden error", f"Its end tells of an error that the preview hides: {cut_cells(clean(line), ERROR_CELLS)}")
