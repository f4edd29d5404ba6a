"""A run looks at the open groups only, and finds in them what a look at everything would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from conversation import Json, MemoryStore, answers, asks, result
from spillscope.budget.enforce import enforce_tool_result_budget
from spillscope.budget.grouping import collect_candidates_by_message
from spillscope.budget.sift import sift
from spillscope.budget.state import ContentReplacementState
from spillscope.limits import Limits
from spillscope.wrapper import PERSISTED_TAG

ids = st.sampled_from([f"t{number}" for number in range(6)])
contents = st.sampled_from(
    ["", "x", "x" * 30, f"{PERSISTED_TAG}\nx", None, [], [{"type": "image"}], [{"type": "text", "text": "é"}]]
)
messages = st.one_of(
    st.builds(lambda held: answers(*held), st.lists(st.builds(result, ids, contents), max_size=3)),
    st.builds(
        lambda response, called: asks(response, *((one, "Grep") for one in called)),
        st.sampled_from([None, "m1", "m2"]),
        st.lists(ids, max_size=2),
    ),
    st.sampled_from([{"type": "progress"}, {"role": "user", "content": "words"}, {"role": "user", "content": [None, 7]}]),
)
histories = st.lists(messages, max_size=8)


@given(histories, st.sets(ids), st.sets(ids))
def test_it_finds_what_a_full_look_finds(history: list[Json], frozen: set[str], replaced: set[str]) -> None:
    everything = collect_candidates_by_message(history)
    seen = frozen | replaced
    found = sift(history, seen, replaced)
    assert found.groups == [group for group in everything if any(one.tool_use_id not in seen for one in group.candidates)]
    assert found.replaced == [
        place
        for group in everything
        for candidate, place in zip(group.candidates, group.places, strict=True)
        if candidate.tool_use_id in replaced
    ]


@given(histories, histories)
def test_a_run_comes_to_the_same(before: list[Json], added: list[Json]) -> None:
    ways = [ContentReplacementState(), ContentReplacementState()]
    limits = Limits(message_budget=20, preview_chars=5)
    for history in (before, before + added):
        full, narrow = (
            enforce_tool_result_budget(history, state, limits, MemoryStore(), only_new_groups=only_new)
            for state, only_new in zip(ways, (False, True), strict=True)
        )
        assert (full.messages, full.records, full.spilled) == (narrow.messages, narrow.records, narrow.spilled)
        assert ways[0].to_json() == ways[1].to_json()
        assert set(narrow.groups) <= set(full.groups)
        assert narrow.changed == full.changed
