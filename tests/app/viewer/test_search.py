"""Searching, against a plain search through the whole text; blocks are small, so that every match may lie across two."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope_app.viewer import search as search_module
from spillscope_app.viewer.blob import Memory
from spillscope_app.viewer.search import Needle, Search

NEEDLES = ["a", "aa", "aba", "Ab", "ä", "äÄ", "x漢", "É", "ß", "abaabaabaaba"]


@pytest.fixture(autouse=True, scope="module")
def _small_blocks() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "BLOCK", 7)
        yield


def go_on() -> bool:
    return False


def plainly(text: str, needle: str) -> list[int]:
    """Offsets in bytes of all matches, overlapping ones too."""
    fold = needle == needle.lower() and needle != needle.upper()
    within = "".join(char.lower() if len(char.lower()) == 1 else char for char in text) if fold else text
    starts = [at for at in range(len(text)) if within.startswith(needle, at)]
    return [len(text[:at].encode()) for at in starts]


texts = st.text("abABäÄxéÉß漢 \n", max_size=60)
needles = st.sampled_from(NEEDLES) | st.text("abAäx漢", min_size=1, max_size=4)


@given(text=texts, needle=needles)
def test_all_matches_are_counted_once(text: str, needle: str) -> None:
    found = Search(Memory(text.encode()), Needle(needle))
    found.count(go_on)
    assert found.complete
    assert found.total == len(plainly(text, needle))


@given(text=texts, needle=needles, start=st.integers(0, 99))
def test_forward_and_back_from_anywhere(text: str, needle: str, start: int) -> None:
    data = text.encode()
    found, wanted = Search(Memory(data), Needle(needle)), plainly(text, needle)
    start = min(start, len(data))
    after = [at for at in wanted if at >= start] or wanted
    before = [at for at in wanted if at < start] or wanted
    assert found.find(start, 1, go_on) == (after[0] if after else None)
    assert found.find(start, -1, go_on) == (before[-1] if before else None)
    found.count(go_on)
    assert [found.ordinal(at) for at in wanted] == list(range(1, len(wanted) + 1))


@given(text=texts, more=texts, needle=needles)
def test_what_was_counted_holds_when_the_file_grows(text: str, more: str, needle: str) -> None:
    memory = Memory(text.encode())
    found = Search(memory, Needle(needle))
    found.count(go_on)
    memory._data += more.encode()
    found.changed(grown=True)
    found.count(go_on)
    assert found.total == len(plainly(text + more, needle))


@given(text=texts, needle=needles, start=st.integers(0, 99), length=st.integers(0, 30))
def test_matches_in_view_are_known_even_where_they_stick_out(text: str, needle: str, start: int, length: int) -> None:
    data = text.encode()
    found = Search(Memory(data), Needle(needle))
    ends = {at: at + next(found.needle.ranges(data[at:]))[1] for at in plainly(text, needle)}
    wanted = [(at, end) for at, end in ends.items() if end > start and at < start + length]
    assert list(found.ranges(start, start + length)) == wanted


def test_a_search_stops_at_once_and_keeps_what_it_has() -> None:
    found = Search(Memory(b"ab" * 700), Needle("ab"))
    assert found.find(0, 1, lambda: True) is None
    answers = iter([False] * 10 + [True])
    found.count(lambda: next(answers))
    assert (found.total, found.complete) == (35, False)
    assert found.ordinal(1_000) is None
    assert 0 < found.share < 0.1


def test_an_empty_text_holds_nothing() -> None:
    found = Search(Memory(b""), Needle("a"))
    assert (found.find(0, 1, go_on), found.total, found.complete, found.share) == (None, 0, True, 1.0)
