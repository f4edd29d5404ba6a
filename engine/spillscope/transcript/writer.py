"""Transcripts as an agent writes them: append-only, one write a line, in the shapes of Claude Code's own records."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from spillscope.budget.sink import TranscriptSink, append_record
from spillscope.budget.store import make_private
from spillscope.messages import Message
from spillscope.pipeline.microcompact import BOUNDARY_SUBTYPE as MICROCOMPACT_SUBTYPE
from spillscope.pipeline.records import compact_metadata
from spillscope.transcript.layout import SUBAGENTS

FORMAT_VERSION = "2.1.220"
"""The agent version whose records these are like, and whose limits a reader takes for those that they ran with (L12)."""


@dataclass(frozen=True, slots=True)
class Author:
    """What every record says of the one who wrote it. `agent_id`: of a sub-agent, whose records are a sidechain."""

    session_id: str
    cwd: str
    version: str = FORMAT_VERSION
    git_branch: str = ""
    agent_id: str | None = None


def random_uuid() -> str:
    """A new id for a record."""
    return str(uuid.uuid4())


def utc_now() -> datetime:
    """The time that a record states."""
    return datetime.now(UTC)


class TranscriptWriter:
    """Appends the records of one conversation, each hanging on the one before. Not safe for two threads at once.

    Every method returns what it wrote, which serves as a message for `AgentContext.prepare`. Each raises OSError when a line
    could not be written whole; the next line then begins on a line of its own.
    """

    def __init__(
        self,
        path: Path,
        author: Author,
        *,
        new_uuid: Callable[[], str] = random_uuid,
        now: Callable[[], datetime] = utc_now,
        last: str | None = None,
    ) -> None:
        """`path`: the session's `.jsonl`, made with its folders by the first record. `last`: where to go on after a resume."""
        self.path, self.author, self.last = path, author, last
        self._new_uuid, self._now = new_uuid, now
        self._callers: dict[str, str] = {}  # calls without a result: tool_use id → the record that made it

    def sidechain(self, agent_id: str) -> TranscriptWriter:
        """The transcript of a sub-agent of this session (S1)."""
        author = Author(self.author.session_id, self.author.cwd, self.author.version, self.author.git_branch, agent_id)
        path = self.path.with_suffix("") / SUBAGENTS / f"agent-{agent_id}.jsonl"
        return TranscriptWriter(path, author, new_uuid=self._new_uuid, now=self._now)

    def sink(self) -> TranscriptSink:
        """B11: where `AgentContext` keeps its replacement records for this conversation."""
        return TranscriptSink(self.path, self.author.session_id, self.author.agent_id)

    def prompt(self, content: str | Sequence[Mapping[str, Any]], **fields: Any) -> Message:
        """What a user says; `fields` go into the record."""
        return self._chained("user", {"message": {"role": "user", "content": content}, **fields})

    def response(self, message: Mapping[str, Any], request_id: str | None = None) -> list[Message]:
        """An API response: a record for each of its blocks, all with its `id` and usage."""
        return [self.block(message, block, request_id) for block in message["content"]]

    def block(self, message: Mapping[str, Any], block: Mapping[str, Any], request_id: str | None = None) -> Message:
        """One block of the response `message`, for a caller who writes them as they come."""
        body: dict[str, Any] = {"message": {**message, "content": [block]}}
        if request_id is not None:
            body["requestId"] = request_id
        record = self._chained("assistant", body)
        if block.get("type") == "tool_use":
            self._callers[block["id"]] = record["uuid"]
        return record

    def result(self, tool_use_id: str, content: Any, *, is_error: bool | None = None, local: object = None) -> Message:
        """One tool result. It hangs on the record of its call, as parallel calls do. `local`: the tool's own output object."""
        block = {"tool_use_id": tool_use_id, "type": "tool_result", "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        body: dict[str, Any] = {"message": {"role": "user", "content": [block]}}
        if local is not None:
            body["toolUseResult"] = local
        caller = self._callers.get(tool_use_id)
        if caller is not None:
            body["sourceToolAssistantUUID"] = caller
        record = self._chained("user", body, parent=caller or self.last)
        self._callers.pop(tool_use_id, None)
        return record

    def compaction(
        self,
        summary: str,
        pre_tokens: int,
        post_tokens: int | None = None,
        trigger: str = "auto",
        *,
        kept: Sequence[Message] = (),
    ) -> tuple[Message, Message]:
        """A boundary and the summary after it: all that later requests carry, but for the `kept` messages (S4)."""
        uuid = self._new_uuid()
        metadata = compact_metadata(pre_tokens, post_tokens, trigger, kept, uuid)
        body = {"subtype": "compact_boundary", "content": "Conversation compacted", "level": "info", "isMeta": False}
        boundary = self._chained("system", {**body, "logicalParentUuid": self.last, "compactMetadata": metadata}, parent=None)
        fields = {"message": {"role": "user", "content": summary}, "isCompactSummary": True, "isVisibleInTranscriptOnly": True}
        said = self._chained("user", fields, uuid=uuid)
        if "preservedSegment" in metadata:  # what comes next hangs on what was kept, which hangs on the summary
            self.last = metadata["preservedSegment"]["tailUuid"]
        return boundary, said

    def microcompaction(self, cleared: Sequence[str], pre_tokens: int, tokens_saved: int) -> Message:
        """W5: which results are cleared from now on, so that a resume knows of it. It carries nothing for the model."""
        metadata = {"trigger": "auto", "preTokens": pre_tokens, "tokensSaved": tokens_saved}
        metadata |= {"compactedToolIds": list(cleared), "clearedAttachmentUUIDs": []}
        body = {"subtype": MICROCOMPACT_SUBTYPE, "content": "Context microcompacted", "microcompactMetadata": metadata}
        return self._chained("system", body)

    def clear(self) -> None:
        """A `/clear`: what comes next begins anew, in the same file."""
        self.last = None

    def aside(self, kind: str, **fields: Any) -> None:
        """A record outside the chain, such as a title."""
        self._append({"type": kind, **fields, "sessionId": self.author.session_id})

    def _chained(self, kind: str, body: Mapping[str, Any], parent: Any = ..., uuid: str | None = None) -> Message:
        author = self.author
        record: Message = {
            "parentUuid": self.last if parent is ... else parent,
            "isSidechain": author.agent_id is not None,
            "userType": "external",
            "cwd": author.cwd,
            "sessionId": author.session_id,
            "version": author.version,
            "gitBranch": author.git_branch,
        }
        if author.agent_id is not None:
            record["agentId"] = author.agent_id
        stamp = self._now().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        record |= {"type": kind, **body, "uuid": uuid or self._new_uuid(), "timestamp": stamp}
        self._append(record)
        self.last = record["uuid"]
        return record

    def _append(self, record: Message) -> None:
        try:
            append_record(self.path, record)
        except FileNotFoundError:
            make_private(self.path.parent)
            append_record(self.path, record)
