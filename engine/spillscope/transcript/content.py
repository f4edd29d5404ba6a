"""Reading content back from the file, where the index only knows where it stands (spec S5, S7)."""

from __future__ import annotations

from pathlib import Path

from spillscope.blocks import text_of
from spillscope.transcript.index import Index
from spillscope.transcript.parse import Record, parse_line, parse_unfinished
from spillscope.transcript.plain import plain_records, read_plain
from spillscope.transcript.rows import ResultRow


def read_record(path: Path, index: Index, member: int) -> Record | None:
    """The record of a member, read anew; None where the file no longer holds it."""
    uuid = index.uuids[member]
    length = index.lengths[member]
    if length == 0:  # a plain message has no place of its own in its file
        plain = read_plain(path)
        records = plain_records(plain.messages) if plain is not None else ()
        return next((record for record in records if record["uuid"] == uuid), None)
    held = records_at(path, index.offsets[member], length)
    return next((record for record in held if record.get("uuid") == uuid), None)


def records_at(path: Path, offset: int, length: int) -> list[Record]:
    """The objects that stand at a place of the file; none where it no longer holds any there."""
    try:
        with path.open("rb") as file:
            file.seek(offset)
            line = file.read(length)
    except OSError:
        return []
    return parse_line(line).records or parse_unfinished(line)[0]


def read_content(path: Path, index: Index, row: ResultRow) -> object:
    """The content of a result as the transcript holds it; None where it can't be read back."""
    record = read_record(path, index, row.record)
    return content_in(record, row) if record is not None else None


def content_in(record: Record, row: ResultRow) -> object:
    """The content of a result in its record; None where that holds it no more."""
    message = record.get("message")
    blocks = message.get("content") if isinstance(message, dict) else None
    if not isinstance(blocks, list) or row.block >= len(blocks):
        return None
    block = blocks[row.block]
    return block.get("content") if isinstance(block, dict) and block.get("tool_use_id") == row.tool_use_id else None


def plain_text(content: object) -> str:
    """Content as text to look at: other blocks than text as their type in brackets."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(_block_text(block) for block in content)


def _block_text(block: object) -> str:
    if not isinstance(block, dict):
        return ""
    return text_of(block) if block.get("type") == "text" else f"[{block.get('type')}]"
