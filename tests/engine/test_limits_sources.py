"""L11: the layers in their order, and files that change."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from spillscope.errors import LimitsError
from spillscope.limits_sources import Layer, LimitsBook, LimitsPlan, WatchedLimits, load_limits


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    folder = tmp_path / "agent"
    folder.mkdir()
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def flags(agent: Path, **values: Any) -> None:
    write(agent / ".claude.json", json.dumps({"cachedGrowthBookFeatures": values}))


def test_each_layer_beats_the_one_before(tmp_path: Path, agent: Path) -> None:
    """All layers set one more key less, so that each key shows the last layer that set it."""
    names = ["a", "b", "c", "d", "e"]
    flags(agent, tengu_satin_quoll=dict.fromkeys(names, 1))
    user = write(tmp_path / "limits.toml", "[overrides]\nb = 2\nc = 2\nd = 2\ne = 2\n")
    project = write(tmp_path / "project/.spillscope.toml", "[overrides]\nc = 3\nd = 3\ne = 3\n")
    named = write(tmp_path / "named.json", '{"overrides": {"d": 4, "e": 4}}')
    book = load_limits(agent, user, project.parent, [named], {"overrides": {"e": 5}})
    limits = book.newest
    assert [limits.overrides[name] for name in names] == [1, 2, 3, 4, 5]
    sources = [limits.source(f"overrides.{name}") for name in names]
    assert sources == [f"{agent / '.claude.json'}: tengu_satin_quoll", str(user), str(project), str(named), "command line"]


def test_a_profile_lies_above_the_built_in_values_and_below_all_else(tmp_path: Path) -> None:
    assert load_limits(None, None, None).for_version("2.1.20").default_threshold == 100_000
    user = write(tmp_path / "limits.toml", "default_threshold = 30000")
    limits = load_limits(None, user, None).for_version("2.1.20")
    assert (limits.default_threshold, limits.source("default_threshold")) == (30_000, str(user))
    assert limits.profile == "2.1.2 to 2.1.50"


def test_limits_of_one_profile_are_one_object() -> None:
    book = LimitsBook().with_layer({"window": 5}, "x")
    assert book.for_version("2.1.20") is book.for_version("2.1.21")
    assert book.newest is book.for_version("2.1.219")


def test_a_layer_is_judged_when_it_is_added() -> None:
    book = LimitsBook()
    with pytest.raises(LimitsError, match="unknown limit"):
        book.with_layer({"nonsense": 1}, "x")
    assert book.with_layer({"window": 5}, "x").newest.window == 5
    assert book.newest.window is None


def test_files_that_nobody_named_may_be_absent_and_named_ones_may_not(tmp_path: Path) -> None:
    assert load_limits(tmp_path / "no", tmp_path / "no.toml", tmp_path / "no").newest.window is None
    with pytest.raises(LimitsError):
        load_limits(None, None, None, [tmp_path / "no.toml"])


def test_extra_entries_keep_their_order(tmp_path: Path) -> None:
    named = write(tmp_path / "a.toml", "window = 1")
    assert LimitsPlan(extra=(named, Layer({"window": 2}, "x"))).load().newest.window == 2
    assert LimitsPlan(extra=(Layer({"window": 2}, "x"), named)).load().newest.window == 1


class TestAgentSettings:
    def test_settings_and_environment_block(self, agent: Path) -> None:
        write(
            agent / "settings.json",
            json.dumps({"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "400000", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "62.5"}}),
        )
        write(agent / "settings.local.json", json.dumps({"env": {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": 70}}))
        limits = load_limits(agent, None, None).newest
        assert (limits.auto_compact_window, limits.auto_compact_pct) == (400_000, 70)
        assert limits.source("auto_compact_window") == f"{agent / 'settings.json'}: CLAUDE_CODE_AUTO_COMPACT_WINDOW"
        assert limits.source("auto_compact_pct").startswith(str(agent / "settings.local.json"))

    def test_flag_payloads(self, agent: Path) -> None:
        flags(agent, tengu_satin_quoll={"Bash": 9, "Grep": None, "Read": "x"}, tengu_hawthorn_window=120_000)
        limits = load_limits(agent, None, None).newest
        assert limits.get_persistence_threshold("Bash")[:2] == (9, "L8.2")
        assert limits.get_persistence_threshold("Grep").chars == 20_000
        assert limits.get_per_message_budget_limit() == 120_000
        assert limits.source("message_budget").endswith("tengu_hawthorn_window")

    def test_a_null_flag_says_nothing(self, agent: Path) -> None:
        flags(agent, tengu_satin_quoll=None, tengu_hawthorn_window=None)
        assert load_limits(agent, None, None) == LimitsBook()

    def test_state_beside_the_folder_is_read_when_none_is_in_it(self, agent: Path) -> None:
        write(agent.parent / ".claude.json", json.dumps({"autoCompactEnabled": False}))
        assert load_limits(agent, None, None).newest.auto_compact is False
        write(agent / ".claude.json", "{}")
        assert load_limits(agent, None, None).newest.auto_compact is True

    @pytest.mark.parametrize(
        ("value", "enabled"),
        [("1", False), ("TRUE", False), (" yes ", False), (True, False), (1, False), ("0", True), ("false", True), ("", True)],
    )
    def test_switching_auto_compact_off(self, agent: Path, value: object, enabled: bool) -> None:
        write(agent / "settings.json", json.dumps({"autoCompactEnabled": True, "env": {"DISABLE_AUTO_COMPACT": value}}))
        assert load_limits(agent, None, None).newest.auto_compact is enabled

    def test_local_settings_take_the_switch_back(self, agent: Path) -> None:
        write(agent / "settings.json", json.dumps({"env": {"DISABLE_AUTO_COMPACT": "1"}}))
        write(agent / "settings.local.json", json.dumps({"env": {"DISABLE_AUTO_COMPACT": "0"}}))
        assert load_limits(agent, None, None).newest.auto_compact is True

    @pytest.mark.parametrize(
        "text",
        [
            "{",
            "[]",
            "null",
            '"x"',
            "[" * 100_000,
            '{"env": []}',
            '{"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "x", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "0"}}',
            '{"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "1e400", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "101"}}',
            '{"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": {}, "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "nan"}}',
            '{"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "0.5"}}',
            '{"autoCompactEnabled": "no", "cachedGrowthBookFeatures": 5}',
            '{"cachedGrowthBookFeatures": {"tengu_satin_quoll": [1], "tengu_hawthorn_window": true}}',
        ],
    )
    @pytest.mark.parametrize("name", [".claude.json", "settings.json", "settings.local.json"])
    def test_foreign_shapes_are_ignored(self, agent: Path, name: str, text: str) -> None:
        write(agent / name, text)
        assert load_limits(agent, None, None) == LimitsBook()

    def test_a_folder_in_place_of_a_file_is_ignored(self, agent: Path) -> None:
        (agent / "settings.json").mkdir()
        assert load_limits(agent, None, None) == LimitsBook()


class TestWatchedLimits:
    def test_a_changed_file_takes_effect_and_a_broken_one_keeps_the_last_good_value(self, tmp_path: Path) -> None:
        path = write(tmp_path / "limits.toml", "window = 1")
        watched = WatchedLimits(LimitsPlan(user_file=path))
        assert watched.book.newest.window == 1
        assert watched.poll() is None

        write(path, "window = 22")
        changed = watched.poll()
        assert changed is not None
        assert changed is watched.book
        assert changed.newest.window == 22

        write(path, "window = ")
        assert watched.poll() is None
        assert watched.book is changed
        assert watched.error is not None
        assert str(path) in watched.error

        write(path, "window = 4444")
        assert watched.poll() is watched.book
        assert watched.book.newest.window == 4444
        assert watched.error is None

    def test_a_file_that_appears_or_goes_is_seen(self, tmp_path: Path) -> None:
        watched = WatchedLimits(LimitsPlan(project_dir=tmp_path))
        path = write(tmp_path / ".spillscope.toml", "window = 1")
        assert watched.poll() is not None
        path.unlink()
        assert watched.poll() is not None
        assert watched.book.newest.window is None

    def test_a_named_file_that_goes_keeps_its_value(self, tmp_path: Path) -> None:
        path = write(tmp_path / "a.toml", "window = 1")
        watched = WatchedLimits(LimitsPlan(extra=(path,)))
        path.unlink()
        assert watched.poll() is None
        assert watched.book.newest.window == 1
        assert watched.error is not None

    def test_a_touched_file_with_the_same_content_is_no_change(self, tmp_path: Path) -> None:
        path = write(tmp_path / "limits.toml", "window = 1")
        watched = WatchedLimits(LimitsPlan(user_file=path))
        os.utime(path, ns=(1, 1))
        assert watched.poll() is None

    def test_files_that_did_not_change_are_not_read_again(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = write(tmp_path / "limits.toml", "window = 1")
        watched = WatchedLimits(LimitsPlan(user_file=path))
        read: list[Path] = []

        def note(path: Path) -> dict[str, object]:
            read.append(path)
            return {}

        monkeypatch.setattr("spillscope.limits_sources.read_limits_file", note)
        watched.poll()
        assert read == []
        os.utime(path, ns=(1, 1))
        watched.poll()
        assert read == [path]

    def test_without_a_good_value_to_start_from_it_fails(self, tmp_path: Path) -> None:
        with pytest.raises(LimitsError):
            WatchedLimits(LimitsPlan(user_file=write(tmp_path / "limits.toml", "window = ")))
