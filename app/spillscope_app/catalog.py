"""All sessions that there are to look at, as one immutable value, and the thread that keeps it up to date."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from textual.message import Message

from spillscope.session.listing import Found, Listed, agent_files, find_sessions, look_at

SCAN_SECONDS = 3.0
"""How often the folders are looked at while somebody looks at the list."""
POST_SECONDS = 0.15
"""How often a list under way is shown."""
AGENT_SECONDS = 3_600.0
"""A session without a write for so long is taken to start no more sub-agents."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One session: its file as it was found, and what its head and tail say, once they were read."""

    path: str
    last_write: float
    listed: Listed | None = None
    agents: tuple[Listed, ...] = ()

    @property
    def folder(self) -> str:
        """The folder of its project."""
        return str(Path(self.path).parent)


@dataclass(frozen=True, slots=True)
class Catalog:
    """The sessions below `root`, the newest first. `looked_at`: how many of them were read; `trouble`: why there are none."""

    root: str
    entries: tuple[Entry, ...] = ()
    looked_at: int = 0
    trouble: str | None = None


@dataclass
class NewCatalog(Message):
    """The list has changed. Only the newest one of a queue matters."""

    catalog: Catalog

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, NewCatalog)


class Lister:
    """Lists sessions while it is wanted, and posts what it finds. `run` wants a thread."""

    def __init__(self, root: Path, post: Callable[[Message], object], now: Callable[[], float] = time.time) -> None:
        self._root, self._post, self._now = root, post, now
        self._stop = threading.Event()
        self._wanted = threading.Event()
        self._entries: dict[str, Entry] = {}
        self._agents: dict[str, Listed] = {}
        self._posted: Catalog | None = None
        self._next_post = 0.0

    def want(self, wanted: bool) -> None:
        """Begin to look, or rest."""
        if wanted:
            self._wanted.set()
        else:
            self._wanted.clear()

    def stop(self) -> None:
        """End the loop soon."""
        self._stop.set()
        self._wanted.set()

    def run(self) -> None:
        """List, again and again while wanted, until stopped."""
        while not self._stop.is_set():
            self._wanted.wait()
            self.list_now()
            self._stop.wait(SCAN_SECONDS)

    def list_now(self) -> None:
        """One pass: all files at once, then what each says, the newest first, then the sub-agents."""
        try:
            found = find_sessions(self._root)
        except OSError as error:
            self._tell(Catalog(str(self._root), trouble=error.strerror or str(error)))
            return
        known = self._entries
        self._entries = {str(one.path): _carried(known.get(str(one.path)), one) for one in found}
        self._show(known)
        for one in found:
            entry = self._entries[str(one.path)]
            if entry.listed is None or entry.listed.last_write != entry.last_write:
                self._put(entry, look(one.path, self._now()), entry.agents)
                self._show(None)
            if self._stop.is_set():
                return
        self._list_agents(found, known)
        self._tell(self._catalog())

    def _list_agents(self, found: Iterable[Found], known: dict[str, Entry]) -> None:
        changed = [one for one in found if str(one.path) not in known or self._now() - one.last_write < AGENT_SECONDS]
        for project in dict.fromkeys(one.path.parent for one in changed):
            try:
                files = agent_files(project)
            except OSError:
                continue
            for entry in [entry for entry in self._entries.values() if entry.folder == str(project)]:
                agents = tuple(filter(None, map(self._agent, files.get(Path(entry.path).stem, ()))))
                if agents != entry.agents:
                    self._put(entry, entry.listed, agents)
                    self._show(None)
            if self._stop.is_set():
                return

    def _agent(self, file: Path) -> Listed | None:
        known = self._agents.get(str(file))
        try:
            if known is not None and file.stat().st_mtime == known.last_write:
                return known
        except OSError:
            return None
        listed = look(file, self._now())
        if listed is not None:
            self._agents[str(file)] = listed
        return listed

    def _put(self, entry: Entry, listed: Listed | None, agents: tuple[Listed, ...]) -> None:
        self._entries[entry.path] = Entry(entry.path, entry.last_write, listed, agents)

    def _show(self, known: dict[str, Entry] | None) -> None:
        """Post the list as it stands: at once when it is another one, else not too often."""
        if (known is not None and known.keys() != self._entries.keys()) or time.monotonic() >= self._next_post:
            self._tell(self._catalog())

    def _catalog(self) -> Catalog:
        entries = tuple(self._entries.values())
        return Catalog(str(self._root), entries, sum(entry.listed is not None for entry in entries))

    def _tell(self, catalog: Catalog) -> None:
        self._next_post = time.monotonic() + POST_SECONDS
        if catalog != self._posted:
            self._posted = catalog
            self._post(NewCatalog(catalog))


def _carried(known: Entry | None, found: Found) -> Entry:
    """What was known of a file that was found again."""
    if known is None:
        return Entry(str(found.path), found.last_write)
    return known if known.last_write == found.last_write else Entry(known.path, found.last_write, known.listed, known.agents)


def look(path: Path, now: float) -> Listed | None:
    """What a file's head and tail say; None where it can't be read."""
    try:
        return look_at(path, now)
    except OSError:
        return None
