"""What each tool did: sizes, percentiles, thresholds, and what was saved."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillscope.session.tools import UNKNOWN_TOOL, ToolUse, nearest_rank, tool_uses
from transcripts import Writer, open_session, read, results


@pytest.mark.parametrize(
    ("values", "percent", "expected"),
    [
        ([], 50, 0),
        ([7], 50, 7),
        ([7], 90, 7),
        ([1, 2], 50, 1),
        ([1, 2], 51, 2),
        ([1, 2, 3], 50, 2),
        ([1, 2, 3, 4], 50, 2),
        (list(range(1, 11)), 90, 9),
        (list(range(1, 12)), 90, 10),
        (list(range(1, 101)), 90, 90),
        ([1, 2, 3], 0, 1),
        ([1, 2, 3], 100, 3),
    ],
)
def test_percentiles_are_nearest_rank(values: list[int], percent: int, expected: int) -> None:
    assert nearest_rank(values, percent) == expected


def uses(writer: Writer, tmp_path: Path, **limits: object) -> dict[str, ToolUse]:
    return {use.name: use for use in tool_uses(read(writer.save(tmp_path), **limits))}


def test_every_tool_with_a_result_by_name(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    for number, (tool, size) in enumerate([("Grep", 30), ("Bash", 10), ("Grep", 50), ("Grep", 40)]):
        writer.call(tool, f"t{number}", "x" * size)
    writer.result("nobody", "x" * 5)
    found = uses(writer, tmp_path)
    assert list(found) == ["Bash", "Grep", UNKNOWN_TOOL]
    grep = found["Grep"]
    assert (grep.calls, grep.chars, grep.p50, grep.p90, grep.max) == (3, 120, 40, 50, 50)
    assert grep.tool_use_ids == ("t0", "t2", "t3")
    assert (grep.declared, grep.override, grep.threshold.chars, grep.spilled, grep.chars_saved) == (20_000, None, 20_000, 0, 0)
    assert found[UNKNOWN_TOOL].declared == 50_000


def test_the_pending_request_counts(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", "x")
    assert uses(writer, tmp_path)["Bash"].calls == 1


def test_what_was_saved_is_the_originals_less_the_models_view(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", "x" * 40_000)
    writer.call("Bash", "t2", "x" * 10_000)
    reading = read(writer.save(tmp_path))
    use = tool_uses(reading)[0]
    shown = results(reading)["t1"].model_chars
    assert 2_000 < shown < 3_000
    assert (use.spilled, use.chars_saved) == (1, 40_000 - shown)


def test_an_override_is_shown_with_its_source(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", "x" * 200)
    use = uses(writer, tmp_path, overrides={"Bash": 100})["Bash"]
    assert (use.declared, use.override, use.threshold.chars, use.threshold.source) == (30_000, 100, 100, "test")
    assert use.spilled == 1


def test_a_session_without_results_has_no_tools(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    assert tool_uses(open_session(path).refresh()) == []
