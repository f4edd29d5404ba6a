"""What the budget remembers between requests: which results were sent, and what was sent instead (spec B8, B12, B13)."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

from spillscope.budget.grouping import collect_candidates_by_message
from spillscope.errors import RequestError

RECORD_TYPE = "content-replacement"
RECORD_KIND = "tool-result"


class Replacement(NamedTuple):
    """One decision to replace: B11's inner record."""

    tool_use_id: str
    replacement: str

    def to_json(self) -> dict[str, str]:
        return {"kind": RECORD_KIND, "toolUseId": self.tool_use_id, "replacement": self.replacement}


class ContentReplacementState:
    """The ids seen, in the order they became seen, and the replacements of those that do not stand in full.

    Changed only through `freeze` and `commit`, each one step for whoever reads meanwhile: at no instant is an id seen without
    the replacement that is going to apply (B8). `run` is held for a whole run, so that two on one state follow each other
    (B15); reading never waits for it.
    """

    __slots__ = ("_lock", "_replacements", "_seen", "run")

    def __init__(self, seen_ids: Iterable[str] = (), replacements: Mapping[str, str] | None = None) -> None:
        self._seen: dict[str, None] = dict.fromkeys(seen_ids)
        self._replacements: dict[str, str] = dict(replacements or {})
        self._lock = threading.Lock()
        self.run = threading.Lock()

    @property
    def seen_ids(self) -> tuple[str, ...]:
        """In the order they became seen."""
        with self._lock:
            return tuple(self._seen)

    @property
    def seen(self) -> frozenset[str]:
        """The same ids, for asking."""
        with self._lock:
            return frozenset(self._seen)

    @property
    def replacements(self) -> dict[str, str]:
        """A copy: what is sent in place of each replaced id."""
        with self._lock:
            return dict(self._replacements)

    def freeze(self, tool_use_ids: Iterable[str]) -> None:
        """B8: these ids become seen: what has no replacement by now never gets one."""
        with self._lock:
            self._seen.update(dict.fromkeys(tool_use_ids))

    def commit(self, replacement: Replacement) -> None:
        """B8: an id becomes seen together with its replacement."""
        with self._lock:
            self._replacements[replacement.tool_use_id] = replacement.replacement
            self._seen[replacement.tool_use_id] = None

    def fork(self) -> Self:
        """B13: a deep copy, for a fork or a sub-agent. What a run has not committed yet is fresh in it."""
        with self._lock:
            return type(self)(self._seen, self._replacements)

    def to_json(self) -> dict[str, Any]:
        """The `state` of `apply`."""
        with self._lock:
            return {"seenIds": list(self._seen), "replacements": dict(self._replacements)}

    @classmethod
    def from_json(cls, value: object) -> Self:
        """The `state` of `apply`; `{}` is a new one. Raises RequestError for another shape."""
        if not isinstance(value, dict):
            raise RequestError('state: give null, {}, or {"seenIds": […], "replacements": {…}}')
        seen, replacements = value.get("seenIds", []), value.get("replacements", {})
        if not isinstance(seen, list) or not all(isinstance(item, str) for item in seen):
            raise RequestError("state.seenIds: give a list of tool_use ids")
        return cls(seen, string_map(replacements, "state.replacements"))


class Reconstructed(NamedTuple):
    """B12: a state, and how many records were ignored: malformed, of an unknown kind, for an id that is absent."""

    state: ContentReplacementState
    malformed: int
    unknown: int
    absent: int


def reconstruct(
    messages: Sequence[object],
    records: Iterable[object],
    inherited: Mapping[str, str] | None = None,
) -> Reconstructed:
    """B12: the state with which a loaded conversation goes on as if it had never stopped.

    `records`: B11's inner records, or whole transcript lines of which those of type `content-replacement` count; of two for
    one id the later counts. `inherited`: a parent's replacements, by id, for ids that no record covers.
    """
    groups = collect_candidates_by_message(messages)
    seen = dict.fromkeys(candidate.tool_use_id for group in groups for candidate in group.candidates)
    replacements: dict[str, str] = {}
    malformed = unknown = absent = 0
    for entry in _entries(records):
        if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
            malformed += 1
        elif entry["kind"] != RECORD_KIND:
            unknown += 1
        elif not isinstance(entry.get("toolUseId"), str) or not isinstance(entry.get("replacement"), str):
            malformed += 1
        elif entry["toolUseId"] not in seen:
            absent += 1
        else:
            replacements[entry["toolUseId"]] = entry["replacement"]
    for tool_use_id, replacement in (inherited or {}).items():
        if tool_use_id in seen:
            replacements.setdefault(tool_use_id, replacement)
    return Reconstructed(ContentReplacementState(seen, replacements), malformed, unknown, absent)


def content_replacement_record(
    replacements: Iterable[Replacement], session_id: str | None, agent_id: str | None = None
) -> dict[str, Any]:
    """B11: the transcript record of newly made replacements. `agent_id`: of a sub-agent, in whose sidechain file it goes."""
    record: dict[str, Any] = {"type": RECORD_TYPE, "sessionId": session_id}
    if agent_id is not None:
        record["agentId"] = agent_id
    record["replacements"] = [replacement.to_json() for replacement in replacements]
    return record


def records_for_fork(lines: Iterable[object], session_id: str) -> list[dict[str, Any]]:
    """B13: the `content-replacement` records among transcript `lines`, under the id of a forked session."""
    return [{**line, "sessionId": session_id} for line in lines if isinstance(line, dict) and line.get("type") == RECORD_TYPE]


def string_map(value: object, name: str) -> dict[str, str]:
    """A JSON object of strings. Raises RequestError, which calls it `name`, for anything else."""
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise RequestError(f"{name}: give an object of id → text")
    return value


def _entries(records: Iterable[object]) -> Iterable[object]:
    """Inner records, taken out of whole transcript lines where such are given; lines of other types hold none."""
    for record in records:
        if not isinstance(record, dict) or "type" not in record:
            yield record
        elif record["type"] == RECORD_TYPE:
            replacements = record.get("replacements")
            yield from replacements if isinstance(replacements, list) else (None,)
