"""T9: what counts as the cost of the new messages, and which steps are left out because they prove nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from paying import OUTPUT, PROSE, SPECIAL, Paying, only_steps, price
from spillscope.session.calibration import Calibrator
from spillscope.session.steps import LEAST_TOKENS, LeftOut
from spillscope.tokens.bpe import count
from spillscope.tokens.calibration import Step
from transcripts import open_session, text, use


def found(writer: Paying, folder: Path) -> dict[int, Step | LeftOut]:
    session = open_session(writer.save(folder))
    session.refresh()
    calibrator = Calibrator(session)
    calibrator.run()
    return calibrator.steps()


def test_a_step_costs_what_the_next_request_carried_less_what_the_last_one_had(tmp_path: Path) -> None:
    writer = Paying()
    writer.prompt()
    writer.step(cost=777)
    writer.ask()
    step = only_steps(found(writer, tmp_path))[1]
    assert (step.truth, step.messages, step.weight.bpe) == (777, 1, count(PROSE))
    assert step.rough == round(len(PROSE) / 4)


def test_results_of_parallel_calls_are_one_step(tmp_path: Path) -> None:
    writer = Paying()
    writer.prompt()
    writer.ask(use("Bash", "a"), use("Bash", "b"))
    writer.result("a", PROSE)
    writer.result("b", PROSE)
    writer.carried += 900
    writer.ask()
    step = only_steps(found(writer, tmp_path))[1]
    assert (step.truth, step.messages, step.weight.bpe) == (900, 2, 2 * count(PROSE))


def test_the_largest_output_count_of_a_split_response_is_taken(tmp_path: Path) -> None:
    writer = Paying()
    writer.prompt()
    carried = writer.carried
    writer.say(text("I look."), id="m1", usage={"input_tokens": carried, "output_tokens": 1})
    writer.say(use("Bash", "a"), id="m1", usage={"input_tokens": carried, "output_tokens": OUTPUT})
    writer.result("a", PROSE)
    writer.carried += OUTPUT + 300
    writer.ask()
    assert only_steps(found(writer, tmp_path))[1].truth == 300


def test_a_replaced_result_counts_as_the_model_saw_it(tmp_path: Path) -> None:
    writer = Paying()
    writer.prompt()
    writer.step("a huge output " * 4_000, cost=price(PROSE))
    writer.replace("t1", PROSE)
    writer.ask()
    assert only_steps(found(writer, tmp_path))[1].weight.bpe == count(PROSE)


@pytest.mark.parametrize(("reason", "special"), SPECIAL, ids=lambda value: getattr(value, "__name__", str(value)))
def test_is_left_out(tmp_path: Path, reason: LeftOut, special: Callable[[Paying], None]) -> None:
    writer = Paying()
    writer.prompt()
    writer.step()
    special(writer)
    writer.ask(text("Done."))
    steps = found(writer, tmp_path)
    assert steps[len(steps)] == reason


def test_the_text_of_a_skill_begins_no_turn(tmp_path: Path) -> None:
    writer = Paying()
    writer.prompt()
    writer.step("Launching.", cost=20)
    writer.prompt(PROSE, isMeta=True)
    writer.carried += price(PROSE)
    writer.ask()
    assert isinstance(found(writer, tmp_path)[1], Step)


def test_a_step_just_large_enough_counts(tmp_path: Path) -> None:
    writer = Paying()
    writer.prompt()
    writer.step(" word" * LEAST_TOKENS)
    writer.step(" word" * (LEAST_TOKENS - 1))
    writer.ask()
    steps = found(writer, tmp_path)
    assert isinstance(steps[1], Step)
    assert steps[2] == "small"


def test_a_record_too_large_to_be_read_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = Paying()
    writer.prompt()
    writer.step()
    writer.ask()
    monkeypatch.setattr("spillscope.session.weights.MAX_RECORD_BYTES", 600)
    assert found(writer, tmp_path)[1] == "unread"
