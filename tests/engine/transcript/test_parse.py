"""S2: what one line gives, and what it is listed for."""

from __future__ import annotations

import pytest

from spillscope.transcript.parse import NO_OBJECT, SEVERAL, TOO_DEEP, Parsed, parse_line, parse_unfinished

DEEP = b'{"a":' * 3_000 + b"1" + b"}" * 3_000


@pytest.mark.parametrize("line", [b'{"a":1}', b'  {"a":1} \r', b'\t{"a":1}\r'])
def test_one_object_is_a_record(line: bytes) -> None:
    assert parse_line(line) == Parsed([{"a": 1}], None)


@pytest.mark.parametrize("line", [b"", b"   ", b"\r", b"\t \r"])
def test_a_blank_line_is_nothing(line: bytes) -> None:
    assert parse_line(line) == Parsed([], None)


@pytest.mark.parametrize("line", [b"[]", b"1", b'"words"', b"null", b"true", b'[{"a":1}]'])
def test_json_that_is_no_object_is_listed(line: bytes) -> None:
    assert parse_line(line) == Parsed([], NO_OBJECT)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a":\0\0}', "NUL bytes"),
        (b"\0\0\0\0", "NUL bytes"),
        (b'{"a":"\xff\xfe"}', "not UTF-8"),
        (b'{"a":"\xed\xa0\x80"}', "not UTF-8"),
        (b'{"a":NaN}', "NaN is no JSON"),
        (b'{"a":-Infinity}', "-Infinity is no JSON"),
        (b'{"a":"cut in the mid', "cut short"),
        (b'{"a":{"b":1', "cut short"),
        (DEEP, TOO_DEEP),
    ],
)
def test_a_line_that_does_not_parse_says_why(line: bytes, reason: str) -> None:
    assert parse_line(line) == Parsed([], reason)


@pytest.mark.parametrize("line", [b"words", b"{'a': 1}", b'{"a" 1}', b'{"a":1,}', b"1" * 5_000])
def test_other_junk_gives_no_record_and_a_reason(line: bytes) -> None:
    records, reason = parse_line(line)
    assert records == []
    assert reason


def test_lone_surrogates_are_legal() -> None:
    assert parse_line(rb'{"a":"\ud83d and \udc00"}') == Parsed([{"a": "\ud83d and \udc00"}], None)


def test_a_lone_surrogate_beside_nan_is_still_no_json() -> None:
    assert parse_line(rb'{"a":"\ud83d","b":NaN}').records == []


@pytest.mark.parametrize(
    ("line", "records"),
    [
        (b'{"a":1}{"b":2}', [{"a": 1}, {"b": 2}]),
        (b'{"a":1} \t{"b":2}\r', [{"a": 1}, {"b": 2}]),
        (b'{"a":1}{"b":2}{"c":3}', [{"a": 1}, {"b": 2}, {"c": 3}]),
        (b'{"a":1} 5', [{"a": 1}]),
        (b'5 {"a":1}', [{"a": 1}]),
        (b'{"a":1}{"b":', [{"a": 1}]),
        (b'{"a":1} words', [{"a": 1}]),
        (b'{"a":1}{"b":NaN}', [{"a": 1}]),
        (b'{"a":1}{"b":"\xff"}', [{"a": 1}]),
    ],
)
def test_what_else_stands_on_a_line_is_listed_and_its_objects_are_read(line: bytes, records: list[object]) -> None:
    assert parse_line(line) == Parsed(records, SEVERAL)  # type: ignore[arg-type]


def test_an_object_before_one_that_is_too_deep_is_read() -> None:
    assert parse_line(b'{"a":1}' + DEEP).records == [{"a": 1}]


class TestUnfinished:
    """A last line without its end."""

    @pytest.mark.parametrize("rest", [b'{"a":1}', b'{"a":"\\ud83d"}', '{"a":"日本"}'.encode()])
    def test_is_read_as_soon_as_it_is_an_object(self, rest: bytes) -> None:
        records, taken = parse_unfinished(rest)
        assert (len(records), taken) == (1, len(rest))

    @pytest.mark.parametrize(
        "rest", [b"", b" ", b'{"a":1', b'{"a":{"b":1}', b"5", b"[1]", b"[{}]", b"null", b"words}", b'{"a":NaN}', DEEP]
    )
    def test_waits_until_it_is_one(self, rest: bytes) -> None:
        assert parse_unfinished(rest) == ([], 0)

    def test_gives_what_is_complete_and_leaves_the_rest(self) -> None:
        assert parse_unfinished(b'{"a":1} {"b":2} {"c"') == ([{"a": 1}, {"b": 2}], 15)

    def test_counts_in_bytes(self) -> None:
        whole = '{"a":"日本🎉"}'.encode()
        assert parse_unfinished(whole + b"{") == ([{"a": "日本🎉"}], len(whole))

    def test_a_character_cut_in_half_waits(self) -> None:
        whole = '{"a":1}{"b":"日'.encode()
        assert parse_unfinished(whole[:-1]) == ([{"a": 1}], 7)

    def test_broken_bytes_are_not_read_past(self) -> None:
        """A line that is refused when it ends must not be taken before it does."""
        assert parse_unfinished(b'{"a":"\xff"}') == ([], 0)
        assert parse_unfinished(b'{"a":1}{"b":"\xff"}') == ([{"a": 1}], 7)
