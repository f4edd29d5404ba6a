"""`spillscope hook`: an agent's PostToolUse hook, and putting it into the agent's settings."""

from __future__ import annotations

import math
from typing import Any

import click

from spillscope.hook.shapes import shapes
from spillscope_app import hooking
from spillscope_app.cli_settings import SettingsRequest, change_settings, program, settings_options
from spillscope_app.failing_open import complain
from spillscope_app.settings.entries import find_hooks, hook_addition

_ACTIONS = frozenset({"--install", "--uninstall", "--print", "--help"})


class _FailsOpen(click.Command):
    """A call of the agent's that can't be read leaves the result as it is: status 2 would speak to the model."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> click.Context:
        asked = not _ACTIONS.isdisjoint(args)
        try:
            return super().make_context(info_name, args, *rest, **extra)
        except click.UsageError as error:
            if asked:
                raise
            complain(hooking.WHO, error.format_message())
            raise click.exceptions.Exit(0) from error


@click.command("hook", cls=_FailsOpen)
@settings_options
@click.option("--matcher", help="The tools that it is called for, as a pattern; by default all whose output it knows.")
@click.option(
    "--timeout",
    type=click.FloatRange(0.05, 60),
    default=hooking.SECONDS,
    show_default=True,
    help="Seconds after which the result stays as it is.",
)
def hook_command(action: Any, scope: Any, yes: bool, matcher: str | None, timeout: float) -> None:
    """A PostToolUse hook of Claude Code (from 2.1.121): your own thresholds for tool results, where they are lower.

    The event is JSON on standard input. A result over its threshold goes to tool-results/ beside the transcript, and the agent
    is told to give its model a preview instead; for any other there is no answer. The limits are those of `spillscope limits`.
    The agent applies its own thresholds as well, so this can only make them lower. Whatever fails, the result stays as it is,
    and the status is 0.
    """
    if action is None:
        hooking.run(timeout)
        return
    command = f"{program()} hook" + ("" if timeout == hooking.SECONDS else f" --timeout {timeout:g}")
    # The agent's own limit on the call, for where a process can't even start: longer than ours, in whole seconds.
    addition = hook_addition(command, matcher or known_tools(), math.ceil(timeout) + 3)
    change_settings(SettingsRequest(action, scope, yes), addition, find_hooks)


def known_tools() -> str:
    """The pattern of all tools whose output has a shape: the agent starts no process for others."""
    return "|".join(name.replace("*", ".*") for shape in shapes() for name in shape.tools)
