"""T9: what a text weighs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from spillscope.tokens.bpe import SLICE_CHARS, count
from spillscope.tokens.weight import NOTHING, Weight, weigh


def test_counts_tokens_and_characters_by_kind() -> None:
    assert weigh("Go → {a}\n") == Weight(count("Go → {a}\n"), upper=1, lower=2, marks=2, lines=1, symbols=1)


def test_nothing_weighs_nothing() -> None:
    assert weigh("") == NOTHING


def test_letters_of_other_scripts_are_of_no_kind() -> None:
    assert weigh("漢字 привет")[1:] == (0, 0, 0, 0, 0)


def test_lone_surrogates_are_weighed() -> None:
    assert weigh("a\ud800b").lower == 2


@given(st.text(alphabet="aA.\n→é ", min_size=1, max_size=50), st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_a_text_of_many_slices_is_weighed_whole(part: str, times: int) -> None:
    text = part * (times * SLICE_CHARS // len(part) + 1)
    weight = weigh(text)
    assert weight.bpe == count(text)
    assert weight[1:] == tuple(sum(map(text.count, kind)) for kind in ("A", "a", ".", "\n", "→"))
