"""The context of a session, request after request, and its forecast."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillscope.session.history import History, forecast_of
from spillscope.session.reading import Cut
from transcripts import Writer, read, use


@pytest.fixture
def writer() -> Writer:
    writer = Writer()
    writer.prompt()
    return writer


class TestHistory:
    def test_each_point_has_what_went_out_with_it(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(*(use("Fetch", name) for name in "abc"), usage=20_000)
        for name in "abc":
            writer.result(name, name * 45_000)
        writer.call("Bash", "d", "x" * 31_000, usage=60_000)
        writer.say(usage=70_000)
        history = History(read(writer.save(tmp_path), message_budget=100_000))
        told = [(point.request.spilled, point.request.over_budget) for point in history]
        assert told == [(0, False), (1, True), (1, False)]
        groups = [(point.request.first_group, point.request.end_group) for point in history]
        assert groups == [(0, 0), (0, 1), (1, 2)]
        assert [point.request.usage.prompt for point in history[1:]] == [60_000, 70_000]

    def test_a_point_says_what_began_the_context_anew(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=166_000)
        writer.boundary(preTokens=167_000)
        writer.say(usage=20_000)
        writer.say(usage=22_000)
        writer.prompt("/clear", parent=None)
        writer.say(usage=8_000)
        assert [point.cut for point in History(read(writer.save(tmp_path)))] == [None, Cut(0, 0), None, Cut(0, None)]

    def test_each_model_has_its_window(self, tmp_path: Path, writer: Writer) -> None:
        writer.say(usage=20_000, model="claude-sonnet-4-5[1m]")
        writer.say(usage=21_000)
        points = History(read(writer.save(tmp_path)))
        assert [point.window.auto_compact for point in points] == [967_000, 167_000]
        assert points[-1].number == 1


class TestForecast:
    def grow(self, writer: Writer, turns: int, start: int = 20_000) -> None:
        for turn in range(turns):
            writer.say(usage=start + 2_000 * turn)
            writer.prompt()

    def test_rests_on_the_requests_of_the_segment(self, tmp_path: Path, writer: Writer) -> None:
        self.grow(writer, 5)
        found = forecast_of(read(writer.save(tmp_path)))
        assert found is not None
        assert found.turns == 5
        assert found.tokens_per_turn == pytest.approx(2_000)

    def test_not_after_a_compaction_until_three_came(self, tmp_path: Path, writer: Writer) -> None:
        self.grow(writer, 5, 150_000)
        writer.boundary()
        known = []
        for _ in range(4):
            known.append(forecast_of(read(writer.save(tmp_path))) is not None)
            writer.say(usage=20_000)
        assert known == [False, False, False, True]

    def test_a_request_without_usage_is_no_turn(self, tmp_path: Path, writer: Writer) -> None:
        self.grow(writer, 2)
        writer.say(usage=None)
        assert forecast_of(read(writer.save(tmp_path))) is None

    def test_the_band_pulls_the_low_end(self, tmp_path: Path, writer: Writer) -> None:
        self.grow(writer, 30)
        reading = read(writer.save(tmp_path))
        alone, banded = forecast_of(reading), forecast_of(reading, 140_000)
        assert alone is not None
        assert banded is not None
        assert banded.auto_compact.lo < alone.auto_compact.lo
