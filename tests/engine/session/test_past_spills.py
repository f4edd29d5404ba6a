"""S8, tui Timeline: in the past stand the spills that there were by then, as their files are now."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spill_folder import LONG, SpillFolder, badges
from spillscope.session.session import Session
from spillscope.session.spills import Inventory
from spillscope.session.spills.inventory import take_inventory
from spillscope.session.spills.memory import Memory
from spillscope.session.travel import reading_at
from transcripts import Writer, text, use, wrapper

EARLY, LATE = 1.0, 2_000_000_000.0
"""Seconds: before the records of a `Writer`, and after them."""


@pytest.fixture
def folder(tmp_path: Path) -> SpillFolder:
    """Two spills, each of a round of its own, then the first is read back, and the second is left on a branch."""
    made = SpillFolder(tmp_path)
    first = made.spill("first.txt")
    made.call("Bash", "first", wrapper(LONG, first))
    made.writer.say(text("Seen."), usage=20_000)
    made.ask("Read", "again", {"file_path": first}, "word\n" * 100)
    fork = made.writer.last
    made.call("Bash", "left", wrapper(LONG, made.spill("left.txt")))
    made.writer.last = fork
    made.call("Bash", "second", wrapper(LONG, made.spill("second.txt")))
    made.writer.say(text("Done."), usage=40_000)
    for name in ("first", "second", "left"):
        os.utime(made.results / f"{name}.txt", (LATE, LATE))
    return made


def past(session: Session, request: int, memory: Memory | None = None) -> Inventory:
    return take_inventory(session, reading_at(session, session.refresh(), request), memory=memory)


def names(inventory: Inventory) -> list[str]:
    return [Path(spill.file.path).name for spill in inventory.spills]


def test_each_is_listed_from_its_own_round_on(folder: SpillFolder) -> None:
    session = folder.open()
    assert names(past(session, 0)) == []
    assert names(past(session, 1)) == ["first.txt"]
    assert names(past(session, 2)) == ["first.txt"]
    last = len(session.refresh().requests) - 1
    assert names(past(session, last)) == ["first.txt", "second.txt", "left.txt"]


def test_sums_are_of_those_that_there_were(folder: SpillFolder) -> None:
    found = past(folder.open(), 1)
    assert (found.files, found.bytes) == (1, len(LONG))


def test_what_was_read_back_later_was_not_read_back_then(folder: SpillFolder) -> None:
    session = folder.open()
    assert past(session, 2).spills[0].reread == 0
    now = take_inventory(session, session.refresh()).spills[0]
    assert now.reread == 1
    assert "re-read in part" in badges(now)


def test_a_file_that_nothing_names_is_dated_by_itself(folder: SpillFolder) -> None:
    for name, written in (("before", EARLY), ("behind", LATE)):
        folder.spill(f"{name}.txt")
        os.utime(folder.results / f"{name}.txt", (written, written))
    session = folder.open()
    assert names(past(session, 1)) == ["first.txt", "before.txt"]
    assert {"before.txt", "behind.txt"} <= set(names(take_inventory(session, session.refresh())))


def test_a_file_called_like_a_result_is_dated_by_that(folder: SpillFolder) -> None:
    folder.spill("again.txt")
    os.utime(folder.results / "again.txt", (EARLY, EARLY))
    session = folder.open()
    assert "again.txt" not in names(past(session, 2))
    assert "again.txt" in names(past(session, 3))


def test_a_notice_in_an_attachment(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    folder.writer.say(text("Well."), usage=10)
    attachment = {"type": "hook_success", "hookName": "PostToolUse", "content": wrapper(LONG, folder.spill("hook-1.txt"))}
    folder.writer.put("attachment", {"attachment": attachment})
    folder.writer.say(text("Again."), usage=20)
    session = folder.open()
    os.utime(folder.results / "hook-1.txt", (LATE, LATE))
    assert names(past(session, 0)) == []
    (spill,) = past(session, 1).spills
    assert "never re-read" not in badges(spill)
    (spill,) = take_inventory(session, session.refresh()).spills
    assert "never re-read" in badges(spill)


def test_a_sub_agent_by_the_time_of_its_records(folder: SpillFolder) -> None:
    folder.writer.say(text("One more."), usage=50_000)
    for name, hour in (("early", "02"), ("late", "04")):
        agent = Writer(session=folder.writer.session)
        agent.prompt()
        agent.say(use("Bash", name), usage=1_000)
        agent.result(name, wrapper(LONG, folder.spill(f"{name}.txt")))
        os.utime(folder.results / f"{name}.txt", (LATE, LATE))
        for record in agent.records:
            record.update(isSidechain=True, agentId=name, timestamp=record["timestamp"].replace("T03", f"T{hour}"))
        folder.agent(name, agent)
    session = folder.open()
    assert names(past(session, 1)) == ["first.txt", "early.txt"]
    assert {"early.txt", "late.txt"} <= set(names(take_inventory(session, session.refresh())))


def test_there_and_back_compares_no_file_twice(folder: SpillFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    session, memory = folder.open(), Memory()
    whole = take_inventory(session, session.refresh(), memory=memory)
    monkeypatch.setattr("spillscope.session.spills.inventory.examine", None)
    assert names(past(session, 1, memory)) == ["first.txt"]
    assert take_inventory(session, session.refresh(), memory=memory) == whole
