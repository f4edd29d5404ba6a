"""The command line: `spillscope [PATH]` opens the inspector, `spillscope COMMAND` does one thing without a screen.

A command's module is imported when it runs, so that headless commands start fast and never import a user interface.
"""

from __future__ import annotations

import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
from click.shell_completion import CompletionItem

from spillscope.clean import clean
from spillscope.errors import SpillscopeError
from spillscope_app.cli_limits import LimitsRequest, limits_options

EXIT_UNUSABLE = 2
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
"""What a shell reports for a process that SIGPIPE ended."""

_INSPECTOR = "\0inspector"
"""The name of the command behind `spillscope [PATH]`; no word of a command line can be this one."""


class _Command(NamedTuple):
    module: str
    attribute: str
    summary: str


COMMANDS = {
    "report": _Command("spillscope_app.cli_report", "report_command", "The whole reading of one session."),
    "sessions": _Command("spillscope_app.cli_sessions", "sessions_command", "List sessions."),
    "spills": _Command("spillscope_app.cli_spills", "spills_command", "Every spilled file with its state; print one."),
    "apply": _Command("spillscope_app.cli_active", "apply_command", "Enforce the budget on messages: JSON in, JSON out."),
    "admit": _Command("spillscope_app.cli_active", "admit_command", "What the model should get of one tool result."),
    "hook": _Command("spillscope_app.cli_hook", "hook_command", "Claude Code's hook for your own thresholds; install it."),
    "statusline": _Command("spillscope_app.cli_statusline", "statusline_command", "Claude Code's status line; install it."),
    "sweep": _Command("spillscope_app.cli_sweep", "sweep_command", "Replay sessions under a grid of limits."),
    "limits": _Command("spillscope_app.cli_limits", "limits_command", "The limits in effect, and where each came from."),
}


class SpillscopeGroup(click.Group):
    """Commands that are imported late, with the inspector for every call whose first word is none of them.

    Errors leave as one line on stderr and an exit status, never as a traceback.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name == _INSPECTOR:
            return inspector_command
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command = getattr(importlib.import_module(entry.module), entry.attribute)
        return command if isinstance(command, click.Command) else None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # While a shell completes the first word, it may still become a command.
        undecided = ctx.resilient_parsing and not args
        if not undecided and (not args or args[0] not in (*COMMANDS, "--help", "--version")):
            args = [_INSPECTOR, *args]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        items = super().shell_complete(ctx, incomplete)
        if incomplete.startswith("-"):
            known = {item.value for item in items}
            others = inspector_command.shell_complete(click.Context(inspector_command, parent=ctx), incomplete)
            return items + [item for item in others if item.value not in known]
        return items or [CompletionItem(incomplete, type="file")]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.summary) for name, command in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            ctx.exit(EXIT_BROKEN_PIPE)
        return result

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        _speak_utf8()
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        sys.exit(self._status(args, prog_name or "spillscope", complete_var, **extra))

    def _status(self, args: Sequence[str] | None, prog_name: str, complete_var: str | None, **extra: Any) -> int:
        try:
            result = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        except (click.Abort, KeyboardInterrupt):
            return EXIT_INTERRUPTED
        except click.UsageError as error:
            where = error.ctx.command_path.replace(_INSPECTOR, "").strip() if error.ctx else prog_name
            _complain(f"{error.format_message().rstrip('.')}: see {where} --help")
        except click.ClickException as error:
            _complain(error.format_message())
        except SpillscopeError as error:
            _complain(str(error))
        except OSError as error:
            where = f": {os.fsdecode(error.filename)}" if isinstance(error.filename, (str, bytes)) else ""
            _complain(f"{error.strerror or error}{where}: check the path, its permissions and the space left")
        else:
            return result if isinstance(result, int) else 0
        return EXIT_UNUSABLE


def _complain(message: str) -> None:
    click.echo(f"spillscope: {clean(' '.join(message.split()))}", err=True)


def _speak_utf8() -> None:
    """Both streams in UTF-8 whatever the locale; what UTF-8 has no bytes for leaves as an escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


@click.command(_INSPECTOR)
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--follow-project", is_flag=True, help="Go to a newer live session of the project by itself.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII alone.")
@click.option("--demo", is_flag=True, help="Watch a small agent at work in a temporary folder, until you quit.")
@click.option("--seed", default="1", metavar="WORD", help="With --demo: the same word tells the same story.")
@click.option("--speed", default=1.0, type=click.FloatRange(0.01, 1_000), help="With --demo: times faster than life.")
@limits_options
def inspector_command(
    path: Path | None, follow_project: bool, ascii_only: bool, demo: bool, seed: str, speed: float, limits: LimitsRequest
) -> int:
    """Inspect the session at PATH; without PATH the newest one of this directory's project; a folder of projects: pick one."""
    if demo and (path is not None or limits.entries):
        raise click.UsageError("--demo brings its own session and limits: give no PATH and no LIMITS with it")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(
            "no terminal to show the inspector on: for text use spillscope report PATH, --json for scripts"
        )
    if demo:
        watched: int = importlib.import_module("spillscope_app.demo.launch").show(seed, speed, ascii_only=ascii_only)
        return watched
    inspector = importlib.import_module("spillscope_app.inspector")
    status: int = inspector.run(path, limits, inspector.Options(follow_project, ascii_only))
    return status


@click.group(
    "spillscope",
    cls=SpillscopeGroup,
    options_metavar="",
    subcommand_metavar="[PATH] [LIMITS] | --demo | COMMAND [ARGS]...",
    epilog="LIMITS: --limits FILE, --set KEY=VALUE, --override TOOL=CHARS, --message-budget N, --default-threshold N, "
    "--[no-]aggregate, --window N; later ones win. A PATH that is called like a command: ./NAME.",
)
@click.version_option(package_name="spillscope", prog_name="spillscope")
def main() -> None:
    """See and set what tool results cost of a coding agent's context.

    With a PATH, or with nothing, the inspector opens: on a transcript, a session, a project or a folder of projects.
    """
