"""A session with spill files on disk, for tests."""

from __future__ import annotations

from pathlib import Path

from spillscope.session.session import Session
from spillscope.session.spills import Inventory, Spill, list_spills
from spillscope.session.spills.inventory import take_inventory
from transcripts import Writer, lines, open_session, use

LONG = "word\n" * 12_000


class SpillFolder:
    """A session and its spill files on disk."""

    def __init__(self, root: Path, session: str | None = None) -> None:
        self.project = root / "projects" / "-srv-app"
        self.writer = Writer() if session is None else Writer(session=session)
        self.writer.prompt()
        self.path = self.project / f"{self.writer.session}.jsonl"
        self.results = self.project / self.writer.session / "tool-results"

    def spill(self, name: str, content: str = LONG) -> str:
        self.results.mkdir(parents=True, exist_ok=True)
        (self.results / name).write_text(content)
        return str(self.results / name)

    def call(self, tool: str, tool_use_id: str, content: object) -> None:
        self.writer.call(tool, tool_use_id, content)

    def ask(self, tool: str, tool_use_id: str, arguments: dict[str, object], content: object = None) -> None:
        """A call with an input, and its result where there is one."""
        self.writer.say(use(tool, tool_use_id, arguments), usage=1_000)
        if content is not None:
            self.writer.result(tool_use_id, content)

    def agent(self, name: str, writer: Writer) -> None:
        """A sub-agent with a file of its own."""
        file = self.results.parent / "subagents" / f"agent-{name}.jsonl"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(lines(writer.records))

    def open(self) -> Session:
        """The session as it stands, written out."""
        self.project.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(lines(self.writer.records))
        return open_session(self.path)

    def spills(self) -> list[Spill]:
        session = self.open()
        return list(list_spills(session, session.refresh()))

    def one(self) -> Spill:
        (spill,) = self.spills()
        return spill

    def inventory(self) -> Inventory:
        session = self.open()
        return take_inventory(session, session.refresh())

    def audited(self) -> Spill:
        """The one spill there is."""
        (spill,) = self.inventory().spills
        return spill


def badges(spill: Spill) -> list[str]:
    return [badge.name for badge in spill.badges]
