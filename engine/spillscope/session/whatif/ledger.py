"""A session's results in columns: what stays the same whatever the limits are (spec R3).

A row is a result; rows stand in groups, groups in runs of the engine (what goes out together is decided together), each
in model order. The run that waits for the next request comes last.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import pairwise

from spillscope.budget.decide import Candidate
from spillscope.profiles import profile_for
from spillscope.session.judge import is_candidate, judged_chars
from spillscope.session.reading import Fate, Group
from spillscope.session.session import Session
from spillscope.session.whatif.columns import Facts, Kind, Sizes
from spillscope.session.whatif.timing import NOWHERE, Timing
from spillscope.transcript.rows import ResultRow

FEW = 64
"""So few rows enter and leave an order one by one."""


class Ledger:
    """Columns over the rows, groups and runs of a session that was refreshed; `truncate` and `extend` follow it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.timing = Timing(session)
        self.rows: list[ResultRow] = []
        self.sizes = Sizes()
        self.kinds: list[Kind] = []
        self.kind_of = array("i")  # whose threshold counts
        self.exempt_kind_of = array("i")  # whose exemption counts: a candidate's is judged under the profile of its run
        self.judged: list[int | None] = []  # units held against the threshold; None: the threshold decides nothing
        self.fixed: list[Fate | None] = []  # the fate where limits decide nothing
        self.candidates: list[Candidate | None] = []  # what the budget sees, where layer one keeps it
        self.ordered: list[list[tuple[int, int]]] = []  # by kind: (units, row) of what a threshold decides, smallest first
        self.unknown: list[int] = []  # rows whose original nobody knows
        self.group_of = array("i")
        self.first_rows = array("i", [0])  # by group, and the end
        self.run_of = array("i")  # by group
        self.run_versions: list[str | None] = []  # by run, a version of its profile
        self.sent = array("i")  # by run, the request that it went out with, or the last one before it
        self.first_groups = array("i", [0])  # by run, and the end
        self.shared: set[str] = set()  # ids that stand more than once
        self.entangled: set[int] = set()  # runs with such an id: what one decides binds another
        self._first: dict[str, int] = {}  # id → its first row
        self._kind_numbers: dict[tuple[str, str | None], int] = {}
        self._groups: list[Group | None] = []
        self._facts: Facts | None = None
        self.extend()

    @property
    def runs(self) -> int:
        return len(self.sent)

    def first_run(self, request: int) -> int:
        """The first run that went out with a request or later."""
        return bisect_left(self.sent, request)

    def find(self, tool_use_id: str) -> int | None:
        """The first row of an id."""
        return self._first.get(tool_use_id)

    def facts(self) -> Facts:
        """What stands now, for good; the same until the session moves."""
        if self._facts is None:
            tokens = (*(column[:] for column in self.sizes.tokens), self.sizes.saw[:])
            self._facts = Facts(self.rows[:], self.group_of[:], self.kind_of[:], tokens)
        return self._facts

    def run_of_row(self, row: int) -> int:
        return self.run_of[self.group_of[row]] if self.group_of[row] < len(self.run_of) else self.runs

    def rows_of_run(self, run: int) -> range:
        return range(self.first_rows[self.first_groups[run]], self.first_rows[self.first_groups[run + 1]])

    def rows_of_group(self, group: int) -> range:
        return range(self.first_rows[group], self.first_rows[group + 1])

    def groups_of_run(self, run: int) -> range:
        return range(self.first_groups[run], self.first_groups[run + 1])

    # --- following the session --------------------------------------------------------------------------------------------

    def standing(self) -> int:
        """How many runs at the beginning are still what the session says; -1 where compactions moved."""
        if self.timing.has_moved():
            return -1
        groups, mine = self.session.replay.groups, self._groups
        count = min(len(groups), len(mine))
        while count and mine[count - 1] is not groups[count - 1]:
            count -= 1
        return self.run_of[count - 1] + 1 if count else 0

    def truncate(self, runs: int) -> None:
        """Forget the runs from a number on."""
        self._facts = None
        group = self.first_groups[runs]
        row = self.first_rows[group]
        self._take_out_of_order(row)
        for tool_use_id in {self.rows[at].tool_use_id for at in range(row, len(self.rows))}:
            if self._first[tool_use_id] >= row:
                del self._first[tool_use_id]
        self.entangled = {run for run in self.entangled if run < runs}
        while self.unknown and self.unknown[-1] >= row:
            self.unknown.pop()
        for column in (self.rows, self.kind_of, self.exempt_kind_of, self.judged, self.fixed, self.candidates):
            del column[row:]
        del self.group_of[row:]
        self.sizes.truncate(row)
        del self.first_rows[group + 1 :]
        del self.run_of[group:], self._groups[group:]
        del self.run_versions[runs:], self.sent[runs:], self.first_groups[runs + 1 :]
        self.timing.truncate(row)

    def extend(self) -> None:
        """Take in the runs that the session has beyond these, and the one that waits."""
        self._facts = None
        self.timing.extend()
        replay = self.session.replay
        start = len(self.rows)
        starts = [*replay.runs[self.runs :], len(replay.groups)]
        for first, end in pairwise(starts):
            groups = [replay.groups[number] for number in range(first, end)]
            self._add_run([[result.row for result in group.results] for group in groups], groups)
        waiting = [[self.session.index.rows[at] for at in rows] for rows in replay.waiting()]
        if waiting:
            self._add_run(waiting, [None] * len(waiting))
        self._put_in_order(start)

    def _add_run(self, groups: Sequence[Sequence[ResultRow]], sent: Sequence[Group | None]) -> None:
        run = self.runs
        first = len(self.run_of)
        enters = self.timing.entry(first, sent[0])
        version = self._version(groups[-1][-1])
        for rows, group in zip(groups, sent, strict=True):
            for row in rows:
                self._add_row(row, run, len(self.run_of), version)
                self.timing.add(enters if row.content != "cleared" and not self._is_cleared(row) else NOWHERE, row.record)
            self.run_of.append(run)
            self.first_rows.append(len(self.rows))
            self._groups.append(group)
        self.run_versions.append(version)
        self.sent.append(enters if enters != NOWHERE else self.session.replay.requests_before(first) - 1)
        self.first_groups.append(len(self.run_of))

    def _is_cleared(self, row: ResultRow) -> bool:
        """Cleared by microcompaction, which does the same to a preview: no limit changes what is in view of it."""
        index = self.session.index
        return row.tool_use_id in index.cleared and row.tool_use_id not in index.replacements

    def _add_row(self, row: ResultRow, run: int, group: int, version: str | None) -> None:
        at = len(self.rows)
        kind = self.number(self._version(row), row.tool)
        fixed, judged = _fixed_fate(row), judged_chars(row)
        candidate = fixed is None and is_candidate(row)
        self.rows.append(row)
        self.group_of.append(group)
        self.kind_of.append(kind)
        self.exempt_kind_of.append(self.number(version, row.tool) if candidate else kind)
        self.fixed.append(fixed)
        self.judged.append(judged if fixed is None and row.writable else None)
        self.candidates.append(Candidate(row.tool_use_id, row.tool, row.chars, row.writable) if candidate else None)
        index, judge = self.session.index, self.session.replay.judge
        replacement = index.replacements.get(row.tool_use_id)
        self.sizes.add(row, fixed, replacement, judge.path_chars + len(row.tool_use_id))
        if row.chars_source == "unknown":
            self.unknown.append(at)
        earlier = self._first.setdefault(row.tool_use_id, at)
        if earlier != at:
            self.shared.add(row.tool_use_id)
            self.entangled.update((self.run_of_row(earlier), run))

    # --- kinds and their order ----------------------------------------------------------------------------------------------

    def _version(self, row: ResultRow) -> str | None:
        index = self.session.index
        return index.versions[index.version_of[row.record]]

    def number(self, version: str | None, tool: str | None) -> int:
        """The kind of a tool's results under the profile of a version."""
        profile = profile_for(version).name
        found = self._kind_numbers.get((profile, tool))
        if found is None:
            found = self._kind_numbers[profile, tool] = len(self.kinds)
            self.kinds.append(Kind(profile, version, tool))
            self.ordered.append([])
        return found

    def _put_in_order(self, start: int) -> None:
        """Rows from `start` on, each to its kind."""
        new: dict[int, list[tuple[int, int]]] = {}
        for at in range(start, len(self.rows)):
            judged = self.judged[at]
            if judged is not None:
                new.setdefault(self.kind_of[at], []).append((judged, at))
        for kind, entries in new.items():
            if len(entries) > FEW:
                self.ordered[kind].extend(entries)
                self.ordered[kind].sort()
            else:
                for entry in entries:
                    insort(self.ordered[kind], entry)

    def _take_out_of_order(self, row: int) -> None:
        """Rows from `row` on leave the order of their kinds."""
        if len(self.rows) - row > FEW:
            for kind in set(self.kind_of[row:]):
                self.ordered[kind] = [entry for entry in self.ordered[kind] if entry[1] < row]
            return
        for at in range(row, len(self.rows)):
            judged, ordered = self.judged[at], self.ordered[self.kind_of[at]]
            if judged is not None:
                del ordered[bisect_left(ordered, (judged, at))]


def _fixed_fate(row: ResultRow) -> Fate | None:
    if row.content == "image":
        return "image"
    if row.content == "empty":
        return "placeholder"
    return "persisted" if judged_chars(row) is None else None
