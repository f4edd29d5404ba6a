"""T3, T8: both estimates look at the same texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillscope.tokens.rough import IMAGE_TOKENS, estimate_content, rough_token_count_estimation
from spillscope.tokens.texts import attachment_texts, texts

WORDS = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
LEAVES = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": WORDS | st.none()}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": WORDS, "signature": WORDS}),
    st.fixed_dictionaries({"type": st.just("redacted_thinking"), "data": WORDS}),
    st.fixed_dictionaries({"type": st.just("tool_use"), "name": WORDS, "input": JSON}),
    st.fixed_dictionaries({"type": st.sampled_from(["image", "document"]), "source": JSON}),
    st.fixed_dictionaries({"type": st.just("orbit"), "more": JSON}),
    JSON.filter(lambda value: not isinstance(value, (str, list))),
)
CONTENTS = st.recursive(
    WORDS | st.lists(LEAVES, max_size=4),
    lambda inner: st.lists(st.fixed_dictionaries({"type": st.just("tool_result"), "content": inner}) | LEAVES, max_size=3),
    max_leaves=6,
)


@given(CONTENTS)
def test_they_are_the_ones_that_the_rough_rule_counts(content: object) -> None:
    found = [part if isinstance(part, int) else rough_token_count_estimation(part) for part in texts(content)]
    assert sum(found) == estimate_content(content)


def test_they_come_in_their_order() -> None:
    inner = [{"type": "text", "text": "b"}, {"type": "image"}]
    content = [{"type": "text", "text": "a"}, {"type": "tool_result", "content": inner}, {"type": "text", "text": "c"}]
    assert list(texts(content)) == ["a", "b", IMAGE_TOKENS, "c"]


@pytest.mark.parametrize(
    ("attachment", "seen"),
    [
        ({"type": "skill_listing", "content": "skills", "skillCount": 3}, ["skills"]),
        ({"type": "nested_memory", "path": "/p", "content": {"path": "/p", "type": "x", "content": "notes"}}, ["/p", "notes"]),
        ({"type": "hook_additional_context", "content": ["one", "two"], "hookName": "h"}, ["one", "two"]),
        ({"type": "edited_text_file", "filename": "a.py", "snippet": "1 x"}, ["1 x"]),
        ({"type": "hook_success", "stdout": "out", "command": "run"}, []),
        (None, []),
        ("content", []),
    ],
)
def test_an_attachment_counts_with_what_the_model_sees(attachment: Any, seen: list[str]) -> None:
    assert list(attachment_texts(attachment)) == seen
