"""S6, S9: every spilled file of a session, what names it, and whether the model read it back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spill_folder import LONG, SpillFolder
from transcripts import Writer, text, use, wrapper


@pytest.fixture
def folder(tmp_path: Path) -> SpillFolder:
    return SpillFolder(tmp_path)


def test_a_persisted_result(folder: SpillFolder) -> None:
    path = folder.spill("t1.txt")
    folder.call("Bash", "t1", wrapper(LONG, path))
    spill = folder.one()
    assert (spill.tool_use_id, spill.tool, spill.origin, spill.agent_id) == ("t1", "Bash", "result", None)
    assert (spill.file.path, spill.file.bytes, spill.file.exists, spill.file.inside) == (path, len(LONG), True, True)
    assert (spill.reread, spill.mismatch) == (0, None)


def test_a_replaced_result(folder: SpillFolder) -> None:
    path = folder.spill("t1.txt")
    folder.call("Glob", "t1", LONG[:40_000])
    folder.writer.replace("t1", wrapper(LONG, path))
    spill = folder.one()
    assert (spill.tool_use_id, spill.origin, spill.mismatch) == ("t1", "budget", None)


def test_an_mcp_overflow(folder: SpillFolder) -> None:
    path = folder.spill("mcp-maps-find-1.txt")
    words = (
        f"Error: result ({len(LONG):,} characters) exceeds maximum allowed tokens. Output has been saved to {path}.\nFormat: x"
    )
    folder.call("mcp__maps__find", "t1", words)
    spill = folder.one()
    assert (spill.origin, spill.file.path, spill.mismatch) == ("mcp", path, None)


def test_a_hooks_output(folder: SpillFolder) -> None:
    path = folder.spill("hook-1.txt")
    folder.writer.put("attachment", {"attachment": {"type": "hook_success", "stdout": wrapper(LONG, path)}})
    spill = folder.one()
    assert (spill.tool_use_id, spill.tool, spill.origin, spill.file.path) == (None, None, "hook", path)


@pytest.mark.parametrize(
    ("attachment", "origin"),
    [
        ({"type": "hook_additional_context", "content": ["first", "{notice}"]}, "hook"),
        ({"type": "hook_success", "content": "{notice}", "stdout": "{notice}"}, "hook"),
        ({"type": "hook_blocking_error", "blockingError": {"blockingError": "{notice}"}}, "hook"),
        ({"type": "task_status", "content": [{"type": "text", "text": "{notice}"}]}, "unknown"),
    ],
)
def test_a_notice_in_an_attachment(folder: SpillFolder, attachment: dict[str, object], origin: str) -> None:
    path = folder.spill("hook-1.txt")
    said = json.dumps(attachment).replace("{notice}", json.dumps(wrapper(LONG, path))[1:-1])
    folder.writer.put("attachment", {"attachment": json.loads(said)})
    spill = folder.one()
    assert (spill.file.path, spill.origin, spill.tool_use_id) == (path, origin, None)


def test_a_path_that_only_the_local_result_gives(folder: SpillFolder) -> None:
    path = folder.spill("b1.txt")
    folder.writer.say(use("Bash", "t1"), usage=1_000)
    folder.writer.result("t1", "the beginning", {"stdout": "the beginning", "persistedOutputPath": path})
    spill = folder.one()
    assert (spill.tool_use_id, spill.origin, spill.file.path) == ("t1", "result", path)


def test_a_result_on_a_branch_that_was_left_still_names_its_file(folder: SpillFolder) -> None:
    stay = folder.writer.last
    folder.call("Bash", "t1", wrapper(LONG, folder.spill("t1.txt")))
    folder.writer.prompt("Again.", parent=stay)
    folder.writer.say(usage=2_000)
    spill = folder.one()
    assert (spill.tool_use_id, spill.origin, spill.group) == ("t1", "result", None)


def test_a_file_named_after_a_result_of_a_sub_agent_is_that_ones(folder: SpillFolder) -> None:
    folder.spill("s1.txt")
    agent = Writer()
    agent.prompt()
    agent.call("Grep", "s1", LONG)
    folder.agent("a1", agent)
    spill = folder.one()
    assert (spill.tool_use_id, spill.tool, spill.agent_id, spill.origin) == ("s1", "Grep", "a1", "unknown")


def test_what_a_helper_fork_repeats_is_listed_once(folder: SpillFolder) -> None:
    """S10: it carries its parent's context."""
    folder.call("Bash", "t1", wrapper(LONG, folder.spill("t1.txt")))
    folder.agent("acompact-1a2b3c", folder.writer)
    assert folder.one().agent_id is None


def test_a_file_that_a_microcompaction_left(folder: SpillFolder) -> None:
    path = folder.spill("t1.txt")
    folder.call("Bash", "t1", "x" * 30)
    meta = {"compactedToolIds": ["t1"]}
    folder.writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": meta})
    spill = folder.one()
    assert (spill.tool_use_id, spill.tool, spill.origin, spill.file.path) == ("t1", "Bash", "microcompact", path)


