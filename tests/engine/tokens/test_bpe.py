"""T8: the second estimate is tiktoken's, offline, and bounded on whatever it is given."""

from __future__ import annotations

import base64
import hashlib
import socket

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillscope.tokens.bpe import SLICE_CHARS, count, count_slice, slices, vocabulary

PROSE = "The context of a session grows with each result, and nobody (not even the agent) knows by how much.\n"
PIECES = [*PROSE.split(), "\n", "\n\n", "    ", "x = {'a': 1};", "漢字"]
ORIGINAL = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
RUNS = ["a", "=", " ", "\n", "\r\n ", "\t", "漢", "😀", "é", "\u0301", "1", "aB3", "<|endoftext|>", "\ud800", "\0"]


def test_the_vocabulary_is_the_published_one() -> None:
    lines = (base64.b64encode(token) + b" %d\n" % rank for token, rank in vocabulary().items())
    assert hashlib.sha256(b"".join(lines)).hexdigest() == ORIGINAL


def test_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "socket", None)
    assert count("hello world") == 2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("漢字", 3),
        ("def f(x):\n    return x\n", 8),
        ("'ve been", 2),
        ("1234567", 3),
        ("a\n\n\nb", 3),
    ],
)
def test_counts_as_tiktoken_does(text: str, tokens: int) -> None:
    assert count(text) == tokens


def test_special_tokens_are_ordinary_text() -> None:
    assert count("<|endoftext|>") == count_slice("<|endoftext|>") > 1


def test_lone_surrogates_count_as_replacement_characters() -> None:
    assert count("a\ud800b") == count("a\ufffdb")


class TestSlices:
    @given(st.lists(st.tuples(st.sampled_from(RUNS), st.integers(1, 2 * SLICE_CHARS)), max_size=4))
    @settings(max_examples=40, deadline=None)
    def test_lose_nothing_and_are_bounded(self, runs: list[tuple[str, int]]) -> None:
        text = "".join(run * (length // len(run) + 1) for run, length in runs)
        cut = list(slices(text))
        assert "".join(cut) == text
        assert max(map(len, cut)) <= SLICE_CHARS

    @given(st.integers(1, 9), st.lists(st.sampled_from(PIECES), min_size=1, max_size=40))
    @settings(max_examples=30, deadline=None)
    def test_hardly_change_the_count(self, times: int, pieces: list[str]) -> None:
        part = " ".join(pieces)
        text = part * (times * SLICE_CHARS // len(part) + 1)
        cuts = len(list(slices(text))) - 1
        assert abs(count(text) - count_slice(text)) <= 2 * cuts

    @pytest.mark.parametrize("run", ["a", "漢", "😀", "Zm9vYmFy", "="])
    def test_change_an_unbroken_run_little(self, run: str) -> None:
        text = run * (60_000 // len(run))
        assert count(text) == pytest.approx(count_slice(text), abs=8 * (len(list(slices(text))) - 1))
