"""T8, T9: what is said of a session as it stands, however it came to be and in whatever slices it was counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paying import OUTPUT, PROSE, SPECIAL, Paying, placeholder, price
from spillscope.session.calibrated import Calibrated
from spillscope.session.calibration import Calibrator
from spillscope.session.session import Session
from spillscope.tokens.bpe import SLICE_CHARS, count
from spillscope.tokens.calibration import Step, band
from spillscope.tokens.priors import find_prior
from spillscope.tokens.rough import IMAGE_TOKENS
from spillscope.tokens.weight import Weight, weigh
from transcripts import MODEL, Writer, lines, open_session, text, use

PRIOR = find_prior(MODEL)
Move = Callable[[Paying], None]
NEEDLESS = [special for reason, special in SPECIAL if reason not in ("compaction", "small")]
"""Steps that are left out for something else than their text."""


def calibrate(writer: Writer, folder: Path) -> Calibrated:
    session = opened(writer, folder)
    return Calibrator(session).run()


def opened(writer: Writer, folder: Path) -> Session:
    session = open_session(writer.save(folder))
    session.refresh()
    return session


def started(head: int = 20_000) -> Paying:
    writer = Paying(head)
    writer.prompt("Please look.")
    return writer


class TestContext:
    def test_is_exact_where_nothing_came_after_the_usage(self, tmp_path: Path) -> None:
        writer = started()
        writer.ask()
        found = calibrate(writer, tmp_path)
        assert (found.usage, found.estimate, found.estimate_bpe) == (20_000 + OUTPUT, 0, 0)
        assert found.band == (found.usage, found.usage)

    def test_estimates_what_came_after_it_three_times(self, tmp_path: Path) -> None:
        writer = started()
        writer.step(PROSE)
        session = opened(writer, tmp_path)
        found, context = Calibrator(session).run(), session.refresh().context
        assert found.usage == context.usage
        assert context.estimate == round(len(PROSE) / 4)
        assert found.estimate_bpe == count(PROSE)
        assert found.estimate == pytest.approx(price(PROSE), abs=1)
        assert found.band.low < found.tokens < found.band.high

    def test_does_not_count_what_the_usage_already_holds(self, tmp_path: Path) -> None:
        """T4 counts the later records of a split response again; the fitted estimate does not."""
        writer = started()
        usage = {"input_tokens": writer.carried, "output_tokens": 900}
        writer.say(text("I look."), id="m1", usage=usage)
        writer.say(text(PROSE), use("Bash", "t1"), id="m1", usage=usage)
        found = calibrate(writer, tmp_path)
        assert found.estimate == 0
        assert found.estimate_bpe is not None
        assert found.estimate_bpe > count(PROSE)

    def test_adds_what_a_placeholder_does_not_tell(self, tmp_path: Path) -> None:
        writer = started()
        writer.say(text(PROSE), usage={"input_tokens": writer.carried, "output_tokens": 2})
        assert calibrate(writer, tmp_path).estimate == pytest.approx(price(PROSE) - PRIOR.message - 2, abs=1)

    def test_counts_attachments_though_the_rough_rule_does_not(self, tmp_path: Path) -> None:
        writer = started()
        writer.ask()
        writer.put("attachment", {"attachment": {"type": "file", "content": PROSE}})
        found = calibrate(writer, tmp_path)
        assert found.estimate == pytest.approx(price(PROSE) - PRIOR.message, abs=1)
        assert found.estimate_bpe == 0

    def test_counts_images_flat(self, tmp_path: Path) -> None:
        writer = started()
        writer.step([{"type": "image", "source": {}}], cost=0)
        found = calibrate(writer, tmp_path)
        assert found.estimate == IMAGE_TOKENS + round(PRIOR.message)
        assert found.estimate_bpe == IMAGE_TOKENS

    def test_is_all_estimate_without_a_usage(self, tmp_path: Path) -> None:
        writer = Paying()
        writer.prompt(PROSE)
        found = calibrate(writer, tmp_path)
        assert (found.usage, found.estimate_bpe, found.residual) == (0, count(PROSE), None)
        unknown = find_prior(None)
        assert found.estimate == pytest.approx(unknown.text_tokens(weigh(PROSE)) + unknown.message, abs=1)

    def test_leaves_too_much_text_uncounted_and_goes_by_the_rough_factor(self, tmp_path: Path) -> None:
        writer = started()
        writer.step(PROSE * 50)
        session = opened(writer, tmp_path)
        found = Calibrator(session, chars=10_000).run()
        assert found.estimate_bpe is None
        assert found.estimate == pytest.approx(PRIOR.rough * len(PROSE) * 50 / 4, rel=0.01)

    def test_learns_the_sessions_own_factor(self, tmp_path: Path) -> None:
        writer = started()
        for _ in range(12):
            writer.step(PROSE, cost=round(1.5 * price(PROSE)))
        found = calibrate(writer, tmp_path)
        assert found.estimate == pytest.approx(1.5 * price(PROSE), rel=0.03)
        assert found.scores.fitted.n == 11
        assert found.scores.fitted.factor == pytest.approx(1.5 * PRIOR.bpe, rel=0.05)

    def test_a_local_record_moves_nothing(self, tmp_path: Path) -> None:
        writer = started()
        writer.step(PROSE)
        writer.ask()
        before = calibrate(writer, tmp_path)
        writer.say(text("No response requested."), model="<synthetic>", usage={"input_tokens": 0, "output_tokens": 0})
        after = calibrate(writer, tmp_path)
        assert (after.usage, after.scores) == (before.usage, before.scores)

    def test_a_sub_agents_record_moves_nothing(self, tmp_path: Path) -> None:
        writer = started()
        writer.step(PROSE)
        writer.ask()
        before = calibrate(writer, tmp_path)
        writer.say(text(PROSE), usage={"input_tokens": 900_000, "output_tokens": 900}, isSidechain=True, move=False)
        assert calibrate(writer, tmp_path) == before


@pytest.mark.parametrize(
    "content", [None, 7, [], [[]], [None, 7], [{"type": {}}], [{"type": ["text"]}], {"type": "text"}, "\ud800"]
)
def test_foreign_shapes_are_counted_without_an_error(tmp_path: Path, content: object) -> None:
    writer = started()
    writer.step(PROSE)
    writer.result(writer.ask(), content)
    writer.prompt(content)
    writer.put("attachment", {"attachment": content})
    writer.ask()
    writer.result("t9", content)
    assert calibrate(writer, tmp_path).scores.fitted.n == 1


def test_a_sub_agents_file_has_a_calibration_of_its_own(tmp_path: Path) -> None:
    main, agent = started(), started(head=7_000)
    for _ in range(4):
        agent.step(isSidechain=True)
    for record in agent.records:
        record["isSidechain"] = True
    folder = tmp_path / main.session / "subagents"
    folder.mkdir(parents=True)
    path = folder / "agent-a1b2c3d.jsonl"
    path.write_bytes(lines(agent.records))
    main.ask()
    session = open_session(path)
    session.refresh()
    own = Calibrator(session).run()
    assert own.residual is not None
    assert 6_900 < own.residual.tokens < 7_000
    assert own.scores.fitted.n == 3
    assert calibrate(main, tmp_path).scores.fitted.n == 0


def test_a_session_that_proves_nothing_has_its_familys_band(tmp_path: Path) -> None:
    writer = started()
    for _ in range(5):
        placeholder(writer)
    writer.step()
    found = calibrate(writer, tmp_path)
    assert found.left_out == (("placeholder", 5),)
    assert (found.scores.fitted.n, found.scores.fitted.median) == (0, None)
    assert found.scores.rough.factor == pytest.approx(PRIOR.rough)
    low, high = band(price(PROSE), (), PRIOR)
    assert found.band == pytest.approx((found.usage + low, found.usage + high), abs=2)
    assert low < price(PROSE) < high


class TestResidual:
    def test_is_what_the_first_request_carried_beyond_its_messages(self, tmp_path: Path) -> None:
        writer = Paying(head=30_000)
        writer.prompt(PROSE)
        for _ in range(3):
            writer.step()
        residual = calibrate(writer, tmp_path).residual
        assert residual is not None
        assert residual.tokens == pytest.approx(30_000 - price(PROSE), abs=1)
        assert residual.band.low < residual.tokens < residual.band.high

    def test_is_told_anew_after_a_compaction(self, tmp_path: Path) -> None:
        writer = started(head=30_000)
        writer.step()
        writer.boundary()
        compacted = calibrate(writer, tmp_path)
        writer.carried = 12_000
        writer.ask()
        residual = calibrate(writer, tmp_path).residual
        assert compacted.residual is None
        assert residual is not None
        assert 11_900 < residual.tokens < 12_000

    @pytest.mark.parametrize("usage", [None, {"input_tokens": 5, "output_tokens": 40}])
    def test_is_unknown_where_usage_does_not_tell(self, tmp_path: Path, usage: object) -> None:
        writer = Paying()
        writer.prompt(PROSE)
        writer.ask(usage=usage)
        assert calibrate(writer, tmp_path).residual is None


class TestWindow:
    def test_holds_the_newest_requests(self, tmp_path: Path) -> None:
        writer = started()
        for at in range(30):
            writer.step(PROSE, cost=(3 if at < 20 else 1) * price(PROSE))
        session = opened(writer, tmp_path)
        few, everything = Calibrator(session, requests=9).run(), Calibrator(session, None, None).run()
        assert (few.requests, few.scores.fitted.n, everything.requests) == (9, 9, 29)
        assert few.scores.fitted.median_abs == pytest.approx(0, abs=0.01)

    def test_holds_no_more_text_than_is_wanted(self, tmp_path: Path) -> None:
        writer = started()
        for _ in range(10):
            writer.step(PROSE)
        session = opened(writer, tmp_path)
        assert 2 <= Calibrator(session, chars=4 * len(PROSE)).run().requests < 4


class TestSlices:
    def test_one_at_a_time_say_the_same_as_all_at_once(self, tmp_path: Path) -> None:
        writer = started()
        for _ in range(5):
            writer.step(PROSE)
        session = opened(writer, tmp_path)
        calibrator = Calibrator(session)
        steps, done = 0, []
        assert calibrator.value is None
        while calibrator.step(0):
            assert calibrator.value is None
            steps += 1
            done.append(calibrator.done)
        assert steps > 5
        assert done == sorted(done)
        assert done[-1] <= calibrator.total
        assert calibrator.value == Calibrator(session).run()

    def test_a_long_text_is_done_bit_by_bit(self, tmp_path: Path) -> None:
        writer = started()
        writer.step(PROSE * 100)
        calibrator = Calibrator(opened(writer, tmp_path))
        done = []
        while calibrator.step(0):
            done.append(calibrator.done)
        assert len(done) >= len(PROSE) * 100 // SLICE_CHARS
        assert done[len(done) // 2] < calibrator.total

    def test_the_newest_are_counted_first(self, tmp_path: Path) -> None:
        writer = started()
        for _ in range(5):
            writer.step(PROSE)
        session = opened(writer, tmp_path)
        calibrator = Calibrator(session)
        calibrator.step(0)
        calibrator.step(0)
        weights = calibrator.weights
        assert [bool(weights.state(member)) for member in (1, 2, len(session.index) - 1)] == [False, False, True]

    def test_an_append_costs_what_it_brought(self, tmp_path: Path) -> None:
        writer = started()
        for _ in range(40):
            writer.step(PROSE)
        session = opened(writer, tmp_path)
        calibrator = Calibrator(session)
        calibrator.run()
        whole = calibrator.total
        writer.step(PROSE)
        writer.save(tmp_path)
        session.refresh()
        calibrator.run()
        assert 0 < calibrator.total < whole / 20

    def test_nothing_is_done_where_nothing_changed(self, tmp_path: Path) -> None:
        writer = started()
        writer.step()
        session = opened(writer, tmp_path)
        calibrator = Calibrator(session)
        value = calibrator.run()
        session.refresh()
        assert calibrator.step(0) is False
        assert calibrator.value is value

    def test_a_rewritten_file_is_counted_anew(self, tmp_path: Path) -> None:
        writer = started()
        for _ in range(4):
            writer.step(PROSE)
        session = opened(writer, tmp_path)
        calibrator = Calibrator(session)
        calibrator.step(0)
        other = started(head=9_000)
        other.step("Quite another text. " * 40)
        other.save(tmp_path)
        session.refresh()
        assert calibrator.run() == calibrate(other, tmp_path)


class TestLateNews:
    """What comes after a step was counted and still changes it."""

    def check(self, writer: Paying, folder: Path, late: Callable[[], object]) -> tuple[Calibrator, Calibrator]:
        """A calibrator that saw the session before and after, and one that saw it after only."""
        session = opened(writer, folder)
        live = Calibrator(session)
        live.run()
        late()
        cold = Calibrator(opened(writer, folder))
        session.refresh()
        assert live.run() == cold.run()
        assert live.steps() == cold.steps()
        return live, cold

    def two(self, output: int) -> Paying:
        writer = started()
        writer.say(use("Bash", "a"), id="m1", usage={"input_tokens": writer.carried, "output_tokens": output})
        writer.result("a", PROSE)
        writer.carried += 500
        writer.say(use("Bash", "b"), id="m2", usage={"input_tokens": writer.carried, "output_tokens": OUTPUT})
        return writer

    def test_a_larger_output_count(self, tmp_path: Path) -> None:
        writer = self.two(output=90)
        usage = {"input_tokens": 20_000, "output_tokens": 250}
        live, _ = self.check(writer, tmp_path, lambda: writer.say(text("More."), id="m1", usage=usage))
        step = live.steps()[1]
        assert isinstance(step, Step)
        assert step.truth == 500 - 250

    def test_more_text_than_the_output_count_allows(self, tmp_path: Path) -> None:
        writer = self.two(output=OUTPUT)
        usage = {"input_tokens": 20_000, "output_tokens": OUTPUT}
        live, _ = self.check(writer, tmp_path, lambda: writer.say(text(PROSE), id="m1", usage=usage))
        assert live.steps()[1] == "placeholder"

    def test_a_replacement(self, tmp_path: Path) -> None:
        writer = self.two(output=OUTPUT)
        live, _ = self.check(writer, tmp_path, lambda: writer.replace("a", PROSE * 2))
        step = live.steps()[1]
        assert isinstance(step, Step)
        assert step.weight.bpe == count(PROSE * 2)


class TestCost:
    @pytest.mark.parametrize("special", NEEDLESS, ids=lambda move: move.__name__)
    def test_no_result_is_counted_of_a_step_that_proves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, special: Move
    ) -> None:
        counted: list[str] = []

        def noted(piece: str) -> Weight:
            counted.append(piece)
            return weigh(piece)

        monkeypatch.setattr("spillscope.session.weights.weigh_slice", noted)
        writer = started()
        writer.step("Something else. " * 40)
        writer.ask()
        writer.result("t2", "ok")
        special(writer)
        writer.ask(text("Done."))
        calibrator = Calibrator(opened(writer, tmp_path))
        calibrator.run()
        assert "Something else. " * 40 in counted
        assert PROSE not in counted
        assert calibrator.done == calibrator.total


class TestThePast:
    @given(
        st.lists(st.sampled_from([None, None, *(special for reason, special in SPECIAL if reason != "model")]), max_size=8),
        st.data(),
    )
    @settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_is_what_a_cold_reading_of_it_says(self, tmp_path: Path, moves: list[Move | None], data: st.DataObject) -> None:
        writer = started()
        for move in moves:
            writer.step() if move is None else move(writer)
        writer.ask(text("Done."))
        session = opened(writer, tmp_path)
        now = Calibrator(session)
        now.run()
        at = data.draw(st.integers(0, len(session.replay.requests) - 1))
        name = session.replay.requests[at].assistant_id
        first = next(n for n, record in enumerate(writer.records) if record.get("message", {}).get("id") == name)
        path = tmp_path / "cut.jsonl"
        path.write_bytes(lines(writer.records[:first]))
        cut = open_session(path)
        cut.refresh()
        past = now.at(at).run()
        if at:
            assert past == Calibrator(cut).run()
        assert (past.usage, past.requests) == (Calibrator(cut).run().usage, max(0, at - 1))

    def test_costs_nothing_that_was_counted(self, tmp_path: Path) -> None:
        writer = started()
        for _ in range(8):
            writer.step()
        session = opened(writer, tmp_path)
        now = Calibrator(session)
        now.run()
        past = now.at(4)
        past.run()
        assert past.total == 0

    def test_has_no_request_that_is_not_there(self, tmp_path: Path) -> None:
        writer = started()
        writer.step()
        session = opened(writer, tmp_path)
        with pytest.raises(IndexError):
            Calibrator(session).at(1)


# --- incremental --------------------------------------------------------------------------------------------------------


@st.composite
def conversations(draw: st.DrawFn) -> list[dict[str, object]]:
    """Steps of all kinds, with forks, late replacements, late records of a response, rewinds, and lost or late lines."""
    writer = started()
    for at in range(draw(st.integers(1, 12))):
        draw(st.sampled_from(MOVES))(draw, writer, at)
    records = writer.records
    for _ in range(draw(st.integers(0, 2))):
        if len(records) > 2:
            records.insert(draw(st.integers(0, len(records))), records.pop(draw(st.integers(0, len(records) - 1))))
    return records


def _usual(draw: st.DrawFn, writer: Paying, at: int) -> None:
    writer.step(PROSE[: draw(st.integers(100, 700))], cost=draw(st.integers(50, 400)))


def _special(draw: st.DrawFn, writer: Paying, at: int) -> None:
    draw(st.sampled_from([special for _, special in SPECIAL]))(writer)


def _replaced(draw: st.DrawFn, writer: Paying, at: int) -> None:
    writer.replace(f"t{draw(st.integers(1, writer.calls + 1))}", PROSE[: draw(st.integers(0, 600))])


def _split(draw: st.DrawFn, writer: Paying, at: int) -> None:
    """Two responses in turn, records of each after the other's."""
    for part in range(draw(st.integers(2, 4))):
        name, usage = f"m{at}.{draw(st.integers(0, 1))}", {"input_tokens": writer.carried, "output_tokens": 90 * part}
        writer.say(use("Bash", f"s{at}.{part}"), id=name, usage=usage)
        if draw(st.booleans()):
            writer.result(f"s{at}.{part}", PROSE)


