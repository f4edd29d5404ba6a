"""Time travel: what the session shows of a past request is what a replay up to it would have shown."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from histories import conversations
from spillscope.limits_sources import LimitsBook
from spillscope.session.groups import totals_of
from spillscope.session.reading import Reading
from spillscope.session.replay import Replay
from spillscope.session.session import Session
from spillscope.session.travel import reading_at
from spillscope.transcript.chain import Chain
from transcripts import Writer, lines, open_session, text, use

BOOK = LimitsBook().with_layer({"message_budget": 300, "overrides": {"Bash": 150}}, "test")
SLOW = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]


def cold(session: Session, until: int) -> Replay:
    """A replay of its own over the timeline's beginning."""
    chain = session.chain
    started = [start for start in chain.segment_starts if start <= until]
    cut = SimpleNamespace(
        timeline=chain.timeline[:until], segment_starts=started, kept=chain.kept[: len(started)], position=chain.position
    )
    replay = Replay(session.index, cast(Chain, cut), session.book, session.replay.judge.path_chars)
    replay.judge.switch = session.replay.switch
    replay.feed()
    return replay


def position_of(session: Session, request: int) -> int:
    """Where the first record of a request's response stands in the timeline."""
    number = session.replay.requests[request].response
    places = [at for member in session.index.responses[number].members if (at := session.chain.position(member)) is not None]
    return min(places)


def same_as_cold(session: Session, live: Reading, request: int) -> None:
    then, replay = reading_at(session, live, request), cold(session, position_of(session, request))
    pending = replay.pending()
    assert list(then.groups) == list(replay.groups.view())
    assert list(then.requests) == list(replay.requests.view())
    assert then.pending == pending
    assert (then.context.tokens, then.context.usage) == (replay.estimate_now(), replay.count.usage)
    assert then.live_from == replay.segment_groups[-1]
    assert len(then.cuts) == len(replay.segment_groups) - 1
    assert then.totals == (replay.totals if pending is None else replay.totals.plus(totals_of(pending)))


@settings(max_examples=150, suppress_health_check=SLOW)
@given(conversations(), st.data())
def test_stepping_shows_what_a_replay_up_to_there_shows(
    tmp_path: Path, records: list[dict[str, Any]], data: st.DataObject
) -> None:
    path = tmp_path / "s.jsonl"
    whole = lines(records)
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole)), label="seen first")])
    session = open_session(path, BOOK)
    session.refresh()
    path.write_bytes(whole)
    live = session.refresh()
    for request in data.draw(st.permutations(range(len(live.requests))), label="steps"):
        same_as_cold(session, live, request)
    assert session.refresh() is live


@st.composite
def straight_conversations(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Records that only ever add to what stands before them."""
    writer = Writer()
    writer.prompt()
    for step in range(draw(st.integers(1, 12))):
        calls = [f"t{step}.{at}" for at in range(draw(st.integers(0, 3)))]
        usage = draw(st.integers(1, 900))
        writer.say(*(use(draw(st.sampled_from(["Bash", "Read", "Glob"])), call) for call in calls), usage=usage)
        for call in calls:
            writer.result(call, "x" * draw(st.sampled_from([0, 10, 140, 160, 200, 400])))
        if not calls:
            draw(st.sampled_from([writer.prompt, writer.boundary]))()
        if not draw(st.integers(0, 5)):
            writer.say(text("API Error"), model="<synthetic>", isApiErrorMessage=True)
    return writer.records


@settings(max_examples=60, suppress_health_check=SLOW)
@given(straight_conversations())
def test_it_is_what_the_file_said_then(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    """A file that ends right before a request's response reads as the whole file does at that request."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines(records))
    session = open_session(path, BOOK)
    live = session.refresh()
    answers = [at for at, record in enumerate(records) if is_answer(record)]
    assert len(answers) == len(live.requests)
    for request, at in enumerate(answers):
        then = reading_at(session, live, request)
        path.write_bytes(lines(records[:at]))
        past = open_session(path, BOOK).refresh()
        assert (list(then.groups), then.pending, then.totals) == (list(past.groups), past.pending, past.totals)
        assert list(then.requests) == list(past.requests)
        assert (then.context.tokens, then.context.anchor_uuid) == (past.context.tokens, past.context.anchor_uuid)
        assert (then.live_from, then.cuts) == (past.live_from, past.cuts)
        assert then.session.compactions == past.session.compactions


def is_answer(record: dict[str, Any]) -> bool:
    return record["type"] == "assistant" and not record.get("isApiErrorMessage")


def test_the_past_has_its_model_and_its_version(tmp_path: Path) -> None:
    writer = Writer(version="2.1.80")
    writer.prompt()
    writer.call("Grep", "a", "found", usage=150_000)
    writer.version = "2.1.90"
    writer.say(model="claude-opus-4-6", usage=160_000)
    session = open_session(writer.save(tmp_path))
    live = session.refresh()
    first, second = (reading_at(session, live, request) for request in (0, 1))
    assert (first.at, first.session.version, first.context.usage) == (0, "2.1.80", 0)
    assert (second.at, second.session.version, second.session.model) == (1, "2.1.90", "claude-opus-4-6")
    assert (live.at, second.context.usage) == (None, 150_000)
    assert second.pending is not None
    assert second.pending.results[0].observed == "pending"


def test_there_is_no_request_beyond_the_last(tmp_path: Path) -> None:
    writer = Writer()
    writer.prompt()
    writer.say(usage=10)
    session = open_session(writer.save(tmp_path))
    live = session.refresh()
    with pytest.raises(IndexError):
        reading_at(session, live, 1)


NAMED = os.environ.get("SPILLSCOPE_REAL_SESSIONS")


@pytest.mark.skipif(NAMED is None, reason="SPILLSCOPE_REAL_SESSIONS names no folder of real sessions")
@pytest.mark.parametrize("path", sorted(Path(NAMED).rglob("*.jsonl")) if NAMED else [], ids=lambda path: path.stem[:20])
def test_real_sessions_step_as_they_replay(path: Path) -> None:
    session = open_session(path)
    live = session.refresh()
    for request in range(0, len(live.requests), max(1, len(live.requests) // 8)):
        same_as_cold(session, live, request)
