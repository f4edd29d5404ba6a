"""What is kept and what is spilled (spec B3–B8)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from spillscope.budget.decide import Candidate, Plan, decide


def group(sizes: str) -> list[Candidate]:
    """`a60 b70:Read`: id, size, tool."""
    candidates = []
    for word in sizes.split():
        name, _, tool = word.partition(":")
        candidates.append(Candidate(name[0], tool or "Grep", int(name[1:])))
    return candidates


def plan(*groups: str, seen: Sequence[str] = (), replaced: Sequence[str] = (), limit: float = 100) -> Plan:
    return decide([group(sizes) for sizes in groups], seen, replaced, limit, lambda tool: tool == "Read")


def selected(plan: Plan, *groups: str) -> list[str]:
    return [group(groups[number])[position].tool_use_id for number, position in plan.writes]


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [
        ("a60 b40", []),  # exactly the limit
        ("a60 b41", ["a"]),
        ("a101", ["a"]),
        ("a100", []),
        ("a30 b50 c40", ["b"]),
        ("a50 b80 c60", ["b", "c"]),
        ("a60 b60 c60", ["a", "b"]),  # ties: the earlier one first
        ("a0 b101 c0", ["b"]),
        ("a90 b1:Read c11", ["a"]),
        ("a90 b500:Read", []),  # exempt: in no sum
        ("a500:Read", []),
    ],
)
def test_the_largest_go_first_until_the_rest_is_inside(sizes: str, chosen: list[str]) -> None:
    assert selected(plan(sizes), sizes) == chosen


def test_remaining_totals_subtract_the_whole_size() -> None:
    assert [pick.remaining for pick in plan("a50 b80 c60").groups[0].picks] == [110, 50]


def test_frozen_results_count_and_stay() -> None:
    outcome = plan("a70 b20 c30", seen="a")
    assert selected(outcome, "a70 b20 c30") == ["c"]
    assert outcome.groups[0].states == ("frozen", "fresh", "fresh")
    assert (outcome.groups[0].frozen_chars, outcome.groups[0].fresh_chars) == (70, 50)


def test_frozen_alone_over_the_limit_takes_every_fresh_one() -> None:
    sizes = "a150 b0 c30 d1"
    assert selected(plan(sizes, seen="a"), sizes) == ["c", "d", "b"]


def test_a_frozen_group_over_the_limit_is_accepted() -> None:
    outcome = plan("a150 b150", seen="ab")
    assert (outcome.writes, outcome.freeze, outcome.groups[0].over) == ((), (), True)


def test_replaced_results_are_in_no_sum() -> None:
    outcome = plan("a900 b60 c40", seen="a", replaced="a")
    assert outcome.writes == ()
    assert (outcome.groups[0].states[0], outcome.groups[0].reapplied_chars) == ("mustReapply", 900)


def test_a_replacement_counts_before_having_been_seen() -> None:
    outcome = plan("a900", replaced="a")
    assert outcome.groups[0].states == ("mustReapply",)
    assert outcome.freeze == ("a",)


def test_exempt_once_is_frozen_for_good() -> None:
    first = plan("a500:Read b90")
    assert (first.groups[0].exempt, first.groups[0].exempt_chars, first.groups[0].fresh_chars) == (frozenset({0}), 500, 90)
    later = plan("a500:Read b90 c1", seen=first.freeze)
    assert later.groups[0].states == ("frozen", "frozen", "fresh")
    assert selected(later, "a500:Read b90 c1") == ["c"]


def test_an_unknown_tool_is_not_exempt() -> None:
    assert decide([[Candidate("a", None, 101)]], (), (), 100, lambda tool: tool == "Read").writes == ((0, 0),)


def test_what_is_not_selected_becomes_seen_exempt_results_first() -> None:
    assert plan("a10 b95 c5:Read", "d7").freeze == ("c", "a", "d")


def test_groups_are_judged_apart() -> None:
    assert plan("a75 b20", "c95").writes == ()
    assert plan("a75 b20 c95").writes == ((0, 2),)


def test_two_blocks_with_one_id_share_a_fate() -> None:
    together = plan("a60 b10 a50")
    assert [pick.position for pick in together.groups[0].picks] == [0, 2]
    assert together.freeze == ("b",)
    apart = plan("a101 b10", "a50 c60")
    assert apart.groups[1].states == ("mustReapply", "fresh")
    assert (apart.writes, apart.freeze) == (((0, 0),), ("b", "c"))
    kept = plan("a50", "a101 b1")
    assert kept.groups[1].states == ("frozen", "fresh")
    assert (selected(kept, "a50", "a101 b1"), kept.freeze) == (["b"], ("a",))
