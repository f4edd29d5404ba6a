"""The vocabulary over message content: units, sizes, kinds.

Content is foreign JSON: a string, a list of block objects, or anything else. Every function here takes whatever it is
given and never fails. "Units" are UTF-16 code units, the length that JavaScript measures.
"""

from __future__ import annotations

from typing import Any, TypeGuard

Block = dict[str, Any]

CLEARED_PLACEHOLDER = "[Old tool result content cleared]"
"""What microcompaction leaves of a tool result (spec W5)."""


def units(text: str) -> int:
    """UTF-16 code units of `text`; a lone surrogate counts one."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def take_units(text: str, limit: int) -> str:
    """The longest prefix of at most `limit` units that splits no surrogate pair."""
    head = text[:limit]
    if head.isascii():
        return head
    raw = head.encode("utf-16-le", "surrogatepass")[: 2 * limit]
    if len(raw) == 2 * limit and 0xD8 <= raw[-1] <= 0xDB and units(text) > limit:
        raw = raw[:-2]
    return raw.decode("utf-16-le", "surrogatepass")


_BLANKS = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What JavaScript's trim() takes away."""


def is_blank(text: str) -> bool:
    """Whether nothing is left of `text` after JavaScript's trim()."""
    return not text or (text[0] in _BLANKS and not text.strip(_BLANKS))


def is_text_block(block: object) -> TypeGuard[Block]:
    return isinstance(block, dict) and block.get("type") == "text"


def text_of(block: Block) -> str:
    """The `text` of a block, "" where it is absent or no string."""
    text = block.get("text")
    return text if isinstance(text, str) else ""


def content_size(content: object) -> int:
    """P2: units of a string, or of the texts of a list's text blocks; everything else counts 0."""
    if isinstance(content, str):
        return units(content)
    if isinstance(content, list):
        return sum(units(text_of(block)) for block in content if is_text_block(block))
    return 0


def is_empty(content: object) -> bool:
    """P3: nothing that a model could read. One image or other block makes a list non-empty."""
    if content is None:
        return True
    if isinstance(content, str):
        return is_blank(content)
    if isinstance(content, list):
        return all(is_text_block(block) and is_blank(text_of(block)) for block in content)
    return False


def has_image(content: object) -> bool:
    """Whether a list of blocks holds an image."""
    return isinstance(content, list) and any(isinstance(block, dict) and block.get("type") == "image" for block in content)


def is_writable(content: object) -> bool:
    """P4: a string, or a list of nothing but text blocks, can be spilled."""
    if isinstance(content, str):
        return True
    return isinstance(content, list) and all(is_text_block(block) for block in content)


def empty_placeholder(tool: str) -> str:
    """P3: what the model gets instead of an empty result."""
    return f"({tool} completed with no output)"
