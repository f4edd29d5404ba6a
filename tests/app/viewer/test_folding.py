"""JSON laid out and folded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope_app.viewer.body import Segment
from spillscope_app.viewer.folding import Folded, NotFoldableError, lay_out
from spillscope_app.viewer.pager import nothing_found

BLOCKS = [{"type": "text", "text": "one\ntwo \x1b[2J\n"}, {"type": "text", "text": "short"}]


def walk(body: Folded) -> list[Segment]:
    segments, at = [], 0
    while at < body.blob.size:
        segments.append(body.segment(at, nothing_found))
        at = segments[-1].end
    return segments


def shown(body: Folded) -> list[str]:
    return [segment.mark + "".join(span.text for span in segment.pieces) for segment in walk(body)]


def test_a_list_of_blocks_stands_there_as_its_texts() -> None:
    body = Folded(lay_out(json.dumps(BLOCKS).encode()))
    assert shown(body) == [
        "▾ [",
        "▾   {",
        '      "type": "text",',
        '▾     "text": ',
        "        one",
        "        two ␛[2J",
        "    },",
        "▾   {",
        '      "type": "text",',
        '      "text": "short"',
        "    }",
        "  ]",
    ]


def test_parts_close_and_open_and_what_is_looked_for_opens_them() -> None:
    body = Folded(lay_out(json.dumps(BLOCKS).encode()))
    text = body.blob.read(0, 9_999)
    body.close_all(True)
    assert shown(body) == ["▾ [", "▸   { … 5 lines", "▸   { … 3 lines", "  ]"]
    assert body.floor(text.index(b"two")) == text.index(b"  {")
    assert body.reveal(text.index(b"two"))
    assert shown(body)[3:5] == ['▾     "text": ', "        one"]
    assert body.around(text.index(b"two")) == text.index(b'    "text"')
    assert not body.toggle(text.index(b"two"))
    assert body.toggle(0)
    assert shown(body) == ["▸ [ … 11 lines"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text('ab\n\t"é漢\x1b', max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab\n", max_size=3), inner, max_size=4),
    max_leaves=12,
)


@given(value=json_values, toggled=st.lists(st.integers(0, 30), max_size=6))
def test_whatever_is_closed_the_rows_go_on_without_a_gap(value: Any, toggled: list[int]) -> None:
    body = Folded(lay_out(json.dumps(value).encode()))
    text = body.blob.read(0, 99_999)
    heads = [segment.at for segment in walk(body) if body.is_open(segment.at) is not None]
    for number in toggled:
        if heads:
            body.toggle(heads[number % len(heads)])
    segments = walk(body)
    assert segments[-1].end == len(text)
    for segment in segments:
        assert {body.floor(at) for at in range(segment.at, segment.end)} == {segment.at}
    body.close_all(False)
    assert "".join(shown(body)).count("▸") == 0
    assert len(walk(body)) == text.count(b"\n")


@pytest.mark.parametrize("data", [b"{", b'{"a": 1} x', b"\xff", b"[" * 200 + b"]" * 200])
def test_what_can_not_be_folded(data: bytes) -> None:
    with pytest.raises(NotFoldableError, match="shown as it is"):
        lay_out(data)
