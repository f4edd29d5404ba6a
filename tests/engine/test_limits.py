"""L6 to L9: the thresholds, each rule from both sides."""

from __future__ import annotations

import math

import pytest

from spillscope.limits import Limits, usable_number


@pytest.mark.parametrize(
    ("tool", "chars"),
    [
        ("Read", math.inf),
        ("Grep", 20_000),
        ("Bash", 30_000),
        ("PowerShell", 30_000),
        ("McpAuth", 10_000),
        ("WebFetch", 50_000),
        ("mcp__github__search", 50_000),
        (None, 50_000),
    ],
)
def test_built_in_thresholds(tool: str | None, chars: float) -> None:
    assert Limits().get_persistence_threshold(tool).chars == chars


@pytest.mark.parametrize("declared", [math.inf, -math.inf, math.nan])
def test_a_declared_value_that_is_not_finite_can_not_be_overridden(declared: float) -> None:
    threshold = Limits(declared={"X": declared}, overrides={"X": 5}).get_persistence_threshold("X")
    assert (threshold.chars, threshold.rule) == (math.inf, "L8.1")


def test_an_opt_out_that_was_withdrawn_can_be_overridden() -> None:
    limits = Limits(declared={"Read": 100_000}, overrides={"Read": 70_000})
    assert limits.get_persistence_threshold("Read")[:2] == (70_000, "L8.2")


@pytest.mark.parametrize("override", [1, 12_000, 60_000, 2_000_000, 0.5])
def test_an_override_is_not_cut_to_the_default(override: float) -> None:
    threshold = Limits(overrides={"Bash": override}).get_persistence_threshold("Bash")
    assert (threshold.chars, threshold.rule) == (override, "L8.2")


@pytest.mark.parametrize(
    "junk", [True, False, "12000", None, math.nan, math.inf, -math.inf, 0, -1, 0.0, [12_000], {"a": 1}, 10**400, -(10**400)]
)
def test_a_junk_override_is_ignored_without_dropping_the_rest(junk: object) -> None:
    limits = Limits(overrides={"Bash": junk, "Grep": 7})
    assert limits.get_persistence_threshold("Bash")[:2] == (30_000, "L8.3")
    assert limits.get_persistence_threshold("Grep")[:2] == (7, "L8.2")


@pytest.mark.parametrize(
    ("declared", "chars", "source"), [(49_999, 49_999, "here"), (50_000, 50_000, "here"), (50_001, 50_000, "there")]
)
def test_declared_is_cut_to_the_default(declared: int, chars: int, source: str) -> None:
    limits = Limits(declared={"Tool": declared}, sources={"declared.Tool": "here", "default_threshold": "there"})
    assert limits.get_persistence_threshold("Tool") == (chars, "L8.3", source)


@pytest.mark.parametrize(("declared", "chars"), [(60_000, 60_000), (499_999, 499_999), (500_001, 500_000), (10, 10)])
def test_what_an_mcp_tool_declares_itself_is_cut_at_500k_only(declared: int, chars: int) -> None:
    threshold = Limits(declared={"mcp__a__b": declared}).get_persistence_threshold("mcp__a__b")
    assert threshold[:2] == (chars, "L8.3")


def test_an_unknown_tool_gets_the_default() -> None:
    limits = Limits(default_threshold=40_000, sources={"default_threshold": "a file"})
    assert limits.get_persistence_threshold(None) == (40_000, "L8.4", "a file")


def test_a_profile_that_persisted_nothing_stands_above_all() -> None:
    limits = Limits(persists=False, overrides={"Bash": 5})
    assert limits.get_persistence_threshold("Bash").chars == math.inf


@pytest.mark.parametrize(
    ("override", "budget"),
    [
        (150_000, 150_000),
        (1, 1),
        *[(junk, 200_000) for junk in (None, 0, -5, True, "9", math.inf, math.nan, 10**400)],
    ],
)
def test_the_message_budget_passes_the_same_checks(override: object, budget: int) -> None:
    assert Limits(message_budget=override).get_per_message_budget_limit() == budget


def test_only_tools_that_opt_out_are_exempt() -> None:
    limits = Limits(declared={"X": math.inf, "Y": 1})
    assert [limits.is_exempt(tool) for tool in ("Read", "X", "Y", "Bash", None)] == [True, True, False, False, False]


def test_whole_numbers_come_back_as_int() -> None:
    assert isinstance(usable_number(3.0), int)
    assert (usable_number(3), usable_number(2.5)) == (3, 2.5)
