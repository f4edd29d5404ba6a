"""R3: the what-if and a full replay under the edited limits decide the same, whatever the history and the limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from histories import conversations
from spillscope.limits_sources import LimitsBook
from spillscope.session.reading import Reading, Result
from spillscope.session.whatif.compare import WhatIf
from spillscope.session.whatif.comparison import Comparison, Mode
from transcripts import lines, open_session, wrapper

QUIET = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
CHARS = st.sampled_from([1, 80, 100, 145, 180, 250, 350, 600, 100_000])
VERSIONS = ["2.1.1", "2.1.20", "2.1.60", "2.1.88"]
STRANGE: list[Any] = [
    wrapper("x" * 300),
    wrapper("x" * 300).replace("300 bytes", "no size"),
    "Error: result (400 characters) exceeds maximum allowed tokens. Output has been saved to /far/away/a.txt.",
    [{"type": "image", "source": {}}],
    [{"type": "text", "text": "x" * 200}],
    [{"type": "text", "text": "x" * 200}, {"type": "tool_reference", "tool_name": "y"}],
    "[Old tool result content cleared]",
    " ",
]


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    """Keys of a limits file over the tools and sizes of the histories."""
    tools = ("Bash", "Glob", "Read")
    keys = {
        "overrides": st.dictionaries(st.sampled_from(tools), CHARS | st.just("junk"), max_size=3),
        "declared": st.dictionaries(st.sampled_from(tools), CHARS | st.just("inf"), max_size=2),
        "default_threshold": CHARS,
        "message_budget": CHARS,
        "aggregate": st.booleans(),
    }
    return draw(st.fixed_dictionaries({}, optional=keys))


@st.composite
def histories(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Conversations of agents of changing versions, with results that no limit decides, or that nobody has whole."""
    records = draw(conversations())
    version = draw(st.sampled_from(VERSIONS))
    for record in records:
        if not draw(st.integers(0, 6)):
            version = draw(st.sampled_from(VERSIONS))
        record["version"] = version
        content = record.get("message", {}).get("content")
        for block in content if isinstance(content, list) else ():
            if block["type"] == "tool_result" and not draw(st.integers(0, 5)):
                block["content"] = draw(st.sampled_from(STRANGE))
    return records


def book(keys: dict[str, Any]) -> LimitsBook:
    return LimitsBook().with_layer(keys, "test")


def replayed(path: Path, keys: dict[str, Any]) -> Reading:
    return open_session(path, book(keys)).refresh()


def all_of(reading: Reading) -> list[Result]:
    groups = [*reading.groups, *([reading.pending] if reading.pending is not None else [])]
    return [result for group in groups for result in group.results]


@QUIET
@given(histories(), limits(), st.lists(limits(), min_size=1, max_size=4))
def test_a_what_if_is_a_replay(
    tmp_path: Path, records: list[dict[str, Any]], base: dict[str, Any], edits: list[dict[str, Any]]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(records))
    session = open_session(path, book(base))
    reading = session.refresh()
    before = all_of(reading)
    asked = WhatIf(session, reading)
    for edit in edits:
        found = asked.compare(book(edit))
        truth = replayed(path, edit)
        after = all_of(truth)
        flips = {flip.row: flip for flip in found.flips}
        differing = [(old, new) for old, new in zip(before, after, strict=True) if old.fate != new.fate]
        assert [flip.row for flip in found.flips] == [old.row for old, _ in differing]
        for old, new in differing:
            for decision, result in ((flips[old.row].before, old), (flips[old.row].after, new)):
                assert (decision.fate, decision.rule) == (result.fate, result.rule)
                assert decision.threshold.chars == result.threshold.chars
            assert flips[old.row].tokens == (old.model_tokens, new.model_tokens)
        for count, totals in ((found.spilled.before, reading.totals), (found.spilled.after, truth.totals)):
            assert count == totals.persisted + totals.replaced
        assert found.tokens_kept_out == (reading.totals.tokens_saved, truth.totals.tokens_saved)