def test_files_that_nothing_names(folder: SpillFolder) -> None:
    folder.call("Bash", "t1", "x" * 30)
    folder.spill("t1.txt")
    folder.spill("stray.txt")
    assert [(spill.tool_use_id, spill.origin) for spill in folder.spills()] == [(None, "unknown"), ("t1", "unknown")]


def test_a_moved_sessions_file_is_listed_once(folder: SpillFolder) -> None:
    folder.spill("t1.txt")
    folder.call("Bash", "t1", wrapper(LONG, "/home/before/tool-results/t1.txt"))
    assert folder.one().file.path == str(folder.results / "t1.txt")


def test_a_missing_file_is_listed(folder: SpillFolder) -> None:
    folder.call("Bash", "t1", wrapper(LONG, str(folder.results / "t1.txt")))
    spill = folder.one()
    assert (spill.file.exists, spill.file.bytes, spill.mismatch) == (False, None, None)


def test_a_path_outside_is_shown_and_not_opened(folder: SpillFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("another text")
    folder.call("Bash", "t1", wrapper(LONG, str(outside)))
    spill = folder.one()
    assert (spill.file.path, spill.file.inside, spill.file.exists, spill.mismatch) == (str(outside), False, False, None)


def test_sub_agents_have_theirs_marked(folder: SpillFolder) -> None:
    path = folder.spill("s1.txt")
    agent = Writer()
    agent.prompt(isSidechain=True)
    agent.say(use("Grep", "s1"), isSidechain=True)
    agent.result("s1", wrapper(LONG, path), isSidechain=True)
    folder.agent("a1", agent)
    spill = folder.one()
    assert (spill.tool_use_id, spill.tool, spill.agent_id, spill.origin) == ("s1", "Grep", "a1", "result")


class TestReread:
    @pytest.mark.parametrize(
        ("tool", "arguments"),
        [
            ("Read", {"file_path": "{path}"}),
            ("Bash", {"command": "head -5 '{path}' | sort"}),
            ("Grep", {"pattern": "x", "path": "{path}"}),
            ("Read", {"file_path": "C:\\u\\tool-results\\t1.txt"}),
        ],
    )
    def test_a_later_call_that_names_the_file(self, folder: SpillFolder, tool: str, arguments: dict[str, str]) -> None:
        path = folder.spill("t1.txt")
        folder.call("Bash", "t1", wrapper(LONG, path))
        for name in ("t2", "t3"):
            folder.ask(tool, name, {key: value.format(path=path) for key, value in arguments.items()})
        assert folder.one().reread == 2

    def test_once_a_call_and_file(self, folder: SpillFolder) -> None:
        path = folder.spill("t1.txt")
        folder.call("Bash", "t1", wrapper(LONG, path))
        folder.ask("Bash", "t2", {"command": f"head {path}; tail {path}"})
        assert folder.one().reread == 1

    def test_not_an_earlier_call_nor_one_on_a_dead_branch(self, folder: SpillFolder) -> None:
        path = folder.spill("t1.txt")
        folder.ask("Read", "t0", {"file_path": path})
        folder.call("Bash", "t1", wrapper(LONG, path))
        stay = folder.writer.last
        folder.ask("Read", "t2", {"file_path": path})
        folder.writer.prompt("Again.", parent=stay)
        assert folder.one().reread == 0

    def test_not_another_file_with_a_like_name(self, folder: SpillFolder) -> None:
        path = folder.spill("t1.txt")
        folder.call("Bash", "t1", wrapper(LONG, path))
        folder.ask("Read", "t2", {"file_path": path + ".bak"})
        folder.ask("Read", "t3", {"file_path": "/srv/app/t1.txt"})
        assert folder.one().reread == 0


class TestMismatch:
    def test_a_size_in_units_fits(self, folder: SpillFolder) -> None:
        whole = "é" * 40_000
        folder.call("Grep", "t1", wrapper(whole, folder.spill("t1.txt", whole)))
        assert folder.one().mismatch is None

    def test_a_size_in_bytes_fits(self, folder: SpillFolder) -> None:
        """S9: of Bash, in newer versions."""
        whole = "é" * 40_000
        words = wrapper(whole, folder.spill("b1.txt", whole)).replace("39.1KB", "78.1KB")
        folder.call("Bash", "t1", words)
        assert folder.one().mismatch is None

    def test_any_other_size_does_not(self, folder: SpillFolder) -> None:
        folder.call("Bash", "t1", wrapper(LONG, folder.spill("t1.txt", LONG[:-2_000])))
        assert folder.one().mismatch == "size"

    def test_another_beginning_does_not(self, folder: SpillFolder) -> None:
        folder.call("Bash", "t1", wrapper(LONG, folder.spill("t1.txt", "W" + LONG[1:])))
        assert folder.one().mismatch == "preview"

    def test_a_list_is_compared_by_its_json(self, folder: SpillFolder) -> None:
        whole = json.dumps([text("日本" * 30_000)], indent=2, ensure_ascii=False)
        folder.call("mcp__maps__find", "t1", wrapper(whole, folder.spill("t1.json", whole)))
        spill = folder.one()
        assert spill.mismatch is None
