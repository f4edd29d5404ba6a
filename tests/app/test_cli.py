"""The frame of the command line: which command runs, and how a call ends."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from spillscope.errors import SpillscopeError
from spillscope_app import cli
from spillscope_app.cli import main
from spillscope_app.cli_limits import LimitsRequest, limits_options

PROGRAM = [sys.executable, "-c", "from spillscope_app.cli import main; main()"]


def run(*words: str | bytes, **options: Any) -> subprocess.CompletedProcess[bytes]:
    defaults: dict[str, Any] = {"capture_output": True, "stdin": subprocess.DEVNULL, "check": False, "timeout": 120}
    return subprocess.run([*PROGRAM, *words], **{**defaults, **options})


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """`spillscope limits` raises what stands in this list."""
    errors: list[BaseException] = []

    @click.command()
    def command() -> None:
        raise errors[0]

    monkeypatch.setattr("spillscope_app.cli_limits.limits_command", command)
    return errors


@pytest.mark.parametrize(
    ("error", "status", "stderr"),
    [
        (SpillscopeError("no such session: x: check the path"), 2, "spillscope: no such session: x: check the path\n"),
        (SpillscopeError("two\nlines\x1b[2J"), 2, "spillscope: two lines␛[2J\n"),
        (PermissionError(errno.EACCES, "Permission denied", "/x"), 2, "spillscope: Permission denied: /x: check"),
        (OSError(errno.ENOSPC, "No space left on device"), 2, "spillscope: No space left on device: check"),
        (click.ClickException("a: b"), 2, "spillscope: a: b\n"),
        (click.exceptions.Exit(1), 1, ""),
        (KeyboardInterrupt(), 130, "\n"),
    ],
)
def test_errors_leave_as_one_line_and_a_status(
    failing: list[BaseException], error: BaseException, status: int, stderr: str
) -> None:
    failing.append(error)
    result = CliRunner().invoke(main, ["limits"])
    assert result.exit_code == status
    assert result.stderr.startswith(stderr)
    assert result.stderr.count("\n") <= 1


def test_help_lists_every_command_and_the_options_of_limits() -> None:
    result = CliRunner().invoke(main, ["--help"])
    assert result.exit_code == 0
    assert all(f"  {name} " in result.stdout for name in cli.COMMANDS)
    assert "--override TOOL=CHARS" in result.stdout


@pytest.mark.parametrize("name", cli.COMMANDS)
def test_every_command_of_the_table_exists(name: str) -> None:
    result = CliRunner().invoke(main, [name, "--help"])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: spillscope {name}")


def test_version() -> None:
    result = CliRunner().invoke(main, ["--version"])
    assert (result.exit_code, result.stdout[:20]) == (0, "spillscope, version ")


class TestInspector:
    @pytest.fixture
    def opened(self, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
        calls: list[tuple[Any, ...]] = []

        @click.command()
        @click.argument("path", required=False)
        @limits_options
        def inspector(path: str | None, limits: LimitsRequest) -> int:
            calls.append((path, limits.book(None).newest.window))
            return 7

        monkeypatch.setattr(cli, "inspector_command", inspector)
        return calls

    @pytest.mark.parametrize(
        ("words", "call"),
        [
            ([], (None, None)),
            (["some/path"], ("some/path", None)),
            (["some/path", "--window", "5"], ("some/path", 5)),
            (["--window", "5", "some/path"], ("some/path", 5)),
            (["--window", "5"], (None, 5)),
            (["./report"], ("./report", None)),
            (["--", "report"], ("report", None)),
            (["--window", "5", "report"], ("report", 5)),
        ],
    )
    def test_it_opens_when_the_first_word_is_no_command(
        self, opened: list[tuple[Any, ...]], words: list[str], call: tuple[Any, ...]
    ) -> None:
        assert CliRunner().invoke(main, words).exit_code == 7
        assert opened == [call]

    def test_a_command_is_no_path(self, opened: list[tuple[Any, ...]]) -> None:
        CliRunner().invoke(main, ["limits"])
        assert opened == []

    def test_without_a_terminal_it_says_so(self) -> None:
        result = CliRunner().invoke(main, ["some/path"])
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert "no terminal" in result.stderr

    def test_a_wrong_option_names_the_program_alone(self) -> None:
        result = CliRunner().invoke(main, ["some/path", "--nonsense"])
        assert result.exit_code == 2
        assert result.stderr.endswith("see spillscope --help\n")


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_utf8_whatever_the_locale(locale: str, tmp_path: Path) -> None:
    environment = {**os.environ, "LC_ALL": locale, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}
    (tmp_path / ".spillscope.toml").write_text('overrides = {"日本" = 5}', encoding="utf-8")
    done = run("limits", env=environment, cwd=tmp_path)
    assert done.returncode == 0
    assert "日本" in done.stdout.decode("utf-8")


def test_a_name_that_is_no_text_does_not_break_the_message(tmp_path: Path) -> None:
    done = run("limits", "--limits", b"/missing-\xff-\xe2\x82\xac", cwd=tmp_path)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert "/missing-\\udcff-€" in done.stderr.decode("utf-8")


def test_what_utf8_has_no_bytes_for_leaves_as_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "spillscope_app.cli_limits.limits_command", click.Command("limits", callback=lambda: click.echo("\ud800"))
    )
    result = CliRunner().invoke(main, ["limits"])
    assert (result.exit_code, result.stdout) == (0, "\\ud800\n")


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    read, written = os.pipe()
    os.close(read)
    try:
        done = run("limits", stdout=written, stderr=subprocess.PIPE, capture_output=False, cwd=tmp_path)
    finally:
        os.close(written)
    assert done.stderr == b""
    assert done.returncode == cli.EXIT_BROKEN_PIPE


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("spillscope lim", ["plain,limits"]),
        ("spillscope some", ["file,some"]),
        ("spillscope --over", ["plain,--override"]),
        ("spillscope limits --over", ["plain,--override"]),
        ("spillscope path --win", ["plain,--window"]),
    ],
)
def test_a_shell_completes_commands_paths_and_options(words: str, wanted: list[str]) -> None:
    environment = {
        **os.environ,
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
        "_SPILLSCOPE_COMPLETE": "bash_complete",
    }
    program = "from spillscope_app.cli import main; main(prog_name='spillscope')"
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.stdout.split(), done.stderr) == (wanted, "")
