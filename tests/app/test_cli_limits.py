"""The LIMITS options and `spillscope limits`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from spillscope_app.cli import main
from spillscope_app.cli_limits import LimitsRequest, limits_options, parse_setting


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["limits", *words])


def described(*words: str) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_built_in_values_and_their_sources() -> None:
    limits = described()
    assert limits["default_threshold"] == {"value": 50_000, "source": "built-in"}
    assert limits["message_budget"] == {"value": 200_000, "source": "built-in"}
    assert limits["preview_chars"] == {"value": 2_000, "source": "built-in"}
    assert limits["window"] == {"value": None, "source": "from the model"}
    assert limits["aggregate"]["value"] is True
    assert limits["declared"]["Read"] == {"value": "inf", "source": "built-in"}
    assert limits["declared"]["Bash"] == {"value": 30_000, "source": "built-in"}
    assert limits["overrides"] == {}


@pytest.mark.parametrize(
    ("words", "key", "value", "source"),
    [
        (["--default-threshold", "12k"], "default_threshold", 12_000, "--default-threshold"),
        (["--message-budget", "1.5M"], "message_budget", 1_500_000, "--message-budget"),
        (["--message-budget=150000"], "message_budget", 150_000, "--message-budget"),
        (["--window", "300_000"], "window", 300_000, "--window"),
        (["--no-aggregate"], "aggregate", False, "--no-aggregate"),
        (["--no-aggregate", "--aggregate"], "aggregate", True, "--aggregate"),
        (["--aggregate", "--set", "aggregate=false"], "aggregate", False, "--set"),
        (["--set", "preview_chars=500"], "preview_chars", 500, "--set"),
        (["--set", "auto_compact_pct=80"], "auto_compact_pct", 80, "--set"),
        (["--window", "1", "--window", "2"], "window", 2, "--window"),
        (["--set", "window=1", "--window", "2", "--set", "window=3"], "window", 3, "--set"),
        (["--window", "2", "--set", "window=1"], "window", 1, "--set"),
        (["--set", "window=1", "--window", "2"], "window", 2, "--window"),
    ],
)
def test_each_option_sets_its_key_and_later_ones_win(words: list[str], key: str, value: object, source: str) -> None:
    assert described(*words)[key] == {"value": value, "source": f"command line ({source})"}


def test_overrides_and_declared_values() -> None:
    limits = described(
        "--override", "Bash=12k", "--set", "overrides.mcp__a__b.c=5", "--set", "declared.X=inf", "--override", "Grep=1"
    )
    assert {tool: entry["value"] for tool, entry in limits["overrides"].items()} == {
        "Bash": 12_000,
        "mcp__a__b.c": 5,
        "Grep": 1,
    }
    assert limits["declared"]["X"] == {"value": "inf", "source": "command line (--set)"}


def test_an_override_that_is_ignored_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '{"overrides": {"Bash": "x", "Grep": 5, "\\ud800": [NaN]}}')
    limits = described("--limits", str(path))
    assert limits["overrides"]["Bash"] == {"value": "x", "source": str(path), "ignored": True}
    assert limits["overrides"]["Grep"] == {"value": 5, "source": str(path)}
    assert "(ignored" in run("--limits", str(path)).stdout


def test_a_limits_file_takes_its_place_among_the_options(tmp_path: Path) -> None:
    path = str(write(tmp_path / "a.toml", "window = 1"))
    assert described("--window", "2", "--limits", path)["window"] == {"value": 1, "source": path}
    assert described("--limits", path, "--window", "2")["window"]["value"] == 2


def test_all_layers_of_files(tmp_path: Path, project: Path) -> None:
    home = tmp_path / "home"
    write(home / ".claude/settings.json", '{"env": {"CLAUDE_AUTOCOMPACT_PCT_OVERRIDE": "50"}}')
    assert described()["auto_compact_pct"]["value"] == 50
    user = write(home / ".config/spillscope/limits.toml", "auto_compact_pct = 60\nwindow = 7")
    assert described()["auto_compact_pct"] == {"value": 60, "source": str(user)}
    own = write(project / ".spillscope.toml", "auto_compact_pct = 70")
    assert described()["auto_compact_pct"] == {"value": 70, "source": str(own)}
    assert described("--set", "auto_compact_pct=80")["auto_compact_pct"]["value"] == 80
    assert described()["window"]["value"] == 7


@pytest.mark.parametrize(
    "words",
    [
        ["--set", "x"],
        ["--set", "=5"],
        ["--set", "nonsense=5"],
        ["--set", "window=12kb"],
        ["--set", "window="],
        ["--set", "window=true"],
        ["--set", "overrides=5"],
        ["--set", "a.b.c=5"],
        ["--override", "Bash"],
        ["--override", "=5"],
        ["--override", "Bash=many"],
        ["--override", "Bash=inf"],
        ["--message-budget", "lots"],
        ["--window", "0"],
        ["--window", "1.5"],
        ["--window", "9" * 5000],
        ["--default-threshold", "-5"],
        ["--limits", "missing.toml"],
        ["--limits", "."],
        ["--limits"],
        ["--nonsense"],
        ["extra"],
    ],
)
def test_unusable_words_are_told_in_one_line(words: list[str]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("spillscope: ")
    assert result.stderr.count("\n") == 1
    assert result.stderr.count(": ") >= 2


def test_a_broken_file_is_told_in_one_line(project: Path) -> None:
    write(project / ".spillscope.toml", "window = \n")
    result = run()
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert ".spillscope.toml" in result.stderr


def test_the_table_is_aligned_and_shows_no_control_characters() -> None:
    lines = run("--set", 'overrides."\x1b[2J語"=5').stdout.splitlines()
    assert "\x1b" not in "".join(lines)
    assert any("語" in line for line in lines)
    assert lines[0].split() == ["limit", "value", "where", "it", "came", "from"]
    assert any(line.split()[:2] == ["default_threshold", "50,000"] for line in lines)


@pytest.mark.parametrize(
    ("text", "mapping"),
    [
        ("window=12k", {"window": 12_000}),
        ("window = 1.2345K", {"window": 1234.5}),
        ("a.b.c=1", {"a": {"b.c": 1}}),
        ('overrides."a b"=-1', {"overrides": {"a b": -1}}),
        ('x="y=z"', {"x": "y=z"}),
        ("overrides={Bash = 1}", {"overrides": {"Bash": 1}}),
    ],
)
def test_settings_are_typed_as_toml(text: str, mapping: dict[str, object]) -> None:
    assert parse_setting(text) == mapping


def test_a_command_gets_one_request_for_any_session(tmp_path: Path) -> None:
    requests: list[LimitsRequest] = []

    @click.command()
    @limits_options
    def command(limits: LimitsRequest) -> None:
        requests.append(limits)

    write(tmp_path / "other/settings.json", '{"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "9"}}')
    assert CliRunner().invoke(command, ["--window", "5"]).exit_code == 0
    assert CliRunner().invoke(command, []).exit_code == 0
    assert requests[0].book(None).newest.window == 5
    assert requests[0].book(tmp_path / "other").newest.auto_compact_window == 9
    assert requests[1] == LimitsRequest()
