"""A transcript as an agent loads it to go on."""

from __future__ import annotations

from pathlib import Path

from spillscope.transcript.load import load_conversation
from transcripts import Writer, line


def uuids(path: Path) -> list[str]:
    return [message["uuid"] for message in load_conversation(path).messages]


def test_the_conversation_after_the_last_compaction(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t0", "old")
    boundary = writer.put("system", {"subtype": "compact_boundary", "logicalParentUuid": writer.last}, parent=None)
    summary = writer.prompt("So far.")
    writer.call("Bash", "t1", "new")
    found = load_conversation(writer.save(tmp_path))
    assert [message["uuid"] for message in found.messages][:2] == [boundary, summary]
    assert len(found.messages) == 4
    assert found.last == writer.last


def test_records_beside_it_and_lines_that_cannot_be_read(tmp_path: Path) -> None:
    writer = Writer()
    writer.call("Bash", "t1", "x")
    writer.replace("t1", "preview")
    writer.side({"type": "marble-origami-commit", "summaryUuid": "S"})
    writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": {}})
    path = writer.save(tmp_path)
    path.write_bytes(b"{torn\n" + path.read_bytes() + b"\0\0\n" + line([1]) + b'{"cut')
    found = load_conversation(path)
    assert [record["type"] for record in found.records] == ["content-replacement", "marble-origami-commit", "system"]
    assert len(found.messages) == 2


def test_what_was_snipped_stays_out(tmp_path: Path) -> None:
    writer = Writer()
    first = writer.prompt()
    second = writer.prompt()
    writer.put("system", {"subtype": "snip_boundary", "snipMetadata": {"removedUuids": [first]}})
    assert uuids(writer.save(tmp_path)) == [second]


def test_a_transcript_without_messages(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(b"")
    assert load_conversation(path) == ([], [], None)
