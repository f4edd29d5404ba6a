"""Segments, rows, pages and line numbers, each against a plain model of the whole text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope_app.spans import Line, width_of
from spillscope_app.viewer import lines as lines_module
from spillscope_app.viewer import text as text_module
from spillscope_app.viewer.blob import Memory
from spillscope_app.viewer.body import Body, Segment, decoded, rows_of
from spillscope_app.viewer.hexdump import Hex, is_binary
from spillscope_app.viewer.lines import LineNumbers
from spillscope_app.viewer.pager import Pager, nothing_found
from spillscope_app.viewer.text import Text

BLOCK = 8


@pytest.fixture(autouse=True, scope="module")
def _small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "BLOCK", BLOCK)
        patch.setattr(lines_module, "STEP", BLOCK)
        yield


def texts() -> st.SearchStrategy[bytes]:
    """Short lines, long lines, characters of every length, and bytes that are none."""
    pieces = st.sampled_from(
        [b"\n", b"\r\n", b"a", b"word ", b"x" * 20, "é".encode(), "漢".encode(), "👩".encode(), b"\xff", b"\x80"]
    )
    return st.lists(pieces, max_size=40).map(b"".join)


def walk(body: Body) -> list[Segment]:
    segments, at = [], 0
    while at < body.blob.size:
        segments.append(body.segment(at, nothing_found))
        assert segments[-1].end > at
        at = segments[-1].end
    return segments


def drawn(spans: Line) -> str:
    return "".join(span.text for span in spans)


@given(data=texts(), rule=st.integers(0, 40))
def test_segments_join_to_the_bytes_and_are_found_from_anywhere(data: bytes, rule: int) -> None:
    body = Text(Memory(data), rule if rule < len(data) else 0)
    segments = walk(body)
    assert [segment.at for segment in segments[1:]] == [segment.end for segment in segments[:-1]]
    for segment in segments:
        assert {body.floor(at) for at in range(segment.at, segment.end)} == {segment.at}
        assert segment.end - segment.at < 2 * BLOCK + 4
        assert segment.starts == (segment.at == 0 or data[segment.at - 1 : segment.at] == b"\n")
    furthest = rule + 3  # a character is no longer, whatever follows it
    while 0 < rule < min(furthest, len(data)) and data[rule] & 0xC0 == 0x80:
        rule += 1
    ruled = [segment.at for segment in segments if segment.ruled]
    assert ruled == ([rule] if 0 < rule < len(data) else [])


@given(st.lists(st.text("ab é", max_size=4), max_size=20))
def test_a_line_that_is_no_longer_than_a_block_is_one_segment(rows: list[str]) -> None:
    data = "".join(f"{row}\n" for row in rows).encode()
    assert [drawn(segment.pieces) for segment in walk(Text(Memory(data)))] == rows


@given(texts())
def test_a_cut_never_goes_through_a_character(data: bytes) -> None:
    whole = data.replace(b"\r\n", b"\n").replace(b"\xff", b"").replace(b"\x80", b"").decode("utf-8")
    body = Text(Memory(whole.encode()))
    assert "".join(drawn(segment.pieces) for segment in walk(body)) == whole.replace("\n", "")


@given(data=texts(), at=st.integers(0, 60))
def test_line_numbers(data: bytes, at: int) -> None:
    numbers = LineNumbers(Memory(data))
    assert numbers.number(len(data)) is None or len(data) < BLOCK
    numbers.count(lambda: False)
    assert numbers.complete
    assert numbers.total == len(data.splitlines()) == len(data.split(b"\n")) - (data.endswith(b"\n") or not data)
    assert numbers.number(min(at, len(data))) == data[: min(at, len(data))].count(b"\n") + 1


def test_counting_stops_when_it_is_told_to_and_goes_on() -> None:
    numbers = LineNumbers(Memory(b"line\n" * 100))
    answers = iter([False, False, True])
    numbers.count(lambda: next(answers))
    assert (numbers.counted, numbers.total) == (2 * BLOCK, None)
    numbers.count(lambda: False)
    assert numbers.total == 100


@given(data=texts(), width=st.integers(1, 30))
def test_rows_hold_all_of_a_line_and_fit(data: bytes, width: int) -> None:
    pieces = decoded(data, 0, [(2, 4), (7, 9)])
    rows = rows_of(pieces, width)
    assert "".join(map(drawn, rows)) == drawn(pieces)
    assert all(width_of(row) <= max(2, width) for row in rows)
    assert [span for row in rows for span in row if span.ink == "pick" and not span.text] == []


@given(data=texts(), moves=st.lists(st.integers(-9, 9), max_size=6), height=st.integers(1, 7), width=st.integers(2, 9))
def test_a_page_is_a_window_over_all_rows(data: bytes, moves: list[int], height: int, width: int) -> None:
    body = Text(Memory(data))
    rows = [drawn(row) for segment in walk(body) for row in rows_of(segment.pieces, width)]
    pager = Pager(body)
    pager.resize(width, height)
    top = 0
    for move in moves:
        pager.move(move)
        top = max(0, min(top + move, len(rows) - height))
        assert [drawn(row.spans) for row in pager.page()] == rows[top : top + height]
    pager.to_end()
    assert [drawn(row.spans) for row in pager.page()] == rows[-height:]


def test_an_offset_in_a_long_line_is_brought_into_view() -> None:
    data = b"short\n" * 50 + b"-" * 40 + b"needle" + b"-" * 400
    pager = Pager(Text(Memory(data)))
    pager.resize(10, 6)
    pager.reveal(data.index(b"needle"))
    assert any("needle" in drawn(row.spans) or "need" in drawn(row.spans) for row in pager.page())


def test_what_is_binary_and_how_it_looks() -> None:
    assert is_binary(Memory(b"text\0"))
    assert is_binary(Memory("text".encode("utf-16")))
    assert is_binary(Memory(bytes(range(128, 256))))
    assert not is_binary(Memory("漢字 and \x1b[31m".encode() * 900))
    assert not is_binary(Memory(b""))
    rows = [drawn(segment.pieces) for segment in walk(Hex(Memory(b"\x1b[2J 0123456789abcdef")))]
    assert rows == [
        "0000000000  1b 5b 32 4a 20 30 31 32  33 34 35 36 37 38 39 61  ·[2J 0123456789a",
        "0000000010  62 63 64 65 66                                    bcdef",
    ]
