"""W5: which results are cleared, when, and that they stay so."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conversation import Json, answers, asks, content_of, plain, result
from spillscope.blocks import CLEARED_PLACEHOLDER
from spillscope.pipeline.microcompact import (
    ClearedResults,
    Microcompact,
    MicrocompactContext,
    MicrocompactReport,
    cleared_in,
    microcompact,
    sized,
)
from spillscope.tokens.rough import estimate_content
from spillscope.wrapper import PERSISTED_TAG

LAST = datetime(2026, 1, 2, 3, 0, tzinfo=UTC).timestamp()
HOUR = 3_600.0
ON = Microcompact(time_based=True, keep_recent=2)


def conversation(*tools: str, chars: int = 30) -> list[Json]:
    messages: list[Json] = []
    for at, tool in enumerate(tools):
        messages.append({**asks(f"m{at}", (f"t{at}", tool)), "timestamp": "2026-01-02T03:00:00.000Z"})
        messages.append(answers(result(f"t{at}", "x" * chars)))
    return messages


def cleared(messages: list[Json], count: int) -> list[int]:
    return [at for at in range(count) if content_of(messages, f"t{at}") == CLEARED_PLACEHOLDER]


def context(settings: Microcompact = ON, memory: ClearedResults | None = None, later: float = HOUR) -> MicrocompactContext:
    return MicrocompactContext(settings, memory if memory is not None else ClearedResults(), LAST + later)


def test_all_but_the_last_results_of_compactable_tools_are_cleared() -> None:
    messages = conversation("Read", "Task", "Bash", "Grep", "mcp__x", "Edit")
    before = deepcopy(messages)
    found, report = microcompact(messages, context())
    assert cleared(found, 6) == [0, 2]
    assert report == MicrocompactReport(("t0", "t2"), (), 2 * 11)  # 8 tokens × 4/3, rounded up
    assert messages == before
    assert found[2] is messages[2]


@pytest.mark.parametrize(("settings", "later"), [(Microcompact(), 9 * HOUR), (ON, HOUR - 0.001)])
def test_off_or_too_early_is_the_same_list(settings: Microcompact, later: float) -> None:
    messages = conversation("Read", "Read", "Read")
    assert microcompact(messages, context(settings, later=later)) == (messages, MicrocompactReport())
    assert microcompact(messages, context(settings, later=later))[0] is messages


@pytest.mark.parametrize("keep", [0, -3, 1])
def test_one_result_always_stays(keep: int) -> None:
    found, _ = microcompact(conversation("Read", "Read"), context(Microcompact(time_based=True, keep_recent=keep)))
    assert cleared(found, 2) == [0]


@pytest.mark.parametrize("stamp", [None, 7, "yesterday", "9" * 40])
def test_messages_that_tell_no_time_are_never_idle(stamp: object) -> None:
    messages = conversation("Read", "Read", "Read")
    messages[-2] = {**messages[-2], "timestamp": stamp}
    assert microcompact(messages, context())[0] is messages
    plain_ones = [plain(message) for message in messages]
    assert microcompact(plain_ones, context())[0] is plain_ones


def test_cleared_ids_stay_cleared_whatever_stands_there_now() -> None:
    memory = ClearedResults()
    microcompact(conversation("Read", "Read", "Read"), context(memory=memory))
    back = conversation("Read", "Read", "Read")
    back[1] = answers(result("t0", f"{PERSISTED_TAG}\npreview"))
    for settings in (ON, Microcompact()):
        found, report = microcompact(back, context(settings, memory, later=0))
        assert cleared(found, 3) == [0]
        assert report == MicrocompactReport()


def test_a_fork_clears_on_its_own() -> None:
    memory = ClearedResults({"t0": None})
    copy = memory.fork()
    microcompact(conversation("Read", "Read", "Read", "Read"), context(memory=copy))
    assert list(copy.cleared) == ["t0", "t1"]
    assert list(memory.cleared) == ["t0"]


def test_cached_hands_out_ids_once_and_leaves_the_messages() -> None:
    settings, memory = Microcompact(cached=True, cached_above=3, keep_recent=2), ClearedResults()
    messages = conversation(*["Read"] * 3)
    assert microcompact(messages, context(settings, memory)) == (messages, MicrocompactReport())
    messages = conversation(*["Read"] * 4)
    found, report = microcompact(messages, context(settings, memory))
    assert found is messages
    assert (report.cleared, report.delete_ids) == ((), ("t0", "t1"))
    assert microcompact(messages, context(settings, memory))[1] == MicrocompactReport()
    assert microcompact(conversation(*["Read"] * 6), context(settings, memory))[1].delete_ids == ("t2", "t3")


def test_what_a_transcript_tells_of_it() -> None:
    told = {"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": {"compactedToolIds": ["a", 7, "b"]}}
    foreign = [None, {"subtype": "microcompact_boundary"}, {"subtype": "microcompact_boundary", "microcompactMetadata": 3}]
    assert cleared_in([*foreign, told]) == ["a", "b"]


@given(st.text(max_size=40))
def test_its_size_is_four_thirds_rounded_up(text: str) -> None:
    tokens = estimate_content(text)
    assert sized(text) - 1 < tokens * 4 / 3 <= sized(text)