@QUIET
@given(histories(), limits(), limits(), st.data())
def test_a_session_that_grows_is_followed(
    tmp_path: Path, records: list[dict[str, Any]], base: dict[str, Any], edit: dict[str, Any], data: st.DataObject
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    whole = lines(records)
    session = open_session(path, book(base))
    asked = WhatIf(session, session.refresh())
    mode: Mode = data.draw(st.sampled_from(["start", "now"]), label="mode")
    since = data.draw(st.integers(0, 6), label="since") if mode == "now" else None
    for cut in [*sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8), label="cuts")), len(whole)]:
        with path.open("ab") as file:
            file.write(whole[path.stat().st_size : cut])
        reading = session.refresh()
        asked.follow(reading)
        found = asked.compare(book(edit), mode, since=since)
        cold = WhatIf(session, reading).compare(book(edit), mode, since=since)
        assert comparable(found) == comparable(cold)


def comparable(found: Comparison) -> dict[str, Any]:
    values = {name: getattr(found, name) for name in type(found).__slots__}
    return values | {"flips": list(found.flips)}


@QUIET
@given(histories(), limits(), limits(), st.integers(0, 8))
def test_from_now_on_never_changes_a_decided_fate(
    tmp_path: Path, records: list[dict[str, Any]], base: dict[str, Any], edit: dict[str, Any], since: int
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(records))
    session = open_session(path, book(base))
    reading = session.refresh()
    found = WhatIf(session, reading).compare(book(edit), "now", since=since)
    sent = {request.assistant_id: number for number, request in enumerate(reading.requests)}
    groups = list(reading.groups)
    for flip in found.flips:
        if flip.group < len(groups) and groups[flip.group].assistant_id is not None:
            assert sent[groups[flip.group].assistant_id or ""] >= since
    assert found.before.context[:since] == found.after.context[:since]
    assert not WhatIf(session, reading).compare(book(edit), "now").flips or reading.pending is not None


@QUIET
@given(histories(), limits(), CHARS, CHARS)
def test_raising_a_threshold_never_spills_more_in_layer_one(
    tmp_path: Path, records: list[dict[str, Any]], base: dict[str, Any], one: int, other: int
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(records))
    session = open_session(path)
    asked = WhatIf(session, session.refresh(), book({**base, "default_threshold": min(one, other)}))
    raised = asked.compare(book({**base, "default_threshold": max(one, other)}))
    assert not [flip for flip in raised.flips if flip.after.fate == "persisted"]


@QUIET
@given(histories(), limits())
def test_an_infinite_budget_replaces_nothing(tmp_path: Path, records: list[dict[str, Any]], base: dict[str, Any]) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(records))
    session = open_session(path, book(base))
    found = WhatIf(session, session.refresh()).compare(book({**base, "message_budget": 2**53}))
    assert found.replaced.after == 0
    assert found.over_budget.after == 0


@QUIET
@given(histories(), limits(), limits())
def test_the_savings_of_the_results_are_the_total(
    tmp_path: Path, records: list[dict[str, Any]], base: dict[str, Any], edit: dict[str, Any]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(records))
    session = open_session(path, book(base))
    asked = WhatIf(session, session.refresh())
    same = asked.compare(book(base))
    assert (len(same.flips), same.before, same.cost.difference) == (0, same.after, 0)
    found = asked.compare(book(edit))
    truth = {result.row: result for result in all_of(replayed(path, edit))}
    moved = sum(result.model_tokens - truth[result.row].model_tokens for result in all_of(asked.reading))
    assert sum(flip.tokens_saved for flip in found.flips) == moved


@pytest.mark.parametrize("mode", ["start", "now"])
def test_the_limits_against_themselves_differ_in_nothing(tmp_path: Path, mode: Mode) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    session = open_session(path)
    found = WhatIf(session, session.refresh()).compare(LimitsBook(), mode)
    assert (list(found.flips), found.before, found.spilled) == ([], found.after, (0, 0))
