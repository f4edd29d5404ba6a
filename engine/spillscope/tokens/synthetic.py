"""T4: which assistant records no model wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SYNTHETIC_MODEL = "<synthetic>"
LOCAL_TEXTS = frozenset(
    {
        "[Request interrupted by user]",
        "[Request interrupted by user for tool use]",
        "The user doesn't want to take this action right now. STOP what you are doing and wait for the user to tell you how to"
        " proceed.",
        "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the"
        " new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.",
        "No response requested.",
    }
)
"""What agents put into the conversation themselves when a request is interrupted, cancelled or not made."""

TOO_LONG = "prompt is too long"
"""How the words begin with which the API refuses a context, whatever their case."""


def is_synthetic(record: Mapping[str, Any]) -> bool:
    """T4: whether an assistant record is the client's own: its usage says nothing and it ends no request.

    `record`: a transcript record, or a plain API message. True for the synthetic model, for API errors, and where the first
    content block (or the whole content) is one of `LOCAL_TEXTS`.
    """
    if record.get("isApiErrorMessage"):
        return True
    message = record.get("message", record)
    if not isinstance(message, dict):
        return False
    return message.get("model") == SYNTHETIC_MODEL or _first_text(message) in LOCAL_TEXTS


def is_refusal(record: Mapping[str, Any]) -> bool:
    """Whether a synthetic record says that the API refused the context as too long (spec W3)."""
    message = record.get("message", record)
    text = _first_text(message) if isinstance(message, dict) else None
    return text is not None and text[: len(TOO_LONG)].lower() == TOO_LONG


def _first_text(message: Mapping[str, Any]) -> str | None:
    """The whole content, or its first block, where that is a text."""
    content = message.get("content")
    if isinstance(content, list):
        first = content[0] if content else None
        content = first.get("text") if isinstance(first, dict) and first.get("type") == "text" else None
    return content if isinstance(content, str) else None
