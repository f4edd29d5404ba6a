"""Layer one: one tool result (spec P1–P10, L8)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from conversation import MemoryStore
from spillscope.budget.admit import Admitted, maybe_persist_large_tool_result
from spillscope.budget.store import DirectoryStore, SpillFailure
from spillscope.limits import Limits

IMAGE = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


def admit(content: Any, tool: str = "Bash", limits: Limits | None = None, store: MemoryStore | None = None) -> Admitted:
    return maybe_persist_large_tool_result(tool, "toolu_01", content, limits or Limits(), store or MemoryStore())


@pytest.mark.parametrize(
    ("tool", "threshold"),
    [("Bash", 30_000), ("PowerShell", 30_000), ("Grep", 20_000), ("McpAuth", 10_000), ("Glob", 50_000), ("mcp__a__b", 50_000)],
)
def test_a_result_stays_up_to_its_threshold(tool: str, threshold: int) -> None:
    at = "x" * threshold
    assert admit(at, tool).content is at
    assert admit(at + "x", tool).fate == "persisted"


def test_a_declared_infinity_is_never_persisted() -> None:
    large = "x" * 1_000_000
    assert admit(large, "Read", Limits(overrides={"Read": 10})).content is large
    assert admit(large, "Own", Limits(declared={"Own": math.nan}, overrides={"Own": 10})).content is large


@pytest.mark.parametrize(
    ("override", "fate"), [(5, "persisted"), (6, "full"), (True, "full"), ("5", "full"), (0, "full"), (math.inf, "full")]
)
def test_an_override_counts_when_it_is_a_number(override: object, fate: str) -> None:
    assert admit("x" * 6, limits=Limits(overrides={"Bash": override})).fate == fate


def test_size_is_units_of_text() -> None:
    limits = Limits(overrides={"Bash": 10})
    assert admit("😀" * 5, limits=limits).fate == "full"
    assert admit("😀" * 5 + "a", limits=limits).fate == "persisted"
    assert admit([text("x" * 5), text("x" * 5)], limits=limits).fate == "full"
    assert admit([text("x" * 5), text("x" * 6)], limits=limits).fate == "persisted"


@pytest.mark.parametrize("content", [None, "", " \n", [], [text(" "), text("")]])
def test_an_empty_result_gets_a_placeholder(content: Any) -> None:
    assert admit(content) == Admitted("(Bash completed with no output)", "placeholder")


@pytest.mark.parametrize(
    "content",
    [
        [text("x" * 99_000), IMAGE],
        [text("x" * 99_000), {"type": "tool_reference"}],
        [IMAGE],
        {"type": "text", "text": "x" * 99_000},
        7,
    ],
)
def test_what_is_not_text_stays(content: Any) -> None:
    store = MemoryStore()
    admitted = admit(content, store=store)
    assert admitted.content is content
    assert (admitted.fate, store.writes) == ("full", [])


def test_a_string_becomes_its_wrapper(tmp_path: Path) -> None:
    store = DirectoryStore(tmp_path)
    large = "line\n" * 10_000
    admitted = maybe_persist_large_tool_result("Bash", "toolu_01", large, Limits(), store)
    path = tmp_path / "tool-results" / "toolu_01.txt"
    assert path.read_text() == large
    assert admitted.content == (
        f"<persisted-output>\nOutput too large (48.8KB). Full output saved to: {path}\n\n"
        "Preview (first 2KB):\n" + ("line\n" * 400)[:-1] + "\n...\n</persisted-output>"
    )
    assert maybe_persist_large_tool_result("Bash", "toolu_01", large, Limits(), store) == admitted


def test_the_wrapper_of_a_list_is_about_its_json() -> None:
    admitted = admit([text("x" * 60_000)])
    assert admitted.spilled is not None
    assert admitted.spilled.text == '[\n  {\n    "type": "text",\n    "text": "' + "x" * 60_000 + '"\n  }\n]'
    assert "(58.6KB)" in admitted.content  # 60,046 units
    assert 'Preview (first 2KB):\n[\n  {\n    "type": "text",\n' in admitted.content


def test_the_preview_size_is_a_limit() -> None:
    assert "Preview (first 10 bytes):\nxxxxxxxxxx\n...\n" in admit("x" * 30_001, limits=Limits(preview_chars=10)).content


def test_a_failed_write_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")
    told: list[SpillFailure] = []
    large = "x" * 30_001
    admitted = maybe_persist_large_tool_result("Bash", "toolu_01", large, Limits(), DirectoryStore(tmp_path), told.append)
    assert admitted.content is large
    assert admitted.failure is not None
    assert told == [admitted.failure]


def test_a_store_that_breaks_is_a_failed_write() -> None:
    def broken(tool_use_id: str) -> None:
        raise KeyError(tool_use_id)

    admitted = admit("x" * 30_001, store=MemoryStore(on_write=broken))
    assert admitted.failure == SpillFailure("toolu_01", "KeyError: 'toolu_01'")