def _rewind(draw: st.DrawFn, writer: Paying, at: int) -> None:
    writer.last = draw(st.sampled_from([str(record["uuid"]) for record in writer.records if "uuid" in record][-6:]))
    writer.prompt("Again.")


MOVES = [_usual, _usual, _usual, _special, _replaced, _split, _rewind]


@given(conversations(), st.data())
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_a_live_value_is_the_cold_one(tmp_path: Path, records: list[dict[str, object]], data: st.DataObject) -> None:
    path = tmp_path / "live.jsonl"
    path.write_bytes(b"")
    session = open_session(path)
    session.refresh()
    live = Calibrator(session, requests=5, chars=20_000)
    done = 0
    while done < len(records):
        more = data.draw(st.integers(1, len(records) - done))
        with path.open("ab") as file:
            file.write(lines(records[done : done + more]))
        done += more
        session.refresh()
        for _ in range(data.draw(st.integers(0, 4))):
            live.step(0)
    cold = open_session(path)
    cold.refresh()
    assert live.run() == Calibrator(cold, requests=5, chars=20_000).run()


def test_a_replacement_in_the_place_of_an_image_takes_its_tokens_along(tmp_path: Path) -> None:
    writer = started()
    writer.say(use("Read", "t1"), usage=21_000)
    writer.result("t1", [{"type": "image", "source": {"type": "base64", "data": "AAAA"}}])
    path = writer.save(tmp_path)
    session = open_session(path)
    session.refresh()
    live = Calibrator(session)
    assert (live.run().estimate_bpe or 0) >= 2_000
    writer.replace("t1", "Gone.")
    writer.save(tmp_path)
    session.refresh()
    assert (live.run().estimate_bpe or 0) < 100
