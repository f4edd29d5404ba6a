"""T9: errors, factors and bands, from steps alone."""

from __future__ import annotations

from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillscope.tokens.calibration import REMEMBERED, Fit, Step, band, judge, nearest_rank, scores
from spillscope.tokens.priors import find_prior
from spillscope.tokens.weight import Weight

MODEL = "claude-opus-4-5"
PRIOR = find_prior(MODEL)


def weight(bpe: int) -> Weight:
    """Of text like prose."""
    return Weight(bpe, bpe // 10, 3 * bpe, bpe // 8, bpe // 15, 0)


def step(bpe: int, share: float = 1.0, model: str | None = MODEL) -> Step:
    """A step that costs `share` times what the prior says."""
    truth = share * PRIOR.text_tokens(weight(bpe)) + PRIOR.around(1)
    return Step(model, round(truth), round(0.9 * bpe), weight(bpe), 1)


STEPS = st.lists(st.builds(step, st.integers(50, 20_000), st.floats(0.5, 2)), min_size=2, max_size=30)


class TestJudge:
    def test_the_first_step_is_judged_by_the_prior(self) -> None:
        found = judge([step(1_000)])
        assert found.errors[0].fitted == pytest.approx(0, abs=0.001)

    def test_errors_are_relative_and_signed(self) -> None:
        errors = judge([Step(MODEL, 200, 100, weight(150), 1)]).errors[0]
        assert (errors.rough, errors.bpe) == (-0.5, -0.25)

    @given(STEPS, st.data())
    def test_no_step_is_judged_by_its_own_truth_or_a_later_one(self, steps: list[Step], data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(steps) - 1))
        changed = steps[at]._replace(truth=data.draw(st.integers(1, 10**6)))
        before, after = judge(steps), judge([*steps[:at], changed, *steps[at + 1 :]])
        assert before.errors[:at] == after.errors[:at]
        mine, other = (
            (1 + found.errors[at].fitted) * truth for found, truth in ((before, steps[at].truth), (after, changed.truth))
        )
        assert mine == pytest.approx(other)

    def test_a_session_of_its_own_kind_is_learned(self) -> None:
        errors = judge([step(2_000, 1.4)] * 12).errors
        assert errors[0].fitted < -0.2
        assert errors[-1].fitted == pytest.approx(0, abs=0.01)

    @pytest.mark.parametrize("share", [0.01, 100])
    def test_one_outlier_moves_little(self, share: float) -> None:
        usual = [step(bpe, 1.1 + at % 3 / 100) for at, bpe in enumerate(range(1_000, 3_000, 100))]
        clean, hit = judge(usual), judge([*usual[:10], step(2_000, share), *usual[10:]])
        assert hit.fits[MODEL].scale.factor == pytest.approx(clean.fits[MODEL].scale.factor, rel=0.02)
        assert median(abs(error.fitted) for error in hit.errors) < 0.03

    def test_small_steps_say_less(self) -> None:
        found = judge([*[step(2_000, 1.3)] * 8, *[step(50, 0.7)] * 20])
        assert found.fits[MODEL].scale.factor == pytest.approx(1.3, abs=0.02)

    def test_only_the_newest_steps_are_remembered(self) -> None:
        found = judge([*[step(1_000, 0.8)] * 200, *[step(1_000, 1.2)] * REMEMBERED])
        assert found.fits[MODEL].scale.factor == pytest.approx(1.2, abs=0.01)

    def test_each_model_has_its_own_fit(self) -> None:
        found = judge([*[step(1_000, 1.5)] * 9, *[step(1_000, 0.8, "claude-haiku-4-5")] * 9])
        assert [round(fit.scale.factor, 1) for fit in found.fits.values()] == [1.5, 0.8]
        assert list(found.fits) == [MODEL, "claude-haiku-4-5"]

    def test_what_no_step_told_of_is_the_prior(self) -> None:
        assert judge([]).fit_for("claude-sonnet-4-5").prior is find_prior("claude-sonnet-4-5")


class TestScores:
    def test_without_a_step_there_are_factors_only(self) -> None:
        found = scores([], Fit(PRIOR))
        assert found.rough[:4] == (0, None, None, None)
        assert [score.factor for score in found] == pytest.approx([PRIOR.rough, PRIOR.bpe, PRIOR.bpe])

    def test_median_is_signed_and_the_rest_is_not(self) -> None:
        steps = [Step(MODEL, truth, 80, weight(100), 1) for truth in (100, 160, 160, 400)]
        found = judge(steps)
        rough = scores(found.errors, found.fits[MODEL]).rough
        assert rough[:4] == pytest.approx((4, -0.5, 0.5, 0.8))

    @pytest.mark.parametrize(("percent", "value"), [(1, 1), (10, 1), (50, 5), (90, 9), (91, 10), (100, 10)])
    def test_percentiles_are_nearest_ranks(self, percent: int, value: int) -> None:
        assert nearest_rank(range(1, 11), percent) == value


class TestBand:
    def test_comes_from_the_prior_where_nothing_is_known(self) -> None:
        low, high = band(1_000, [], PRIOR)
        assert low == pytest.approx(1_000 / (1 + PRIOR.errors[-1]), rel=0.05)
        assert high == pytest.approx(1_000 / (1 + PRIOR.errors[0]), rel=0.05)

    def test_follows_what_the_session_shows(self) -> None:
        steady, wild = band(1_000, [0.001, -0.001] * 30, PRIOR), band(1_000, [0.5, -0.4] * 30, PRIOR)
        assert 960 < steady[0] <= 1_000 <= steady[1] < 1_060
        assert wild == pytest.approx((1_000 / 1.5, 1_000 / 0.6))

    def test_is_wider_where_it_would_be_too_low(self) -> None:
        usual = [0.0] * 46
        assert band(1_000, [*usual, *[0.5] * 4], PRIOR)[0] > 900
        assert band(1_000, [*usual, *[-0.5] * 4], PRIOR)[1] == pytest.approx(2_000)

    @given(st.floats(0, 1e6), st.lists(st.floats(-0.99, 50), max_size=80))
    @settings(max_examples=50)
    def test_holds_the_estimate(self, estimate: float, errors: list[float]) -> None:
        low, high = band(estimate, errors, PRIOR)
        assert 0 <= low <= estimate <= high
