"""Edits as plain values: steps, the way back, policies, and how sizes are drawn against a threshold."""

from __future__ import annotations

import math
from bisect import bisect_right

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.errors import LimitsError
from spillscope.limits import Limits
from spillscope.limits_sources import LimitsBook
from spillscope_app.spans import width_of
from spillscope_app.tuning.edits import EDITED, Edits, Tuning, for_tool
from spillscope_app.tuning.nudge import Pace, nudged, percent_nudged
from spillscope_app.tuning.presets import Preset, presets
from spillscope_app.tuning.typed import typed
from spillscope_app.views.histogram import BASE, MARK, NO_MARK, distribution, histogram

BASE_BOOK = LimitsBook().with_layer({"overrides": {"Bash": 12_000}, "message_budget": 100_000}, "file")
VALUES = st.dictionaries(
    st.sampled_from(["overrides.Bash", "overrides.Grep", "declared.Read", "message_budget", "window"]),
    st.none() | st.integers(1, 10**6),
)


class TestEdits:
    @given(VALUES)
    def test_what_is_set_holds_and_what_is_taken_away_is_gone(self, values: dict[str, int | None]) -> None:
        limits = Edits().put(values, BASE_BOOK).over(BASE_BOOK).newest
        for key, value in values.items():
            table, dot, tool = key.partition(".")
            if table == "overrides":
                assert limits.get_override(tool) == value
            elif dot and value is not None:
                assert limits.get_declared(tool) == value
            elif key == "message_budget":
                assert limits.get_per_message_budget_limit() == (200_000 if value is None else value)

    def test_what_is_in_force_anyway_is_no_edit(self) -> None:
        edits = Edits().put({"overrides.Bash": 9_000}, BASE_BOOK).put({"overrides.Bash": 12_000}, BASE_BOOK)
        assert not edits
        assert not Edits().put({"overrides.Grep": None}, BASE_BOOK)

    def test_edited_values_say_so(self) -> None:
        limits = Edits().put({"overrides.Grep": 5}, BASE_BOOK).over(BASE_BOOK).newest
        assert (limits.source("overrides.Grep"), limits.source("overrides.Bash")) == (EDITED, "file")

    def test_a_value_that_a_key_cannot_have_is_refused(self) -> None:
        with pytest.raises(LimitsError):
            Edits().put({"auto_compact_pct": 0}, BASE_BOOK)

    def test_a_number_for_a_tool_that_was_opted_out_here_takes_that_back(self) -> None:
        opted_out = Edits().put(for_tool("Bash", math.inf, BASE_BOOK.newest), BASE_BOOK)
        limits = opted_out.over(BASE_BOOK).newest
        assert limits.get_persistence_threshold("Bash").chars == math.inf
        back = opted_out.put(for_tool("Bash", 500, limits), BASE_BOOK)
        assert back.over(BASE_BOOK).newest.get_persistence_threshold("Bash").chars == 500

    @given(st.lists(VALUES, max_size=6), st.integers(0, 8))
    def test_undo_and_redo_come_back_to_where_they_were(self, changes: list[dict[str, int | None]], steps: int) -> None:
        tuning = Tuning()
        for change in changes:
            tuning = tuning.to(tuning.edits.put(change, BASE_BOOK))
        back = tuning
        for _ in range(steps):
            back = back.undo()
        for _ in range(steps):
            back = back.redo()
        assert back.edits == tuning.edits
        for _ in changes:
            back = back.undo()
        assert not back.edits


