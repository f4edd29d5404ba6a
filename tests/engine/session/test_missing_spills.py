"""S6: how many files that a transcript names are gone, without opening any; the audit says the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillscope.session.session import Session
from spillscope.session.spills.inventory import take_inventory
from spillscope.session.spills.missing import count_missing
from transcripts import Writer, lines, open_session, wrapper

LONG = "word\n" * 12_000


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """Three spills: one replaced by the budget, one of a session that was moved, one outside."""
    project = tmp_path / "projects" / "-srv-app"
    writer = Writer()
    folder = project / writer.session / "tool-results"
    folder.mkdir(parents=True)
    writer.prompt()
    writer.call("Bash", "t1", wrapper(LONG, str(folder / "t1.txt")))
    writer.call("Glob", "t2", LONG[:40_000])
    writer.replace("t2", wrapper(LONG[:40_000], str(folder / "t2.txt")))
    writer.call("Bash", "t3", wrapper(LONG, f"/home/before/{writer.session}/tool-results/t3.txt"))
    writer.call("Bash", "t4", wrapper(LONG, "/etc/t4.txt"))
    for name, size in (("t1", 60_000), ("t2", 40_000), ("t3", 60_000)):
        (folder / f"{name}.txt").write_text(LONG[:size])
    path = project / f"{writer.session}.jsonl"
    path.write_bytes(lines(writer.records))
    return open_session(path)


def test_each_file_that_goes_is_counted_and_the_audit_agrees(session: Session) -> None:
    reading = session.refresh()
    folder = session.place.tool_results
    for gone, name in enumerate(("", "t1.txt", "t2.txt", "t3.txt")):
        if name:
            (folder / name).unlink()
        assert count_missing(session, reading) == gone
        assert take_inventory(session, reading).counts["missing"] == gone


def test_no_file_is_opened(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = session.refresh()

    def refuse(*_: object) -> int:
        raise AssertionError("a file was opened")

    monkeypatch.setattr(os, "open", refuse)
    monkeypatch.setattr("io.open", refuse)
    assert count_missing(session, reading) == 0
