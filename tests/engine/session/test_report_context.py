"""`report --json` on compactions, forecasts and broken caches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spillscope.session.report import sections
from spillscope.session.write import write_sections
from transcripts import Writer, open_session, text


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt()
    return writer


def report(writer: Writer, folder: Path) -> dict[str, Any]:
    session = open_session(writer.save(folder))
    found: dict[str, Any] = json.loads(b"".join(write_sections(sections(session, session.refresh()))))
    return found


def test_a_forecast_has_turns_and_minutes_to_each_mark(tmp_path: Path, writer: Writer) -> None:
    for turn in range(6):
        writer.say(usage=100_000 + 2_000 * turn, timestamp=f"2026-01-02T03:00:{10 * turn:02d}Z")
    found = report(writer, tmp_path)["context"]["forecast"]
    assert (found["turns"], found["tokensPerTurn"]) == (6, 2_000)
    for mark in ("Warning", "AutoCompact", "Window"):
        low, middle, high = found[f"turnsTo{mark}"]
        assert all(type(count) is int for count in (low, middle, high))
        assert 0 < low < middle < high
        assert found[f"minutesTo{mark}"] == [round(count / 6, 1) for count in (low, middle, high)]


def test_too_few_turns_have_none(tmp_path: Path, writer: Writer) -> None:
    writer.say(usage=100_000)
    assert report(writer, tmp_path)["context"]["forecast"] is None


def test_a_compaction_says_where_it_stood_by_the_rule(tmp_path: Path, writer: Writer) -> None:
    writer.say(usage=100_000, id="before")
    writer.boundary(preTokens=120_000, postTokens=900)
    (found,) = report(writer, tmp_path)["session"]["compactions"]
    assert found.pop("at").startswith("2026-01-02T03:")
    assert found == {
        "trigger": "auto",
        "preTokens": 120_000,
        "postTokens": 900,
        "verdict": "early",
        "tokens": 120_000,
        "expected": 167_000,
        "turns": 1,
        "assistantId": "before",
    }


def test_how_compaction_fares(tmp_path: Path, writer: Writer) -> None:
    for _ in range(2):
        writer.say(usage=170_000)
    for _ in range(3):
        writer.say(text("Prompt is too long"), model="<synthetic>", isApiErrorMessage=True)
    found = report(writer, tmp_path)
    assert found["context"]["compacting"] == {"overdue": 1, "refusals": 3, "stopped": True, "thrashing": False}
    assert len(found["advice"]) == 2


def test_a_broken_cache_names_the_replacement(tmp_path: Path, writer: Writer) -> None:
    writer.call("Grep", "turned", "x" * 9_000, usage=30_000)
    writer.say(usage=50_000)
    writer.replace("turned", "another text")
    writer.say(usage={"input_tokens": 30_000, "cache_read_input_tokens": 20_000, "output_tokens": 1})
    found = [request["cacheBreak"] for request in report(writer, tmp_path)["requests"]]
    expected = {"lost": 30_000, "cause": "replacement", "rewritten": 30_000, "cost": 27_000.0, "about": ["turned"]}
    assert found == [None, None, expected]
