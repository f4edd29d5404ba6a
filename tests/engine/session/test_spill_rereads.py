"""R3: what became of a spill: read back in part, whole or never, what that cost, and spills of reads of spills."""

from __future__ import annotations

from pathlib import Path

import pytest

from spill_folder import LONG, SpillFolder, badges
from spillscope.session.spills import Badge
from spillscope.tokens.rough import rough_token_count
from transcripts import Writer, use, wrapper


@pytest.fixture
def folder(tmp_path: Path) -> SpillFolder:
    return SpillFolder(tmp_path)


@pytest.fixture
def path(folder: SpillFolder) -> str:
    """A spilled file of which the model saw a preview."""
    path = folder.spill("t1.txt")
    folder.call("Bash", "t1", wrapper(LONG, path))
    return path


def preview_tokens(path: str) -> int:
    return rough_token_count(len(wrapper(LONG, path)))


def badge(folder: SpillFolder) -> Badge:
    (badge,) = folder.audited().badges
    return badge


class TestNever:
    def test_when_a_later_response_did_not(self, folder: SpillFolder, path: str) -> None:
        folder.writer.say(usage=2_000)
        found = badge(folder)
        assert found.name == "never re-read"
        assert f"of {len(LONG):,} chars the model only saw {preview_tokens(path)} tokens" in found.text

    def test_not_while_its_request_waits(self, folder: SpillFolder, path: str) -> None:
        assert badges(folder.audited()) == []

    def test_not_where_the_model_saw_it_in_full(self, folder: SpillFolder) -> None:
        folder.call("Bash", "old", LONG)
        folder.spill("old.txt")
        folder.writer.say(usage=2_000)
        assert badges(folder.audited()) == []

    def test_of_a_hook(self, folder: SpillFolder) -> None:
        path = folder.spill("hook-1.txt")
        folder.writer.put("attachment", {"attachment": {"type": "hook_success", "stdout": wrapper(LONG, path)}})
        assert badges(folder.audited()) == []
        folder.writer.say(usage=2_000)
        assert badges(folder.audited()) == ["never re-read"]

    def test_not_where_a_sub_agent_did(self, folder: SpillFolder, path: str) -> None:
        agent = Writer()
        agent.prompt()
        agent.say(use("Read", "s1", {"file_path": path}))
        agent.result("s1", LONG)
        folder.agent("a1", agent)
        folder.writer.say(usage=2_000)
        spill = folder.audited()
        assert badges(spill) == ["re-read whole"]
        assert (spill.reread, spill.tokens_reread) == (0, len(LONG) // 4)


class TestInPart:
    @pytest.mark.parametrize(
        ("tool", "arguments"),
        [
            ("Read", {"file_path": "{path}", "offset": 1, "limit": 100}),
            ("Bash", {"command": "head -100 {path}"}),
            ("Grep", {"pattern": "word", "path": "{path}"}),
            ("Bash", {"command": "jq . {path}"}),
            ("Read", {"file_path": "{path}"}),
        ],
    )
    def test_by_what_came_back(self, folder: SpillFolder, path: str, tool: str, arguments: dict[str, object]) -> None:
        named = {key: value.format(path=path) if isinstance(value, str) else value for key, value in arguments.items()}
        folder.ask(tool, "r1", named, LONG[:4_000])
        spill = folder.audited()
        (found,) = spill.badges
        assert found.name == "re-read in part"
        assert f"1 later call: {preview_tokens(path)} tokens for the preview and 1,000 for reading" in found.text
        assert (spill.tokens_preview, spill.tokens_reread) == (preview_tokens(path), 1_000)

    def test_with_no_answer_yet(self, folder: SpillFolder, path: str) -> None:
        folder.ask("Read", "r1", {"file_path": path})
        assert (badge(folder).name, folder.audited().tokens_reread) == ("re-read in part", 0)

    def test_a_call_that_names_it_twice_is_one(self, folder: SpillFolder, path: str) -> None:
        folder.ask("Bash", "r1", {"command": f"head {path}", "description": f"Look at {path}"}, LONG[:400])
        assert "by 1 later call: " in badge(folder).text


class TestWhole:
    @pytest.mark.parametrize(
        ("tool", "arguments"),
        [("Read", {"file_path": "{path}"}), ("Bash", {"command": "cat {path}"}), ("Grep", {"pattern": ".", "path": "{path}"})],
    )
    def test_by_what_came_back(self, folder: SpillFolder, path: str, tool: str, arguments: dict[str, str]) -> None:
        folder.ask(tool, "r1", {key: value.format(path=path) for key, value in arguments.items()}, LONG[:-4_000])
        found = badge(folder)
        assert found.name == "re-read whole"
        assert f"paid for twice: {preview_tokens(path)} tokens for the preview and 14,000 for reading" in found.text

    def test_piece_by_piece(self, folder: SpillFolder, path: str) -> None:
        for at in range(3):
            folder.ask("Read", f"r{at}", {"file_path": path, "offset": at * 4_000, "limit": 4_000}, LONG[:20_000])
        assert badge(folder).name == "re-read whole"

    def test_not_by_the_same_piece_again_and_again(self, folder: SpillFolder, path: str) -> None:
        for at in range(3):
            folder.ask("Read", f"r{at}", {"file_path": path, "offset": 0, "limit": 4_000}, LONG[:20_000])
        assert badge(folder).name == "re-read in part"

    def test_not_by_many_searches(self, folder: SpillFolder, path: str) -> None:
        for at in range(3):
            folder.ask("Grep", f"r{at}", {"pattern": "w", "path": path}, LONG[:20_000])
        assert badge(folder).name == "re-read in part"

    @pytest.mark.parametrize(
        ("tool", "arguments", "name"),
        [
            ("Read", {"file_path": "{path}"}, "re-read whole"),
            ("Bash", {"command": "cat '{path}'"}, "re-read whole"),
            ("Read", {"file_path": "{path}", "limit": 5}, "re-read in part"),
            ("Bash", {"command": "cat {path} | head"}, "re-read in part"),
            ("Bash", {"command": "tail {path}"}, "re-read in part"),
            ("Grep", {"pattern": "x", "path": "{path}"}, "re-read in part"),
        ],
    )
    def test_by_what_was_asked_where_no_size_is_known(
        self, folder: SpillFolder, tool: str, arguments: dict[str, object], name: str
    ) -> None:
        path = str(folder.results / "gone.txt")
        folder.call("Bash", "t1", wrapper(LONG, path).replace("58.6KB", "a lot"))
        named = {key: value.format(path=path) if isinstance(value, str) else value for key, value in arguments.items()}
        folder.ask(tool, "r1", named, "some text")
        assert badges(folder.audited()) == ["missing", name]


class TestCascade:
    def test_a_read_of_a_spill_that_was_spilled(self, folder: SpillFolder, path: str) -> None:
        again = f"1\t{LONG}"
        folder.ask("Read", "t2", {"file_path": path}, wrapper(again, folder.spill("t2.txt", again)))
        third = f"1\t{again}"
        folder.ask("Bash", "t3", {"command": f"cat {folder.results}/t2.txt"}, wrapper(third, folder.spill("t3.txt", third)))
        first, second, last = folder.inventory().spills
        assert first.chain == ()
        assert [link.name for link in second.chain] == ["t1.txt", "t2.txt"]
        assert [(link.tool_use_id, link.chars) for link in last.chain] == [("t1", 60_000), ("t2", 60_002), ("t3", 60_004)]
        assert (badges(first), badges(second)) == (["re-read in part"], ["cascade", "re-read in part"])
        assert "3 files deep: 60,000 → 60,002 → 60,004 chars" in last.badges[0].text

    def test_of_one_that_the_budget_replaced(self, folder: SpillFolder, path: str) -> None:
        folder.ask("Read", "t2", {"file_path": path}, LONG)
        folder.writer.replace("t2", wrapper(LONG, folder.spill("t2.txt")))
        first, second = folder.inventory().spills
        assert badges(second) == ["cascade"]
        assert badges(first) == ["re-read in part"], "the model only got another preview"

    def test_none_where_a_call_reads_the_file_that_it_is_spilled_to(self, folder: SpillFolder) -> None:
        path = folder.spill("t1.txt")
        folder.ask("Bash", "t1", {"command": f"cat {path}"}, wrapper(LONG, path))
        assert badges(folder.audited()) == []
