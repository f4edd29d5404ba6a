"""R3: a reading under an edit shows what a full replay under the edited limits decides, group by group, and no drift."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given

from engine.session.whatif.test_differential import QUIET, book, histories, limits, replayed
from spillscope.session.reading import Group, Reading, Totals
from spillscope.session.session import Session
from spillscope.session.travel import reading_at
from spillscope.session.whatif.compare import WhatIf
from spillscope.session.whatif.under_edit import UnderEdit
from transcripts import Writer, lines, open_session, use


def under_edit(session: Session, keys: dict[str, Any]) -> tuple[UnderEdit, Reading]:
    reading = session.refresh()
    edited = book(keys)
    version = session.index.version
    pair = (session.book.for_version(version), edited.for_version(version))
    asked = WhatIf(session, reading)
    found = asked.compare(edited)
    return UnderEdit.of(found, pair, session.replay.judge.path_chars, asked.outcomes[1].learned_ids()), reading


def groups_of(reading: Reading) -> list[Group]:
    return [*reading.groups, *([reading.pending] if reading.pending is not None else [])]


def told(group: Group) -> tuple[Any, ...]:
    results = [(one.fate, one.layer, one.model_chars, one.model_tokens) for one in group.results]
    return results, group.visible, None if waits_twice(group) else [one.state for one in group.results]


def waits_twice(group: Group | None) -> bool:
    """Whether an id stands twice in what waits: there the state of the second one is not told apart."""
    if group is None or group.assistant_id is not None:
        return False
    return len({one.row.tool_use_id for one in group.results}) < len(group.results)


def sums(reading: Reading, totals: Totals) -> Totals:
    """Totals but for drift, and for states where they are not told apart."""
    totals = totals._replace(drift=0)
    return totals._replace(must_reapply=0, frozen=0, fresh=0) if waits_twice(reading.pending) else totals


@QUIET
@given(histories(), limits(), limits())
def test_it_is_what_a_replay_decides(
    tmp_path: Path, records: list[dict[str, Any]], base: dict[str, Any], edit: dict[str, Any]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(records))
    under, reading = under_edit(open_session(path, book(base)), edit)
    shown, wanted = under.reading(reading), replayed(path, edit)
    assert list(map(told, groups_of(shown))) == list(map(told, groups_of(wanted)))
    assert sums(reading, under.totals(reading)) == sums(reading, wanted.totals)


def test_a_result_that_came_cleared_has_no_state_once_its_threshold_lets_it_through(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.call("Bash", "t0", "[Old tool result content cleared]", id="m")
    writer.say(usage=1_000)
    path = writer.save(tmp_path)
    under, reading = under_edit(open_session(path, book({"default_threshold": 1})), {})
    (group,) = under.reading(reading).groups
    assert [result.fate for result in reading.groups[0].results] == ["persisted"]
    assert told(group) == told(replayed(path, {}).groups[0])
    assert [(result.fate, result.state) for result in group.results] == [("full", None)]


def fan(tmp_path: Path) -> Session:
    """One group of three results, 30,000, 25,000 and 20,000 units."""
    writer = Writer()
    writer.prompt()
    writer.say(*(use("Bash", f"t{number}", {}) for number in range(3)), id="m", usage=1_000)
    for number in range(3):
        writer.result(f"t{number}", "x" * (30_000 - 5_000 * number))
    writer.say(usage=20_000)
    return open_session(writer.save(tmp_path))


def test_the_sums_and_the_selection_are_those_of_the_edit(tmp_path: Path) -> None:
    under, reading = under_edit(fan(tmp_path), {"message_budget": 40_000, "aggregate": True})
    (group,) = under.reading(reading).groups
    assert (group.fresh, group.limit, group.over_budget, group.visible) == (75_000, 40_000, True, 20_000)
    assert [(pick.position, pick.remaining) for pick in group.picks] == [(0, 45_000), (1, 20_000)]
    assert [(one.fate, one.rule) for one in group.results] == [("replaced", "B7"), ("replaced", "B7"), ("full", "B7")]


def test_an_edit_is_no_drift(tmp_path: Path) -> None:
    under, reading = under_edit(fan(tmp_path), {"overrides": {"Bash": 10_000}})
    (group,) = under.reading(reading).groups
    assert [one.fate for one in group.results] == ["persisted"] * 3
    assert [one.drift for one in group.results] == [None] * 3
    assert group.model_chars == sum(one.model_chars for one in group.results) < 10_000
    assert under.totals(reading).drift == 0


def test_thresholds_are_those_of_the_edit_where_nothing_flips(tmp_path: Path) -> None:
    under, reading = under_edit(fan(tmp_path), {"overrides": {"Bash": 31_000}})
    (group,) = under.reading(reading).groups
    assert [(one.threshold.chars, one.rule) for one in group.results] == [(31_000, "L8.2")] * 3


def test_the_past_is_under_the_edit_too(tmp_path: Path) -> None:
    session = fan(tmp_path)
    under, reading = under_edit(session, {"overrides": {"Bash": 10_000}})
    past = under.reading(reading_at(session, reading, 1))
    assert past.pending is not None
    assert [(one.fate, one.state) for one in past.pending.results] == [("persisted", None)] * 3


def test_slices_and_the_same_group_again(tmp_path: Path) -> None:
    under, reading = under_edit(fan(tmp_path), {"overrides": {"Bash": 10_000}})
    groups = under.reading(reading).groups
    assert list(groups[0:1]) == list(groups)
    assert groups[-1] is groups[0]
    assert groups[0] is not reading.groups[0]
