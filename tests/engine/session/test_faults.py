"""Real faults: what a disk and other programs do to files while they are watched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillscope.session.reading import Reading
from spillscope.session.report import sections
from spillscope.session.session import Session
from spillscope.session.spills import list_spills
from spillscope.session.write import write_sections
from transcripts import Writer, grouped, line, lines, open_session, read, results, use, wrapper


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", "one")
    writer.call("Bash", "t2", "two")
    return writer


def reasons(reading: Reading) -> list[tuple[int, int, str]]:
    return [(skipped.line, skipped.offset, skipped.reason) for skipped in reading.session.skipped_lines]


def report(session: Session) -> bytes:
    return b"".join(write_sections(sections(session, session.refresh())))


class TestTheTranscript:
    def test_vanishes_and_comes_back(self, tmp_path: Path, writer: Writer) -> None:
        path = writer.save(tmp_path)
        session = open_session(path)
        before = session.refresh()
        path.unlink()
        gone = session.refresh()
        assert (gone.session.exists, gone.session.records, list(gone.groups), gone.pending) == (False, 0, [], None)
        assert gone.version > before.version
        assert session.refresh() is gone
        assert grouped(before) == [["t1"]]
        writer.save(tmp_path)
        assert grouped(session.refresh()) == [["t1"]]

    def test_is_waited_for(self, tmp_path: Path, writer: Writer) -> None:
        session = open_session(tmp_path / f"{writer.session}.jsonl")
        assert session.refresh().session.exists is False
        writer.save(tmp_path)
        assert session.refresh().session.records == 5

    def test_becomes_a_directory_and_a_file_again(self, tmp_path: Path, writer: Writer) -> None:
        path = writer.save(tmp_path)
        session = open_session(path)
        before = session.refresh()
        path.unlink()
        path.mkdir()
        with pytest.raises(OSError, match="directory"):
            session.refresh()
        path.rmdir()
        writer.save(tmp_path)
        assert list(session.refresh().groups) == list(before.groups)

    def test_becomes_a_pipe_that_nobody_writes_to(self, tmp_path: Path, writer: Writer) -> None:
        path = writer.save(tmp_path)
        session = open_session(path)
        session.refresh()
        path.unlink()
        os.mkfifo(path)
        with pytest.raises(OSError, match="regular file"):
            session.refresh()

    def test_names_the_messages_whose_parent_is_lost(self, tmp_path: Path, writer: Writer) -> None:
        lost = writer.records[2]["uuid"]
        orphan = next(record["uuid"] for record in writer.records if record["parentUuid"] == lost)
        del writer.records[2]
        assert read(writer.save(tmp_path)).session.bridged == (orphan,)

    def test_a_list_of_plain_messages_is_waited_for_until_it_is_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "messages.json"
        whole = b'[{"role": "user", "content": "Go on."}]'
        path.write_bytes(whole[:20])
        session = open_session(path)
        assert session.refresh().session.records == 0
        path.write_bytes(whole)
        assert session.refresh().session.records == 1

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_may_not_be_read(self, tmp_path: Path, writer: Writer) -> None:
        path = writer.save(tmp_path)
        path.chmod(0)
        with pytest.raises(PermissionError):
            open_session(path).refresh()

    def test_is_replaced_by_a_shorter_one(self, tmp_path: Path, writer: Writer) -> None:
        path = writer.save(tmp_path)
        session = open_session(path)
        session.refresh()
        path.write_bytes(lines(writer.records[:2]))
        assert session.refresh().session.records == 2
        assert session.refresh().pending is None

    def test_is_empty(self, tmp_path: Path) -> None:
        path = tmp_path / "s.jsonl"
        path.write_bytes(b"")
        reading = read(path)
        assert (reading.session.exists, reading.session.records, reading.session.bytes) == (True, 0, 0)
        assert (reading.context.tokens, reading.totals.results, reading.pending) == (0, 0, None)

    @pytest.mark.parametrize("name", ["s.jsonl", "s.json", "s"])
    def test_is_no_text_at_all(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / name
        path.write_bytes(bytes(range(256)) * 50)
        reading = read(path)
        assert reading.session.records == 0
        assert len(reading.session.skipped_lines) == 50
        assert reading.session.bytes == 12_800


class TestALine:
    def test_torn_at_the_end_waits(self, tmp_path: Path, writer: Writer) -> None:
        path = tmp_path / "s.jsonl"
        whole = lines(writer.records)
        for cut in range(len(whole) - len(line(writer.records[-1])) + 1, len(whole) - 1):
            path.write_bytes(whole[:cut])
            reading = read(path)
            assert reading.session.records == 4
            assert reasons(reading) == []
        path.write_bytes(whole[:-1])
        assert read(path).session.records == 5

    @pytest.mark.parametrize(
        ("bad", "reason"),
        [
            (b'{"type":"user","uuid":"u', "cut short"),
            (b"\0" * 40, "NUL bytes"),
            (b'{"type":"\xff"}', "not UTF-8"),
            (b'{"type":NaN}', "NaN is no JSON"),
            (b'["no","object"]', "no JSON object"),
            (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, "nested too deep"),
        ],
    )
    def test_bad_in_the_middle_costs_that_line_only(self, tmp_path: Path, writer: Writer, bad: bytes, reason: str) -> None:
        path = tmp_path / "s.jsonl"
        first = lines(writer.records[:3])
        path.write_bytes(first + bad + b"\n" + lines(writer.records[3:]))
        reading = read(path)
        assert reasons(reading) == [(4, len(first), reason)]
        assert reading.session.records == 5
        assert set(results(reading)) == {"t1", "t2"}

    def test_lost_from_the_middle_is_bridged(self, tmp_path: Path, writer: Writer) -> None:
        path = tmp_path / "s.jsonl"
        path.write_bytes(lines(writer.records[:3]) + b"\0\0\0\n" + lines(writer.records[4:]))
        reading = read(path)
        assert set(results(reading)) == {"t1", "t2"}

    @pytest.mark.parametrize(
        "bad", [b'{"a":1}{"type":"\xff"}', b'{"a":1} words', b'{"a":1}{"b":', b'{"a":1}\0\0', b'{"a":"\xff"}']
    )
    def test_that_ends_badly_reads_the_same_however_it_came(self, tmp_path: Path, bad: bytes) -> None:
        path = tmp_path / "s.jsonl"
        for cut in range(len(bad) + 1):
            path.write_bytes(bad[:cut])
            live = open_session(path)
            live.refresh()
            with path.open("ab") as file:
                file.write(bad[cut:] + b"\n")
            live.refresh()
            cold = read(path)
            assert live.refresh().session.records == cold.session.records
            assert reasons(live.refresh()) == reasons(cold)

    def test_over_the_limit_is_listed_and_passed_over(
        self, tmp_path: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("spillscope.transcript.tail.MAX_LINE_BYTES", 5_000)
        monkeypatch.setattr("spillscope.transcript.tail.READ_BYTES", 1_000)
        path = tmp_path / "s.jsonl"
        first = lines(writer.records[:3])
        path.write_bytes(first + b"x" * 20_000 + b"\n" + lines(writer.records[3:]))
        reading = read(path)
        assert reasons(reading) == [(4, len(first), "line too long")]
        assert set(results(reading)) == {"t1", "t2"}


class TestASpillFile:
    def test_deleted_between_readings(self, tmp_path: Path) -> None:
        writer = Writer()
        writer.prompt()
        spill = tmp_path / writer.session / "tool-results" / "t1.txt"
        spill.parent.mkdir(parents=True)
        spill.write_text("x" * 60_000)
        writer.call("Bash", "t1", wrapper("x" * 60_000, str(spill)))
        path = writer.save(tmp_path)
        session = open_session(path)
        reading = session.refresh()
        assert [found.file.exists for found in list_spills(session, reading)] == [True]
        spill.unlink()
        assert [found.file.exists for found in list_spills(session, session.refresh())] == [False]
        assert b'"exists":false' in report(session)
        assert results(read(path))["t1"].row.chars_source == "header"

    def test_that_is_a_folder_is_not_there(self, tmp_path: Path) -> None:
        writer = Writer()
        writer.prompt()
        spill = tmp_path / writer.session / "tool-results" / "t1.txt"
        spill.mkdir(parents=True)
        writer.call("Bash", "t1", wrapper("x" * 60_000, str(spill)))
        session = open_session(writer.save(tmp_path))
        assert [found.file.exists for found in list_spills(session, session.refresh())] == [False]


class TestASubAgent:
    @pytest.fixture
    def folder(self, tmp_path: Path, writer: Writer) -> Path:
        folder = tmp_path / writer.session / "subagents"
        folder.mkdir(parents=True)
        writer.save(tmp_path)
        return folder

    def test_that_cannot_be_read_does_not_take_the_report_with_it(
        self, tmp_path: Path, folder: Path, writer: Writer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (folder / "agent-a1.jsonl").write_bytes(line({"type": "user"}))
        (folder / "agent-a2.jsonl").write_bytes(line({"type": "user"}))
        opened = Path.open

        def refuse(path: Path, *words: object, **options: object) -> object:
            if path.name == "agent-a1.jsonl":
                raise PermissionError(13, "Permission denied", str(path))
            return opened(path, *words, **options)  # type: ignore[call-overload]

        monkeypatch.setattr(Path, "open", refuse)
        text = report(open_session(tmp_path / f"{writer.session}.jsonl"))
        assert b'"agentId":"a2"' in text
        assert text.endswith(b"}\n")

    def test_that_is_a_folder_or_a_dead_link_is_none(self, tmp_path: Path, folder: Path, writer: Writer) -> None:
        (folder / "agent-a1.jsonl").mkdir()
        (folder / "agent-a2.jsonl").symlink_to(folder / "nowhere")
        assert b'"sidechains":[]' in report(open_session(tmp_path / f"{writer.session}.jsonl"))

    def test_that_is_binary_is_listed_without_records(self, tmp_path: Path, folder: Path, writer: Writer) -> None:
        (folder / "agent-a1.jsonl").write_bytes(b"\0\xff\n" * 9)
        assert b'"records":0' in report(open_session(tmp_path / f"{writer.session}.jsonl"))


def test_a_time_that_no_calendar_has_is_not_shown(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt(timestamp="0001-01-01T00:00:00+14:00")
    writer.say(use("Bash", "t1"), timestamp="9999-12-31T23:59:59.9999-14:00")
    assert b'"started":null' in report(open_session(writer.save(tmp_path)))
