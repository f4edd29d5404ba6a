"""S5: the messages in view as the model sees them, read back."""

from __future__ import annotations

import json
from pathlib import Path

from conversation import content_of
from spillscope.blocks import CLEARED_PLACEHOLDER
from spillscope.session.model_view import messages_in_view
from transcripts import Writer, open_session


def test_holds_what_follows_the_last_compaction_with_replacements(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt("Long ago.")
    writer.call("Bash", "t0", "gone")
    writer.boundary()
    writer.call("Grep", "t1", "x" * 50)
    writer.replace("t1", "a preview")
    writer.call("Bash", "t2", "stays")
    writer.put("attachment", {"attachment": {"type": "task_reminder"}})
    session = open_session(writer.save(tmp_path))
    session.refresh()
    found = messages_in_view(session)
    assert found[0]["subtype"] == "compact_boundary"
    assert content_of(found[1:], "t1") == "a preview"
    assert content_of(found[1:], "t2") == "stays"
    assert len(found) == 6


def test_holds_what_the_agent_cleared_as_cleared(tmp_path: Path) -> None:
    writer = Writer(version="2.1.9")
    writer.prompt()
    writer.call("Bash", "t1", "x" * 50)
    writer.put("system", {"subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": ["t1"]}})
    session = open_session(writer.save(tmp_path))
    session.refresh()
    assert content_of(messages_in_view(session)[:3], "t1") == CLEARED_PLACEHOLDER


def test_holds_plain_messages(tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "Hello."}, {"role": "assistant", "content": "Well."}]
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"model": "m", "messages": messages}))
    session = open_session(path)
    session.refresh()
    assert [record["message"] for record in messages_in_view(session)] == messages


def test_leaves_out_what_the_file_no_longer_holds(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    path = writer.save(tmp_path)
    session = open_session(path)
    session.refresh()
    path.unlink()
    assert messages_in_view(session) == []
    assert messages_in_view(open_session(path)) == []
