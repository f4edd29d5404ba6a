"""L12: what each agent version ran with."""

from __future__ import annotations

import math

import pytest

from spillscope.profiles import parse_version, profile_for, profiles


@pytest.mark.parametrize(
    ("version", "web_fetch", "read"),
    [
        ("1.0.17", math.inf, math.inf),
        ("2.0.76", math.inf, math.inf),
        ("2.1.1", math.inf, math.inf),
        ("2.1.2", 100_000, math.inf),
        ("2.1.20", 100_000, math.inf),
        ("2.1.50", 100_000, math.inf),
        ("2.1.51", 50_000, 50_000),
        ("2.1.68", 50_000, 50_000),
        ("2.1.69", 50_000, math.inf),
        ("2.1.219", 50_000, math.inf),
        ("3", 50_000, math.inf),
        ("2.1", math.inf, math.inf),
        ("2.1.20-beta.3", 100_000, math.inf),
    ],
)
def test_thresholds_by_version(version: str, web_fetch: float, read: float) -> None:
    limits = profile_for(version).limits()
    assert limits.get_persistence_threshold("WebFetch").chars == web_fetch
    assert limits.get_persistence_threshold("Read").chars == read


def test_the_named_tools_keep_theirs_under_the_higher_cap() -> None:
    limits = profile_for("2.1.20").limits()
    assert [limits.get_persistence_threshold(tool).chars for tool in ("Bash", "Grep")] == [30_000, 20_000]


@pytest.mark.parametrize("version", [None, "", "nightly", "[trimmed for fixture]", "v2.1.2", "-1", ".5", "٢.١"])
def test_a_version_that_can_not_be_read_gets_the_newest_profile(version: str | None) -> None:
    assert profile_for(version) is profiles()[-1]


@pytest.mark.parametrize(
    ("text", "numbers"), [("2.1.76-beta", (2, 1, 76)), ("2", (2,)), ("2.", (2,)), ("2..1", (2,)), ("v2", None)]
)
def test_versions_are_the_dotted_numbers_at_the_start(text: str, numbers: tuple[int, ...] | None) -> None:
    assert parse_version(text) == numbers


def test_the_table_has_no_gap_and_says_what_it_rests_on() -> None:
    table = profiles()
    assert table[0].since is None
    assert table[-1].before is None
    assert [profile.before for profile in table[:-1]] == [profile.since for profile in table[1:]]
    assert all(profile.rests_on for profile in table)


def test_limits_name_their_profile() -> None:
    limits = profile_for("2.1.20").limits()
    assert limits.profile == "2.1.2 to 2.1.50"
    assert limits.source("default_threshold") == "profile 2.1.2 to 2.1.50"
    assert profile_for("2.1.60").limits().source("declared.Read") == "profile 2.1.51 to 2.1.68"
    assert profile_for(None).limits().source("default_threshold") == "built-in"
