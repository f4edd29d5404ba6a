"""L10: which agent is being watched: one that enforces the budget of a message, or one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from transcripts import Writer, open_session, read, results, use, wrapper

HALF = "x" * 49_000
"""Five of them are over the limit of one message, none over the threshold of its tool."""


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt()
    return writer


def fan(writer: Writer, mark: str, tool: str = "Glob", count: int = 5, content: str = HALF) -> None:
    writer.say(*[use(tool, f"{mark}{number}") for number in range(count)], usage=1_000)
    for number in range(count):
        writer.result(f"{mark}{number}", content)


def test_nothing_over_the_limit_is_no_evidence(tmp_path: Path, writer: Writer) -> None:
    fan(writer, "a", count=4)
    writer.say()
    reading = read(writer.save(tmp_path))
    assert (reading.aggregate, reading.evidence) == (True, "on, no evidence: no group was over the limit")


def test_a_group_that_went_out_over_the_limit_shows_it_off(tmp_path: Path, writer: Writer) -> None:
    fan(writer, "a")
    writer.say()
    reading = read(writer.save(tmp_path))
    assert (reading.aggregate, reading.evidence) == (False, "off: group 0 was over the limit and went out in full")
    assert {found.fate for found in results(reading).values()} == {"full"}
    assert reading.groups[0].over_budget


def test_a_record_of_a_replacement_shows_it_on(tmp_path: Path, writer: Writer) -> None:
    fan(writer, "a")
    writer.say()
    writer.replace("a0", wrapper(HALF))
    reading = read(writer.save(tmp_path))
    assert (reading.aggregate, reading.evidence) == (True, "on: the transcript holds content-replacement records")
    assert results(reading)["a0"].fate == "replaced"


def test_a_malformed_record_of_a_replacement_is_no_evidence(tmp_path: Path, writer: Writer) -> None:
    fan(writer, "a")
    writer.say()
    writer.side({"type": "content-replacement", "replacements": [{"kind": "tool-result", "toolUseId": 5}]})
    assert read(writer.save(tmp_path)).aggregate is False


def test_a_group_that_waits_is_no_evidence(tmp_path: Path, writer: Writer) -> None:
    fan(writer, "a")
    reading = read(writer.save(tmp_path))
    assert reading.aggregate is True
    assert [found.fate for found in results(reading).values()].count("replaced") == 1


def test_nor_is_one_that_only_a_synthetic_record_followed(tmp_path: Path, writer: Writer) -> None:
    fan(writer, "a")
    writer.say(model="<synthetic>")
    assert read(writer.save(tmp_path)).aggregate is True


def test_nor_is_one_that_only_a_compaction_followed(tmp_path: Path, writer: Writer) -> None:
    fan(writer, "a")
    writer.boundary()
    writer.say()
    assert read(writer.save(tmp_path)).aggregate is True


@pytest.mark.parametrize(("tool", "content"), [("Read", HALF), ("Glob", wrapper("x" * 60_000)), ("Glob", "")])
def test_what_is_no_inline_candidate_is_no_evidence(tmp_path: Path, writer: Writer, tool: str, content: str) -> None:
    fan(writer, "a", tool, 300 if content != HALF else 5, content)
    writer.say()
    assert read(writer.save(tmp_path)).aggregate is True


def test_a_later_group_flips_it_for_the_whole_session(tmp_path: Path, writer: Writer) -> None:
    """What was judged before is replayed, and it reads as if opened cold."""
    writer.version = "2.1.88"
    fan(writer, "a", count=4)
    fan(writer, "p", count=1, content="x" * 60_000)
    path = writer.save(tmp_path)
    session = open_session(path)
    assert session.refresh().aggregate is True
    fan(writer, "b")
    writer.save(tmp_path)
    assert session.refresh().aggregate is True
    writer.say()
    writer.save(tmp_path)
    live, cold = session.refresh(), read(path)
    assert (live.aggregate, live.evidence) == (False, "off: group 2 was over the limit and went out in full")
    assert list(live.groups) == list(cold.groups)
    writer.replace("b0", wrapper(HALF))
    writer.save(tmp_path)
    live, cold = session.refresh(), read(path)
    assert live.aggregate is True
    assert list(live.groups) == list(cold.groups)
    assert results(live)["b0"].fate == "replaced"


@pytest.mark.parametrize(("switch", "fate"), [(True, "replaced"), (False, "full")])
def test_the_user_can_flip_it(tmp_path: Path, writer: Writer, switch: bool, fate: str) -> None:
    fan(writer, "a")
    writer.say()
    reading = read(writer.save(tmp_path), aggregate=switch)
    assert (reading.aggregate, reading.evidence) == (switch, f"{'on' if switch else 'off'}, set: test")
    assert results(reading)["a0"].fate == fate


def test_it_is_judged_under_the_profile_and_not_under_edits(tmp_path: Path, writer: Writer) -> None:
    fan(writer, "a", count=2)
    writer.say()
    edited = read(writer.save(tmp_path), message_budget=50_000)
    assert edited.aggregate is True
    assert edited.groups[0].over_budget
    fan(writer, "b")
    writer.say()
    edited = read(writer.save(tmp_path), message_budget=1_000_000, overrides={"Glob": 10})
    assert edited.aggregate is False
