"""What our hook spilled, seen by the inspector: its own origin, the rule of its limits, and never a drift."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spill_folder import SpillFolder
from spillscope.hook.answer import answer, read_event
from spillscope.limits import Limits
from spillscope.limits_sources import LimitsBook
from spillscope.session.contents import look
from spillscope.session.session import Session
from spillscope.session.spills import list_spills
from spillscope.session.spills.inventory import take_inventory
from spillscope.wrapper import build_large_tool_result_message
from transcripts import open_session, results, use

OVERRIDES = {"Bash": 12_000, "mcp__a__b": 500, "Grep": 500, "Task": 500}
TEXT = "wörd\n" * 2_600
BLOCKS = [{"type": "text", "text": "wörd\n" * 300}]


@pytest.fixture
def folder(tmp_path: Path) -> SpillFolder:
    made = SpillFolder(tmp_path)
    made.project.mkdir(parents=True)
    return made


def hooked(folder: SpillFolder, tool: str, tool_use_id: str, response: Any) -> Any:
    """The tool's output as the hook has the agent take it."""
    event = {
        "hook_event_name": "PostToolUse", "tool_name": tool, "tool_use_id": tool_use_id, "tool_response": response,
        "transcript_path": str(folder.path), "cwd": "/srv/app",
    }  # fmt: skip
    result = read_event(event)
    assert result is not None
    said = answer(result, Limits(overrides=OVERRIDES))
    assert said is not None
    return said["hookSpecificOutput"]["updatedToolOutput"]


def bash(folder: SpillFolder) -> tuple[str, Any, Any]:
    output = hooked(folder, "Bash", "t1", {"stdout": TEXT, "stderr": "", "interrupted": False})
    return "Bash", output["stdout"], output


def grep(folder: SpillFolder) -> tuple[str, Any, Any]:
    output = hooked(folder, "Grep", "t1", {"mode": "content", "content": TEXT, "numLines": 2_600})
    return "Grep", output["content"] + "\n\n[Showing results with pagination = limit: 2600]", output


def mcp(folder: SpillFolder) -> tuple[str, Any, Any]:
    output = hooked(folder, "mcp__a__b", "t1", BLOCKS)
    return "mcp__a__b", output, output


def task(folder: SpillFolder) -> tuple[str, Any, Any]:
    output = hooked(folder, "Task", "t1", {"status": "completed", "content": BLOCKS, "totalTokens": 9})
    return "Task", [*output["content"], {"type": "text", "text": "agentId: a1"}], output


def mcp_in_a_sub_agent(folder: SpillFolder) -> tuple[str, Any, Any]:
    return "mcp__a__b", mcp(folder)[1], None


def session_of(folder: SpillFolder, tool: str, content: Any, local: Any, **limits: object) -> Session:
    folder.writer.say(use(tool, "t1"), usage=1_000)
    folder.writer.result("t1", content, local)
    folder.writer.say(usage=3_000)
    folder.open()
    book = LimitsBook().with_layer(limits, "limits.toml") if limits else LimitsBook()
    return open_session(folder.path, book)


@pytest.mark.parametrize("make", [bash, grep, mcp, task, mcp_in_a_sub_agent])
def test_under_the_hooks_limits(folder: SpillFolder, make: Any) -> None:
    session = session_of(folder, *make(folder), overrides=OVERRIDES)
    reading = session.refresh()
    result = results(reading)["t1"]
    assert (result.observed, result.fate, result.layer, result.rule, result.drift) == (
        "persisted",
        "persisted",
        1,
        "L8.2",
        None,
    )
    assert result.threshold.source == "limits.toml"
    assert reading.totals.drift == 0
    original = BLOCKS[0]["text"] if result.row.tool in ("Task", "mcp__a__b") else TEXT
    assert (result.row.chars, result.row.chars_source) == (len(original), "file")
    (spill,) = list_spills(session, reading)
    assert (spill.origin, spill.tool_use_id, spill.mismatch, spill.file.inside) == ("hook", "t1", None, True)
    assert look(session, result, "original").source == "file"


@pytest.mark.parametrize("make", [bash, grep, mcp, task])
def test_under_other_limits(folder: SpillFolder, make: Any) -> None:
    session = session_of(folder, *make(folder))
    reading = session.refresh()
    result = results(reading)["t1"]
    assert (result.observed, result.fate, result.drift) == ("persisted", "full", None)
    assert reading.totals.drift == 0


@pytest.mark.parametrize("make", [bash, grep, mcp, task])
def test_its_file_is_what_the_transcript_says(folder: SpillFolder, make: Any) -> None:
    session = session_of(folder, *make(folder), overrides=OVERRIDES)
    (spill,) = take_inventory(session, session.refresh()).spills
    assert [badge.name for badge in spill.badges] == ["never re-read"]
    Path(spill.file.path).write_text("something else")
    (spill,) = take_inventory(session, session.refresh()).spills
    assert "size" in [badge.name for badge in spill.badges]


@pytest.mark.parametrize("make", [bash, grep, mcp, task])
def test_a_file_of_the_same_size_that_begins_otherwise(folder: SpillFolder, make: Any) -> None:
    session = session_of(folder, *make(folder), overrides=OVERRIDES)
    (spill,) = take_inventory(session, session.refresh()).spills
    altered = Path(spill.file.path).read_text()
    Path(spill.file.path).write_text(altered.replace(altered[0], "#", 1))
    (spill,) = take_inventory(session, session.refresh()).spills
    assert "preview" in [badge.name for badge in spill.badges]


def test_the_wrapper_beside_it_is_no_copy_of_the_original(folder: SpillFolder) -> None:
    length = len(build_large_tool_result_message("x" * 3_000, str(folder.results / "t1.txt")))
    output = hooked(folder, "Grep", "t1", {"mode": "content", "content": "x" * length})
    (folder.results / "t1.txt").unlink()
    row = results(session_of(folder, "Grep", output["content"], output).refresh())["t1"].row
    assert row.chars_source == "header"


def test_the_agents_own_spill_is_none_of_a_hooks(folder: SpillFolder) -> None:
    _, content, _ = bash(folder)
    local = {"stdout": TEXT[:1_000], "stderr": "", "persistedOutputPath": str(folder.results / "t1.txt")}
    session = session_of(folder, "Bash", content, local)
    reading = session.refresh()
    assert results(reading)["t1"].drift is not None
    (spill,) = list_spills(session, reading)
    assert spill.origin == "result"


def test_a_list_that_only_speaks_of_a_wrapper(folder: SpillFolder) -> None:
    content = [{"type": "text", "text": "<persisted-output> is a tag"}]
    result = results(session_of(folder, "mcp__a__b", content, content).refresh())["t1"]
    assert (result.row.content, result.observed) == ("text", "inline")
