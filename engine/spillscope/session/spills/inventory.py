"""The inventory of a session's spills, audited from their files (spec S6, S9)."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import PurePath
from typing import NamedTuple

from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.session.sidechains import agent_sessions
from spillscope.session.spills.cascades import Cascades, cascade_badge
from spillscope.session.spills.evidence import Evidence, examine, no_file
from spillscope.session.spills.listing import Found, Source, find_spills
from spillscope.session.spills.missing import named_own
from spillscope.session.spills.model import Badge, BadgeName, Inventory, Spill
from spillscope.session.spills.rereads import reread_badge, rereads_of
from spillscope.transcript.spill_files import SpillFile

Stop = Callable[[], bool]
_Key = tuple[object, ...]


class Memory:
    """What one inventory leaves for the next one of the same session, so that it costs what changed. For one thread."""

    def __init__(self) -> None:
        self.agents: dict[str, Session] = {}
        self.evidence: dict[_Key, Evidence] = {}


class _Disk(NamedTuple):
    """A file as it lies there: what tells it from others, its bytes, its time in seconds, and when anything of it changed."""

    id: tuple[int, int]
    bytes: int
    modified: float
    changed_ns: int


def take_inventory(session: Session, reading: Reading, stop: Stop | None = None, memory: Memory | None = None) -> Inventory:
    """Every spill of a session with its badges. Reads the spill files; safe beside a thread that refreshes the session.

    `stop` is asked between files; once it says True, what was found until then is given, not `complete`. So is it when the
    transcript was rewritten meanwhile. `memory`: of the inventory before this one.
    """
    return _Audit(session, reading, stop or _never, memory or Memory()).take()


def _never() -> bool:
    return False


class _Audit:
    """One inventory in the making."""

    def __init__(self, session: Session, reading: Reading, stop: Stop, memory: Memory) -> None:
        self.main = Source(session, reading)
        self.sources = [self.main]
        self.stop, self.memory = stop, memory
        self.evidence: dict[_Key, Evidence] = {}

    def take(self) -> Inventory:
        founds: list[Found] = []
        spills: list[Spill] = []
        disks: list[_Disk | None] = []
        complete = False
        try:
            founds = self._find()
            disks = [_on_disk(found.spill.file) for found in founds]
            shared, cascades = _ids_by_file(founds, disks), Cascades(founds, self.sources)
            for found, disk in zip(founds, disks, strict=True):
                if self.stop():
                    break
                spills.append(self._audited(found, disk, shared, cascades))
            complete = len(spills) == len(founds) and not self.stop()
        except (LookupError, RuntimeError):  # the transcript was rewritten under our hands
            complete = False
        if complete:
            self.memory.evidence = self.evidence
        return _summed(spills, disks, complete=complete)

    def _find(self) -> list[Found]:
        founds = list(find_spills(self.main, self._agents()))
        if self.main.session.place.parent is None:
            odd = self.main.session.files.irregular()
            named = {found.spill.file.path for found in founds}
            founds += [_irregular(self.main, file) for file in odd if file.path not in named]
        return founds

    def _agents(self) -> Iterator[Source]:
        for agent in agent_sessions(self.main.session):
            if self.stop():
                return
            known = self.memory.agents.setdefault(str(agent.place.path), agent)
            try:
                source = Source(known, known.refresh())
            except OSError:  # not ours to read
                continue
            self.sources.append(source)
            yield source

    def _audited(self, found: Found, disk: _Disk | None, shared: dict[object, set[str]], cascades: Cascades) -> Spill:
        evidence = self._examined(found, disk)
        rereads = rereads_of(found, self.sources)
        chain = cascades.chain(found)
        badges = [
            *_standing(found, disk, evidence, self.sources),
            *_sharing(shared.get(_place(found.spill.file, disk), set())),
            *evidence.badges,
            cascade_badge(chain),
            reread_badge(found, rereads),
        ]
        return found.spill._replace(
            mismatch=evidence.mismatch,
            chars=_chars(found),
            tokens_reread=sum(reread.tokens for reread in rereads),
            modified=None if disk is None else disk.modified,
            badges=tuple(badge for badge in badges if badge is not None),
            chain=chain,
        )

    def _examined(self, found: Found, disk: _Disk | None) -> Evidence:
        """What the file and the record say, from memory while neither changed."""
        spill = found.spill
        if not spill.file.inside and found.notice is None:
            return Evidence()
        uuid = found.source.session.index.uuids[found.member] if found.member >= 0 else None
        key = (spill.agent_id, spill.tool_use_id, spill.origin, uuid, found.notice, disk)
        known = self.memory.evidence.get(key)
        self.evidence[key] = examine(found) if known is None else known
        return self.evidence[key]


# --- badges of where a file stands ------------------------------------------------------------------------------------------


def _standing(found: Found, disk: _Disk | None, evidence: Evidence, sources: list[Source]) -> Iterator[Badge]:
    """Whether it is there at all, whose it is, and whether anything knows it."""
    file, session = found.spill.file, found.source.session
    if not file.inside:
        if named_own(file.path, session):
            yield Badge("missing", "The notice names this session's folder in another place; here it has no such file.")
        else:
            yield Badge("outside", "The path lies outside the session's project, so it is neither looked at nor opened.")
        return
    if disk is None:
        yield no_file(file) or Badge("missing", "The transcript names the file, and it is not there.")
    if file.other_session:
        yield Badge("other session", "The file lies with another session of the project, as after a resume or a fork.")
    name = PurePath(file.path).name
    if found.notice is None and found.spill.tool_use_id is None and not any(name in source.mentions for source in sources):
        yield Badge("orphan", "No notice and no call names the file, and its name is the id of no result of this session.")


def _sharing(ids: set[str]) -> Iterator[Badge]:
    if len(ids) > 1:
        yield Badge("shared", f"{len(ids)} results name this one file, which holds the text of one of them at most.")


def _irregular(main: Source, file: SpillFile) -> Found:
    return Found(Spill(None, None, file, "unknown", 0, None, None), main)


# --- files on disk ----------------------------------------------------------------------------------------------------------


def _on_disk(file: SpillFile) -> _Disk | None:
    if not file.inside or not file.exists:
        return None
    try:
        found = os.stat(file.path)  # noqa: PTH116 - thousands of files
    except OSError:
        return None
    return _Disk((found.st_dev, found.st_ino), found.st_size, found.st_mtime, found.st_ctime_ns)


def _place(file: SpillFile, disk: _Disk | None) -> object:
    return file.path if disk is None else disk.id


def _ids_by_file(founds: list[Found], disks: list[_Disk | None]) -> dict[object, set[str]]:
    ids: dict[object, set[str]] = {}
    for found, disk in zip(founds, disks, strict=True):
        if found.spill.tool_use_id is not None:
            ids.setdefault(_place(found.spill.file, disk), set()).add(found.spill.tool_use_id)
    return ids


def _chars(found: Found) -> int | None:
    """Units of the original: what the row knows, else what the file counts."""
    if found.spill.chars is not None:
        return found.spill.chars
    return found.source.session.files.count(found.spill.file)


def _summed(spills: list[Spill], disks: list[_Disk | None], *, complete: bool) -> Inventory:
    counts: Counter[BadgeName] = Counter(badge.name for spill in spills for badge in spill.badges)
    own = {disk.id: disk for spill, disk in zip(spills, disks, strict=False) if disk and not spill.file.other_session}
    return Inventory(
        spills=tuple(spills),
        files=len(own),
        bytes=sum(disk.bytes for disk in own.values()),
        oldest=min((disk.modified for disk in own.values()), default=None),
        counts=counts,
        complete=complete,
    )
