"""S4, model order: the records that the model saw, in the order it saw them, segment after segment.

`Chain` brings itself up to date with its index; what an append costs follows what it adds or rolls back.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from spillscope.transcript.index import PROGRESS, ROOT, Index
from spillscope.transcript.segment import Segment, responses_of


class Chain:
    """The segments of an index, oldest first; the last one is the conversation as it stands.

    `timeline`: the members that carry something, segment after segment, each once. `segment_starts`: lengths of the timeline
    at which segments begin. `kept`: for each segment its members that stand earlier in the timeline, because a compaction
    kept them. `current`: the last segment.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self.clear()

    def clear(self) -> None:
        self.current: Segment | None = None
        self.timeline = array("i")
        self.segment_starts: list[int] = []
        self.kept: list[list[int]] = []
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
        self._positions.extend(array("i", [-1]) * len(new))
        if index.leaf < 0:
            return len(self.timeline)
        if late_parents or self.current is None:
            return self._rebuild()
        kept = len(self.kept[-1])
        same = self._advance(self.current, new, touched_responses)
        if len(self.kept[-1]) != kept:  # what a segment's first requests carried changed with it
            same = min(same, self.segment_starts[-1])
        return same

    def _leaf(self) -> int:
        """Where the conversation ends: at the newest member, or, right after a compaction, at the last message that it kept.

        What comes next hangs on that message, and its head on the summary (S4).
        """
        index = self.index
        leaf = index.leaf
        boundary = next(reversed(index.boundaries.values()), None)
        if boundary is None or boundary.tail is None or boundary.anchor != index.uuids[leaf]:
            return leaf
        tail = index.by_uuid.get(boundary.tail, leaf)
        if self.current is not None and self.current.leaf == tail and self.current.place(leaf) >= 0:
            return tail
        return tail if leaf in Segment(index).walk(tail) else leaf

    # --- from nothing ---------------------------------------------------------------------------------------------------

    def _rebuild(self) -> int:
        """All segments anew; returns how much of the timeline's beginning still stands."""
        segments: list[Segment] = []
        leaf, end = self._leaf(), None
        roots: set[int] = set()
        while leaf >= 0:
            segment = Segment(self.index, end)
            segment.extend(segment.walk(leaf))
            if segment.root in roots:  # late lines can make two starts each the other's past
                break
            roots.add(segment.root)
            segments.append(segment)
            end = segment.root
            leaf = self._earlier_leaf(segment.root)
        segments.reverse()
        self._complete(segments)
        self.current = segments[-1]
        return self._lay_out(segments)

    def _complete(self, segments: Sequence[Segment]) -> None:
        """Put back what the walks missed. Only a response that no one path holds whole can have something missing."""
        index = self.index
        homes = array("i", [-1]) * len(index.responses)  # response → the one segment that has records of it
        on_path = bytearray(len(index))
        scattered: set[int] = set()
        for number, segment in enumerate(segments):
            for member in segment.path:
                on_path[member] = 1
            for response in responses_of(index, segment.path):
                if homes[response] != number:
                    if homes[response] >= 0:
                        scattered.add(response)
                    homes[response] = number
        off_path = (member for member, found in enumerate(on_path) if not found)
        for response in dict.fromkeys(responses_of(index, off_path)):
            if response not in scattered and homes[response] >= 0:
                segments[homes[response]].put_back(response)
        for segment in segments:
            for response in scattered:
                segment.put_back(response)
            segment.emit(0)

    def _lay_out(self, segments: Sequence[Segment]) -> int:
        timeline = array("i")
        positions = array("i", [-1]) * len(self.index)
        starts: list[int] = []
        kept: list[list[int]] = []
        for segment in segments:
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

    def _advance(self, segment: Segment, new: range, touched_responses: set[int]) -> int:
        index = self.index
        leaf = self._leaf()
        fresh = segment.walk(leaf)
        meets = segment.parent(fresh[0]) if fresh else leaf
        if segment.place(meets) < 0:
            return self._begin_segment(segment, new) if leaf == index.leaf else self._rebuild()
        compacted = any(member in index.boundaries for member in new)  # and may have kept a part of the path
        in_cycle = segment.place(meets) < segment.place(segment.parent(segment.root))  # that the path begins with
        if compacted or in_cycle or self._moves_a_head(segment, new) or self._touches(new, self.segment_starts[-1]):
            return self._rebuild()
        gone = segment.cut(segment.place(meets) + 1)
        joint = len(segment.path)
        segment.extend(fresh)
        changed = touched_responses.union(*(responses_of(index, members) for members in (gone, fresh, new)))
        for response in changed:
            joint = min(joint, segment.put_back(response))
        return self._relay(segment, joint)

    def _begin_segment(self, old: Segment, new: range) -> int:
        """The walk met a start of its own: a compaction, a `/clear`, or a rewind to before the first message."""
        index = self.index
        segment = Segment(index)
        walked = segment.walk(index.leaf)
        loose = [member for member in new if index.kinds[member] != PROGRESS]
        if self._earlier_leaf(walked[0]) != old.leaf or sorted(walked) != loose or self._touches(new, len(self.timeline)):
            return self._rebuild()
        segment.extend(walked)
        for response in set(responses_of(index, walked)):
            segment.put_back(response)
        segment.emit(0)
        self.current = segment
        same = len(self.timeline)
        self.segment_starts.append(same)
        self.kept.append([])
        self._take(segment.order)
        return same

    def _moves_a_head(self, segment: Segment, new: range) -> bool:
        """Whether a summary came late: the kept messages, which hung on its boundary until now, hang on it."""
        index = self.index
        for member in new:
            for boundary in index.anchors.get(index.uuids[member], ()):
                head = index.by_uuid.get(index.boundaries[boundary].head or "")
                if head is not None and (segment.place(head) >= 0 or (self.position(head) or 0) >= self.segment_starts[-1]):
                    return True
        return False

    def _touches(self, new: range, length: int) -> bool:
        """Whether new members belong to a response in the first part of the timeline, whose stretch they would change."""
        positions = self._positions
        return length > 0 and any(
            0 <= positions[member] < length
            for response in set(responses_of(self.index, new))
            for member in self.index.responses[response].members
        )

    def _relay(self, segment: Segment, joint: int) -> int:
        """Emit a segment anew from a path position on, and the timeline with it."""
        before = segment.order_before(joint)
        old = segment.order[before:]
        segment.emit(joint)
        same = _common(old, segment.order[before:])
        dropped = old[same:]
        at = len(self.timeline) - len(dropped)
        if dropped and not set(self.kept[-1]).isdisjoint(dropped):
            return self._rebuild()
        for member in dropped:
            self._positions[member] = -1
        del self.timeline[at:]
        self._take(segment.order[before + same :])
        return at

    def _take(self, members: Iterable[int]) -> None:
        for member in members:
            if self._positions[member] >= 0:
                self.kept[-1].append(member)
            else:
                self._positions[member] = len(self.timeline)
                self.timeline.append(member)

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


def _common(old: Sequence[object], new: Sequence[object]) -> int:
    """Length of the common beginning."""
    for at, (mine, theirs) in enumerate(zip(old, new, strict=False)):
        if mine != theirs:
            return at
    return min(len(old), len(new))
