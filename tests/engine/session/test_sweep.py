"""`sweep`'s one session: pure, picklable, and as a report of each cell would have it."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from spillscope.errors import LimitsError
from spillscope.limits_sources import LimitsBook
from spillscope.session.sweep import Grid, Varied, grid_json, grid_rows, sweep_session
from spillscope.session.whatif.compare import WhatIf
from spillscope.tokens.priors import find_prior
from transcripts import MODEL, Writer, open_session

GRID = Grid(
    LimitsBook().with_layer({"aggregate": True}, "test"),
    (
        Varied("overrides.Bash", (100, 1_000), ({"overrides": {"Bash": 100}}, {"overrides": {"Bash": 1_000}})),
        Varied("message_budget", (5_000, 90_000), ({"message_budget": 5_000}, {"message_budget": 90_000})),
    ),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t1", "x" * 500)
    writer.call("Bash", "t2", "x" * 5_000)
    writer.call("Glob", "t3", "x" * 9_000)
    writer.say(usage=40_000)
    return writer.save(tmp_path)


def test_a_cell_says_what_a_report_under_its_limits_says(path: Path) -> None:
    swept = sweep_session(str(path), GRID)
    assert (swept.error, swept.results, len(swept.cells)) == (None, 3, len(GRID.cells))
    for book, cell in zip(GRID.books(), swept.cells, strict=True):
        totals = open_session(path, book).refresh().totals
        assert cell[:3] == (totals.persisted + totals.replaced, totals.replaced, totals.tokens_saved)
    assert GRID.cells == [(100, 5_000), (100, 90_000), (1_000, 5_000), (1_000, 90_000)]
    assert [cell.spilled for cell in swept.cells] == [3, 2, 2, 1]


def test_the_peak_is_weighed_by_the_factor_of_the_models_family(path: Path) -> None:
    cells = sweep_session(str(path), GRID).cells
    session = open_session(path, GRID.base)
    asked = WhatIf(session, session.refresh())
    factor = find_prior(MODEL).rough
    assert factor > 1.1
    for book, cell in zip(GRID.books(), cells, strict=True):
        assert cell.peak == asked.compare(book, factor=factor).peak.after
    assert cells[0].peak < asked.compare(next(GRID.books())).peak.after


def test_it_can_be_sent_to_another_process_and_back(path: Path) -> None:
    work, grid = pickle.loads(pickle.dumps((sweep_session, GRID)))
    swept = work(str(path), grid)
    assert swept == sweep_session(str(path), GRID)
    assert pickle.loads(pickle.dumps(swept)) == swept


@pytest.mark.parametrize(
    ("content", "error"), [(None, "no such file"), (b"\0\0\0 not a transcript\n", "no transcript: it holds no record")]
)
def test_a_session_that_fails_says_why(tmp_path: Path, content: bytes | None, error: str) -> None:
    path = tmp_path / "s.jsonl"
    if content is not None:
        path.write_bytes(content)
    swept = sweep_session(str(path), GRID)
    assert (swept.cells, swept.error) == ((), error)


def test_a_fault_in_one_session_ends_no_sweep(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("spillscope.session.sweep.WhatIf", fail)
    assert sweep_session(str(path), GRID).error == "RecursionError: too deep"


def test_an_empty_session_is_one(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    swept = sweep_session(str(path), GRID)
    assert (swept.error, set(swept.cells)) == (None, {(0, 0, 0, 0)})


def test_rows_sum_over_sessions_and_count_those_that_failed(path: Path, tmp_path: Path) -> None:
    swept = [sweep_session(str(path), GRID), sweep_session(str(path), GRID), sweep_session(str(tmp_path / "gone.jsonl"), GRID)]
    first = grid_rows(GRID, swept)[0]
    one = swept[0].cells[0]
    assert (first.values, first.sessions, first.failed) == ((100, 5_000), 2, 1)
    assert (first.spilled, first.replaced, first.tokens_saved) == (2 * one.spilled, 2 * one.replaced, 2 * one.tokens_saved)
    assert set(first.peak) == {one.peak}
    assert first.limits.get_override("Bash") == 100
    entry = grid_json([first])["grid"][0]
    assert list(entry) == ["limits", "sessions", "failed", "spilled", "replaced", "tokensSaved", "peak"]
    assert entry["peak"] == {"p50": one.peak, "p90": one.peak, "max": one.peak}


def test_a_key_that_is_none_is_told_before_anything_is_read() -> None:
    with pytest.raises(LimitsError, match="unknown limit"):
        list(Grid(varied=(Varied("treshold", (1,), ({"treshold": 1},)),)).books())
