"""S5, S6: what the model got in a spill's place, and the copy that a transcript keeps, of any spill that is listed."""

from __future__ import annotations

from pathlib import Path

from spill_folder import LONG, SpillFolder
from spillscope.session.session import Session
from spillscope.session.spills import Spill
from spillscope.session.spills.behind import kept_of, seen_of
from spillscope.session.spills.inventory import take_inventory
from transcripts import Writer, open_session, text, wrapper


def one(session: Session, name: str) -> Spill:
    spills = take_inventory(session, session.refresh()).spills
    return next(spill for spill in spills if Path(spill.file.path).name == name)


def seen(session: Session, name: str) -> str | None:
    return seen_of(session, session.refresh(), one(session, name))


def test_of_a_result_waiting_or_sent(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    notice = wrapper(LONG, folder.spill("a.txt"))
    folder.call("Bash", "a", notice)
    assert seen(folder.open(), "a.txt") == notice
    folder.writer.say(text("Seen."), usage=100)
    assert seen(folder.open(), "a.txt") == notice


def test_of_the_budgets(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    notice = wrapper(LONG, folder.spill("a.txt"))
    folder.call("Bash", "a", LONG)
    folder.writer.replace("a", notice)
    folder.writer.say(text("Seen."), usage=100)
    assert seen(folder.open(), "a.txt") == notice


def test_of_a_branch_that_was_left(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    fork = folder.writer.last
    notice = wrapper(LONG, folder.spill("left.txt"))
    folder.call("Bash", "left", notice)
    folder.writer.last = fork
    folder.writer.say(text("Another way."), usage=100)
    session = folder.open()
    assert one(session, "left.txt").group is None
    assert seen(session, "left.txt") == notice


def test_of_a_hooks_attachment(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    notice = wrapper(LONG, folder.spill("hook-1.txt"))
    folder.writer.put("attachment", {"attachment": {"type": "hook_success", "hookName": "Stop", "content": notice}})
    folder.writer.say(text("Well."), usage=100)
    assert seen(folder.open(), "hook-1.txt") == notice


def test_of_a_sub_agents(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    notice = wrapper(LONG, folder.spill("b.txt"))
    agent = Writer(session=folder.writer.session)
    agent.prompt()
    agent.call("Bash", "b", notice)
    for record in agent.records:
        record.update(isSidechain=True, agentId="a1")
    folder.agent("a1", agent)
    spill = one(folder.open(), "b.txt")
    own = open_session(folder.results.parent / "subagents" / "agent-a1.jsonl")
    assert spill.agent_id == "a1"
    assert seen_of(own, own.refresh(), spill) == notice


def test_of_what_nothing_names_nothing_is_known(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    folder.spill("lost.txt")
    assert seen(folder.open(), "lost.txt") is None


def test_a_local_copy(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    for name, local in (("with", {"stdout": LONG}), ("without", None)):
        notice = wrapper(LONG, str(folder.results / f"{name}.txt"))
        folder.ask("Bash", name, {})
        folder.writer.result(name, notice, local)
    session = folder.open()
    reading = session.refresh()
    assert kept_of(session, reading, one(session, "with.txt")) == LONG
    assert kept_of(session, reading, one(session, "without.txt")) is None


def test_a_transcript_that_was_rewritten_meanwhile(tmp_path: Path) -> None:
    folder = SpillFolder(tmp_path)
    fork = folder.writer.last
    folder.call("Bash", "left", wrapper(LONG, folder.spill("left.txt")))
    folder.writer.last = fork
    folder.writer.say(text("Another way."), usage=100)
    session = folder.open()
    reading, spill = session.refresh(), one(session, "left.txt")
    folder.path.write_bytes(b"{}\n")
    session.refresh()
    assert seen_of(session, reading, spill) is None
