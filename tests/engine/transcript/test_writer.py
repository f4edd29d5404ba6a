"""What the writer appends, our own reader reads back, also while it is being written."""

from __future__ import annotations

import itertools
import json
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from spillscope.budget.state import Replacement
from spillscope.session.sidechains import sub_agents
from spillscope.transcript.load import load_conversation
from spillscope.transcript.writer import Author, TranscriptWriter
from transcripts import grouped, open_session, read, results, text, use, wrapper

SESSION = "11111111-2222-4333-8444-555555555555"


def writer(folder: Path) -> TranscriptWriter:
    numbers = itertools.count(1)
    return TranscriptWriter(
        folder / "projects" / "-srv-app" / f"{SESSION}.jsonl",
        Author(SESSION, "/srv/app", git_branch="main"),
        new_uuid=lambda: f"u{next(numbers)}",
        now=lambda: datetime(2026, 1, 2, 3, 4, 5, 678_900, tzinfo=UTC),
    )


def response(message_id: str, *blocks: dict[str, Any], tokens: int = 1_000) -> dict[str, Any]:
    usage = {"input_tokens": tokens, "output_tokens": 10}
    return {"id": message_id, "role": "assistant", "model": "claude-sonnet-4-5", "content": list(blocks), "usage": usage}


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_record_is_one_of_claude_codes(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    assert made.block(response("m1"), use("Bash", "t1"), "req_1") == lines_of(made.path)[1]
    assert lines_of(made.path)[1] == {
        "parentUuid": "u1",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/srv/app",
        "sessionId": SESSION,
        "version": "2.1.220",
        "gitBranch": "main",
        "type": "assistant",
        "message": {**response("m1"), "content": [use("Bash", "t1")]},
        "requestId": "req_1",
        "uuid": "u2",
        "timestamp": "2026-01-02T03:04:05.678Z",
    }
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert made.path.parent.stat().st_mode & 0o777 == 0o700


def test_parallel_calls_and_split_responses_are_read_back_in_order(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    made.response(response("m1", text("I look."), use("Grep", "t1"), use("Bash", "t2"), use("Read", "t3")))
    made.result("t2", "b" * 20, is_error=False, local={"stdout": "b" * 20})
    made.result("t1", "a" * 10)
    made.result("t3", [{"type": "text", "text": "c" * 30}])
    first = response("m2", use("Bash", "t4"), use("Bash", "t5"), tokens=2_000)
    made.block(first, use("Bash", "t4"))
    made.result("t4", "d")
    made.block(first, use("Bash", "t5"))
    made.result("t5", "e")
    reading = read(made.path)
    assert grouped(reading) == [["t2", "t1", "t3"]]
    assert reading.pending is not None
    assert [found.row.tool_use_id for found in reading.pending.results] == ["t4", "t5"]
    assert [found.row.tool for found in results(reading).values()] == ["Bash", "Grep", "Read", "Bash", "Bash"]
    assert [request.assistant_id for request in reading.requests] == ["m1", "m2"]
    assert not reading.session.bridged
    assert not reading.session.skipped_lines
    parents = {record["uuid"]: record["parentUuid"] for record in lines_of(made.path)}
    assert [parents[uuid] for uuid in ("u6", "u7", "u8")] == ["u4", "u3", "u5"]


def test_replacements_compactions_and_asides_are_read_back(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    made.response(response("m1", use("Grep", "t1")))
    made.result("t1", "a" * 10_000)
    made.sink()([Replacement("t1", wrapper("a" * 10_000))])
    made.response(response("m2", text("Well.")))
    made.aside("ai-title", aiTitle="A title")
    boundary, summary = made.compaction("So far.", 150_000, 2_000)
    assert (boundary["parentUuid"], summary["parentUuid"]) == (None, boundary["uuid"])
    made.response(response("m3", use("Bash", "t2"), tokens=2_000))
    made.result("t2", "b")
    reading = read(made.path)
    assert results(reading)["t1"].observed == "replaced"
    (compaction,) = reading.session.compactions
    assert (compaction.trigger, compaction.pre_tokens, compaction.post_tokens) == ("auto", 150_000, 2_000)
    assert reading.live_from == 1
    assert lines_of(made.path)[-5]["type"] == "ai-title"
    assert dict(reading.session.unknown_types) == {}


def test_what_a_compaction_kept_is_read_back_as_in_the_context(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    made.response(response("m1", use("Grep", "t1")))
    made.result("t1", "a")
    kept = [
        *made.response(response("m2", use("Grep", "t2"), use("Grep", "t3"))),
        made.result("t2", "b"),
        made.result("t3", "c"),
    ]
    boundary, summary = made.compaction("So far.", 150_000, 2_000, kept=kept)
    segment = boundary["compactMetadata"]["preservedSegment"]
    assert segment == {"headUuid": kept[0]["uuid"], "anchorUuid": summary["uuid"], "tailUuid": kept[-1]["uuid"]}
    following = made.response(response("m3", text("Well."), tokens=2_000))
    assert following[0]["parentUuid"] == kept[-1]["uuid"]
    conversation = load_conversation(made.path)
    uuids = [message["uuid"] for message in (boundary, summary, *kept, *following)]
    assert [message["uuid"] for message in conversation.messages] == uuids
    reading = read(made.path)
    assert [reading.is_live(group) for group in reading.groups] == [False, True]


def test_what_microcompaction_cleared_is_read_back(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    made.response(response("m1", use("Grep", "t1")))
    made.result("t1", "a" * 100)
    made.response(response("m2", use("Grep", "t2")))
    made.result("t2", "b")
    told = made.microcompaction(["t1"], 1_000, 34)
    assert made.last == told["uuid"]
    made.response(response("m3", text("Well.")))
    reading = read(made.path)
    assert [results(reading)[name].observed for name in ("t1", "t2")] == ["cleared", "inline"]
    assert dict(reading.session.unknown_types) == {}


def test_a_clear_begins_anew_in_the_same_file(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    made.response(response("m1", use("Grep", "t1")))
    made.result("t1", "a")
    made.response(response("m2", text("Well."), tokens=5_000))
    made.clear()
    made.prompt("Something else.")
    made.response(response("m3", text("Well."), tokens=2_000))
    reading = read(made.path)
    assert [request.segment for request in reading.requests] == [0, 0, 1]
    assert (reading.context.tokens, reading.live_from) == (2_010, 1)


def test_a_sidechain_has_a_file_of_its_own(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    made.response(response("m1", use("Agent", "t1")))
    side = made.sidechain("a0123456789abcdef")
    side.prompt("Look around.")
    side.response(response("s1", use("Grep", "t2")))
    side.result("t2", "found")
    side.sink()([Replacement("t2", "gone")])
    made.result("t1", [{"type": "text", "text": "It is there."}])
    assert side.path == made.path.with_suffix("") / "subagents" / "agent-a0123456789abcdef.jsonl"
    first, *_, last = lines_of(side.path)
    assert (first["isSidechain"], first["agentId"], first["sessionId"]) == (True, "a0123456789abcdef", SESSION)
    assert (last["type"], last["agentId"]) == ("content-replacement", "a0123456789abcdef")
    session = open_session(made.path)
    session.refresh()
    assert [(agent.agent_id, agent.records) for agent in sub_agents(session)] == [("a0123456789abcdef", 4)]


def test_a_writer_goes_on_after_a_crash_in_the_middle_of_a_line(tmp_path: Path) -> None:
    made = writer(tmp_path)
    first = made.prompt("Go on.")
    with made.path.open("ab") as file:
        file.write(b'{"type":"user","uuid":"half')
    again = TranscriptWriter(made.path, made.author, last=first["uuid"])
    again.response(response("m1", use("Bash", "t1")))
    reading = read(made.path)
    assert len(reading.requests) == 1
    assert len(reading.session.skipped_lines) == 1


def test_what_was_not_written_is_no_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    made.response(response("m1", use("Bash", "t1")))

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            made.result("t1", "lost")
    assert made.last == "u2"
    assert made.result("t1", "kept")["parentUuid"] == "u2"
    assert read(made.path).pending is not None


def test_a_reader_beside_the_writer_never_sees_a_torn_line(tmp_path: Path) -> None:
    made = writer(tmp_path)
    made.prompt("Go on.")
    ended = threading.Event()
    content = "größer als ein Block 🪣 \ud800\n" * 20_000

    def write() -> None:
        try:
            for number in range(30):
                made.response(response(f"m{number}", text("Well."), use("Bash", f"t{number}")))
                made.result(f"t{number}", content[: 1_000 * (number % 7) ** 3])
        finally:
            ended.set()

    session = open_session(made.path)
    thread = threading.Thread(target=write)
    thread.start()
    seen: list[int] = []
    while not ended.is_set():
        reading = session.refresh()
        assert not reading.session.skipped_lines
        assert not reading.session.bridged
        seen.append(reading.session.records)
    thread.join()
    reading = session.refresh()
    assert seen == sorted(seen)
    assert reading.session.records == 1 + 3 * 30
    cold = read(made.path)
    assert (list(reading.groups), reading.pending) == (list(cold.groups), cold.pending)
