"""S8: the reading after any sequence of appends equals the reading of a cold open."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from histories import conversations
from spillscope.limits_sources import LimitsBook
from spillscope.session.reading import Reading
from transcripts import Writer, lines, open_session

BOOK = LimitsBook().with_layer({"message_budget": 300, "overrides": {"Bash": 150}}, "test")


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
