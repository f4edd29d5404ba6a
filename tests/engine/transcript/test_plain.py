"""S1: files of plain API messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spillscope.session.reading import Reading
from spillscope.transcript import plain
from spillscope.transcript.plain import plain_records, read_plain
from transcripts import grouped, open_session, read, results

MESSAGES = [
    {"role": "user", "content": "Look."},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Grep", "input": {"pattern": "x"}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "found"}]},
    {"role": "assistant", "content": "Done."},
]


def save(folder: Path, value: object, name: str = "request.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def messages_of(path: Path) -> object:
    found = read_plain(path)
    return None if found is None else found.messages


@pytest.mark.parametrize("value", [MESSAGES, {"model": "m", "messages": MESSAGES}])
def test_a_list_or_a_request_body(tmp_path: Path, value: object) -> None:
    assert messages_of(save(tmp_path, value)) == MESSAGES


@pytest.mark.parametrize("start", [b"\xef\xbb\xbf", b"\n  \t", b"\r\n"])
def test_marks_and_blanks_before_it(tmp_path: Path, start: bytes) -> None:
    path = tmp_path / "request.json"
    path.write_bytes(start + json.dumps(MESSAGES).encode())
    assert messages_of(path) == MESSAGES


def test_lone_surrogates(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "\ud83d"}]
    assert messages_of(save(tmp_path, {"messages": messages})) == messages


@pytest.mark.parametrize(
    "value",
    [
        [],
        [1, 2],
        [{"name": "no message"}],
        {"messages": {}},
        {"messages": [None]},
        {"type": "user", "messages": MESSAGES},
        {"type": "user", "message": MESSAGES[0]},
        "words",
    ],
)
def test_other_json_is_something_else(tmp_path: Path, value: object) -> None:
    assert read_plain(save(tmp_path, value)) is None


@pytest.mark.parametrize("data", [b"", b"[", b"words", b"\0\0", b'{"messages":[', b'[{"role":"user","content":NaN}]'])
def test_other_bytes_are_something_else(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    assert read_plain(path) is None


def test_what_cannot_be_read_is_none(tmp_path: Path) -> None:
    assert read_plain(tmp_path / "nowhere.json") is None
    assert read_plain(tmp_path) is None


def test_a_file_beyond_measure_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = save(tmp_path, MESSAGES)
    monkeypatch.setattr(plain, "MAX_PLAIN_BYTES", path.stat().st_size - 1)
    assert read_plain(path) is None
    monkeypatch.setattr(plain, "MAX_PLAIN_BYTES", path.stat().st_size)
    assert read_plain(path) is not None


def test_messages_hang_on_each_other_and_keep_their_bodies() -> None:
    records = list(plain_records(MESSAGES))
    assert [record["type"] for record in records] == ["user", "assistant", "user", "assistant"]
    assert [record["message"] for record in records] == MESSAGES
    assert [record["parentUuid"] for record in records] == [None, *(record["uuid"] for record in records[:-1])]


def test_junk_among_messages_keeps_its_place_and_says_nothing() -> None:
    records = list(plain_records([MESSAGES[0], 5, None, MESSAGES[1]]))
    assert [record["message"] for record in records] == [MESSAGES[0], None, None, MESSAGES[1]]


def test_no_messages_make_no_records() -> None:
    assert list(plain_records([])) == []


def test_each_assistant_message_is_a_response_of_its_own(tmp_path: Path) -> None:
    """B2: plain messages have no `message.id`."""
    pairs = [
        message
        for name in ("a", "b")
        for message in (
            {"role": "assistant", "content": [{"type": "tool_use", "id": name, "name": "Bash", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": name, "content": "x" * 40_000}]},
        )
    ]
    reading: Reading = read(save(tmp_path, pairs))
    assert grouped(reading) == [["a"]]
    assert reading.pending is not None
    assert results(reading)["a"].fate == results(reading)["b"].fate == "persisted"
    assert reading.session.agent == "plain messages"


def test_a_rewritten_file_is_read_anew(tmp_path: Path) -> None:
    path = save(tmp_path, MESSAGES[:3])
    session = open_session(path)
    assert session.refresh().pending is not None
    assert session.refresh() is session.refresh()
    save(tmp_path, MESSAGES)
    reading = session.refresh()
    assert (grouped(reading), reading.pending) == ([["t1"]], None)


def test_the_model_of_a_request_body_gives_the_window(tmp_path: Path) -> None:
    reading = read(save(tmp_path, {"model": "claude-opus-4-1[1m]", "messages": MESSAGES}))
    assert (reading.session.model, reading.context.window.size) == ("claude-opus-4-1[1m]", 1_000_000)


def test_a_file_that_goes_is_gone(tmp_path: Path) -> None:
    path = save(tmp_path, MESSAGES)
    session = open_session(path)
    assert len(session.refresh().groups) == 1
    path.unlink()
    reading = session.refresh()
    assert (reading.session.exists, list(reading.groups)) == (False, [])
    save(tmp_path, MESSAGES)
    assert len(session.refresh().groups) == 1
