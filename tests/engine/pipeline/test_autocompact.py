"""W7, W3: when a summary takes the history's place, what is kept, and what a failure leaves."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest

from conversation import Json, answers, asks, plain, result
from spillscope.messages import Message
from spillscope.pipeline.autocompact import AutocompactContext, Source, Status, Summary, autocompact
from spillscope.pipeline.breaker import Breaker
from spillscope.tokens.hybrid import token_count_with_estimation
from spillscope.window.thresholds import Window, window_thresholds

WINDOW = window_thresholds(200_000, 32_000, source="test")
FULL, ROOMY = 167_000, 166_999


def conversation(usage: int) -> list[Json]:
    """Two turns, then a prompt; the last response tells the usage."""
    first, second = asks("m1", ("a", "Grep")), asks("m2", ("b", "Grep"), ("c", "Grep"))
    second["message"]["usage"] = {"input_tokens": usage}
    messages = [
        {"type": "user", "message": {"role": "user", "content": "Go."}},
        first,
        answers(result("a", "1")),
        second,
        answers(result("b", "2")),
        answers(result("c", "3")),
    ]
    return [{"uuid": f"u{at}", **message} for at, message in enumerate(messages)]


class Summariser:
    def __init__(self, *answers: str | Summary | Exception) -> None:
        self.answers = list(answers)
        self.given: list[list[Json]] = []

    def __call__(self, messages: list[Message]) -> str | Summary:
        self.given.append(messages)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def context(summarise: Any, breaker: Breaker | None = None, *, window: Window = WINDOW, **more: Any) -> AutocompactContext:
    return AutocompactContext(summarise, window, breaker or Breaker(), **more)


OFF = window_thresholds(200_000, 32_000, source="test", auto_compact=False)


@pytest.mark.parametrize(
    ("usage", "source", "freed", "window", "status"),
    [
        (ROOMY, "main", 0, WINDOW, "below"),
        (FULL, "main", 0, WINDOW, "compacted"),
        (FULL, "agent", 0, WINDOW, "compacted"),
        (FULL, "compact", 0, WINDOW, "compaction"),
        (FULL + 100, "main", 101, WINDOW, "below"),
        (FULL + 100, "main", 100, WINDOW, "compacted"),
        (FULL * 9, "main", 0, OFF, "off"),
    ],
)
def test_the_decision(usage: int, source: Source, freed: int, window: Window, status: Status) -> None:
    messages = conversation(usage)
    results = token_count_with_estimation(messages).estimate
    messages[3]["message"]["usage"]["input_tokens"] -= results
    summariser = Summariser("So far.")
    found, report = autocompact(messages, context(summariser, window=window, source=source, freed_tokens=freed))
    assert report.status == status
    assert bool(summariser.given) == (status == "compacted")
    assert (found is messages) == (status != "compacted")


def test_without_a_summariser_it_is_off() -> None:
    messages = conversation(FULL * 2)
    found, report = autocompact(messages, context(None))
    assert (found is messages, report.status) == (True, "off")


def test_boundary_summary_and_nothing_else() -> None:
    messages = conversation(FULL)
    before = deepcopy(messages)
    summariser = Summariser("So far.")
    found, report = autocompact(messages, context(summariser))
    assert messages == before
    assert summariser.given == [messages]
    boundary, said = found
    assert (boundary["subtype"], boundary["compactMetadata"]["trigger"]) == ("compact_boundary", "auto")
    assert boundary["compactMetadata"]["preTokens"] == report.tokens >= FULL
    assert (said["isCompactSummary"], said["message"]["content"], said["parentUuid"]) == (True, "So far.", boundary["uuid"])
    assert (report.boundary, report.summary, report.kept) == (boundary, said, 0)


@pytest.mark.parametrize(("keep", "kept"), [(0, 0), (1, 3), (2, 3), (3, 3), (4, 5), (5, 5), (6, 6), (99, 6), (-1, 0)])
def test_what_is_kept_parts_no_result_from_its_call(keep: int, kept: int) -> None:
    messages = conversation(FULL)
    found, report = autocompact(messages, context(Summariser(Summary("So far.", keep))))
    assert report.kept == kept
    assert found[2:] == messages[len(messages) - kept :]


def test_no_response_is_parted_from_itself() -> None:
    messages = conversation(FULL)
    split = {**asks("m2", ("d", "Grep")), "uuid": "u3b"}
    messages.insert(4, split)
    assert autocompact(messages, context(Summariser(Summary("So far.", 3))))[1].kept == 4


def test_the_usage_of_what_was_kept_never_counts_again() -> None:
    records = conversation(FULL)
    for messages in (records, [plain(message) | {"usage": {"input_tokens": FULL}} for message in records]):
        found, report = autocompact(messages, context(Summariser(Summary("So far.", 3))))
        assert report.kept == 3
        assert token_count_with_estimation(found).total < 100


def test_a_plain_conversation_stays_one_that_can_be_sent() -> None:
    messages = [plain(message) for message in conversation(FULL)]
    messages[3]["usage"] = {"input_tokens": FULL}
    found, report = autocompact(messages, context(Summariser(Summary("So far.", 3))))
    assert found[0] == {"role": "user", "content": "So far."}
    assert [set(message) for message in found[1:]] == [{"role", "content"}] * 3
    assert report.boundary is not None


@pytest.mark.parametrize("answer", [RuntimeError("no\nmodel"), "", " \n", Summary("")])
def test_a_failure_leaves_everything_as_it_was(answer: Any) -> None:
    messages = conversation(FULL)
    breaker = Breaker()
    found, report = autocompact(messages, context(Summariser(answer), breaker))
    assert found is messages
    assert report.status == "failed"
    assert report.error is not None
    assert "\n" not in report.error
    assert breaker.failures == 1


def test_records_that_cannot_be_kept_are_a_failure() -> None:
    def full_disk(summary: str, pre: int, post: int | None = None, trigger: str = "auto", *, kept: Sequence[Message]) -> Any:
        raise OSError(28, "No space left on device")

    messages = conversation(FULL)
    found, report = autocompact(messages, context(Summariser("So far."), records=full_disk))
    assert found is messages
    assert report.error == "No space left on device"


def test_three_failures_stop_it() -> None:
    summariser, breaker = Summariser(RuntimeError("no")), Breaker()
    found = [autocompact(conversation(FULL), context(summariser, breaker))[1].status for _ in range(5)]
    assert found == ["failed", "failed", "failed", "stopped", "stopped"]
    assert len(summariser.given) == 3


def test_a_success_resets_them() -> None:
    breaker = Breaker()
    summariser = Summariser(RuntimeError("no"), RuntimeError("no"), "So far.", RuntimeError("no"), RuntimeError("no"))
    found = [autocompact(conversation(FULL), context(summariser, breaker))[1].status for _ in range(5)]
    assert found == ["failed", "failed", "compacted", "failed", "failed"]


def test_three_quick_refills_stop_it_until_there_is_room() -> None:
    breaker = Breaker()
    one = context(Summariser("So far."), breaker)
    found = [autocompact(conversation(FULL), one)[1].status for _ in range(5)]
    assert found == ["compacted", "compacted", "compacted", "thrashing", "thrashing"]
    assert autocompact(conversation(9), one)[1].status == "below"
    assert autocompact(conversation(FULL), one)[1].status == "compacted"


def test_a_coroutine_is_refused_in_words() -> None:
    async def later(messages: list[Message]) -> str:
        return "So far."

    with pytest.raises(TypeError, match="aprepare"):
        autocompact(conversation(FULL), context(later))
