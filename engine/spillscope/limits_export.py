"""Limits in the words of those who are to obey them: an agent's settings, an MCP server, a limits file (spec L6, L11).

What is written can be read back: an environment block and flag payloads by the reader of the agent's settings, TOML by that of
limits files. Notes say what a setting can't do; JSON, which has no comments, holds them under "//".
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from spillscope.clean import clean
from spillscope.javascript import escape_lone_surrogates
from spillscope.limits import DEFAULT_MAX_RESULT_SIZE_CHARS, MAX_MCP_DECLARED_CHARS, Limits, usable_number

Format = Literal["claude-env", "mcp-meta", "flags", "toml"]

BASH_CUT_CHARS = 30_000
"""What Claude Code lets a Bash command print by default."""
MOST_BASH_CUT_CHARS = 150_000
_MCP = "mcp__"
_UNITS_PER_TOKEN = 4


class _Variable(NamedTuple):
    name: str
    value: str
    note: str


def export_limits(limits: Limits, form: Format, notes: Sequence[str] = ()) -> str:
    """The limits in one form, with a newline at the end. `notes`: lines to go with it, such as what they are expected to do."""
    return _FORMS[form](limits, [clean(note) for note in notes])


def _claude_env(limits: Limits, notes: Sequence[str]) -> str:
    """The `env` member of Claude Code's settings.json, with the variables that exist there and nothing else."""
    variables = list(_variables(limits))
    said = [*notes, *(f"{one.name}: {one.note}" for one in variables)]
    left = ", ".join(_beyond_env(limits))
    if left:
        said.append(f"no variable sets {left}: take the flags, or declare it in the tool")
    return _json(said, {"env": {one.name: one.value for one in variables}})


def _variables(limits: Limits) -> Iterator[_Variable]:
    bash = limits.get_persistence_threshold("Bash").chars
    if math.isfinite(bash) and bash != BASH_CUT_CHARS:
        yield _Variable(
            "BASH_MAX_OUTPUT_LENGTH",
            str(min(MOST_BASH_CUT_CHARS, max(1, int(bash)))),
            f"Bash alone, at most {MOST_BASH_CUT_CHARS:,}; many builds cut the middle out of a longer output, which is lost",
        )
    mcp = max((limits.get_persistence_threshold(tool).chars for tool in _mcp_tools(limits)), default=0)
    if mcp and math.isfinite(mcp):
        yield _Variable(
            "MAX_MCP_OUTPUT_TOKENS",
            str(max(1, math.ceil(mcp / _UNITS_PER_TOKEN))),
            f"tokens, not characters, and one value for all MCP tools: the largest of theirs, {mcp:,.0f} characters",
        )
    window = limits.auto_compact_window if limits.auto_compact_window is not None else limits.window
    if window is not None:
        yield _Variable(
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW",
            str(window),
            "moves where auto-compact begins, never above the model's own window; it makes no window larger",
        )
    if limits.auto_compact_pct is not None:
        yield _Variable(
            "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE",
            str(limits.auto_compact_pct),
            "percent of the effective window; it can only make auto-compact come sooner",
        )
    if not limits.auto_compact:
        yield _Variable("DISABLE_AUTO_COMPACT", "1", "switches the automatic compaction off; /compact still works")


def _beyond_env(limits: Limits) -> Iterator[str]:
    """Keys that are set, and that no variable can set."""
    yield from (f"overrides.{tool}" for tool in _overrides(limits) if tool != "Bash" and not tool.startswith(_MCP))
    yield from (f"declared.{tool}" for tool in limits.declared if tool != "Bash" and not tool.startswith(_MCP))
    if limits.default_threshold != DEFAULT_MAX_RESULT_SIZE_CHARS:
        yield "default_threshold"
    if usable_number(limits.message_budget) is not None:
        yield "message_budget"
    if limits.aggregate is not None:
        yield "aggregate"


def _mcp_meta(limits: Limits, notes: Sequence[str]) -> str:
    """For each server the tools whose definitions are to carry a size, as `tools/list` has them."""
    servers: dict[str, list[dict[str, Any]]] = {}
    opted_out = False
    for tool in _mcp_tools(limits):
        server, _, name = tool.removeprefix(_MCP).partition("__")
        override = limits.get_override(tool)
        wanted = limits.get_persistence_threshold(tool).chars if override is None else override
        opted_out = opted_out or not math.isfinite(wanted)
        chars = int(min(MAX_MCP_DECLARED_CHARS, max(1, wanted)))
        servers.setdefault(server, []).append({"name": name, "_meta": {"anthropic/maxResultSizeChars": chars}})
    said = [*notes, f"a server declares it in tools/list; more than {MAX_MCP_DECLARED_CHARS:,} counts as that"]
    if opted_out:
        said.append("no MCP tool can opt out: what was infinite is the most that counts")
    if not servers:
        said.append("no MCP tool has a limit of its own here: set overrides.mcp__SERVER__TOOL")
    return _json(said, {"servers": {server: {"tools": tools} for server, tools in servers.items()}})


def _flags(limits: Limits, notes: Sequence[str]) -> str:
    """The two remote flags as the agent caches them in its state file."""
    said = [
        *notes,
        "the agent fetches its flags anew and overwrites what it has cached",
        "an override does nothing for a tool that declares infinity",
    ]
    left = [key for key in _beyond_env(limits) if not key.startswith("overrides.") and key != "message_budget"]
    if left:
        said.append(f"no flag sets {', '.join(left)}")
    payload = {"tengu_satin_quoll": _overrides(limits), "tengu_hawthorn_window": usable_number(limits.message_budget)}
    return _json(said, {"cachedGrowthBookFeatures": payload})


def _toml(limits: Limits, notes: Sequence[str]) -> str:
    """A limits file."""
    import tomlkit  # late: only an export needs it

    document = tomlkit.document()
    for note in notes:
        document.add(tomlkit.comment(note))
    for key, value in _scalars(limits).items():
        if value is not None:
            document.add(key, tomlkit.item(value))
    declared = {tool: chars if math.isfinite(chars) else "inf" for tool, chars in limits.declared.items()}
    for name, entries in (("declared", declared), ("overrides", _overrides(limits))):
        if entries:
            table = tomlkit.table()
            table.update(entries)
            document.add(name, table)
    return tomlkit.dumps(document)


def _scalars(limits: Limits) -> Mapping[str, object]:
    return {
        "default_threshold": limits.default_threshold,
        "message_budget": usable_number(limits.message_budget),
        "aggregate": limits.aggregate,
        "preview_chars": limits.preview_chars,
        "window": limits.window,
        "auto_compact_pct": limits.auto_compact_pct,
        "auto_compact_window": limits.auto_compact_window,
        "auto_compact": limits.auto_compact,
    }


def _overrides(limits: Limits) -> dict[str, float]:
    """The overrides that are none of L8.2's junk."""
    return {tool: chars for tool in limits.overrides if (chars := limits.get_override(tool)) is not None}


def _mcp_tools(limits: Limits) -> list[str]:
    return [tool for tool in {**limits.declared, **_overrides(limits)} if tool.startswith(_MCP)]


def _json(notes: Sequence[str], content: Mapping[str, object]) -> str:
    said = {"//": list(notes)} if notes else {}
    return escape_lone_surrogates(json.dumps({**said, **content}, indent=2, ensure_ascii=False)) + "\n"


_FORMS: Mapping[Format, Callable[[Limits, Sequence[str]], str]] = {
    "claude-env": _claude_env,
    "mcp-meta": _mcp_meta,
    "flags": _flags,
    "toml": _toml,
}
FORMATS: tuple[Format, ...] = tuple(_FORMS)
