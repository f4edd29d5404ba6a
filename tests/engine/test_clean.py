"""Foreign text as a terminal may be shown it."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from spillscope.clean import cell_width, clean, cut_cells


def test_escape_sequences_lose_their_effect() -> None:
    assert clean("\x1b[2Jhi\x9b31m\x07") == "␛[2Jhi\\x9b31m␇"


def test_bidi_overrides_are_shown() -> None:
    assert clean("a\u202eb") == "a\\u202eb"


@given(st.text())
def test_nothing_unprintable_is_left(text: str) -> None:
    assert not {"Cc", "Cs"} & set(map(unicodedata.category, clean(text)))
    assert not {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"} & set(
        map(unicodedata.bidirectional, clean(text))
    )
    assert clean(clean(text)) == clean(text)


@given(st.text(), st.integers(0, 40))
def test_a_cut_fits_its_cells(text: str, cells: int) -> None:
    assert cell_width(cut_cells(clean(text), cells)) <= cells


def test_wide_characters_count_two_cells() -> None:
    assert cell_width("漢字ab") == 6
    assert cut_cells("漢字漢字", 5) == "漢字…"
