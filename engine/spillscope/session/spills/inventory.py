"""The inventory of a session's spills, audited from their files (spec S6, S9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import takewhile

from spillscope.session.reading import Reading
from spillscope.session.session import Session
from spillscope.session.sidechains import agent_sessions
from spillscope.session.spills.cascades import Cascades, cascade_badge
from spillscope.session.spills.evidence import Evidence, examine, no_file
from spillscope.session.spills.listing import Found, Source, find_spills
from spillscope.session.spills.memory import Disk, Memory, Stop, Taken, stat_of
from spillscope.session.spills.model import Badge, BadgeName, Inventory, Spill
from spillscope.session.spills.rereads import reread_badge, rereads_of
from spillscope.session.travel import horizon
from spillscope.transcript.spill_files import SpillFile, base_name


def take_inventory(session: Session, reading: Reading, stop: Stop | None = None, memory: Memory | None = None) -> Inventory:
    """Every spill of a session with its badges. Reads the spill files; safe beside a thread that refreshes the session.

    `stop` is asked between files; once it says True, what was found until then is given, not `complete`. So is it when the
    transcript was rewritten meanwhile. `memory`: of the inventory before this one, which is given again where nothing changed.
    A reading of the past has the spills that there were by then, as their files are now.
    """
    try:
        audit = _Audit(session, reading, stop or _never, memory or Memory())
    except LookupError:  # the transcript was rewritten under our hands
        return Inventory(complete=False)
    return audit.take()


def _never() -> bool:
    return False


class _Audit:
    """One inventory in the making."""

    def __init__(self, session: Session, reading: Reading, stop: Stop, memory: Memory) -> None:
        self.main = Source(session, reading, horizon(session, reading))
        self.sources = [self.main]
        self.stop, self.memory = stop, memory
        self.evidence: dict[tuple[object, ...], Evidence] = {}

    def take(self) -> Inventory:
        founds: list[Found] = []
        spills: list[Spill] = []
        disks: list[Disk | None] = []
        complete = False
        try:
            agents = list(self._agents())
            names = [source.session.files.names() for source in self.sources]
            if (same := self.memory.unchanged(self.sources, names, self.stop)) is not None:
                return same
            founds = self._find(agents)
            stood = {found.spill.file.path: stat_of(found.spill.file.path) for found in founds if found.spill.file.inside}
            disks = [stood.get(found.spill.file.path) if found.spill.file.exists else None for found in founds]
            shared, cascades = _ids_by_file(founds, disks), Cascades(founds, self.sources)
            for found, disk in zip(founds, disks, strict=True):
                if self.stop():
                    break
                spills.append(self._audited(found, disk, shared, cascades))
            complete = len(spills) == len(founds) and not self.stop()
        except (LookupError, RuntimeError):  # the transcript was rewritten under our hands
            complete = False
        inventory = _summed(spills, disks, complete=complete)
        if complete:
            is_past = self.main.until is not None
            self.memory.evidence = self.memory.evidence | self.evidence if is_past else self.evidence
            self.memory.latest = Taken(tuple(self.sources), names, stood, inventory)
        return inventory

    def _find(self, agents: list[Source]) -> list[Found]:
        founds = list(takewhile(lambda _: not self.stop(), find_spills(self.main, agents)))
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
                reading = known.refresh()
            except OSError:  # not ours to read
                continue
            source = Source(known, reading, _first_after(known, self.main.moment))
            self.sources.append(source)
            yield source

    def _audited(self, found: Found, disk: Disk | None, shared: dict[object, set[str]], cascades: Cascades) -> Spill:
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

    def _examined(self, found: Found, disk: Disk | None) -> Evidence:
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


def _standing(found: Found, disk: Disk | None, evidence: Evidence, sources: list[Source]) -> Iterator[Badge]:
    """Whether it is there at all, whose it is, and whether anything knows it."""
    file = found.spill.file
    if not file.inside:
        if file.moved:
            yield Badge("missing", "The notice names this session's folder in another place; here it has no such file.")
        else:
            yield Badge("outside", "The path lies outside the session's project, so it is neither looked at nor opened.")
        return
    if disk is None:
        yield no_file(file) or Badge("missing", "The transcript names the file, and it is not there.")
    if file.other_session:
        yield Badge("other session", "The file lies with another session of the project, as after a resume or a fork.")
    name = base_name(file.path)
    if found.notice is None and found.spill.tool_use_id is None and not any(name in source.mentions for source in sources):
        yield Badge("orphan", "No notice and no call names the file, and its name is the id of no result of this session.")


def _sharing(ids: set[str]) -> Iterator[Badge]:
    if len(ids) > 1:
        yield Badge("shared", f"{len(ids)} results name this one file, which holds the text of one of them at most.")


def _irregular(main: Source, file: SpillFile) -> Found:
    return Found(Spill(None, None, file, "unknown", 0, None, None), main)


# --- files on disk ----------------------------------------------------------------------------------------------------------


def _first_after(session: Session, moment: float | None) -> int | None:
    """The first member of a sub-agent that is later than a moment of its session."""
    if moment is None:
        return None
    return next((member for member, stamp in enumerate(session.index.stamps) if stamp > moment), None)


def _place(file: SpillFile, disk: Disk | None) -> object:
    return file.path if disk is None else disk.id


def _ids_by_file(founds: list[Found], disks: list[Disk | None]) -> dict[object, set[str]]:
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


def _summed(spills: list[Spill], disks: list[Disk | None], *, complete: bool) -> Inventory:
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
