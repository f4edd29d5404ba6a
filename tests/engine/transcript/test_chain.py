"""S4: the order in which the model saw a session's records."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from histories import conversations
from spillscope.transcript.chain import Chain
from spillscope.transcript.index import Index
from spillscope.transcript.layout import place_of
from spillscope.transcript.spill_files import SpillFiles
from transcripts import Record, Writer, text, use


def chain_of(records: list[Record], *, one_by_one: bool = False) -> Chain:
    index = Index(SpillFiles(place_of(Path("/nowhere/projects/-p/s1.jsonl"))))
    chain = Chain(index)
    for record in records:
        index.add(record, 0, 1)
        if one_by_one:
            _, responses, late = index.take_touched()
            chain.update(responses, late)
    _, responses, late = index.take_touched()
    chain.update(responses, late)
    return chain


def in_two_goes(records: list[Record], last: int) -> list[list[int]]:
    """How a chain is laid out that got the last records in one update."""
    chain = chain_of(records[:-last])
    take(chain, records[-last:])
    return laid_out(chain)


def take(chain: Chain, records: list[Record]) -> None:
    for record in records:
        chain.index.add(record, 0, 1)
    _, responses, late = chain.index.take_touched()
    chain.update(responses, late)


def laid_out(chain: Chain) -> list[list[int]]:
    return [list(chain.timeline), chain.segment_starts, *chain.kept]


def segments(writer: Writer) -> list[list[str]]:
    """What each segment adds to the timeline, oldest first, as uuids; the same however it came."""
    cold, live = chain_of(writer.records), chain_of(writer.records, one_by_one=True)
    assert list(cold.timeline) == list(live.timeline)
    assert [list(kept) for kept in cold.kept] == [list(kept) for kept in live.kept]
    assert list(cold.segment_starts) == list(live.segment_starts)
    names = [cold.index.uuids[member] for member in cold.timeline]
    return [names[start:end] for start, end in pairwise([*cold.segment_starts, len(names)])]


def kept(writer: Writer) -> list[str]:
    """What the newest compaction kept of what stood before it."""
    chain = chain_of(writer.records)
    return [chain.index.uuids[member] for member in chain.kept[-1]]


def order(writer: Writer) -> list[str]:
    """The conversation as it stands."""
    return segments(writer)[-1]


class Named(Writer):
    """A writer whose records are called as a test calls them."""

    def __init__(self) -> None:
        super().__init__()
        self.name = ""

    def uuid(self) -> str:
        self._count += 1
        return self.name or f"u{self._count}"

    def asks(self, name: str, parent: str | None, *calls: str, id: str | None = None, **options: Any) -> None:
        self.name = name
        self.say(*[use("Bash", call) for call in calls], id=id or name, parent=parent, **options)

    def answers(self, name: str, parent: str | None, call: str) -> None:
        self.name = name
        self.result(call, f"result {name}", parent=parent)

    def words(self, name: str, parent: str | None, **options: Any) -> None:
        self.name = name
        self.prompt(name, parent=parent, **options)

    def other(self, name: str, parent: str | None, kind: str = "system", **body: Any) -> None:
        self.name = name
        self.put(kind, body, parent=parent)


@settings(max_examples=50, deadline=None)
@given(conversations(), st.lists(st.integers(1, 6), min_size=200, max_size=200))
def test_updates_of_any_size_lay_out_what_one_does(records: list[Record], sizes: list[int]) -> None:
    live, at = chain_of([]), 0
    for size in sizes:
        take(live, records[at : at + size])
        at += size
        if at >= len(records) or size == 1:
            assert laid_out(live) == laid_out(chain_of(records[:at]))


@pytest.fixture
def writer() -> Named:
    writer = Named()
    writer.words("P", None)
    return writer


class TestParallelCalls:
    def test_in_a_line(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.answers("R1", "A1", "t1")
        writer.asks("A2", "R1", "t2", id="m")
        writer.answers("R2", "A2", "t2")
        writer.asks("B", "R2")
        assert order(writer) == ["P", "A1", "R1", "A2", "R2", "B"]

    def test_in_a_fan(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("A2", "A1", "t2", id="m")
        writer.asks("A3", "A2", "t3", id="m")
        writer.answers("R1", "A1", "t1")
        writer.answers("R2", "A2", "t2")
        writer.answers("R3", "A3", "t3")
        writer.asks("B", "R3")
        assert order(writer) == ["P", "A1", "A2", "A3", "R1", "R2", "R3", "B"]

    def test_in_a_fan_whose_first_result_comes_last(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("A2", "A1", "t2", id="m")
        writer.answers("R2", "A2", "t2")
        writer.answers("R1", "A1", "t1")
        writer.asks("B", "R1")
        assert order(writer) == ["P", "A1", "A2", "R2", "R1", "B"]

    def test_with_a_result_between_the_splits(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.answers("R1", "A1", "t1")
        writer.asks("A2", "A1", "t2", id="m")
        writer.answers("R2", "A2", "t2")
        writer.asks("B", "R2")
        assert order(writer) == ["P", "A1", "R1", "A2", "R2", "B"]

    def test_before_any_answer_came(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("A2", "A1", "t2", id="m")
        writer.answers("R1", "A1", "t1")
        assert order(writer) == ["P", "A1", "A2", "R1"]

    def test_of_two_responses_in_turn(self, writer: Named) -> None:
        """The stretch of each is in file order."""
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("B1", "A1", "t2", id="n")
        writer.asks("A2", "B1", "t3", id="m")
        writer.answers("R2", "B1", "t2")
        writer.answers("R1", "A1", "t1")
        writer.answers("R3", "A2", "t3")
        found = order(writer)
        assert [name for name in found if name not in ("B1", "R2")] == ["P", "A1", "A2", "R1", "R3"]
        assert [name for name in found if name in ("B1", "R2")] == ["B1", "R2"]

    def test_a_sibling_written_before_the_first_on_the_path(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("A2", "P", "t2", id="m")
        writer.answers("R2", "A2", "t2")
        writer.answers("R1", "A1", "t1")
        writer.asks("B", "R2")
        assert order(writer) == ["P", "A1", "A2", "R2", "R1", "B"]

    def test_only_results_of_calls_are_put_back(self, writer: Named) -> None:
        writer.asks("A", "P", "t1")
        writer.words("aside", "A")
        writer.answers("other", "A", "t9")
        writer.answers("R", "A", "t1")
        assert order(writer) == ["P", "A", "R"]

    def test_with_progress_and_attachments_between(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.other("x1", "A1", "progress")
        writer.asks("A2", "x1", "t2", id="m")
        writer.answers("R1", "A1", "t1")
        writer.other("x2", "A2", "attachment")
        writer.answers("R2", "x2", "t2")
        writer.asks("B", "R2")
        assert order(writer) == ["P", "A1", "A2", "R1", "R2", "B"]


class TestResultsOfOneId:
    def test_are_not_put_back_where_the_chain_holds_one(self, writer: Named) -> None:
        writer.asks("A", "P", "t1")
        writer.answers("R", "A", "t1")
        writer.answers("again", "A", "t1")
        writer.asks("B", "R")
        assert order(writer) == ["P", "A", "R", "B"]

    def test_are_put_back_once(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("A2", "A1", "t2", id="m")
        writer.answers("R1", "A1", "t1")
        writer.answers("again", "A1", "t1")
        writer.answers("R2", "A2", "t2")
        assert order(writer) == ["P", "A1", "A2", "R1", "R2"]


class TestAnotherConversation:
    """A copy of a conversation in the same file carries the same message ids."""

    def test_siblings_are_not_put_back_into_the_copy(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("A2", "A1", "t2", id="m")
        writer.answers("R1", "A1", "t1")
        writer.answers("R2", "A2", "t2")
        writer.words("P'", None)
        writer.asks("A1'", "P'", "t1", id="m")
        writer.answers("R1'", "A1'", "t1")
        assert segments(writer) == [["P", "A1", "A2", "R1", "R2"], ["P'", "A1'", "R1'"]]

    def test_nor_into_the_original(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.answers("R1", "A1", "t1")
        writer.words("P'", None)
        writer.asks("A1'", "P'", "t1", id="m")
        writer.asks("A2'", "A1'", "t2", id="m")
        writer.answers("R1'", "A1'", "t1")
        writer.answers("R2'", "A2'", "t2")
        assert segments(writer) == [["P", "A1", "R1"], ["P'", "A1'", "A2'", "R1'", "R2'"]]

    def test_a_copied_fan_has_its_own_results(self, writer: Named) -> None:
        for mark in ("", "'"):
            if mark:
                writer.words("P'", None)
            writer.asks(f"A1{mark}", f"P{mark}", "t1", id="m")
            writer.asks(f"A2{mark}", f"A1{mark}", "t2", id="m")
            writer.answers(f"R1{mark}", f"A1{mark}", "t1")
            writer.answers(f"R2{mark}", f"A2{mark}", "t2")
        assert segments(writer) == [["P", "A1", "A2", "R1", "R2"], ["P'", "A1'", "A2'", "R1'", "R2'"]]


class TestDeadBranches:
    def test_a_rewind_leaves_them_out(self, writer: Named) -> None:
        writer.asks("A", "P", "t1")
        writer.answers("R", "A", "t1")
        writer.words("wrong", "R")
        writer.asks("B", "wrong", "t2")
        writer.answers("R2", "B", "t2")
        writer.words("right", "R")
        writer.asks("C", "right")
        assert order(writer) == ["P", "A", "R", "right", "C"]

    def test_a_rewind_to_before_the_calls_leaves_their_results_out(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("A2", "A1", "t2", id="m")
        writer.answers("R1", "A1", "t1")
        writer.answers("R2", "A2", "t2")
        writer.words("again", "P")
        assert order(writer) == ["P", "again"]

    def test_a_branch_may_come_back(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.words("two", "P")
        writer.words("three", "one")
        assert order(writer) == ["P", "one", "three"]

    def test_a_retried_response_is_left_out(self, writer: Named) -> None:
        writer.asks("A", "P", "t1")
        writer.asks("B", "P", "t2")
        writer.answers("R", "B", "t2")
        assert order(writer) == ["P", "B", "R"]


class TestLeaf:
    def test_is_never_a_progress_record(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.other("x", "P", "progress")
        assert order(writer) == ["P", "one"]

    def test_may_be_a_record_that_carries_nothing(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.words("two", "P")
        writer.other("x", "one", "attachment")
        assert order(writer) == ["P", "one"]

    def test_of_progress_records_alone_there_is_none(self) -> None:
        writer = Named()
        writer.other("x", None, "progress")
        assert len(chain_of(writer.records).timeline) == 0

    def test_progress_records_are_links_like_any_other(self) -> None:
        writer = Named()
        writer.other("x", None, "progress")
        writer.words("one", "x")
        assert order(writer) == ["one"]

    def test_records_without_a_chain_are_none(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.side({"type": "last-prompt", "leafUuid": "P"})
        assert order(writer) == ["P", "one"]


class TestLostParents:
    def test_are_bridged_to_the_nearest_earlier_member(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.words("two", "nobody")
        assert order(writer) == ["P", "one", "two"]

    def test_with_none_earlier_are_the_start(self) -> None:
        writer = Named()
        writer.words("one", "nobody")
        writer.words("two", "one")
        assert segments(writer) == [["one", "two"]]

    def test_that_come_late_are_taken(self, writer: Named) -> None:
        writer.words("aside", "P")
        writer.words("two", "late")
        writer.words("three", "two")
        assert order(writer) == ["P", "aside", "two", "three"]
        writer.words("late", "P")
        writer.words("four", "three")
        assert order(writer) == ["P", "late", "two", "three", "four"]

    def test_bridge_over_a_progress_record(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.other("x", "one", "progress")
        writer.words("two", "nobody")
        assert order(writer) == ["P", "one", "two"]


class TestCycles:
    @pytest.mark.parametrize(("first", "second"), [("two", "one"), ("three", "one"), ("two", "two")])
    def test_end_the_walk(self, first: str, second: str) -> None:
        writer = Named()
        writer.words("one", first)
        writer.words("two", second)
        writer.words("three", "two")
        found = order(writer)
        assert found[-2:] == ["two", "three"]
        assert len(set(found)) == len(found)

    def test_of_one_record_are_cycles_too(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.words("self", "self")
        writer.words("two", "self")
        assert order(writer) == ["self", "two"]


class TestCompaction:
    def test_starts_a_new_segment(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.name = ""
        writer.boundary()
        writer.words("two", writer.last)
        assert segments(writer) == [["P", "one"], ["u3", "u4", "two"]]

    def test_whatever_parent_its_boundary_names(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.other("bound", "one", subtype="compact_boundary")
        writer.words("two", "bound")
        assert segments(writer) == [["P", "one"], ["bound", "two"]]

    def test_the_earlier_leaf_is_the_logical_parent(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.words("dead", "P")
        writer.other("bound", None, subtype="compact_boundary", logicalParentUuid="one")
        assert segments(writer) == [["P", "one"], ["bound"]]

    @pytest.mark.parametrize("logical", ["nobody", None, 5, "after"])
    def test_or_else_the_nearest_earlier_member(self, writer: Named, logical: object) -> None:
        writer.words("one", "P")
        writer.other("x", "one", "progress")
        writer.other("bound", None, subtype="compact_boundary", logicalParentUuid=logical)
        writer.words("after", "bound")
        assert segments(writer) == [["P", "one"], ["bound", "after"]]

    def test_at_the_beginning_of_a_file(self) -> None:
        writer = Named()
        writer.other("bound", None, subtype="compact_boundary", logicalParentUuid="gone")
        writer.words("one", "bound")
        assert segments(writer) == [["bound", "one"]]

    def test_several_in_one_file(self, writer: Named) -> None:
        writer.other("b1", None, subtype="compact_boundary", logicalParentUuid="P")
        writer.words("one", "b1")
        writer.other("b2", None, subtype="compact_boundary", logicalParentUuid="one")
        writer.words("two", "b2")
        assert segments(writer) == [["P"], ["b1", "one"], ["b2", "two"]]

    def test_results_of_the_segment_before_are_not_put_back_after_it(self, writer: Named) -> None:
        writer.asks("A1", "P", "t1", id="m")
        writer.asks("A2", "A1", "t2", id="m")
        writer.answers("R1", "A1", "t1")
        writer.answers("R2", "A2", "t2")
        writer.other("bound", None, subtype="compact_boundary", logicalParentUuid="R2")
        writer.words("one", "bound")
        assert segments(writer) == [["P", "A1", "A2", "R1", "R2"], ["bound", "one"]]


class TestKeptMessages:
    """A compaction that kept some messages: they hang on its summary."""

    @pytest.fixture
    def compacted(self, writer: Named) -> Named:
        writer.words("old", "P")
        writer.asks("K1", "old", "t1")
        writer.answers("K2", "K1", "t1")
        preserved = {"preservedSegment": {"headUuid": "K1", "anchorUuid": "sum", "tailUuid": "K2"}}
        writer.other("bound", None, subtype="compact_boundary", logicalParentUuid="K2", compactMetadata=preserved)
        writer.words("sum", "bound", isCompactSummary=True)
        return writer

    def test_are_kept_and_stand_in_the_timeline_once(self, compacted: Named) -> None:
        compacted.words("new", "K2")
        assert segments(compacted) == [["P", "old", "K1", "K2"], ["bound", "sum", "new"]]
        assert kept(compacted) == ["K1", "K2"]

    def test_are_there_at_once(self, compacted: Named) -> None:
        assert segments(compacted) == [["P", "old", "K1", "K2"], ["bound", "sum"]]
        assert kept(compacted) == ["K1", "K2"]
        compacted.side({"type": "last-prompt"})
        compacted.words("new", "K2")
        assert segments(compacted)[-1] == ["bound", "sum", "new"]
        assert kept(compacted) == ["K1", "K2"]

    @pytest.mark.parametrize("tail", ["gone", "P", "sum", "bound", None, 5])
    def test_are_not_guessed_where_the_tail_is_none_of_theirs(self, writer: Named, tail: object) -> None:
        writer.words("K", "P")
        preserved = {"preservedSegment": {"headUuid": "K", "anchorUuid": "sum", "tailUuid": tail}}
        writer.other("bound", None, subtype="compact_boundary", logicalParentUuid="K", compactMetadata=preserved)
        writer.words("sum", "bound", isCompactSummary=True)
        assert segments(writer) == [["P", "K"], ["bound", "sum"]]
        assert kept(writer) == []

    def test_come_with_a_compaction_that_is_read_in_one_go(self, compacted: Named) -> None:
        assert in_two_goes(compacted.records, 2) == laid_out(chain_of(compacted.records))

    def test_hang_on_a_summary_that_came_late(self, writer: Named) -> None:
        preserved = {"preservedSegment": {"headUuid": "K", "anchorUuid": "sum", "tailUuid": "K"}}
        writer.other("bound", None, subtype="compact_boundary", compactMetadata=preserved)
        writer.words("K", "P")
        writer.words("sum", "bound", isCompactSummary=True)
        writer.words("new", "K")
        assert segments(writer) == [["P"], ["bound", "sum", "K", "new"]]
        assert in_two_goes(writer.records, 2) == laid_out(chain_of(writer.records))

    def test_are_left_out_when_nothing_hangs_on_them(self, compacted: Named) -> None:
        compacted.words("new", "sum")
        assert segments(compacted) == [["P", "old", "K1", "K2"], ["bound", "sum", "new"]]
        assert kept(compacted) == []

    def test_hang_on_the_boundary_where_the_anchor_is_not_there(self, writer: Named) -> None:
        writer.words("K", "P")
        preserved = {"preservedSegment": {"headUuid": "K", "anchorUuid": "gone"}}
        writer.other("bound", None, subtype="compact_boundary", logicalParentUuid="K", compactMetadata=preserved)
        writer.words("new", "K")
        assert segments(writer) == [["P", "K"], ["bound", "new"]]
        assert kept(writer) == ["K"]

    def test_of_two_compactions_hang_on_the_newer(self, compacted: Named) -> None:
        compacted.words("mid", "K2")
        preserved = {"preservedSegment": {"headUuid": "K1", "anchorUuid": "sum2"}}
        compacted.other("bound2", None, subtype="compact_boundary", logicalParentUuid="mid", compactMetadata=preserved)
        compacted.words("sum2", "bound2")
        compacted.words("new", "mid")
        assert segments(compacted)[1:] == [["bound", "sum", "mid"], ["bound2", "sum2", "new"]]
        assert kept(compacted) == ["K1", "K2", "mid"]


class TestClear:
    def test_starts_a_new_segment(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.words("clear", None)
        writer.words("two", "clear")
        assert segments(writer) == [["P", "one"], ["clear", "two"]]

    def test_is_no_rewind_of_what_stood_before(self, writer: Named) -> None:
        writer.words("one", "P")
        writer.words("clear", None)
        writer.words("back", "one")
        assert segments(writer) == [["P", "one", "back"]]


def test_a_chain_of_100_000_records_is_walked_without_recursion() -> None:
    writer = Writer()
    for number in range(25_000):
        writer.say(use("Bash", f"t{number}.1"), id=f"m{number}")
        fork = writer.last
        writer.say(use("Bash", f"t{number}.2"), id=f"m{number}")
        writer.result(f"t{number}.1", "out", parent=fork, move=False)
        writer.result(f"t{number}.2", "out")
    began = time.process_time()
    chain = chain_of(writer.records)
    assert list(chain.timeline) == list(range(100_000))
    for number in range(200):  # and an append does not walk it again
        writer.prompt()
        chain.index.add(writer.records[-1], 0, 1)
        _, responses, late = chain.index.take_touched()
        assert chain.update(responses, late) == 100_000 + number
    assert time.process_time() - began < 20


def test_100_000_forks_are_not_quadratic() -> None:
    """One prompt, answered anew each time: every answer but the last is a dead branch."""
    writer = Writer()
    writer.prompt()
    for number in range(50_000):
        writer.say(text("Again."), id=f"m{number}", parent="u1")
    began = time.process_time()
    assert list(chain_of(writer.records).timeline) == [0, 50_000]
    assert time.process_time() - began < 20
