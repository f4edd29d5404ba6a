"""Records on disk (spec B11, B15)."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from spillscope.budget.sink import TranscriptSink
from spillscope.budget.state import Replacement


def test_one_line_a_run(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text('{"type":"user"}\n')
    sink = TranscriptSink(path, "s")
    sink([Replacement("a", "A\nü\ud800"), Replacement("b", "B")])
    sink([Replacement("c", "C")])
    lines = path.read_bytes().decode().splitlines()
    assert json.loads(lines[1]) == {
        "type": "content-replacement",
        "sessionId": "s",
        "replacements": [
            {"kind": "tool-result", "toolUseId": "a", "replacement": "A\nü\ud800"},
            {"kind": "tool-result", "toolUseId": "b", "replacement": "B"},
        ],
    }
    assert [len(lines), path.read_bytes()[-1:]] == [3, b"\n"]


def test_a_sidechain_file_is_made_for_its_owner_and_names_the_agent(tmp_path: Path) -> None:
    path = tmp_path / "agent-a1.jsonl"
    TranscriptSink(path, "s", "a1")([Replacement("a", "A")])
    assert json.loads(path.read_text())["agentId"] == "a1"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_line_that_a_crash_cut_short_does_not_swallow_the_record(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_text('{"type":"us')
    TranscriptSink(path, "s")([Replacement("a", "A")])
    assert json.loads(path.read_text().splitlines()[1])["sessionId"] == "s"


def test_writers_do_not_cut_into_each_other(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: TranscriptSink(path, "s")([Replacement(str(number), "x" * 20_000)]), range(40)))
    ids = [json.loads(line)["replacements"][0]["toolUseId"] for line in path.read_text().splitlines()]
    assert sorted(ids, key=int) == [str(number) for number in range(40)]


def test_a_path_that_can_not_be_written_is_the_callers_to_know(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        TranscriptSink(tmp_path / "gone" / "session.jsonl", "s")([Replacement("a", "A")])
