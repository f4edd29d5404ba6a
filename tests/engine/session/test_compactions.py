"""W2, W3: observed compactions against the rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillscope.session.advice import all_advice
from spillscope.session.compactions import judge_compactions, overdue, stopped, thrashing
from spillscope.session.travel import reading_at
from transcripts import Writer, open_session, read, text


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt()
    return writer


@pytest.mark.parametrize(
    ("trigger", "tokens", "verdict"),
    [
        ("auto", 167_000, "expected"),
        ("auto", 158_650, "expected"),
        ("auto", 158_649, "early"),
        ("auto", 175_350, "expected"),
        ("auto", 175_351, "late"),
        ("manual", 20_000, "manual"),
        (None, 167_000, "unknown"),
    ],
)
def test_where_it_stood(tmp_path: Path, writer: Writer, trigger: str | None, tokens: int, verdict: str) -> None:
    writer.say(usage=100_000, id="before")
    writer.boundary(preTokens=tokens, trigger=trigger)
    (judged,) = judge_compactions(read(writer.save(tmp_path)))
    assert judged[:4] == (0, verdict, tokens, 167_000)
    assert (judged.turns, judged.assistant_id) == (1, "before")


def test_without_a_figure_the_last_usage_tells(tmp_path: Path, writer: Writer) -> None:
    writer.boundary()
    writer.say(usage=166_000)
    writer.boundary()
    judged = judge_compactions(read(writer.save(tmp_path)))
    assert [(one.verdict, one.tokens) for one in judged] == [("unknown", None), ("expected", 166_000)]


def test_the_window_is_that_of_the_model_then(tmp_path: Path, writer: Writer) -> None:
    writer.say(usage=400_000, model="claude-sonnet-4-5[1m]")
    writer.boundary(preTokens=967_000)
    writer.say(usage=20_000, model="claude-sonnet-4-5[1m]")
    assert [one.verdict for one in judge_compactions(read(writer.save(tmp_path)))] == ["expected"]


def test_a_line_that_was_crossed_without_a_compaction(tmp_path: Path, writer: Writer) -> None:
    for usage in (160_000, 168_000, 170_000, 172_000):
        writer.say(usage=usage)
        writer.prompt()
    reading = read(writer.save(tmp_path))
    assert overdue(reading) == 2
    assert ["some builds compact only" in advice.text for advice in all_advice(reading)] == [True]
    assert overdue(read(writer.save(tmp_path), auto_compact=False)) == 0
    writer.boundary(preTokens=172_000)
    assert overdue(read(writer.save(tmp_path))) == 0


@pytest.mark.parametrize(("turns", "refills", "found"), [(3, 3, 3), (4, 3, 0), (3, 2, 0), (1, 4, 4)])
def test_three_refills_within_three_turns_are_thrashing(
    tmp_path: Path, writer: Writer, turns: int, refills: int, found: int
) -> None:
    writer.say(usage=167_000)
    writer.boundary(preTokens=167_000)
    for _ in range(refills):
        for _ in range(turns):
            writer.say(usage=167_000)
        writer.boundary(preTokens=167_000)
    reading = read(writer.save(tmp_path))
    assert len(thrashing(judge_compactions(reading))) == found
    assert any("full again" in advice.text for advice in all_advice(reading)) == bool(found)


def test_a_longer_stretch_ends_the_row(tmp_path: Path, writer: Writer) -> None:
    for turns in (1, 1, 1, 1, 9):
        for _ in range(turns):
            writer.say(usage=167_000)
        writer.boundary(preTokens=167_000)
    assert thrashing(judge_compactions(read(writer.save(tmp_path)))) == ()


class TestOfRefusals:
    def refuse(self, writer: Writer, times: int) -> None:
        for _ in range(times):
            writer.say(text("Prompt is too long"), model="<synthetic>", isApiErrorMessage=True, error="invalid_request")
            writer.prompt()

    @pytest.mark.parametrize(("times", "found"), [(2, False), (3, True)])
    def test_three_in_a_row_stop_compaction(self, tmp_path: Path, writer: Writer, times: int, found: bool) -> None:
        writer.say(usage=150_000)
        self.refuse(writer, times)
        reading = read(writer.save(tmp_path))
        assert (reading.refusals, stopped(reading)) == (times, found)
        assert any("stops at three failures" in advice.text for advice in all_advice(reading)) == found

    def test_other_errors_are_none(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(text("API Error: Connection error."), model="<synthetic>", isApiErrorMessage=True)
        assert read(writer.save(tmp_path)).refusals == 0

    @pytest.mark.parametrize("success", ["boundary", "say"])
    def test_a_success_resets_the_count(self, tmp_path: Path, writer: Writer, success: str) -> None:
        self.refuse(writer, 3)
        writer.boundary() if success == "boundary" else writer.say(usage=100_000)
        self.refuse(writer, 1)
        writer.say(usage=100_000)
        session = open_session(writer.save(tmp_path))
        live = session.refresh()
        assert live.refusals == 0
        assert reading_at(session, live, len(live.requests) - 1).refusals == 1
