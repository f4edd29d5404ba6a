"""`spillscope statusline`: a line for the agent's screen, and putting it into the agent's settings."""

from __future__ import annotations

from typing import Any

import click

from spillscope_app import statusline
from spillscope_app.cli_settings import SettingsRequest, change_settings, program, settings_options
from spillscope_app.settings.entries import find_status, status_addition


@click.command("statusline")
@settings_options
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw with ASCII alone.")
def statusline_command(action: Any, scope: Any, yes: bool, ascii_only: bool) -> None:
    """A status line for Claude Code: how full the context is, how much was spilled, and how many turns are left.

    The agent's state is JSON on standard input. Only the end of the transcript is read. The tokens are the upper end of the
    estimate. NO_COLOR means no colour; COLUMNS is how wide the line may be.
    """
    if action is None:
        statusline.run(ascii_only)
        return
    command = f"{program()} statusline" + (" --ascii" if ascii_only else "")
    change_settings(SettingsRequest(action, scope, yes), status_addition(command), find_status)
