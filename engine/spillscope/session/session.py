"""A session under watch: bytes in, an immutable reading out (spec R2, S8)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import orjson

from spillscope.limits import Limits
from spillscope.limits_sources import Earlier, LimitsBook
from spillscope.session.column import Column
from spillscope.session.groups import totals_of
from spillscope.session.reading import Compaction, Context, Cut, Reading, SessionInfo, SkippedLine
from spillscope.session.replay import Replay
from spillscope.transcript.chain import Chain
from spillscope.transcript.index import LOST, Index
from spillscope.transcript.layout import Place
from spillscope.transcript.parse import BOM, NO_OBJECT, SEVERAL, TOO_LONG, parse_line, parse_unfinished
from spillscope.transcript.plain import looks_plain, plain_records, read_plain
from spillscope.transcript.spill_files import SpillFiles
from spillscope.transcript.tail import Batch, Tail
from spillscope.window.models import resolve_window

Progress = Callable[[int, int], bool]
"""Called with bytes read and bytes in all; False stops."""


class Evidence(NamedTuple):
    """L10: whether the budget is on, and why we believe so."""

    on: bool
    text: str


class Session:
    """One transcript, its index, and the engine's replay of it. `refresh` brings all of them up to date.

    It only ever reads. Not safe for use by two threads at once.
    """

    def __init__(self, place: Place, book: LimitsBook) -> None:
        self.place, self.book = place, book
        self.earlier: tuple[Earlier, ...] = ()
        self.files = SpillFiles(place)
        self.index = Index(self.files, of_agent=place.agent_id is not None)
        self.chain = Chain(self.index)
        self.replay = Replay(self.index, self.chain, book, _spill_path_chars(place))
        self._tail = Tail(place.path)
        self._plain: bool | None = None
        self._plain_mark: tuple[int, int, int] | None = None
        self._skipped: Column[SkippedLine] = Column()
        self._compactions: tuple[Compaction, ...] = ()
        self._cuts: tuple[Cut, ...] = ()
        self._kept: frozenset[int] = frozenset()  # numbers of earlier groups that the last compaction kept
        self._line_start = 0  # of a last line whose first object was taken before it ended
        self._version = 0
        self._restarts = 0
        self._reading: Reading | None = None

    def refresh(self, progress: Progress | None = None) -> Reading:
        """Take in what the file got since the last call; the same reading again where it got nothing."""
        changed = self._read(progress)
        if self._reading is None or changed:
            self._version += 1
            self._reading = self._read_out()
        return self._reading

    def use(self, book: LimitsBook, earlier: Sequence[Earlier] = ()) -> None:
        """Other limits: the session is replayed at the next refresh, from the index alone.

        `earlier`: the limits that held before these, the oldest first; what came in their time stays decided by them.
        """
        self.book, self.earlier = book, tuple(earlier)
        self.replay = Replay(self.index, self.chain, book, self.replay.judge.path_chars, earlier)
        self._reading = None
        self._follow(0)

    # --- bytes → index --------------------------------------------------------------------------------------------------

    def _read(self, progress: Progress | None) -> bool:
        if self._plain is None:
            self._plain = False if self.place.path.suffix == ".jsonl" else looks_plain(self.place.path)
        if self._plain:
            return self._read_plain()
        before = self._tail.mark
        changed, more = False, True
        while more:
            batch = self._tail.read()
            if batch.restarted:
                self._restarts += self.index.records > 0
                self._forget()
                changed = True
            changed = self._take(batch) or changed
            more = batch.more and (progress is None or progress(self._tail.offset, self._tail.size))
        if changed:
            self._advance()
        return changed or self._tail.mark != before

    def _take(self, batch: Batch) -> bool:
        """Index the lines of a batch; whether there was anything in it."""
        for line_number, start in batch.too_long:
            self._skipped.append(SkippedLine(line_number, start, TOO_LONG))
        lines, add = batch.lines, self.index.add
        offset, number = batch.first_offset, batch.first_line
        if lines and batch.continues:
            self._take_continued(lines[0], offset, number)
            offset, number, lines = offset + len(lines[0]) + 1, number + 1, lines[1:]
        elif lines and offset == 0 and lines[0].startswith(BOM):
            self._take_line(lines[0][len(BOM) :], len(BOM), number)
            offset, number, lines = len(lines[0]) + 1, 2, lines[1:]
        loads, failed = orjson.loads, orjson.JSONDecodeError
        for line in lines:
            length = len(line)
            try:
                record = loads(line)
            except failed:
                self._take_line(line, offset, number)
            else:
                if type(record) is dict:
                    add(record, offset, length)
                else:
                    self._skipped.append(SkippedLine(number, offset, NO_OBJECT))
            offset += length + 1
            number += 1
        return self._take_rest(batch.rest, offset) or bool(batch.lines or batch.too_long)

    def _take_line(self, line: bytes, offset: int, number: int) -> None:
        """A line that the fast parser refuses."""
        parsed = parse_line(line)
        for record in parsed.records:
            self.index.add(record, offset, len(line))
        if parsed.reason is not None:
            self._skipped.append(SkippedLine(number, offset, parsed.reason))

    def _take_continued(self, line: bytes, offset: int, number: int) -> None:
        """What follows on a line whose first object was already taken (S2)."""
        parsed = parse_line(line)
        for record in parsed.records:
            self.index.add(record, offset, len(line))
        if line.strip():
            self._list_several(number)

    def _take_rest(self, rest: bytes, offset: int) -> bool:
        """S2: what stands on a last line without its end is read as soon as it is an object."""
        bom = len(BOM) if offset == 0 and rest.startswith(BOM) else 0
        records, count = parse_unfinished(rest[bom:])
        if not records:
            return False
        if not self._tail.continues:
            self._line_start = offset
        for record in records:
            self.index.add(record, offset + bom, count)
        if len(records) > 1 or self._tail.continues:
            self._list_several(self._tail.line)
        self._tail.take_rest(bom + count)
        return True

    def _list_several(self, number: int) -> None:
        """List a line that holds more than one value, once."""
        if not self._skipped or self._skipped[-1].line != number:
            self._skipped.append(SkippedLine(number, self._line_start, SEVERAL))

    def _read_plain(self) -> bool:
        """A file of plain messages is written as a whole: any change is a new file."""
        try:
            stat = self.place.path.stat()
        except FileNotFoundError:
            gone = self._plain_mark is not None
            if gone:
                self._plain_mark, self._tail.exists, self._tail.size = None, False, 0
                self._forget()
            return gone
        mark = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        if mark == self._plain_mark:
            return False
        plain = read_plain(self.place.path)
        if plain is None:
            return False
        self._restarts += self._plain_mark is not None
        self._plain_mark = mark
        self._forget()
        self._tail.exists, self._tail.size, self._tail.mtime_ns = True, stat.st_size, stat.st_mtime_ns
        for record in plain_records(plain.messages):
            self.index.add(record, 0, 0)
        self.index.model = plain.model
        self._advance()
        return True

    def _forget(self) -> None:
        self.index.clear()
        self.chain.clear()
        self.replay.clear()
        self._skipped = Column()
        self._compactions, self._cuts, self._kept = (), (), frozenset()

    # --- index → decisions ----------------------------------------------------------------------------------------------

    def _advance(self) -> None:
        touched, responses, late = self.index.take_touched()
        same = self.chain.update(responses, late)
        for member in touched:
            position = self.chain.position(member)
            if position is not None:
                same = min(same, position)
        self._follow(same)
        self.replay.restate(responses)

    def _follow(self, same: int) -> None:
        """Replay from where the timeline changed; from the start where the evidence of L10 turned over."""
        self.replay.roll_back(same)
        self.replay.feed()
        switch = self._evidence().on
        if switch != self.replay.switch:
            self.replay.turn_switch(switch)
        starts = self.chain.segment_starts
        found = (len(starts), len(self.index.boundaries))
        if starts and same > starts[-1] and found == (len(self._cuts) + 1, len(self._compactions)):
            return  # within the current segment: what stands before it stays as it is
        self._compactions = tuple(
            Compaction(b.at, b.trigger, b.pre_tokens, b.post_tokens) for b in self.index.boundaries.values()
        )
        self._cuts = self._find_cuts()
        self._kept = self.replay.kept_groups(len(starts) - 1) if starts else frozenset()

    def _evidence(self) -> Evidence:
        """L10. Judged on what was observed, never on what edited limits would have done."""
        limits = self._limits()
        believed = self.believed()
        if limits.aggregate is None:
            return believed
        return Evidence(limits.aggregate, f"{'on' if limits.aggregate else 'off'}, set: {limits.source('aggregate')}")

    def believed(self) -> Evidence:
        """L10: what the transcript says of the switch, whatever the limits do."""
        if self.index.replacements:
            return Evidence(True, "on: the transcript holds content-replacement records")
        if self.replay.over_evidence:
            group = self.replay.over_evidence[0]
            return Evidence(False, f"off: group {group} was over the limit and went out in full")
        return Evidence(True, "on, no evidence: no group was over the limit")

    def _limits(self) -> Limits:
        return self.book.for_version(self.index.version)

    # --- decisions → reading --------------------------------------------------------------------------------------------

    def _read_out(self) -> Reading:
        replay, evidence = self.replay, self._evidence()
        pending = replay.pending()
        since = max(self.index.newest_response, next(reversed(self.index.boundaries), 0))
        return Reading(
            version=self._version,
            session=self._info(),
            limits=self._limits(),
            aggregate=evidence.on,
            evidence=evidence.text,
            context=self._context(),
            groups=replay.groups.view(),
            pending=pending,
            requests=replay.requests.view(),
            totals=replay.totals if pending is None else replay.totals.plus(totals_of(pending)),
            live_from=self._live_from(),
            kept=self._kept,
            cuts=self._cuts,
            largest_usage=self.index.largest_usage,
            refusals=self.index.refused(since, len(self.index)),
        )

    def _live_from(self) -> int:
        return self.replay.segment_groups[-1] if self.replay.segment_groups else 0

    def _find_cuts(self) -> tuple[Cut, ...]:
        """Where each segment but the first began, and which compaction stands before it in the file."""
        timeline, boundaries = self.chain.timeline, list(self.index.boundaries)
        cuts: list[Cut] = []
        for start, group in list(zip(self.chain.segment_starts, self.replay.segment_groups, strict=False))[1:]:
            first = timeline[start] if start < len(timeline) else len(self.index)
            before = timeline[start - 1] if start else -1
            at = bisect_right(boundaries, first) - 1
            cuts.append(Cut(group, at if at >= 0 and boundaries[at] > before else None))
        return tuple(cuts)

    def _context(self) -> Context:
        count, index = self.replay.count, self.index
        total = self.replay.estimate_now()
        anchor = count.anchor
        stamp = index.stamps[anchor] if anchor is not None else None
        return Context(
            tokens=total,
            usage=count.usage,
            estimate=total - count.usage,
            anchor_uuid=None if anchor is None else index.uuids[anchor],
            exact_at=None if stamp is None or stamp != stamp else stamp,
            window=resolve_window(index.model, index.largest_usage, self._limits()),
        )

    def _bridged(self) -> Iterator[str]:
        """S4: the messages in the reading whose parent is not in the file, by uuid."""
        for members in self.index.waiting.values():
            for member in members:
                if member > 0 and self.index.parents[member] == LOST and self.chain.position(member) is not None:
                    yield self.index.uuids[member]

    def _info(self) -> SessionInfo:
        index, tail = self.index, self._tail
        return SessionInfo(
            id=self.place.id,
            path=str(self.place.path),
            agent="plain messages" if self._plain else "claude-code",
            version=index.version,
            model=index.model,
            cwd=index.cwd,
            started=index.started,
            last_write=tail.mtime_ns / 1e9 if tail.exists else None,
            records=index.records,
            bytes=tail.size,
            exists=tail.exists,
            skipped_lines=self._skipped.view(),
            unknown_types=tuple(sorted(index.unknown_types.items())),
            compactions=self._compactions,
            bridged=tuple(self._bridged()),
            restarts=self._restarts,
        )


def _spill_path_chars(place: Place) -> int:
    """Units of the path of a spill of this session, but for its tool_use_id."""
    return len(str(place.tool_results)) + len("/") + len(".txt")


def iso_time(seconds: float | None) -> str | None:
    """Seconds since the epoch as agents write times, in UTC."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
