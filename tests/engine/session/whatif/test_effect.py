"""Why a value can have no effect: said in one sentence, and only where it is so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from spillscope.limits_sources import LimitsBook
from spillscope.session.whatif.compare import WhatIf
from spillscope.session.whatif.effect import no_effect
from transcripts import Writer, open_session, use

EACH = dict.fromkeys(("Bash", "Glob", "Grep", "mcp__docs__get"), 3)


@pytest.fixture
def asked(tmp_path: Path) -> WhatIf:
    writer = Writer()
    writer.prompt()
    writer.call("Read", "r", "x" * 70_000)
    for number in range(3):
        writer.call("Bash", f"b{number}", "x" * (9_990 + number))
    writer.call("Glob", "g", "x" * 700)
    writer.call("Grep", "s", "x" * 15_000)
    writer.call("mcp__docs__get", "m", "x" * 600)
    writer.say(usage=9_000)
    session = open_session(writer.save(tmp_path))
    return WhatIf(session, session.refresh())


@pytest.mark.parametrize(
    ("key", "limits", "why"),
    [
        ("overrides.Bash", {"overrides": {"Bash": 5_000}}, None),
        ("overrides.Bash", {"overrides": {"Bash": 12_000}}, "Bash seems to cut its own output at about 9,992, below"),
        ("overrides.Grep", {"overrides": {"Grep": 16_000}}, "no result of Grep is that large: the largest has 15,000"),
        ("overrides.Read", {"overrides": {"Read": 10}}, "Read opts out"),
        ("overrides.Read", {"overrides": {"Read": 80_000}, "declared": {"Read": 20}}, None),
        ("overrides.Bash", {"overrides": {"Bash": "12k"}}, "ignored: an override is a number"),
        ("overrides.Write", {"overrides": {"Write": 10}}, "no result of Write in this session"),
        (
            "overrides.Grep",
            {"overrides": {"Grep": 10_000}, "declared": {"Grep": 14_000}},
            "the same results are over the threshold",
        ),
        ("overrides.Grep", {"overrides": {"Grep": 16_000}, "declared": {"Grep": 14_000}}, None),
        ("declared.Grep", {"declared": {"Grep": 100}}, None),
        ("declared.Grep", {"declared": {"Grep": "inf"}}, None),
        ("declared.Write", {"declared": {"Write": "inf"}}, "no result of Write"),
        ("declared.Glob", {"declared": {"Glob": 90_000}}, "capped at the default threshold of 50,000"),
        ("declared.Bash", {"declared": {"Bash": 90}, "overrides": {"Bash": 7}}, "the override of 7 wins"),
        ("declared.mcp__docs__get", {"declared": {"mcp__docs__get": 900_000}}, "counts for at most 500,000"),
        ("default_threshold", {"default_threshold": 650}, None),
        ("default_threshold", {"default_threshold": 25_000}, "no result that it rules is that large: the largest has 9,992"),
        ("default_threshold", {"default_threshold": 200_000}, "no result that it rules is that large: the largest has 700"),
        ("default_threshold", {"default_threshold": 9, "overrides": EACH}, "every tool of this session has a threshold of its"),
        ("message_budget", {"message_budget": 14_000}, None),
        ("message_budget", {"message_budget": 16_000}, "no group is that large: the largest has 15,000 of 16,000"),
        ("message_budget", {"message_budget": 100, "aggregate": False}, "the budget is off"),
        ("aggregate", {"aggregate": True}, "no group is that large"),
        ("preview_chars", {"preview_chars": 10}, "previews are measured as the transcript holds them"),
        ("auto_compact_pct", {"auto_compact_pct": 50, "auto_compact": False}, "auto-compact is off"),
        ("auto_compact_window", {"auto_compact_window": 9, "window": 7}, "the window is set to 7"),
        ("window", {"window": 100_000}, None),
    ],
)
def test_says_why_or_nothing(asked: WhatIf, key: str, limits: dict[str, Any], why: str | None) -> None:
    book = LimitsBook().with_layer(limits, "test")
    said = no_effect(asked, book, key)
    assert (said is None) if why is None else (said is not None and why in said), said
    if why is not None:  # and it is true: without the key nothing differs
        table, dot, _ = key.partition(".")
        without = {name: value for name, value in limits.items() if name != (table if dot else key)}
        before = WhatIf(asked.session, asked.reading, LimitsBook().with_layer(without, "test"))
        assert not before.compare(book).flips


def test_asking_leaves_what_was_compared_last(asked: WhatIf) -> None:
    edited = LimitsBook().with_layer({"message_budget": 100, "overrides": {"Bash": 5}}, "test")
    asked.compare(edited, "now")
    before = [bytes(outcome.codes) for outcome in asked.outcomes]
    assert no_effect(asked, edited, "message_budget") is None
    assert [bytes(outcome.codes) for outcome in asked.outcomes] == before


def test_of_an_agent_that_wrote_no_spill_files(tmp_path: Path) -> None:
    writer = Writer(version="2.0.1")
    writer.prompt()
    writer.call("Bash", "b", "x" * 90_000)
    session = open_session(writer.save(tmp_path))
    asked = WhatIf(session, session.refresh())
    for key in ("overrides.Bash", "declared.Bash", "default_threshold"):
        assert "wrote no spill files" in (no_effect(asked, session.book, key) or "")


def test_a_session_without_results(tmp_path: Path) -> None:
    writer = Writer()
    writer.say(use("Bash", "b"), usage=10)
    session = open_session(writer.save(tmp_path))
    assert no_effect(WhatIf(session, session.refresh()), session.book, "message_budget") == "no tool results yet"
