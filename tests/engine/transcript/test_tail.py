"""S2: following a file that grows, and noticing when it did something else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spillscope.transcript import tail as tail_module
from spillscope.transcript.tail import Batch, Tail


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.jsonl"


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def rewrite(path: Path, data: bytes) -> None:
    """The same inode with other bytes, and a time that tells."""
    before = path.stat().st_mtime_ns
    with path.open("r+b") as file:
        file.truncate()
        file.write(data)
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))


def read_all(tail: Tail) -> list[Batch]:
    batches = [tail.read()]
    while batches[-1].more:
        batches.append(tail.read())
    return batches


def lines_of(batches: list[Batch]) -> list[bytes]:
    return [line for batch in batches for line in batch.lines]


def test_lines_come_with_the_offset_and_number_of_the_first(path: Path) -> None:
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    assert tail.read() == Batch(lines=(b"one", b"two"))
    append(path, b"three\n")
    assert tail.read() == Batch(first_offset=8, first_line=3, lines=(b"three",))


def test_nothing_new_gives_nothing(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    tail.read()
    assert tail.read() == Batch(first_offset=4, first_line=2)


def test_an_unfinished_line_waits_and_is_read_whole(path: Path) -> None:
    path.write_bytes(b"one\ntw")
    tail = Tail(path)
    assert tail.read() == Batch(lines=(b"one",), rest=b"tw")
    append(path, b"o")
    assert tail.read() == Batch(first_offset=4, first_line=2, rest=b"two")
    append(path, b"\n")
    assert tail.read() == Batch(first_offset=4, first_line=2, lines=(b"two",))


def test_a_rest_that_was_taken_is_not_read_again(path: Path) -> None:
    path.write_bytes(b"one\n{}")
    tail = Tail(path)
    tail.read()
    tail.take_rest(2)
    append(path, b" tail\nnext\n")
    assert tail.read() == Batch(first_offset=6, first_line=2, lines=(b" tail", b"next"), continues=True)
    assert tail.read().continues is False


def test_a_taken_rest_stays_open_until_its_line_ends(path: Path) -> None:
    path.write_bytes(b"{}")
    tail = Tail(path)
    tail.read()
    tail.take_rest(2)
    append(path, b" ")
    assert tail.read() == Batch(first_offset=2, rest=b" ", continues=True)
    append(path, b"\n")
    assert tail.read() == Batch(first_offset=2, lines=(b" ",), continues=True)


def test_carriage_returns_and_byte_order_marks_are_left_to_the_parser(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    assert Tail(path).read().lines == (b"\xef\xbb\xbfone\r", b"two\r")


def test_a_file_that_shrank_is_read_from_its_start(path: Path) -> None:
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    tail.read()
    rewrite(path, b"uno\n")
    assert tail.read() == Batch(restarted=True, lines=(b"uno",))


def test_a_file_that_lost_part_of_its_waiting_line_is_read_from_its_start(path: Path) -> None:
    path.write_bytes(b"one\nlong rest")
    tail = Tail(path)
    tail.read()
    rewrite(path, b"one\nlo")
    assert tail.read() == Batch(restarted=True, lines=(b"one",), rest=b"lo")


def test_a_file_put_in_its_place_is_read_from_its_start(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    tail.read()
    other = path.with_name("other")
    other.write_bytes(b"one\ntwo\n")
    other.replace(path)
    assert tail.read() == Batch(restarted=True, lines=(b"one", b"two"))


@pytest.mark.parametrize("data", [b"uno\ndos\n", b"uno\ndos\ntres\n", b"one\nTWO\nthree\n", b"ONE\ntwo\nthree\n"])
def test_a_file_rewritten_in_place_is_read_from_its_start(path: Path, data: bytes) -> None:
    path.write_bytes(b"one\ntwo\n")
    tail = Tail(path)
    tail.read()
    rewrite(path, data)
    assert tail.read() == Batch(restarted=True, lines=tuple(data.split(b"\n")[:-1]))


def test_a_rewritten_end_of_a_long_file_is_noticed(path: Path) -> None:
    """Only samples are kept: the newest bytes are one of them."""
    long = b"".join(b"%06d\n" % number for number in range(5_000))
    path.write_bytes(long)
    tail = Tail(path)
    read_all(tail)
    rewrite(path, long[:-3] + b"!!\nmore\n")
    assert tail.read().restarted


def test_an_appended_file_is_not_taken_for_a_rewritten_one(path: Path) -> None:
    path.write_bytes(b"one\n")
    tail = Tail(path)
    tail.read()
    for number in range(3):
        append(path, b"%d\n" % number)
        assert not tail.read().restarted


def test_an_empty_file_that_is_touched_is_no_other(path: Path) -> None:
    path.write_bytes(b"")
    tail = Tail(path)
    tail.read()
    rewrite(path, b"")
    assert tail.read() == Batch()


def test_a_missing_file_is_waited_for(path: Path) -> None:
    tail = Tail(path)
    assert tail.read() == Batch()
    assert (tail.exists, tail.size) == (False, 0)
    path.write_bytes(b"one\n")
    assert tail.read() == Batch(lines=(b"one",))
    assert (tail.exists, tail.size) == (True, 4)


def test_a_file_that_went_is_told_once_and_waited_for(path: Path) -> None:
    path.write_bytes(b"one\ntwo")
    tail = Tail(path)
    tail.read()
    path.unlink()
    assert tail.read() == Batch(restarted=True)
    assert tail.read() == Batch()
    assert not tail.exists
    path.write_bytes(b"new\n")
    assert tail.read() == Batch(lines=(b"new",))


def test_several_batches_number_their_lines_on(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_module, "READ_BYTES", 10)
    path.write_bytes(b"".join(b"line %d\n" % number for number in range(10)))
    batches = read_all(Tail(path))
    assert len(batches) > 3
    assert lines_of(batches) == [b"line %d" % number for number in range(10)]
    at = {batch.first_line: batch.first_offset for batch in batches if batch.lines}
    assert all(offset == 7 * (line - 1) for line, offset in at.items())


def test_a_line_longer_than_what_is_read_at_a_time_comes_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail_module, "READ_BYTES", 8)
    path.write_bytes(b"a\n" + b"x" * 1_000 + b"\nb\n")
    assert lines_of(read_all(Tail(path))) == [b"a", b"x" * 1_000, b"b"]


@pytest.mark.parametrize("read_bytes", [8, 16, 1 << 20])
def test_a_line_over_the_limit_is_passed_over(path: Path, monkeypatch: pytest.MonkeyPatch, read_bytes: int) -> None:
    monkeypatch.setattr(tail_module, "READ_BYTES", read_bytes)
    monkeypatch.setattr(tail_module, "MAX_LINE_BYTES", 32)
    path.write_bytes(b"first\n" + b"x" * 500)
    tail = Tail(path)
    batches = read_all(tail)
    append(path, b"y" * 100 + b"\nlast\n")
    batches += read_all(tail)
    assert lines_of(batches) == [b"first", b"last"]
    assert [found for batch in batches for found in batch.too_long] == [(2, 6)]
    last = next(batch for batch in batches if batch.lines == (b"last",))
    assert (last.first_line, last.first_offset) == (3, 6 + 600 + 1)


def test_no_batch_holds_more_than_a_read_and_a_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """S7: memory follows what is read at a time, not the file."""
    monkeypatch.setattr(tail_module, "READ_BYTES", 64)
    path.write_bytes(b"0123456789\n" * 1_000)
    assert max(sum(map(len, batch.lines)) + len(batch.rest) for batch in read_all(Tail(path))) <= 64
