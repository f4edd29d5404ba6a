"""The content of one result: what the model got, the original, the record; and what is never opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spillscope.blocks import CLEARED_PLACEHOLDER
from spillscope.session.contents import LOOK_BYTES, Look, What, holds, look
from spillscope.session.session import Session
from transcripts import Writer, open_session, results, wrapper


def opened(writer: Writer, folder: Path) -> Session:
    session = open_session(writer.save(folder))
    session.refresh()
    return session


def at(session: Session, tool_use_id: str, what: What) -> Look:
    return look(session, results(session.refresh())[tool_use_id], what)


def spill_folder(folder: Path, writer: Writer) -> Path:
    made = folder / writer.session / "tool-results"
    made.mkdir(parents=True)
    return made


def test_a_result_in_full(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Grep", "a", "übrig\nfound")
    writer.call("Grep", "b", [{"type": "text", "text": "one"}, {"type": "image", "source": {}}])
    session = opened(writer, tmp_path)
    assert at(session, "a", "model") == Look("inline", "übrig\nfound", 12, 12)
    assert at(session, "a", "original") == Look("inline", "übrig\nfound", 12, 12)
    assert at(session, "b", "model").text == "one\n[image]"


def test_a_spilled_result_and_its_file(tmp_path: Path) -> None:
    writer = Writer()
    folder = spill_folder(tmp_path, writer)
    path = folder / "a.txt"
    path.write_bytes(b"\xff\xfe binary \x00\n" * 9_000)
    writer.prompt()
    writer.call("Bash", "a", wrapper("x" * 60_000, str(path)))
    session = opened(writer, tmp_path)
    assert str(at(session, "a", "model").text).startswith("<persisted-output>\nOutput too large")
    original = at(session, "a", "original")
    assert (original.source, original.shown, original.total, original.path) == ("file", LOOK_BYTES, 108_000, str(path))
    assert (original.real, original.preview) == (str(path.resolve()), "x" * 2_000)
    assert str(original.text).startswith("\\xff\\xfe binary \x00\n")
    path.unlink()
    assert at(session, "a", "original") == Look("missing", path=str(path))


@pytest.mark.parametrize("where", ["secret.txt", "linked.txt", "pipe.txt"])
def test_nothing_outside_is_opened(tmp_path: Path, where: str) -> None:
    writer = Writer()
    project = tmp_path / "project"
    folder = spill_folder(project, writer)
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    path = {"secret.txt": secret, "linked.txt": folder / "linked.txt", "pipe.txt": project / "x" / ".." / ".." / "secret.txt"}[
        where
    ]
    if where == "linked.txt":
        path.symlink_to(secret)
    writer.prompt()
    writer.call("Bash", "a", wrapper("x" * 60_000, str(path)))
    found = at(opened(writer, project), "a", "original")
    assert (found.source, found.text) == ("outside", None)


def test_a_session_that_was_moved_without_a_file(tmp_path: Path) -> None:
    writer = Writer()
    named = f"/home/before/projects/-w/{writer.session}/tool-results/a.txt"
    writer.prompt()
    writer.call("Bash", "a", wrapper("x" * 60_000, named))
    assert at(opened(writer, tmp_path), "a", "original") == Look("moved", path=named)


def test_the_local_copy_stands_in_where_its_size_fits(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    for name, local in (("a", "y" * 60_000), ("b", "y" * 70_000)):
        writer.say({"type": "tool_use", "id": name, "name": "Bash", "input": {}}, usage=10)
        writer.result(name, wrapper("y" * 60_000), {"stdout": local, "stderr": ""})
    session = opened(writer, tmp_path)
    assert at(session, "a", "original") == Look("local", "y" * 60_000, 60_000, 60_000, preview="y" * 2_000)
    assert at(session, "b", "original").source == "outside"


def test_what_was_replaced_cleared_or_empty(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "a", "z" * 900)
    writer.replace("a", "first")
    writer.replace("a", wrapper("z" * 900))
    writer.call("Bash", "b", "")
    writer.call("Bash", "c", CLEARED_PLACEHOLDER)
    writer.say(usage=10)
    session = opened(writer, tmp_path)
    preview = wrapper("z" * 900)
    assert at(session, "a", "model") == Look("replacement", preview, len(preview), len(preview))
    assert at(session, "a", "original") == Look("inline", "z" * 900, 900, 900, preview="z" * 900)
    assert at(session, "b", "model").text == "(Bash completed with no output)"
    assert at(session, "c", "model").text == CLEARED_PLACEHOLDER
    assert at(session, "c", "original").source == "unknown"


def test_a_pending_result_that_would_be_replaced(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "../a", "w" * 60_000)
    found = at(opened(writer, tmp_path), "../a", "model")
    assert found.source == "would be"
    assert f"{writer.session}/tool-results/a.txt" in str(found.text)


def test_a_record_is_cut_where_it_is_long(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "a", "v" * 50_000)
    writer.call("Bash", "b", [{"type": "text", "text": f"piece {number}"} for number in range(9_000)])
    session = opened(writer, tmp_path)
    record = str(at(session, "a", "record").text)
    assert "⟨48,002 more characters⟩" in record
    assert len(record) < 4_000
    many = at(session, "b", "record")
    assert str(many.text).endswith("… cut here")
    assert len(str(many.text)) < LOOK_BYTES + 100


def test_a_rewritten_file_is_told_as_gone(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "a", "one")
    session = opened(writer, tmp_path)
    result = results(session.refresh())["a"]
    session.place.path.write_text(json.dumps({"type": "user"}) + "\n")
    whats: tuple[What, ...] = ("model", "original", "record")
    assert {look(session, result, what).source for what in whats} == {"gone"}
    session.index.clear()
    assert look(session, result, "model").source == "gone"
    assert not holds(session, result.row, "one")


def test_searching_reads_the_text_and_the_spill_file(tmp_path: Path) -> None:
    writer = Writer()
    folder = spill_folder(tmp_path, writer)
    (folder / "b.txt").write_text("the Needle in a file")
    writer.prompt()
    writer.call("Bash", "a", "a NEEDLE here")
    writer.call("Bash", "b", wrapper("x" * 60_000, str(folder / "b.txt")))
    writer.call("Bash", "c", wrapper("x" * 60_000, "/etc/hostname"))
    session = opened(writer, tmp_path)
    rows = {name: result.row for name, result in results(session.refresh()).items()}
    assert [holds(session, rows[name], "needle") for name in "abc"] == [True, True, False]


def test_an_original_in_the_transcript_is_there_in_full(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "a", "v" * (2 * LOOK_BYTES))
    writer.say(usage=10)
    session = opened(writer, tmp_path)
    assert at(session, "a", "original").shown == 2 * LOOK_BYTES
    assert at(session, "a", "model").shown == LOOK_BYTES
