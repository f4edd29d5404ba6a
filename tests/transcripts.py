"""Small transcripts for tests: records as an agent writes them, with invented values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spillscope.limits_sources import LimitsBook
from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.transcript.layout import place_of
from spillscope.wrapper import build_large_tool_result_message

Record = dict[str, Any]

MODEL = "claude-sonnet-4-5-20250929"
VERSION = "2.1.88"


class Writer:
    """Makes records that hang on each other. `last` is the uuid that the next one hangs on."""

    def __init__(self, version: str = VERSION, session: str = "11111111-2222-4333-8444-555555555555") -> None:
        self.version, self.session = version, session
        self.records: list[Record] = []
        self.last: str | None = None
        self._count = 0

    def uuid(self) -> str:
        self._count += 1
        return f"u{self._count}"

    def put(self, kind: str, body: Record, *, parent: Any = ..., move: bool = True, **fields: Any) -> str:
        """One chain record; returns its uuid."""
        uuid = self.uuid()
        record = {
            "type": kind,
            "uuid": uuid,
            "parentUuid": self.last if parent is ... else parent,
            "isSidechain": False,
            "sessionId": self.session,
            "version": self.version,
            "cwd": "/srv/app",
            "timestamp": f"2026-01-02T03:{self._count // 60 % 60:02d}:{self._count % 60:02d}.000Z",
            **body,
            **fields,
        }
        self.records.append(record)
        if move:
            self.last = uuid
        return uuid

    def side(self, record: Record) -> None:
        """A record outside the chain."""
        self.records.append(record)

    def prompt(self, content: object = "Go on.", **options: Any) -> str:
        return self.put("user", {"message": {"role": "user", "content": content}}, **options)

    def say(self, *blocks: Record, id: str | None = None, usage: object = None, **options: Any) -> str:
        """An assistant record; `usage` a number: that many tokens read from the cache."""
        if isinstance(usage, int):
            usage = {"input_tokens": 0, "cache_read_input_tokens": usage, "output_tokens": 0}
        message = {
            "id": id if id is not None else f"msg_{self._count + 1}",
            "role": "assistant",
            "model": options.pop("model", MODEL),
            "content": list(blocks) or [text("Well.")],
            "usage": usage,
        }
        return self.put("assistant", {"message": message}, **options)

    def result(self, tool_use_id: str, content: object, local: object = None, **options: Any) -> str:
        block = {"type": "tool_result", "tool_use_id": tool_use_id, "content": content}
        body: Record = {"message": {"role": "user", "content": [block]}}
        if local is not None:
            body["toolUseResult"] = local
        return self.put("user", body, **options)

    def call(self, tool: str, tool_use_id: str, content: object, *, id: str | None = None, usage: object = 1_000) -> None:
        """A response with one call, and its result."""
        self.say(use(tool, tool_use_id), id=id, usage=usage)
        self.result(tool_use_id, content)

    def boundary(self, **meta: Any) -> str:
        """A compaction and its summary."""
        old = self.last
        self.put(
            "system",
            {"subtype": "compact_boundary", "logicalParentUuid": old, "compactMetadata": {"trigger": "auto", **meta}},
            parent=None,
        )
        return self.prompt("What was done so far.", isCompactSummary=True)

    def replace(self, tool_use_id: str, replacement: object, **entry: Any) -> None:
        """A content-replacement record."""
        item = {"kind": "tool-result", "toolUseId": tool_use_id, "replacement": replacement, **entry}
        self.side({"type": "content-replacement", "sessionId": self.session, "replacements": [item]})

    def save(self, folder: Path) -> Path:
        path = folder / f"{self.session}.jsonl"
        path.write_bytes(lines(self.records))
        return path


def text(words: str) -> Record:
    return {"type": "text", "text": words}


def use(tool: object, tool_use_id: object, arguments: object = None) -> Record:
    return {"type": "tool_use", "id": tool_use_id, "name": tool, "input": {} if arguments is None else arguments}


def line(record: object) -> bytes:
    return json.dumps(record).encode() + b"\n"


def lines(records: Sequence[object]) -> bytes:
    return b"".join(map(line, records))


def wrapper(content: str, path: str = "/far/away/tool-results/x.txt") -> str:
    return build_large_tool_result_message(content, path)


def open_session(path: Path, book: LimitsBook | None = None) -> Session:
    return Session(place_of(path), book if book is not None else LimitsBook())


def read(path: Path, **limits: object) -> Reading:
    """A cold reading under the given limits."""
    book = LimitsBook().with_layer(limits, "test") if limits else LimitsBook()
    return open_session(path, book).refresh()


def results(reading: Reading) -> dict[str, Any]:
    """All results of a reading by id, those of the pending request included."""
    groups = [*reading.groups, *([reading.pending] if reading.pending is not None else [])]
    return {result.row.tool_use_id: result for group in groups for result in group.results}


def grouped(reading: Reading) -> list[list[str]]:
    """The ids in each group that went out."""
    return [[result.row.tool_use_id for result in group.results] for group in reading.groups]
