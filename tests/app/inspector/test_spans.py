"""Layout in terminal cells, whatever the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from spillscope_app.spans import Piece, Span, beside, cut, cut_start, fit, foreign, left, line, right, spread, width_of, wrap

TEXTS = st.text(st.sampled_from(["a", "b", " ", "漢", "é", "🙂", "-", "\u0301", "[", "]"]), max_size=24)
LINES = st.lists(TEXTS.map(lambda text: foreign(text)), max_size=5).map(tuple)
CELLS = st.integers(min_value=0, max_value=30)


@given(TEXTS, CELLS)
def test_cut_fits(text: str, cells: int) -> None:
    assert cell_len(cut(text, cells)) <= cells


@given(TEXTS, CELLS)
def test_cut_start_keeps_the_end(text: str, cells: int) -> None:
    shown = cut_start(text, cells)
    assert cell_len(shown) <= cells
    assert text.endswith(shown.removeprefix("…"))


@given(LINES, CELLS)
def test_fit_fits_and_keeps_what_fits_anyway(spans: tuple[Span, ...], cells: int) -> None:
    fitted = fit(spans, cells)
    assert width_of(fitted) <= cells
    if width_of(spans) <= cells:
        assert "".join(span.text for span in fitted) == "".join(span.text for span in spans)


@given(LINES, CELLS)
def test_columns_are_exact(spans: tuple[Span, ...], cells: int) -> None:
    assert width_of(left(spans, cells)) == cells
    assert width_of(right(spans, cells)) == cells


@given(LINES, st.integers(min_value=2, max_value=30), st.integers(min_value=0, max_value=6))
def test_wrap_loses_no_letter(spans: tuple[Span, ...], cells: int, indent: int) -> None:
    lines = wrap(spans, cells, indent)
    assert all(width_of(row) <= cells for row in lines)
    text = "".join(span.text for row in lines for span in row)
    assert text.replace(" ", "") == "".join(span.text for span in spans).replace(" ", "")


def test_wrap_breaks_between_words_and_indents() -> None:
    rows = wrap(line("the largest fresh results go first"), 14, 2)
    assert ["".join(span.text for span in row).rstrip() for row in rows] == [
        "the largest",
        "  fresh",
        "  results go",
        "  first",
    ]


def test_beside_leaves_out_what_has_no_width() -> None:
    assert "".join(span.text for span in beside(left(Span("a"), 2), (), right(Span("b"), 2))) == "a   b"


def test_spread_drops_the_least_important_first() -> None:
    pieces = [Piece(1, line("spillscope")), Piece(7, line("tides"))]
    badge = [Piece(9, line("! drift"))]
    assert "".join(span.text for span in spread(pieces, badge, 30)) == "spillscope  tides      ! drift"
    assert "".join(span.text for span in spread(pieces, badge, 20)) == "tides        ! drift"
    assert "".join(span.text for span in spread(pieces, badge, 4)) == "! d…"


def test_foreign_text_has_no_effect() -> None:
    text = foreign("\x1b[2J\x9b31m\u202eevil\x07 heart\ufe0f[/tmp/x]\n").text
    assert text == "␛[2J\\x9b31m\\u202eevil␇ heart[/tmp/x]⏎"


def test_foreign_text_is_cut_before_it_is_worked_on() -> None:
    assert len(foreign("x" * 200_000).text) < 5_000
