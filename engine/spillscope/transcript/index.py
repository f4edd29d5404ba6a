"""The index of a transcript: sizes, ids, names and offsets of its records, and none of their content (spec S7).

Fed line by line, in file order; never asked to forget but by `clear`. Members are the records that may stand in a chain
(S4); everything else leaves only counts. What an addition changed of older records is told by `take_touched`.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from sys import intern
from typing import Any

from spillscope.blocks import units
from spillscope.tokens.rough import estimate_block, estimate_content, json_units, rough_token_count
from spillscope.tokens.synthetic import is_refusal, is_synthetic
from spillscope.tokens.usage import NO_USAGE, largest, read_usage
from spillscope.transcript.entries import Boundary, Change, Replacement, Response, read_boundary, read_stamp
from spillscope.transcript.labels import call_label
from spillscope.transcript.mentions import Attached, Mention, attached_notices, mentioned_spills
from spillscope.transcript.results import UNKNOWN_CALL, Call, make_row
from spillscope.transcript.rows import Notice, ResultRow
from spillscope.transcript.sidechains import Sidechains
from spillscope.transcript.spill_files import SpillFiles
from spillscope.wrapper import parse_wrapper

OTHER, USER, ASSISTANT, PROGRESS, BOUNDARY = range(5)
"""Kinds of members. OTHER: system, attachment and unknown records, which carry nothing for the model."""

ROOT = -1
"""A parent that is null: the start, a `/clear`, or a compaction."""
LOST = -2
"""A parent that is not in the file."""

KNOWN_TYPES = frozenset(
    {
        *("user", "assistant", "system", "attachment", "progress", "summary", "content-replacement", "queue-operation"),
        *("file-history-snapshot", "file-history-delta", "mode", "permission-mode", "last-prompt", "custom-title"),
        *("ai-title", "agent-name", "pr-link", "bridge-session", "worktree-state", "relocated", "frame-link"),
    }
)


class Index:
    """Columns over members, and rows over tool results."""

    def __init__(self, files: SpillFiles, *, of_agent: bool = False) -> None:
        self._files = files
        self._of_agent = of_agent
        self.clear()

    def clear(self) -> None:
        """Forget the file: it was replaced, shrunk or rewritten."""
        self.records = 0
        self.unknown_types: Counter[str] = Counter()
        self.uuids: list[str] = []
        self.offsets = array("q")
        self.lengths = array("q")
        self.kinds = bytearray()
        self.parents = array("i")
        self.tokens = array("i")  # T3 of a member's message
        self.usages = array("q")  # T1 of a member's own usage; 0: none that could anchor
        self.responses_of = array("i")  # the response a member belongs to, or whose call it answers; -1: none
        self.other_responses: dict[int, list[int]] = {}  # further ones of a member that answers several
        self.stamps = array("d")
        self.version_of = array("H")
        self.first_rows = array("i")
        self.by_uuid: dict[str, int] = {}
        self.waiting: dict[str, list[int]] = {}
        self.responses: list[Response] = []
        self.by_message_id: dict[str, int] = {}
        self.calls: dict[str, Call] = {}
        self.rows: list[ResultRow] = []
        self.results_of: dict[str, list[int]] = {}  # tool_use_id → members that hold a result for it
        self.replacements: dict[str, Replacement] = {}
        self.ignored_replacements = 0
        self.cleared: set[str] = set()
        self.edits = array("i")  # members that tell of a microcompaction
        self.refusals = array("i")  # members in which the API refused a prompt as too long
        self.changes: list[Change] = []  # replacements that came, or changed, after their results had been sent
        self.boundaries: dict[int, Boundary] = {}
        self.heads: dict[str, list[int]] = {}  # uuid of the head of what a compaction kept → its boundaries
        self.anchors: dict[str, list[int]] = {}  # the same for the summary that the head hangs on
        self.mentions: list[Mention] = []
        self.attached: list[Attached] = []
        self.sidechains = Sidechains()
        self.versions: list[str | None] = [None]
        self._version_ids: dict[str | None, int] = {None: 0}
        self.leaf = -1  # newest member that is no progress record
        self.largest_usage = 0
        self.model: str | None = None
        self.version: str | None = None
        self.cwd: str | None = None
        self.started: float | None = None
        self.newest_response = -1  # the member that began the newest real one
        self._touched: set[int] = set()
        self._touched_responses: set[int] = set()
        self._late_parents = False

    def __len__(self) -> int:
        return len(self.kinds)

    def take_touched(self) -> tuple[set[int], set[int], bool]:
        """Older members whose meaning changed, responses that got records, and whether an older member got its parent."""
        touched = self._touched, self._touched_responses, self._late_parents
        self._touched, self._touched_responses, self._late_parents = set(), set(), False
        return touched

    def rows_of(self, member: int) -> range:
        """Positions in `rows` of the results that a member holds."""
        following = member + 1
        end = self.first_rows[following] if following < len(self.first_rows) else len(self.rows)
        return range(self.first_rows[member], end)

    def calls_of(self, member: int) -> list[str]:
        """The ids of the tool calls in an assistant record."""
        response = self.responses[self.responses_of[member]]
        return [call for call, made in zip(response.calls, response.call_members, strict=True) if made == member]

    def refused(self, since: int, until: int) -> int:
        """How often the API refused the context as too long, from one member up to another."""
        first, end = (bisect_left(self.refusals, member) for member in (since, until))
        return end - first

    # --- adding -------------------------------------------------------------------------------------------------------

    def add(self, record: dict[str, Any], offset: int, length: int) -> None:
        """Take one record in. Foreign shapes never fail (S3)."""
        self.records += 1
        kind = record.get("type")
        if kind not in KNOWN_TYPES if isinstance(kind, str) else True:
            self.unknown_types[kind if isinstance(kind, str) else "?"] += 1
        uuid = record.get("uuid")
        parent = record.get("parentUuid", False)
        if isinstance(uuid, str) and (parent is None or isinstance(parent, str)):
            if record.get("isSidechain") is True and not self._of_agent:
                self.sidechains.add(record, uuid, parent)
            elif uuid not in self.by_uuid:
                self._add_member(record, kind, uuid, parent, offset, length)
        if kind == "content-replacement":
            self._add_replacements(record.get("replacements"), offset, length)

    def _add_member(
        self, record: dict[str, Any], kind: object, uuid: str, parent: str | None, offset: int, length: int
    ) -> None:
        member = len(self.kinds)
        self.by_uuid[uuid] = member
        self.uuids.append(uuid)
        self.offsets.append(offset)
        self.lengths.append(length)
        self.first_rows.append(len(self.rows))
        self.responses_of.append(-1)
        self.parents.append(ROOT if parent is None else self._find_parent(member, parent))
        self.version_of.append(self._version_id(record.get("version")))
        stamp = read_stamp(record.get("timestamp"))
        self.stamps.append(stamp)
        if self.started is None and stamp == stamp:
            self.started = stamp
        cwd = record.get("cwd")
        if isinstance(cwd, str):
            self.cwd = cwd
        if uuid in self.waiting:
            self._settle(uuid, member)
        code, tokens, usage = OTHER, 0, 0
        if kind == "user":
            code = USER
            tokens = self._add_user(record, member)
        elif kind == "assistant":
            code = ASSISTANT
            tokens, usage = self._add_assistant(record, member)
        elif kind == "progress":
            code = PROGRESS
        elif kind == "system":
            code = self._add_system(record, member)
        elif kind == "attachment":
            self.attached.extend(attached_notices(member, record.get("attachment")))
        self.kinds.append(code)
        self.tokens.append(tokens)
        self.usages.append(usage)
        if code != PROGRESS:
            self.leaf = member

    def _find_parent(self, member: int, parent: str) -> int:
        found = self.by_uuid.get(parent)
        if found is not None:  # itself, perhaps: a cycle, which ends the walk
            return found
        self.waiting.setdefault(parent, []).append(member)
        return LOST

    def _settle(self, uuid: str, member: int) -> None:
        """A parent that came after its children."""
        for child in self.waiting.pop(uuid):
            if child != member and self.kinds[child] != BOUNDARY:
                self.parents[child] = member
                self._late_parents = True

    def _version_id(self, version: object) -> int:
        if not isinstance(version, str):
            return 0
        self.version = version
        known = self._version_ids.get(version)
        if known is None:
            known = len(self.versions) if len(self.versions) < 0xFFFF else 0
            if known:
                self.versions.append(version)
                self._version_ids[version] = known
        return known

    # --- messages -----------------------------------------------------------------------------------------------------

    def _add_user(self, record: dict[str, Any], member: int) -> int:
        message = record.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            return rough_token_count(len(content) if content.isascii() else units(content))
        if not isinstance(content, list):
            return 0
        tokens = 0
        for position, block in enumerate(content):
            if isinstance(block, dict) and block.get("type") == "tool_result":
                tokens += self._add_result(block, (member, position), record)
            else:
                tokens += estimate_block(block)
        return tokens

    def _add_result(self, block: dict[str, Any], at: tuple[int, int], record: dict[str, Any]) -> int:
        tool_use_id = block.get("tool_use_id")
        if not isinstance(tool_use_id, str):
            return estimate_content(block.get("content"))
        call = self.calls.get(tool_use_id, UNKNOWN_CALL)
        row = make_row(block, tool_use_id, call, at, record.get("toolUseResult"), self._files)
        self.rows.append(row)
        self.results_of.setdefault(tool_use_id, []).append(at[0])
        if call.response >= 0:
            self._belong(at[0], call.response)
        replaced = self.replacements.get(tool_use_id)
        return row.tokens if replaced is None else replaced.tokens

    def _belong(self, member: int, response: int) -> None:
        first = self.responses_of[member]
        if first < 0:
            self.responses_of[member] = response
        elif first != response:
            others = self.other_responses.setdefault(member, [])
            if response not in others:
                others.append(response)

    def _add_assistant(self, record: dict[str, Any], member: int) -> tuple[int, int]:
        message = record.get("message")
        if not isinstance(message, dict):
            return 0, 0
        synthetic = is_synthetic(record)
        number = self._response(message, synthetic)
        response = self.responses[number]
        if not synthetic and not response.members:
            self.newest_response = member
        elif synthetic and is_refusal(record):
            self.refusals.append(member)
        response.members.append(member)
        self._touched_responses.add(number)
        usage = NO_USAGE if synthetic else read_usage(message.get("usage"))
        if usage is not NO_USAGE:
            response.usage = largest(response.usage, usage)
        total = usage.total
        if total > self.largest_usage:
            self.largest_usage = total
        if not synthetic and response.model is not None:
            self.model = response.model
        self.responses_of[member] = number
        return self._add_blocks(message.get("content"), number, member), total

    def _response(self, message: dict[str, Any], synthetic: bool) -> int:
        """The response that a record belongs to; one of its own where it has no id (B2)."""
        message_id = message.get("id")
        known = self.by_message_id.get(message_id) if isinstance(message_id, str) else None
        if known is not None:
            return known
        model = message.get("model")
        number = len(self.responses)
        self.responses.append(
            Response(
                message_id if isinstance(message_id, str) else "",
                intern(model) if isinstance(model, str) else None,
                synthetic,
            )
        )
        if isinstance(message_id, str):
            self.by_message_id[message_id] = number
        return number

    def _add_blocks(self, content: object, number: int, member: int) -> int:
        if not isinstance(content, list):
            return estimate_content(content)
        tokens = 0
        for block in content:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                tokens += self._add_call(block, number, member)
            else:
                tokens += estimate_block(block)
        return tokens

    def _add_call(self, block: dict[str, Any], number: int, member: int) -> int:
        response = self.responses[number]
        name = block.get("name")
        tool = intern(name) if isinstance(name, str) else None
        arguments = block.get("input", {})
        tool_use_id = block.get("id")
        if isinstance(tool_use_id, str):
            call = Call(tool, call_label(tool, arguments), number)
            response.calls += (tool_use_id,)
            response.call_members += (member,)
            if tool_use_id not in self.calls:
                self.calls[tool_use_id] = call
                if tool_use_id in self.results_of:
                    self._name_results(tool_use_id, call)
            self.mentions.extend(mentioned_spills(member, tool_use_id, arguments))
        return rough_token_count((0 if tool is None else units(tool)) + json_units(arguments))

    def _name_results(self, tool_use_id: str, call: Call) -> None:
        """A call that came after its result."""
        for member in self.results_of[tool_use_id]:
            self._touched.add(member)
            self._belong(member, call.response)
            for at in self.rows_of(member):
                if self.rows[at].tool_use_id == tool_use_id:
                    self.rows[at] = self.rows[at]._replace(tool=call.tool, label=call.label)

    # --- records that say something about others ------------------------------------------------------------------------

    def _add_system(self, record: dict[str, Any], member: int) -> int:
        subtype = record.get("subtype")
        if subtype == "compact_boundary":
            boundary = self.boundaries[member] = read_boundary(record, self.stamps[member])
            self.parents[member] = ROOT  # it ends the walk, whatever it says
            if boundary.head is not None:
                self.heads.setdefault(boundary.head, []).append(member)
                if boundary.anchor is not None:
                    self.anchors.setdefault(boundary.anchor, []).append(member)
            return BOUNDARY
        if subtype == "microcompact_boundary":
            self.edits.append(member)
            meta = record.get("microcompactMetadata")
            ids = meta.get("compactedToolIds") if isinstance(meta, dict) else None
            for tool_use_id in ids if isinstance(ids, list) else ():
                if isinstance(tool_use_id, str) and tool_use_id not in self.cleared:
                    self.cleared.add(tool_use_id)
                    self._touched.update(self.results_of.get(tool_use_id, ()))
        return OTHER

    def _add_replacements(self, entries: object, offset: int, length: int) -> None:
        """B11, B12: entries of kind `tool-result` with an id and a text; the rest is ignored and counted."""
        if not isinstance(entries, list):
            self.ignored_replacements += 1
            return
        for entry in entries:
            if isinstance(entry, dict) and entry.get("kind") == "tool-result":
                tool_use_id, text = entry.get("toolUseId"), entry.get("replacement")
                if isinstance(tool_use_id, str) and isinstance(text, str):
                    self._add_replacement(tool_use_id, text, offset, length)
                    continue
            self.ignored_replacements += 1

    def _add_replacement(self, tool_use_id: str, text: str, offset: int, length: int) -> None:
        wrapper = parse_wrapper(text)
        chars = units(text)
        notice = Notice(wrapper.path, wrapper.size) if wrapper is not None else None
        old = self.replacements.get(tool_use_id)
        new = self.replacements[tool_use_id] = Replacement(chars, rough_token_count(chars), notice, offset, length, hash(text))
        if old is not None and old.digest == new.digest:
            return  # told again, as on a resume
        self._note_change(tool_use_id)
        for member in dict.fromkeys(self.results_of.get(tool_use_id, ())):
            for at in self.rows_of(member):
                row = self.rows[at]
                if row.tool_use_id == tool_use_id:
                    self.tokens[member] += new.tokens - (row.tokens if old is None else old.tokens)
            self._touched.add(member)

    def _note_change(self, tool_use_id: str) -> None:
        """R6: what a request has carried in one form is going to be sent in another."""
        results = self.results_of.get(tool_use_id)
        if results and results[0] < self.newest_response:
            self.changes.append(Change(len(self.kinds), tool_use_id))
