"""A `tool_result` block → the row that the index keeps of it (spec B1, P2, R2, S5, S6)."""

from __future__ import annotations

import json
from typing import NamedTuple

from spillscope.blocks import (
    CLEARED_PLACEHOLDER,
    Block,
    content_size,
    empty_placeholder,
    has_image,
    is_blank,
    is_empty,
    is_writable,
    units,
)
from spillscope.tokens.rough import estimate_content, rough_token_count
from spillscope.transcript.originals import Original, cleared_original, is_of_hook, spilled_original
from spillscope.transcript.rows import Notice, ResultRow
from spillscope.transcript.spill_files import SpillFiles
from spillscope.wrapper import PERSISTED_TAG, PREVIEW_CHARS, Wrapper, generate_preview, parse_wrapper, wrapper_text


class Call(NamedTuple):
    """A `tool_use` block: its tool (None where it has no name), its label, and the response that made it."""

    tool: str | None
    label: str
    response: int


UNKNOWN_CALL = Call(None, "", -1)
_NOTICE_STARTS = (PERSISTED_TAG, "Error: result (", "result (")


def make_row(
    block: Block, tool_use_id: str, call: Call, at: tuple[int, int], local_result: object, files: SpillFiles
) -> ResultRow:
    """`at`: index of the record, and of the block in its content. `local_result`: the record's `toolUseResult`."""
    content = block.get("content")
    if isinstance(content, str):
        return _row_of_text(content, tool_use_id, call, at, local_result, files)
    record, position = at
    chars = content_size(content)
    image = has_image(content)
    empty = is_empty(content)
    writable = is_writable(content)
    wrapped = wrapper_text(content) if writable else None
    wrapper = parse_wrapper(wrapped) if wrapped is not None else None
    if wrapper is not None:
        sizes = chars, estimate_content(content)
        return _row_of_wrapper(content, wrapper, sizes, tool_use_id, call, at, local_result, files)
    preview = 0
    if writable and chars > PREVIEW_CHARS:
        preview = _list_preview_chars(content)
    return ResultRow(
        tool_use_id,
        call.tool,
        call.label,
        record,
        position,
        "image" if image else "empty" if empty else "text",
        chars,
        "inline",
        chars,
        estimate_content(content),
        preview,
        isinstance(content, list) and bool(content) and not image,
        writable,
        None,
    )


def _row_of_text(
    content: str, tool_use_id: str, call: Call, at: tuple[int, int], local_result: object, files: SpillFiles
) -> ResultRow:
    record, position = at
    chars = len(content) if content.isascii() else units(content)
    tokens = rough_token_count(chars)
    if content.startswith(_NOTICE_STARTS):
        wrapper = parse_wrapper(content)
        if wrapper is not None or content.startswith(PERSISTED_TAG):
            return _row_of_wrapper(content, wrapper, (chars, tokens), tool_use_id, call, at, local_result, files)
    notice = _local_notice(local_result)
    if content == CLEARED_PLACEHOLDER:
        original = cleared_original(local_result, chars)
        return ResultRow(
            tool_use_id, call.tool, call.label, record, position,
            "cleared", *original, chars, tokens, PREVIEW_CHARS, False, True, notice,
        )  # fmt: skip
    told_empty = call.tool is not None and chars < 200 and content == empty_placeholder(call.tool)
    empty = told_empty or is_blank(content)
    preview = 0 if chars <= PREVIEW_CHARS else _preview_chars(content)
    return ResultRow(
        tool_use_id, call.tool, call.label, record, position,
        "empty" if empty else "text", 0 if told_empty else chars, "inline", chars, tokens, preview,
        bool(content), True, notice,
    )  # fmt: skip


def _row_of_wrapper(
    content: object,
    wrapper: Wrapper | None,
    sizes: tuple[int, int],
    tool_use_id: str,
    call: Call,
    at: tuple[int, int],
    local_result: object,
    files: SpillFiles,
) -> ResultRow:
    """`wrapper`: None where only its tag can be read. `sizes`: units and tokens of `content`."""
    record, position = at
    notice = _local_notice(local_result) if wrapper is None else Notice(wrapper.path, wrapper.size)
    original = Original(sizes[0], "unknown") if notice is None else spilled_original(notice, local_result, files)
    preview = PREVIEW_CHARS if wrapper is None else _wrapper_preview(wrapper)
    return ResultRow(
        tool_use_id, call.tool, call.label, record, position,
        "wrapper", *original, *sizes, preview, isinstance(content, list), True, notice, is_of_hook(content, local_result),
    )  # fmt: skip


def _local_notice(local_result: object) -> Notice | None:
    """S6: a spill path that only the local copy gives."""
    path = local_result.get("persistedOutputPath") if isinstance(local_result, dict) else None
    return Notice(path, "") if isinstance(path, str) else None


def _preview_chars(text: str) -> int:
    """Units of the preview of a text that is longer than one (P9)."""
    head = text[:PREVIEW_CHARS]
    if head.isascii():
        newline = head.rfind("\n")
        return newline if newline > PREVIEW_CHARS // 2 else PREVIEW_CHARS
    return units(generate_preview(text).text)


def _list_preview_chars(blocks: object) -> int:
    """P10: the preview of a list is that of its JSON."""
    try:
        return _preview_chars(json.dumps(blocks, ensure_ascii=False, indent=2))
    except RecursionError:
        return PREVIEW_CHARS


def _wrapper_preview(wrapper: Wrapper) -> int:
    return units(wrapper.preview) or PREVIEW_CHARS
