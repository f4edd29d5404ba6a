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
    full_group,
    group,
    live,
    next_group,
    old_and_new,
    reading,
    result,
    troubled,
)
from spillscope.limits import Limits
from spillscope.session.reading import Cut, Reading
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
    assert "10k past auto-compact, if proactive" in figures(usage=177_000, estimate=0)
    assert "auto-compact is off" in figures(auto_compact=False)
    assert "exact 0 + 500 estimate" in figures(usage=0, estimate=500)
