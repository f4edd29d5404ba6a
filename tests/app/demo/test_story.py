"""The demo's agent and the inspector are two sides of one core: what one did, the other reads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from spillscope.agent import AgentContext, Prepared
from spillscope.budget.enforce import GroupReport
from spillscope.limits_sources import LimitsPlan
from spillscope.messages import Message
from spillscope.session.reading import Group, Reading, Request
from spillscope.session.report import sections
from spillscope.session.session import Session
from spillscope.session.sidechains import agent_sessions
from spillscope.session.spills import list_spills
from spillscope.session.spills.inventory import take_inventory
from spillscope.session.tools import all_results
from spillscope.transcript.layout import place_of
from spillscope_app.demo.home import KEPT_SESSIONS, Home
from spillscope_app.demo.loop import AFTER_ANSWER, ROUNDS, Conversation, open_conversation, play, play_round
from spillscope_app.demo.pace import Stopped, StoryPace

START = datetime(2026, 3, 3, 9, tzinfo=UTC)


def furnished(folder: Path) -> Home:
    home = Home(folder)
    home.furnish()
    return home


def read(home: Home, transcript: Path) -> tuple[Session, Reading]:
    session = Session(place_of(transcript), LimitsPlan(extra=(home.limits_file,)).load())
    return session, session.refresh()


class Told(NamedTuple):
    """A round of the story as its agent lived it: its requests, and each group as it was when it first went out."""

    main: Conversation
    requests: list[list[Message]]
    groups: dict[str, GroupReport]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Told:
    main = open_conversation(furnished(tmp_path / "demo"), Random("7"), StoryPace(START))
    requests: list[list[Message]] = []
    groups: dict[str, GroupReport] = {}  # by the first id in each
    prepare = AgentContext.prepare

    def listening(context: AgentContext, messages: list[Message]) -> Prepared:
        prepared = prepare(context, messages)
        if context is main.context:
            requests.append(list(prepared.messages))  # it may be the caller's own, which grows
            for group in prepared.budget.groups:
                groups.setdefault(group.results[0].tool_use_id, group)
        return prepared

    monkeypatch.setattr(AgentContext, "prepare", listening)
    play_round(main)
    return Told(main, requests, groups)


def candidates(group: Group) -> list[Any]:
    return [result for result in group.results if result.state is not None]


def test_both_sides_agree_on_every_state_fate_and_sum(told: Told) -> None:
    session, reading = read(told.main.desk.home, told.main.writer.path)
    state = told.main.context.state
    # B1: to the acting side a placeholder is a text like any other; a report calls it no candidate.
    told_empty = {result.row.tool_use_id for result in all_results(reading) if result.fate == "placeholder"}
    seen = [result for group in reading.groups for result in candidates(group)]
    assert {result.row.tool_use_id for result in seen} == set(state.seen_ids) - told_empty
    for result in seen:
        expected = "mustReapply" if result.row.tool_use_id in state.replacements else "frozen"
        assert (result.row.tool_use_id, result.state) == (result.row.tool_use_id, expected)
    acted = {tuple(result.tool_use_id for result in group.results): group for group in told.groups.values()}
    compared = 0
    for group in reading.groups:
        theirs = acted.get(tuple(r.row.tool_use_id for r in group.results if r.state is not None or r.fate == "placeholder"))
        if theirs is not None:
            compared += 1
            mine = candidates(group)
            found = [result for result in theirs.results if result.tool_use_id not in told_empty]
            placeholders = sum(result.chars for result in theirs.results) - sum(result.chars for result in found)
            assert [result.fate for result in mine] == [result.fate for result in found]
            assert [result.row.chars for result in mine] == [result.chars for result in found]
            assert (group.limit, group.frozen, group.reapplied) == (theirs.limit, theirs.frozen, theirs.reapplied)
            assert (group.fresh, group.exempt) == (theirs.fresh - placeholders, theirs.exempt)
            assert group.visible == theirs.visible - placeholders
    assert compared == len(told.groups) >= 12
    assert reading.context.tokens == told.main.context.context_tokens(told.main.messages).total
    assert dict(sections(session, reading))["drift"] == []
    assert not reading.session.skipped_lines
    assert not reading.session.unknown_types
    assert not reading.session.bridged


def test_every_request_begins_as_the_last_one_did(told: Told) -> None:
    def sent(messages: list[Message]) -> list[str]:
        return [json.dumps(message.get("message")) for message in messages]

    before: list[str] = []
    compactions = 0
    for request in map(sent, told.requests):
        if request[: len(before)] != before:
            compactions += 1
        before = request
    assert compactions == told.main.memory.compactions == 1


def test_everything_happens_that_the_budget_is_there_for(told: Told) -> None:
    session, reading = read(told.main.desk.home, told.main.writer.path)
    results = list(all_results(reading))
    assert {result.fate for result in results} == {"full", "persisted", "replaced", "exempt", "placeholder", "image"}
    assert {result.observed for result in results} == {"inline", "persisted", "replaced", "empty", "image"}
    tools = {result.row.tool for result in results}
    assert {"Bash", "Grep", "Read", "Edit", "Agent"} < tools
    assert any(tool and tool.startswith("mcp__") for tool in tools)
    assert [group.over_budget for group in reading.groups].count(True) == 2
    assert max(len(group.picks) for group in reading.groups) == 2
    spills = list(list_spills(session, reading))
    assert {spill.origin for spill in spills} == {"result", "budget"}
    assert {spill.agent_id is None for spill in spills} == {True, False}
    assert sum(spill.reread or 0 for spill in spills) >= 4
    assert all(spill.file.exists and spill.file.inside and spill.mismatch is None for spill in spills)
    (compaction,) = reading.session.compactions
    assert compaction.at is not None
    assert reading.session.started is not None
    last = reading.requests[-1].timestamp
    assert last is not None
    assert (compaction.at - reading.session.started) / (last - reading.session.started) > 0.75
    (agent,) = agent_sessions(session)
    agent_reading = agent.refresh()
    assert len(agent_reading.requests) == 4
    assert agent_reading.totals.drift == 0


def test_every_use_of_a_spill_is_there(told: Told) -> None:
    session, reading = read(told.main.desk.home, told.main.writer.path)
    found = take_inventory(session, reading).counts
    assert {"never re-read", "re-read in part", "re-read whole", "hidden error"} == set(found)


def test_each_state_is_there_early(told: Told) -> None:
    """The story's seconds are the watcher's at speed 1."""
    _, reading = read(told.main.desk.home, told.main.writer.path)
    sent = {group.assistant_id: group for group in reading.groups}
    early = [request for request in reading.requests if (request.timestamp or 0) - START.timestamp() < 12]
    fates = {result.fate for request in early if request.assistant_id in sent for result in sent[request.assistant_id].results}
    assert {"full", "persisted", "replaced", "exempt"} <= fates


def test_usage_grows_by_what_was_added(told: Told) -> None:
    _, reading = read(told.main.desk.home, told.main.writer.path)

    def steps() -> Iterator[tuple[Request, Request]]:
        for before, after in pairwise(reading.requests):
            if before.segment == after.segment:
                yield before, after

    for before, after in steps():
        assert before.usage.prompt < after.usage.prompt
        assert after.usage.cache_read == before.usage.prompt
        assert after.estimate_before < after.usage.prompt  # units / 4 errs on the low side
    prompts = [request.usage.prompt for request in reading.requests]
    assert max(prompts) > 150_000
    assert 160_000 < (reading.session.compactions[0].pre_tokens or 0) < 190_000


def story_bytes(folder: Path, seed: str) -> dict[str, bytes]:
    home = furnished(folder)
    play_round(open_conversation(home, Random(seed), StoryPace(START)))
    root = str(folder).encode()
    files = [path for path in home.project.rglob("*") if path.is_file()]
    return {str(path.relative_to(home.project)): path.read_bytes().replace(root, b"") for path in files}


def test_the_same_seed_tells_the_same_story(tmp_path: Path) -> None:
    one, same, other = story_bytes(tmp_path / "a", "7"), story_bytes(tmp_path / "b", "7"), story_bytes(tmp_path / "c", "8")
    assert one == same
    assert one.keys() != other.keys()


def test_limits_that_change_between_runs_alter_no_decided_fate(tmp_path: Path) -> None:
    home = furnished(tmp_path / "demo")
    main = open_conversation(home, Random("7"), StoryPace(START))
    play_round(main)
    decided = main.context.state.replacements
    main.clear()
    home.limits_file.write_text("message_budget = 20000\n[overrides]\nBash = 4000\n")
    play_round(main)
    assert main.context.state.replacements.items() > decided.items()
    assert len(main.context.state.replacements) >= 2 * len(decided)


class Patience:
    """A story's time that ends after so many answers."""

    def __init__(self, answers: int) -> None:
        self._time, self._left = StoryPace(START), answers

    def now(self) -> datetime:
        return self._time.now()

    def wait(self, seconds: float) -> None:
        self._time.wait(seconds)
        if seconds == AFTER_ANSWER:
            self._left -= 1
            if not self._left:
                raise Stopped


def test_it_starts_over_and_forgets_what_is_old(tmp_path: Path) -> None:
    home = furnished(tmp_path / "demo")
    announced: list[Path] = []
    with pytest.raises(Stopped):
        play(home, "7", Patience(ROUNDS * (KEPT_SESSIONS + 1) + 2), announced.append)
    assert len(announced) == 1
    assert not announced[0].exists()
    transcripts = sorted(home.project.glob("*.jsonl"), key=lambda path: path.stat().st_mtime_ns)
    assert len(transcripts) == KEPT_SESSIONS + 1
    assert {path.stem for path in home.project.iterdir()} == {path.stem for path in transcripts}
    _, newest = read(home, transcripts[-1])
    assert [cut.compaction for cut in newest.cuts] == [0, None, 1]
    assert newest.totals.drift == 0
    starts = [read(home, path)[1].session.started or 0 for path in transcripts]
    assert starts == sorted(set(starts))
