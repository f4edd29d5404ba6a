"""What is exported can be read back, and says what it can't do."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.limits import MAX_MCP_DECLARED_CHARS, Limits
from spillscope.limits_export import FORMATS, export_limits
from spillscope.limits_sources import LimitsBook, limits_from_mapping, load_limits

CHARS = st.integers(1, 2_000_000) | st.floats(0.5, 1e6)
TOOLS = st.sampled_from(["Bash", "Read", "Grep", "mcp__github__search", "mcp__a__b"]) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8
)
KEYS = {
    "default_threshold": st.integers(1, 10**6),
    "message_budget": CHARS,
    "aggregate": st.booleans(),
    "preview_chars": st.integers(1, 10_000),
    "window": st.integers(1, 10**6),
    "auto_compact_pct": st.integers(1, 100) | st.floats(1, 100),
    "auto_compact_window": st.integers(1, 10**6),
    "auto_compact": st.booleans(),
    "declared": st.dictionaries(TOOLS, CHARS | st.just("inf"), max_size=4),
    "overrides": st.dictionaries(TOOLS, CHARS | st.sampled_from(["junk", -1, True, None]), max_size=4),
}
LIMITS = st.fixed_dictionaries({}, optional=KEYS).map(lambda keys: limits_from_mapping(keys, "test", LimitsBook().newest))


def values(limits: Limits) -> Limits:
    """Without where they came from, and without the junk that is ignored anyhow."""
    usable = {tool: limits.get_override(tool) for tool in limits.overrides if limits.get_override(tool) is not None}
    return replace(limits, sources={}, overrides=usable)


def exported(form: Any, *notes: str, **keys: object) -> Any:
    return json.loads(export_limits(limits_from_mapping(keys, "test", LimitsBook().newest), form, notes))


@given(LIMITS, st.lists(st.text(max_size=20), max_size=2))
def test_a_limits_file_gives_the_same_limits(
    tmp_path_factory: pytest.TempPathFactory, limits: Limits, notes: list[str]
) -> None:
    path = tmp_path_factory.mktemp("export") / "limits.toml"
    path.write_text(export_limits(limits, "toml", notes), encoding="utf-8")
    assert values(load_limits(None, None, None, [path]).newest) == values(limits)


@given(LIMITS, st.lists(st.text(max_size=20), max_size=2))
def test_flags_and_an_environment_block_are_what_the_agent_is_read_to_be_told(
    tmp_path_factory: pytest.TempPathFactory, limits: Limits, notes: list[str]
) -> None:
    config = tmp_path_factory.mktemp("config")
    (config / ".claude.json").write_text(export_limits(limits, "flags", notes), encoding="utf-8")
    (config / "settings.json").write_text(export_limits(limits, "claude-env", notes), encoding="utf-8")
    found = load_limits(config, None, None).newest
    assert values(found).overrides == values(limits).overrides
    assert found.get_per_message_budget_limit() == limits.get_per_message_budget_limit()
    assert (found.auto_compact_pct, found.auto_compact) == (limits.auto_compact_pct, limits.auto_compact)
    assert found.auto_compact_window == (limits.window if limits.auto_compact_window is None else limits.auto_compact_window)


@given(LIMITS)
def test_what_a_server_declares_is_what_its_tools_are_held_to(limits: Limits) -> None:
    servers = json.loads(export_limits(limits, "mcp-meta"))["servers"]
    declared = {
        f"mcp__{server}__{tool['name']}": tool["_meta"]["anthropic/maxResultSizeChars"]
        for server, entry in servers.items()
        for tool in entry["tools"]
    }
    back = limits_from_mapping({"declared": declared}, "test", LimitsBook().newest)
    for tool, chars in declared.items():
        assert 1 <= chars <= MAX_MCP_DECLARED_CHARS
        override = limits.get_override(tool)
        wanted = limits.get_persistence_threshold(tool).chars if override is None else override
        if 1 <= wanted <= MAX_MCP_DECLARED_CHARS:
            assert back.get_persistence_threshold(tool).chars == math.floor(wanted)


class TestEnvironment:
    def test_only_variables_that_exist_and_only_what_was_set(self) -> None:
        assert exported("claude-env") == {"env": {}}
        assert exported("claude-env", overrides={"Bash": 12_000}, window=150_000, auto_compact=False)["env"] == {
            "BASH_MAX_OUTPUT_LENGTH": "12000",
            "CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150000",
            "DISABLE_AUTO_COMPACT": "1",
        }

    def test_each_says_what_it_can_not_do(self) -> None:
        found = exported("claude-env", overrides={"Bash": 900_000, "mcp__a__b": 80_001}, auto_compact_pct=70.5)
        assert found["env"]["BASH_MAX_OUTPUT_LENGTH"] == "150000"
        assert found["env"]["MAX_MCP_OUTPUT_TOKENS"] == "20001"
        assert found["env"]["CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"] == "70.5"
        assert [note.split(":")[0] for note in found["//"]] == list(found["env"])

    def test_what_no_variable_sets_is_named(self) -> None:
        found = exported("claude-env", overrides={"Grep": 5}, declared={"Write": 9}, message_budget=7, default_threshold=8)
        assert "no variable sets overrides.Grep, declared.Write, default_threshold, message_budget" in found["//"][-1]


class TestMcp:
    def test_by_server_and_tool(self) -> None:
        found = exported("mcp-meta", overrides={"mcp__git__log": 80_000, "mcp__git__show__all": 900_000, "Bash": 3})
        assert found["servers"] == {
            "git": {
                "tools": [
                    {"name": "log", "_meta": {"anthropic/maxResultSizeChars": 80_000}},
                    {"name": "show__all", "_meta": {"anthropic/maxResultSizeChars": 500_000}},
                ]
            }
        }

    def test_one_that_opts_out_gets_the_most_that_counts(self) -> None:
        found = exported("mcp-meta", declared={"mcp__git__log": "inf"})
        assert found["servers"]["git"]["tools"][0]["_meta"] == {"anthropic/maxResultSizeChars": 500_000}
        assert "no MCP tool can opt out" in found["//"][-1]

    def test_none_is_said(self) -> None:
        assert "no MCP tool has a limit of its own" in exported("mcp-meta")["//"][-1]


def test_flags_name_what_they_do_not_carry() -> None:
    found = exported("flags", overrides={"Bash": 12_000, "Grep": "junk"}, declared={"Write": 5}, aggregate=True)
    assert found["cachedGrowthBookFeatures"] == {"tengu_satin_quoll": {"Bash": 12_000}, "tengu_hawthorn_window": None}
    assert found["//"][-1] == "no flag sets declared.Write, aggregate"


@pytest.mark.parametrize("form", FORMATS)
def test_notes_go_with_it_and_are_no_more_than_text(form: Any, tmp_path: Path) -> None:
    note = "session \x1b[31m\nwindow = 7"
    written = export_limits(LimitsBook().newest, form, [note])
    assert "session ␛[31m⏎window = 7" in written
    assert "\x1b" not in written
    if form == "toml":
        path = tmp_path / "limits.toml"
        path.write_text(written, encoding="utf-8")
        assert load_limits(None, None, None, [path]).newest.window is None
