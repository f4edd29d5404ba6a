"""S4, model order: the records that the model saw, in the order it saw them.

A segment is one walk from a leaf to a start, with the parallel records that a bare walk misses put back. `Chain` keeps the
segments of an index and brings them up to date; what an append costs follows what it adds or rolls back.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

from spillscope.transcript.index import ASSISTANT, BOUNDARY, LOST, PROGRESS, ROOT, USER, Index

_CARRIES = frozenset({USER, ASSISTANT, BOUNDARY})
_MESSAGES = frozenset({USER, ASSISTANT})


class Segment:
    """One stretch of conversation: `path` from its start to its leaf, and what was put back beside it.

    `beside`: path member → members put back right behind it; `before`: those that stand before the first of their response.
    `order`: members that carry something, in model order.
    """

    def __init__(self) -> None:
        self.end: int | None = None  # the start of the next segment: what came after it says nothing of this one
        self.path = array("i")
        self._places = array("i")  # member → position in path, -1 off it
        self.beside: dict[int, list[int]] = {}
        self.before: dict[int, list[int]] = {}
        self.anchors: dict[int, set[int]] = {}  # response → path members that hold records of it put back
        self.order: list[int] = []
        self.starts = array("i")  # position in path → length of `order` before it

    @property
    def root(self) -> int:
        return self.path[0]

    @property
    def leaf(self) -> int:
        return self.path[-1]

    def place(self, member: int) -> int:
        """Position of a member in the path; -1 where it is not on it."""
        return self._places[member] if 0 <= member < len(self._places) else -1

    def cut(self, length: int) -> list[int]:
        """Shorten the path; returns what was cut off."""
        gone = list(self.path[length:])
        del self.path[length:]
        for member in gone:
            self._places[member] = -1
        return gone

    def extend(self, members: Sequence[int]) -> None:
        """Lengthen the path by members in the order of the conversation."""
        missing = max(members, default=-1) + 1 - len(self._places)
        if missing > 0:
            self._places.extend([-1] * missing)
        for member in members:
            self._places[member] = len(self.path)
            self.path.append(member)


class Chain:
    """The segments of an index, oldest first; the last one is the conversation as it stands.

    `timeline`: the members that carry something, segment after segment, each once. `segment_starts`: lengths of the timeline
    at which segments begin. `kept`: for each segment its members that stand earlier in the timeline, because a compaction
    kept them.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.clear()

    def clear(self) -> None:
        self.segments: list[Segment] = []
        self.timeline: list[int] = []
        self.segment_starts: list[int] = []
        self.kept: list[list[int]] = []
        self.bridged: set[int] = set()  # members whose parent is not in the file
        self._taken = 0  # members of the index that were taken in
        self._positions = array("i")  # member → position in the timeline, -1 off it

    def position(self, member: int) -> int | None:
        """Where a member stands in the timeline; None off the chain."""
        at = self._positions[member] if member < len(self._positions) else -1
        return at if at >= 0 else None

    def update(self, touched_responses: set[int], late_parents: bool) -> int:
        """Take in what the index got; returns the length of the timeline's unchanged beginning."""
        index = self.index
        new = range(self._taken, len(index))
        self._taken = len(index)
        self._positions.extend([-1] * len(new))
        if index.leaf < 0:
            return len(self.timeline)
        if late_parents or not self.segments:
            return self._rebuild()
        kept = len(self.kept[-1])
        same = self._advance(new, touched_responses)
        if len(self.kept[-1]) != kept:  # what a segment's first requests carried changed with it
            same = min(same, self.segment_starts[-1])
        return same

    # --- from nothing ---------------------------------------------------------------------------------------------------

    def _rebuild(self) -> int:
        """All segments anew; the timeline keeps as much of its beginning as still holds."""
        segments: list[Segment] = []
        leaf, before = self.index.leaf, len(self.index)
        roots: set[int] = set()
        while leaf >= 0:
            segment = self._segment(leaf, before if segments else None)
            if segment.root in roots:  # late lines can make two starts each the other's past
                break
            roots.add(segment.root)
            segments.append(segment)
            before = segment.root
            leaf = self._earlier_leaf(segment.root)
        segments.reverse()
        self.segments = segments
        return self._lay_out()

    def _segment(self, leaf: int, end: int | None) -> Segment:
        segment = Segment()
        segment.end = end
        segment.extend(self._walk(leaf, segment)[::-1])
        for response in dict.fromkeys(self._responses_of(self._off_path(segment))):
            self._put_back(segment, response)
        self._emit(segment, 0)
        return segment

    def _off_path(self, segment: Segment) -> Iterator[int]:
        """The messages that the walk missed: only their responses can have something to put back."""
        return (member for member, kind in enumerate(self.index.kinds) if kind in _MESSAGES and segment.place(member) < 0)

    def _lay_out(self) -> int:
        """The timeline from the segments; returns how much of the old one still stands."""
        timeline: list[int] = []
        positions = array("i", [-1]) * len(self.index)
        starts: list[int] = []
        kept: list[list[int]] = []
        for segment in self.segments:
            starts.append(len(timeline))
            kept.append([])
            for member in segment.order:
                if positions[member] >= 0:
                    kept[-1].append(member)
                else:
                    positions[member] = len(timeline)
                    timeline.append(member)
        same = _common(self.timeline, timeline)
        before, after = list(zip(self.segment_starts, self.kept, strict=True)), list(zip(starts, kept, strict=True))
        alike = _common(before, after)
        same = min([same, *(start - 1 for start, _ in (*before[alike:], *after[alike:]))])
        self.timeline, self._positions = timeline, positions
        self.segment_starts, self.kept = starts, kept
        return same

    # --- step by step ---------------------------------------------------------------------------------------------------

    def _advance(self, new: range, touched_responses: set[int]) -> int:
        index, segment = self.index, self.segments[-1]
        fresh = self._walk(index.leaf, segment)
        meets = self._parent(fresh[-1], segment) if fresh else segment.leaf
        if meets < 0 or segment.place(meets) < 0:
            return self._begin_segment(new)
        if self._touches_earlier(new) or segment.place(meets) < segment.place(self._parent(segment.root, segment)):
            return self._rebuild()  # the latter: it enters the cycle that the path begins with at another place
        gone = segment.cut(segment.place(meets) + 1)
        joint = len(segment.path)
        segment.extend(fresh[::-1])
        changed = set(self._responses_of(gone)) | set(self._responses_of(fresh)) | touched_responses
        changed.update(self._responses_of(new))
        for response in changed:
            joint = min(joint, self._put_back(segment, response))
        return self._relay(segment, joint)

    def _begin_segment(self, new: range) -> int:
        """The walk met a start of its own: a compaction, a `/clear`, or a rewind to before the first message."""
        index, old = self.index, self.segments[-1]
        leaf = index.leaf
        walked = self._walk(leaf, Segment())
        root = walked[-1]
        loose = [member for member in new if index.kinds[member] != PROGRESS]
        if self._earlier_leaf(root) != old.leaf or sorted(walked) != loose:
            return self._rebuild()
        old.end = root
        segment = Segment()
        segment.extend(walked[::-1])
        self._emit(segment, 0)
        self.segments.append(segment)
        same = len(self.timeline)
        self.segment_starts.append(same)
        self.kept.append([])
        self._take(segment.order)
        return same

    def _touches_earlier(self, new: range) -> bool:
        """Whether new members belong to a response of an earlier segment, whose stretch they would change."""
        if len(self.segments) == 1:
            return False
        return any(
            segment.place(member) >= 0
            for response in set(self._responses_of(new))
            for member in self.index.responses[response].members
            for segment in self.segments[:-1]
        )

    def _relay(self, segment: Segment, joint: int) -> int:
        """Emit a segment anew from a path position on, and the timeline with it."""
        before = len(segment.order) if joint >= len(segment.starts) else segment.starts[joint]
        old = segment.order[before:]
        self._emit(segment, joint)
        same = before + _common(old, segment.order[before:])
        if len(old) == same - before:
            self._take(segment.order[same:])
            return len(self.timeline) - self._taken_last
        kept = set(self.kept[-1])
        dropped = [member for member in old[same - before :] if member not in kept]
        if len(dropped) != len(old) - (same - before):
            return self._lay_out()
        at = len(self.timeline) - len(dropped)
        for member in dropped:
            self._positions[member] = -1
        del self.timeline[at:]
        self._take(segment.order[same:])
        return at

    def _take(self, members: Iterable[int]) -> None:
        self._taken_last = 0
        for member in members:
            if self._positions[member] >= 0:
                self.kept[-1].append(member)
            else:
                self._positions[member] = len(self.timeline)
                self.timeline.append(member)
                self._taken_last += 1

    # --- walking --------------------------------------------------------------------------------------------------------

    def _parent(self, member: int, segment: Segment) -> int:
        """The parent as S4 reads it in a segment; ROOT at a start."""
        index = self.index
        anchor = self._kept_anchor(member, segment) if index.heads else None
        if anchor is not None:
            return anchor
        parent = index.parents[member]
        if parent == LOST:
            self.bridged.add(member)
            return member - 1 if member > 0 else ROOT
        return parent

    def _kept_anchor(self, member: int, segment: Segment) -> int | None:
        """S4: the head of what a compaction kept hangs on that compaction's summary."""
        index = self.index
        end = len(index) if segment.end is None else segment.end
        for boundary in reversed(index.heads.get(index.uuids[member], ())):
            if boundary < end and boundary != member:
                anchor = index.boundaries[boundary].anchor
                found = index.by_uuid.get(anchor) if anchor is not None else None
                return boundary if found is None or found == member else found
        return None

    def _walk(self, leaf: int, segment: Segment) -> list[int]:
        """From a leaf up to a start, a cycle, or a member of the segment's path (left out); leaf first."""
        walked: list[int] = []
        met: set[int] = set()
        member = leaf
        while member >= 0 and member not in met and segment.place(member) < 0:
            met.add(member)
            walked.append(member)
            member = self._parent(member, segment)
        return walked

    def _earlier_leaf(self, root: int) -> int:
        """S4: the leaf of what stood before a boundary or a `/clear`; -1 where nothing did."""
        index = self.index
        boundary = index.boundaries.get(root)
        if index.parents[root] != ROOT:
            return -1
        if boundary is not None and boundary.logical_parent is not None:
            found = index.by_uuid.get(boundary.logical_parent)
            if found is not None and found < root:
                return found
        earlier = root - 1
        while earlier >= 0 and index.kinds[earlier] == PROGRESS:
            earlier -= 1
        return earlier

    # --- putting back ---------------------------------------------------------------------------------------------------

    def _responses_of(self, members: Iterable[int]) -> Iterator[int]:
        """The responses that members belong to: their own, or those whose calls they answer."""
        index = self.index
        for member in members:
            kind = index.kinds[member]
            if kind == ASSISTANT:
                if index.responses_of[member] >= 0:
                    yield index.responses_of[member]
            elif kind == USER:
                for at in index.rows_of(member):
                    call = index.calls.get(index.rows[at].tool_use_id)
                    if call is not None:
                        yield call.response

    def _put_back(self, segment: Segment, response: int) -> int:
        """Place the records of a response that the path misses; returns the first path position that this changes."""
        joint = len(segment.path)
        for anchor in segment.anchors.pop(response, ()):
            if segment.place(anchor) >= 0:
                joint = min(joint, segment.place(anchor))
            for held in (segment.beside, segment.before):
                held[anchor] = [member for member in held.get(anchor, ()) if not self._belongs(member, response)]
                if not held[anchor]:
                    del held[anchor]
        on_path, missing = self._stretch(segment, response)
        anchors = set()
        for member in missing:
            earlier = [mine for mine in on_path if mine < member]
            anchor = max(earlier) if earlier else min(on_path)
            held = segment.beside if earlier else segment.before
            held[anchor] = sorted([*held.get(anchor, ()), member])
            anchors.add(anchor)
        if anchors:
            segment.anchors[response] = anchors
            joint = min(joint, *map(segment.place, anchors))
        return joint

    def _belongs(self, member: int, response: int) -> bool:
        return response in self._responses_of((member,))

    def _stretch(self, segment: Segment, response: int) -> tuple[list[int], list[int]]:
        """The records of a response and the results of its calls: those on the path, and those to be put back."""
        index = self.index
        found = index.responses[response]
        on_path = [member for member in found.members if segment.place(member) >= 0]
        if not on_path:
            return [], []
        held_calls = {call for member in on_path for call in index.calls_of(member)}
        missing = [
            member
            for member in found.members
            if segment.place(member) < 0
            and not held_calls.intersection(index.calls_of(member))
            and self._hangs_on(segment, member, response)
        ]
        for call in dict.fromkeys(found.calls):
            results = index.results_of.get(call, ())
            here = [member for member in results if segment.place(member) >= 0]
            if here:
                on_path.extend(here)
            elif results:
                missing.append(results[0])
        return on_path, list(dict.fromkeys(missing))

    def _hangs_on(self, segment: Segment, member: int, response: int) -> bool:
        """Whether a sibling hangs on the path through its own response: a copy in another conversation does not."""
        met: set[int] = set()
        while member >= 0 and member not in met:
            if segment.place(member) >= 0:
                return True
            met.add(member)
            kind = self.index.kinds[member]
            if kind in (ASSISTANT, USER) and not self._belongs(member, response):
                return False
            member = self._parent(member, segment)
        return False

    def _emit(self, segment: Segment, joint: int) -> None:
        """Lay the order of a segment out anew from a path position on."""
        kinds = self.index.kinds
        if joint < len(segment.starts):
            del segment.order[segment.starts[joint] :]
            del segment.starts[joint:]
        beside, before = segment.beside, segment.before
        for member in segment.path[joint:]:
            segment.starts.append(len(segment.order))
            if member in before:
                segment.order.extend(before[member])
            if kinds[member] in _CARRIES:
                segment.order.append(member)
            if member in beside:
                segment.order.extend(beside[member])


def _common(old: Sequence[object], new: Sequence[object]) -> int:
    """Length of the common beginning."""
    for at, (mine, theirs) in enumerate(zip(old, new, strict=False)):
        if mine != theirs:
            return at
    return min(len(old), len(new))
