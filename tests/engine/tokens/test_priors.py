"""T9: the shipped priors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.tokens.priors import LEAST, MOST, Prior, find_prior, priors
from spillscope.tokens.weight import Weight, weigh

OLD, NEW = priors()


@pytest.mark.parametrize(
    ("model", "prior"),
    [
        ("claude-sonnet-4-5-20250929", OLD),
        ("claude-opus-4-6", OLD),
        ("claude-haiku-4-5-20251001", OLD),
        ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", OLD),
        ("claude-opus-4-7", NEW),
        ("claude-opus-4-8[1m]", NEW),
        ("claude-haiku-4-8-20270101", NEW),
        ("claude-sonnet-5", NEW),
        ("claude-opus-5", NEW),
        ("claude-fable-5", NEW),
        ("somebody-elses-model", NEW),
        ("", NEW),
        (None, NEW),
    ],
)
def test_a_model_belongs_to_its_tokenizer(model: str | None, prior: Prior) -> None:
    assert find_prior(model) is prior


@pytest.mark.parametrize("prior", priors(), ids=lambda prior: prior.family)
def test_the_deciles_are_nine_and_rise(prior: Prior) -> None:
    assert len(prior.errors) == 9
    assert sorted(prior.errors) == list(prior.errors)


def test_unknown_models_get_the_family_that_estimates_most() -> None:
    assert max(priors(), key=lambda prior: prior.bpe) is priors()[-1]


@given(st.builds(Weight, *[st.integers(0, 10**6)] * 6), st.sampled_from(priors()))
def test_no_mixture_of_characters_strays_far_from_the_plain_factor(weight: Weight, prior: Prior) -> None:
    plain = prior.bpe * weight.bpe
    assert LEAST * plain <= prior.text_tokens(weight) <= MOST * plain


@pytest.mark.parametrize("prior", priors(), ids=lambda prior: prior.family)
@pytest.mark.parametrize("words", ["漢字かな交じり文", "Съешь же ещё этих булок", "→ ✓ ─ " * 9, "שלום עולם", "😀🎉"])
def test_scripts_that_nobody_measured_are_no_fewer_tokens_than_tiktoken_says(prior: Prior, words: str) -> None:
    weight = weigh(words * 20)
    assert weight.bpe <= prior.text_tokens(weight) <= 1.15 * prior.bpe * weight.bpe


def test_nothing_stands_around_no_message() -> None:
    assert (OLD.around(0), OLD.around(1), OLD.around(3)) == (0, OLD.message, OLD.message + 2 * OLD.parallel)
