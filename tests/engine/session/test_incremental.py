"""S8: the reading after any sequence of appends equals the reading of a cold open."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spillscope.limits_sources import LimitsBook
from spillscope.session.reading import Reading
from transcripts import Writer, lines, open_session, text, use

BOOK = LimitsBook().with_layer({"message_budget": 300, "overrides": {"Bash": 150}}, "test")
SIZES = st.sampled_from([0, 10, 90, 140, 160, 200, 400])


def comparable(reading: Reading) -> dict[str, Any]:
    """Everything of a reading but its version and the times of the file."""
    session = replace(reading.session, last_write=None)
    return {
        "session": session,
        "context": reading.context,
        "aggregate": (reading.aggregate, reading.evidence),
        "groups": list(reading.groups),
        "live": [reading.is_live(group) for group in reading.groups],
        "pending": reading.pending,
        "requests": [request._replace(response=0) for request in reading.requests],
        "totals": reading.totals,
    }


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records with everything that moves: forks, rewinds, late parents, compactions, replacements, clears, lost lines."""
    writer = Writer()
    writer.prompt()
    calls: list[str] = []
    for step in range(draw(st.integers(1, 25))):
        action = draw(st.sampled_from(ACTIONS))
        action(draw, writer, calls, step)
    records = writer.records
    for _ in range(draw(st.integers(0, 2))):  # a line that is lost
        if len(records) > 2:
            del records[draw(st.integers(0, len(records) - 1))]
    for _ in range(draw(st.integers(0, 2))):  # a line that comes late
        if len(records) > 2:
            records.insert(draw(st.integers(0, len(records))), records.pop(draw(st.integers(0, len(records) - 1))))
    return records


def _tool(draw: st.DrawFn) -> str:
    return draw(st.sampled_from(["Bash", "Read", "Glob"]))


def _single(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    calls.append(f"t{step}")
    writer.call(_tool(draw), calls[-1], "x" * draw(SIZES), usage=draw(st.integers(0, 900)))


def _fan(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    """Parallel calls: split records first, each result under its own, in any order."""
    count = draw(st.integers(2, 4))
    splits = []
    for at in range(count):
        splits.append(writer.say(use(_tool(draw), f"t{step}.{at}"), id=f"m{step}", usage=draw(st.integers(0, 900))))
    for at in draw(st.permutations(range(count))):
        if draw(st.integers(0, 9)):
            calls.append(f"t{step}.{at}")
            writer.result(calls[-1], "x" * draw(SIZES), parent=splits[at])


def _line(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    """Split records with results between them, perhaps of two responses in turn."""
    for at in range(draw(st.integers(2, 4))):
        writer.say(use(_tool(draw), f"t{step}.{at}"), id=f"m{step}.{draw(st.integers(0, 1))}", usage=at * 10)
        calls.append(f"t{step}.{at}")
        writer.result(calls[-1], "x" * draw(SIZES))


def _rewind(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    uuids = [record["uuid"] for record in writer.records if "uuid" in record]
    writer.last = draw(st.sampled_from([*uuids[-6:], *uuids[:2]]))
    writer.prompt("Again.")


def _compact(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    uuids = [record["uuid"] for record in writer.records if "uuid" in record][-4:]
    if draw(st.booleans()):
        writer.boundary()
        return
    tail, head = writer.last, draw(st.sampled_from(uuids))
    summary = f"u{len([r for r in writer.records if 'uuid' in r]) + 2}"
    writer.boundary(preservedSegment={"headUuid": head, "anchorUuid": summary, "tailUuid": tail})
    writer.last = draw(st.sampled_from([tail, summary]))


def _clear(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    writer.prompt("/clear", parent=None)


def _replace(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    if calls:
        writer.replace(draw(st.sampled_from(calls)), "y" * draw(SIZES))


def _microcompact(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    if calls:
        meta = {"compactedToolIds": [draw(st.sampled_from(calls))]}
        writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": meta})


def _noise(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    kind = draw(st.sampled_from(["progress", "attachment", "system", "orbit"]))
    writer.put(kind, {"data": {"type": "hook_progress"}}, move=draw(st.booleans()))


def _synthetic(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    writer.say(text("API Error"), model="<synthetic>", isApiErrorMessage=True)


def _dangling(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    writer.prompt("Who am I?", parent="nobody")


def _again(draw: st.DrawFn, writer: Writer, calls: list[str], step: int) -> None:
    if calls:
        writer.result(draw(st.sampled_from(calls)), "x" * draw(SIZES))


ACTIONS = [_single, _single, _fan, _fan, _line, _rewind, _compact, _clear, _replace, _microcompact]
ACTIONS += [_noise, _synthetic, _dangling, _again]


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(conversations(), st.data())
def test_appends_and_a_cold_open_read_the_same(tmp_path: Path, records: list[dict[str, Any]], data: st.DataObject) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    live = open_session(path, BOOK)
    whole = lines(records)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=12), label="cuts"))
    for cut in [*cuts, len(whole)]:
        path.write_bytes(whole[:cut]) if cut == 0 else _append(path, whole[path.stat().st_size : cut])
        reading = live.refresh()
        cold = open_session(path, BOOK).refresh()
        assert comparable(reading) == comparable(cold)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(conversations())
def test_record_by_record(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    live = open_session(path, BOOK)
    for record in records:
        _append(path, lines([record]))
        live.refresh()
    assert comparable(live.refresh()) == comparable(open_session(path, BOOK).refresh())


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.mark.parametrize("joined", [b"", b" ", b"\n"])
def test_objects_that_come_in_pieces_on_one_line(tmp_path: Path, joined: bytes) -> None:
    writer = Writer()
    writer.prompt("One.")
    writer.prompt("Two.")
    first, second = (json.dumps(record).encode() for record in writer.records)
    path = tmp_path / "s.jsonl"
    path.write_bytes(first)
    live = open_session(path)
    assert live.refresh().session.records == 1
    _append(path, joined + second[:20])
    live.refresh()
    _append(path, second[20:])
    assert live.refresh().session.records == 2
    assert comparable(live.refresh()) == comparable(open_session(path).refresh())
    _append(path, b"\n")
    assert comparable(live.refresh()) == comparable(open_session(path).refresh())
    assert [skipped.line for skipped in live.refresh().session.skipped_lines] == ([] if joined == b"\n" else [1])
