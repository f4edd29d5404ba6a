"""A transcript of any size as an agent writes it, with invented words: the same for the same size and seed.

The mix follows what real transcripts were found to hold: split assistant records with one `message.id`, parallel calls whose
results fork the chain or continue it, a local copy beside each result, progress and attachment records, lines outside the
chain, and a compaction whenever the window is full.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson

from spillscope.wrapper import build_large_tool_result_message

Record = dict[str, Any]

MODEL = "claude-sonnet-4-5-20250929"
SESSION = "5e551000-0000-4000-8000-000000000001"
CWD = "/srv/app"
VERSIONS = ("2.1.59", "2.1.81", "2.1.98", "2.1.207")
"""A session lives through updates: the agent is a newer one after each compaction, to the last of these."""
LAST_WITH_PROGRESS = "2.1.81"
LAST_WITH_PLACEHOLDERS = "2.1.92"
"""Up to here only the last record of a split response states its output."""
START_TOKENS = 24_000
FULL_TOKENS = 160_000
_POOL_CHARS = 1 << 19
_SYLLABLES = ("ba", "co", "di", "fu", "ga", "le", "mi", "no", "pra", "qui", "re", "sto", "ta", "u", "vel", "zi")


class Made(NamedTuple):
    """What was written: bytes and records."""

    size: int
    records: int


def write_transcript(path: Path, size: int, seed: int = 1) -> tuple[Author, Made]:
    """Write whole exchanges until the file has `size` bytes; returns its author too, who can go on."""
    author = Author(seed)
    written = records = 0
    with path.open("wb") as file:
        while written < size:
            for line in author.exchange():
                written += file.write(line)
                records += 1
    return author, Made(written, records)


class Author:
    """Makes the lines of one session. `last`: uuid of the record that the next one hangs on."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._prose, self._foreign = self._pool(""), self._pool("→é✓")
        self._signatures = base64.b64encode(self._random.randbytes(_POOL_CHARS)).decode()
        self._made = 0
        self.last: str | None = None
        self._compactions = 0
        self._context = START_TOKENS

    # --- invented text --------------------------------------------------------------------------------------------------

    def _pool(self, glyphs: str) -> str:
        """Lines of invented words to cut texts from; with `glyphs`, every few of them hold one."""
        random = self._random
        words = ["".join(random.choices(_SYLLABLES, k=random.randint(1, 4))) for _ in range(3_000)]
        lines: list[str] = []
        length = 0
        while length < _POOL_CHARS:
            line = " " * random.choice((0, 0, 4, 8)) + " ".join(random.choices(words, k=random.randint(2, 14)))
            if glyphs and random.random() < 0.3:
                line += f" {random.choice(glyphs)} {random.choice(words)}"
            lines.append(line)
            length += len(line) + 1
        return "\n".join(lines)

    def _text(self, chars: int) -> str:
        """About a third of the texts hold something beyond ASCII."""
        pool = self._foreign if self._random.random() < 0.33 else self._prose
        return _cut(self._random, pool, chars)

    def _size(self, median: int, spread: float, most: int) -> int:
        return min(most, max(1, int(self._random.lognormvariate(0, spread) * median)))

    def _phrase(self, chars: int) -> str:
        return " ".join(_cut(self._random, self._prose, chars).split())

    def _path(self) -> str:
        return f"{CWD}/src/{self._phrase(24).replace(' ', '_')}.py"

    # --- records --------------------------------------------------------------------------------------------------------

    @property
    def version(self) -> str:
        return VERSIONS[min(self._compactions, len(VERSIONS) - 1)]

    def _uuid(self) -> str:
        raw = f"{self._random.getrandbits(128):032x}"
        return f"{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:]}"

    def _stamp(self) -> str:
        self._made += 1
        seconds = self._made * 7
        return (
            f"2026-{1 + seconds // 2_419_200 % 12:02d}-{1 + seconds // 86_400 % 28:02d}"
            f"T{seconds // 3600 % 24:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{self._made % 1000:03d}Z"
        )

    def _chained(self, kind: str, body: Record, parent: str | None) -> tuple[str, bytes]:
        """A record of the chain, and its uuid."""
        uuid = self._uuid()
        record = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": CWD,
            "sessionId": SESSION,
            "version": self.version,
            "gitBranch": "main",
            "slug": "calm-blue-otter",
            "type": kind,
            **body,
            "uuid": uuid,
            "timestamp": self._stamp(),
        }
        return uuid, _line(record)

    def _next(self, kind: str, body: Record) -> bytes:
        """A record that goes on at the end of the chain."""
        self.last, line = self._chained(kind, body, self.last)
        return line

    # --- a session ------------------------------------------------------------------------------------------------------

    def exchange(self) -> Iterator[bytes]:
        """A prompt and all that follows from it; before it, a compaction where the window is full."""
        random = self._random
        if self._context > FULL_TOKENS:
            yield from self._compaction()
        yield from self._prompt()
        for _ in range(random.randint(3, 20)):
            if self._context > FULL_TOKENS:
                break
            yield from self._response()
        yield from self._answer()
        yield from self._aside()

    def one_call(self) -> list[bytes]:
        """One response with one call, and its result: always alike."""
        message = self._message("Read", [])
        tool_use_id, call = self._call("Read", {"file_path": f"{CWD}/src/main.py"})
        lines = [self._next("assistant", {"message": {**message, "content": [call]}, "requestId": "req_1"})]
        content = self._prose[:3_000]
        local = {"type": "text", "file": {"filePath": f"{CWD}/src/main.py", "content": content, "numLines": 60}}
        lines.append(self._next("user", _result_body(tool_use_id, content, local, self.last)))
        return lines

    def _prompt(self) -> Iterator[bytes]:
        random = self._random
        text = self._text(self._size(180, 1.2, 6_000))
        self._context += len(text) // 4
        content: object = text if random.random() < 0.8 else [{"type": "text", "text": text}]
        yield self._next("user", {"message": {"role": "user", "content": content}, "permissionMode": "default"})
        backups = {self._path(): {"backupFileName": self._uuid()[:13], "version": 1} for _ in range(random.randint(0, 3))}
        snapshot = {"messageId": self.last, "timestamp": self._stamp(), "trackedFileBackups": backups}
        yield _line({"type": "file-history-snapshot", "messageId": self.last, "isSnapshotUpdate": False, "snapshot": snapshot})

    def _message(self, stop_reason: str, texts: list[str]) -> Record:
        """What all records of one response share; `texts`: what it will say, which its usage counts."""
        output = 40 + sum(map(len, texts)) // 4
        usage = {
            "input_tokens": 2,
            "cache_creation_input_tokens": min(self._context, 1_500),
            "cache_read_input_tokens": max(0, self._context - 1_500),
            "output_tokens": output,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": min(self._context, 1_500)},
            "server_tool_use": {"web_search_requests": 0, "web_fetch_requests": 0},
            "service_tier": "standard",
            "inference_geo": "not_available",
        }
        self._context += output
        return {
            "id": f"msg_{self._random.getrandbits(96):024x}",
            "type": "message",
            "role": "assistant",
            "model": MODEL,
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": usage,
        }

    def _response(self) -> Iterator[bytes]:
        """Thinking, words, and one to four calls, each block in a record of its own; then their results."""
        random = self._random
        blocks: list[Record] = []
        if random.random() < 0.5:
            blocks.append(self._thinking())
        if random.random() < 0.4:
            blocks.append({"type": "text", "text": self._text(self._size(160, 0.9, 3_000))})
        calls = []
        for _ in range(random.choices((1, 2, 3, 4), weights=(84, 9, 4, 3))[0]):
            tool = random.choices(tuple(_TOOLS), weights=tuple(_TOOLS.values()))[0]
            tool_use_id, call = self._call(tool, self._input(tool))
            calls.append((tool, tool_use_id, call))
        message = self._message("tool_use", [block.get("text", "") for block in blocks])
        request = f"req_{random.getrandbits(64):016x}"
        for block in blocks:
            yield self._next("assistant", self._assistant(message, block, request, last=False))
        in_line = random.random() < 0.5
        waiting: list[tuple[str, str, Record, str]] = []
        for number, (tool, tool_use_id, call) in enumerate(calls, 1):
            body = self._assistant(message, call, request, last=number == len(calls))
            yield self._next("assistant", body)
            assert self.last is not None
            if in_line:
                yield from self._result(tool, tool_use_id, call, self.last)
            else:
                waiting.append((tool, tool_use_id, call, self.last))
        for tool, tool_use_id, call, caller in waiting:
            yield from self._result(tool, tool_use_id, call, caller)

    def _assistant(self, message: Record, block: Record, request: str, *, last: bool) -> Record:
        if not last and _number(self.version) <= _number(LAST_WITH_PLACEHOLDERS):
            message = {**message, "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
        return {"message": {**message, "content": [block]}, "requestId": request}

    def _thinking(self) -> Record:
        length = self._size(1_500, 0.7, 12_000)
        start = self._random.randrange(len(self._signatures) - length)
        thinking = self._text(self._size(500, 0.9, 6_000)) if self._compactions < 2 else ""
        return {"type": "thinking", "thinking": thinking, "signature": self._signatures[start : start + length]}

    def _call(self, tool: str, arguments: Record) -> tuple[str, Record]:
        tool_use_id = f"toolu_{self._random.getrandbits(96):024x}"
        return tool_use_id, {"type": "tool_use", "id": tool_use_id, "name": tool, "input": arguments}

    def _result(self, tool: str, tool_use_id: str, call: Record, caller: str) -> Iterator[bytes]:
        if tool == "Bash" and _number(self.version) <= _number(LAST_WITH_PROGRESS):
            yield from self._progress(tool_use_id, caller)
        content, local = self._output(tool, tool_use_id, call["input"])
        self._context += len(content) // 4
        self.last, line = self._chained("user", _result_body(tool_use_id, content, local, caller), caller)
        yield line
        if self._random.random() < 0.08:
            yield self._attachment()

    def _progress(self, tool_use_id: str, parent: str) -> Iterator[bytes]:
        """They hang on the call and on each other: the call gets two children."""
        seconds = 0
        for _ in range(self._size(3, 0.9, 40)):
            seconds += self._random.randint(1, 3)
            output = self._text(self._size(60, 1.5, 4_000))
            data = {"type": "bash_progress", "output": output[-200:], "fullOutput": output, "elapsedTimeSeconds": seconds}
            body = {"toolUseID": f"bash-progress-{seconds}", "parentToolUseID": tool_use_id, "data": data}
            parent, line = self._chained("progress", body, parent)
            yield line

    def _attachment(self) -> bytes:
        attachment: Record
        match self._random.randrange(3):
            case 0:
                attachment = {"type": "task_reminder", "content": [], "itemCount": 0}
            case 1:
                output = self._text(self._size(800, 1.0, 9_000))
                attachment = {"type": "hook_success", "hookName": "PostToolUse", "stdout": output, "stderr": "", "exitCode": 0}
            case _:
                attachment = {"type": "edited_text_file", "filename": self._path(), "snippet": self._text(4_000)}
        return self._next("attachment", {"attachment": attachment})

    def _answer(self) -> Iterator[bytes]:
        """The last response to a prompt calls nothing."""
        text = self._text(self._size(700, 0.8, 6_000))
        body = self._assistant(self._message("end_turn", [text]), {"type": "text", "text": text}, "req_2", last=True)
        yield self._next("assistant", body)
        yield self._next("system", {"subtype": "turn_duration", "durationMs": 61_000, "isMeta": False})

    def _aside(self) -> Iterator[bytes]:
        """Lines outside the chain."""
        yield _line({"type": "last-prompt", "lastPrompt": self._phrase(120), "leafUuid": self.last, "sessionId": SESSION})
        yield _line({"type": "mode", "mode": "normal", "sessionId": SESSION})
        if self._random.random() < 0.3:
            yield _line({"type": "custom-title", "customTitle": self._phrase(40), "sessionId": SESSION})
            yield _line({"type": "queue-operation", "operation": "enqueue", "timestamp": self._stamp(), "sessionId": SESSION})

    def _compaction(self) -> Iterator[bytes]:
        metadata = {"trigger": "auto", "preTokens": self._context}
        body = {
            "subtype": "compact_boundary",
            "logicalParentUuid": self.last,
            "content": "Conversation compacted",
            "level": "info",
            "isMeta": False,
            "compactMetadata": metadata,
        }
        self._compactions += 1
        self._context = START_TOKENS
        self.last = None
        yield self._next("system", body)
        summary = {"role": "user", "content": self._text(9_000)}
        yield self._next("user", {"isCompactSummary": True, "isVisibleInTranscriptOnly": True, "message": summary})

    # --- tools ----------------------------------------------------------------------------------------------------------

    def _input(self, tool: str) -> Record:
        match tool:
            case "Bash":
                return {"command": self._phrase(self._size(70, 0.9, 1_500)), "description": self._phrase(40)}
            case "Read":
                return {"file_path": self._path()}
            case "Edit":
                old, new = self._text(self._size(260, 0.9, 4_000)), self._text(self._size(420, 0.9, 6_000))
                return {"file_path": self._path(), "old_string": old, "new_string": new, "replace_all": False}
            case _:
                return {"pattern": self._phrase(14), "path": CWD, "output_mode": "content"}

    def _output(self, tool: str, tool_use_id: str, arguments: Record) -> tuple[str, Record]:
        """What the model gets of a call, and the local copy."""
        match tool:
            case "Bash":
                return self._bash(tool_use_id)
            case "Read":
                return self._read(arguments)
            case "Edit":
                return self._edit(arguments)
            case _:
                content = self._text(self._size(750, 1.2, 19_000))
                return content, {"mode": "content", "numFiles": 0, "filenames": [], "content": content, "numLines": 20}

    def _bash(self, tool_use_id: str) -> tuple[str, Record]:
        output = self._text(self._size(330, 1.8, 60_000)).strip()
        local: Record = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False, "noOutputExpected": False}
        if len(output) <= 30_000:
            return output, local
        path = f"/home/u/.claude/projects/-srv-app/{SESSION}/tool-results/b{tool_use_id[-7:]}.txt"
        local |= {"stdout": output[:30_000], "persistedOutputPath": path, "persistedOutputSize": len(output.encode())}
        return build_large_tool_result_message(output, path), local

    def _read(self, arguments: Record) -> tuple[str, Record]:
        content = self._text(self._size(4_600, 1.1, 60_000))
        arrow = "→" if _number(self.version) <= _number(LAST_WITH_PROGRESS) else "\t"
        lines = content.split("\n")
        numbered = "\n".join([f"{number:6}{arrow}{line}" for number, line in enumerate(lines, 1)])
        file = {"filePath": arguments["file_path"], "content": content, "numLines": len(lines), "startLine": 1}
        return numbered, {"type": "text", "file": file | {"totalLines": len(lines)}}

    def _edit(self, arguments: Record) -> tuple[str, Record]:
        original = self._text(self._size(8_000, 0.9, 60_000))
        patch = [{"oldStart": 1, "oldLines": 7, "newStart": 1, "newLines": 9, "lines": arguments["new_string"].split("\n")}]
        local = {"filePath": arguments["file_path"], "oldString": arguments["old_string"], "newString": arguments["new_string"]}
        local |= {"originalFile": original, "structuredPatch": patch, "userModified": False, "replaceAll": False}
        return f"The file {arguments['file_path']} has been updated successfully.", local


_TOOLS = {"Bash": 0.46, "Read": 0.26, "Edit": 0.16, "Grep": 0.12}
"""Tools and their shares of the calls."""


def _cut(random: Random, pool: str, chars: int) -> str:
    start = random.randrange(len(pool) - chars)
    return pool[start : start + chars]


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _line(record: Record) -> bytes:
    return orjson.dumps(record) + b"\n"


def _result_body(tool_use_id: str, content: str, local: object, caller: str | None) -> Record:
    block = {"tool_use_id": tool_use_id, "type": "tool_result", "content": content, "is_error": False}
    return {
        "message": {"role": "user", "content": [block]},
        "toolUseResult": local,
        "sourceToolAssistantUUID": caller,
    }
