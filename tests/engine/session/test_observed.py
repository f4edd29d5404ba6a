"""R2: what a transcript proves of a result, what the engine decided, and where the two differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spillscope.session.reading import Result
from transcripts import Writer, read, results, text, use, wrapper

LONG = "x" * 60_000
CLEARED = "[Old tool result content cleared]"


def one(
    folder: Path,
    content: object,
    *,
    tool: object = "Bash",
    local: Any = None,
    sent: bool = True,
    version: str = "2.1.88",
    **limits: Any,
) -> Result:
    """One result of a session, under the given limits."""
    writer = Writer(version)
    writer.prompt()
    writer.say(use(tool, "t1"))
    writer.result("t1", content, local)
    if sent:
        writer.say()
    found: Result = results(read(writer.save(folder), **limits))["t1"]
    return found


@pytest.mark.parametrize(
    ("content", "sent", "observed"),
    [
        ("words", True, "inline"),
        ("words", False, "pending"),
        ([text("words")], True, "inline"),
        (wrapper(LONG), True, "persisted"),
        (wrapper(LONG), False, "persisted"),
        (CLEARED, True, "cleared"),
        (CLEARED, False, "cleared"),
        ("", True, "empty"),
        ([], False, "empty"),
        ("(Bash completed with no output)", True, "empty"),
        ([{"type": "image", "source": {}}], True, "image"),
        ([{"type": "image", "source": {}}], False, "image"),
    ],
)
def test_what_the_content_proves(tmp_path: Path, content: object, sent: bool, observed: str) -> None:
    found = one(tmp_path, content, sent=sent)
    assert found.observed == observed
    assert found.drift is None


def test_a_replacement_record_proves_replaced(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Glob", "t1", "x" * 40_000)
    writer.replace("t1", wrapper("x" * 40_000))
    writer.say()
    found = results(read(writer.save(tmp_path)))["t1"]
    assert found.observed == "replaced"
    assert (found.saw_chars, found.row.chars) == (len(wrapper("x" * 40_000)), 40_000)
    assert found.saw_tokens == (found.saw_chars + 2) // 4


@pytest.mark.parametrize("content", [LONG, "words", "", wrapper(LONG)])
def test_a_microcompaction_that_names_the_id_proves_cleared(tmp_path: Path, content: str) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", content)
    writer.say()
    meta = {"compactedToolIds": ["t1"]}
    writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": meta})
    found = results(read(writer.save(tmp_path)))["t1"]
    assert (found.observed, found.state, found.drift) == ("cleared", None, None)


class TestDrift:
    def test_over_its_threshold_and_inline(self, tmp_path: Path) -> None:
        found = one(tmp_path, "x" * 30_001)
        assert found.fate == "persisted"
        assert found.drift == "over its threshold of 30,000, yet not persisted at the source"
        assert one(tmp_path, "x" * 30_001, sent=False).drift == found.drift

    def test_persisted_below_its_threshold(self, tmp_path: Path) -> None:
        whole = "x" * 20_000
        found = one(tmp_path, wrapper(whole), local={"stdout": whole})
        assert found.fate == "full"
        assert found.drift == "persisted, yet its 20,000 units are not over its threshold of 30,000"

    def test_persisted_though_its_tool_opts_out(self, tmp_path: Path) -> None:
        found = one(tmp_path, wrapper(LONG), tool="Read")
        assert found.fate == "exempt"
        assert found.drift == "persisted, yet its threshold is infinite (declared by the tool)"

    def test_persisted_before_anything_was(self, tmp_path: Path) -> None:
        found = one(tmp_path, wrapper(LONG), version="2.1.1")
        assert found.drift is not None
        assert "nothing was persisted" in found.drift

    def test_over_the_budget_and_inline(self, tmp_path: Path) -> None:
        found = one(tmp_path, "x" * 200, tool="Glob", message_budget=100, aggregate=True)
        assert (found.fate, found.drift) == ("replaced", "the budget would have replaced it")
        assert one(tmp_path, "x" * 200, tool="Glob", sent=False, message_budget=100).drift is None

    def test_persisted_where_the_budget_would_have_acted(self, tmp_path: Path) -> None:
        whole = "x" * 40_000
        found = one(tmp_path, wrapper(whole), local=whole, tool="Glob", message_budget=30_000, aggregate=True)
        assert (found.fate, found.drift) == ("replaced", "persisted, where the budget would have acted")

    def test_replaced_where_the_engine_keeps_it(self, tmp_path: Path) -> None:
        writer = Writer()
        writer.prompt()
        writer.call("Glob", "t1", "x" * 40_000)
        writer.replace("t1", wrapper("x" * 40_000))
        writer.say()
        found = results(read(writer.save(tmp_path)))["t1"]
        assert (found.fate, found.drift) == ("full", "replaced by the budget, where the engine keeps it in full")

    def test_cleared_content_is_none(self, tmp_path: Path) -> None:
        assert one(tmp_path, CLEARED, local={"stdout": LONG}).drift is None


class TestHeaders:
    """An original known only from its header is known to the header's precision."""

    @pytest.mark.parametrize(
        ("threshold", "fate"),
        # 29.3KB stands for 29,952 to 30,054 units
        [(29_900, "persisted"), (30_000, "persisted"), (30_003, "persisted"), (30_050, "persisted"), (30_060, "full")],
    )
    def test_near_a_threshold_the_header_has_the_benefit_of_the_doubt(self, tmp_path: Path, threshold: int, fate: str) -> None:
        found = one(tmp_path, wrapper("x" * 30_020), overrides={"Bash": threshold})
        assert (found.row.chars, found.row.chars_source) == (30_003, "header")
        assert found.fate == fate

    def test_an_exact_original_has_no_doubt(self, tmp_path: Path) -> None:
        whole = "x" * 30_020
        assert one(tmp_path, wrapper(whole), local={"stdout": whole}, overrides={"Bash": 30_020}).fate == "full"

    def test_an_unknown_original_is_believed(self, tmp_path: Path) -> None:
        content = "<persisted-output>\nTool result saved to: /a/tool-results/t1.txt\n\nUse Read to view</persisted-output>"
        found = one(tmp_path, content)
        assert (found.row.chars_source, found.observed, found.fate, found.drift) == ("unknown", "persisted", "persisted", None)

    def test_an_mcp_overflow_is_of_no_threshold(self, tmp_path: Path) -> None:
        content = (
            "Error: result (12,345 characters) exceeds maximum allowed tokens. Output has been saved to "
            "/a/tool-results/mcp-maps-find-1.txt.\nFormat: JSON array"
        )
        found = one(tmp_path, content, tool="mcp__maps__find")
        assert (found.row.chars, found.row.chars_source) == (12_345, "header")
        assert (found.observed, found.fate, found.drift) == ("persisted", "persisted", None)
        assert found.row.notice == ("/a/tool-results/mcp-maps-find-1.txt", "12,345 characters")
