"""S4, one stretch of conversation: the walk from a leaf to a start, and the parallel records that a bare walk misses."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence

from spillscope.transcript.index import ASSISTANT, BOUNDARY, LOST, ROOT, USER, Index

_CARRIES = frozenset({USER, ASSISTANT, BOUNDARY})
_MESSAGES = frozenset({USER, ASSISTANT})


def responses_of(index: Index, members: Iterable[int]) -> Iterator[int]:
    """The responses that members belong to: their own, or those whose calls they answer."""
    for member in members:
        response = index.responses_of[member]
        if response >= 0:
            yield response
            if member in index.other_responses:
                yield from index.other_responses[member]


class Segment:
    """`path`: from the start to the leaf. `order`: the members that carry something, in model order.

    `end`: the start of the segment after it, None for the current one: what came later says nothing of this one.
    """

    def __init__(self, index: Index, end: int | None = None) -> None:
        self.index, self.end = index, end
        self.path = array("i")
        self.order = array("i")
        self._places = array("i")  # member − first → position in the path, -1 off it
        self._first = 0
        self._starts = array("i")  # position in the path → length of `order` before it
        self._behind: dict[int, list[int]] = {}  # path member → members put back right behind it
        self._before: dict[int, list[int]] = {}  # the same for those that stand before the first of their response
        self._anchors: dict[int, set[int]] = {}  # response → path members beside which its records were put back

    @property
    def root(self) -> int:
        return self.path[0]

    @property
    def leaf(self) -> int:
        return self.path[-1]

    def place(self, member: int) -> int:
        """Position of a member in the path; -1 where it is not on it."""
        at = member - self._first
        return self._places[at] if 0 <= at < len(self._places) else -1

    # --- the path -------------------------------------------------------------------------------------------------------

    def walk(self, leaf: int) -> list[int]:
        """From a leaf up to a start, a cycle, or a member of the path (left out); the start of the walk comes last in it."""
        walked: list[int] = []
        met: set[int] = set()
        member = leaf
        while member >= 0 and member not in met and self.place(member) < 0:
            met.add(member)
            walked.append(member)
            member = self.parent(member)
        walked.reverse()
        return walked

    def parent(self, member: int) -> int:
        """The parent as S4 reads it here; ROOT at a start."""
        index = self.index
        anchor = self._kept_anchor(member) if index.heads else None
        if anchor is not None:
            return anchor
        parent = index.parents[member]
        if parent == LOST:  # bridged to the nearest earlier member
            return member - 1 if member > 0 else ROOT
        return parent

    def _kept_anchor(self, member: int) -> int | None:
        """S4: the head of what a compaction kept hangs on that compaction's summary."""
        index = self.index
        end = len(index) if self.end is None else self.end
        for boundary in reversed(index.heads.get(index.uuids[member], ())):
            if boundary < end and boundary != member:
                anchor = index.boundaries[boundary].anchor
                found = index.by_uuid.get(anchor) if anchor is not None else None
                return boundary if found is None or found == member else found
        return None

    def extend(self, members: Sequence[int]) -> None:
        """Lengthen the path by members in the order of the conversation."""
        if not members:
            return
        low, high = min(members), max(members)
        if not self.path:
            self._first = low
        elif low < self._first:
            self._places = array("i", [-1]) * (self._first - low) + self._places
            self._first = low
        missing = high - self._first + 1 - len(self._places)
        if missing > 0:
            self._places.extend(array("i", [-1]) * missing)
        for member in members:
            self._places[member - self._first] = len(self.path)
            self.path.append(member)

    def cut(self, length: int) -> Sequence[int]:
        """Shorten the path; returns what was cut off."""
        gone = self.path[length:]
        del self.path[length:]
        for member in gone:
            self._places[member - self._first] = -1
        return gone

    # --- putting back ---------------------------------------------------------------------------------------------------

    def put_back(self, response: int) -> int:
        """Place the records of a response that the path misses; returns the first path position that this changes."""
        joint = self._take_away(response)
        on_path, missing = self._stretch(response)
        if not missing:
            return joint
        anchors: set[int] = set()
        for member in missing:
            earlier = [mine for mine in on_path if mine < member]
            anchor = max(earlier) if earlier else min(on_path)
            beside = self._behind if earlier else self._before
            beside[anchor] = sorted([*beside.get(anchor, ()), member])
            anchors.add(anchor)
        self._anchors[response] = anchors
        return min(joint, *map(self.place, anchors))

    def _take_away(self, response: int) -> int:
        """Undo what was put back for a response."""
        joint = len(self.path)
        for anchor in self._anchors.pop(response, ()):
            if self.place(anchor) >= 0:
                joint = min(joint, self.place(anchor))
            for beside in (self._behind, self._before):
                left = [member for member in beside.pop(anchor, ()) if response not in responses_of(self.index, (member,))]
                if left:
                    beside[anchor] = left
        return joint

    def _stretch(self, response: int) -> tuple[list[int], list[int]]:
        """The records of a response and the results of its calls: those on the path, and those to be put back."""
        index = self.index
        found = index.responses[response]
        on_path = [member for member in found.members if self.place(member) >= 0]
        if not on_path:
            return [], []
        missing: list[int] = []
        calls = set(found.calls)
        if len(on_path) < len(found.members):
            held = {call for member in on_path for call in index.calls_of(member)}
            missing = [
                member
                for member in found.members
                if self.place(member) < 0 and held.isdisjoint(index.calls_of(member)) and self._hangs_on(member, response)
            ]
            calls = held.union(*map(index.calls_of, missing))  # without those that only a copy elsewhere makes
        for call in dict.fromkeys(found.calls):
            results = index.results_of.get(call, ())
            here = [member for member in results if self.place(member) >= 0]
            if here:
                on_path.extend(here)
            elif results and call in calls:
                hanging = (member for member in results if self._hangs_on(member, response))
                missing.append(results[0] if len(results) == 1 else next(hanging, results[0]))
        return on_path, list(dict.fromkeys(missing))

    def _hangs_on(self, member: int, response: int) -> bool:
        """Whether a record hangs on the path through its own response: a copy in another conversation does not."""
        met: set[int] = set()
        while member >= 0 and member not in met:
            if self.place(member) >= 0:
                return True
            met.add(member)
            if self.index.kinds[member] in _MESSAGES and response not in responses_of(self.index, (member,)):
                return False
            member = self.parent(member)
        return False

    # --- the order ------------------------------------------------------------------------------------------------------

    def order_before(self, joint: int) -> int:
        """Length of the order before a path position."""
        return self._starts[joint] if joint < len(self._starts) else len(self.order)

    def emit(self, joint: int) -> None:
        """Lay the order out anew from a path position on."""
        kinds, order = self.index.kinds, self.order
        del order[self.order_before(joint) :]
        del self._starts[joint:]
        for member in self.path[joint:]:
            self._starts.append(len(order))
            if member in self._before:
                order.extend(self._before[member])
            if kinds[member] in _CARRIES:
                order.append(member)
            if member in self._behind:
                order.extend(self._behind[member])
