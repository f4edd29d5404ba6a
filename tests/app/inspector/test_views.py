"""From a reading to lines, without Textual."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.inspector.readings import (
    NOW,
    SESSION,
    calibrated,
    eventful,
    full_group,
    group,
    live,
    next_group,
    old_and_new,
    past_of,
    reading,
    result,
    troubled,
)
from spillscope.limits import Limits
from spillscope.session.history import forecast_of
from spillscope.session.reading import Cut, Reading
from spillscope.tokens.calibration import Band, Score, Scores
from spillscope.window.thresholds import window_thresholds
from spillscope_app.picture import Picture
from spillscope_app.spans import Line, Paint, width_of
from spillscope_app.views import top
from spillscope_app.views.guide import guide
from spillscope_app.views.rows import GroupItems, heading, meter
from spillscope_app.views.states import nothing_to_list
from spillscope_app.views.sums import sums
from spillscope_app.views.why import title_of, why_group, why_result, why_segments
from spillscope_app.widgets.gauge import gauge_lines
from spillscope_app.widgets.outline import GUTTER, ITSELF


def text(lines: Sequence[Line]) -> str:
    return "\n".join("".join(span.text for span in spans).rstrip() for spans in lines)


@given(st.integers(min_value=32, max_value=220))
def test_rows_and_heading_stand_in_the_same_columns(width: int) -> None:
    items = GroupItems(old_and_new())
    for at in range(len(items)):
        for child in range(ITSELF, items.children(at)):
            cells = width_of(items.line(at, child, width))
            assert cells == width if items.group(at) else cells <= width
    assert width_of(heading(width + GUTTER, 200_000)) == width + GUTTER


def picture_of(seen: Reading, **changes: Any) -> Picture:
    return Picture(seen.session.path, seen, "events", live=seen, **changes)


@given(st.integers(min_value=6, max_value=200))
def test_nothing_is_wider_than_its_place(width: int) -> None:
    seen = live()
    picture = Picture("/x/y.jsonl", troubled(), "polling", "gone")
    paints: list[Paint] = [
        *(why_group(seen, seen.groups[-1], False), why_group(seen, next_group(13), True), why_segments(old_and_new())),
        *(why_result(seen, seen.groups[-1], at) for at in range(5)),
        *(sums(picture_of(seen, calibrated=calibrated()), NOW), sums(Picture(), NOW)),
        *(guide, nothing_to_list(picture), nothing_to_list(Picture("/x/y.jsonl"))),
        *(lambda cells: top.header(picture, NOW, cells), lambda cells: top.legend(seen, cells)),
        lambda cells: gauge_lines(top.gauge(picture_of(seen), seen, NOW), cells)[1:],
        lambda cells: gauge_lines(top.gauge(picture_of(seen, calibrated=calibrated()), seen, NOW), cells)[1:],
    ]
    for paint in paints:
        for spans in paint(width):
            assert width_of(spans) <= width, spans


def test_items_find_every_group_by_its_number() -> None:
    items = GroupItems(old_and_new())
    assert [items.find(items.ident(at)) for at in range(len(items))] == list(range(len(items)))
    assert items.group(6) is None
    assert items.find(999) is None
    assert items.children(6) == 0
    assert "13:52 compaction auto at 168.4k → 12.3k ──" in text([items.line(6, ITSELF, 60)])
    assert sum(items.counts()) == sum(items.children(at) for at in range(len(items)))


def test_the_line_between_comes_only_where_something_left_the_context() -> None:
    assert len(GroupItems(live(5))) == 7
    assert len(GroupItems(live(5, live_from=6, cuts=(Cut(6, 0),)))) == 8
    assert len(GroupItems(reading())) == 0


@pytest.mark.parametrize(
    ("used", "limit", "bar"),
    [
        (0, 100, "    "),
        (1, 100, "▏   "),
        (50, 100, "██  "),
        (100, 100, "████"),
        (101, 100, "████"),
        (5, math.inf, "▏   "),
        (0, math.inf, "    "),
    ],
)
def test_meter(used: float, limit: float, bar: str) -> None:
    span = meter(used, limit, 4)
    assert span.text == bar
    assert (span.ink == "over") == (used > limit)


def why(position: int, *results: object, limits: Limits | None = None) -> str:
    """The Why of one result of a group of these."""
    made = group(0, results)  # type: ignore[arg-type]
    return text(why_result(replace(reading([made]), limits=limits or reading().limits), made, position)(120))


def test_why_kept_and_persisted() -> None:
    kept = why(0, result("Grep", "fn", 19_840))
    assert "Kept: 19,840 is not over its threshold of 20,000" in kept
    assert "→ 20,000 = min(20,000 declared, 50,000)" in kept
    persisted = why(0, result("Bash", "cat x", 60_000, "persisted", None, "L8.3", "persisted"))
    assert "60,000 is over its threshold of 30,000: it went to a file as soon as it came." in persisted
    assert "counted" not in persisted


def test_why_of_rules_that_surprise() -> None:
    assert "a read of a spill would only spill again" in why(0, result("Read", "x", 90_000, "exempt", rule="B6"))
    assert "an empty result at the end of a prompt made a model stop" in why(
        0, result("Bash", "true", 0, "placeholder", None, "P3")
    )
    assert "an image" in why(0, result("Read", "x.png", 0, "image", None, "P1"))
    assert "never persisted" in why(0, result("Read", "x", 90_000, "exempt", rule="B6"))


def test_why_names_an_override_and_junk() -> None:
    fetched = why(0, result("Fetch", "x", 100))
    assert "override     60,000  limits.toml" in fetched
    junk = why(0, result("Fetch", "x", 100), limits=Limits(overrides={"Fetch": True}))
    assert "junk  ignored: no finite number above 0" in junk


def test_why_of_drift_says_so() -> None:
    assert "! drift  kept although over" in why(0, result("Bash", "x", 100, drift="kept although over"))


def test_why_of_a_group_whose_budget_is_off() -> None:
    seen = troubled()
    assert "The budget is off in this session" in text(why_group(seen, seen.groups[1], False)(80))


def test_titles() -> None:
    made = full_group(12)
    assert text([title_of(made, ITSELF, False)]) == "group 12"
    assert text([title_of(made, ITSELF, True)]) == "the next request"
    assert text([title_of(made, 0, False)]) == "↻ Glob **/*.rs"
    assert text([title_of(made, 99, False)]) == "group 12"


def header(picture: Picture, width: int = 140) -> str:
    return text(top.header(picture, NOW, width))


def test_badges_appear_only_when_true() -> None:
    assert "!" not in header(Picture("/x", live(), "events"))
    loud = header(Picture("/x", troubled(), "polling", "gone"), 160)
    for words in ("polling", "! not up to date", "! 2 lines skipped", "! drift 1", "! budget off: group 1 was over the limit"):
        assert words in loud
    assert "! budget off" in header(Picture("/x", troubled(), "events"), 80)


def test_header_without_a_reading() -> None:
    assert header(Picture("/x")).endswith("…")
    assert header(Picture("/x", None, "starting", "gone")).endswith("unreadable")
    waiting = replace(SESSION, exists=False, cwd=None, model=None, version=None)
    assert "waiting" in header(Picture("/x", reading(session=waiting)))


def figures(**changes: int | bool) -> str:
    window = window_thresholds(200_000, 32_000, source="x", auto_compact=bool(changes.pop("auto_compact", True)))
    seen = reading(**changes)  # type: ignore[arg-type]
    seen = replace(seen, context=replace(seen.context, window=window))
    return text(gauge_lines(top.gauge(picture_of(seen), seen, NOW), 120))


def test_gauge_words() -> None:
    assert "auto-compact in 23.8k, if proactive" in figures()
    grown = eventful()
    told = text(gauge_lines(top.gauge(picture_of(grown), grown, NOW), 120))
    to_come = forecast_of(grown)
    assert to_come is not None
    low, _, high = to_come.auto_compact
    assert f"auto-compact at 167k in 23.8k, {low}–{high} turns, if proactive" in told
    assert "10k past auto-compact, if proactive" in figures(usage=177_000, estimate=0)
    assert "auto-compact is off" in figures(auto_compact=False)
    assert "exact 0 + 500 estimate" in figures(usage=0, estimate=500)


def arithmetic(picture: Picture, width: int = 130) -> str:
    return text(sums(picture, NOW)(width))


def test_sums_set_what_the_agent_believes_beside_what_is_likely() -> None:
    told = arithmetic(picture_of(eventful(), calibrated=calibrated()))
    for line in (
        "█ exact       138,900  T1  the API's own count of the last response, 12s ago",
        "+ estimate      4,300  T3  4 chars a token, for all that came after it",
        "= believed    143,200  T4  what the agent takes the context for",
        "tiktoken        3,700  T8  the same text, counted by a tokeniser of other models",
        "▒ fitted        5,100  T9  the same text, by what the API told of this session",
        "= likely      144,000  T9  four times in five between 143,500 and 144,500; colours go by the upper end",
        "▓ residual     18,200  T9  (17.0k–19.0k) of the exact part stand in no transcript: system prompt, tools, memory",
    ):
        assert line in told


def test_sums_say_where_nothing_is_estimated() -> None:
    found = calibrated(estimate=0, band=Band(138_900, 138_900))
    assert "= likely      138,900  T9  nothing came after the last response" in arithmetic(picture_of(live(), calibrated=found))


def test_sums_name_the_window_its_marks_and_three_percentages() -> None:
    told = arithmetic(picture_of(eventful()))
    figures = (
        "window        200,000  W1  the model's name",
        "− reserve      20,000  W2",
        "= effective   180,000",
        "− buffer       13,000",
    )
    marks = ("│ compact     167,000", "┊ warning     147,000", "┊ blocking    177,000")
    percentages = (
        "of window      71.6 %  W1  used",
        "effective      79.6 %  W2  used",
        "left             14 %  W2  until auto-compact",
    )
    for line in (*figures, *marks, *percentages, "Calibrating …"):
        assert line in told


def test_sums_stay_over_the_window() -> None:
    told = arithmetic(picture_of(live(usage=214_000)))
    assert "of window     109.2 %" in told
    assert "to compact          0  W8  reached" in told


def test_sums_tell_how_estimates_turned_out_for_each_of_several_models() -> None:
    found = calibrated()
    told = arithmetic(picture_of(eventful(), calibrated=found))
    assert "believed      -42.0 %  42.0 %  55.0 %  × 1.70" in told
    assert "fitted         +1.0 %   4.3 %  17.0 %  × 1.00" in told
    assert "left out, as they prove nothing: 1 after a compaction, 7 that begin a turn" in told
    two = replace(found, models=(("claude-opus-4-6", found.scores), ("claude-\x1b[2J", found.scores)))
    told = arithmetic(picture_of(eventful(), calibrated=two))
    assert told.count("believed      -42.0 %") == 3
    assert "\x1b" not in told
    nothing = Score(0, None, None, None, 1.0)
    told = arithmetic(picture_of(eventful(), calibrated=replace(found, scores=Scores(nothing, nothing, nothing), models=())))
    assert "off so far  on 0 of 48 requests" in told


def test_sums_judge_compactions_and_count_cache_breaks() -> None:
    told = arithmetic(picture_of(eventful()))
    assert "168,400  where it was expected (167k), after 15 turns" in told
    assert "╳ 2 breaks     93,000  R6  tokens lost, 95.5k rewritten at a cost of 109.8k input tokens; 5 lists them" in told
    assert "compactions" not in arithmetic(picture_of(live()))
    stuck = replace(live(), refusals=3)
    assert "3 refusals in a row: automatic compaction has likely stopped" in arithmetic(picture_of(stuck))


@pytest.mark.parametrize(
    ("likely", "held"), [(76_000, "within"), (90_000, "below"), (60_000, "above")], ids=["right", "too much", "too little"]
)
def test_sums_of_the_past_hold_what_was_likely_against_what_was_proved(likely: int, held: str) -> None:
    past = past_of(eventful(), 30)
    picture = Picture(SESSION.path, past, live=eventful(), asked=30, calibrated=calibrated())
    told = arithmetic(picture)
    assert "Before request 31 went out, by what was known then." in told
    assert "Calibrating …" in told
    told = arithmetic(replace(picture, calibrated_then=calibrated(likely - 100, 104)))
    assert f"= proved       76,004  T1  as its response then told: {held} the band" in told
    first = replace(past, context=replace(past.context, usage=0))
    assert "proved" not in arithmetic(replace(picture, reading=first, calibrated_then=calibrated(0, 60_000)))


def test_forecasts_say_how_far_each_mark_is_or_that_nothing_is_known() -> None:
    assert "tokens a turn, by the last 25 turns" in arithmetic(picture_of(eventful()))
    assert "to warning" in arithmetic(picture_of(eventful()))
    assert "forecast         none  W8  fewer than 3 turns have grown" in arithmetic(picture_of(live(0)))


def test_the_gauge_goes_by_the_upper_end_of_its_band() -> None:
    seen = live()
    for high, ink in ((146_999, "gauge"), (147_000, "warn"), (177_000, "over")):
        found = calibrated(band=Band(143_000, high))
        assert top.gauge(picture_of(seen, calibrated=found), seen, NOW).level == ink
