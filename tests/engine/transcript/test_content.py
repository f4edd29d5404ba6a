"""S5, S7: reading content back from where the index says that it stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spillscope.session.session import Session
from spillscope.transcript.content import plain_text, read_content, read_record
from transcripts import Writer, lines, open_session, text


def session_of(path: Path) -> Session:
    session = open_session(path)
    session.refresh()
    return session


def contents(session: Session) -> list[object]:
    return [read_content(session.place.path, session.index, row) for row in session.index.rows]


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt()
    return writer


@pytest.mark.parametrize("content", ["", "found 日本 🎉", [text("one"), text("two")], None, 5, {"a": 1}, "lone \ud83d"])
def test_content_is_as_it_stands_in_the_file(tmp_path: Path, writer: Writer, content: object) -> None:
    writer.call("Bash", "t1", content)
    assert contents(session_of(writer.save(tmp_path))) == [content]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf", b"\n\n", b"junk\n"])
def test_wherever_the_line_begins(tmp_path: Path, writer: Writer, start: bytes, end: bytes) -> None:
    writer.call("Bash", "t1", "one")
    writer.call("Bash", "t2", "two")
    path = tmp_path / "s.jsonl"
    path.write_bytes(start + lines(writer.records).replace(b"\n", end))
    assert contents(session_of(path)) == ["one", "two"]


def test_of_several_objects_on_a_line(tmp_path: Path, writer: Writer) -> None:
    writer.call("Bash", "t1", "one")
    writer.call("Bash", "t2", "two")
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(writer.records).replace(b"\n", b" "))
    assert contents(session_of(path)) == ["one", "two"]


def test_of_a_last_line_that_grew_in_pieces(tmp_path: Path, writer: Writer) -> None:
    writer.call("Bash", "t1", "one")
    path = writer.save(tmp_path)
    session = session_of(path)
    writer.call("Bash", "t2", "two")
    pieces = [json.dumps(record).encode() for record in writer.records[-2:]]
    for piece in (pieces[0], b" ", pieces[1][:50], pieces[1][50:], b"\n"):
        with path.open("ab") as file:
            file.write(piece)
        session.refresh()
    assert contents(session) == ["one", "two"]


def test_of_a_second_block(tmp_path: Path, writer: Writer) -> None:
    blocks = [{"type": "tool_result", "tool_use_id": name, "content": name * 3} for name in ("a", "b")]
    writer.prompt([text("both:"), *blocks])
    assert contents(session_of(writer.save(tmp_path))) == ["aaa", "bbb"]


def test_of_a_plain_message(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    block = {"type": "tool_result", "tool_use_id": "a", "content": "plain"}
    path.write_text(json.dumps([{"role": "user", "content": [block]}]))
    session = session_of(path)
    assert contents(session) == ["plain"]
    path.unlink()
    assert contents(session) == [None]


def test_a_file_that_changed_gives_nothing_rather_than_other_content(tmp_path: Path, writer: Writer) -> None:
    writer.call("Bash", "t1", "mine")
    path = writer.save(tmp_path)
    session = session_of(path)
    path.write_bytes(path.read_bytes().replace(b'"u3"', b'"zz"'))
    assert contents(session) == [None]
    path.write_bytes(path.read_bytes().replace(b'"zz"', b'"u3"').replace(b'"t1"', b'"t9"'))
    assert contents(session) == [None]
    path.write_bytes(b"short")
    assert contents(session) == [None]
    path.unlink()
    assert contents(session) == [None]


def test_a_whole_record(tmp_path: Path, writer: Writer) -> None:
    writer.call("Bash", "t1", "one")
    session = session_of(writer.save(tmp_path))
    assert [read_record(session.place.path, session.index, member) for member in range(3)] == writer.records


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("words", "words"),
        ([text("one"), {"type": "image", "source": {}}, text("two"), 5], "one\n[image]\ntwo\n"),
        ([{"type": "text"}], ""),
        (None, ""),
        ({"a": 1}, ""),
    ],
)
def test_content_as_text_to_look_at(content: object, shown: str) -> None:
    assert plain_text(content) == shown