class TestNudging:
    @given(st.floats(1, 6e6), st.sampled_from([1, -1]), st.integers(1, 12))
    def test_it_goes_the_way_that_it_is_told(self, value: float, direction: int, marks: int) -> None:
        new = nudged(value, direction, marks)
        assert (new - value) * direction > 0 or new in (100, 5_000_000)
        assert 100 <= new <= 5_000_000

    @pytest.mark.parametrize("value", [100, 1_000, 12_000, 30_000, 50_000, 200_000, 1_000_000])
    def test_there_and_back(self, value: int) -> None:
        assert nudged(nudged(value, 1), -1) == value

    def test_numbers_that_are_not_round_become_so(self) -> None:
        assert (nudged(30_417, 1), nudged(30_417, -1)) == (31_000, 30_000)

    def test_a_held_key_goes_faster_and_a_pause_ends_that(self) -> None:
        pace = Pace()
        marks = [pace.press("up", number * 0.03)[0] for number in range(100)]
        assert (marks[0], marks[20], marks[40], marks[99]) == (1, 2, 5, 10)
        assert pace.press("up", 90.0) == (1, False)
        assert pace.press("down", 90.01) == (1, False)
        assert pace.press("down", 90.1) == (1, True)

    @given(st.floats(1, 100), st.sampled_from([1, -1]))
    def test_percentages_stay_percentages(self, percent: float, direction: int) -> None:
        new = percent_nudged(percent, direction)
        assert new % 5 == 0
        assert 5 <= new <= 100


@given(st.text(max_size=12))
def test_whatever_is_typed_is_refused_or_a_value_that_its_key_can_have(text: str) -> None:
    for key in ("overrides.Bash", "declared.Bash", "message_budget", "aggregate", "auto_compact_pct", "window"):
        try:
            changes = typed(key, text, Limits())
        except LimitsError:
            continue
        Edits().put(changes, BASE_BOOK)


class TestPolicies:
    @pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
    def test_every_one_can_be_begun_from_and_says_what_it_rests_on(self, preset: Preset) -> None:
        edits = Edits().put(preset.edits(["Bash", "Odd tool", "mcp__a__b"], ["Bash"], []), BASE_BOOK)
        limits = edits.over(BASE_BOOK).newest
        assert limits.get_override("Bash") is None
        assert preset.rests_on.endswith(".")
        if preset.every is not None:
            tools = [tool for tool in ("Bash", "Odd tool", "mcp__a__b", "Grep") if tool not in preset.opts_out]
            assert {limits.get_persistence_threshold(tool).chars for tool in tools} == {preset.every}
        for tool in preset.opts_out & {"Read", "Grep"}:
            assert limits.get_persistence_threshold(tool).chars == math.inf

    def test_names_tell_them_apart(self) -> None:
        assert len({preset.name for preset in presets()}) == len(presets())


class TestHistogram:
    @given(
        st.lists(st.integers(0, 5_000_000), max_size=50).map(sorted),
        st.floats(1, 5_000_000) | st.just(math.inf),
        st.integers(2, 60),
    )
    def test_what_is_over_the_threshold_stands_right_of_its_mark(self, sizes: list[int], threshold: float, cells: int) -> None:
        spans = histogram(sizes, threshold, cells)
        assert width_of(spans) == cells
        text = "".join(span.text for span in spans)
        at = text.index(NO_MARK if math.isinf(threshold) else MARK)
        over = len(sizes) - bisect_right(sizes, threshold)
        if 0 < at < cells - 1:
            assert (text[at + 1 :].strip(BASE) != "") == (over > 0)
            assert (text[:at].strip(BASE) != "") == (over < len(sizes))

    def test_a_size_just_under_the_threshold_is_not_over_it(self) -> None:
        spans = histogram([18_900], 20_000, 12)
        assert [span.ink for span in spans if span.text not in (BASE, MARK)] == ["frozen"]

    @given(st.lists(st.integers(0, 2_000_000), min_size=1, max_size=50).map(sorted), st.integers(0, 120), st.integers(0, 14))
    def test_the_large_one_fills_its_place_exactly(self, sizes: list[int], cells: int, rows: int) -> None:
        drawn = distribution(sizes, 30_000, cells, rows)
        assert len(drawn) in (0, rows)
        assert all(width_of(one) == cells for one in drawn)
