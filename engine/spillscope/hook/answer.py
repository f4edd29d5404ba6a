"""A PostToolUse event → what the hook says to it (spec P1–P10).

The agent applies its own thresholds whatever a hook says, so a hook can only make them lower.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from spillscope.budget.admit import Log, maybe_persist_large_tool_result
from spillscope.budget.store import DirectoryStore
from spillscope.errors import RequestError
from spillscope.hook.shapes import Held, shape_of
from spillscope.limits import Limits
from spillscope.transcript.layout import place_of
from spillscope.wrapper import wrapper_text

EVENT = "PostToolUse"
SINCE = "2.1.121"
"""The version of Claude Code from which on it takes `updatedToolOutput` of any tool."""
TRANSCRIPT_SUFFIX = ".jsonl"

Answer = dict[str, Any]


class Result(NamedTuple):
    """A result as the event gives it. `transcript`: of the session that its spill goes to. `cwd`: the agent's, foreign."""

    tool: str
    tool_use_id: str
    held: Held
    transcript: Path
    cwd: object


def read_event(event: object) -> Result | None:
    """The result that an event tells of; None where there is nothing to do: another event, an output of no known shape.

    Raises RequestError for an event that lacks what it needs.
    """
    if not isinstance(event, dict):
        raise RequestError("the event on standard input is no object")
    if event.get("hook_event_name") != EVENT:
        return None
    tool = _word(event, "tool_name")
    shape = shape_of(tool)
    held = shape.hold(event.get("tool_response")) if shape is not None else None
    if held is None or wrapper_text(held.content) is not None:  # the tool, or another hook, was there before
        return None
    return Result(tool, _word(event, "tool_use_id"), held, _transcript(event), event.get("cwd"))


def answer(result: Result, limits: Limits, log: Log | None = None) -> Answer | None:
    """What goes back to the agent; None: the result stays as it is. `log` is told of one that could not be written (P7)."""
    store = DirectoryStore(place_of(result.transcript).directory)
    admitted = maybe_persist_large_tool_result(result.tool, result.tool_use_id, result.held.content, limits, store, log)
    if admitted.fate != "persisted":
        return None
    return {"hookSpecificOutput": {"hookEventName": EVENT, "updatedToolOutput": result.held.replaced(admitted.content)}}


def _word(event: dict[str, Any], name: str) -> str:
    value = event.get(name)
    if not isinstance(value, str) or not value:
        raise RequestError(f"the event has no {name}")
    return value


def _transcript(event: dict[str, Any]) -> Path:
    """S1: in a folder that is there: no word of an event makes the agent's folders."""
    path = Path(_word(event, "transcript_path"))
    usable = "\0" not in str(path) and path.is_absolute() and ".." not in path.parts and path.suffix == TRANSCRIPT_SUFFIX
    if not usable or not path.parent.is_dir():
        raise RequestError(f"transcript_path: no transcript in a folder of the agent's: {path}")
    return path
