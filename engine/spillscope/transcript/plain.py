"""Files of plain API messages: a JSON list, or a request body with `messages` (spec S1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from spillscope.messages import message_kind
from spillscope.transcript.parse import BOM, parse_line

MAX_PLAIN_BYTES = 512 << 20


class PlainFile(NamedTuple):
    """The messages of a file, and the model that a request body names."""

    messages: Sequence[object]
    model: str | None


def read_plain(path: Path) -> PlainFile | None:
    """The messages of a file, or None where it is something else, a transcript say, or can't be read now."""
    try:
        if path.stat().st_size > MAX_PLAIN_BYTES:
            return None
        with path.open("rb") as file:
            head = file.read(4096).removeprefix(BOM).lstrip()
            if not head.startswith((b"[", b"{")):
                return None
            file.seek(0)
            data = file.read().removeprefix(BOM)
    except OSError:
        return None
    return _messages(data)


def looks_plain(path: Path) -> bool | None:
    """Whether a file holds plain messages; None while that can't be told: it is not there, or still being written."""
    if read_plain(path) is not None:
        return True
    try:
        with path.open("rb") as file:
            head = file.read(4096).removeprefix(BOM).lstrip()
    except OSError:
        return None
    return None if head[:1] in (b"", b"[") else False


def _messages(data: bytes) -> PlainFile | None:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        parsed = parse_line(data)
        value = parsed.records[0] if parsed.reason is None and len(parsed.records) == 1 else None
    model = None
    if isinstance(value, dict):
        model = value.get("model")
        value = value.get("messages") if "type" not in value else None
    if not isinstance(value, list) or not any(map(message_kind, value)):
        return None
    return PlainFile(value, model if isinstance(model, str) else None)


def plain_records(messages: Sequence[object]) -> Iterator[dict[str, Any]]:
    """Plain messages as members of one chain. Each assistant message counts as a response of its own (B2)."""
    names = [f"message {at}" for at in range(len(messages))]
    for (parent, name), message in zip(pairwise([None, *names]), messages, strict=True):
        kind = message_kind(message)
        body: object = message
        if isinstance(message, dict) and isinstance(message.get("message"), dict):
            body = message["message"]
        yield {"type": kind or "system", "uuid": name, "parentUuid": parent, "message": body if kind else None}
