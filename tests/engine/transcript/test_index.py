"""S3, S7: what is kept of records, and that nothing in them makes the index fail."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from spillscope.clean import cell_width
from spillscope.transcript.index import LOST, ROOT, Index
from spillscope.transcript.labels import call_label
from spillscope.transcript.layout import place_of
from spillscope.transcript.rows import ResultRow
from spillscope.transcript.spill_files import SpillFiles
from transcripts import Record, Writer, text, use, wrapper


def index_of(records: list[Record], *, of_agent: bool = False) -> Index:
    index = Index(SpillFiles(place_of(Path("/nowhere/projects/-p/s1.jsonl"))), of_agent=of_agent)
    offset = 0
    for record in records:
        length = len(json.dumps(record))
        index.add(record, offset, length)
        offset += length + 1
    return index


def row_of(content: object, tool: object = "Bash", local: object = None) -> ResultRow:
    writer = Writer()
    writer.prompt()
    writer.say(use(tool, "t1"))
    writer.result("t1", content, local)
    return index_of(writer.records).rows[0]


JUNK: list[Any] = [None, True, 0, -7, 1.5, "words", "", [], ["x"], [[None]], {}, {"a": {}}, "\ud800", 10**40, 1e300]


def rich() -> list[Record]:
    """One record of each kind, with every field that is looked at."""
    writer = Writer()
    writer.prompt([text("Go."), {"type": "image", "source": {"type": "base64", "data": "xx"}}])
    usage = {"input_tokens": 1, "cache_creation": {"ephemeral_5m_input_tokens": 2}, "output_tokens": 3}
    writer.say(text("Well."), {"type": "thinking", "thinking": "Hm.", "signature": "s"}, use("Bash", "t1", {"command": "ls"}))
    writer.records[-1]["message"]["usage"] = usage
    writer.result("t1", wrapper("x" * 60_000), {"stdout": "x", "persistedOutputPath": "/p", "persistedOutputSize": 60_000})
    writer.result("t2", [text("a"), {"type": "tool_reference", "tool_name": "X"}], {"file": {"content": "y"}})
    writer.put("progress", {"data": {"type": "bash_progress"}})
    writer.put("attachment", {"attachment": {"type": "hook_success", "stdout": wrapper("y" * 60_000)}})
    writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": ["t2"]}})
    kept = {"headUuid": "u2", "anchorUuid": "u9", "tailUuid": "u4"}
    writer.boundary(preTokens=9, postTokens=1, preservedSegment=kept)
    writer.replace("t1", wrapper("x" * 60_000))
    writer.side({"type": "summary", "summary": "s", "leafUuid": "u1"})
    writer.say(text("Side."), isSidechain=True, agentId="a1")
    return writer.records


def paths_in(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [at] if at else []
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        found += paths_in(inner, (*at, step))
    return found


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_junk_in_any_field_of_any_record_never_fails(junk: Any) -> None:
    records = rich()
    for at, record in enumerate(records):
        for path in paths_in(record):
            changed = copy.deepcopy(record)
            holder: Any = changed
            for step in path[:-1]:
                holder = holder[step]
            holder[path[-1]] = junk
            index = index_of([*records[:at], changed, *records[at + 1 :]])
            assert index.records == len(records)
            assert len(index.kinds) == len(index.first_rows) == len(index.tokens) == len(index.stamps)


def test_any_field_may_be_missing() -> None:
    records = rich()
    for at, record in enumerate(records):
        for path in paths_in(record):
            changed = copy.deepcopy(record)
            holder: Any = changed
            for step in path[:-1]:
                holder = holder[step]
            if isinstance(holder, dict):
                del holder[path[-1]]
                assert index_of([*records[:at], changed, *records[at + 1 :]]).records == len(records)


@pytest.mark.parametrize(
    "record",
    [{}, {"type": "user"}, {"uuid": "u"}, {"uuid": "u", "type": "user"}, {"parentUuid": None}, {"uuid": 5, "parentUuid": 5}],
)
def test_records_without_both_ids_are_counted_and_no_members(record: Record) -> None:
    index = index_of([record])
    assert (index.records, len(index)) == (1, 0)


def test_unknown_types_are_counted_and_may_stand_in_the_chain() -> None:
    writer = Writer()
    writer.put("orbit", {})
    writer.side({"type": "orbit"})
    writer.side({"type": 5})
    writer.side({})
    writer.side({"type": "custom-title"})
    index = index_of(writer.records)
    assert index.unknown_types == {"orbit": 2, "?": 2}
    assert (index.records, len(index)) == (5, 1)


def test_a_uuid_that_comes_again_is_no_second_member() -> None:
    writer = Writer()
    writer.prompt("One.")
    writer.side({**writer.records[0], "message": {"role": "user", "content": "Another."}})
    assert len(index_of(writer.records)) == 1


def test_facts_are_the_newest_members_and_the_start_the_first() -> None:
    writer = Writer(version="2.1.50")
    writer.prompt(timestamp="no time")
    writer.prompt(timestamp="2026-01-02T03:04:05.678Z")
    writer.version = "2.1.51"
    writer.say(model="model-1")
    writer.say(model="<synthetic>")
    writer.prompt(cwd="/srv/other", version=7)
    index = index_of(writer.records)
    assert (index.version, index.model, index.cwd) == ("2.1.51", "model-1", "/srv/other")
    assert index.started == 1767323045.678
    assert [index.versions[at] for at in index.version_of] == ["2.1.50", "2.1.50", "2.1.51", "2.1.51", None]


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "9" * 50, "", "12"])
def test_a_time_that_no_calendar_has_is_none(stamp: str) -> None:
    writer = Writer()
    writer.prompt(timestamp=stamp)
    assert index_of(writer.records).started is None


class TestParents:
    def test_a_parent_that_comes_late(self) -> None:
        writer = Writer()
        writer.prompt(parent="u2")
        writer.prompt(parent=None)
        index = index_of(writer.records)
        assert list(index.parents) == [1, ROOT]
        assert index.take_touched()[2]
        assert not index.take_touched()[2]

    def test_a_parent_that_never_comes(self) -> None:
        writer = Writer()
        writer.prompt(parent="nobody")
        assert list(index_of(writer.records).parents) == [LOST]

    def test_a_boundary_is_a_start_whatever_parent_it_names(self) -> None:
        writer = Writer()
        writer.prompt()
        writer.put("system", {"subtype": "compact_boundary"}, parent="u1")
        writer.put("system", {"subtype": "compact_boundary"}, parent="u4")
        writer.prompt(parent=None)
        assert list(index_of(writer.records).parents) == [ROOT, ROOT, ROOT, ROOT]


class TestSidechains:
    def test_stand_apart(self) -> None:
        writer = Writer()
        writer.prompt()
        writer.prompt("Sub.", parent=None, move=False, isSidechain=True)
        writer.say(use("Bash", "t1"), parent="u2", move=False, isSidechain=True, usage=70)
        writer.result("t1", "out", parent="u3", move=False, isSidechain=True)
        writer.prompt("Other.", parent=None, move=False, isSidechain=True)
        writer.prompt("Third.", parent=None, move=False, isSidechain=True, agentId="a1")
        writer.prompt("Third again.", parent="nobody", move=False, isSidechain=True, agentId="a1")
        index = index_of(writer.records)
        assert (len(index), index.rows, index.calls) == (1, [], {})
        found = index.sidechains.found
        assert [(chain.agent_id, chain.records) for chain in found] == [(None, 3), (None, 1), ("a1", 2)]
        assert found[0].count.total == 70 + 1
        assert index.records == 7

    def test_are_the_chain_itself_in_a_file_of_their_own(self) -> None:
        writer = Writer()
        writer.prompt(isSidechain=True)
        assert len(index_of(writer.records, of_agent=True)) == 1

    @pytest.mark.parametrize("value", [None, 0, "true", 1])
    def test_only_true_makes_one(self, value: object) -> None:
        writer = Writer()
        writer.prompt(isSidechain=value)
        assert len(index_of(writer.records)) == 1


class TestRows:
    def test_sizes_and_names(self) -> None:
        row = row_of("日本🎉")
        assert (row.tool, row.content, row.chars, row.model_chars, row.tokens) == ("Bash", "text", 4, 4, 1)
        assert (row.chars_source, row.candidate, row.writable, row.notice) == ("inline", True, True, None)

    @pytest.mark.parametrize(
        ("content", "kind", "candidate", "writable"),
        [
            ("words", "text", True, True),
            ("  \n", "empty", True, True),
            ("", "empty", False, True),
            (None, "empty", False, False),
            ([], "empty", False, True),
            ([text(" ")], "empty", True, True),
            ([text("words")], "text", True, True),
            ([text("words"), {"type": "tool_reference"}], "text", True, False),
            ([{"type": "tool_reference"}], "text", True, False),
            ([{"type": "image", "source": {}}], "image", False, False),
            ([text("words"), {"type": "image", "source": {}}], "image", False, False),
            ("[Old tool result content cleared]", "cleared", False, True),
            ("(Bash completed with no output)", "empty", True, True),
            ("(Grep completed with no output)", "text", True, True),
            ({"a": 1}, "text", False, False),
            (5, "text", False, False),
        ],
    )
    def test_kinds(self, content: object, kind: str, candidate: bool, writable: bool) -> None:
        row = row_of(content)
        assert (row.content, row.candidate, row.writable) == (kind, candidate, writable)

    def test_a_wrapper_is_measured_by_its_original(self) -> None:
        row = row_of(wrapper("x" * 60_000), local={"stdout": "x" * 60_000})
        assert (row.content, row.chars, row.chars_source, row.candidate) == ("wrapper", 60_000, "local", False)
        assert row.model_chars == len(wrapper("x" * 60_000))
        assert row.notice == ("/far/away/tool-results/x.txt", "58.6KB")

    def test_the_tag_further_in_is_no_wrapper(self) -> None:
        row = row_of("see " + wrapper("x" * 60_000))
        assert (row.content, row.chars_source) == ("text", "inline")

    def test_the_tag_alone_is_a_wrapper_of_unknown_size(self) -> None:
        row = row_of("<persisted-output>\nTool result saved to: /a/tool-results/t1.txt\n\nUse Read to view")
        assert (row.content, row.chars_source, row.candidate) == ("wrapper", "unknown", False)

    def test_a_path_that_only_the_local_copy_gives(self) -> None:
        row = row_of("words", local={"persistedOutputPath": "/a/tool-results/b.txt"})
        assert row.notice == ("/a/tool-results/b.txt", "")

    def test_a_result_without_an_id_is_none(self) -> None:
        writer = Writer()
        writer.prompt([{"type": "tool_result", "tool_use_id": 5, "content": "x" * 40}])
        index = index_of(writer.records)
        assert (index.rows, list(index.tokens)) == ([], [10])

    def test_a_call_that_comes_late_names_its_result(self) -> None:
        writer = Writer()
        writer.result("t1", "out")
        index = index_of(writer.records)
        assert [(row.tool, row.label) for row in index.rows] == [(None, "")]
        index.take_touched()
        writer.say(use("Bash", "t1", {"command": "ls"}))
        index.add(writer.records[-1], 99, 9)
        assert [(row.tool, row.label) for row in index.rows] == [("Bash", "ls")]
        assert index.take_touched()[0] == {0}

    def test_the_first_call_of_an_id_stands(self) -> None:
        writer = Writer()
        writer.say(use("Bash", "t1"), use("Grep", "t1"))
        writer.result("t1", "out")
        assert index_of(writer.records).rows[0].tool == "Bash"


class TestLabels:
    @pytest.mark.parametrize(
        ("tool", "arguments", "label"),
        [
            ("Bash", {"description": "d", "command": "ls -l"}, "ls -l"),
            ("Grep", {"path": "src", "pattern": "x+"}, "x+  src"),
            ("Glob", {"pattern": "*.py"}, "*.py"),
            ("Read", {"limit": 5, "file_path": "/srv/a.py"}, "/srv/a.py"),
            ("mcp__maps__find", {"zoom": 3, "where": "Lyon"}, "Lyon"),
            ("Bash", {"command": "one\n  two\t three"}, "one two three"),
            ("Bash", {"command": "a\x1b[2Jb\u202ec"}, "a␛[2Jb\\u202ec"),
            ("Bash", {"command": 5, "note": "n"}, "n"),
            ("Bash", {}, ""),
            ("Bash", [], ""),
            ("Bash", None, ""),
            (None, {"a": "b"}, "b"),
        ],
    )
    def test_what_tells_one_call_from_others(self, tool: object, arguments: object, label: str) -> None:
        writer = Writer()
        writer.say({"type": "tool_use", "id": "t1", "name": tool, "input": arguments})
        assert index_of(writer.records).calls["t1"].label == label

    @pytest.mark.parametrize("char", ["x", "日", "🎉", "é"])
    @pytest.mark.parametrize("cells", [2, 78, 80, 82, 500])
    def test_at_most_eighty_cells(self, char: str, cells: int) -> None:
        words = char * (cells // cell_width(char))
        label = call_label("Bash", {"command": words})
        assert cell_width(label) in ((cells,) if cells <= 80 else (79, 80))
        assert label == words if cells <= 80 else label.endswith("…")

    def test_marks_on_letters_are_cut_too(self) -> None:
        assert cell_width(call_label("Bash", {"command": "e\u0301" * 500})) <= 80


class TestReplacements:
    def test_are_kept_by_their_size(self) -> None:
        writer = Writer()
        writer.call("Bash", "t1", "x" * 400)
        writer.replace("t1", wrapper("x" * 60_000))
        index = index_of(writer.records)
        found = index.replacements["t1"]
        assert (found.chars, found.tokens) == (len(wrapper("x" * 60_000)), (len(wrapper("x" * 60_000)) + 2) // 4)
        assert found.notice == ("/far/away/tool-results/x.txt", "58.6KB")
        assert index.tokens[1] == found.tokens
        assert 1 in index.take_touched()[0]

    def test_may_come_before_their_result_and_again(self) -> None:
        writer = Writer()
        writer.replace("t1", "y" * 40)
        writer.call("Bash", "t1", "x" * 400)
        index = index_of(writer.records)
        assert index.tokens[1] == 10
        writer.replace("t1", "z" * 80)
        index.add(writer.records[-1], 0, 1)
        assert index.tokens[1] == 20

    def test_count_for_each_block_of_their_id(self) -> None:
        writer = Writer()
        blocks = [{"type": "tool_result", "tool_use_id": name, "content": "x" * 400} for name in ("t1", "t1", "t2")]
        writer.prompt(blocks)
        writer.replace("t1", "y" * 40)
        assert list(index_of(writer.records).tokens) == [10 + 10 + 100]

    @pytest.mark.parametrize(
        "entries",
        [
            None,
            "words",
            {"kind": "tool-result"},
            [None],
            [{"kind": "other", "toolUseId": "t1", "replacement": "y"}],
            [{"kind": "tool-result", "toolUseId": 5, "replacement": "y"}],
            [{"kind": "tool-result", "toolUseId": "t1", "replacement": None}],
            [{"kind": "tool-result", "toolUseId": "t1"}],
            [{"toolUseId": "t1", "replacement": "y"}],
        ],
    )
    def test_malformed_ones_are_ignored_and_counted(self, entries: object) -> None:
        index = index_of([{"type": "content-replacement", "replacements": entries}])
        assert (index.replacements, index.ignored_replacements) == ({}, 1)

    def test_good_ones_beside_malformed_ones_are_taken(self) -> None:
        good = {"kind": "tool-result", "toolUseId": "t1", "replacement": "y", "more": 5}
        index = index_of([{"type": "content-replacement", "agentId": "a", "replacements": [5, good]}])
        assert (list(index.replacements), index.ignored_replacements) == (["t1"], 1)

    def test_a_record_that_also_stands_in_the_chain_is_read(self) -> None:
        writer = Writer()
        writer.put("content-replacement", {"replacements": [{"kind": "tool-result", "toolUseId": "t1", "replacement": "y"}]})
        assert list(index_of(writer.records).replacements) == ["t1"]


class TestResponses:
    def test_split_records_are_one_response_with_the_largest_usage(self) -> None:
        """T7."""
        writer = Writer()
        writer.say(use("Bash", "t1"), id="m", usage={"input_tokens": 5, "output_tokens": 1})
        writer.say(use("Bash", "t2"), id="m", usage={"input_tokens": 4, "output_tokens": 90})
        index = index_of(writer.records)
        assert len(index.responses) == 1
        assert index.responses[0].usage.total == 95
        assert (index.responses[0].calls, index.responses[0].members) == (("t1", "t2"), [0, 1])
        assert [index.calls_of(member) for member in (0, 1)] == [["t1"], ["t2"]]

    def test_records_without_an_id_are_each_their_own(self) -> None:
        writer = Writer()
        for _ in range(2):
            writer.say(id="m")
            del writer.records[-1]["message"]["id"]
        assert len(index_of(writer.records).responses) == 2

    def test_a_synthetic_record_has_no_usage(self) -> None:
        writer = Writer()
        writer.say(text("API Error"), model="<synthetic>", usage=500)
        index = index_of(writer.records)
        assert (list(index.usages), index.largest_usage, index.model) == ([0], 0, None)


def test_a_microcompaction_names_what_it_cleared() -> None:
    writer = Writer()
    writer.call("Bash", "t1", "out")
    index = index_of(writer.records)
    index.take_touched()
    meta = {"compactedToolIds": ["t1", 5, None, "t9"]}
    writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": meta})
    index.add(writer.records[-1], 0, 1)
    assert index.cleared == {"t1", "t9"}
    assert index.take_touched()[0] == {1}


def test_no_content_is_kept() -> None:
    """S7: only sizes, names and offsets stay."""
    secret = "sesame" * 2_000
    writer = Writer()
    writer.prompt(secret)
    writer.call("Bash", "t1", secret)
    writer.result("t2", [text(secret)], {"stdout": secret})
    writer.replace("t1", secret)
    held = repr([vars(index_of(writer.records)), *index_of(writer.records).rows])
    assert secret not in held


def test_clearing_forgets_everything() -> None:
    index, empty = index_of(rich()), index_of([])
    index.clear()
    state = {name: value for name, value in vars(index).items() if name not in ("_files", "sidechains")}
    assert state == {name: vars(empty)[name] for name in state}
    assert index.sidechains.found == []
