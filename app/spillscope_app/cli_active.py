"""`spillscope apply` and `spillscope admit`: the acting side of the budget, for agent loops in any language."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeVar

import click

from spillscope.budget.admit import maybe_persist_large_tool_result
from spillscope.budget.enforce import Enforced, GroupReport, enforce_tool_result_budget
from spillscope.budget.state import ContentReplacementState, Reconstructed, content_replacement_record, reconstruct, string_map
from spillscope.budget.store import DirectoryStore, SpillFailure, SpillStore
from spillscope.clean import clean
from spillscope.errors import RequestError
from spillscope.javascript import escape_lone_surrogates
from spillscope.limits import Limits
from spillscope.limits_sources import WatchedLimits, limits_from_mapping
from spillscope.messages import Message
from spillscope.tokens.hybrid import token_count_with_estimation
from spillscope_app.cli_limits import LimitsRequest, limits_options

R = TypeVar("R")

SCHEMA = "spillscope.apply/1"


def _session_dir(command: Callable[..., R]) -> Callable[..., R]:
    words = "Where tool-results/ is, or is to be made."
    return click.option("--session-dir", required=True, type=click.Path(path_type=Path), help=words)(command)


@click.command(name="apply")
@_session_dir
@click.option("--stream", is_flag=True, help="One request a line in, one answer a line out, until the input ends.")
@limits_options
def apply_command(session_dir: Path, stream: bool, limits: LimitsRequest) -> None:
    """Enforce the budget of each message: JSON on standard input, JSON on standard output.

    Limits in a request win over those given here.
    """
    store = DirectoryStore(session_dir)
    source, target = sys.stdin.buffer, sys.stdout.buffer
    if stream:
        _serve(source, target, store, WatchedLimits(limits.plan(None)))
    else:
        target.write(to_bytes(answer(source.read(), store, limits.book(None).newest)))


@click.command(name="admit")
@_session_dir
@click.option("--tool", required=True, help="The tool that gave the result.")
@click.option("--id", "tool_use_id", required=True, help="The id of its call; it names the file.")
@limits_options
def admit_command(session_dir: Path, tool: str, tool_use_id: str, limits: LimitsRequest) -> None:
    """What the model should get of one tool result: text on standard input, exactly those bytes on standard output."""
    raw = sys.stdin.buffer.read()
    # Bytes that are no UTF-8 leave as they came.
    text = raw.decode(errors="surrogateescape")
    admitted = maybe_persist_large_tool_result(
        tool, tool_use_id, text, limits.book(None).newest, DirectoryStore(session_dir), log=_report_failure
    )
    given = raw if admitted.fate == "full" else admitted.content.encode(errors="surrogateescape")
    sys.stdout.buffer.write(given)


def _report_failure(failure: SpillFailure) -> None:
    click.echo(f"spillscope: kept in full: {clean(failure.tool_use_id)}: {clean(failure.error)}", err=True)


def _serve(source: BinaryIO, target: BinaryIO, store: SpillStore, watched: WatchedLimits) -> None:
    """One answer for each line, whatever it holds; limits files that change count from the next line on."""
    for line in source:
        known = watched.error
        watched.poll()
        if watched.error not in (None, known):
            click.echo(f"spillscope: the limits stay as they were: {clean(str(watched.error))}", err=True)
        target.write(_safe_answer(line, store, watched.book.newest))
        target.flush()


def _safe_answer(line: bytes, store: SpillStore, limits: Limits) -> bytes:
    try:
        return to_bytes(answer(line, store, limits))
    except Exception as error:  # a harness waits for its line, whatever went wrong
        return to_bytes({"error": " ".join(str(error).split()) or type(error).__name__})


def answer(raw: bytes, store: SpillStore, limits: Limits) -> dict[str, Any]:
    """The answer to one `apply` request. Raises RequestError or LimitsError for one that is unusable."""
    request = _parse(raw)
    messages = _messages(request)
    names = _skip_tool_names(request)
    limits = _limits(request, limits)
    state, resumed = _state(request, messages)
    if limits.aggregate is False:
        state = None
    enforced = enforce_tool_result_budget(messages, state, limits, store, skip_tool_names=names)
    result = _describe(enforced)
    result["state"] = request.get("state") if state is None else state.to_json()
    if resumed is not None:
        result["ignoredRecords"] = {"malformed": resumed.malformed, "unknown": resumed.unknown, "absent": resumed.absent}
    if isinstance(request.get("sessionId"), str):
        result["record"] = _transcript_record(request, enforced)
    return result


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        request = json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise RequestError("the request on standard input is nested too deep") from None
    except ValueError as error:
        raise RequestError(f"the request on standard input is no JSON: {error}") from error
    if not isinstance(request, dict):
        raise RequestError('the request on standard input is no object: give {"messages": […], …}')
    return request


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _finite(number: str) -> float:
    value = float(number)
    if math.isinf(value):
        raise ValueError(f"{number} is out of range")
    return value


def _messages(request: dict[str, Any]) -> list[Message]:
    messages = request.get("messages")
    if not isinstance(messages, list):
        raise RequestError("messages: give a list of transcript records or API messages")
    for at, message in enumerate(messages):
        if not isinstance(message, dict):
            raise RequestError(f"messages[{at}]: give an object")
    return messages


def _limits(request: dict[str, Any], base: Limits) -> Limits:
    given = _or_default(request, "limits", {})
    if not isinstance(given, dict):
        raise RequestError("limits: give an object with the keys of a limits file")
    return limits_from_mapping(given, "the request", base)


def _or_default(table: dict[str, Any], key: str, default: Any) -> Any:
    """The value of a key, where null says as little as its absence."""
    value = table.get(key)
    return default if value is None else value


def _skip_tool_names(request: dict[str, Any]) -> frozenset[str] | None:
    names = request.get("skipToolNames")
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise RequestError("skipToolNames: give a list of tool names")
    return frozenset(names)


class _Given(NamedTuple):
    """What a request says of the state: None where the feature is off; `resumed` where it was made from records."""

    state: ContentReplacementState | None
    resumed: Reconstructed | None = None


def _state(request: dict[str, Any], messages: list[Message]) -> _Given:
    value = request.get("state", {})
    if value is None:
        return _Given(None)
    if not isinstance(value, dict) or not value.keys() & {"records", "inherited"}:
        return _Given(ContentReplacementState.from_json(value))
    records = _or_default(value, "records", [])
    if not isinstance(records, list):
        raise RequestError("state.records: give a list of replacement records or transcript lines")
    resumed = reconstruct(messages, records, string_map(_or_default(value, "inherited", {}), "state.inherited"))
    return _Given(resumed.state, resumed)


def _transcript_record(request: dict[str, Any], enforced: Enforced) -> dict[str, Any] | None:
    """B11: the line to append, for a caller that says whose transcript it keeps; None when there is nothing to append."""
    if not enforced.records:
        return None
    agent_id = request.get("agentId")
    return content_replacement_record(enforced.records, request["sessionId"], agent_id if isinstance(agent_id, str) else None)


def _describe(enforced: Enforced) -> dict[str, Any]:
    tokens = token_count_with_estimation(enforced.messages)
    return {
        "schema": SCHEMA,
        "messages": enforced.messages,
        "changed": enforced.changed,
        "state": None,
        "records": [record.to_json() for record in enforced.records],
        "spilled": [{"toolUseId": done.tool_use_id, "path": done.path, "chars": done.chars} for done in enforced.spilled],
        "failed": [{"toolUseId": failure.tool_use_id, "error": failure.error} for failure in enforced.failed],
        "groups": [_describe_group(group) for group in enforced.groups],
        "tokens": {
            "total": tokens.total,
            "usage": tokens.usage,
            "estimate": tokens.estimate,
            "anchorIndex": tokens.anchor_index,
        },
    }


def _describe_group(group: GroupReport) -> dict[str, Any]:
    return {
        "limit": int(group.limit) if float(group.limit).is_integer() else group.limit,
        "frozen": group.frozen,
        "fresh": group.fresh,
        "reapplied": group.reapplied,
        "exempt": group.exempt,
        "visible": group.visible,
        "results": [
            {
                "toolUseId": result.tool_use_id,
                "tool": result.tool,
                "chars": result.chars,
                "state": result.state,
                "fate": result.fate,
            }
            for result in group.results
        ],
    }


def to_bytes(value: dict[str, Any]) -> bytes:
    """One line of JSON in UTF-8, lone surrogates as escapes. Raises RequestError where it nests too deep."""
    try:
        printed = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise RequestError("the request is nested too deep") from None
    return escape_lone_surrogates(printed).encode() + b"\n"
